/* The tree of a matrix of distances. */

#include <math.h>

#include "base/memory.h"
#include "base/noise.h"
#include "base/owned.h"
#include "linkage/linkage.h"
#include "place/place.h"
#include "tree/tree.h"

#define RESIDENT_MOST ((size_t)1 << 30)

/* ---- reading ----------------------------------------------------------------------------------- */

/* Infinity: the points are never joined. end: of the finite ones. */
static bool is_distance(double d, double end) { return d >= 0 && (d < end || isinf(d)); }

static bool refuse(linkage_checked *c, size_t row, size_t column, double value, char *message, size_t size) {
    snprintf(
        message, size, "row %zu, column %zu: %g is no distance%s", row + 1, column + 1, value,
        value > 0 ? ": in single precision they are below 3e+38, in double precision there is no limit" : "");
    c->refused = true;
    return false;
}

/* Reads rows of either type and refuses the first value off the diagonal that is no distance. */
#define READ_CHECKED(read, clear, end)                                                     \
    linkage_checked *c = user;                                                             \
    size_t n = c->source->n;                                                               \
    if (!c->source->read(c->source->user, first, count, out, message, size)) return false; \
    clear(out, n, first, count, NOISE_TOLERANCE);                                          \
    for (size_t i = first; i < (size_t)first + count; i++, out += n) {                     \
        size_t bad = 0;                                                                    \
        for (size_t j = 0; j < n; j++) bad += !is_distance((double)out[j], end);           \
        if (bad == !is_distance((double)out[i], end)) continue;                            \
        for (size_t j = 0; j < n; j++)                                                     \
            if (j != i && !is_distance((double)out[j], end))                               \
                return refuse(c, i, j, (double)out[j], message, size);                     \
    }                                                                                      \
    return true;

static bool read_checked(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    READ_CHECKED(reader, noise_clear, (double)DIST_NONE)
}

static bool read_checked_double(void *user, uint32_t first, uint32_t count, double *out, char *message,
                                size_t size){
    READ_CHECKED(double_reader, noise_clear_doubles, (double)INFINITY)}

dist_reader linkage_checked_reader(linkage_checked *c) {
    return (dist_reader){.read = read_checked,
                         .read_double = c->source->double_reader ? read_checked_double : NULL,
                         .user = c,
                         .n = (uint32_t)c->source->n,
                         .unit = 1};
}

/* ---- on the GPU -------------------------------------------------------------------------------- */

static glshape_status tree_on_gpu(gpu *g, const dist_reader *reader, linkage_tree *tree) {
    OWNED_BY(gpu_texture_free) gpu_texture matrix = {0};
    OWNED_BY(tree_forest_free) tree_forest f = {0};
    TRY(dist_upload_matrix(g, reader, NULL, "the distance matrix", NULL, &matrix));
    TRY(tree_mst_dense(g, &matrix, reader->n, false, &f));
    for (uint32_t k = 0; k < f.count; k++) {
        tree->i[k] = f.i[k];
        tree->j[k] = f.j[k];
        tree->height[k] = f.weight[k];
    }
    tree->count = f.count;
    run_fact(run_of(g), f.rounds, "rounds");
    return linkage_join_components(run_error(run_of(g)), tree);
}

/* ---- either ------------------------------------------------------------------------------------ */

/* Where the tree is found: by passes, to which the matrix goes whole, or as it is read. */
static glshape_status choose_place(gpu *g, const dist_reader *reader, glshape_keep keep, run_why *why) {
    uint32_t n = reader->n;
    *why = reader->read_double             ? RUN_NOT_LIMITS
           : keep == GLSHAPE_KEEP_RESIDENT ? RUN_FOR_OPTION
           : keep == GLSHAPE_KEEP_PAGED    ? RUN_NOT_OPTION
                                           : RUN_FOR_PASSES;
    if (*why != RUN_FOR_PASSES) return GLSHAPE_OK;
    TRY(place_choose(g, PLACE_MATRIX_TREE, n, true, 0, why));
    if (!run_why_device(*why)) return GLSHAPE_OK;
    size_t limit = gpu_memory_limit(g), needed = gpu_texture_bytes(g, GPU_RGBA32F, n, (n + 3) / 4);
    if (needed > RESIDENT_MOST || (limit && needed + 64 * (size_t)n > limit)) *why = RUN_NOT_ROOM;
    return GLSHAPE_OK;
}

/* The same, where the driver runs the programs rightly. */
static glshape_status choose_trusted_place(gpu *g, const dist_reader *reader, glshape_keep keep,
                                           run_why *why) {
    TRY(choose_place(g, reader, keep, why));
    if (run_why_device(*why)) TRY(gpu_need(g));
    return tree_trusts_dense(g, true, why);
}

/* Heights that are infinite join components. */
static size_t count_components(const linkage_tree *tree) {
    size_t components = 1;
    for (uint32_t k = 0; k < tree->count; k++) components += isinf(tree->height[k]) != 0;
    return components;
}

glshape_status linkage_matrix(gpu *g, const glshape_source *source, linkage_tree *tree, size_t *components) {
    linkage_checked c = {.source = source};
    dist_reader reader = linkage_checked_reader(&c);
    run_why why = RUN_NOT_BY_PASSES;
    if (source->n < 2) return GLSHAPE_OK;
    if (!run_ranks(run_of(g))->rank) TRY(choose_trusted_place(g, &reader, source->keep, &why));
    TRY(ranks_broadcast(run_ranks(run_of(g)), run_error(run_of(g)), &why, sizeof why));
    bool on_gpu = run_why_device(why);
    run_begin_stage(run_of(g), "tree", why);
    if (on_gpu && !ranks_go_alone(run_ranks(run_of(g)))) return GLSHAPE_OK;
    glshape_status status = on_gpu ? tree_on_gpu(g, &reader, tree) : linkage_stream(run_of(g), &reader, tree);
    if (!status) *components = count_components(tree);
    return status && c.refused ? GLSHAPE_BAD_INPUT : status;
}
