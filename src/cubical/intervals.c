/* Pairs of vertices, and the intervals that they are. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "cubical/run.h"
#include "place/place.h"
#include "prim/sort.h"

#define BLOCK ((size_t)1 << 16) /* pairs that a thread takes at a time */

static uint32_t key_of(const cubical_run *run, uint32_t v) {
    return (uint32_t)(order_of(&run->order, v) >> 32);
}

/* Returns true if an integer of 64 bits is beyond the threshold. */
static bool is_whole_absent(const cubical_run *run, uint32_t v) {
    if (run->beyond != CUBICAL_SOME) return run->beyond == CUBICAL_ALL;
    uint64_t value = whole_key(&run->field, v);
    return run->o.superlevel ? value < run->last_key : value > run->last_key;
}

/* Returns true if cubes of this vertex are never there: its value is infinite or beyond the threshold. */
static bool is_absent(const cubical_run *run, uint32_t v) {
    if (whole_is(&run->field)) return is_whole_absent(run, v);
    double value = order_value(&run->field, v), t = run->o.threshold.value;
    if (run->o.superlevel) return value == -INFINITY || (run->o.threshold.is_set && value < t);
    return value == INFINITY || (run->o.threshold.is_set && value > t);
}

static bool is_long(const cubical_run *run, uint32_t birth, uint32_t death) {
    const glshape_field *f = &run->field;
    double least = run->o.min_persistence;
    if (run->o.min_persistence_whole && whole_is(f))
        return whole_gap(f, birth, death) >= run->o.min_persistence_whole;
    if (whole_is(f)) return least < 0x1p64 && whole_gap(f, birth, death) >= ceil(least);
    return order_reaches(f, fabs(order_value(f, death) - order_value(f, birth)), least);
}

/* Whether the pair is an interval that the caller asked for; it ends never then if its end is absent. */
static bool is_wanted(const cubical_run *run, radix_item *pair) {
    uint32_t birth = (uint32_t)pair->at;
    if (is_absent(run, birth)) return false;
    if (pair->b == GLSHAPE_NO_VERTEX) return true;
    if (pair->at >> 32 == pair->a) return false;
    if (!is_absent(run, pair->b)) return is_long(run, birth, pair->b);
    *pair = (radix_item){pair->at, UINT32_MAX, GLSHAPE_NO_VERTEX};
    return true;
}

glshape_status cubical_add_pair(cubical_run *run, int dim, uint32_t birth, uint32_t death) {
    int sign = dim & 1 ? -1 : 1;
    bool ends = death != GLSHAPE_NO_VERTEX;
    if (run->balance) {
        run->balance[birth] = (int8_t)(run->balance[birth] - sign);
        if (ends) run->balance[death] = (int8_t)(run->balance[death] + sign);
    }
    radix_item pair = {order_of(&run->order, birth), ends ? key_of(run, death) : UINT32_MAX, death};
    if (!cubical_wants(run, dim) || !is_wanted(run, &pair)) return GLSHAPE_OK;
    TRY(cubical_bring(run, dim));
    size_t at = run->dims[dim].count++;
    TRY(memory_reserve(err_of(run), &run->dims[dim].pairs, &run->dims[dim].room, at + 1, sizeof(radix_item),
                       "the intervals"));
    run->dims[dim].pairs[at] = pair;
    run->dims[dim].are_sorted = false;
    return GLSHAPE_OK;
}

/* Pairs of which those wanted are picked. */
typedef struct picking {
    const cubical_run *run;
    radix_item *pairs;
    size_t count;
    bool all;       /* that are not of one value */
    size_t *picked; /* of each block: how many */
} picking;

