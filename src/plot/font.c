#include "plot/font.h"

#include <string.h>

#define UNITS_PER_EM (28 / 0.72)
#define REGULAR 1.8 /* half the thickness of a stroke, in grid units */
#define BOLD 2.5
#define DOT 1.35 /* a dot is that much thicker than a line */
#define TRACKING 1
#define STROKE_POINTS 24
#define CURVE_STEPS 8

typedef struct point {
    double x, y;
} point;

/* Where the glyph goes, and to whom. */
typedef struct pen {
    double x, y, scale;
    float radius;
    font_emit emit;
    void *user;
} pen;

/* Valid UTF-8 as in RFC 3629: no overlong form, no surrogate, nothing above U+10FFFF. */
static int sequence(const unsigned char *s, uint32_t *code) {
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    int length = *s < 0x80 ? 1 : *s < 0xC0 ? 0 : *s < 0xE0 ? 2 : *s < 0xF0 ? 3 : *s < 0xF8 ? 4 : 0;
    if (length == 0) return 0;
    uint32_t value = length == 1 ? *s : *s & (0x7Fu >> length);
    for (int i = 1; i < length; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
        value = value << 6 | (s[i] & 0x3F);
    }
    *code = value;
    return value < least[length] || value > 0x10FFFF || value - 0xD800 < 0x800 ? 0 : length;
}

uint32_t font_decode(const char **text) {
    uint32_t code = 0xFFFD;
    if (!**text) return 0;
    int length = sequence((const unsigned char *)*text, &code);
    *text += length ? length : 1;
    return length ? code : 0xFFFD;
}

void font_encode(FILE *to, uint32_t code) {
    if (code < 0x80) fputc((int)code, to);
    else if (code < 0x800) fprintf(to, "%c%c", 0xC0 | code >> 6, 0x80 | (code & 63));
    else if (code < 0x10000)
        fprintf(to, "%c%c%c", 0xE0 | code >> 12, 0x80 | (code >> 6 & 63), 0x80 | (code & 63));
    else
        fprintf(to, "%c%c%c%c", 0xF0 | code >> 18, 0x80 | (code >> 12 & 63), 0x80 | (code >> 6 & 63),
                0x80 | (code & 63));
}

double font_width(const char *text, double size) {
    int units = 0;
    for (uint32_t code; (code = font_decode(&text));) units += font_letter_of(code).glyph->advance + TRACKING;
    return units * size / UNITS_PER_EM;
}

/* The longest start of text that is whole characters within `bytes` bytes and width. */
static size_t fitting(const char *text, size_t bytes, double size, double width) {
    const char *next = text, *end = text;
    double used = 0;
    for (uint32_t code; (code = font_decode(&next)); end = next) {
        used += (font_letter_of(code).glyph->advance + TRACKING) * size / UNITS_PER_EM;
        if (used > width || (size_t)(next - text) > bytes) break;
    }
    return (size_t)(end - text);
}

void font_fit(char *out, size_t bytes, const char *text, double size, double width) {
    size_t all = strlen(text), keep = fitting(text, bytes - 1, size, width);
    if (keep < all) keep = fitting(text, bytes - 4, size, width - font_width("...", size));
    memmove(out, text, keep);
    strcpy(out + keep, keep < all ? "..." : "");
}

static void line(const pen *p, point a, point b) {
    p->emit(p->user, (float)(p->x + a.x * p->scale), (float)(p->y - a.y * p->scale),
            (float)(p->x + b.x * p->scale), (float)(p->y - b.y * p->scale), p->radius);
}

static point middle(point a, point b) { return (point){(a.x + b.x) / 2, (a.y + b.y) / 2}; }

/* The parabola from a to b whose tangents meet in c. */
static void bend(const pen *p, point a, point c, point b) {
    point last = a;
    for (int i = 1; i <= CURVE_STEPS; i++) {
        double t = (double)i / CURVE_STEPS, u = 1 - t;
        point next = {u * u * a.x + 2 * u * t * c.x + t * t * b.x,
                      u * u * a.y + 2 * u * t * c.y + t * t * b.y};
        line(p, last, next);
        last = next;
    }
}

static void open_curve(const pen *p, const point *at, int n) {
    point from = at[0];
    for (int i = 1; i < n - 1; i++) {
        point to = i == n - 2 ? at[n - 1] : middle(at[i], at[i + 1]);
        bend(p, from, at[i], to);
        from = to;
    }
}

static void closed_curve(const pen *p, const point *at, int n) {
    for (int i = 0; i < n; i++)
        bend(p, middle(at[(i + n - 1) % n], at[i]), at[i], middle(at[i], at[(i + 1) % n]));
}

static void polyline(const pen *p, const point *at, int n) {
    pen dot = *p;
    dot.radius *= (float)DOT;
    if (n == 1) line(&dot, at[0], at[0]);
    for (int i = 1; i < n; i++) line(p, at[i - 1], at[i]);
}

/* A number of a path: digits with an optional sign and fraction, whatever the locale. */
static double number(const char **path) {
    const char *s = *path;
    double sign = *s == '-' ? -1 : 1, value = 0, place = 1;
    if (*s == '-') s++;
    for (; *s >= '0' && *s <= '9'; s++) value = value * 10 + (*s - '0');
    if (*s == '.')
        for (s++; *s >= '0' && *s <= '9'; s++) value += (*s - '0') * (place /= 10);
    *path = s;
    return sign * value;
}

static const char *skip(const char *s) {
    while (*s == ' ') s++;
    return s;
}

/* Draws the stroke at s and returns what follows its ';'. */
static const char *stroke(const pen *p, const char *s) {
    point at[STROKE_POINTS] = {{0, 0}};
    int n = 0;
    s = skip(s);
    char kind = *s;
    if (kind == '~' || kind == 'o') s = skip(s + 1);
    while (*s && *s != ';' && n < STROKE_POINTS) {
        at[n].x = number(&s), s = skip(s);
        at[n++].y = number(&s), s = skip(s);
    }
    (kind == '~' ? open_curve : kind == 'o' ? closed_curve : polyline)(p, at, n);
    return *s == ';' ? s + 1 : s;
}

void font_draw(const plot_shape *shape, const char *text, font_emit emit, void *user) {
    double scale = shape->size / UNITS_PER_EM, width = font_width(text, shape->size);
    double before = shape->anchor == PLOT_START ? 0 : shape->anchor == PLOT_MIDDLE ? width / 2 : width;
    pen p = {
        shape->x0 - before, shape->y0, scale, (float)(scale * (shape->bold ? BOLD : REGULAR)), emit, user};
    for (uint32_t code; (code = font_decode(&text));) {
        font_letter letter = font_letter_of(code);
        pen above = p;
        above.x += letter.x * scale, above.y -= letter.y * scale;
        for (const char *s = letter.glyph->path; *s;) s = stroke(&p, s);
        for (const char *s = letter.mark; s && *s;) s = stroke(&above, s);
        p.x += (letter.glyph->advance + TRACKING) * scale;
    }
}
