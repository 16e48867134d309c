#include "plot/axes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/font.h"
#include "plot/palette.h"

#define TICKS 10     /* at most so many along the longer side */
#define TICKS_MAX 64 /* a guard, not a wish */
#define GAP 0.6      /* between frame and labels, in ems */
#define LABEL_BYTES 40

double axes_nice(double v) {
    double power = pow(10, floor(log10(v)));
    if (!(power > 0)) return v;
    for (int i = 0; i < 3; i++) {
        static const double nice[] = {1, 2, 5};
        if (nice[i] * power >= v * (1 - 1e-9)) return nice[i] * power;
    }
    return 10 * power;
}

/* Turns 1.50e+06 into 1.5e6 and 1.00e-06 into 1e-6. */
static void shorten_exponent(char *s) {
    char *e = strchr(s, 'e'), *to = e;
    if (!e) return;
    char *digits = e + 1;
    if (memchr(s, '.', (size_t)(e - s)))
        while (to[-1] == '0') to--;
    if (to[-1] == '.') to--;
    *to++ = 'e';
    if (*digits == '-') *to++ = '-';
    if (*digits == '-' || *digits == '+') digits++;
    while (*digits == '0' && digits[1]) digits++;
    memmove(to, digits, strlen(digits) + 1);
}

void axes_label(char *out, size_t size, double value, double step, double most) {
    int place = (int)floor(log10(step) + 1e-9); /* of the step's one digit */
    if (fabs(value) <= step / 2) {
        snprintf(out, size, "0");
    } else if (most < 1e7 && place >= -6) {
        snprintf(out, size, "%.*f", place < 0 ? -place : 0, value);
    } else {
        int digits = (int)floor(log10(fabs(value)) + 1e-9) - place;
        snprintf(out, size, "%.*e", digits < 0 ? 0 : digits > 15 ? 15 : digits, value);
        shorten_exponent(out);
    }
}

static double spread(const axes_range *r) { return fmax(r->hi[0] - r->lo[0], r->hi[1] - r->lo[1]); }

/* Returns a range to show if all points are in one place. */
static double span_for_one_place(const axes_range *r) {
    double far = fmax(fabs(r->lo[0]), fabs(r->lo[1]));
    return far > 0 ? far / 4 : 1;
}

/* Returns a power of two that keeps sums and quotients of the range within the range of doubles. */
static double unit_for(const axes_range *r) {
    double most = 0;
    for (int k = 0; k < 2; k++) most = fmax(most, fmax(fabs(r->lo[k]), fabs(r->hi[k])));
    return most > 0x1p1000 ? 0x1p-40 : most > 0 && most < 0x1p-900 ? 0x1p200 : 1;
}

/* Returns a round step, at least `least`, in data units while these keep all their digits, and at least
 * what tells two doubles apart. */
static double step_for(double least, double unit) {
    double step = least / unit >= DBL_MIN ? axes_nice(least / unit) * unit : axes_nice(least);
    return fmax(step, DBL_TRUE_MIN * unit);
}

axes axes_fit(axes_frame frame, axes_range range, double pad, double font, bool bare_y) {
    double unit = unit_for(&range);
    for (int k = 0; k < 2; k++) range.lo[k] *= unit, range.hi[k] *= unit;
    double width = frame.x1 - frame.x0, height = frame.y1 - frame.y0;
    double room_x = fmax(width - 2 * pad, 1), room_y = fmax(height - 2 * pad, 1), scale;
    if (spread(&range) > 0)
        scale = fmin(room_x / (range.hi[0] - range.lo[0]), room_y / (range.hi[1] - range.lo[1]));
    else scale = fmin(room_x, room_y) / span_for_one_place(&range);
    return (axes){.frame = frame,
                  .unit = unit,
                  .left = range.lo[0] / 2 + range.hi[0] / 2 - width / scale / 2,
                  .bottom = range.lo[1] / 2 + range.hi[1] / 2 - height / scale / 2,
                  .scale = scale,
                  .step = step_for(fmax(width, height) / scale / TICKS, unit),
                  .font = font,
                  .bare_y = bare_y};
}

/* Of values times the unit. */
static double place_x(const axes *a, double x) { return a->frame.x0 + (x - a->left) * a->scale; }
static double place_y(const axes *a, double y) { return a->frame.y1 - (y - a->bottom) * a->scale; }

