/* rips against its twin: the columns that the passes leave, and the pairs, simplices included. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "persistence/reduce.h"
#include "rips/enumerate.h"
#include "rips/first.h"
#include "rips/golden.h"
#include "rips/graph.h"
#include "rips/isolated.h"
#include "rips/shapes.h"
#include "rips/short.h"
#include "rips/wide.h"

/* ---- the passes --------------------------------------------------------------------------------- */

static rips_space space_of(const ref_rips *r, int most_vertices, uint32_t modulus) {
    error err = {0};
    float greatest = 0;
    rips_space s = {.n = r->n, .threshold = r->threshold};
    OK(&err, allocate(&err, &s.distance, (size_t)r->n * r->n, sizeof *s.distance, "distances"));
    memcpy(s.distance, r->distances, (size_t)r->n * r->n * sizeof *s.distance);
    for (size_t k = 0; k < (size_t)r->n * r->n; k++)
        if (s.distance[k] < INFINITY) greatest = fmaxf(greatest, s.distance[k]);
    s.threshold = fminf(s.threshold, greatest);
    OK(&err, rips_space_prepare(&err, &s, most_vertices, modulus));
    return s;
}

/* Simplices beyond dimension 1 that the twin leaves are those that we leave; of edges ours are also those
 * that end a point (of length 0), which the tree clears. */
static void compare_columns(const ref_rips *r, int dim, const rips_columns *c) {
    size_t count, at = 0;
    ref_simplex *left = ref_rips_left(r, dim, &count);
    for (size_t k = 0; k < c->count; k++) {
        if (dim == 1 && c->items[k].value == 0) continue;
        ck_assert_uint_lt(at, count);
        ck_assert_uint_eq(c->items[k].index, left[at].index);
        ck_assert(c->items[k].value == left[at].diameter);
        at++;
    }
    while (dim == 1 && at < count && left[at].diameter == 0) at++;
    ck_assert_uint_eq(at, count);
    free(left);
}

/* The first cofacets that a pass finds are those of all that the processor makes. */
static void compare_first(rips_enumeration *e, int dim, const rips_columns *c) {
    persistence_first *first = calloc(c->count + 1, sizeof *first);
    cell *made = calloc(e->s->n, sizeof *made);
    OK(run_error(run_of(e->g)), rips_find_first(e, dim, c, first));
    for (size_t k = 0; k < c->count; k++) {
        const cell_range all = {-INFINITY, e->s->threshold};
        size_t count = rips_cofacets(e->s, c->items[k], dim + 1, all, made), least = 0;
        ck_assert_uint_eq(first[k].cofacets, count);
        for (size_t i = 1; i < count; i++)
            if (cell_before(made[i].value, made[i].index, made[least].value, made[least].index)) least = i;
        if (!count) continue;
        ck_assert_uint_eq(first[k].cell.index, made[least].index);
        ck_assert_uint_eq(first[k].cell.coefficient, made[least].coefficient);
        ck_assert(first[k].cell.value == made[least].value);
    }
    free(first);
    free(made);
}

/* The columns of all dimensions, by passes and, where there are lists, by threads. */
static void compare_enumerations(gpu *g, const ref_rips *r, const rips_space *s) {
    rips_enumeration e;
    OK(run_error(run_of(g)), rips_enumeration_new(g, s, !s->distance, &e));
    OK(run_error(run_of(g)), rips_enumeration_upload(&e, false));
    for (int dim = 1; dim <= 4 && dim < (int)r->n; dim++)
        for (int threads = 0; threads <= (s->distance ? 0 : 1); threads++) {
            rips_columns c;
            OK(run_error(run_of(g)), threads ? rips_enumerate_sparse(run_error(run_of(g)), s, dim + 1, 1, &c)
                                             : rips_enumerate(&e, dim + 1, &c));
            compare_columns(r, dim, &c);
            if (s->distance) compare_first(&e, dim, &c);
            rips_columns_free(&c);
        }
    rips_enumeration_free(&e);
}

/* lists: the space keeps lists of neighbors in place of its matrix. */
static void columns_of(const shape *shape, bool lists) {
    gpu *g = test_gpu();
    ref_rips r = shapes_make(shape);
    rips_space s = space_of(&r, 6, lists ? 2 : 3);
    if (lists) {
        OK(run_error(run_of(g)), rips_graph_of_matrix(run_error(run_of(g)), &s, true));
        s.lists_are_short = true;
        free(MOVE(s.distance));
    }
    compare_enumerations(g, &r, &s);
    rips_space_free(&s);
}

/* A column that all threads reduce at once has the pivot that it has otherwise. */
static void deaths_of(const rips_space *s, int dim, const rips_columns *c, uint64_t long_after, int threads,
                      const persistence_device *device, persistence_death *out) {
    error err = {0};
    filtered_complex complex = rips_complex(s);
    persistence_work work = {0};
    const persistence_job job = {.complex = &complex,
                                 .dim = dim,
                                 .columns = c->items,
                                 .count = (uint32_t)c->count,
                                 .threads = threads,
                                 .long_after = long_after,
                                 .device = device};
    OK(&err, persistence_reduce(&err, &job, out, &work));
}

static void compare_long(const ref_rips *r, uint32_t modulus, bool lists) {
    error err = {0};
    rips_space s = space_of(r, 5, modulus);
    OK(&err, rips_graph_of_matrix(&err, &s, true));
    s.lists_are_short = lists;
    for (int dim = 1; dim <= 3 && dim < (int)r->n; dim++) {
        rips_columns c;
        OK(&err, rips_enumerate_sparse(&err, &s, dim + 1, 1, &c));
        persistence_death *a = calloc(c.count + 1, sizeof *a), *b = calloc(c.count + 1, sizeof *b);
        deaths_of(&s, dim, &c, UINT64_MAX, 1, NULL, a);
        for (int k = 0; k < 4; k++) {
            deaths_of(&s, dim, &c, k % 2 ? 40 : 1, 1 + k, NULL, b);
            for (size_t i = 0; i < c.count; i++)
                ck_assert(a[i].index == b[i].index && a[i].value == b[i].value);
        }
        free(a);
        free(b);
        rips_columns_free(&c);
    }
    rips_space_free(&s);
}

START_TEST(long_columns) {
    static const uint32_t moduli[] = {2, 3, 2, 7};
    shapes_dice.state = 50 + (uint64_t)_i;
    for (int round = 0; round < hunt(ROUNDS, 100); round++) {
        ref_rips r = shapes_make(&shapes_all[_i]);
        compare_long(&r, moduli[round % 4], round % 2);
    }
}
END_TEST

/* The same by passes. room: cells of a range of values; 0: as many as suit the device. Returns how many
 * columns the device has begun. */
static uint64_t compare_on_device(const ref_rips *r, uint32_t modulus, uint64_t long_after, uint32_t room,
                                  int dims) {
    gpu *g = test_gpu();
    rips_space s = space_of(r, 5, modulus);
    rips_enumeration e;
    uint64_t made = 0;
    OK(run_error(run_of(g)), rips_graph_of_matrix(run_error(run_of(g)), &s, true));
    OK(run_error(run_of(g)), rips_enumeration_new(g, &s, false, &e));
    OK(run_error(run_of(g)), rips_enumeration_upload(&e, false));
    for (int dim = 1; dim <= dims && dim < (int)r->n; dim++) {
        rips_columns c;
        rips_wide wide = {0};
        persistence_device device;
        OK(run_error(run_of(g)), rips_enumerate_sparse(run_error(run_of(g)), &s, dim + 1, 1, &c));
        persistence_death *a = calloc(c.count + 1, sizeof *a), *b = calloc(c.count + 1, sizeof *b);
        rips_wide_begin(g, &s, &e.dist, dim, &wide, &device);
        wide.room = room;
        deaths_of(&s, dim, &c, UINT64_MAX, 1, NULL, a);
        deaths_of(&s, dim, &c, long_after, 2, &device, b);
        for (size_t i = 0; i < c.count; i++) ck_assert(a[i].index == b[i].index && a[i].value == b[i].value);
        made += wide.columns;
        rips_wide_free(&wide);
        free(a);
        free(b);
        rips_columns_free(&c);
    }
    rips_enumeration_free(&e);
    rips_space_free(&s);
    return made;
}

