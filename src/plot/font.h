/* A stroke font: text as thick lines. The glyphs (glyphs.c) were drawn for this project: printable ASCII, the
 * letters of Latin-1 and Latin Extended-A (U+00C0 to U+017F), and some signs; any other character shows as a
 * box, also a mark that is a character of its own. Sizes are pixels per em; capitals are 0.72 em high. */
#ifndef GLSHAPE_PLOT_FONT_H
#define GLSHAPE_PLOT_FONT_H

#include <stdio.h>

#include "plot/canvas.h"

/* Glyphs are drawn on a grid with the baseline at y = 0, y up, capitals 28 high, small letters 20, descenders
 * -8. path: strokes separated by ';', each "x y x y …". A stroke is a polyline; with '~' before it, a smooth
 * curve (quadratic B-spline) from the first to the last point; with 'o', a closed smooth curve. A stroke of
 * one point is a dot. */
typedef struct font_glyph {
    int advance;
    const char *path;
} font_glyph;

/* A glyph, never NULL, and a mark that is drawn with it at (x, y), NULL for none. */
typedef struct font_letter {
    const font_glyph *glyph;
    const char *mark;
    double x, y;
} font_letter;

font_letter font_letter_of(uint32_t code);

/* Takes one code point from UTF-8 text, moving *text behind it: U+FFFD for each byte that is not part of
 * valid UTF-8, 0 (without moving) at the end. */
uint32_t font_decode(const char **text);
/* Writes a code point as UTF-8. */
void font_encode(FILE *to, uint32_t code);

double font_width(const char *text, double size);

/* Copies text into out, which may be text itself. If it is wider than width, or longer than bytes - 1 (bytes
 * is at least 4), whole characters are cut from its end and "..." put there. */
void font_fit(char *out, size_t bytes, const char *text, double size, double width);

/* Called with each line of a text; a dot has equal ends. */
typedef void (*font_emit)(void *user, float x0, float y0, float x1, float y1, float radius);
/* Draws a PLOT_TEXT shape whose string is text. */
void font_draw(const plot_shape *shape, const char *text, font_emit emit, void *user);

#endif
