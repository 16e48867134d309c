/* Triangulation by stars, in wide passes. Every site finds its neighbors on its own, among the sites that
 * boxes show it; where all signs are certain, its star is closed, and right. The others are open: on the
 * hull, in crowds, on circles. What is left between open sites is a part of the triangulation of these alone,
 * which threads make (rest.c). */
#include <math.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "delaunay/mesh.h"
#include "delaunay/stars.h"
#include "place/place.h"
#include "prim/passes.h"

/* As in glsl/delaunay/counters.glsl and ring.glsl. */
#define LEAF_BITS 3u
#define FAN_BITS 2u
#define MOST 12u /* neighbors */

#define UNIT_BITS 56 /* coordinates are below 2^UNIT_BITS units */
#define FEW_LEVELS 16u
#define ALL_LEVELS 32u

void delaunay_stars_free(delaunay_stars *s) {
    gpu_texture *const all[] = {&s->bits,  &s->same,    &s->site,  &s->row,    &s->box,      &s->star,
                                &s->list,  &s->pending, &s->again, &s->open,   &s->seam,     &s->count,
                                &s->first, &s->face,    &s->more,  &s->vertex, &s->neighbor, &s->counters};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
}

glshape_status delaunay_is_wrong(delaunay_stars *s) {
    return fail(run_error(run_of(s->g)), GLSHAPE_GPU_ERROR,
                "the triangulation does not come out right: the driver of %s computes something wrong; take "
                "another device (--device)",
                gpu_renderer(s->g));
}

glshape_status delaunay_stars_count(delaunay_stars *s) {
    uint32_t *c = s->counted, n = s->points->n;
    TRY(gpu_download(s->g, &s->counters, 0, STARS_COUNTERS, c));
    bool right = c[STARS_COPIES] <= n && c[STARS_PENDING] <= n && c[STARS_OPEN] <= n &&
                 c[STARS_SEAMS] <= 6 * c[STARS_OPEN];
    return right ? GLSHAPE_OK : delaunay_is_wrong(s);
}

/* ---- order ------------------------------------------------------------------------------------- */

/* Sets the unit and the least coordinates. Returns how many bits coordinates above these have. */
static uint32_t choose_units(delaunay_stars *s) {
    const exact_points *p = s->points;
    double most = 0, span = 0;
    for (int c = 0; c < 2; c++) {
        most = fmax(most, fmax(fabs(p->least[c]), fabs(p->most[c])));
        span = fmax(span, p->most[c] - p->least[c]);
    }
    s->unit = most >= 1 ? ilogb(most) + 1 - UNIT_BITS : 0;
    if (s->unit < 0) s->unit = 0;
    for (int c = 0; c < 2; c++) s->least[c] = (int64_t)ldexp(p->least[c], -s->unit);
    return (uint32_t)ilogb(ldexp(span, -s->unit) + 1) + 1;
}

#define UNITS(s)                                                                                       \
    .points = &(s)->bits, .unit = (s)->unit, .least_x_low = (uint32_t)(s)->least[0],                   \
    .least_x_high = (uint32_t)((uint64_t)(s)->least[0] >> 32), .least_y_low = (uint32_t)(s)->least[1], \
    .least_y_high = (uint32_t)((uint64_t)(s)->least[1] >> 32)

typedef struct ordering {
    gpu_texture items[2];
    prim_radix_scratch scratch;
    uint32_t bits;
} ordering;

static void free_ordering(ordering *o) {
    for (int i = 0; i < 2; i++) gpu_texture_free(&o->items[i]);
    prim_radix_free(&o->scratch);
}

static glshape_status order_by(delaunay_stars *s, ordering *o, uint32_t levels) {
    gpu *g = s->g;
    uint32_t n = s->points->n, cut = o->bits > levels ? o->bits - levels : 0;
    TRY(gpu_run(g, prim_fill, .filled = &s->counters, .elements = STARS_COUNTERS));
    TRY(gpu_run(g, delaunay_keys, UNITS(s), .items = &o->items[0], .cut = cut, .levels = levels,
                .elements = n));
    TRY(prim_radix(g, &o->scratch, o->items, n, 0, 2 * levels));
    TRY(gpu_run(g, delaunay_sites, UNITS(s), .items = &o->items[0], .site = &s->site, .row = &s->row,
                .same = &s->same, .counters = &s->counters, .n = n, .groups = delaunay_groups(n)));
    return delaunay_stars_count(s);
}