START_TEST(long_columns_by_passes) {
    static const uint32_t moduli[] = {2, 3, 32749, 7}, rooms[] = {0, 0, 64, 600};
    shapes_dice.state = 70 + (uint64_t)_i;
    for (int round = 0; round < hunt(2, 20); round++) {
        ref_rips r = shapes_make(&shapes_all[_i]);
        compare_on_device(&r, moduli[(_i + round) % 4], round % 2 ? 40 : 1, rooms[(_i + round / 2) % 4], 3);
    }
}
END_TEST

/* Short columns by passes end as threads end them, whatever is left to threads. */
/* lists: RIPS_OF_MATRIX … */
static void compare_short(const ref_rips *r, uint32_t modulus, int lists, rips_short_room room,
                          uint64_t *reduced, uint64_t *left) {
    gpu *g = test_gpu();
    error *err = run_error(run_of(g));
    rips_space s = space_of(r, 5, modulus);
    const filtered_complex complex = rips_complex(&s);
    rips_enumeration e;
    OK(err, rips_graph_of_matrix(err, &s, true));
    if (lists == RIPS_OF_LISTS) {
        s.lists_are_short = true;
        free(MOVE(s.distance));
    }
    OK(err, rips_enumeration_new(g, &s, lists != RIPS_OF_MATRIX, &e));
    OK(err, rips_enumeration_upload(&e, false));
    OK(err, rips_enumeration_add_for_short(&e));
    for (int dim = 1; dim <= 3 && dim < (int)r->n; dim++) {
        rips_columns c;
        rips_short some = {0};
        persistence_work work = {0};
        OK(err, rips_enumerate_sparse(err, &s, dim + 1, 1, &c));
        persistence_death *a = calloc(c.count + 1, sizeof *a), *b = calloc(c.count + 1, sizeof *b);
        uint64_t *oldest = calloc(2 * c.count + 1, sizeof *oldest);
        persistence_job job = {.complex = &complex,
                               .dim = dim,
                               .columns = c.items,
                               .count = (uint32_t)c.count,
                               .threads = 2,
                               .oldest = oldest};
        OK(err, persistence_reduce(err, &job, a, &work));
        if (c.count) OK(err, rips_short_by_passes(&e, dim, &c, room, true, &some));
        job.reduced = some.reduced;
        job.first = some.first;
        job.oldest = oldest + c.count;
        OK(err, persistence_reduce(err, &job, b, &work));
        for (size_t i = 0; i < c.count; i++)
            ck_assert(a[i].index == b[i].index && a[i].value == b[i].value && oldest[i] == job.oldest[i]);
        *reduced += c.count - some.left;
        *left += some.left;
        rips_short_free(&some);
        free(a);
        free(b);
        free(oldest);
        rips_columns_free(&c);
    }
    rips_enumeration_free(&e);
    rips_space_free(&s);
}

START_TEST(short_columns_by_passes) {
    static const uint32_t moduli[] = {2, 3, 32749, 7};
    static const rips_short_room rooms[] = {
        {64, 8, 1u << 16, false, 20}, {96, 96, 1u << 16, true, 0}, {640, 320, 2000, true, 0}};
    uint64_t reduced = 0, left = 0;
    shapes_dice.state = 90 + (uint64_t)_i;
    for (int round = 0; round < hunt(6, 60); round++) {
        ref_rips r = shapes_make(&shapes_all[_i]);
        compare_short(&r, moduli[(_i + round) % 4], round % 3,
                      round == 2  ? RIPS_SHORT_ROOM_OF_LISTS
                      : round < 2 ? RIPS_SHORT_ROOM
                                  : rooms[(round + _i) % 3],
                      &reduced, &left);
    }
    ck_assert_uint_ge(2 * reduced, left);
}
END_TEST

/* Cells of one value for which there is no room: the device gives the column up, and threads reduce it. */
START_TEST(long_columns_of_ties) {
    enum { N = 40 };
    shapes_dice.state = 80;
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            shapes_matrix[i * N + j] = shapes_matrix[j * N + i] =
                i == j ? 0 : (float)(1 + (int)(3 * random_unit(&shapes_dice)));
    ref_rips r = {N, shapes_matrix, INFINITY, NULL};
    ck_assert(compare_on_device(&r, 2, 1, 64, 2));
    ck_assert(compare_on_device(&r, 3, 1, 2000, 2));
}
END_TEST

#define BELOW_LIMIT 220 /* points that have a long column in dimension 1 */

/* Fills out with the distances of n points of a projective plane, whose longest columns are long. */
static ref_rips projective_plane(uint32_t n, float *out) {
    double x[BELOW_LIMIT][3];
    shapes_dice.state = 60;
    for (uint32_t i = 0; i < n; i++) {
        double z = 2 * random_unit(&shapes_dice) - 1, angle = 7 * random_unit(&shapes_dice),
               r = sqrt(1 - z * z);
        x[i][0] = r * cos(angle), x[i][1] = r * sin(angle), x[i][2] = z;
        for (uint32_t j = 0; j < i; j++) {
            double cosine = fabs(x[i][0] * x[j][0] + x[i][1] * x[j][1] + x[i][2] * x[j][2]);
            out[i * n + j] = out[j * n + i] = (float)acos(fmin(cosine, 1));
        }
        out[i * n + i] = 0;
    }
    return (ref_rips){n, out, INFINITY, NULL};
}

START_TEST(long_columns_of_a_projective_plane) {
    ref_rips r = projective_plane(MOST, shapes_matrix);
    /* In the first no driver has a part; of the others a second one takes that with fewer cells. */
    if (!is_second_driver()) compare_long(&r, 2, false);
    for (uint32_t k = is_second_driver(); k < 2; k++)
        ck_assert(compare_on_device(&r, 2 + k, 4000, k * 3000, 2));
}
END_TEST

/* Memory that is too little for a long column on the device leaves it to threads, also if the device is
 * named. */
START_TEST(long_columns_in_little_memory) {
    static const size_t limits[] = {0, (size_t)17 << 20, (size_t)40 << 20};
    static float matrix[BELOW_LIMIT * BELOW_LIMIT];
    ref_rips r = projective_plane(BELOW_LIMIT, matrix);
    const glshape_source source = {.reader = shapes_read, .user = &r, .n = r.n};
    glshape_rips_result results[3];
    for (int k = 0; k < 3; k++) {
        glshape_context *c;
        ck_assert(!glshape_open(&(glshape_options){.gpu_memory = limits[k], .device = test_device()}, &c));
        ck_assert_msg(!glshape_rips(c, &source, NULL, &results[k]), "%s", glshape_last_error(c));
        if (k < 2) ck_assert(fact_of(c, "dimension 1: long columns by passes") == !k);
        ck_assert_uint_eq(results[k].count, results[0].count);
        for (size_t i = 0; i < results[0].count; i++)
            ck_assert(results[k].intervals[i].death_simplex == results[0].intervals[i].death_simplex);
        glshape_close(c);
    }
    for (int k = 0; k < 3; k++) glshape_rips_free(&results[k]);
}
END_TEST

START_TEST(columns) {
    shapes_dice.state = (uint64_t)_i;
    for (int round = 0; round < ROUNDS; round++) columns_of(&shapes_all[_i], round % 2);
}
END_TEST

/* ---- lists of neighbors by passes ------------------------------------------------------------------ */

/* A graph of n nodes whose degrees differ much: node v has `degree` edges to nodes below it, the first of
 * them to one of few hubs. Lengths are few, so that many are equal. */
static rips_space random_graph(uint32_t n, uint32_t degree, uint32_t hubs, int most_vertices) {
    rips_space s = {.n = n, .threshold = 9, .greatest = 9};
    OK(&(error){0}, allocate(&(error){0}, &s.distance, (size_t)n * n, sizeof *s.distance, "distances"));
    for (size_t k = 0; k < (size_t)n * n; k++) s.distance[k] = k % (n + 1) ? 99 : 0;
    for (uint32_t v = 1; v < n; v++)
        for (uint32_t k = 0; k < degree; k++) {
            uint32_t below = k          ? v
                             : v < hubs ? v
                                        : hubs,
                     to = (uint32_t)(random_unit(&shapes_dice) * below) % below;
            s.distance[v * n + to] = s.distance[to * n + v] =
                (float)(1 + (int)(8 * random_unit(&shapes_dice)));
        }
    OK(&(error){0}, rips_space_prepare(&(error){0}, &s, most_vertices, 2));
    OK(&(error){0}, rips_graph_of_matrix(&(error){0}, &s, true));
    s.lists_are_short = true;
    free(MOVE(s.distance));
    return s;
}

