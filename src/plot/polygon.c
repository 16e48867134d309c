#include "plot/polygon.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"

typedef struct crossing {
    int row;
    double x;
} crossing;

typedef struct crossings {
    crossing *at; /* NULL: only counts */
    size_t count;
    uint32_t height;
} crossings;

/* Where a side crosses the middles of rows. */
static void cross_rows(crossings *c, const plot_corner *a, const plot_corner *b) {
    double x0 = a->x, y0 = a->y, x1 = b->x, y1 = b->y;
    double top = fmax(fmin(y0, y1), 0), bottom = fmin(fmax(y0, y1), c->height);
    for (int row = (int)ceil(top - 0.5); row + 0.5 < bottom; row++) {
        if (row + 0.5 < top) continue;
        if (c->at) c->at[c->count] = (crossing){row, x0 + (row + 0.5 - y0) / (y1 - y0) * (x1 - x0)};
        c->count++;
    }
}

static void cross_all(crossings *c, const plot_corner *corners, size_t count) {
    c->count = 0;
    for (size_t k = 0, first = 0; k < count; k++) {
        bool last = corners[k].last || k + 1 == count;
        cross_rows(c, &corners[k], &corners[last ? first : k + 1]);
        if (last) first = k + 1;
    }
}

static int by_place(const void *a, const void *b) {
    const crossing *p = a, *q = b;
    if (p->row != q->row) return p->row < q->row ? -1 : 1;
    return (p->x > q->x) - (p->x < q->x);
}

glshape_status polygon_rows(error *err, const plot_corner *corners, size_t count, uint32_t height,
                            polygon_emit emit, void *user) {
    OWNED crossing *at = NULL;
    crossings c = {.height = height};
    cross_all(&c, corners, count);
    TRY(allocate(err, &at, c.count, sizeof *at, "the inside of a polygon"));
    c.at = at;
    cross_all(&c, corners, count);
    qsort(at, c.count, sizeof *at, by_place);
    for (size_t k = 0; k + 1 < c.count; k += 2) /* rings cross each row an even number of times */
        emit(user, (float)at[k].x, (float)at[k].row, (float)at[k + 1].x, (float)at[k].row + 1);
    return GLSHAPE_OK;
}