/* The sites are ordered along a curve; if many of them share its cells, along a finer one. */
glshape_status delaunay_order_sites(delaunay_stars *s) {
    gpu *g = s->g;
    uint32_t n = s->points->n;
    OWNED_BY(free_ordering) ordering o = {.bits = choose_units(s)};
    TRY(gpu_texture_new(g, &s->bits, "points by row", GPU_RGBA32UI, n, 1));
    TRY(gpu_upload(g, &s->bits, 0, n, s->points->xy));
    TRY(gpu_texture_new(g, &s->same, "equal points", GPU_R32UI, n, 1));
    TRY(gpu_texture_new(g, &s->site, "sites", GPU_RGBA32UI, n, 1));
    TRY(gpu_texture_new(g, &s->row, "rows of sites", GPU_R32UI, n, 1));
    TRY(gpu_texture_new(g, &s->counters, "counters of stars", GPU_R32UI, STARS_COUNTERS, 1));
    for (int i = 0; i < 2; i++) TRY(gpu_texture_new(g, &o.items[i], "keys of points", GPU_RGBA32UI, n, 1));
    TRY(order_by(s, &o, FEW_LEVELS));
    bool crowds = o.bits > FEW_LEVELS && s->counted[STARS_ALIKE] > n / 16;
    return crowds ? order_by(s, &o, ALL_LEVELS) : GLSHAPE_OK;
}

/* ---- stars ------------------------------------------------------------------------------------- */

static uint32_t boxes_of(uint32_t n, uint32_t level) {
    uint64_t each = 1ull << (LEAF_BITS + FAN_BITS * level);
    return (uint32_t)((n + each - 1) / each);
}

static glshape_status make_boxes(delaunay_stars *s) {
    uint32_t n = s->points->n, all = 0, base = 0, below = 0, parts = n;
    for (uint32_t level = 0; !level || boxes_of(n, level - 1) > 1; level++) all += boxes_of(n, level);
    TRY(gpu_texture_new(s->g, &s->box, "boxes of sites", GPU_RGBA32UI, all, 2));
    for (uint32_t level = 0; base < all; level++) {
        uint32_t count = boxes_of(n, level);
        TRY(gpu_run(s->g, delaunay_boxes, .site = &s->site, .box = &s->box, .level = level, .count = count,
                    .base = base, .below = below, .parts = parts, .groups = delaunay_groups(count)));
        below = base;
        base += count;
        parts = count;
    }
    return GLSHAPE_OK;
}

/* Finds stars of listed sites, or gives them up. again: lists those that are to be looked at exactly. */
static glshape_status find_pending(delaunay_stars *s, bool exact, gpu_texture *pending, uint32_t count,
                                   gpu_texture *again, bool give_up) {
    return gpu_run(s->g, delaunay_stars, .EXACT = exact, .site = &s->site, .row = &s->row, .box = &s->box,
                   .pending = pending, .star = &s->star, .list = &s->list, .open = &s->open, .again = again,
                   .counters = &s->counters, .n = s->points->n, .unit = s->unit, .count = count,
                   .boxes = s->box.elements, .give_up = give_up, .groups = delaunay_groups(count));
}

#define UNCERTAIN_SHARE 1024u /* threads are done with so small a part while passes do the rest */

/* They are a few hundred of a million random points, and nearly all of a lattice. */
static glshape_status find_uncertain(delaunay_stars *s) {
    gpu *g = s->g;
    uint32_t count = s->counted[STARS_AGAIN];
    bool many = count > s->points->n / UNCERTAIN_SHARE && !place_is_little(g, PLACE_EXACT_SIGNS, count);
    bool exact = run_why_device(place_by_speed(g, many));
    if (!count) return GLSHAPE_OK;
    if (exact) TRY(delaunay_trusts_signs(g, &exact));
    run_fact(run_of(g), count, exact ? "sites looked at exactly" : "uncertain sites");
    TRY(find_pending(s, exact, &s->again, count, &s->pending, !exact));
    return delaunay_stars_count(s);
}

