/* The elder rule for the critical edges of a grid, on the CPU. */
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "cubical/listing.h"
#include "prim/sort.h"
#include "tree/union.h"

/* Edges between basins on their way to items that are sorted. */
typedef struct ordering {
    const order *order;
    const listing_join *joins;
    const radix_item *left;
    radix_item *items;
} ordering;

static void order_joins(void *user, size_t first, size_t end) {
    const ordering *o = user;
    for (size_t k = first; k < end; k++)
        o->items[k] =
            (radix_item){order_of(o->order, (uint32_t)o->left[o->joins[k].left].at), (uint32_t)k, 0};
}

/* Lists the edges between basins in their order: joins[items[k].a]. */
static glshape_status sort_joins(gpu *g, const ordering *o, size_t count, radix_item **items) {
    error *err = run_error(run_of(g));
    if (count >= UINT32_MAX)
        return fail(err, GLSHAPE_NO_MEMORY, "%zu edges between basins are more than can be numbered", count);
    TRY(allocate(err, items, count, sizeof **items, "the edges between basins"));
    ordering all = *o;
    all.items = *items;
    threads_ranges(count, order_joins, &all);
    return prim_sort(g, true, *items, count, 64);
}

#define AHEAD 16 /* edges whose components are asked for before they are needed */

glshape_status listing_apply_elder_rule(gpu *g, const order *o, const listing_join *joins, size_t count,
                                        cubical_edges *e) {
    OWNED radix_item *items = NULL;
    OWNED uint32_t *sets = NULL;
    OWNED uint64_t *birth = NULL;
    error *err = run_error(run_of(g));
    TRY(sort_joins(g, &(ordering){.order = o, .joins = joins, .left = e->left}, count, &items));
    TRY(allocate(err, &sets, e->minima, sizeof *sets, "the components"));
    TRY(allocate(err, &birth, e->minima, sizeof *birth, "the components"));
    TRY(allocate(err, &e->death, e->minima, sizeof *e->death, "the components"));
    for (uint32_t m = 0; m < e->minima; m++) {
        sets[m] = m;
        birth[m] = order_of(o, e->birth[m]);
        e->death[m] = GLSHAPE_NO_VERTEX;
    }
    for (size_t k = 0; k < count; k++) {
        const listing_join *j = &joins[items[k].a];
        if (k + 2 * AHEAD < count) __builtin_prefetch(&joins[items[k + 2 * AHEAD].a]);
        if (k + AHEAD < count)
            for (int side = 0; side < 2; side++)
                __builtin_prefetch(&sets[joins[items[k + AHEAD].a].basin[side]]);
        uint32_t x = union_find(sets, j->basin[0]), y = union_find(sets, j->basin[1]);
        if (x == y) continue;
        uint32_t younger = birth[x] < birth[y] ? y : x;
        sets[younger] = x ^ y ^ younger;
        e->death[younger] = (uint32_t)items[k].at;
        e->left[j->left].a &= ~(1u << j->direction);
    }
    return GLSHAPE_OK;
}
