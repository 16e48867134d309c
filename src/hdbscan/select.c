/* Which clusters of the condensed tree are chosen. */
#include <math.h>

#include "base/memory.h"
#include "base/owned.h"
#include "hdbscan/hdbscan.h"

/* The root's parent is the root. */
static size_t parent_of(const glshape_hdbscan_result *r, size_t c) { return r->tree[c].parent - r->n; }

/* Excess of mass (Campello et al. 2015, algorithm 3): from the leaves up, a cluster is chosen in place of
 * those below it unless these are more stable together. best: room for a number of each cluster. */
static void choose_stable(const glshape_hdbscan_result *r, double *best, bool *chosen) {
    for (size_t c = 0; c < r->tree_clusters; c++) best[c] = 0;
    for (size_t c = r->tree_clusters; c-- > 0;) {
        const glshape_hdbscan_cluster *own = &r->tree[c];
        bool allowed = (c || r->options.allow_single_cluster) && own->size <= r->options.max_cluster_size &&
                       !(r->tree[c].distance > r->options.max_epsilon);
        chosen[c] = allowed && !(best[c] > own->stability);
        if (chosen[c]) best[c] = own->stability;
        if (c) best[parent_of(r, c)] += best[c];
    }
}

static void choose_leaves(const glshape_hdbscan_result *r, bool *chosen) {
    for (size_t c = 0; c < r->tree_clusters; c++) chosen[c] = true;
    for (size_t c = 1; c < r->tree_clusters; c++) chosen[parent_of(r, c)] = false;
    if (!r->options.allow_single_cluster) chosen[0] = false;
}

/* Of nested clusters only the outermost stays chosen. Parents come before their children. covered: room for a
 * flag of each cluster. */
static void drop_nested(const glshape_hdbscan_result *r, bool *covered, bool *chosen) {
    for (size_t c = 0; c < r->tree_clusters; c++) {
        covered[c] = c && (covered[parent_of(r, c)] || chosen[parent_of(r, c)]);
        if (covered[c]) chosen[c] = false;
    }
}

/* Joins chosen clusters that split below epsilon (Malzer, Baum 2020). The place of a cluster that forms below
 * epsilon takes the first around it that does not; the root only if it may be chosen. No chosen cluster is in
 * another. place: room for a number of each cluster; a parent's is known before its children's. */
static void join_near(const glshape_hdbscan_result *r, size_t *place, bool *chosen) {
    place[0] = 0;
    for (size_t c = 1; c < r->tree_clusters; c++) {
        size_t up = parent_of(r, c);
        bool near = r->tree[c].distance < r->options.epsilon && (up || r->options.allow_single_cluster);
        place[c] = near ? place[up] : c;
        if (!chosen[c]) continue;
        chosen[c] = false;
        chosen[place[c]] = true;
    }
}

glshape_status hdbscan_select(error *err, const glshape_hdbscan_result *r, bool *chosen) {
    OWNED double *best = NULL;
    OWNED bool *covered = NULL;
    OWNED size_t *place = NULL;
    TRY(allocate(err, &best, r->tree_clusters, sizeof *best, "stabilities"));
    TRY(allocate(err, &covered, r->tree_clusters, sizeof *covered, "the clusters"));
    TRY(allocate(err, &place, r->tree_clusters, sizeof *place, "the clusters"));
    if (r->options.selection == GLSHAPE_HDBSCAN_LEAF) choose_leaves(r, chosen);
    else choose_stable(r, best, chosen);
    drop_nested(r, covered, chosen);
    if (r->options.epsilon > 0) {
        join_near(r, place, chosen);
        drop_nested(r, covered, chosen);
    }
    return GLSHAPE_OK;
}
