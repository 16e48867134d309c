#include "field/basins.h"

#include "base/memory.h"
#include "base/owned.h"
#include "field/passes.h"
#include "prim/passes.h"

#define MOST_AROUND 26u
#define STEPS 64u /* of a run of field/compress: no path has more steps than the field has vertices */

static glshape_status clear_counters(gpu *g, basins *b) {
    return gpu_upload(g, &b->state, 0, 2, (uint32_t[2]){0});
}

/* Sets the first n elements to "none". */
static glshape_status fill_with_none(gpu *g, gpu_texture *t, uint32_t n) {
    return gpu_run(g, prim_fill, .filled = t, .value = UINT32_MAX, .elements = n);
}

/* More than there can be is a count that no memory is to be made for. */
static glshape_status check_count(run *r, const char *what, uint32_t count, uint64_t most) {
    if (count <= most) return GLSHAPE_OK;
    return fail(run_error(r), GLSHAPE_GPU_ERROR,
                "%u %s of a field that has at most %llu: this driver counts wrong", count, what,
                (unsigned long long)most);
}

/* Points each vertex of a graph to its lowest neighbor and numbers the minima. least is working space. */
static glshape_status point_links(gpu *g, basins *b, gpu_texture *least) {
    grid_field *f = b->field;
    uint32_t groups = field_groups(f->link_count);
    TRY(gpu_texture_new(g, least, "least keys of neighbors", GPU_R32UI, b->n, 1));
    TRY(fill_with_none(g, least, b->n));
    TRY(fill_with_none(g, &b->basin, b->n));
    TRY(gpu_run(g, field_least, .links = &f->links, .key = &f->key, .least = least, .count = f->link_count,
                .groups = groups));
    TRY(gpu_run(g, field_lowest, .links = &f->links, .key = &f->key, .least = least, .basin = &b->basin,
                .count = f->link_count, .groups = groups));
    return gpu_run(g, field_number, .basin = &b->basin, .state = &b->state, .n = b->n,
                   .groups = field_groups(b->n));
}

/* Points each vertex of a grid to its lowest neighbor, numbers the minima and lists the candidates for
 * saddles. Runs the pass again if there are more candidates than room for them. */
static glshape_status point_grid(gpu *g, basins *b) {
    const uint32_t *extent = b->field->grid.extent;
    uint32_t planes = b->field->hi - b->field->lo, room = b->n / 16 + 1024;
    uint32_t columns = extent[0] * ((extent[1] - 1) / FIELD_RUN + 1) * planes;
    for (int pass = 0; pass == 0 || b->candidate_count > room; pass++) {
        if (pass == 2)
            return fail(run_error(run_of(g)), GLSHAPE_GPU_ERROR,
                        "one pass found %u candidates for saddles, the next one %u: this driver counts wrong",
                        room, b->candidate_count);
        if (pass) room = b->candidate_count;
        gpu_texture_free(&b->candidates);
        TRY(gpu_texture_new(g, &b->candidates, "candidates for saddles", GPU_R32UI, room, 1));
        TRY(clear_counters(g, b));
        TRY(gpu_run(g, field_steepest, GRID_OF(b->field), .key = &b->field->key, .basin = &b->basin,
                    .candidates = &b->candidates, .state = &b->state, .order_start = b->field->order_start,
                    .lo = b->field->lo, .hi = b->field->hi, .room = room, .groups = field_groups(columns)));
        TRY(gpu_download(g, &b->state, 1, 1, &b->candidate_count));
        TRY(check_count(run_of(g), "candidates for saddles", b->candidate_count, b->n));
    }
    return GLSHAPE_OK;
}

static glshape_status find_minima(gpu *g, basins *b) {
    OWNED_BY(gpu_texture_free) gpu_texture least = {0};
    TRY(clear_counters(g, b));
    TRY(b->field->links.id ? point_links(g, b, &least) : point_grid(g, b));
    gpu_texture_free(&least); /* before more is made */
    TRY(gpu_download(g, &b->state, 0, 1, &b->minima));
    TRY(check_count(run_of(g), "minima", b->minima, b->n));
    return gpu_texture_new(g, &b->minimum, "minima", GPU_R32UI, b->minima, 1);
}

/* Marks the vertices of the planes beside a slab: paths that arrive there go on outside. */
static glshape_status mark_beside(gpu *g, basins *b) {
    OWNED uint32_t *marks = NULL;
    const grid_field *f = b->field;
    uint32_t plane = f->grid.extent[0] * f->grid.extent[1];
    if (f->lo == 0 && f->hi == f->grid.extent[2]) return GLSHAPE_OK;
    TRY(allocate(run_error(run_of(g)), &marks, plane, 2 * sizeof *marks, "marks of planes"));
    for (uint32_t k = 0; k < 2 * plane; k++) marks[k] = BASINS_ARRIVED | BASINS_OUTSIDE | k;
    if (f->lo) TRY(gpu_upload(g, &b->basin, 0, plane, marks));
    if (f->hi < f->grid.extent[2]) TRY(gpu_upload(g, &b->basin, f->hi * plane, plane, marks + plane));
    return GLSHAPE_OK;
}