static void compare_lists(const rips_space *s, int vertices) {
    gpu *g = test_gpu();
    rips_enumeration e;
    rips_columns device, cpu;
    OK(run_error(run_of(g)), rips_enumeration_new(g, s, !s->distance, &e));
    OK(run_error(run_of(g)), rips_enumeration_upload(&e, false));
    OK(run_error(run_of(g)), rips_enumerate(&e, vertices, &device));
    OK(run_error(run_of(g)), rips_enumerate_sparse(run_error(run_of(g)), s, vertices, 2, &cpu));
    ck_assert(!e.too_many && device.count == cpu.count && cpu.count > 0);
    for (size_t k = 0; k < cpu.count; k++)
        ck_assert(device.items[k].index == cpu.items[k].index && device.items[k].value == cpu.items[k].value);
    rips_columns_free(&device);
    rips_columns_free(&cpu);
    rips_enumeration_free(&e);
}

START_TEST(graphs) {
    static const uint32_t shape[][3] = {{300, 20, 1}, {700, 40, 3}, {1000, 12, 2}, {2000, 30, 1900}};
    shapes_dice.state = 300 + (uint64_t)_i;
    rips_space s = random_graph(shape[_i][0], shape[_i][1], shape[_i][2], 6);
    for (int vertices = 2; vertices <= 4; vertices++) compare_lists(&s, vertices);
    rips_space_free(&s);
}
END_TEST

static rips_space clique(uint32_t n) {
    error err = {0};
    rips_space s = {.n = n, .threshold = 1, .greatest = 1};
    OK(&err, allocate(&err, &s.distance, (size_t)n * n, sizeof *s.distance, "distances"));
    for (size_t k = 0; k < (size_t)n * n; k++) s.distance[k] = k % (n + 1) ? 1 : 0;
    OK(&err, rips_space_prepare(&err, &s, 4, 2));
    OK(&err, rips_graph_of_matrix(&err, &s, true));
    return s;
}

/* All points of a clique are in the lune of its longest edge: a group has room for them or not. */
START_TEST(lunes_too_large) {
    gpu *g = test_gpu();
    rips_enumeration e;
    rips_columns c;
    for (uint32_t n = 65; n < 69; n++) {
        rips_space s = clique(n);
        OK(run_error(run_of(g)), rips_enumeration_new(g, &s, true, &e));
        OK(run_error(run_of(g)), rips_enumeration_upload(&e, false));
        e.longest = 64; /* so that there is room for 64 points */
        OK(run_error(run_of(g)), rips_enumerate(&e, 3, &c));
        ck_assert(e.too_many == (n > 66));
        ck_assert_uint_eq(c.count, 0); /* each triangle of a clique is in an apparent pair */
        rips_columns_free(&c);
        rips_enumeration_free(&e);
        rips_space_free(&s);
    }
}
END_TEST

/* Two hubs with more common neighbors than a group has room for: threads find the triangles. */
START_TEST(hubs_with_common_neighbors) {
    enum { LEAVES = 2100, N = LEAVES + 2 };
    glshape_context *contexts[2] = {shapes_context, NULL};
    glshape_rips_result r[2];
    size_t start[N + 1] = {0}, at = 0;
    uint32_t *to = calloc(4 * N + 2, sizeof *to);
    float *weight = calloc(4 * N + 2, sizeof *weight);
    for (uint32_t v = 0; v < N; start[++v] = at)
        for (uint32_t w = 0; w < N; w++) {
            if (v == w || (v > 1 && w > 1)) continue;
            to[at] = w;
            weight[at++] = v < 2 && w < 2 ? 3 : 1 + (float)((v + w) % 5) / 4;
        }
    glshape_graph graph = {N, start, to, weight};
    ck_assert_int_eq(glshape_open(&(glshape_options){.debug = true}, &contexts[1]), GLSHAPE_OK);
    for (int how = 0; how < 2; how++) {
        const glshape_rips_options o = {
            .dim = GLSHAPE_SET(2), .collapse = how ? GLSHAPE_RIPS_COLLAPSE_ON : GLSHAPE_RIPS_COLLAPSE_OFF};
        for (int k = 0; k < 2; k++)
            ck_assert_int_eq(glshape_rips(contexts[k], &(glshape_source){.graph = &graph}, &o, &r[k]),
                             GLSHAPE_OK);
        ck_assert_uint_eq(r[0].count, r[1].count);
        for (size_t k = 0; k < r[0].count; k++)
            ck_assert(r[0].intervals[k].birth_simplex == r[1].intervals[k].birth_simplex &&
                      r[0].intervals[k].death_simplex == r[1].intervals[k].death_simplex);
        for (int k = 0; k < 2; k++) glshape_rips_free(&r[k]);
    }
    ck_assert_int_eq(glshape_close(contexts[1]), 0);
    free(to);
    free(weight);
}
END_TEST

/* ---- the whole ---------------------------------------------------------------------------------- */

START_TEST(pairs) {
    static const int moduli[] = {2, 3, 7, 2}, threads[] = {1, 2, 1, 7};
    shapes_dice.state = 100 + (uint64_t)_i;
    for (int round = 0; round < ROUNDS; round++) {
        ref_rips r = shapes_make(&shapes_all[_i]);
        int top = r.n < 13 ? 3 : 2;
        glshape_rips_options o = {
            .dim = GLSHAPE_SET(top), .modulus = moduli[round], .threads = threads[round]};
        glshape_rips_result result = shapes_intervals(&r, o);
        shapes_compare(&result, &r, top, (uint32_t)moduli[round]);
        glshape_rips_free(&result);
    }
}
END_TEST

/* Left out, dim is 1; dimension 0 can be asked for. */
START_TEST(dimensions) {
    shapes_dice.state = 150;
    ref_rips r = shapes_make(&shapes_all[8]);
    for (int top = -1; top < 2; top++) {
        glshape_rips_result result = shapes_intervals(
            &r, (glshape_rips_options){.dim = top < 0 ? (glshape_optional){0} : GLSHAPE_SET(top)});
        ck_assert_int_eq(result.dim, top < 0 ? 1 : top);
        shapes_compare(&result, &r, result.dim, 2);
        glshape_rips_free(&result);
    }
}
END_TEST

START_TEST(sparse) {
    shapes_dice.state = 200 + (uint64_t)_i;
    for (int round = 0; round < ROUNDS; round++) {
        ref_rips r = shapes_make(&shapes_all[_i]);
        shapes_compare_graph(&r, &r, (glshape_rips_options){.threads = 1 + round});
        r = shapes_make_gaps(&shapes_all[_i]);
        shapes_compare_graph(&r, &r, (glshape_rips_options){.threads = 1 + round});
    }
}
END_TEST

/* ---- points without neighbours -------------------------------------------------------------------- */

/* A ring of four points among 900,001. Its edges come by falling name: (d,c) (d,a) (c,b) end points, (b,a)
 * begins the loop. */
enum { RING_A = 3, RING_B = 1000, RING_C = 70000, RING_D = 900000 };
static const uint32_t ring[] = {RING_A, RING_B, RING_C, RING_D};

static glshape_simplex edge_name(uint32_t high, uint32_t low) { return ref_binomial(high, 2) + low; }

static glshape_rips_result rips_of_ring(void) {
    size_t *start = calloc(RING_D + 2, sizeof *start);
    uint32_t to[8];
    for (uint32_t v = 0, k = 0; v <= RING_D; v++) {
        start[v] = 2 * k;
        if (k < 4 && v == ring[k]) to[2 * k] = ring[(k + 1) % 4], to[2 * k + 1] = ring[(k + 3) % 4], k++;
        start[v + 1] = 2 * k;
    }
    glshape_graph g = {RING_D + 1, start, to, NULL};
    glshape_rips_result result;
    glshape_rips_options o = {.cocycles = true};
    ck_assert_int_eq(glshape_rips(shapes_context, &(glshape_source){.graph = &g}, &o, &result), GLSHAPE_OK);
    free(start);
    return result;
}