/* Programs that follow are loaded while the device works. */
glshape_status delaunay_find_stars(delaunay_stars *s) {
    gpu *g = s->g;
    uint32_t n = s->points->n;
    TRY(make_boxes(s));
    TRY(gpu_texture_new(g, &s->star, "stars", GPU_RG32UI, n, 1));
    TRY(gpu_texture_new(g, &s->list, "neighbors in stars", GPU_R32UI, MOST * n, 1));
    TRY(gpu_texture_new(g, &s->pending, "sites that tiles hand on", GPU_R32UI, n, 1));
    TRY(gpu_texture_new(g, &s->again, "uncertain sites", GPU_R32UI, n, 1));
    TRY(gpu_texture_new(g, &s->open, "open sites", GPU_R32UI, n, 1));
    TRY(gpu_run(g, delaunay_tiles, .site = &s->site, .box = &s->box, .star = &s->star, .list = &s->list,
                .pending = &s->pending, .counters = &s->counters, .n = n, .unit = s->unit,
                .groups = delaunay_groups(n)));
    gpu_load(g, delaunay_stars, .EXACT = 0);
    TRY(delaunay_stars_count(s));
    TRY(find_pending(s, false, &s->pending, s->counted[STARS_PENDING], &s->again, false));
    gpu_load(g, delaunay_faces, .FILL = 0);
    gpu_load(g, delaunay_faces, .FILL = 1);
    gpu_load(g, delaunay_triangles, .n = 0);
    gpu_load(g, delaunay_mates, .mask = 0);
    TRY(delaunay_stars_count(s));
    TRY(find_uncertain(s));
    gpu_texture *const done[] = {&s->box, &s->pending, &s->again};
    for (int i = 0; i < 3; i++) gpu_texture_free(done[i]);
    return GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

static void set_each(void *user, size_t first, size_t end) {
    for (uint32_t *same = user; first < end; first++) same[first] = (uint32_t)first;
}

/* Memory of the result gets its pages while the device works. Triangles are at most twice as many as sites.
 */
static glshape_status prepare(const delaunay_stars *s, const delaunay_textures *textures,
                              delaunay_triangulation *out) {
    error *err = run_error(run_of(s->g));
    size_t words = 6 * (size_t)out->distinct;
    if (textures && textures->alone) return GLSHAPE_OK;
    TRY(allocate(err, &out->same, out->n, sizeof *out->same, "equal points"));
    TRY(allocate(err, &out->vertex, words, sizeof *out->vertex, "the triangles"));
    TRY(allocate(err, &out->neighbor, words, sizeof *out->neighbor, "the neighbors of triangles"));
    threads_touch(out->vertex, words * sizeof *out->vertex);
    threads_touch(out->neighbor, words * sizeof *out->neighbor);
    if (out->distinct == out->n) threads_ranges(out->n, set_each, out->same);
    return GLSHAPE_OK;
}

/* Whether rows and triangles are named that there are, and Euler's formula holds. Those who go on with a
 * triangulation rely on the first. */
typedef struct checking {
    const delaunay_triangulation *t;
    atomic_bool wrong;
    atomic_uint hull; /* edges with no triangle across */
} checking;

static void check_same(void *user, size_t first, size_t end) {
    checking *c = user;
    const uint32_t *same = c->t->same;
    bool wrong = false;
    for (size_t i = first; i < end; i++) wrong |= same[i] > i || same[same[i]] != same[i];
    if (wrong) c->wrong = true;
}

static void check_triangles(void *user, size_t first, size_t end) {
    checking *c = user;
    const delaunay_triangulation *t = c->t;
    bool wrong = false;
    uint32_t hull = 0;
    for (size_t e = first; e < end; e++) {
        bool outer = t->neighbor[e] == GLSHAPE_NO_TRIANGLE;
        wrong |= t->vertex[e] >= t->n || (t->neighbor[e] >= t->count && !outer);
        hull += outer;
    }
    if (wrong) c->wrong = true;
    c->hull += hull;
}

static bool is_sound(const delaunay_triangulation *t) {
    checking c = {.t = t};
    if (t->distinct < t->n) threads_ranges(t->n, check_same, &c);
    threads_ranges(3 * (size_t)t->count, check_triangles, &c);
    return !c.wrong && (uint64_t)t->count + c.hull + 2 == 2 * (uint64_t)t->distinct;
}

static glshape_status take_arrays(delaunay_stars *s, delaunay_triangulation *out) {
    gpu *g = s->g;
    size_t words = 3 * (size_t)s->triangles;
    if (out->distinct < out->n) TRY(gpu_download(g, &s->same, 0, out->n, out->same));
    TRY(gpu_download(g, &s->vertex, 0, s->triangles, out->vertex));
    TRY(gpu_download(g, &s->neighbor, 0, s->triangles, out->neighbor));
    TRY(memory_resize(run_error(run_of(g)), &out->vertex, words, sizeof *out->vertex, "the triangles"));
    TRY(memory_resize(run_error(run_of(g)), &out->neighbor, words, sizeof *out->neighbor, "the neighbors"));
    return is_sound(out) ? GLSHAPE_OK : delaunay_is_wrong(s);
}

static glshape_status take(delaunay_stars *s, delaunay_triangulation *out, delaunay_textures *textures) {
    if (s->triangles > 2 * (uint64_t)out->distinct) return delaunay_is_wrong(s);
    out->count = s->triangles;
    if (!textures || !textures->alone) TRY(take_arrays(s, out));
    if (!textures) return GLSHAPE_OK;
    textures->points = MOVE(s->bits);
    textures->vertex = MOVE(s->vertex);
    textures->neighbor = MOVE(s->neighbor);
    return GLSHAPE_OK;
}

static glshape_status triangulate(delaunay_stars *s, delaunay_triangulation *out, delaunay_textures *textures,
                                  bool *done) {
    double since = wall_seconds();
    TRY(delaunay_order_sites(s));
    out->distinct = out->n - s->counted[STARS_COPIES];
    out->cost.seconds.order = clock_lap(&since);
    if (s->counted[STARS_CROWDED]) return GLSHAPE_OK;
    TRY(run_tick(run_of(s->g), 0.2));
    TRY(delaunay_find_stars(s));
    out->cost.open = s->counted[STARS_OPEN];
    if (out->cost.open > out->distinct / 2) return GLSHAPE_OK;
    TRY(run_tick(run_of(s->g), 0.6));
    TRY(delaunay_count_faces(s));
    TRY(prepare(s, textures, out));
    TRY(delaunay_join_rest(s, &out->cost));
    out->cost.seconds.merge = clock_lap(&since);
    TRY(run_tick(run_of(s->g), 0.8));
    TRY(delaunay_write_faces(s));
    TRY(take(s, out, textures));
    out->cost.seconds.collect = clock_lap(&since);
    *done = true;
    return GLSHAPE_OK;
}

void delaunay_expect(gpu *g, const void *none) {
    (void)none;
    gpu_soon(g, delaunay_stars, .EXACT = 0);
    gpu_soon(g, delaunay_tiles, .n = 0);
    gpu_soon(g, prim_radix_move, .n = 0);
    gpu_soon(g, prim_radix_count, .n = 0);
    gpu_soon(g, prim_scan, .n = 0);
    gpu_soon(g, prim_reduce_group, .n = 0);
    gpu_soon(g, prim_fill, .value = 0);
    gpu_soon(g, delaunay_keys, .elements = 0);
    gpu_soon(g, delaunay_sites, .n = 0);
    gpu_soon(g, delaunay_boxes, .level = 0);
    for (int fill = 0; fill < 2; fill++) {
        gpu_soon(g, delaunay_faces, .FILL = fill);
        gpu_soon(g, delaunay_more_faces, .FILL = fill);
    }
    gpu_soon(g, delaunay_triangles, .n = 0);
    gpu_soon(g, delaunay_mates, .mask = 0);
}

glshape_status delaunay_by_stars(gpu *g, const exact_points *points, delaunay_triangulation *out,
                                 delaunay_textures *textures, bool *done) {
    OWNED_BY(delaunay_stars_free) delaunay_stars s = {.g = g, .points = points};
    OWNED_BY(delaunay_triangulation_free) delaunay_triangulation t = {.n = points->n};
    *done = false;
    delaunay_expect(g, NULL);
    TRY(triangulate(&s, &t, textures, done));
    if (*done) *out = MOVE(t);
    else out->cost = t.cost;
    return GLSHAPE_OK;
}
