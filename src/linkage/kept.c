/* The way from a tree of points to the linkage matrix: on the device, where the tree is kept there, or by the
 * processors. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "linkage/linkage.h"
#include "place/place.h"

#define CHUNK 65536u

typedef struct parting {
    const spatial_index *x;
    uint8_t *part;
} parting;

static void set_part(void *user, size_t chunk) {
    const parting *p = user;
    for (uint32_t v = (uint32_t)chunk * CHUNK; v < p->x->n && v / CHUNK == chunk; v++)
        p->part[p->x->point[v]] = (uint8_t)((uint64_t)v * TREE_PARTS / p->x->n);
}

#define MANY 100000u /* points that are worth parts */

/* Points that are near each other in the order of the index are of one part. */
glshape_status linkage_set_parts(error *err, const spatial_index *x, linkage_tree *tree) {
    if (x->n < MANY) return GLSHAPE_OK;
    TRY(allocate(err, &tree->part, x->n, sizeof *tree->part, "parts of the tree"));
    threads_run(0, x->n / CHUNK + 1, set_part, &(parting){x, tree->part});
    return GLSHAPE_OK;
}

/* ---- on the device ------------------------------------------------------------------------------ */

#define MOST_EXPONENT 1000 /* 2^exponent is a double, and not denormal */

bool linkage_has_scale(const knn_points *p, tree_scale *scale) {
    int exponent = -ilogb(p->scale);
    *scale = (tree_scale){p->norm.power == 2, 1};
    if (dist_metric_is_angular(p->metric) || p->norm.power > 2 || abs(exponent) > MOST_EXPONENT) return false;
    scale->factor = ldexp(1, exponent);
    return true;
}

static glshape_status new_rows(error *err, uint32_t n, double **merges, uint32_t **edges) {
    TRY(memory_resize(err, merges, n - 1, 4 * sizeof **merges, "the linkage matrix"));
    return edges ? memory_resize(err, edges, n - 1, 2 * sizeof **edges, "the spanning tree") : GLSHAPE_OK;
}

glshape_status linkage_expect_rows(error *err, linkage_tree *t, double **merges, uint32_t **edges) {
    TRY(new_rows(err, t->n, merges, edges));
    const threads_block blocks[THREADS_BLOCKS] = {
        {*merges, (t->n - (size_t)1) * 4 * sizeof **merges},
        {edges ? *edges : NULL, edges ? (t->n - (size_t)1) * 2 * sizeof **edges : 0}};
    if (t->n >= MANY) t->kept.touching = threads_touch_aside(blocks);
    return GLSHAPE_OK;
}

double linkage_patience(const knn_points *p) {
    return p->search == GLSHAPE_SEARCH_AUTO ? PLACE_TREE_TURNS : 0;
}

/* Brings the tree from the device, for the processors to go on with. */
static glshape_status bring_tree(gpu *g, knn_points *p, linkage_tree *tree) {
    TRY(tree_kept_bring(g, &tree->kept, &(tree_edges){tree->i, tree->j, tree->height}));
    tree_kept_free(&tree->kept);
    TRY(index_bring(g, &p->space));
    TRY(linkage_set_parts(run_error(run_of(g)), &p->space, tree));
    knn_distances(p, tree->height, tree->count);
    return GLSHAPE_OK;
}

glshape_status linkage_keep(gpu *g, knn_points *p, linkage_tree *tree) {
    run_why why;
    tree->count = p->n - 1;
    if (!linkage_has_scale(p, &tree->scale)) return bring_tree(g, p, tree);
    TRY(tree_dendrogram_place(g, p->n, tree->scale.root, &why));
    return run_why_device(why) ? GLSHAPE_OK : bring_tree(g, p, tree);
}

/* Brings the tree from the device, which has not the memory for the dendrogram. */
static glshape_status bring_heights(gpu *g, linkage_tree *t) {
    TRY(tree_kept_bring(g, &t->kept, &(tree_edges){t->i, t->j, t->height}));
    for (uint32_t k = 0; k < t->count; k++)
        t->height[k] = (t->scale.root ? sqrt(t->height[k]) : t->height[k]) * t->scale.factor;
    return GLSHAPE_OK;
}

glshape_status linkage_rows(gpu *g, linkage_tree *t, double **merges, uint32_t **edges) {
    glshape_status status = GLSHAPE_NO_GPU_MEMORY;
    bool kept = t->kept.edges.id;
    run_begin_stage(run_of(g), "dendrogram", kept ? gpu_why_passes(g) : RUN_NOT_BY_PASSES);
    if (!*merges) TRY(new_rows(run_error(run_of(g)), t->n, merges, edges));
    uint32_t *ends = edges ? *edges : NULL;
    if (kept) status = tree_dendrogram_kept(g, &t->kept, &t->scale, *merges, ends, t->merges);
    threads_touched(&t->kept.touching);
    if (status != GLSHAPE_NO_GPU_MEMORY) return status;
    if (kept) TRY(bring_heights(g, t));
    return tree_dendrogram(run_error(run_of(g)), t->n, t->i, t->j, t->height, t->part, *merges, ends);
}