START_TEST(results_have_the_numbers_of_all_points) {
    glshape_rips_result r = rips_of_ring();
    const glshape_interval *i = r.intervals;
    const glshape_simplex deaths[] = {edge_name(RING_D, RING_C), edge_name(RING_D, RING_A),
                                      edge_name(RING_C, RING_B)};
    const uint32_t dead[] = {RING_C, RING_A, RING_B};
    ck_assert_uint_eq(r.n, RING_D + 1);
    ck_assert_uint_eq(r.count, RING_D + 2);
    for (int k = 0; k < 3; k++)
        ck_assert(i[k].birth_simplex == dead[k] && i[k].death_simplex == deaths[k] && i[k].death == 1);
    i += 3;
    for (uint32_t v = RING_D + 1; v-- > 0;) {
        if (v == RING_A || v == RING_B || v == RING_C) continue;
        ck_assert(i->dim == 0 && i->birth_simplex == v && i->death == INFINITY);
        ck_assert(i++->death_simplex == GLSHAPE_NO_SIMPLEX);
    }
    ck_assert(i->dim == 1 && i->birth == 1 && i->death == INFINITY);
    ck_assert_uint_eq(i->birth_simplex, edge_name(RING_B, RING_A));
    ck_assert_uint_eq(r.cocycle_count, 1);
    ck_assert_uint_eq(r.cocycles->interval, RING_D + 1);
    size_t of_ring = 0;
    for (size_t t = 0; t < r.cocycles->count; t++)
        for (int k = 0; k < 4; k++) {
            uint32_t a = ring[k], b = ring[(k + 1) % 4];
            of_ring += r.cocycles->terms[t].simplex == edge_name(a > b ? a : b, a > b ? b : a);
        }
    ck_assert_uint_eq(of_ring, r.cocycles->count); /* no other edge is there */
    ck_assert_uint_eq(of_ring % 2, 1);             /* no coboundary */
    glshape_rips_free(&r);
}
END_TEST

START_TEST(points_without_neighbours_are_not_carried) {
    error err = {0};
    rips_kept kept = {0};
    rips_space s = {.n = 9};
    OK(&err, allocate(&err, &s.graph.start, 10, sizeof *s.graph.start, "a graph"));
    OK(&err, allocate(&err, &s.graph.point, 2, sizeof *s.graph.point, "a graph"));
    for (int v = 5; v <= 9; v++) s.graph.start[v] = v > 7 ? 2 : 1; /* 4 and 7 are joined */
    s.graph.point[0] = 7;
    s.graph.point[1] = 4;
    OK(&err, rips_drop_isolated(&err, &s, &kept));
    ck_assert(s.n == 2 && kept.n == 9 && kept.point[0] == 4 && kept.point[1] == 7);
    ck_assert(s.graph.start[0] == 0 && s.graph.start[1] == 1 && s.graph.start[2] == 2);
    ck_assert(s.graph.point[0] == 1 && s.graph.point[1] == 0);
    rips_kept_free(&kept);
    rips_space_free(&s);
}
END_TEST

/* Points: the matrix, and lists of neighbours found by the sweep, give the same intervals. */
START_TEST(points) {
    enum { N = 300, WIDTH = 3 };
    static float rows[N * WIDTH];
    static const glshape_metric metrics[] = {GLSHAPE_METRIC_EUCLIDEAN, GLSHAPE_METRIC_MANHATTAN,
                                             GLSHAPE_METRIC_COSINE, GLSHAPE_METRIC_CORRELATION};
    shapes_dice.state = 300;
    for (int k = 0; k < N * WIDTH; k++)
        rows[k] = (float)random_below(&shapes_dice, 64) / 16 + 1 + (float)(k % 3) / 7;
    glshape_matrix m = {GLSHAPE_F32, N, WIDTH, rows};
    for (int k = 0; k < 4; k++) {
        glshape_source source = {.points = &m, .metric = metrics[k]};
        glshape_rips_options o = {.threshold = GLSHAPE_SET(k < 2 ? 0.8f : 0.003f)};
        glshape_rips_result dense, lists;
        ck_assert_int_eq(glshape_rips(shapes_context, &source, &o, &dense), GLSHAPE_OK);
        o.sparse = true;
        ck_assert_int_eq(glshape_rips(shapes_context, &source, &o, &lists), GLSHAPE_OK);
        ck_assert_uint_eq(dense.count, lists.count);
        if (k < 2) ck_assert_int_eq(dense.intervals[dense.count - 1].dim, 1);
        for (size_t i = 0; i < dense.count; i++)
            ck_assert(shapes_same(&dense.intervals[i], &lists.intervals[i]));
        glshape_rips_free(&dense);
        glshape_rips_free(&lists);
    }
}
END_TEST

/* Most points are neighbors: an edge has more of them in common than are listed at once. */
START_TEST(many_common_neighbors) {
    enum { N = 180, WIDTH = 2 };
    static float rows[N * WIDTH];
    shapes_dice.state = 302;
    for (int k = 0; k < N * WIDTH; k++) rows[k] = (float)random_below(&shapes_dice, 1 << 20) / (1 << 20);
    glshape_matrix m = {GLSHAPE_F32, N, WIDTH, rows};
    glshape_source source = {.points = &m};
    for (uint32_t modulus = 2; modulus < 4; modulus++) {
        glshape_rips_options o = {.threshold = GLSHAPE_SET(0.9f), .modulus = modulus};
        glshape_rips_result dense, lists;
        ck_assert_int_eq(glshape_rips(shapes_context, &source, &o, &dense), GLSHAPE_OK);
        o.sparse = true;
        ck_assert_int_eq(glshape_rips(shapes_context, &source, &o, &lists), GLSHAPE_OK);
        ck_assert_uint_eq(dense.count, lists.count);
        ck_assert_int_eq(dense.intervals[dense.count - 1].dim, 1);
        for (size_t i = 0; i < dense.count; i++)
            ck_assert(shapes_same(&dense.intervals[i], &lists.intervals[i]));
        glshape_rips_free(&dense);
        glshape_rips_free(&lists);
    }
}
END_TEST

/* Distances of integers in units of 2^-10. */
typedef struct lattice {
    int n, width, *at;
    glshape_metric metric;
} lattice;

static float lattice_distance(const lattice *l, int i, int j) {
    double sum = 0;
    for (int c = 0; c < l->width; c++) {
        double d = fabs((double)(l->at[i * l->width + c] - l->at[j * l->width + c]));
        if (l->metric == GLSHAPE_METRIC_CHEBYSHEV) sum = fmax(sum, d);
        else sum += l->metric == GLSHAPE_METRIC_EUCLIDEAN ? d * d : d;
    }
    return (float)((l->metric == GLSHAPE_METRIC_EUCLIDEAN ? sqrt(sum) : sum) / 1024);
}

static bool read_lattice(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    const lattice *l = user;
    (void)message, (void)size;
    for (uint32_t i = first; i < first + count; i++)
        for (int j = 0; j < l->n; j++) *out++ = lattice_distance(l, (int)i, j);
    return true;
}

static void check_lattice(lattice *l, const glshape_matrix *m, float threshold) {
    glshape_source near = {.reader = read_lattice, .user = l, .n = (size_t)l->n},
                   far = {.points = m, .metric = l->metric};
    glshape_rips_options o = {.threshold = GLSHAPE_SET(threshold)};
    glshape_rips_result want, got;
    ck_assert_int_eq(glshape_rips(shapes_context, &near, &o, &want), GLSHAPE_OK);
    for (int sparse = 0; sparse < 2; sparse++) {
        o.sparse = sparse;
        ck_assert_int_eq(glshape_rips(shapes_context, &far, &o, &got), GLSHAPE_OK);
        ck_assert_uint_eq(want.count, got.count);
        for (size_t i = 0; i < got.count; i++) ck_assert(shapes_same(&want.intervals[i], &got.intervals[i]));
        glshape_rips_free(&got);
    }
    glshape_rips_free(&want);
}

/* Points far from the origin have the intervals that they have near it: as a matrix, by the sweep and
 * through the index. */
START_TEST(far_points) {
    enum { MOST = 1200, WIDTH = 2 };
    static double rows[MOST * WIDTH];
    static int at[MOST * WIDTH];
    static const double offsets[] = {0, 1e6, 5400000, 1e7, -3e9};
    static const glshape_metric metrics[] = {GLSHAPE_METRIC_EUCLIDEAN, GLSHAPE_METRIC_MANHATTAN,
                                             GLSHAPE_METRIC_CHEBYSHEV};
    shapes_dice.state = 310;
    for (int turn = 0; turn < 15; turn++) {
        int n = turn % 5 ? 80 : MOST;
        lattice l = {n, WIDTH, at, metrics[turn % 3]};
        for (int k = 0; k < n * WIDTH; k++) {
            at[k] = (int)random_below(&shapes_dice, 3000);
            rows[k] = offsets[turn % 5] + at[k] * 0x1p-10 + (k % WIDTH ? 450000 : 0);
        }
        glshape_matrix m = {GLSHAPE_F64, (size_t)n, WIDTH, rows};
        check_lattice(&l, &m, n == MOST ? 0.15f : lattice_distance(&l, 0, 1));
    }
}
END_TEST

