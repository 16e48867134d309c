/* The reduction of columns that are lists, against one cell after another in a dense matrix. */
#include <stdlib.h>
#include <string.h>

#include "persistence/reduce.h"
#include "persistence/sparse.h"
#include "prim/bench.h"

#define PLACES 40u
#define STAYING 3u /* cells that stay at a place, */
#define MOVING 2u  /* and on their way there */
#define CELLS (PLACES * STAYING)
#define COLUMNS 90u
#define TERMS 12u /* of a column, or of what a cell on its way stands for */

typedef struct matrix {
    uint32_t modulus, count, turns[COLUMNS], turn_count;
    uint64_t order[PLACES]; /* ascending; the lower half names the place */
    size_t terms[COLUMNS];
    sparse_term term[COLUMNS][TERMS];
    size_t stands[PLACES][MOVING];
    sparse_term stand[PLACES][MOVING][TERMS];
    bool owns[COLUMNS]; /* a pivot, from the start */
    uint32_t dense[COLUMNS][CELLS];
} matrix;

static uint32_t place_of(const matrix *m, uint64_t order) {
    uint32_t place = 0;
    while (m->order[place] != order) place++;
    return place;
}

/* Draws ascending cells of places from `first` on, of those at `first` only such as stay. */
static size_t draw(const matrix *m, uint32_t first, bool moving, sparse_term *out) {
    size_t count = 0, most = bench_random() % TERMS;
    for (uint32_t place = first; place < PLACES && count < most; place += bench_random() % 9)
        for (uint32_t k = 0; k < STAYING + MOVING && count < most; k++) {
            bool moves = k < MOVING;
            if (bench_random() & 1 || (moves && (!moving || place == first))) continue;
            uint32_t part = moves ? 5 * k : SPARSE_STAYS + k;
            sparse_term t = {m->order[place], part, 1 + bench_random() % (m->modulus - 1)};
            if (!count || sparse_before(&out[count - 1], &t)) out[count++] = t;
        }
    return count;
}

static void make(matrix *m, uint32_t modulus) {
    uint64_t order = 0;
    *m = (matrix){.modulus = modulus, .count = bench_random() % COLUMNS};
    for (uint32_t k = 0; k < PLACES; k++)
        m->order[k] = (order += 1 + bench_random() % 3) << 32 | (k * 29 % PLACES);
    for (uint32_t place = 0; place < PLACES; place++)
        for (uint32_t k = 0; k < MOVING; k++) m->stands[place][k] = draw(m, place, true, m->stand[place][k]);
    for (uint32_t c = 0; c < m->count; c++) {
        m->terms[c] = draw(m, bench_random() % PLACES, bench_random() & 1, m->term[c]);
        m->turns[c] = c;
    }
    m->turn_count = m->count;
    for (uint32_t c = m->count; c > 1; c--) {
        uint32_t other = bench_random() % c, turn = m->turns[c - 1];
        m->turns[c - 1] = m->turns[other];
        m->turns[other] = turn;
    }
}

/* Column 0 is the first one in the order of reduction; two have one order. */
static sparse_column column_named(uint32_t c) { return (sparse_column){(COLUMNS - c) / 2, COLUMNS - c}; }

static const sparse_term *column_of(const void *space, uint32_t turn, sparse_column *which, size_t *count) {
    const matrix *m = space;
    uint32_t c = m->turns[turn];
    *which = column_named(c);
    *count = m->terms[c];
    return m->term[c];
}

static size_t pass(const void *space, const sparse_term *terms, size_t count, sparse_term *out) {
    const matrix *m = space;
    size_t made = 0;
    for (size_t k = 0; k < count; k++) {
        uint32_t place = place_of(m, terms[k].order), moving = terms[k].part / 5;
        for (size_t t = 0; t < m->stands[place][moving]; t++) {
            out[made] = m->stand[place][moving][t];
            out[made].coefficient = out[made].coefficient * terms[k].coefficient % m->modulus;
            made++;
        }
    }
    return made;
}

/* Adds factor × a cell, or what it stands for, to a dense column. */
static void add(const matrix *m, uint32_t *dense, const sparse_term *t, uint32_t factor) {
    uint32_t place = place_of(m, t->order), by = t->coefficient * factor % m->modulus;
    if (t->part < SPARSE_STAYS) {
        for (size_t k = 0; k < m->stands[place][t->part / 5]; k++)
            add(m, dense, &m->stand[place][t->part / 5][k], by);
        return;
    }
    uint32_t *cell = &dense[place * STAYING + t->part - SPARSE_STAYS - MOVING];
    *cell = (*cell + by) % m->modulus;
}

static uint32_t first_of(const uint32_t *dense) {
    uint32_t first = 0;
    while (first < CELLS && !dense[first]) first++;
    return first;
}

