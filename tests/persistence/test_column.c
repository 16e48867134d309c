/* A working column. */
#include "suites.h"

#include "persistence/column.h"

#define MANY (1u << 20) /* cells of one coboundary: a batch is full of them */

/* Both cells have cofacets of value 1: cell 0 those of index 0 to MANY - 1, cell 1 all of these but the
 * last. */
static size_t cofacets(const void *space, cell c, int dim, cell_range wanted, cell *out) {
    size_t count = c.index ? MANY - 1 : MANY;
    (void)space, (void)dim;
    if (!(wanted.above < 1 && wanted.upto >= 1)) return 0;
    for (size_t k = 0; k < count; k++) out[k] = (cell){k, 1, c.coefficient};
    return count;
}

/* Cells that fill a batch cancel with those of one value that come later. */
START_TEST(test_full_batch) {
    const filtered_complex complex = {
        .threshold = 2, .modulus = 2, .most_cofacets = MANY, .cofacets = cofacets};
    atomic_int status = 0;
    working_column c = {.complex = &complex, .dim = 1, .status = &status, .heap.modulus = 2, .steps = 1};
    cell pivot;
    bool zero;
    column_clear(&c, 0);
    for (uint64_t k = 0; k < 2; k++) ck_assert(column_add_cell(&c, (cell){k, 0, 1}, 1));
    ck_assert(column_pivot(&c, &pivot, &zero));
    ck_assert(!zero);
    ck_assert_uint_eq(pivot.index, MANY - 1);
    ck_assert(cell_heap_push(&c.heap, pivot)); /* modulo 2 it cancels */
    ck_assert(column_pivot(&c, &pivot, &zero));
    ck_assert(zero);
    column_free(&c);
}
END_TEST

Suite *persistence_column_suite(void) {
    Suite *s = suite_create("persistence/column");
    TCase *t = tcase_create("column");
    tcase_add_test(t, test_full_batch);
    suite_add_tcase(s, t);
    return s;
}
