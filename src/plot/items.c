#include "plot/items.h"

#include <math.h>

#include "plot/plot_passes.h"

/* v clamped to [lo, hi] (NaN to lo) and made an integer. */
static uint32_t clamped(double v, uint32_t lo, uint32_t hi) {
    return v >= hi ? hi : v > lo ? (uint32_t)v : lo;
}

item_cutter item_begin(const primitive *p, uint32_t rank, sample_region region) {
    const float s = PLOT_SAMPLES;
    primitive q = {p->x0 * s, p->y0 * s, p->x1 * s, p->y1 * s, p->radius * s, p->colour};
    /* One sample more each way than the shape covers: rounding must not lose one. */
    double margin = fmax(q.radius, 0) + 1;
    sample_region in = {clamped(floor(fmin(q.x0, q.x1) - margin), region.x0, region.x1),
                        clamped(floor(fmin(q.y0, q.y1) - margin), region.y0, region.y1),
                        clamped(ceil(fmax(q.x0, q.x1) + margin), region.x0, region.x1),
                        clamped(ceil(fmax(q.y0, q.y1) + margin), region.y0, region.y1)};
    return (item_cutter){q, rank, in, in.x0, in.y0};
}

/* Distance of (x,y) from the segment, squared. */
static double distance2(const primitive *p, double x, double y) {
    double dx = p->x1 - p->x0, dy = p->y1 - p->y0, length2 = dx * dx + dy * dy;
    double t = length2 > 0 ? ((x - p->x0) * dx + (y - p->y0) * dy) / length2 : 0;
    t = fmin(fmax(t, 0), 1);
    double ex = x - p->x0 - t * dx, ey = y - p->y0 - t * dy;
    return ex * ex + ey * ey;
}

/* False only if the shape surely has no sample in the cell. */
static bool may_meet(const item_cutter *c, sample_region cell) {
    if (c->shape.radius < 0) return true;
    double w = cell.x1 - cell.x0, h = cell.y1 - cell.y0;
    double reach = c->shape.radius + hypot(w, h) / 2 + 1;
    return distance2(&c->shape, cell.x0 + w / 2, cell.y0 + h / 2) <= reach * reach;
}

static sample_region take_cell(item_cutter *c) {
    const sample_region *in = &c->within;
    sample_region cell = {c->x, c->y, in->x1 - c->x < ITEM_SIDE ? in->x1 : c->x + ITEM_SIDE,
                          in->y1 - c->y < ITEM_SIDE ? in->y1 : c->y + ITEM_SIDE};
    c->x = cell.x1;
    if (c->x >= in->x1) c->x = in->x0, c->y = cell.y1;
    return cell;
}

bool item_next(item_cutter *c, item_box *box) {
    while (c->within.x0 < c->within.x1 && c->y < c->within.y1) {
        sample_region cell = take_cell(c);
        if (!may_meet(c, cell)) continue;
        *box =
            (item_box){c->rank, cell.x0 | cell.y0 << 16, (cell.x1 - cell.x0) | (cell.y1 - cell.y0) << 16, 0};
        return true;
    }
    return false;
}
