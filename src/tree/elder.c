/* The elder rule. */

#include "base/memory.h"
#include "base/owned.h"
#include "tree/tree.h"
#include "tree/union.h"

static bool older(const float *birth, uint32_t a, uint32_t b) {
    if (birth && birth[a] != birth[b]) return birth[a] < birth[b];
    return a < b;
}

/* Union–find in which the root of a set is its oldest vertex. */
glshape_status tree_elder(error *err, uint32_t n, const float *birth, size_t count, const uint32_t *i,
                          const uint32_t *j, uint32_t *dies) {
    OWNED uint32_t *parent = NULL;
    TRY(allocate(err, &parent, n, sizeof *parent, "components"));
    for (uint32_t v = 0; v < n; v++) parent[v] = v;
    for (size_t k = 0; k < count; k++) {
        uint32_t a = union_find(parent, i[k]), b = union_find(parent, j[k]);
        uint32_t elder = older(birth, a, b) ? a : b, younger = elder == a ? b : a;
        dies[k] = a == b ? TREE_NONE : younger;
        parent[younger] = elder;
    }
    return GLSHAPE_OK;
}
