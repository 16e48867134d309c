/* Shares of ranks, and one rank. What several ranks do is tested by tools/check-ranks, under MPI. */
#include "ranks/ranks.h"

#include <stdlib.h>

#include "base/random.h"
#include "suites.h"

/* Shares follow one another, are multiples of the unit, and differ by one unit at most. */
START_TEST(test_shares) {
    random_state random = {1};
    for (int turn = 0; turn < hunt(2000, 200000); turn++) {
        uint64_t unit = 1 + random_below(&random, 200), most = turn % 2 ? 50 : UINT32_MAX;
        uint64_t count = turn % 3 ? random_below(&random, (uint32_t)most) : random_bits(&random) >> 20,
                 units = (count + unit - 1) / unit;
        int size = 1 + (int)random_below(&random, 70);
        ck_assert_uint_eq(ranks_first(&(ranks){.size = size}, count, unit, 0), 0);
        ck_assert_uint_eq(ranks_first(&(ranks){.size = size}, count, unit, size), count);
        for (int q = 0; q < size; q++) {
            const ranks r = {.rank = q, .size = size};
            uint64_t first, end;
            ranks_share(&r, count, unit, &first, &end);
            ck_assert_uint_eq(end, ranks_first(&r, count, unit, q + 1));
            ck_assert(first <= end && (first == count || first % unit == 0));
            uint64_t own = (end - first + unit - 1) / unit;
            ck_assert_msg(own == units / (uint64_t)size || own == units / (uint64_t)size + 1,
                          "%lu units of %lu, %d ranks: rank %d has %lu", (unsigned long)units,
                          (unsigned long)unit, size, q, (unsigned long)own);
        }
    }
}
END_TEST

/* One rank has all, at once. */
START_TEST(test_alone) {
    error err = {0};
    const ranks *r = &ranks_alone;
    int32_t data[3] = {1, 2, 3}, out[3] = {0};
    size_t sum = 5, length;
    uint64_t least = 7, first, count;
    OK(&err, ranks_gather(r, &err, data, sizeof *data, 3, 1));
    OK(&err, ranks_broadcast(r, &err, data, sizeof data));
    OK(&err, ranks_scatter(r, &err, data, out, sizeof *data, 3, 1)); /* there are no others */
    ck_assert(!out[0] && !out[1] && !out[2]);
    OK(&err, ranks_sum(r, &err, &sum));
    OK(&err, ranks_least(r, &err, &least));
    ck_assert(sum == 5 && least == 7);
    int32_t *all;
    OK(&err, ranks_collect(r, &err, data, sizeof data, &all, &length));
    ck_assert_uint_eq(length, sizeof data);
    ck_assert_mem_eq(data, all, sizeof data);
    free(all);
    ranks_queue q = ranks_queue_new(r, 4);
    ck_assert(!ranks_queue_ask(&q, 0, &first, &count));
    ck_assert(ranks_queue_ask(&q, 1, &first, &count) && first == 0 && count == 4);
    ck_assert(ranks_queue_ask(&q, 1, &first, &count) && count == 0);
    ranks_queue_end(&q);
    fail(&err, GLSHAPE_NO_MEMORY, "none");
    ck_assert_int_eq(ranks_agree(r, &err, GLSHAPE_NO_MEMORY), GLSHAPE_NO_MEMORY);
    ck_assert_str_eq(err.text, "none");
    OK(&err, ranks_hear(r, &err));
}
END_TEST

Suite *ranks_suite(void) {
    Suite *s = suite_create("ranks");
    TCase *t = tcase_create("ranks");
    tcase_add_test(t, test_shares);
    tcase_add_test(t, test_alone);
    suite_add_tcase(s, t);
    return s;
}