/* Reduces columns in order: all of them, or those that are to own pivots from the start. */
static void reduce_dense(const matrix *m, const uint32_t *inverse, bool all, uint32_t dense[COLUMNS][CELLS]) {
    memset(dense, 0, COLUMNS * sizeof *dense);
    for (uint32_t c = 0; c < m->count; c++) {
        if (!all && !m->owns[c]) continue;
        for (size_t k = 0; k < m->terms[c]; k++) add(m, dense[c], &m->term[c][k], 1);
        for (uint32_t d = 0; d < c; d++) {
            uint32_t first = first_of(dense[c]);
            if (first == CELLS || first_of(dense[d]) != first) continue;
            uint32_t factor = (m->modulus - dense[c][first]) * inverse[dense[d][first]] % m->modulus;
            for (uint32_t k = 0; k < CELLS; k++)
                dense[c][k] = (dense[c][k] + factor * dense[d][k]) % m->modulus;
            d = UINT32_MAX; /* from the first column on */
        }
    }
}

static uint32_t death_of(const matrix *m, const uint32_t *dense) {
    uint32_t first = first_of(dense);
    return first == CELLS ? SPARSE_ESSENTIAL : (uint32_t)m->order[first / STAYING];
}

static size_t list_owner(const void *space, uint32_t number, sparse_term *out) {
    const matrix *m = space;
    const uint32_t *dense = m->dense[COLUMNS - number];
    size_t made = 0;
    for (uint32_t k = 0; k < CELLS; k++)
        if (dense[k])
            out[made++] = (sparse_term){m->order[k / STAYING], SPARSE_STAYS + MOVING + k % STAYING, dense[k]};
    return made;
}

static bool find_owner(const void *space, const sparse_term *pivot, sparse_column *which, size_t *cells) {
    const matrix *m = space;
    uint32_t cell = place_of(m, pivot->order) * STAYING + pivot->part - SPARSE_STAYS - MOVING;
    for (uint32_t c = 0; c < m->count; c++) {
        if (!m->owns[c] || first_of(m->dense[c]) != cell) continue;
        *which = column_named(c);
        *cells = CELLS;
        return true;
    }
    return false;
}

/* Some columns own pivots from the start; the others take turns. */
static void give_pivots(matrix *m, const uint32_t *inverse, uint32_t *deaths) {
    uint32_t kept = 0;
    for (uint32_t c = 0; c < m->count; c++) m->owns[c] = bench_random() & 1;
    reduce_dense(m, inverse, false, m->dense);
    for (uint32_t k = 0; k < m->count; k++)
        if (!m->owns[m->turns[k]]) m->turns[kept++] = m->turns[k];
        else deaths[COLUMNS - m->turns[k]] = death_of(m, m->dense[m->turns[k]]);
    m->turn_count = kept;
}

static void check(matrix *m, bool given, int threads) {
    uint32_t deaths[COLUMNS + 1], *inverse;
    static uint32_t expected[COLUMNS][CELLS];
    sparse_work work = {0};
    error err = {0};
    ck_assert_int_eq(persistence_inverses(&err, m->modulus, &inverse), GLSHAPE_OK);
    reduce_dense(m, inverse, true, expected);
    if (given) give_pivots(m, inverse, deaths);
    const sparse_job job = {.space = m,
                            .modulus = m->modulus,
                            .turns = m->turn_count,
                            .columns = m->count,
                            .inverse = inverse,
                            .column = column_of,
                            .pass = pass,
                            .find_owner = given ? find_owner : NULL,
                            .list_owner = list_owner,
                            .threads = threads};
    ck_assert_int_eq(sparse_reduce(&err, &job, deaths, &work), GLSHAPE_OK);
    bench_where("modulus %u, %u columns of %u, %d threads", m->modulus, m->turn_count, m->count, threads);
    for (uint32_t c = 0; c < m->count; c++) BENCH_CHECK(deaths[COLUMNS - c] == death_of(m, expected[c]));
    free(inverse);
}

/* Columns come in any turn, and some of their cells are on their way; some own pivots from the start. */
START_TEST(against_dense) {
    static const uint32_t moduli[] = {2, 3, 7, 101};
    matrix *m = bench_memory(1, sizeof *m);
    for (int i = 0; i < hunt(300, 10000); i++) {
        make(m, moduli[i & 3]);
        check(m, i / 12 % 2, 1 + i / 4 % 3);
    }
    bench_clear();
}
END_TEST

static bool refuse(void *user, double fraction) {
    (void)user, (void)fraction;
    return false;
}

START_TEST(cancelled) {
    matrix *m = bench_memory(1, sizeof *m);
    uint32_t deaths[COLUMNS + 1];
    const uint32_t inverse[] = {0, 1};
    sparse_work work = {0};
    error err = {0};
    do make(m, 2);
    while (!m->count);
    const sparse_job job = {.space = m,
                            .modulus = 2,
                            .turns = m->turn_count,
                            .columns = m->count,
                            .inverse = inverse,
                            .column = column_of,
                            .pass = pass,
                            .threads = 1,
                            .go_on = refuse};
    ck_assert_int_eq(sparse_reduce(&err, &job, deaths, &work), GLSHAPE_CANCELLED);
    bench_clear();
}
END_TEST

Suite *persistence_sparse_suite(void) {
    Suite *s = suite_create("persistence/sparse");
    TCase *c = tcase_create("sparse");
    tcase_add_test(c, against_dense);
    tcase_add_test(c, cancelled);
    suite_add_tcase(s, c);
    return s;
}
