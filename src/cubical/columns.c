#include "cubical/columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "persistence/reduce.h"

/* Threads take edges in blocks of neighbors, each block in the order of reduction: in smaller blocks more
 * columns are given up for others, in larger ones caches have less of what is needed. */
#define NEIGHBORS 65536u
#define DIGIT 8 /* bits */

/* Columns as threads take them. */
typedef struct columns {
    const cubical_reduced *of; /* what passes have made of all; NULL: nothing */
    morse morse;               /* the edges that are left to threads */
    uint32_t *turns;           /* numbers of these edges */
    uint64_t *keys[2];         /* to sort these by: a key, and the number in a block */
} columns;

static void columns_free(columns *c) {
    morse_free(&c->morse);
    free(c->turns);
    free(c->keys[0]);
    free(c->keys[1]);
}

/* ---- the columns that are left ------------------------------------------------------------------- */

#define RANGE 65536u /* columns that a thread looks at, at a time */

typedef struct leaving {
    const cubes *cubes;
    const cubical_reduced *of;
    size_t *start; /* of each range: the place of its first column that is left */
    radix_item *left;
} leaving;

static size_t range_end(const leaving *l, size_t range) {
    size_t end = (range + 1) * RANGE;
    return end < l->of->count ? end : l->of->count;
}

static void count_left(void *user, size_t range) {
    leaving *l = user;
    size_t count = 0;
    for (size_t e = range * RANGE; e < range_end(l, range); e++) count += reduced_is_left(l->of, e);
    l->start[range + 1] = count;
}

static void list_left(void *user, size_t range) {
    leaving *l = user;
    radix_item *to = l->left + l->start[range];
    for (size_t e = range * RANGE; e < range_end(l, range); e++)
        if (reduced_is_left(l->of, e))
            *to++ = (radix_item){cubes_order(l->cubes, l->of->edge[e][0]), (uint32_t)e, l->of->edge[e][1]};
}

/* Lists the columns that passes have left; *left is the caller's to free. */
static glshape_status take_left(error *err, const cubes *c, const cubical_reduced *of, radix_item **left,
                                size_t *count) {
    OWNED size_t *start = NULL;
    size_t ranges = (of->count + RANGE - 1) / RANGE;
    TRY(allocate(err, &start, ranges + 1, sizeof *start, "the columns"));
    leaving l = {c, of, start, NULL};
    threads_run(0, ranges, count_left, &l);
    for (size_t k = 0; k < ranges; k++) start[k + 1] += start[k];
    *count = start[ranges];
    TRY(allocate(err, left, *count, sizeof **left, "the columns"));
    l.left = *left;
    threads_run(0, ranges, list_left, &l);
    return GLSHAPE_OK;
}

/* ---- turns --------------------------------------------------------------------------------------- */

/* Sorts the turns of a block of neighbors: descending by key. */
static void sort_turns(void *user, size_t block) {
    const columns *c = user;
    size_t first = block * NEIGHBORS, rest = c->morse.count - first;
    size_t count = rest < NEIGHBORS ? rest : NEIGHBORS;
    uint64_t *from = c->keys[0] + first, *to = c->keys[1] + first;
    for (size_t k = 0; k < count; k++)
        from[k] = (~c->morse.edges[first + k].at & UINT64_C(0xffffffff00000000)) | k;
    for (int shift = 32; shift < 64; shift += DIGIT) {
        size_t start[(1 << DIGIT) + 1] = {0};
        for (size_t k = 0; k < count; k++) start[(from[k] >> shift & ((1 << DIGIT) - 1)) + 1]++;
        for (size_t d = 0; d < 1 << DIGIT; d++) start[d + 1] += start[d];
        for (size_t k = 0; k < count; k++) to[start[from[k] >> shift & ((1 << DIGIT) - 1)]++] = from[k];
        uint64_t *moved = to;
        to = from;
        from = moved;
    }
    for (size_t k = 0; k < count; k++) c->turns[first + k] = (uint32_t)(first + (uint32_t)from[k]);
}