double axes_x(const axes *a, double x) { return place_x(a, x * a->unit); }
double axes_y(const axes *a, double y) { return place_y(a, y * a->unit); }

/* The grid lines of one axis: at (first + i)·step for i < count. */
typedef struct ticks {
    double first;
    int count;
    double most; /* greatest absolute value */
} ticks;

static ticks ticks_of(const axes *a, double from, double pixels) {
    double to = from + pixels / a->scale;
    double first = ceil(from / a->step), last = floor(to / a->step);
    int count = last < first ? 0 : last - first < TICKS_MAX ? (int)(last - first) + 1 : TICKS_MAX;
    return (ticks){first, count, fmax(fabs(first), fabs(last)) * a->step};
}

static ticks ticks_x(const axes *a) { return ticks_of(a, a->left, a->frame.x1 - a->frame.x0); }
static ticks ticks_y(const axes *a) { return ticks_of(a, a->bottom, a->frame.y1 - a->frame.y0); }

static void label_of(const axes *a, const ticks *t, int i, char out[LABEL_BYTES]) {
    double value = (t->first + i) * a->step / a->unit;
    *out = 0; /* beyond the range of doubles */
    if (isfinite(value)) axes_label(out, LABEL_BYTES, value, a->step / a->unit, t->most / a->unit);
}

static double widest(const axes *a, ticks t) {
    char label[LABEL_BYTES];
    double width = 0;
    for (int i = 0; i < t.count; i++) {
        label_of(a, &t, i, label);
        width = fmax(width, font_width(label, a->font));
    }
    return width;
}

double axes_left(const axes *a) { return a->bare_y ? 0 : widest(a, ticks_y(a)) + GAP * a->font; }
double axes_below(const axes *a) { return (GAP + 1) * a->font; }

/* A straight line of whole pixels. */
static void rule(plot_canvas *c, bool vertical, double at, double from, double to, double width,
                 uint32_t colour) {
    double lo = floor(at - width / 2 + 0.5), hi = lo + width;
    from = floor(from), to = floor(to);
    if (vertical) plot_rect(c, lo, from, hi, to, colour);
    else plot_rect(c, from, lo, to, hi, colour);
}

/* Returns where a label must stand so that it stays inside the picture. */
static double kept_inside(const axes *a, const plot_canvas *c, double x, const char *text) {
    double half = font_width(text, a->font) / 2 + a->font / 6;
    return fmax(fmin(x, c->width - half), half);
}

static void draw_vertical_rules(const axes *a, plot_canvas *c, double width) {
    ticks t = ticks_x(a);
    char label[LABEL_BYTES];
    /* Long numbers that would touch: every second, third … label is left out. */
    int every = 1 + (int)((widest(a, t) + a->font) / (a->step * a->scale));
    plot_style style = {a->font, PALETTE_GREY, PLOT_MIDDLE, false};
    for (int i = 0; i < t.count && !a->bare_x; i++) {
        double x = place_x(a, (t.first + i) * a->step);
        rule(c, true, x, a->frame.y0, a->frame.y1, width, PALETTE_GRID);
        label_of(a, &t, i, label);
        if (*label && fmod(t.first + i, every) == 0)
            plot_text(c, kept_inside(a, c, x, label), a->frame.y1 + (GAP + 0.72) * a->font, label, style);
    }
}

static void draw_horizontal_rules(const axes *a, plot_canvas *c, double width) {
    ticks t = ticks_y(a);
    char label[LABEL_BYTES];
    plot_style style = {a->font, PALETTE_GREY, PLOT_END, false};
    for (int i = 0; i < t.count && !a->bare_y; i++) {
        double y = place_y(a, (t.first + i) * a->step);
        rule(c, false, y, a->frame.x0, a->frame.x1, width, PALETTE_GRID);
        label_of(a, &t, i, label);
        if (*label) plot_text(c, a->frame.x0 - GAP * a->font, y + 0.36 * a->font, label, style);
    }
}

void axes_draw(const axes *a, plot_canvas *c) {
    double width = fmax(1, floor(a->font / 12));
    const axes_frame *f = &a->frame;
    draw_vertical_rules(a, c, width);
    draw_horizontal_rules(a, c, width);
    if (!a->bare_y) rule(c, true, f->x0, f->y0, f->y1 + width, width, PALETTE_AXIS);
    rule(c, false, f->y1, f->x0, f->x1, width, PALETTE_AXIS);
}
