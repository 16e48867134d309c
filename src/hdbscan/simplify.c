/* The condensed tree without clusters of little persistence (glshape_hdbscan_options.persistence).
 *
 * A cluster persists from the lambda at which its parent splits to the greatest lambda of a point in it or
 * below it. From the last split to the first: where one of the two does not persist long enough, the split is
 * undone, and both are their parent. Then the one that persists longer goes on as the parent, if it splits
 * itself; the points of the other one leave where the split was.
 *
 * Two clusters of a split are beside one another in r->tree, behind the root, parents before their children.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "hdbscan/hdbscan.h"

typedef struct simplifier {
    glshape_hdbscan_result *r;
    double *deepest; /* of each cluster: the greatest lambda in it and below */
    double *leaves;  /* where its points leave; -1: where they did */
    uint32_t *place; /* the cluster that it becomes, by its entry; then by its new one */
    bool *splits;
} simplifier;

static void simplifier_free(simplifier *s) {
    free(s->deepest);
    free(s->leaves);
    free(s->place);
    free(s->splits);
}

static void undo_split(simplifier *s, uint32_t first) {
    uint32_t up = (uint32_t)(s->r->tree[first].parent - s->r->n);
    uint32_t longer = s->deepest[first] <= s->deepest[first + 1] ? first + 1 : first;
    double birth = s->r->tree[first].birth, least = fmin(s->deepest[first], s->deepest[first + 1]);
    s->deepest[up] = fmax(s->deepest[up], s->deepest[longer]);
    if (least - birth >= s->r->options.persistence) {
        s->splits[up] = true;
        return;
    }
    s->splits[up] = s->splits[longer];
    if (s->splits[longer]) s->leaves[first + first + 1 - longer] = birth;
    s->place[first] = s->place[first + 1] = up;
}

/* Numbers the clusters that stay, in order, and moves them to their entries. */
static void keep_clusters(simplifier *s) {
    glshape_hdbscan_result *r = s->r;
    uint32_t kept = 0;
    for (uint32_t c = 0; c < r->tree_clusters; c++) {
        if (s->place[c] != c) {
            s->place[c] = s->place[s->place[c]];
            continue;
        }
        glshape_hdbscan_cluster own = r->tree[c];
        own.parent = (uint32_t)r->n + s->place[own.parent - r->n];
        own.death = own.birth, own.stability = 0;
        s->place[c] = kept;
        r->tree[kept++] = own;
    }
    r->tree_clusters = kept;
}

/* stays: of clusters by their old entries. */
static void keep_rows(simplifier *s, const bool *stays) {
    glshape_hdbscan_result *r = s->r;
    size_t kept = 0;
    for (size_t k = 0; k < r->row_count; k++) {
        glshape_hdbscan_row row = r->rows[k];
        size_t up = row.parent - r->n;
        if (row.child >= r->n && !stays[row.child - r->n]) continue;
        if (row.child >= r->n) row.child = (uint32_t)r->n + s->place[row.child - r->n];
        if (s->leaves[up] >= 0) row.lambda = s->leaves[up];
        row.parent = (uint32_t)r->n + s->place[up];
        glshape_hdbscan_cluster *of = &r->tree[row.parent - r->n];
        of->death = fmax(of->death, row.lambda);
        if (row.lambda > of->birth) of->stability += (row.lambda - of->birth) * row.size;
        r->rows[kept++] = row;
    }
    r->row_count = kept;
}

glshape_status hdbscan_simplify(error *err, glshape_hdbscan_result *r) {
    OWNED_BY(simplifier_free) simplifier s = {.r = r};
    OWNED bool *stays = NULL;
    size_t count = r->tree_clusters;
    TRY(allocate(err, &s.deepest, count, sizeof *s.deepest, "the clusters"));
    TRY(allocate(err, &s.leaves, count, sizeof *s.leaves, "the clusters"));
    TRY(allocate(err, &s.place, count, sizeof *s.place, "the clusters"));
    TRY(allocate(err, &s.splits, count, sizeof *s.splits, "the clusters"));
    TRY(allocate(err, &stays, count, sizeof *stays, "the clusters"));
    for (uint32_t c = 0; c < count; c++) s.deepest[c] = r->tree[c].death, s.leaves[c] = -1, s.place[c] = c;
    for (size_t c = count; c > 2; c -= 2) undo_split(&s, (uint32_t)c - 2);
    for (uint32_t c = 0; c < count; c++) stays[c] = s.place[c] == c;
    keep_clusters(&s);
    keep_rows(&s, stays);
    return GLSHAPE_OK;
}
