#include "plot/head.h"

#include "plot/font.h"
#include "plot/palette.h"

#define TITLE 32
#define SPARE 0.9 /* a viewer's own font may be wider than ours (SVG) */

double head_height(bool title, double unit) {
    return (HEAD_MARGIN + (title ? TITLE * 1.3 : 0) + HEAD_LINE * 1.9) * unit;
}

void head_draw(plot_canvas *c, double unit, const char *title, const char *line) {
    double x = HEAD_MARGIN * unit, y = x, room = SPARE * (c->width - 2 * x);
    char shown[256];
    if (title) {
        font_fit(shown, sizeof shown, title, TITLE * unit, room);
        plot_text(c, x, y + 0.72 * TITLE * unit, shown,
                  (plot_style){TITLE * unit, PALETTE_INK, PLOT_START, true});
        y += 1.3 * TITLE * unit;
    }
    font_fit(shown, sizeof shown, line, HEAD_LINE * unit, room);
    plot_text(c, x, y + 0.72 * HEAD_LINE * unit, shown,
              (plot_style){HEAD_LINE * unit, PALETTE_GREY, PLOT_START, false});
}
