#include "base/trees.h"

#include "base/memory.h"
#include "base/owned.h"

/* ---- linkage matrices -------------------------------------------------------------------------- */

/* Returns true if c is a cluster before row k that no row has joined yet. */
static bool is_free(const bool *joined, double c, size_t n, size_t k) {
    return c >= 0 && c < (double)(n + k) && (double)(size_t)c == c && !joined[(size_t)c];
}

static double size_of(const double *merges, size_t n, double c) {
    return c < (double)n ? 1 : merges[4 * ((size_t)c - n) + 3];
}

static glshape_status check_merge(error *err, const double *merges, size_t n, size_t k, bool *joined) {
    const double *row = merges + 4 * k;
    if (row[0] == row[1] || !is_free(joined, row[0], n, k) || !is_free(joined, row[1], n, k))
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "row %zu of the merges joins clusters %g and %g; it joins two of the %zu clusters before "
                    "it, and no cluster is joined twice",
                    k + 1, row[0], row[1], n + k);
    if (!(row[2] >= (k ? row[-2] : 0)))
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "row %zu of the merges has height %g; heights are at least 0, and ascend", k + 1, row[2]);
    if (row[3] != size_of(merges, n, row[0]) + size_of(merges, n, row[1]))
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "row %zu of the merges has size %g, which is not the sum of what it joins", k + 1,
                    row[3]);
    joined[(size_t)row[0]] = joined[(size_t)row[1]] = true;
    return GLSHAPE_OK;
}

glshape_status trees_check_merges(error *err, const double *merges, size_t n) {
    OWNED bool *joined = NULL;
    if (n > 1 && !merges) return fail(err, GLSHAPE_BAD_ARGUMENT, "there are no merges, but %zu points", n);
    TRY(allocate(err, &joined, n, 2 * sizeof *joined, "the clusters"));
    for (size_t k = 0; k + 1 < n; k++) TRY(check_merge(err, merges, n, k, joined));
    return GLSHAPE_OK;
}

/* ---- condensed trees --------------------------------------------------------------------------- */

static bool is_cluster(const glshape_hdbscan_result *r, size_t c) {
    return c >= r->n && c - r->n < r->tree_clusters;
}

static bool is_row(const glshape_hdbscan_result *r, const glshape_hdbscan_row *row) {
    return is_cluster(r, row->parent) && (row->child < r->n || is_cluster(r, row->child));
}

glshape_status trees_check_condensed(error *err, const glshape_hdbscan_result *r) {
    if (!r->rows || !r->tree || !r->tree_clusters)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "the result of hdbscan has no condensed tree");
    for (size_t k = 0; k < r->row_count; k++)
        if (!is_row(r, &r->rows[k]))
            return fail(err, GLSHAPE_BAD_ARGUMENT,
                        "row %zu of the condensed tree: %u leaves %u, and one of them is no cluster", k + 1,
                        r->rows[k].child, r->rows[k].parent);
    for (size_t c = 0; c < r->tree_clusters; c++)
        if (!is_cluster(r, r->tree[c].parent) || r->tree[c].parent - r->n > (c ? c - 1 : 0))
            return fail(err, GLSHAPE_BAD_ARGUMENT,
                        "cluster %zu of the condensed tree has the parent %u, which is no cluster before it",
                        r->n + c, r->tree[c].parent);
    return GLSHAPE_OK;
}
