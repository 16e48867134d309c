/* src/dist/pager and arrange with rings and blocks so small that every wait, wrap and end is met: the pages
 * that arrive against the words of pager.h, taken literally. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "dist/pager.h"
#include "suites.h"

enum { MOST = 40, PHASES = 2, SIXTEEN = 4 /* elements of a page of sixteen distances */ };

/* Who is asked, and what goes wrong: value instead of the distance, or a failure, from the fail_after-th row
 * or pair on. */
typedef struct world {
    uint32_t n;
    float d[MOST][MOST];
    atomic_size_t asked;
    size_t fail_after;
    bool says_value;
    float value;
    int nap; /* milliseconds before each answer */
} world;

static world w;
static uint32_t order[MOST], perms[PHASES][MOST];
static dist_phase phases[PHASES];
static int live;
static size_t bytes;

static void nap(int milliseconds) {
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000L}, NULL);
}

/* Whether this answer, of count more, is to go wrong. */
static bool is_due(world *u, size_t count) {
    if (u->nap) nap(u->nap);
    return atomic_fetch_add(&u->asked, count) + count > u->fail_after;
}

static bool read_rows(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    world *u = user;
    if (is_due(u, count)) return snprintf(message, size, "row %u is torn", first + 1), false;
    for (uint32_t i = 0; i < count; i++) memcpy(out + (size_t)i * u->n, u->d[first + i], u->n * sizeof *out);
    return true;
}

static bool feed(void *user, size_t count, const uint32_t *i, const uint32_t *j, float *out, char *message,
                 size_t size) {
    world *u = user;
    bool wrong = is_due(u, count);
    if (wrong && !u->says_value) return snprintf(message, size, "no more pairs today"), false;
    for (size_t k = 0; k < count; k++) {
        ck_assert(i[k] < u->n && j[k] < u->n);
        out[k] = wrong ? u->value : u->d[i[k]][j[k]];
    }
    return true;
}

/* ---- worlds ---------------------------------------------------------------------------------------- */

static void make_world(uint32_t n) {
    random_state r = {n};
    w = (world){.n = n, .fail_after = SIZE_MAX};
    random_permutation(&r, n, order);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++)
            w.d[i][j] = w.d[j][i] = (i + 3 * j) % 11 == 5 ? NAN : (float)random_unit(&r);
}

static dist_phase make_phase(int index, uint32_t first, uint32_t n, uint32_t m, uint32_t cycle,
                             uint32_t slots) {
    random_state r = {1000 * n + m};
    random_permutation(&r, m, perms[index]);
    return phases[index] = (dist_phase){first, n, m, cycle, slots, perms[index]};
}

static dist_pager *new_pager(bool fed, int ring, int count, int threads, glshape_status expected) {
    dist_pager *p = NULL;
    dist_pager_options o = {.reader = {.read = fed ? NULL : read_rows, .user = &w, .n = w.n, .unit = 0.5},
                            .feeder = fed ? feed : NULL,
                            .order = order,
                            .phases = phases,
                            .phase_count = count,
                            .threads = threads,
                            .block = 1,
                            .ring = ring};
    live = gpu_live_objects(test_gpu());
    bytes = gpu_bytes(test_gpu());
    ck_assert_msg(dist_pager_new(run_of(test_gpu()), &o, &p) == expected, "%s",
                  run_error(run_of(test_gpu()))->text);
    ck_assert((p != NULL) == !expected);
    return p;
}

/* How many arranged files are mapped. */
static int mapped_files(void) {
    char line[512];
    int count = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f)) count += strstr(line, "glshape-pages") != NULL;
    if (f) fclose(f);
    return count;
}

static void all_gone(dist_pager *p, gpu_texture *page) {
    dist_pager_free(p);
    gpu_texture_free(page);
    ck_assert_int_eq(gpu_live_objects(test_gpu()), live);
    ck_assert_uint_eq(gpu_bytes(test_gpu()), bytes);
    ck_assert_int_eq(mapped_files(), 0);
}

/* ---- pages ----------------------------------------------------------------------------------------- */