/* Steps that double come to where single steps come. */
START_TEST(skips) {
    uint32_t point[200];
    shapes_dice.state = 330;
    for (int turn = 0; turn < 2000; turn++) {
        size_t n = random_below(&shapes_dice, 200), first, last, up, down;
        for (size_t k = 0; k < n; k++)
            point[k] = (k ? point[k - 1] : 0) + 1 + random_below(&shapes_dice, turn % 3 ? 2 : 40);
        first = random_below(&shapes_dice, (uint32_t)n + 1);
        last = first + random_below(&shapes_dice, (uint32_t)(n - first) + 1);
        uint32_t p = random_below(&shapes_dice, turn % 3 ? 400 : 5000);
        for (up = first; up < last && point[up] < p;) up++;
        for (down = last; down > first && point[down - 1] > p;) down--;
        ck_assert_uint_eq(rips_skip_up(point, first, last, p), up);
        ck_assert_uint_eq(rips_skip_down(point, first, last, p), down);
    }
}
END_TEST

/* A star, whose hub is the first point or the last: every leaf joins at its distance, in time that does not
 * grow with the square of the hub's degree (12 s on an idle core, where it does). */
START_TEST(hubs) {
    enum { LEAVES = 60000 };
    size_t *start = calloc(LEAVES + 2, sizeof *start);
    uint32_t *to = calloc(2 * LEAVES, sizeof *to);
    float *weight = calloc(2 * LEAVES, sizeof *weight);
    for (int last = 0; last < 2; last++) {
        uint32_t hub = last ? LEAVES : 0;
        size_t at = 0;
        for (uint32_t v = 0; v <= LEAVES; start[++v] = at)
            for (uint32_t k = 0; k < (v == hub ? LEAVES : 1u); k++) {
                uint32_t leaf = v == hub ? k + !last : v;
                to[at] = v == hub ? leaf : hub;
                weight[at++] = (float)(1 + (uint64_t)leaf * 7919 % 1000003);
            }
        glshape_graph graph = {LEAVES + 1, start, to, weight};
        glshape_rips_result r;
        double since = wall_seconds();
        ck_assert_int_eq(glshape_rips(shapes_context, &(glshape_source){.graph = &graph}, NULL, &r),
                         GLSHAPE_OK);
        ck_assert(wall_seconds() - since < 6);
        ck_assert_uint_eq(r.count, LEAVES + 1); /* of dimension 0: weights differ */
        ck_assert(r.intervals[LEAVES].death == INFINITY);
        glshape_rips_free(&r);
    }
    free(start);
    free(to);
    free(weight);
}
END_TEST

/* The first pair in which lists differ from what all pairs have, or -1. */
static int64_t wrong_pair(const rips_points *p, const rips_space *s) {
    size_t at = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (s->graph.start[i] != at) return (int64_t)(i * p->n);
        for (size_t j = 0; j < p->n; j++) {
            float d = i > j ? rips_points_distance(p, i, j) : rips_points_distance(p, j, i);
            if (i == j || !(d <= s->threshold)) continue;
            if (at == s->graph.start[i + 1] || s->graph.point[at] != j || s->graph.distance[at] != d)
                return (int64_t)(i * p->n + j);
            at++;
        }
    }
    return s->graph.start[p->n] == at ? -1 : (int64_t)(p->n * p->n);
}

/* What the index finds of points is what all pairs have, where many distances equal the threshold, or nearly
 * do. */
START_TEST(lists_through_an_index) {
    enum { N = 1000, WIDTH = 4 };
    static float rows[N * WIDTH];
    static const glshape_metric metrics[] = {GLSHAPE_METRIC_EUCLIDEAN, GLSHAPE_METRIC_MANHATTAN,
                                             GLSHAPE_METRIC_COSINE,    GLSHAPE_METRIC_CORRELATION,
                                             GLSHAPE_METRIC_CHEBYSHEV, GLSHAPE_METRIC_MINKOWSKI};
    static const float scales[] = {1, 1e-30f, 1e-44f, 1e18f, 1e37f};
    gpu *g = test_gpu();
    error *err = run_error(run_of(g));
    shapes_dice.state = 320;
    for (int turn = 0; turn < hunt(18, 300); turn++) {
        glshape_metric metric = metrics[turn % 6];
        bool angular = metric == GLSHAPE_METRIC_COSINE || metric == GLSHAPE_METRIC_CORRELATION;
        float scale = angular ? 1 : scales[(turn + turn / 6) % 5];
        for (int k = 0; k < N * WIDTH; k++) {
            float x = turn % 2 ? (float)random_below(&shapes_dice, 7) / 8
                               : (float)random_below(&shapes_dice, 60000) / 60000;
            rows[k] = x * scale + (angular ? (float)(k % WIDTH) : 0);
        }
        glshape_matrix m = {GLSHAPE_F32, N, WIDTH, rows};
        glshape_source source = {.points = &m, .metric = metric, .p = turn % 4 ? 3 : 1.5};
        rips_points p;
        OK(err, rips_points_new(err, &source, &p));
        rips_space s = {.n = N,
                        .threshold = turn % 7 ? rips_points_distance(&p, 1 + (size_t)turn % 50, 0) : 0};
        if (!(s.threshold < INFINITY)) s.threshold = 1e38f;
        ck_assert(rips_near_pays(&p, &s));
        OK(err, rips_graph_near(g, &p, 0, &s));
        int64_t wrong = wrong_pair(&p, &s);
        ck_assert_msg(wrong < 0, "turn %d: pair %lld of %d", turn, (long long)wrong, N);
        rips_points_free(&p);
        rips_space_free(&s);
    }
}
END_TEST

/* Rows 2^-1074 x, and for correlation 1 + 2^-52 x, have the angles of whole x (here of mean 0). */
START_TEST(directions_of_any_size) {
    enum { N = 60, WIDTH = 4 };
    static double whole[N * WIDTH], other[N * WIDTH];
    shapes_dice.state = 310;
    for (int i = 0; i < N; i++) {
        double *x = whole + WIDTH * i;
        for (int c = 0; c < WIDTH - 1; c++) x[c] = 1 + random_below(&shapes_dice, 60);
        x[3] = -x[0] - x[1] - x[2];
    }
    for (glshape_metric metric = GLSHAPE_METRIC_COSINE; metric <= GLSHAPE_METRIC_CORRELATION; metric++)
        for (int near = 0; near <= (metric == GLSHAPE_METRIC_CORRELATION); near++) {
            for (int k = 0; k < N * WIDTH; k++)
                other[k] = near ? 1 + whole[k] * 0x1p-52 : ldexp(whole[k], -1074);
            glshape_rips_result r[2];
            for (int w = 0; w < 2; w++) {
                glshape_matrix m = {GLSHAPE_F64, N, WIDTH, w ? other : whole};
                glshape_source source = {.points = &m, .metric = metric};
                ck_assert_int_eq(glshape_rips(shapes_context, &source, NULL, &r[w]), GLSHAPE_OK);
            }
            ck_assert_uint_eq(r[0].count, r[1].count);
            ck_assert_uint_gt(r[0].count, N);
            for (size_t i = 0; i < r[0].count; i++)
                ck_assert(shapes_same(&r[0].intervals[i], &r[1].intervals[i]));
            for (int w = 0; w < 2; w++) glshape_rips_free(&r[w]);
        }
}
END_TEST

static glshape_rips_result rips_of_lattice(const float *whole, size_t n, double threshold, int exponent) {
    enum { MOST = 1100 };
    static float rows[3 * MOST];
    for (size_t k = 0; k < 3 * n; k++) rows[k] = ldexpf(whole[k], exponent);
    glshape_matrix m = {GLSHAPE_F32, n, 3, rows};
    glshape_rips_options o = {.threshold = {threshold > 0, ldexp(threshold, exponent)},
                              .sparse = threshold > 0};
    glshape_rips_result r;
    ck_assert_int_eq(glshape_rips(shapes_context, &(glshape_source){.points = &m}, &o, &r), GLSHAPE_OK);
    return r;
}

