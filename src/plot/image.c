#include "plot/image.h"

#include <math.h>

axes_frame image_place(const image *m, axes_frame f) {
    double scale = fmin((f.x1 - f.x0) / (double)m->columns, (f.y1 - f.y0) / (double)m->rows);
    double width = fmax(floor(scale * (double)m->columns), 1),
           height = fmax(floor(scale * (double)m->rows), 1);
    return (axes_frame){f.x0, f.y0, f.x0 + width, f.y0 + height};
}

void image_draw(const image *m, plot_canvas *c, axes_frame f) {
    double width = f.x1 - f.x0, height = f.y1 - f.y0;
    size_t rows = m->rows, columns = m->columns;
    size_t down = rows < height ? rows : (size_t)height, right = columns < width ? columns : (size_t)width;
    for (size_t r = 0; r < down; r++) {
        const uint32_t *row = m->cells + (2 * r + 1) * rows / (2 * down) * columns;
        double y0 = floor(height * (double)r / (double)down),
               y1 = floor(height * (double)(r + 1) / (double)down);
        for (size_t k = 0, start = 0; k < right; k++) {
            uint32_t here = m->colour[row[(2 * k + 1) * columns / (2 * right)]];
            if (k + 1 < right && m->colour[row[(2 * k + 3) * columns / (2 * right)]] == here) continue;
            plot_rect(c, f.x0 + floor(width * (double)start / (double)right), f.y0 + y0,
                      f.x0 + floor(width * (double)(k + 1) / (double)right), f.y0 + y1, here);
            start = k + 1;
        }
    }
}