static void pick_block(void *user, size_t block) {
    const picking *p = user;
    size_t first = block * BLOCK, end = p->count - first < BLOCK ? p->count : first + BLOCK, kept = first;
    for (size_t k = first; k < end; k++) {
        radix_item pair = p->pairs[k];
        bool never = pair.b == GLSHAPE_NO_VERTEX, wanted = never || pair.at >> 32 != pair.a;
        if (!p->all) wanted = is_wanted(p->run, &pair);
        p->pairs[kept] = pair;
        kept += wanted;
    }
    p->picked[block] = kept - first;
}

bool cubical_wants_all(const cubical_run *run) {
    const glshape_cubical_options *o = &run->o;
    return run->beyond == CUBICAL_NONE && !(o->min_persistence > 0) && !o->min_persistence_whole &&
           isfinite(run->r->least) && isfinite(run->r->greatest);
}

/* Picks the pairs wanted, and closes the gaps. */
static glshape_status pick_pairs(const cubical_run *run, radix_item *pairs, size_t first, size_t *count) {
    OWNED size_t *picked = NULL;
    size_t blocks = (*count + BLOCK - 1) / BLOCK, kept = 0;
    TRY(allocate(err_of(run), &picked, blocks, sizeof *picked, "the intervals"));
    threads_run(0, blocks, pick_block,
                &(picking){run, pairs + first, *count, cubical_wants_all(run), picked});
    for (size_t k = 0; k < blocks; kept += picked[k++])
        if (kept != first + k * BLOCK)
            memmove(pairs + kept, pairs + first + k * BLOCK, picked[k] * sizeof *pairs);
    *count = kept;
    return GLSHAPE_OK;
}

