/* The index by passes, in the shape that order.c gives it. A sample of the points is cut first, and a larger
 * sample in the nodes of that, and so on; then each point goes down all these cuts to its bucket, and a group
 * of invocations cuts each bucket to its leaves, in shared memory. All of it is done in whole numbers and in
 * single precision: how well the halves are chosen is a matter of time alone, and boxes are those of the
 * coordinates to the bit. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "index/passes.h"
#include "place/place.h"
#include "prim/passes.h"

#define PER_BUCKET 768u /* points of a bucket, at most, if all are equal */
#define PER_SAMPLE 64u  /* points of a sample for each node that it cuts off */
#define LEVELS 4u       /* that a sample of a node is cut down */
#define MOST_DEPTH 22u  /* of buckets */
#define CHUNK 1024u

typedef struct builder {
    gpu *g;
    const index_source *s;
    spatial_index *x;
    gpu_texture values, cuts, items[2], order;
    prim_radix_scratch scratch;
    uint32_t depth; /* of the buckets */
} builder;

static void builder_free(builder *b) {
    gpu_texture *const all[] = {&b->values, &b->cuts, &b->items[0], &b->items[1], &b->order};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    prim_radix_free(&b->scratch);
}

static uint32_t groups_of(uint32_t n) { return (n - 1) / INDEX_LOCAL + 1; }

/* ---- values ------------------------------------------------------------------------------------ */

typedef struct filling {
    const index_source *s;
    uint32_t first, count;
    double *to;
} filling;

static glshape_status read_chunk(error *err, void *user, uint64_t chunk, void *row) {
    const filling *f = user;
    size_t columns = f->s->columns;
    for (uint32_t i = (uint32_t)chunk * CHUNK; i < f->count && i / CHUNK == chunk; i++) {
        TRY(f->s->reader(err, f->s, f->first + i, row));
        memcpy(f->to + i * columns, row, columns * sizeof(double));
    }
    return GLSHAPE_OK;
}

static glshape_status read_rows(gpu *g, void *user, uint32_t first, uint32_t count, void *to) {
    filling f = {user, first, count, to};
    threads_job work = {.work = read_chunk,
                        .user = &f,
                        .blocks = (count - 1) / CHUNK + 1,
                        .scratch_bytes = f.s->columns * sizeof(double),
                        .name = "a row"};
    return threads_do(run_error(run_of(g)), &work);
}

static glshape_status upload_values(builder *b) {
    const index_source *s = b->s;
    TRY(gpu_texture_new(b->g, &b->values, "values of points", s->floats ? GPU_R32UI : GPU_RG32UI, s->n,
                        s->columns));
    if (!s->floats && !s->doubles) return gpu_fill(b->g, &b->values, s->n, read_rows, (void *)s);
    return gpu_upload(b->g, &b->values, 0, s->n, s->floats ? (const void *)s->floats : s->doubles);
}

#define VALUES(b) .FLOATS = (b)->s->floats != NULL, .values = &(b)->values, .exponent = (b)->s->exponent

/* ---- order ------------------------------------------------------------------------------------- */

/* Sorts a sample of 2^parts points, or all, by the nodes `depth` levels below the root. Sets firsts of these.
 */
static glshape_status sort_points(builder *b, uint32_t depth, uint32_t parts, uint32_t count) {
    gpu *g = b->g;
    uint32_t buckets = 1u << depth;
    TRY(gpu_run(g, index_descend, VALUES(b), .cuts = &b->cuts, .items = &b->items[0], .of = b->s->n,
                .parts = parts, .all = count == b->s->n, .depth = depth, .count = count,
                .groups = groups_of(count)));
    if (depth) TRY(prim_radix(g, &b->scratch, b->items, count, 0, (depth + 7) / 8 * 8));
    return gpu_run(g, index_firsts, .items = &b->items[0], .firsts = &b->x->firsts, .count = count,
                   .buckets = buckets, .groups = groups_of(buckets + 2));
}