/* Squares of the differences may be beyond single precision, or nothing there. Of all pairs, by the sweep,
 * and through an index. */
START_TEST(points_of_any_size) {
    static const struct {
        size_t n;
        double threshold;
    } ways[] = {{60, 0}, {300, 12}, {1100, 7}};
    static const int exponents[] = {-120, -75, -66, -40, 40, 61, 65, 120};
    static float whole[3 * 1100];
    shapes_dice.state = 311;
    for (size_t k = 0; k < sizeof whole / sizeof *whole; k++)
        whole[k] = (float)random_below(&shapes_dice, 50);
    for (int way = 0; way < 3; way++) {
        glshape_rips_result want = rips_of_lattice(whole, ways[way].n, ways[way].threshold, 0);
        ck_assert_uint_gt(want.count, ways[way].n);
        for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
            glshape_rips_result r = rips_of_lattice(whole, ways[way].n, ways[way].threshold, exponents[e]);
            ck_assert_uint_eq(r.count, want.count);
            for (size_t i = 0; i < r.count; i++) {
                r.intervals[i].birth = ldexp(r.intervals[i].birth, -exponents[e]);
                r.intervals[i].death = ldexp(r.intervals[i].death, -exponents[e]);
                ck_assert(shapes_same(&r.intervals[i], &want.intervals[i]));
            }
            glshape_rips_free(&r);
        }
        glshape_rips_free(&want);
    }
}
END_TEST

/* ---- other programs ----------------------------------------------------------------------------- */

typedef struct listing {
    const char *input, *name;
    int dim, modulus;
    float threshold;
    const char *weights;
} listing;

#define LOWER ".lower_distance_matrix"
static const listing listings[] = {
    {"random16" LOWER, "random16.ripser", 5, 2, 0, NULL},
    {"random16" LOWER, "random16-t60.ripser", 5, 2, 60, NULL},
    {"ties25" LOWER, "ties25.ripser", 4, 2, 0, NULL},
    {"ties25" LOWER, "ties25-t2.ripser", 4, 2, 2, NULL},
    {"cloud40.txt", "cloud40.ripser", 3, 2, 0, NULL},
    {"cloud40.txt", "cloud40-t1.75.ripser", 3, 2, 1.75f, NULL},
    {"moore3" LOWER, "moore3.ripser", 3, 2, 0, NULL},
    {"moore3" LOWER, "moore3-p3.gudhi", 2, 3, 0, NULL},
    {"moore5" LOWER, "moore5-p5.gudhi", 2, 5, 0, NULL},
    {"moore5" LOWER, "moore5-p3.gudhi", 2, 3, 0, NULL},
    {"projective_plane" LOWER, "projective_plane-p2.gudhi", 2, 2, 0, NULL},
    {"projective_plane" LOWER, "projective_plane-p3.gudhi", 2, 3, 0, NULL},
    {"ties25" LOWER, "ties25-p11.gudhi", 2, 11, 0, NULL},
    {"ties25" LOWER, "ties25-weights.gudhi", 2, 2, 0, "ties25.weights"},
    {"ties25" LOWER, "ties25-weights-t3.gudhi", 2, 2, 3, "ties25.weights"},
    {"cloud40.txt", "cloud40-weights.gudhi", 2, 2, 0, "cloud40.weights"},
};
enum { LISTINGS = sizeof listings / sizeof *listings };

/* Listings have six digits. */
static bool close_to(float a, float b) { return a == b || fabsf(a - b) <= 1e-5f * fabsf(b); }

START_TEST(other_programs) {
    const listing *l = &listings[_i % LISTINGS]; /* each in three ways */
    ref_rips r = {0};
    glshape_rips_options o = {.dim = GLSHAPE_SET(l->dim), .modulus = l->modulus};
    if (l->threshold > 0) o.threshold = GLSHAPE_SET(l->threshold);
    r.distances = golden_distances(l->input, &r.n);
    if (l->weights) o.weights = golden_weights(l->weights, r.n);
    o.collapse = _i / LISTINGS; /* off, auto, on */
    glshape_rips_result result = shapes_intervals_with(&r, o);
    free((void *)o.weights);
    for (int dim = 0; dim <= l->dim; dim++) {
        size_t count, found = 0;
        golden_interval *wanted = golden_intervals(l->name, dim, &count);
        golden_interval *ours = malloc((result.count + 1) * sizeof *ours);
        for (size_t k = 0; k < result.count; k++)
            if (result.intervals[k].dim == dim)
                ours[found++] = (golden_interval){result.intervals[k].birth, result.intervals[k].death};
        golden_sort(ours, found);
        ck_assert_msg(found == count, "%s: dimension %d: %zu intervals, not %zu", l->name, dim, found, count);
        for (size_t k = 0; k < count; k++)
            ck_assert(close_to(ours[k].birth, wanted[k].birth) && close_to(ours[k].death, wanted[k].death));
        free(wanted);
        free(ours);
    }
    glshape_rips_free(&result);
    free((void *)r.distances);
}
END_TEST

/* Classes of projective planes: Z/2 has one in dimensions 1 and 2, Z/3 has none. */
START_TEST(fields_differ) {
    ref_rips r = {0};
    size_t classes[2] = {0, 0};
    r.distances = golden_distances("projective_plane" LOWER, &r.n);
    for (int k = 0; k < 2; k++) {
        glshape_rips_result result =
            shapes_intervals_with(&r, (glshape_rips_options){.dim = GLSHAPE_SET(2), .modulus = 2 + k});
        for (size_t i = 0; i < result.count; i++) classes[k] += result.intervals[i].dim > 0;
        glshape_rips_free(&result);
    }
    ck_assert_uint_eq(classes[0], 2);
    ck_assert_uint_eq(classes[1], 0);
    free((void *)r.distances);
}
END_TEST

/* ---- refusals and small things ------------------------------------------------------------------ */

START_TEST(names) {
    uint32_t v[4];
    glshape_simplex_vertices(60000, 0, 4, v);
    ck_assert(v[0] == 3 && v[1] == 2 && v[2] == 1 && v[3] == 0);
    uint64_t last = ref_binomial(60000, 4) - 1;
    glshape_simplex_vertices(60000, last, 4, v);
    ck_assert(v[0] == 59999 && v[1] == 59998 && v[2] == 59997 && v[3] == 59996);
    /* C(3500000, 3) + C(1234567, 2) + 89, beyond a third of 2^64 */
    glshape_simplex_vertices(3600000, UINT64_C(7145827970411721550), 3, v);
    ck_assert(v[0] == 3500000 && v[1] == 1234567 && v[2] == 89);
}
END_TEST

START_TEST(binomials) {
    for (uint64_t n = 0; n < 60; n++)
        for (uint64_t k = 0; k < 9; k++) ck_assert_uint_eq(simplex_binomial(n, (int)k), ref_binomial(n, k));
    ck_assert_uint_eq(simplex_binomial(3810780, 3), UINT64_C(9223378677060258060));  /* above 2^63 */
    ck_assert_uint_eq(simplex_binomial(4801280, 3), UINT64_C(18446738006366306560)); /* just below 2^64 */
    ck_assert_uint_eq(simplex_binomial(4801281, 3), UINT64_MAX);
    ck_assert_uint_eq(simplex_binomial(UINT32_MAX, 2), UINT64_C(9223372030412324865));
    ck_assert_uint_eq(simplex_binomial(UINT32_MAX, 17), UINT64_MAX);
}
END_TEST

static void refuse(const glshape_source *source, glshape_rips_options o, glshape_status status,
                   const char *part) {
    glshape_rips_result result;
    ck_assert_int_eq(glshape_rips(shapes_context, source, &o, &result), status);
    ck_assert_msg(strstr(glshape_last_error(shapes_context), part) != NULL, "'%s' lacks '%s'",
                  glshape_last_error(shapes_context), part);
    ck_assert(!result.intervals && !result.count);
}

/* Births reach as far as floats do; edges of weights that do not are refused, unless a threshold leaves them
 * out. */
