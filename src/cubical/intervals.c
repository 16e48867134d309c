/* Pairs of vertices, and the intervals that they are. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "cubical/run.h"

#define BLOCK ((size_t)1 << 16) /* pairs that a thread takes at a time */

static uint32_t key_of(const cubical_run *run, uint32_t v) {
    return (uint32_t)(order_of(&run->order, v) >> 32);
}

/* Returns true if cubes of this vertex are never there: its value is infinite or beyond the threshold. */
static bool is_absent(const cubical_run *run, uint32_t v) {
    double value = order_value(&run->field, v), t = run->o.threshold.value;
    if (run->o.superlevel) return value == -INFINITY || (run->o.threshold.is_set && value < t);
    return value == INFINITY || (run->o.threshold.is_set && value > t);
}

static bool is_long(const cubical_run *run, uint32_t birth, uint32_t death) {
    const glshape_field *f = &run->field;
    double least = run->o.min_persistence;
    if (run->o.min_persistence_whole && order_is_whole(f))
        return order_gap(f, birth, death) >= run->o.min_persistence_whole;
    if (order_is_whole(f)) return least < 0x1p64 && order_gap(f, birth, death) >= ceil(least);
    return fabs(order_value(f, death) - order_value(f, birth)) >= least;
}

glshape_status cubical_add_pair(cubical_run *run, int dim, uint32_t birth, uint32_t death) {
    int sign = dim & 1 ? -1 : 1;
    if (run->balance) {
        run->balance[birth] = (int8_t)(run->balance[birth] - sign);
        if (death != GLSHAPE_NO_VERTEX) run->balance[death] = (int8_t)(run->balance[death] + sign);
    }
    if (!cubical_wants(run, dim) || is_absent(run, birth)) return GLSHAPE_OK;
    if (death != GLSHAPE_NO_VERTEX) {
        if (key_of(run, birth) == key_of(run, death)) return GLSHAPE_OK;
        if (is_absent(run, death)) death = GLSHAPE_NO_VERTEX;
        else if (!is_long(run, birth, death)) return GLSHAPE_OK;
    }
    size_t at = run->dims[dim].count++;
    TRY(memory_reserve(err_of(run), &run->dims[dim].pairs, &run->dims[dim].room, at + 1, sizeof(radix_item),
                       "the intervals"));
    run->dims[dim].pairs[at] = (radix_item){0, birth, death};
    return GLSHAPE_OK;
}

glshape_status cubical_add_side_pair(cubical_run *run, int dim, uint32_t early, uint32_t late) {
    uint32_t first = cubical_vertex_of(run, early), last = cubical_vertex_of(run, late);
    return run->side.reversed ? cubical_add_pair(run, run->given->dims - 1 - dim, last, first)
                              : cubical_add_pair(run, dim, first, last);
}

/* The pairs of a dimension on their way to the result. */
typedef struct listing {
    const cubical_run *run;
    radix_item *pairs;
    size_t count;
    int dim;
    glshape_cubical_interval *out;
} listing;

static size_t block_end(const listing *l, size_t block) {
    return l->count - block * BLOCK < BLOCK ? l->count : (block + 1) * BLOCK;
}

/* Makes each pair an item that is ordered by birth, then by death. */
static void order_block(void *user, size_t block) {
    const listing *l = user;
    for (size_t k = block * BLOCK; k < block_end(l, block); k++) {
        uint32_t birth = l->pairs[k].a, death = l->pairs[k].b;
        uint32_t key = death == GLSHAPE_NO_VERTEX ? UINT32_MAX : key_of(l->run, death);
        l->pairs[k] = (radix_item){order_of(&l->run->order, birth), key, death};
    }
}

static void list_block(void *user, size_t block) {
    const listing *l = user;
    const glshape_field *f = &l->run->field;
    for (size_t k = block * BLOCK; k < block_end(l, block); k++) {
        uint32_t birth = (uint32_t)l->pairs[k].at, death = l->pairs[k].b;
        l->out[k] =
            (glshape_cubical_interval){l->dim, birth, death, order_value(f, birth),
                                       death == GLSHAPE_NO_VERTEX ? (double)INFINITY : order_value(f, death)};
    }
}

/* Moves the pairs of a dimension to the result, by birth, then by death. */
static glshape_status list_dimension(cubical_run *run, int dim) {
    OWNED radix_item *spare = NULL;
    OWNED radix_item *pairs = MOVE(run->dims[dim].pairs);
    listing l = {run, pairs, run->dims[dim].count, dim, run->r->intervals + run->r->count};
    size_t blocks = (l.count + BLOCK - 1) / BLOCK;
    TRY(allocate(err_of(run), &spare, l.count, sizeof *spare, "the intervals"));
    threads_run(0, blocks, order_block, &l);
    radix_sort_all(pairs, spare, l.count);
    threads_run(0, blocks, list_block, &l);
    run->r->count += l.count;
    return GLSHAPE_OK;
}

glshape_status cubical_list_intervals(cubical_run *run) {
    glshape_cubical_result *r = run->r;
    size_t count = 0;
    for (int dim = 0; dim < CUBICAL_DIMS; dim++) count += run->dims[dim].count;
    TRY(allocate(err_of(run), &r->intervals, count, sizeof *r->intervals, "the intervals"));
    for (int dim = 0; dim < CUBICAL_DIMS; dim++) TRY(list_dimension(run, dim));
    return GLSHAPE_OK;
}

glshape_status cubical_add_component(cubical_run *run, uint32_t birth, uint32_t death) {
    int dims = run->given->dims;
    bool ends = death != GLSHAPE_NO_VERTEX, outside = cubical_vertex_of(run, birth) == GLSHAPE_NO_VERTEX;
    if (!run->side.reversed) return cubical_add_pair(run, 0, birth, death);
    if (!ends)
        return outside ? GLSHAPE_OK
                       : cubical_add_pair(run, dims, cubical_vertex_of(run, birth), GLSHAPE_NO_VERTEX);
    if (dims == 1) return GLSHAPE_OK; /* the field itself has these */
    uint32_t last = cubical_vertex_of(run, death);
    if (outside)
        return last == GLSHAPE_NO_VERTEX ? GLSHAPE_OK
                                         : cubical_add_pair(run, dims - 1, last, GLSHAPE_NO_VERTEX);
    return cubical_add_side_pair(run, 0, birth, death);
}