glshape_status basins_compress(gpu *g, basins *b, bool begin, bool *end) {
    uint32_t left;
    TRY(clear_counters(g, b));
    TRY(gpu_run(g, field_compress, .basin = &b->basin, .minimum = &b->minimum, .state = &b->state, .n = b->n,
                .begin = begin, .groups = field_groups(b->n)));
    TRY(gpu_download(g, &b->state, 1, 1, &left));
    *end = !left;
    return GLSHAPE_OK;
}

static glshape_status find_basins(gpu *g, basins *b) {
    bool end = false;
    if (!b->field->links.id) TRY(mark_beside(g, b));
    for (uint32_t run = 0; !end && run < b->n / STEPS + 2; run++) TRY(basins_compress(g, b, !run, &end));
    return end ? GLSHAPE_OK : fail(run_error(run_of(g)), GLSHAPE_GPU_ERROR, "ways down a field do not end");
}

static glshape_status link_saddles(gpu *g, basins *b, uint32_t room) {
    grid_field *f = b->field;
    return gpu_run(g, field_link_saddles, .links = &f->links, .key = &f->key, .basin = &b->basin,
                   .edges = &b->edges, .state = &b->state, .count = f->link_count, .room = room,
                   .groups = field_groups(f->link_count));
}

static glshape_status grid_saddles(gpu *g, basins *b, uint32_t room) {
    return gpu_run(g, field_saddles, GRID_OF(b->field), .key = &b->field->key, .basin = &b->basin,
                   .candidates = &b->candidates, .edges = &b->edges, .state = &b->state,
                   .order_start = b->field->order_start, .count = b->candidate_count, .room = room,
                   .groups = field_groups(b->candidate_count));
}

/* Lists the edges between basins; b->edge_count also counts those beyond room. */
static glshape_status find_saddles(gpu *g, basins *b, uint32_t room) {
    TRY(clear_counters(g, b));
    TRY(gpu_texture_new(g, &b->edges, "edges between basins", GPU_RGBA32UI, room, 1));
    TRY(b->field->links.id ? link_saddles(g, b, room) : grid_saddles(g, b, room));
    TRY(gpu_download(g, &b->state, 0, 1, &b->edge_count));
    uint64_t most = b->field->links.id ? b->field->link_count : (uint64_t)MOST_AROUND * b->n;
    return check_count(run_of(g), "edges between basins", b->edge_count, most);
}

glshape_status basins_begin(gpu *g, grid_field *f, basins *out) {
    *out = (basins){.field = f, .n = f->n};
    TRY(gpu_texture_new(g, &out->basin, "basins", GPU_R32UI, f->n, 1));
    TRY(gpu_texture_new(g, &out->state, "counters of basins", GPU_R32UI, 2, 1));
    TRY(find_minima(g, out));
    return find_basins(g, out);
}

glshape_status basins_minima(gpu *g, basins *b, uint32_t **minimum) {
    OWNED uint32_t *all = NULL;
    const grid_field *f = b->field;
    *minimum = NULL;
    TRY(allocate(run_error(run_of(g)), &all, b->minima, sizeof *all, "the minima"));
    if (b->minima) TRY(gpu_download(g, &b->minimum, 0, b->minima, all));
    for (uint32_t m = 0; f->offset && m < b->minima; m++) all[m] = grid_vertex(f, all[m]);
    *minimum = MOVE(all);
    return GLSHAPE_OK;
}

glshape_status basins_edges(gpu *g, basins *b) {
    uint32_t room = b->n / 16 + 1024;
    TRY(find_saddles(g, b, room));
    if (b->edge_count > room) {
        gpu_texture_free(&b->edges);
        TRY(find_saddles(g, b, b->edge_count));
    }
    gpu_texture_free(&b->candidates);
    return GLSHAPE_OK;
}

/* Turns the edges that the GPU has, (vertex, key, two numbers), into items, in place. */
static void unpack_edges(const grid_field *f, size_t count, radix_item *items) {
    const uint32_t *words = (const uint32_t *)(const void *)items;
    _Static_assert(sizeof *items == 4 * sizeof *words, "an edge is a texel");
    for (size_t k = 0; k < count; k++) {
        uint64_t at = (uint64_t)words[4 * k + 1] << 32 | grid_vertex(f, words[4 * k]);
        uint32_t a = words[4 * k + 2], b = words[4 * k + 3];
        items[k] = (radix_item){at, a, b};
    }
}

glshape_status basins_fetch(gpu *g, basins *b, radix_item **edges) {
    OWNED radix_item *all = NULL;
    *edges = NULL;
    TRY(allocate(run_error(run_of(g)), &all, b->edge_count, sizeof *all, "the edges between basins"));
    if (b->edge_count) TRY(gpu_download(g, &b->edges, 0, b->edge_count, all));
    gpu_texture_free(&b->edges);
    unpack_edges(b->field, b->edge_count, all);
    *edges = MOVE(all);
    return GLSHAPE_OK;
}

void basins_free(basins *b) {
    gpu_texture *const all[] = {&b->basin,  &b->candidates, &b->minimum, &b->edges, &b->state,
                                &b->branch, &b->name,       &b->span,    &b->items};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    *b = (basins){0};
}
