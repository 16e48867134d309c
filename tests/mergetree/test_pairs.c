/* The elder rule by passes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/owned.h"
#include "mergetree/fields.h"
#include "mergetree/pairs.h"
#include "mergetree/regular.h"

typedef struct found {
    order order;
    grid_field field;
    basins basins;
    branches tree;
} found;

static void find(const ref_grid *d, const glshape_field *f, bool superlevel, pairs_form form, found *out) {
    gpu *g = test_gpu();
    uint32_t z = d->dims == 3, n = fields_count(d);
    grid shape = {.extent = {(uint32_t)d->shape[z + 1], (uint32_t)d->shape[z], z ? (uint32_t)d->shape[0] : 1},
                  .hood = z                    ? d->neighbours
                          : d->neighbours == 8 ? 26
                          : d->neighbours == 4 ? 6
                                               : 14};
    *out = (found){0};
    BENCH_OK(order_new(run_error(run_of(g)), f, n, superlevel, &out->order));
    BENCH_OK(grid_field_new(g, &out->order, &shape, &out->field));
    BENCH_OK(basins_begin(g, &out->field, &out->basins));
    BENCH_OK(basins_edges(g, &out->basins));
    gpu_set_eager(g, true);
    BENCH_OK(pairs_find(g, &out->basins, form, &out->tree));
    gpu_set_eager(g, false);
}

static void forget(found *f) {
    basins_free(&f->basins);
    grid_field_free(&f->field);
    branches_free(&f->tree);
    order_free(&f->order);
}

/* The same branches as a list, with the values of the field. */
static void check_list(const branches *a, const glshape_field *f, const branches *b) {
    BENCH_CHECK(a->count == b->count && a->essential == b->essential && !a->list);
    for (uint32_t k = 0; k < a->count; k++) {
        uint32_t m = a->falling[k];
        const glshape_branch *one = &b->list[k];
        bool ends = a->death[m] != BRANCH_ESSENTIAL;
        double birth = order_value(f, one->birth),
               death = ends ? order_value(f, one->death) : (double)INFINITY;
        BENCH_CHECK(one->birth == a->minimum[m] && one->parent == a->minimum[a->parent[m]]);
        BENCH_CHECK(one->death == (ends ? (uint32_t)a->death[m] : GLSHAPE_NO_VERTEX));
        BENCH_CHECK(!memcmp(&one->birth_value, &birth, sizeof birth) &&
                    !memcmp(&one->death_value, &death, sizeof death));
    }
}

/* Those that do not end, by birth; then by falling death, and at one vertex by birth. */
static void check_order(const found *r) {
    for (uint32_t k = 1; k < r->tree.count; k++) {
        uint32_t m = r->tree.falling[k - 1], n = r->tree.falling[k];
        BENCH_CHECK(r->tree.death[m] >= r->tree.death[n]);
        if (r->tree.death[m] == r->tree.death[n])
            BENCH_CHECK(order_of(&r->order, r->tree.minimum[m]) < order_of(&r->order, r->tree.minimum[n]));
    }
}

/* Where branches begin and end; turned: of vertices that count from the last one. */
static void check_spans(const found *r, basins *b, bool turned) {
    const branches *t = &r->tree;
    uint32_t(*span)[2] = bench_memory(t->count, sizeof *span), last = r->order.n - 1;
    BENCH_OK(gpu_download(test_gpu(), &b->span, 0, t->count, span));
    for (uint32_t k = 0; k < t->count; k++) {
        uint32_t m = t->falling[k], birth = t->minimum[m], death = (uint32_t)t->death[m];
        BENCH_CHECK(span[k][0] == (turned ? last - birth : birth));
        BENCH_CHECK(span[k][1] == (t->death[m] == BRANCH_ESSENTIAL ? GLSHAPE_NO_VERTEX
                                   : turned                        ? last - death
                                                                   : death));
    }
}

/* The tree of the field from its other end, from keys that are turned on the device, is that of values which
 * are turned here. */
static void check_turned(const ref_grid *d, glshape_type type, const double *values, bool superlevel,
                         found *r) {
    uint32_t n = r->order.n;
    double *turned = bench_memory(n, sizeof *turned);
    OWNED_BY(grid_field_free) grid_field field = {0};
    OWNED_BY(basins_free) basins b = {0};
    OWNED_BY(branches_free) branches kept = {0};
    found want;
    for (uint32_t v = 0; v < n; v++) turned[v] = values[n - 1 - v];
    glshape_field f = fields_of(d, type, turned);
    find(d, &f, !superlevel, PAIRS_NUMBERS | PAIRS_ARRAYS, &want);
    BENCH_OK(grid_field_turn(test_gpu(), &r->field.key, r->field.key_bits, &r->field.grid, &field));
    BENCH_OK(basins_begin(test_gpu(), &field, &b));
    BENCH_OK(basins_edges(test_gpu(), &b));
    BENCH_OK(pairs_find(test_gpu(), &b, PAIRS_NUMBERS | PAIRS_SPANS, &kept));
    BENCH_CHECK(kept.count == want.tree.count && kept.essential == want.tree.essential && !kept.list);
    check_spans(&want, &b, true);
    forget(&want);
}

