/* Sorts of few and of many items: they ascend, equals stay in their order, and none is lost. */
#include <stdlib.h>

#include "base/radix.h"
#include "suites.h"

Suite *base_radix_suite(void);

static uint64_t state = 1;

static uint64_t draw(void) { /* xorshift */
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* Keys that are hard in some way. */
static uint64_t key_of(int kind, size_t k, size_t count) {
    switch (kind) {
        case 0:
            return draw();
        case 1:
            return draw() % 7;
        case 2:
            return (draw() % 3) << 32 | k; /* by their lower bits */
        case 3:
            return k; /* sorted */
        case 4:
            return k < count / 2 ? 5 : draw() % 100000; /* half of them equal */
        case 5:
            return (draw() % 50 ? 1 : draw() % 100000) << 40 | draw() % 1000; /* one bin has most */
        case 6:
            return (uint64_t)(k > count / 1000) << 40 |
                   draw() % 1000; /* one bin has most, one before it few */
        default:
            return UINT64_C(1) << 63 | (draw() & draw() & draw()) >> (k & 31); /* as floats are */
    }
}

static void check(int kind, int bit, size_t count) {
    radix_item *items = malloc((count + 1) * sizeof *items), *spare = malloc((count + 1) * sizeof *spare);
    uint64_t before = 0, after = 0;
    size_t wrong = 0;
    for (size_t k = 0; k < count; k++) {
        items[k] = (radix_item){key_of(kind, k, count), (uint32_t)k, (uint32_t)draw()};
        before += (items[k].at ^ items[k].a) * 0x9e3779b97f4a7c15u ^ items[k].b;
    }
    if (bit) radix_sort_upper(items, spare, count);
    else radix_sort(items, spare, count);
    for (size_t k = 0; k < count; k++) {
        after += (items[k].at ^ items[k].a) * 0x9e3779b97f4a7c15u ^ items[k].b;
        if (!k) continue;
        uint64_t x = items[k - 1].at >> bit, y = items[k].at >> bit;
        wrong += x > y || (x == y && items[k - 1].a > items[k].a);
    }
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_eq(before, after);
    free(items);
    free(spare);
}

START_TEST(sorts) {
    static const size_t counts[] = {0, 1, 2, 64, 65, 1000, 10000, 131072, 300001};
    for (int kind = 0; kind < 8; kind++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            for (int bit = 0; bit <= 32; bit += 32) check(kind, bit, counts[i]);
}
END_TEST

Suite *base_radix_suite(void) {
    Suite *s = suite_create("base/radix");
    TCase *t = tcase_create("base/radix");
    tcase_add_test(t, sorts);
    suite_add_tcase(s, t);
    return s;
}