glshape_status cubical_add_pairs(cubical_run *run, int dim, radix_item *pairs, size_t first, size_t count,
                                 bool picked) {
    OWNED radix_item *all = pairs;
    if (run->balance || run->dims[dim].count) {
        for (size_t k = first; k < first + count; k++)
            TRY(cubical_add_pair(run, dim, (uint32_t)all[k].at, all[k].b));
        return GLSHAPE_OK;
    }
    if (!cubical_wants(run, dim)) return GLSHAPE_OK;
    if (!picked || !cubical_wants_all(run)) TRY(pick_pairs(run, all, first, &count));
    free(run->dims[dim].pairs);
    run->dims[dim].room = first + count;
    run->dims[dim].pairs = MOVE(all);
    run->dims[dim].count = count;
    return GLSHAPE_OK;
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

static bool is_after(const radix_item *x, const radix_item *y) {
    return x->a != y->a ? x->a > y->a : x->b > y->b;
}

/* Sorts a run of pairs of one birth: few have more than one or two. */
static void sort_run(radix_item *p, size_t first, size_t end) {
    for (size_t i = first + 1; i < end; i++) {
        radix_item own = p[i];
        size_t to = i;
        for (; to > first && is_after(&p[to - 1], &own); to--) p[to] = p[to - 1];
        p[to] = own;
    }
}

static glshape_cubical_interval interval_of(const listing *l, const radix_item *p) {
    const order *o = &l->run->order;
    bool ends = p->b != GLSHAPE_NO_VERTEX;
    double death = ends ? order_value_of(o, (uint64_t)p->a << 32 | p->b) : (double)INFINITY;
    return (glshape_cubical_interval){l->dim, (uint32_t)p->at, p->b, order_value_of(o, p->at), death};
}

/* Lists the pairs of the births that begin in the block, those of one birth by death. */
static void list_block(void *user, size_t block) {
    const listing *l = user;
    radix_item *p = l->pairs;
    size_t k = block * BLOCK, last = block_end(l, block);
    while (k && k < last && p[k].at == p[k - 1].at) k++; /* the block before lists them */
    for (size_t end; k < last; k = end) {
        for (end = k + 1; end < l->count && p[end].at == p[k].at;) end++;
        if (end > k + 1) sort_run(p, k, end);
        for (size_t i = k; i < end; i++) l->out[i] = interval_of(l, &p[i]);
    }
}

/* By birth; by threads, then by death, too. */
static glshape_status sort_pairs(const cubical_run *run, radix_item *pairs, size_t count) {
    OWNED radix_item *spare = NULL;
    if (prim_is_long(run->g, count)) return prim_sort(run->g, true, pairs, count, 64);
    TRY(allocate(err_of(run), &spare, count, sizeof *spare, "the intervals"));
    radix_sort_all(pairs, spare, count);
    return GLSHAPE_OK;
}

/* Moves the pairs of a dimension to the result, by birth, then by death. */
static glshape_status list_dimension(cubical_run *run, int dim) {
    TRY(cubical_list_kept(run, dim, run->r->intervals + run->r->count));
    OWNED radix_item *pairs = MOVE(run->dims[dim].pairs);
    listing l = {run, pairs, run->dims[dim].count, dim, run->r->intervals + run->r->count};
    size_t blocks = pairs ? (l.count + BLOCK - 1) / BLOCK : 0;
    if (blocks && !run->dims[dim].are_sorted) TRY(sort_pairs(run, pairs, l.count));
    threads_run(0, blocks, list_block, &l);
    run->r->count += l.count;
    return GLSHAPE_OK;
}

/* Passes make those of a dimension whose pairs are still on the device. */
static run_why rows_place(const cubical_run *run) {
    for (int dim = 0; dim < CUBICAL_DIMS; dim++)
        if (run->dims[dim].kept.id) return gpu_why_passes(run->g);
    return run_why_device(run->rows) ? RUN_NOT_BY_PASSES : run->rows;
}

glshape_status cubical_list_intervals(cubical_run *run) {
    glshape_cubical_result *r = run->r;
    size_t count = 0;
    for (int dim = 0; dim < CUBICAL_DIMS; dim++) count += run->dims[dim].count;
    run_begin_stage(run_of(run->g), "intervals", rows_place(run));
    TRY(allocate(err_of(run), &r->intervals, count, sizeof *r->intervals, "the intervals"));
    for (int dim = 0; dim < CUBICAL_DIMS; dim++) TRY(list_dimension(run, dim));
    return GLSHAPE_OK;
}

/* ---- many pairs --------------------------------------------------------------------------------- */

/* Classes on their way to the pairs of a dimension. */
typedef struct adding {
    cubical_run *run;
    const cubical_ends *ends;
    bool of_side, turned; /* vertices are those of the side; what is born there dies in the field */
    bool counts;          /* squares that cubes end */
    radix_item *pairs;
} adding;

/* A pair that has no length stands for what is added in another way. */
static radix_item nothing(const cubical_run *run) {
    uint64_t at = order_of(&run->order, 0);
    return (radix_item){at, (uint32_t)(at >> 32), 0};
}

static void add_range(void *user, size_t first, size_t end) {
    const adding *a = user;
    const cubical_run *run = a->run;
    for (size_t k = first; k < end; k++) {
        uint32_t birth = a->ends->birth[k * a->ends->step], death = a->ends->death[k * a->ends->step];
        bool ends = death != GLSHAPE_NO_VERTEX;
        if (a->of_side) birth = cubical_vertex_of(run, birth);
        if (a->of_side && ends) death = cubical_vertex_of(run, death);
        a->pairs[k] = nothing(run);
        if (birth == GLSHAPE_NO_VERTEX || (a->turned && !ends)) continue;
        if (a->counts && ends) cubical_count_ended(a->run, death);
        uint32_t early = a->turned ? death : birth, late = a->turned ? birth : death;
        a->pairs[k] = (radix_item){order_of(&run->order, early), ends ? key_of(run, late) : UINT32_MAX, late};
    }
}

/* Adds them all but for those of the side that have no vertex in the field, and, if they are turned, those
 * that never end. */
static glshape_status add_all(cubical_run *run, int dim, adding a) {
    OWNED radix_item *pairs = NULL;
    TRY(allocate(err_of(run), &pairs, a.ends->count, sizeof *pairs, "the intervals"));
    a.run = run;
    a.pairs = pairs;
    threads_ranges(a.ends->count, add_range, &a);
    return cubical_add_pairs(run, dim, MOVE(pairs), 0, a.ends->count, false);
}

glshape_status cubical_add_components(cubical_run *run, const cubical_ends *ends) {
    TRY(cubical_need_ended(run));
    return add_all(run, 0, (adding){.ends = ends, .counts = run->counts_ended});
}

/* Adds a component of a reversed side that is the outside, or never ends. */
static glshape_status add_outside(cubical_run *run, uint32_t birth, uint32_t death) {
    int dims = run->given->dims;
    uint32_t first = cubical_vertex_of(run, birth);
    if (death == GLSHAPE_NO_VERTEX)
        return first == GLSHAPE_NO_VERTEX ? GLSHAPE_OK : cubical_add_pair(run, dims, first, death);
    uint32_t last = cubical_vertex_of(run, death);
    return last == GLSHAPE_NO_VERTEX ? GLSHAPE_OK : cubical_add_pair(run, dims - 1, last, GLSHAPE_NO_VERTEX);
}

glshape_status cubical_add_side_components(cubical_run *run, const cubical_ends *ends) {
    const adding upright = {.ends = ends, .of_side = true};
    /* The squares that end columns are those of the other side: of vertices, which are not reversed there. */
    bool counts = run->counts_ended && run->o.construction == GLSHAPE_CUBICAL_VERTICES;
    const adding reversed = {.ends = ends, .of_side = true, .turned = true, .counts = counts};
    int dims = run->given->dims;
    if (counts) TRY(cubical_need_ended(run));
    if (!run->side.reversed) return add_all(run, 0, upright);
    if (dims > 1) TRY(add_all(run, dims - 1, reversed)); /* of one, the field itself has these */
    for (size_t k = 0; k < ends->count; k++) {
        uint32_t birth = ends->birth[k * ends->step], death = ends->death[k * ends->step];
        bool outside = cubical_vertex_of(run, birth) == GLSHAPE_NO_VERTEX;
        if (death == GLSHAPE_NO_VERTEX || (outside && dims > 1)) TRY(add_outside(run, birth, death));
    }
    return GLSHAPE_OK;
}

/* Pairs as the device has them on their way to those of a dimension, in their place. */
typedef struct turning {
    cubical_run *run;
    radix_item *pairs;
    bool counts;
    atomic_uint outside;   /* classes that are the outside, or never end */
    atomic_bool wrong;     /* a pair is of no vertex, or ends before it begins */
    uint32_t (*others)[2]; /* births and deaths of these */
} turning;

static bool is_wrong(const radix_item *p, uint32_t vertices) {
    bool ends = p->b != GLSHAPE_NO_VERTEX;
    return (uint32_t)p->at >= vertices ||
           (ends && (p->b >= vertices || ((uint64_t)p->a << 32 | p->b) < p->at));
}

static void look_at_range(void *user, size_t first, size_t end) {
    turning *t = user;
    uint32_t vertices = (uint32_t)t->run->r->n;
    for (size_t k = first; k < end; k++) {
        if (is_wrong(&t->pairs[k], vertices)) atomic_store(&t->wrong, true);
        else if (t->counts && t->pairs[k].b != GLSHAPE_NO_VERTEX) cubical_count_ended(t->run, t->pairs[k].b);
    }
}

static void turn_range(void *user, size_t first, size_t end) {
    turning *t = user;
    const cubical_run *run = t->run;
    for (size_t k = first; k < end; k++) {
        radix_item side = t->pairs[k];
        bool ends = side.b != GLSHAPE_NO_VERTEX, wrong = is_wrong(&side, run->side.n);
        uint32_t birth = cubical_vertex_of(run, (uint32_t)side.at), death = 0;
        if (ends && birth != GLSHAPE_NO_VERTEX) death = cubical_vertex_of(run, side.b);
        t->pairs[k] = nothing(run);
        if (wrong || death == GLSHAPE_NO_VERTEX) {
            atomic_store(&t->wrong, true);
            continue;
        }
        if (!ends || birth == GLSHAPE_NO_VERTEX) {
            uint32_t at = atomic_fetch_add(&t->outside, 1);
            if (at < CUBICAL_OTHERS) t->others[at][0] = (uint32_t)side.at, t->others[at][1] = side.b;
            continue;
        }
        if (t->counts) cubical_count_ended(t->run, death);
        t->pairs[k] = (radix_item){(uint64_t)cubical_key_of(run, side.a) << 32 | death,
                                   cubical_key_of(run, (uint32_t)(side.at >> 32)), birth};
    }
}

int cubical_dim_of(const cubical_run *run, cubical_lot lot) {
    if (lot == CUBICAL_EDGES) return 1;
    return cubical_is_turned(run, lot) ? run->given->dims - 1 : 0;
}

bool cubical_is_turned(const cubical_run *run, cubical_lot lot) {
    return lot == CUBICAL_HIGH || (lot != CUBICAL_LOW && run->side.reversed);
}

bool cubical_ends_squares(const cubical_run *run, cubical_lot lot) {
    bool vertices = run->o.construction == GLSHAPE_CUBICAL_VERTICES;
    return run->counts_ended && lot == (vertices ? CUBICAL_HIGH : CUBICAL_LOW);
}

/* Adds what turned pairs leave. */
static glshape_status add_other(cubical_run *run, cubical_lot lot, const uint32_t other[2]) {
    bool ends = other[1] != GLSHAPE_NO_VERTEX;
    uint32_t vertex = cubical_vertex_of(run, other[0]);
    if (lot == CUBICAL_EDGES && vertex == GLSHAPE_NO_VERTEX) return GLSHAPE_OK;
    if (lot == CUBICAL_EDGES) return cubical_add_pair(run, 2, vertex, GLSHAPE_NO_VERTEX);
    return ends && run->given->dims == 1 ? GLSHAPE_OK : add_outside(run, other[0], other[1]);
}

glshape_status cubical_add_settled(cubical_run *run, cubical_lot lot, radix_item *pairs, size_t count,
                                   bool are_sorted, const uint32_t (*others)[2], uint32_t other_count) {
    OWNED radix_item *all = pairs;
    int dim = cubical_dim_of(run, lot);
    bool one = lot != CUBICAL_EDGES && cubical_is_turned(run, lot) && !dim; /* the field itself has these */
    if (other_count > CUBICAL_OTHERS)
        return fail(err_of(run), GLSHAPE_GPU_ERROR,
                    "%u classes of a grid never end: this driver computes something wrong", other_count);
    if (!one) TRY(cubical_add_pairs(run, dim, MOVE(all), 0, count, are_sorted));
    if (!one) run->dims[dim].are_sorted = are_sorted;
    for (uint32_t k = 0; k < other_count; k++) TRY(add_other(run, lot, others[k]));
    return GLSHAPE_OK;
}

glshape_status cubical_take_pairs(cubical_run *run, cubical_lot lot, radix_item *pairs, size_t count) {
    OWNED radix_item *all = pairs;
    uint32_t others[CUBICAL_OTHERS][2];
    bool counts = cubical_ends_squares(run, lot);
    turning t = {.run = run, .pairs = all, .counts = counts, .others = others};
    if (counts) TRY(cubical_need_ended(run));
    threads_ranges(count, cubical_is_turned(run, lot) ? turn_range : look_at_range, &t);
    if (atomic_load(&t.wrong))
        return fail(err_of(run), GLSHAPE_GPU_ERROR,
                    "a class ends where there is nothing: this driver computes something wrong");
    return cubical_add_settled(run, lot, MOVE(all), count, false, (const uint32_t(*)[2])others, t.outside);
}