/* Ends and parents of branches; then the branch of every vertex, which takes the jumps. */
static void check_of(const ref_grid *d, glshape_type type, const double *values, bool superlevel) {
    uint32_t n = fields_count(d), (*want)[3] = bench_memory(n, sizeof *want);
    uint32_t *on = bench_memory(n, sizeof *on), essential = 0;
    glshape_field f = fields_of(d, type, values);
    found r, other;
    ref_mergetree(n, values, superlevel, d, NULL, NULL, want);
    bench_where("%d-D %zu × %zu × %zu, %d neighbours, superlevel %d, type %d", d->dims, d->shape[0],
                d->shape[1], d->dims == 3 ? d->shape[2] : 1, d->neighbours, superlevel, (int)type);
    find(d, &f, superlevel, PAIRS_NUMBERS | PAIRS_ARRAYS, &r);
    for (uint32_t m = 0; m < r.tree.count; m++) {
        const uint32_t *t = want[r.tree.minimum[m]];
        bool ends = t[1] != t[0];
        essential += !ends;
        BENCH_CHECK(r.tree.death[m] == (ends ? order_of(&r.order, t[1]) : BRANCH_ESSENTIAL));
        BENCH_CHECK(r.tree.minimum[r.tree.parent[m]] == t[2]);
    }
    BENCH_CHECK(r.tree.essential == essential);
    BENCH_OK(basins_regular(test_gpu(), &r.basins, &r.tree, on));
    for (uint32_t v = 0; v < n; v++) BENCH_CHECK(on[v] == (want[v][1] == v ? want[v][2] : v));
    check_order(&r);
    find(d, &f, superlevel, PAIRS_LIST, &other);
    check_list(&r.tree, &f, &other.tree);
    forget(&other);
    find(d, &f, superlevel, PAIRS_ITEMS, &other);
    BENCH_OK(pairs_bring(test_gpu(), &other.basins, &other.tree));
    for (uint32_t k = 0; k < r.tree.count; k++) {
        const radix_item *one = &other.tree.pairs[k];
        BENCH_CHECK(one->at == order_of(&r.order, r.tree.minimum[k]));
        BENCH_CHECK(((uint64_t)one->a << 32 | one->b) == r.tree.death[k]);
    }
    forget(&other);
    find(d, &f, superlevel, PAIRS_NUMBERS | PAIRS_SPANS | PAIRS_LIST, &other);
    check_list(&r.tree, &f, &other.tree);
    check_spans(&r, &other.basins, false);
    BENCH_OK(basins_regular(test_gpu(), &other.basins, &other.tree, on));
    for (uint32_t v = 0; v < n; v++) BENCH_CHECK(on[v] == (want[v][1] == v ? want[v][2] : v));
    forget(&other);
    check_turned(d, type, values, superlevel, &r);
    forget(&r);
}

static void check(const ref_grid *d, const double *values, bool superlevel) {
    check_of(d, GLSHAPE_F32, values, superlevel);
}

START_TEST(random_fields) {
    static const int hoods[2][3] = {{4, 8, 6}, {6, 14, 26}};
    for (int i = 0; i < 48; i++) {
        ref_grid d = {.dims = 2 + (i & 1), .neighbours = hoods[i & 1][i % 3]};
        for (int k = 0; k < d.dims; k++) d.shape[k] = 1 + bench_random() % (d.dims == 2 ? 100 : 24);
        uint32_t n = fields_count(&d), different = i % 4 ? 100000 : 4;
        double *values = bench_memory(n, sizeof *values);
        for (uint32_t v = 0; v < n; v++) values[v] = bench_random() % different;
        check(&d, values, i & 2);
        bench_clear();
    }
}
END_TEST

/* Along a path: all end in one round, in one chain, of which a piece of the edges has a part; none but the
 * last ends in a round; by turns. */
START_TEST(chains) {
    enum { PEAKS = 3000, N = 2 * PEAKS + 1 };
    for (int i = 0; i < 9; i++) {
        ref_grid d = {.dims = 2, .shape = {1, N}, .neighbours = 4};
        double *values = bench_memory(N, sizeof *values);
        for (int x = 0; x < N; x++) {
            bool turn = i % 3 == 1 || (i % 3 == 2 && x % 200 < 100);
            values[x] = x % 2 ? 20000 + (turn ? N - x : x) : i / 3 == 2 ? (int)(bench_random() % 20000) : x;
        }
        check(&d, values, false);
        bench_clear();
    }
}
END_TEST