static glshape_status list_turns(error *err, columns *c) {
    size_t count = c->morse.count;
    TRY(allocate(err, &c->turns, count, sizeof *c->turns, "the columns"));
    for (int k = 0; k < 2; k++) TRY(allocate(err, &c->keys[k], count, sizeof *c->keys[k], "the columns"));
    threads_run(0, (count + NEIGHBORS - 1) / NEIGHBORS, sort_turns, c);
    for (int k = 0; k < 2; k++) free(MOVE(c->keys[k]));
    return GLSHAPE_OK;
}

/* ---- what the reduction asks for ------------------------------------------------------------------- */

static const sparse_term *column_of(const void *space, uint32_t turn, sparse_column *which, size_t *count) {
    const columns *c = space;
    const radix_item *edge = &c->morse.edges[c->turns[turn]];
    *which = (sparse_column){edge->at, edge->a};
    return morse_terms(&c->morse, c->turns[turn], count);
}

static size_t pass_vertex(const void *space, const sparse_term *squares, size_t count, sparse_term *out) {
    const columns *c = space;
    return flow_pass(c->morse.cubes, squares, count, out);
}

static bool find_owner(const void *space, const sparse_term *pivot, sparse_column *which, size_t *cells) {
    const columns *c = space;
    uint32_t e;
    if (!reduced_find(c->of, pivot, &e)) return false;
    *which = (sparse_column){cubes_order(c->morse.cubes, c->of->edge[e][0]), e};
    *cells = reduced_squares(c->of, e);
    return true;
}

static size_t list_owner(const void *space, uint32_t number, sparse_term *out) {
    const columns *c = space;
    return reduced_list(c->of, c->morse.cubes, number, out) ? reduced_squares(c->of, number) : 0;
}

/* ---- all ----------------------------------------------------------------------------------------- */

static void touch_none(void *user, size_t first, size_t end) {
    uint32_t *deaths = user;
    for (size_t k = first; k < end; k++) deaths[k] = REDUCED_UNTOUCHED;
}

glshape_status columns_reduce(run *r, run_why why, const cubes *c, const radix_item *edges, size_t count,
                              const cubical_reduced *of, int threads, uint32_t *deaths, columns_work *work) {
    OWNED uint32_t *inverse = NULL;
    OWNED radix_item *left = NULL;
    OWNED_BY(columns_free) columns own = {.of = of};
    error *err = run_error(r);
    morse *m = &own.morse;
    *work = (columns_work){.left = count};
    run_begin_stage(r, of ? "rest of the reduction" : "flow", why);
    if (of) {
        TRY(take_left(err, c, of, &left, &work->left));
        threads_ranges(count, touch_none, deaths);
    }
    m->cubes = c;
    m->edges = of ? left : edges;
    m->count = work->left;
    TRY(morse_fill(err, m, of, threads, run_go_on, r));
    if (!of) run_begin_stage(r, "reduction", why);
    TRY(list_turns(err, &own));
    TRY(persistence_inverses(err, c->modulus, &inverse));
    const sparse_job job = {.space = &own,
                            .modulus = c->modulus,
                            .turns = (uint32_t)work->left,
                            .columns = (uint32_t)count,
                            .inverse = inverse,
                            .column = column_of,
                            .pass = pass_vertex,
                            .find_owner = of ? find_owner : NULL,
                            .list_owner = list_owner,
                            .threads = threads,
                            .go_on = run_go_on,
                            .user = r};
    TRY(sparse_reduce(err, &job, deaths, &work->sparse));
    work->steps = m->steps;
    work->squares = of ? of->squares : m->squares;
    work->sparse.bytes += morse_bytes(m) + m->count * sizeof *own.turns;
    return GLSHAPE_OK;
}