START_TEST(values_near_the_largest) {
    float d[] = {0, 3e38f, 3e38f, 0};
    double b[] = {2e38, -3.4e38}, heavy[] = {1e38, 1e38};
    ref_rips r = {2, d, INFINITY, NULL};
    glshape_source source = {.reader = shapes_read, .user = &r, .n = 2};
    size_t start[] = {0, 1, 2};
    glshape_source edges = {.graph = &(glshape_graph){2, start, (uint32_t[]){1, 0}, (float[]){3e38f, 3e38f}}};
    glshape_rips_options o = {.births = b};
    glshape_rips_result result;
    ck_assert_int_eq(glshape_rips(shapes_context, &source, &o, &result), GLSHAPE_OK);
    ck_assert_uint_eq(result.count, 2);
    ck_assert(result.intervals[0].birth == 2e38f && result.intervals[0].death == 3e38f);
    ck_assert(result.intervals[1].birth == -3.4e38f && result.intervals[1].death == INFINITY);
    glshape_rips_free(&result);
    o = (glshape_rips_options){.weights = heavy};
    refuse(&source, o, GLSHAPE_BAD_INPUT,
           "rows 2 and 1: their distance 3e+38 and their weights 1e+38 and 1e+38");
    refuse(&edges, o, GLSHAPE_BAD_INPUT, "their distance 3e+38 and their weights 1e+38 and 1e+38");
    o.threshold = GLSHAPE_SET(3e38);
    ck_assert_int_eq(glshape_rips(shapes_context, &source, &o, &result), GLSHAPE_OK);
    ck_assert_uint_eq(result.count, 2);
    glshape_rips_free(&result);
}
END_TEST

START_TEST(refusals) {
    ref_rips r = shapes_make(&(shape){6, 3, false, false, INFINITY});
    glshape_source source = {.reader = shapes_read, .user = &r, .n = 6};
    refuse(&source, (glshape_rips_options){.modulus = 4}, GLSHAPE_BAD_ARGUMENT, "prime");
    refuse(&source, (glshape_rips_options){.modulus = 40009}, GLSHAPE_BAD_ARGUMENT, "prime");
    refuse(&source, (glshape_rips_options){.dim = GLSHAPE_SET(17)}, GLSHAPE_BAD_ARGUMENT, "16");
    refuse(&source, (glshape_rips_options){.threshold = GLSHAPE_SET(-1)}, GLSHAPE_BAD_ARGUMENT, "threshold");
    refuse(&source, (glshape_rips_options){.threshold = GLSHAPE_SET(NAN)}, GLSHAPE_BAD_ARGUMENT, "threshold");
    refuse(&source, (glshape_rips_options){.dim = GLSHAPE_SET(-1)}, GLSHAPE_BAD_ARGUMENT, "dimension -1");
    refuse(&source, (glshape_rips_options){.dim = GLSHAPE_SET(0.5)}, GLSHAPE_BAD_ARGUMENT, "dimension 0.5");
    refuse(&source, (glshape_rips_options){.ratio = 0.5}, GLSHAPE_BAD_ARGUMENT, "ratio 0.5");
    refuse(&source, (glshape_rips_options){.ratio = -2}, GLSHAPE_BAD_ARGUMENT, "ratio -2");
    refuse(&source, (glshape_rips_options){.sparse = true, .threshold = GLSHAPE_SET(1)}, GLSHAPE_BAD_ARGUMENT,
           "not with a matrix");
    double bad[6] = {0, 1, -1, 0, 0, 0};
    refuse(&source, (glshape_rips_options){.weights = bad}, GLSHAPE_BAD_INPUT, "weight of row 3 is -1");
    refuse(&source, (glshape_rips_options){.births = bad, .weights = bad}, GLSHAPE_BAD_ARGUMENT, "together");
    for (int k = 0; k < 3; k++) {
        bad[2] = k == 0 ? NAN : k == 1 ? INFINITY : 1e300;
        refuse(&source, (glshape_rips_options){.weights = bad}, GLSHAPE_BAD_INPUT, "weight of row 3");
        refuse(&source, (glshape_rips_options){.births = bad}, GLSHAPE_BAD_INPUT, "birth of row 3");
    }
    bad[2] = 0;
    refuse(&source, (glshape_rips_options){.births = bad, .threshold = GLSHAPE_SET(NAN)},
           GLSHAPE_BAD_ARGUMENT, "threshold");
    refuse(&source, (glshape_rips_options){.n_perm = 7}, GLSHAPE_BAD_ARGUMENT, "there are 6 points");
    refuse(&(glshape_source){.graph = &(glshape_graph){0}}, (glshape_rips_options){.n_perm = 1},
           GLSHAPE_BAD_ARGUMENT, "not with sparse");
    refuse(&(glshape_source){0}, (glshape_rips_options){0}, GLSHAPE_BAD_ARGUMENT, "points, a matrix");
    shapes_matrix[4 * 6 + 2] = NAN;
    refuse(&source, (glshape_rips_options){0}, GLSHAPE_BAD_INPUT, "row 5, column 3");
    refuse(&source, (glshape_rips_options){.n_perm = 6}, GLSHAPE_BAD_INPUT, "row 5, column 3");
    shapes_matrix[4 * 6 + 2] = -1;
    refuse(&source, (glshape_rips_options){0}, GLSHAPE_BAD_INPUT, "row 5, column 3");
    float rows[3000] = {0};
    glshape_matrix m = {GLSHAPE_F32, 3000, 1, rows};
    source = (glshape_source){.points = &m};
    refuse(&source, (glshape_rips_options){.dim = GLSHAPE_SET(5)}, GLSHAPE_BAD_ARGUMENT,
           "dimension 4 can be done");
    refuse(&source, (glshape_rips_options){.sparse = true}, GLSHAPE_BAD_ARGUMENT, "threshold");
    refuse(&source, (glshape_rips_options){.sparse = true, .threshold = GLSHAPE_SET(1e39)},
           GLSHAPE_BAD_ARGUMENT, "threshold");
    double small[] = {0, 1e-44, 1e-36}, less[] = {0, 0x1p-149, 0x1p-147};
    glshape_source tiny = {.points = &(glshape_matrix){GLSHAPE_F64, 3, 1, small}};
    refuse(&tiny, (glshape_rips_options){0}, GLSHAPE_BAD_INPUT, "values reach only 1e-36");
    tiny.points = &(glshape_matrix){GLSHAPE_F64, 3, 1, less};
    refuse(&tiny, (glshape_rips_options){0}, GLSHAPE_BAD_INPUT, "values reach only 5.60519e-45");
    m.rows = 5, rows[3] = 3e38f, rows[0] = -3e38f;
    refuse(&source, (glshape_rips_options){0}, GLSHAPE_BAD_INPUT, "rows 1 and 4 are so far apart");
}
END_TEST

/* What single precision does not hold does not matter: distances beyond the threshold; digits of values far
 * below the others; of a point alone, all. And it holds values that are small, if it has their digits. */
START_TEST(values_that_are_held) {
    static const struct {
        double x[3], threshold;
        size_t n, intervals;
        float death;
    } cases[] = {{{-3e38, 3e38, 2.9e38}, 1.5e37, 3, 3, 1e37f},
                 {{0, 1e-300, 1}, 0, 3, 2, 1},
                 {{1e-50}, 0, 1, 1, INFINITY},
                 {{0, 6e-39, 1e-22}, 0, 3, 3, 6e-39f},
                 {{0, 1e-36, 3e-36}, 0, 3, 3, 1e-36f}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        glshape_matrix m = {GLSHAPE_F64, cases[k].n, 1, (void *)cases[k].x};
        glshape_rips_options o = {.dim = GLSHAPE_SET(0)};
        glshape_rips_result r;
        if (cases[k].threshold > 0) o.threshold = GLSHAPE_SET(cases[k].threshold);
        ck_assert_msg(!glshape_rips(shapes_context, &(glshape_source){.points = &m}, &o, &r), "%s",
                      glshape_last_error(shapes_context));
        float least = INFINITY;
        for (size_t i = 0; i < r.count; i++) least = fminf(least, r.intervals[i].death);
        ck_assert_msg(r.count == cases[k].intervals &&
                          (least == cases[k].death || fabsf(least / cases[k].death - 1) < 0.01f),
                      "case %zu: %zu intervals, the first death %g", k, r.count, least);
        glshape_rips_free(&r);
    }
}
END_TEST