/* Many edges join the same two basins, in every piece: whichever edge the table names, a lower one stays. */
START_TEST(parallel_edges) {
    enum { PEAK = 30000 };
    for (int i = 0; i < 12; i++) {
        ref_grid d = {.dims = 3, .shape = {6, 41, 41}, .neighbours = 6};
        double *values = bench_memory(fields_count(&d), sizeof *values), valley[41 * 41];
        for (int k = 0; k < 41 * 41; k++) valley[k] = bench_random() % 9000;
        for (int v = 0; v < 6 * 41 * 41; v++) {
            int z = v / (41 * 41), y = v / 41 % 41, x = v % 41;
            bool wall = (x | y) & 1;
            values[v] = x & y & 1 ? PEAK : wall ? 10000 + bench_random() % 10000 : valley[v % (41 * 41)] + z;
        }
        check(&d, values, false);
        bench_clear();
    }
}
END_TEST

static void check_way_up(glshape_type type, uint32_t n, const void *values, bool superlevel, bool nan) {
    glshape_field f = {.type = type, .values = values, .dims = 2, .shape = {1, n}};
    const grid shape = {.extent = {n, 1, 1}, .hood = 6};
    error *err = run_error(run_of(test_gpu())), first;
    uint32_t *keys[2] = {bench_memory(n, 4), bench_memory(n, 4)};
    order once, later;
    grid_field fields[2];
    glshape_status status = order_new(err, &f, n, superlevel, &once);
    BENCH_CHECK((status == GLSHAPE_BAD_INPUT) == nan);
    first = *err;
    *err = (error){0};
    BENCH_OK(order_new_later(err, &f, n, superlevel, &later));
    BENCH_CHECK(grid_field_look(test_gpu(), &later, &shape, &fields[1]) == status && !later.facts);
    if (status) {
        BENCH_CHECK(!strcmp(first.text, err->text));
        order_free(&once);
        order_free(&later);
        return;
    }
    BENCH_OK(grid_field_new(test_gpu(), &once, &shape, &fields[0]));
    for (int k = 0; k < 2; k++) BENCH_OK(gpu_download(test_gpu(), &fields[k].key, 0, n, keys[k]));
    BENCH_CHECK(!memcmp(keys[0], keys[1], n * sizeof **keys) && fields[0].key_bits == fields[1].key_bits);
    order_keys(&once, 0, n, keys[1]);
    BENCH_CHECK(!memcmp(keys[0], keys[1], n * sizeof **keys));
    BENCH_CHECK(once.least == later.least && once.greatest == later.greatest &&
                once.minus_zero == later.minus_zero);
    for (int k = 0; k < 2; k++) grid_field_free(&fields[k]);
    order_free(&once);
    order_free(&later);
}

/* Values that are looked at while their keys go up are those of an order that was made before. */
START_TEST(values_on_their_way) {
    static const uint32_t sizes[] = {1, 5, ORDER_BLOCK - 1, ORDER_BLOCK, ORDER_BLOCK + 4097, 4200001};
    static const glshape_type narrow[] = {GLSHAPE_U8, GLSHAPE_I8, GLSHAPE_U16, GLSHAPE_I16};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int kind = 0; kind < 4; kind++) {
            uint32_t n = sizes[k];
            float *values = bench_memory(n, sizeof *values);
            int16_t *whole = bench_memory(n, sizeof *whole);
            bench_where("%u values, kind %d", n, kind);
            for (uint32_t v = 0; v < n; v++) {
                values[v] = (float)(bench_random() % 1000) - (kind == 2 ? 999 : 500);
                whole[v] = (int16_t)bench_random();
            }
            if (kind == 1) values[n - 1 - bench_random() % (n < 3 ? n : 3)] = NAN;
            if (kind == 2) values[bench_random() % n] = -0.0f;
            check_way_up(GLSHAPE_F32, n, values, kind & 1, kind == 1);
            check_way_up(narrow[kind], n, whole, kind < 3, false);
            check_way_up(narrow[3 - kind], n, whole, kind < 2, false);
            bench_clear();
        }
    double some[3] = {1e300, -0.0, 1};
    check_way_up(GLSHAPE_F64, 3, some, true, false);
}
END_TEST

Suite *mergetree_pairs_suite(void) {
    Suite *s = suite_create("mergetree/pairs");
    TCase *t = bench_case(s, "mergetree/pairs");
    tcase_add_test(t, random_fields);
    tcase_add_test(t, chains);
    tcase_add_test(t, parallel_edges);
    tcase_add_test(t, values_on_their_way);
    return s;
}