/* Cuts each bucket so many levels further: of a sample, or, at last, of all points. */
static glshape_status cut_buckets(builder *b, uint32_t buckets, uint32_t levels, bool last) {
    return gpu_run(b->g, index_cut, VALUES(b), .items = &b->items[0], .firsts = &b->x->firsts,
                   .cuts = &b->cuts, .order = &b->order, .columns = b->x->columns, .levels = levels,
                   .buckets = buckets, .last = last, .groups = buckets);
}

/* Cuts the nodes at a depth so many levels further, by a sample. */
static glshape_status cut_sample(builder *b, uint32_t depth, uint32_t levels) {
    uint64_t wanted = (uint64_t)PER_SAMPLE << (depth + levels);
    uint32_t count = wanted < b->s->n ? (uint32_t)wanted : b->s->n;
    TRY(sort_points(b, depth, (uint32_t)__builtin_ctz(PER_SAMPLE) + depth + levels, count));
    return cut_buckets(b, 1u << depth, levels, false);
}

glshape_status index_is_wrong(gpu *g) {
    return fail(run_error(run_of(g)), GLSHAPE_GPU_ERROR,
                "the index does not come out right: the driver of %s computes something wrong; take another "
                "device (--device)",
                gpu_renderer(g));
}

/* Brings where buckets begin, which the device may have computed wrongly. */
static glshape_status bring_firsts(builder *b) {
    spatial_index *x = b->x;
    TRY(gpu_download(b->g, &x->firsts, 0, x->buckets + 2, x->first));
    bool right = !x->first[0] && x->first[x->buckets] == x->n && x->first[x->buckets + 1] == x->n;
    for (uint32_t k = 0; k < x->buckets; k++) right = right && x->first[k] <= x->first[k + 1];
    return right ? GLSHAPE_OK : index_is_wrong(b->g);
}

static glshape_status order_points(builder *b) {
    gpu *g = b->g;
    spatial_index *x = b->x;
    TRY(gpu_texture_new(g, &b->cuts, "cuts of the index", GPU_RGBA32UI, x->buckets, 1));
    TRY(gpu_texture_new(g, &x->firsts, "the buckets of the index", GPU_R32UI, x->buckets + 2, 1));
    for (int i = 0; i < 2; i++)
        TRY(gpu_texture_new(g, &b->items[i], "points in buckets", GPU_RGBA32UI, x->n, 1));
    TRY(gpu_texture_new(g, &b->order, "the order of points", GPU_R32UI, x->n, 1));
    TRY(run_tick(run_of(g), 0));
    for (uint32_t depth = 0; depth < b->depth; depth += LEVELS)
        TRY(cut_sample(b, depth, b->depth - depth < LEVELS ? b->depth - depth : LEVELS));
    TRY(sort_points(b, b->depth, 0, x->n));
    TRY(bring_firsts(b));
    TRY(run_tick(run_of(g), 0));
    return cut_buckets(b, x->buckets, (uint32_t)__builtin_ctz(x->leaves / x->buckets), true);
}

/* ---- boxes ------------------------------------------------------------------------------------- */