static float expected(const dist_phase *p, uint32_t t, uint32_t e, uint32_t k, uint32_t c) {
    uint32_t start = p->perm[e % p->m];
    float d = w.d[order[e]][order[p->perm[(start + 4 * (t * p->slots + k) + c) % p->m]]];
    return isnan(d) ? DIST_NONE : d / 0.5f;
}

static void check_page(const dist_phase *p, uint32_t t, gpu_texture *page, const char *what) {
    float got[MOST * 64];
    uint32_t width = 4 * p->slots;
    ck_assert_uint_eq(page->texels, p->slots);
    ck_assert(!gpu_download(test_gpu(), page, 0, p->n, got));
    for (uint32_t e = p->first; e < p->n; e++)
        for (uint32_t k = 0; k < width; k++)
            ck_assert_msg(got[e * width + k] == expected(p, t, e, k / 4, k % 4),
                          "%s: page %u, element %u of [%u, %u), m %u, slots %u, cycle %u: %g, not %g", what,
                          t, e, p->first, p->n, p->m, p->slots, p->cycle, got[e * width + k],
                          expected(p, t, e, k / 4, k % 4));
}

static void next_page(dist_pager *p, gpu_texture *page) {
    ck_assert_msg(!dist_pager_next(test_gpu(), p, page), "%s", run_error(run_of(test_gpu()))->text);
}

/* Streams `count` pages of a phase, each later than the one before by `wait` milliseconds. */
static void stream(dist_pager *p, int phase, gpu_texture *page, uint32_t count, int wait, const char *what) {
    ck_assert_msg(!dist_pager_start(test_gpu(), p, phase, page), "%s", run_error(run_of(test_gpu()))->text);
    for (uint32_t t = 0; t < count; t++) {
        nap(wait);
        next_page(p, page);
        check_page(&phases[phase], t % phases[phase].cycle, page, what);
    }
}

/* Every ring with fewer pages, as many, multiples and more; one page only; elements of which some are fixed.
 */
START_TEST(every_page_arrives) {
    static const uint32_t cycles[] = {1, 2, 3, 4, 5, 8, 9};
    for (int fed = 0; fed < 2; fed++)
        for (int ring = 1; ring <= GPU_RING; ring++)
            for (size_t k = 0; k < sizeof cycles / sizeof *cycles; k++) {
                gpu_texture page = {0};
                make_world(9);
                make_phase(0, 0, SIXTEEN, SIXTEEN, cycles[k], 1);
                make_phase(1, 5, 5 + SIXTEEN, 5, cycles[k], 1);
                dist_pager *p = new_pager(fed, ring, 2, 3, GLSHAPE_OK);
                stream(p, 0, &page, 2 * cycles[k] + 5, 0, "sixteen");
                stream(p, 1, &page, cycles[k], 0, "interpolated");
                stream(p, 0, &page, 1, 0, "again");
                all_gone(p, &page);
            }
}
END_TEST

/* Points 2 to MOST, several texels, partners wrapping around the permutation several times. */
START_TEST(every_size_arrives) {
    static const struct {
        uint32_t first, n, m, cycle, slots;
    } sizes[] = {{0, 2, 2, 3, 1},    {0, 3, 3, 5, 2},  {1, 2, 1, 2, 1},   {0, MOST, MOST, 7, 2},
                 {8, MOST, 8, 4, 1}, {0, 5, 5, 1, 16}, {39, 40, 39, 6, 1}};
    for (int fed = 0; fed < 2; fed++)
        for (int threads = 1; threads <= 5; threads += 2)
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
                gpu_texture page = {0};
                make_world(sizes[k].n);
                make_phase(0, sizes[k].first, sizes[k].n, sizes[k].m, sizes[k].cycle, sizes[k].slots);
                dist_pager *p = new_pager(fed, 2, 1, threads, GLSHAPE_OK);
                stream(p, 0, &page, 2 * sizes[k].cycle + 1, 0, "sizes");
                all_gone(p, &page);
            }
}
END_TEST

