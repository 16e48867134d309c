/* The condensed tree: the single-linkage tree from the root down, in which a cluster splits only where both
 * sides have min_cluster_size points; a smaller side's points fall out of the cluster.
 *
 * Merges at distance 0 (more exactly: those whose 1 / distance is not finite) are no splits: points at the
 * same place stay together, and leave a cluster at lambda = INFINITY.
 *
 * A merge is large if it is the last one, or has min_cluster_size points and is below no merge at distance 0.
 * A point leaves where the lowest large merge above it is undone. Each large merge is the one at which some
 * points of its cluster leave, so it adds one term to the cluster's stability.
 *
 * The passes of clusters_by_passes.c make the same. So what is in no other order goes by merges, from the
 * last to the first: clusters, two for each split; rows, points that leave at the same merge by index; and
 * terms, which are summed as hdbscan_sum does. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "hdbscan/hdbscan.h"

#define ENDS 0x80000000u

typedef struct condenser {
    glshape_hdbscan_result *r;
    uint32_t *holder;  /* of each node, points before merges: the lowest large merge that it is in, or is */
    uint32_t *cluster; /* of each large merge: the entry of r->tree */
    uint32_t *leaving; /* of each large merge: points that leave where it is undone; ENDS: its cluster ends */
    size_t *start;     /* of each merge, from the last: its first row; of each cluster: its first term, or one
                          behind the last that is there */
    double *term;
} condenser;

static void condenser_free(condenser *c) {
    free(c->holder);
    free(c->cluster);
    free(c->leaving);
    free(c->start);
    free(c->term);
}

static const double *merge_of(const condenser *c, uint32_t rank) { return c->r->merges + 4 * (size_t)rank; }

static uint32_t size_of(const condenser *c, uint32_t node) {
    return node < c->r->n ? 1 : (uint32_t)merge_of(c, node - (uint32_t)c->r->n)[3];
}

static double lambda_of(const condenser *c, uint32_t rank) { return 1 / merge_of(c, rank)[2]; }

/* Whether the node stays together where the merge above it is undone. */
static bool stays(const condenser *c, uint32_t node, double lambda) {
    return isfinite(lambda) && size_of(c, node) >= (size_t)c->r->options.min_cluster_size;
}

/* ---- clusters ---------------------------------------------------------------------------------- */

static void add_cluster(condenser *c, uint32_t parent, uint32_t size, double birth, double distance) {
    c->r->tree[c->r->tree_clusters++] = (glshape_hdbscan_cluster){
        .parent = parent, .size = size, .label = -1, .birth = birth, .death = birth, .distance = distance};
}

/* Undoes a merge: what stays together gets its cluster, all else this merge. Returns how many clusters it
 * splits into, two or none. */
static uint32_t undo_merge(condenser *c, uint32_t rank) {
    uint32_t n = (uint32_t)c->r->n, own = n + rank, at = c->holder[own], next = (uint32_t)c->r->tree_clusters;
    double lambda = lambda_of(c, rank);
    uint32_t node[2], staying = 0, left = size_of(c, own) | ENDS;
    for (int side = 0; side < 2; side++) {
        node[side] = (uint32_t)merge_of(c, rank)[side];
        bool so = at == rank && stays(c, node[side], lambda);
        c->holder[node[side]] = so ? node[side] - n : at;
        if (so) c->cluster[node[side] - n] = c->cluster[rank], staying++;
    }
    if (staying == 1) left = size_of(c, node[c->holder[node[0]] == node[0] - n]);
    c->leaving[rank] = left;
    if (staying < 2) return 0;
    for (int side = 0; side < 2; side++) c->cluster[node[side] - n] = next + (uint32_t)side;
    return 2;
}

/* Finds the cluster of each large merge, and makes the clusters. */
static glshape_status find_clusters(error *err, condenser *c) {
    glshape_hdbscan_result *r = c->r;
    uint32_t n = (uint32_t)r->n, last = n - 2;
    size_t room = 0;
    TRY(memory_reserve(err, &r->tree, &room, 1, sizeof *r->tree, "clusters"));
    add_cluster(c, n, n, 0, merge_of(c, last)[2]);
    c->holder[n + last] = last;
    for (uint32_t rank = n - 1; rank-- > 0;) {
        if (!undo_merge(c, rank)) continue;
        TRY(memory_reserve(err, &r->tree, &room, r->tree_clusters + 2, sizeof *r->tree, "clusters"));
        const double *merge = merge_of(c, rank);
        for (int side = 0; side < 2; side++)
            add_cluster(c, n + c->cluster[rank], size_of(c, (uint32_t)merge[side]), 1 / merge[2], merge[2]);
    }
    return GLSHAPE_OK;
}