static glshape_status make_boxes(builder *b) {
    gpu *g = b->g;
    spatial_index *x = b->x;
    for (int i = 0; i < 2; i++) gpu_texture_free(&b->items[i]);
    TRY(gpu_texture_new(g, &x->rows, "the points of the index", GPU_RGBA32UI, x->n, x->columns / 2 + 1));
    TRY(gpu_texture_new(g, &x->boxes, "the boxes of the index", GPU_RGBA32UI, 2 * x->leaves, x->columns));
    TRY(gpu_texture_new(g, &x->leasts, "the nodes of the index", GPU_R32UI, 2 * x->leaves, 1));
    TRY(gpu_run(g, index_rows, VALUES(b), .order = &b->order, .rows = &x->rows, .columns = x->columns,
                .count = x->n, .groups = groups_of(x->n)));
    TRY(gpu_run(g, index_leaves, .boxes = &x->boxes, .leasts = &x->leasts, .columns = x->columns,
                .first = x->leaves, .count = x->leaves, .rows = &x->rows, .firsts = &x->firsts,
                .each = x->leaves / x->buckets, .groups = groups_of(x->leaves)));
    for (uint32_t level = x->leaves / 2; level; level /= 2)
        TRY(gpu_run(g, index_nodes, .boxes = &x->boxes, .leasts = &x->leasts, .columns = x->columns,
                    .first = level, .count = level, .groups = groups_of(level)));
    return GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

/* What textures take while the index is made. */
static uint64_t most_bytes(const index_source *s) {
    uint64_t n = s->n, columns = s->columns;
    return n * ((s->floats ? 4 : 8) * columns + 32 + 8 + 16 * (columns / 2 + 1) + (16 * columns + 4) / 3);
}

glshape_status index_make_place(gpu *g, const index_source *s, run_why *why) {
    bool can = s->columns <= INDEX_PASS_COLUMNS && norm_is_whole(&s->norm);
    TRY(place_choose(g, PLACE_INDEX, s->n, can, most_bytes(s), why));
    /* Where the index is not for passes, searches through it may be. */
    bool measured = (run_why_device(*why) || *why == RUN_NOT_SMALL) && s->columns <= PLACE_INDEX_COLUMNS;
    if (measured) place_may_wait(g, PLACE_WORK_INDEX, s->columns * s->n * (1 + s->k / 10.0));
    else gpu_may_wait(g, false);
    bool without_doubles = s->k && index_near_size_of(&s->norm, s->k); /* other searches need them */
    if (run_why_device(*why) && !without_doubles && !gpu_may_be_exact(g)) *why = RUN_NOT_EXACT;
    return run_why_device(*why) ? index_make_trusted(g, s, why) : GLSHAPE_OK;
}

void index_expect(gpu *g, const void *source) {
    const index_source *s = source;
    const int floats = s->floats != NULL;
    gpu_soon(g, index_cut, .FLOATS = floats);
    gpu_soon(g, index_descend, .FLOATS = floats);
    gpu_soon(g, index_rows, .FLOATS = floats);
    gpu_soon(g, prim_radix_count, .n = 0);
    gpu_soon(g, prim_radix_move, .n = 0);
    gpu_soon(g, prim_scan, .n = 0);
    gpu_soon(g, prim_reduce_group, .n = 0);
    gpu_soon(g, index_firsts, .count = 0);
    gpu_soon(g, index_leaves, .count = 0);
    gpu_soon(g, index_nodes, .count = 0);
    if (s->k) index_expect_search(g, s);
}

glshape_status index_make_by_passes(gpu *g, const index_source *s, spatial_index *out) {
    OWNED_BY(index_free)
    spatial_index x = {.n = s->n, .columns = s->columns, .leaves = 1, .buckets = 1, .norm = s->norm};
    x.floats = s->floats != NULL;
    OWNED_BY(builder_free) builder b = {.g = g, .s = s, .x = &x};
    uint32_t per_bucket = s->per_bucket ? s->per_bucket : PER_BUCKET;
    for (; b.depth < MOST_DEPTH && s->n / x.buckets > per_bucket; b.depth++) x.buckets *= 2;
    while ((s->n - 1) / x.leaves >= INDEX_LEAF || x.leaves < x.buckets) x.leaves *= 2;
    TRY(allocate(run_error(run_of(g)), &x.first, x.buckets + 2, sizeof *x.first, "the buckets of the index"));
    index_expect(g, s);
    TRY(upload_values(&b));
    TRY(order_points(&b));
    TRY(make_boxes(&b));
    *out = MOVE(x);
    return GLSHAPE_OK;
}

glshape_status index_make(gpu *g, const index_source *s, run_why why, spatial_index *out) {
    glshape_status status = GLSHAPE_NO_GPU_MEMORY;
    if (run_why_device(why)) status = index_make_by_passes(g, s, out);
    if (status != GLSHAPE_NO_GPU_MEMORY) return status;
    return index_new(run_error(run_of(g)), s->n, s->columns, s->norm, s->reader, s, out);
}