/* The consumer waits for a slow feeder; what it has said once it is not asked again. */
START_TEST(slow_producer) {
    gpu_texture page = {0};
    make_world(MOST);
    make_phase(0, 0, MOST, MOST, 6, 1);
    dist_pager *p = new_pager(true, 2, 1, 1, GLSHAPE_OK);
    w.nap = 20;
    stream(p, 0, &page, 6, 0, "slow producer");
    dist_pager_facts facts = dist_pager_get_facts(p);
    ck_assert(facts.reading_seconds > 0.06);
    stream(p, 0, &page, 12, 1, "known by now");
    ck_assert_uint_eq(dist_pager_get_facts(p).pairs_fed, facts.pairs_fed);
    all_gone(p, &page);
}
END_TEST

/* The feeder waits for a slow consumer, and is never more than the ring ahead. */
START_TEST(slow_consumer) {
    gpu_texture page = {0};
    make_world(MOST);
    make_phase(0, 0, MOST, MOST, 9, 1);
    dist_pager *p = new_pager(true, 2, 1, 1, GLSHAPE_OK);
    ck_assert(!dist_pager_start(test_gpu(), p, 0, &page));
    for (uint32_t t = 0; t < 20; t++) {
        nap(15);
        ck_assert_uint_le(w.asked, (size_t)(t + 2) * MOST * 4);
        next_page(p, &page);
        check_page(&phases[0], t % 9, &page, "slow consumer");
    }
    ck_assert_uint_eq(dist_pager_get_facts(p).pairs_fed, w.asked);
    ck_assert_uint_le(w.asked, MOST * (MOST - 1) / 2);
    all_gone(p, &page);
}
END_TEST

/* ---- ends ------------------------------------------------------------------------------------------ */

/* After any number of pages, while the feeder is at rest or at work: stopped, freed, or another phase begun.
 */
START_TEST(stopped_anywhere) {
    for (int fed = 0; fed < 2; fed++)
        for (uint32_t count = 0; count < 7; count++)
            for (int how = 0; how < 3; how++) {
                gpu_texture page = {0};
                make_world(9);
                make_phase(0, 0, SIXTEEN, SIXTEEN, 3, 1);
                make_phase(1, 0, 9, 9, 2, 2);
                w.nap = fed ? 1 : 0;
                dist_pager *p = new_pager(fed, 2, 2, 1, GLSHAPE_OK);
                stream(p, 0, &page, count, count % 2, "before the end");
                if (how == 1) dist_pager_stop(p);
                if (how) stream(p, 1, &page, 3, 0, "after the end");
                if (how == 2) dist_pager_stop(p), dist_pager_stop(p);
                all_gone(p, &page);
            }
}
END_TEST

/* Takes pages until one fails; the sentence has both parts. */
static void fails_with(dist_pager *p, gpu_texture *page, glshape_status expected, const char *part,
                       const char *other) {
    glshape_status status = dist_pager_start(test_gpu(), p, 0, page);
    for (int t = 0; t < 30 && !status; t++) status = dist_pager_next(test_gpu(), p, page);
    const char *text = run_error(run_of(test_gpu()))->text;
    ck_assert_int_eq(status, expected);
    ck_assert_msg(strstr(text, part) && strstr(text, other), "%s", text);
    ck_assert_int_eq(dist_pager_next(test_gpu(), p, page), expected); /* and stays so */
}

START_TEST(a_feeder_that_fails_half_way) {
    static const struct {
        bool says_value;
        float value;
        const char *part, *other;
    } ways[] = {{false, 0, "the feeder failed", "no more pairs today"},
                {true, INFINITY, "the feeder says that points", "inf"},
                {true, -INFINITY, "the feeder says that points", "-inf"},
                {true, -0.25f, "the feeder says that points", "-0.25"}};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        for (size_t after = 0; after < 500; after += 60) {
            gpu_texture page = {0};
            make_world(MOST);
            make_phase(0, 0, MOST, MOST, 9, 1);
            w.says_value = ways[k].says_value;
            w.value = ways[k].value;
            w.fail_after = after;
            dist_pager *p = new_pager(true, 2, 1, 1, GLSHAPE_OK);
            fails_with(p, &page, ways[k].says_value ? GLSHAPE_BAD_INPUT : GLSHAPE_IO_ERROR, ways[k].part,
                       ways[k].other);
            all_gone(p, &page);
        }
}
END_TEST

