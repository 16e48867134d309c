#include <errno.h>
#include <math.h>
#include <string.h>

#include "plot/font.h"
#include "plot/plot.h"

/* A coordinate with at most two decimals, whatever the locale. */
static void number(FILE *to, double v) {
    long long hundredths = fabs(v) < 1e15 ? llround(v * 100) : 0;
    if (hundredths < 0) fputc('-', to), hundredths = -hundredths;
    fprintf(to, "%lld", hundredths / 100);
    if (hundredths % 10) fprintf(to, ".%02lld", hundredths % 100);
    else if (hundredths % 100) fprintf(to, ".%lld", hundredths % 100 / 10);
}

/*  name="v" with a space before. */
static void attribute(FILE *to, const char *name, double v) {
    fprintf(to, " %s=\"", name);
    number(to, v);
    fputc('"', to);
}

/* Char of XML 1.0, less the line breaks and tabs, which a label has no use for. */
static bool is_xml(uint32_t code) { return code >= 0x20 && code != 0x7F && code != 0xFFFE && code != 0xFFFF; }

static void escaped(FILE *to, const char *text) {
    for (uint32_t code; (code = font_decode(&text));) {
        switch (code) {
            case '&':
                fputs("&amp;", to);
                break;
            case '<':
                fputs("&lt;", to);
                break;
            case '>':
                fputs("&gt;", to);
                break;
            case '"':
                fputs("&quot;", to);
                break;
            default:
                font_encode(to, is_xml(code) ? code : 0xFFFD);
        }
    }
}

static void capsule(FILE *to, const plot_shape *s) {
    if (s->x0 == s->x1 && s->y0 == s->y1) {
        fputs("<circle", to);
        attribute(to, "cx", s->x0);
        attribute(to, "cy", s->y0);
        attribute(to, "r", s->size);
        fprintf(to, " fill=\"#%06x\"/>\n", s->colour & 0xFFFFFF);
        return;
    }
    fputs("<line", to);
    attribute(to, "x1", s->x0);
    attribute(to, "y1", s->y0);
    attribute(to, "x2", s->x1);
    attribute(to, "y2", s->y1);
    attribute(to, "stroke-width", 2 * s->size);
    fprintf(to, " stroke=\"#%06x\"/>\n", s->colour & 0xFFFFFF);
}

static void rectangle(FILE *to, const plot_shape *s) {
    if (!(s->x1 > s->x0 && s->y1 > s->y0)) return;
    fputs("<rect", to);
    attribute(to, "x", s->x0);
    attribute(to, "y", s->y0);
    attribute(to, "width", s->x1 - s->x0);
    attribute(to, "height", s->y1 - s->y0);
    fprintf(to, " fill=\"#%06x\"/>\n", s->colour & 0xFFFFFF);
}

static void text(FILE *to, const plot_shape *s, const char *string) {
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    fputs("<text", to);
    attribute(to, "x", s->x0);
    attribute(to, "y", s->y0);
    attribute(to, "font-size", s->size);
    fprintf(to, "%s%s fill=\"#%06x\">", anchors[s->anchor], s->bold ? " font-weight=\"bold\"" : "",
            s->colour & 0xFFFFFF);
    escaped(to, string);
    fputs("</text>\n", to);
}

static void polygon(FILE *to, const plot_shape *s, const plot_corner *corners) {
    bool first = true;
    fputs("<path d=\"", to);
    for (size_t k = 0; k < s->count; k++) {
        fputs(first ? "M" : "L", to);
        number(to, corners[k].x);
        fputc(' ', to);
        number(to, corners[k].y);
        if (corners[k].last) fputs("Z", to);
        first = corners[k].last;
    }
    fprintf(to, "\" fill-rule=\"evenodd\" fill=\"#%06x\"/>\n", s->colour & 0xFFFFFF);
}

static void shape(FILE *to, const plot_canvas *c, const plot_shape *s) {
    switch (s->kind) {
        case PLOT_CAPSULE:
            capsule(to, s);
            break;
        case PLOT_RECT:
            rectangle(to, s);
            break;
        case PLOT_TEXT:
            text(to, s, c->text + s->first);
            break;
        case PLOT_POLYGON:
            polygon(to, s, c->corners + s->first);
            break;
    }
}

glshape_status plot_write_svg(error *err, const plot_canvas *c, FILE *to) {
    TRY(plot_canvas_check(err, c));
    errno = 0;
    fprintf(to,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\""
            " font-family=\"sans-serif\" stroke-linecap=\"round\">\n"
            "<rect width=\"%u\" height=\"%u\" fill=\"#%06x\"/>\n",
            c->width, c->height, c->width, c->height, c->width, c->height, c->background & 0xFFFFFF);
    for (size_t i = 0; i < c->count; i++) shape(to, c, &c->shapes[i]);
    fputs("</svg>\n", to);
    if (ferror(to) || fflush(to) != 0)
        return fail(err, GLSHAPE_IO_ERROR, "the SVG picture could not be written: %s",
                    strerror(errno ? errno : EIO));
    return GLSHAPE_OK;
}
