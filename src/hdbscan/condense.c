/* The condensed tree: the single-linkage tree from the root down, in which a cluster splits only where both
 * sides have min_cluster_size points; a smaller side's points fall out of the cluster.
 *
 * Merges at distance 0 (more exactly: those whose 1 / distance is not finite) are no splits: points at the
 * same place stay together, and leave a cluster at lambda = INFINITY. */
#include <math.h>

#include "base/memory.h"
#include "base/owned.h"
#include "hdbscan/hdbscan.h"

/* A node of the single-linkage tree on its way down, and the cluster that it belongs to. */
typedef struct visit {
    uint32_t node, cluster;
} visit;

typedef struct condenser {
    glshape_hdbscan_result *r;
    size_t least; /* min_cluster_size */
    size_t row_room, cluster_room;
    visit *queue; /* room for n */
    size_t queued;
    uint32_t *stack; /* room for n */
} condenser;

static const double *merge_of(const condenser *c, uint32_t node) {
    return c->r->merges + 4 * (size_t)(node - c->r->n);
}

static uint32_t size_of(const condenser *c, uint32_t node) {
    return node < c->r->n ? 1 : (uint32_t)merge_of(c, node)[3];
}

#define AHEAD 4u /* nodes of the queue whose halves are fetched before they are needed */

static void fetch(const condenser *c, uint32_t node) {
    if (node >= c->r->n) __builtin_prefetch(merge_of(c, node));
}

static void fetch_halves(const condenser *c, uint32_t node) {
    fetch(c, (uint32_t)merge_of(c, node)[0]);
    fetch(c, (uint32_t)merge_of(c, node)[1]);
}

static void push(condenser *c, visit v) {
    c->queue[c->queued++] = v;
    fetch(c, v.node);
}

static glshape_status add_row(error *err, condenser *c, glshape_hdbscan_row row) {
    glshape_hdbscan_result *r = c->r;
    glshape_hdbscan_cluster *parent = &r->tree[row.parent - r->n];
    TRY(memory_reserve(err, &r->rows, &c->row_room, r->row_count + 1, sizeof *r->rows, "the condensed tree"));
    r->rows[r->row_count++] = row;
    if (row.lambda > parent->death) parent->death = row.lambda;
    return GLSHAPE_OK;
}

static glshape_status add_cluster(error *err, condenser *c, uint32_t parent, uint32_t size, double birth,
                                  double distance) {
    glshape_hdbscan_result *r = c->r;
    TRY(memory_reserve(err, &r->tree, &c->cluster_room, r->tree_clusters + 1, sizeof *r->tree, "clusters"));
    r->tree[r->tree_clusters++] = (glshape_hdbscan_cluster){
        .parent = parent, .size = size, .label = -1, .birth = birth, .death = birth, .distance = distance};
    return GLSHAPE_OK;
}

/* All points of node fall out of the cluster. */
static glshape_status drop_points(error *err, condenser *c, uint32_t node, uint32_t cluster, double lambda) {
    size_t depth = 0;
    c->stack[depth++] = node;
    while (depth) {
        uint32_t at = c->stack[--depth];
        if (at < c->r->n) {
            TRY(add_row(err, c, (glshape_hdbscan_row){cluster, at, 1, lambda}));
        } else {
            c->stack[depth++] = (uint32_t)merge_of(c, at)[1];
            c->stack[depth++] = (uint32_t)merge_of(c, at)[0];
        }
    }
    return GLSHAPE_OK;
}

/* Node is a cluster of its own from here on. */
static glshape_status split_off(error *err, condenser *c, uint32_t node, uint32_t parent, double distance) {
    uint32_t own = (uint32_t)(c->r->n + c->r->tree_clusters), size = size_of(c, node);
    TRY(add_cluster(err, c, parent, size, 1 / distance, distance));
    TRY(add_row(err, c, (glshape_hdbscan_row){parent, own, size, 1 / distance}));
    push(c, (visit){node, own});
    return GLSHAPE_OK;
}

/* Undoes the merge that made v.node. The stability of the cluster grows by what leaves it here, at once: so
 * it does not depend on which side comes first. */
static glshape_status undo_merge(error *err, condenser *c, visit v) {
    const double *merge = merge_of(c, v.node);
    double lambda = 1 / merge[2];
    bool splits = isfinite(lambda);
    uint32_t leave = 0;
    for (int side = 0; side < 2; side++) splits = splits && size_of(c, (uint32_t)merge[side]) >= c->least;
    for (int side = 0; side < 2; side++) {
        uint32_t node = (uint32_t)merge[side], size = size_of(c, node);
        bool falls = size < c->least || !isfinite(lambda);
        if (splits) TRY(split_off(err, c, node, v.cluster, merge[2]));
        else if (falls) TRY(drop_points(err, c, node, v.cluster, lambda));
        else push(c, (visit){node, v.cluster});
        if (splits || falls) leave += size;
    }
    glshape_hdbscan_cluster *cluster = &c->r->tree[v.cluster - c->r->n];
    if (leave) cluster->stability += (lambda - cluster->birth) * leave;
    return GLSHAPE_OK;
}

glshape_status hdbscan_condense(error *err, glshape_hdbscan_result *r) {
    OWNED visit *queue = NULL;
    OWNED uint32_t *stack = NULL;
    TRY(allocate(err, &queue, r->n, sizeof *queue, "the condensed tree"));
    TRY(allocate(err, &stack, r->n, sizeof *stack, "the condensed tree"));
    condenser c = {.r = r, .least = (size_t)r->options.min_cluster_size, .queue = queue, .stack = stack};
    uint32_t root = (uint32_t)r->n;
    TRY(add_cluster(err, &c, root, root, 0, r->merges[4 * (r->n - 1) - 2]));
    TRY(memory_reserve(err, &r->rows, &c.row_room, r->n, sizeof *r->rows, "the condensed tree"));
    push(&c, (visit){(uint32_t)(2 * r->n - 2), root});
    for (size_t at = 0; at < c.queued; at++) {
        if (at + AHEAD < c.queued) fetch_halves(&c, c.queue[at + AHEAD].node);
        TRY(undo_merge(err, &c, c.queue[at]));
    }
    return GLSHAPE_OK;
}