/* ---- stabilities ------------------------------------------------------------------------------- */

#define TOGETHER 64u /* terms; also in glsl/hdbscan/sum.glsl */

double hdbscan_sum(size_t count, double *term) {
    for (size_t stride = 1; stride < count; stride *= TOGETHER)
        for (size_t first = 0; first < count; first += TOGETHER * stride)
            for (size_t k = 1; k < TOGETHER && first + k * stride < count; k++)
                term[first] += term[first + k * stride];
    return term[0];
}

static bool is_large(const condenser *c, uint32_t rank) { return c->holder[c->r->n + rank] == rank; }

/* Sets stabilities and deaths. start: room for one more than there are clusters, zeros. */
static void sum_terms(condenser *c) {
    glshape_hdbscan_result *r = c->r;
    uint32_t last = (uint32_t)r->n - 2;
    for (uint32_t rank = 0; rank <= last; rank++)
        if (is_large(c, rank)) c->start[c->cluster[rank] + 1]++;
    for (size_t k = 0; k < r->tree_clusters; k++) c->start[k + 1] += c->start[k];
    for (uint32_t rank = last + 1; rank-- > 0;) {
        if (!is_large(c, rank)) continue;
        glshape_hdbscan_cluster *of = &r->tree[c->cluster[rank]];
        uint32_t count = c->leaving[rank] & ~ENDS;
        double lambda = lambda_of(c, rank);
        c->term[c->start[c->cluster[rank]]++] = (lambda - of->birth) * count;
        if (c->leaving[rank] & ENDS) of->death = lambda;
    }
    for (size_t k = 0, first = 0; k < r->tree_clusters; first = c->start[k++])
        r->tree[k].stability = hdbscan_sum(c->start[k] - first, c->term + first);
}

/* ---- rows -------------------------------------------------------------------------------------- */

/* The rows of points and of clusters that leave at each merge; start: room for a number of each merge. */
static glshape_status make_rows(error *err, condenser *c) {
    glshape_hdbscan_result *r = c->r;
    uint32_t n = (uint32_t)r->n;
    size_t at = 0;
    r->row_count = n + r->tree_clusters - 1;
    TRY(memory_resize(err, &r->rows, r->row_count, sizeof *r->rows, "the condensed tree"));
    for (uint32_t rank = 0; rank + 1 < n; rank++) c->start[rank] = 0;
    for (uint32_t v = 0; v < n; v++) c->start[c->holder[v]]++;
    for (uint32_t rank = n - 1, next = 1; rank-- > 0;) {
        size_t count = c->start[rank];
        c->start[rank] = at;
        at += count;
        if (count || !is_large(c, rank)) continue; /* points leave: it is no split */
        for (int side = 0; side < 2; side++, next++)
            r->rows[at++] = (glshape_hdbscan_row){n + c->cluster[rank], n + next, r->tree[next].size,
                                                  r->tree[next].birth};
    }
    for (uint32_t v = 0; v < n; v++) {
        uint32_t rank = c->holder[v];
        r->rows[c->start[rank]++] = (glshape_hdbscan_row){n + c->cluster[rank], v, 1, lambda_of(c, rank)};
    }
    return GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

glshape_status hdbscan_condense(error *err, glshape_hdbscan_result *r) {
    OWNED_BY(condenser_free) condenser c = {.r = r};
    TRY(allocate(err, &c.holder, 2 * r->n, sizeof *c.holder, "the condensed tree"));
    TRY(allocate(err, &c.cluster, r->n, sizeof *c.cluster, "the condensed tree"));
    TRY(allocate(err, &c.leaving, r->n, sizeof *c.leaving, "the condensed tree"));
    TRY(allocate(err, &c.start, r->n + 1, sizeof *c.start, "the condensed tree"));
    TRY(allocate(err, &c.term, r->n, sizeof *c.term, "the condensed tree"));
    TRY(find_clusters(err, &c));
    sum_terms(&c);
    return make_rows(err, &c);
}