/* What the reduction counts is there by its dimension, of the last call alone. */
START_TEST(counts) {
    shapes_dice.state = 151;
    ref_rips r = shapes_make(&shapes_all[8]);
    for (int again = 0; again < 2; again++) {
        glshape_rips_result result =
            shapes_intervals(&r, (glshape_rips_options){.dim = GLSHAPE_SET(2 - again)});
        ck_assert(fact_of(shapes_context, "dimension 1: columns reduced") > 0);
        ck_assert(fact_of(shapes_context, "dimension 1: columns reduced") <= 13 * 12 / 2);
        ck_assert((fact_of(shapes_context, "dimension 2: columns reduced") > 0) == !again);
        glshape_fact one[2] = {{.value = -1}, {.value = -1}};
        ck_assert(glshape_facts(shapes_context, one, 1) == 1 && one[0].value >= 0 && one[1].value == -1);
        glshape_rips_free(&result);
    }
}
END_TEST

static double dimension_fact(int dim, const char *name) {
    char text[64];
    snprintf(text, sizeof text, "dimension %d: %s", dim, name);
    return fact_of(shapes_context, text);
}

/* The index of the first cofacet of a simplex in the filtration; REF_RIPS_NONE: it has none. */
static uint64_t first_cofacet(const ref_rips *r, int dim, uint64_t index, float *diameter) {
    size_t count, larger;
    ref_simplex *of = ref_rips_simplices(r, dim, &count), *all = ref_rips_simplices(r, dim + 1, &larger);
    uint64_t found = REF_RIPS_NONE;
    size_t at = 0;
    while (of[at].index != index) at++;
    for (size_t k = 0; k < larger && found == REF_RIPS_NONE; k++) {
        int common = 0;
        for (int i = 0; i <= dim; i++)
            for (int j = 0; j <= dim + 1; j++) common += of[at].v[i] == all[k].v[j];
        if (common == dim + 1) found = all[k].index, *diameter = all[k].diameter;
    }
    free(of);
    free(all);
    return found;
}

/* The numbers of pairs by kind are those of all pairs of the twin, each looked at by the kind's definition.
 */
static void compare_counts(const ref_rips *r, int top, uint32_t modulus) {
    size_t count, simplices;
    ref_rips_pair *pairs = ref_rips_pairs(r, top, modulus, &count);
    for (int dim = 1; dim <= top && dim < (int)r->n; dim++) {
        double all = 0, cleared = 0, shortcut = 0, emergent = 0;
        free(ref_rips_simplices(r, dim, &simplices));
        for (size_t k = 0; k < count; k++) {
            float diameter = 0;
            all += pairs[k].dim == dim;
            cleared += pairs[k].dim == dim - 1 && pairs[k].died != REF_RIPS_NONE;
            if (pairs[k].dim != dim || pairs[k].died == REF_RIPS_NONE ||
                first_cofacet(r, dim, pairs[k].born, &diameter) != pairs[k].died)
                continue;
            emergent++;
            shortcut += diameter == pairs[k].birth;
        }
        ck_assert_double_eq(dimension_fact(dim, "simplices"), (double)simplices);
        ck_assert_double_eq(dimension_fact(dim, "columns cleared"), cleared);
        ck_assert_double_eq(dimension_fact(dim, "pairs"), all);
        ck_assert_double_eq(dimension_fact(dim, "apparent pairs"), (double)ref_rips_apparent(r, dim));
        ck_assert_double_eq(dimension_fact(dim, "shortcut pairs"), shortcut);
        ck_assert_double_eq(dimension_fact(dim, "emergent pairs"), emergent);
        ck_assert_double_eq(dimension_fact(dim, "other pairs"), all - emergent);
    }
    free(pairs);
}

/* Of a matrix, and of a graph, whose isolated points are not carried along. */
START_TEST(pairs_are_counted) {
    static const int primes[] = {2, 3, 7};
    shapes_dice.state = 1510 + (uint64_t)_i;
    for (int round = 0; round < hunt(2, 20); round++) {
        glshape_rips_options o = {.dim = GLSHAPE_SET(3), .modulus = primes[round % 3], .count_pairs = true};
        ref_rips r = shapes_make_gaps(&shapes_all[_i]);
        glshape_rips_result result = shapes_intervals(&r, o);
        compare_counts(&r, 3, (uint32_t)o.modulus);
        glshape_rips_free(&result);
        o.dim = GLSHAPE_SET(2);
        o.modulus = 3;
        shapes_compare_graph(&r, &r, o);
        compare_counts(&r, 2, 3);
        o.count_pairs = false;
        shapes_compare_graph(&r, &r, o);
        ck_assert(dimension_fact(1, "simplices") == 0);
    }
}
END_TEST

START_TEST(forecasts) {
    float rows[300] = {0};
    glshape_matrix m = {GLSHAPE_F32, 300, 1, rows};
    glshape_source source = {.points = &m};
    glshape_rips_result result;
    ck_assert_int_eq(glshape_rips(shapes_context, &source,
                                  &(glshape_rips_options){.dim = GLSHAPE_SET(3), .dry_run = true}, &result),
                     GLSHAPE_OK);
    for (int dim = 1; dim <= 3; dim++)
        ck_assert_uint_eq(result.forecast.simplices[dim], ref_binomial(300, (uint64_t)dim + 1));
    ck_assert_uint_ge(result.forecast.host_bytes, 4 * 300 * 300);
    ck_assert_uint_ge(result.forecast.gpu_bytes, 4 * 300 * 300);
    ck_assert(!result.intervals && !result.gpu_bytes);
    glshape_rips_free(&result);
}
END_TEST

START_TEST(few_points) {
    float rows[4] = {1, 1, 1, 5};
    for (size_t n = 0; n <= 4; n++) {
        glshape_matrix m = {GLSHAPE_F32, n, 1, rows};
        glshape_source source = {.points = &m};
        glshape_rips_result result;
        ck_assert_int_eq(
            glshape_rips(shapes_context, &source, &(glshape_rips_options){.dim = GLSHAPE_SET(3)}, &result),
            GLSHAPE_OK);
        /* Points that coincide make no interval: one for all of them, and one that the distant point ends. */
        ck_assert_uint_eq(result.count, n == 0 ? 0 : n < 4 ? 1 : 2);
        if (n == 4) ck_assert(result.intervals[0].death == 4 && isinf(result.intervals[1].death));
        glshape_rips_free(&result);
    }
}
END_TEST

Suite *rips_suite(void) {
    Suite *s = suite_create("rips");
    TCase *passes = tcase_create("passes"), *all = tcase_create("rips");
    tcase_set_timeout(passes, 120);
    tcase_set_timeout(all, 120);
    tcase_add_loop_test(passes, columns, 0, SHAPES);
    tcase_add_loop_test(passes, graphs, 0, 4);
    tcase_add_test(passes, lunes_too_large);
    tcase_add_test(all, hubs_with_common_neighbors);
    tcase_add_loop_test(all, long_columns, 0, SHAPES);
    tcase_add_loop_test(all, long_columns_by_passes, 0, SHAPES);
    tcase_add_loop_test(all, short_columns_by_passes, 0, SHAPES);
    tcase_add_test(all, long_columns_of_ties);
    tcase_add_test(all, long_columns_in_little_memory);
    tcase_add_test(all, long_columns_of_a_projective_plane);
    tcase_add_unchecked_fixture(all, shapes_open, shapes_close);
    tcase_add_loop_test(all, pairs, 0, SHAPES);
    tcase_add_test(all, dimensions);
    tcase_add_test(all, counts);
    tcase_add_loop_test(all, pairs_are_counted, 0, SHAPES);
    tcase_add_loop_test(all, sparse, 0, SHAPES);
    tcase_add_test(all, points);
    tcase_add_test(all, many_common_neighbors);
    tcase_add_test(all, far_points);
    tcase_add_test(all, skips);
    tcase_add_test(all, hubs);
    tcase_add_test(all, lists_through_an_index);
    tcase_add_test(all, directions_of_any_size);
    tcase_add_test(all, points_of_any_size);
    tcase_add_test(all, values_that_are_held);
    tcase_add_loop_test(all, other_programs, 0, 3 * LISTINGS);
    tcase_add_test(all, fields_differ);
    tcase_add_test(all, results_have_the_numbers_of_all_points);
    tcase_add_test(all, points_without_neighbours_are_not_carried);
    tcase_add_test(all, names);
    tcase_add_test(all, binomials);
    tcase_add_test(all, refusals);
    tcase_add_test(all, values_near_the_largest);
    tcase_add_test(all, forecasts);
    tcase_add_test(all, few_points);
    suite_add_tcase(s, passes);
    suite_add_tcase(s, all);
    return s;
}