/* A feeder that only has NaN: all is missing, and that is an answer. */
START_TEST(a_feeder_of_nan) {
    gpu_texture page = {0};
    make_world(SIXTEEN);
    make_phase(0, 0, SIXTEEN, SIXTEEN, 2, 1);
    for (int i = 0; i < SIXTEEN * MOST; i++)
        if (i / MOST != i % MOST) w.d[i / MOST][i % MOST] = NAN;
    dist_pager *p = new_pager(true, 2, 1, 1, GLSHAPE_OK);
    stream(p, 0, &page, 5, 0, "NaN");
    all_gone(p, &page);
}
END_TEST

START_TEST(a_reader_that_fails_half_way) {
    for (size_t after = 0; after < MOST; after += 13)
        for (int threads = 1; threads < 6; threads += 2) {
            gpu_texture none = {0};
            make_world(MOST);
            make_phase(0, 0, MOST, MOST, 9, 1);
            w.fail_after = after;
            new_pager(false, 2, 1, threads, GLSHAPE_IO_ERROR);
            const char *text = run_error(run_of(test_gpu()))->text;
            ck_assert_msg(strstr(text, "could not be read") && strstr(text, "is torn"), "%s", text);
            ck_assert_uint_le(w.asked, after + (size_t)threads); /* nobody goes on for long */
            all_gone(NULL, &none);
        }
}
END_TEST

/* ---- cancelled, and without a place ---------------------------------------------------------------- */

static bool count_down(void *user, double fraction) {
    ck_assert(fraction >= 0 && fraction <= 1);
    return --*(int *)user > 0;
}

START_TEST(a_scan_is_cancelled) {
    static const int calls[] = {1, 2, 7, 25, 39, 1}, threads[] = {1, 1, 1, 1, 1, 3};
    for (int k = 0; k < 6; k++) {
        gpu_texture none = {0};
        int left = calls[k];
        make_world(MOST);
        make_phase(0, 0, MOST, MOST, 9, 1);
        w.nap = threads[k] > 1 ? 10 : 0; /* time enough for this thread to have its turn */
        run_set_progress(run_of(test_gpu()), count_down, &left);
        new_pager(false, 2, 1, threads[k], GLSHAPE_CANCELLED);
        run_set_progress(run_of(test_gpu()), NULL, NULL);
        ck_assert_uint_lt(w.asked, MOST);
        if (threads[k] == 1) ck_assert_uint_eq(w.asked, (size_t)calls[k]);
        all_gone(NULL, &none);
    }
}
END_TEST

START_TEST(no_place_for_pages) {
    char *old = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    gpu_texture none = {0};
    make_world(SIXTEEN);
    make_phase(0, 0, SIXTEEN, SIXTEEN, 2, 1);
    setenv("TMPDIR", "/nowhere/at/all", 1);
    new_pager(false, 2, 1, 1, GLSHAPE_IO_ERROR);
    ck_assert_msg(strstr(run_error(run_of(test_gpu()))->text, "TMPDIR") != NULL, "%s",
                  run_error(run_of(test_gpu()))->text);
    old ? setenv("TMPDIR", old, 1) : unsetenv("TMPDIR");
    free(old);
    all_gone(NULL, &none);
}
END_TEST

Suite *dist_pager_suite(void) {
    Suite *s = suite_create("dist/pager");
    TCase *t = tcase_create("pager");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, every_page_arrives);
    tcase_add_test(t, every_size_arrives);
    tcase_add_test(t, slow_producer);
    tcase_add_test(t, slow_consumer);
    tcase_add_test(t, stopped_anywhere);
    tcase_add_test(t, a_feeder_that_fails_half_way);
    tcase_add_test(t, a_feeder_of_nan);
    tcase_add_test(t, a_reader_that_fails_half_way);
    tcase_add_test(t, a_scan_is_cancelled);
    tcase_add_test(t, no_place_for_pages);
    suite_add_tcase(s, t);
    return s;
}
