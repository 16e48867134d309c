/* Small complexes that show whether the passes that enumerate are right: the CPU finds their simplices, too.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "rips/collapse.h"
#include "rips/enumerate.h"
#include "rips/first.h"
#include "rips/graph.h"
#include "rips/passes.h"
#include "rips/short.h"
#include "rips/wide.h"

#define POINTS 22u
#define FOUND_VERTICES 5 /* simplices of up to so many are found */
#define LONG_AFTER 40    /* cofacets */
#define SPREAD 29u       /* a point of so many is near others */
#define MOST_TURNS 8000  /* threads take 3,227 */
#define WIDE_ROOM 4096u  /* cells of a range of values */
#define LEAVES 800u      /* of lists: points with one neighbor, of four others in turn */

/* What is tried: the simplices of so many vertices, by the programs for a matrix of n points, or for lists of
 * up to `longest`. */
typedef struct enumerating {
    uint32_t n;
    size_t longest;
    int vertices;
    uint32_t modulus; /* 0: 2 */
} enumerating;

static void set_distance(rips_space *s, size_t i, size_t j, float value) {
    s->distance[i * s->n + j] = s->distance[j * s->n + i] = value;
}

/* Distances of few values between so many points from `first` on, so that many simplices have equal
 * diameters; some pairs are beyond the threshold. */
static void fill_block(rips_space *s, size_t first, size_t count) {
    uint32_t state = 1;
    for (size_t i = first; i < first + count; i++)
        for (size_t j = first; j < i; j++) {
            state = state * 1664525u + 1013904223u;
            set_distance(s, i, j, 1 + (float)(state >> 28));
        }
}

/* Leaves make the lists of four points long. The lune of 5 and 7 has points before and after the leaves, that
 * of 8 and 9 only before: their greatest common neighbor is far from the ends of both lists. */
static void add_leaves(rips_space *s) {
    size_t last = s->n - POINTS;
    for (size_t leaf = POINTS; leaf < last; leaf++)
        set_distance(s, leaf, (const size_t[]){5, 7, 8, 9}[leaf % 4], 1);
    fill_block(s, last, POINTS);
    for (size_t i = last; i < s->n; i++)
        for (size_t k = 0; k < 2; k++) set_distance(s, i, 5 + 2 * k, 1 + (float)(i * 7 % (11 + k)));
    set_distance(s, 5, 7, s->threshold);
    set_distance(s, 8, 9, s->threshold);
}

static glshape_status make_space(error *err, const enumerating *as, rips_space *s) {
    *s = (rips_space){.n = POINTS + (as->longest ? LEAVES + POINTS : 0), .threshold = 12, .greatest = 15};
    size_t n = s->n;
    TRY(allocate(err, &s->distance, n * n, sizeof *s->distance, "distances"));
    for (size_t k = 0; k < n * n; k++) s->distance[k] = k % (n + 1) ? 15 : 0;
    fill_block(s, 0, POINTS);
    if (as->longest) add_leaves(s);
    TRY(rips_space_prepare(err, s, as->vertices + 1, as->modulus ? as->modulus : 2));
    TRY(rips_graph_of_matrix(err, s, true));
    s->lists_are_short = as->longest > 0;
    if (as->longest) free(MOVE(s->distance));
    return GLSHAPE_OK;
}

static bool same(const rips_columns *a, const rips_columns *b) {
    bool same = a->count == b->count;
    for (size_t k = 0; same && k < a->count; k++)
        same = a->items[k].index == b->items[k].index && !(a->items[k].value != b->items[k].value);
    return same;
}

static glshape_status check(gpu *g, const void *user, bool *right) {
    const enumerating *as = user;
    OWNED_BY(rips_space_free) rips_space s = {0};
    OWNED_BY(rips_enumeration_free) rips_enumeration e = {.g = g};
    OWNED_BY(rips_columns_free) rips_columns device = {0};
    OWNED_BY(rips_columns_free) rips_columns cpu = {0};
    TRY(make_space(run_error(run_of(g)), as, &s));
    TRY(rips_enumeration_new(g, &s, as->longest > 0, &e));
    e.as_of = as->n;
    e.longest = as->longest;
    TRY(rips_enumeration_upload(&e, false));
    TRY(rips_enumerate(&e, as->vertices, &device));
    TRY(rips_enumerate_sparse(run_error(run_of(g)), &s, as->vertices, 1, &cpu));
    *right = same(&device, &cpu) && (cpu.count || as->vertices > FOUND_VERTICES);
    return GLSHAPE_OK;
}

static glshape_status trust(gpu *g, const enumerating *as, gpu_exact e, run_why *why) {
    e.check = check;
    e.user = as;
    e.without_doubles = true;
    return gpu_trusts_for(g, &e, why);
}

static glshape_status trust_edges(gpu *g, const enumerating *as, run_why *why) {
    return trust(g, as,
                 as->longest ? (gpu_exact){.program = {gpu_only_program(rips_list_edges)}}
                             : (gpu_exact){.program = {gpu_only_program(rips_edges)}},
                 why);
}

static glshape_status trust_columns(gpu *g, const enumerating *as, run_why *why) {
    const int words = rips_words(as->n), room = rips_room(words), extra = as->vertices - 2;
    return trust(
        g, as,
        (gpu_exact){.program = {gpu_program(rips_columns, .WORDS = words, .ROOM = room, .EXTRA = extra),
                                gpu_program(rips_candidates, .WORDS = words, .ROOM = room)}},
        why);
}

static glshape_status trust_list_columns(gpu *g, const enumerating *as, run_why *why) {
    const int room = rips_list_room(as->longest), words = room / 32, extra = as->vertices - 2;
    return trust(
        g, as,
        (gpu_exact){.program = {gpu_program(rips_list_columns, .WORDS = words, .ROOM = room, .EXTRA = extra),
                                gpu_program(rips_list_candidates, .WORDS = words, .ROOM = room)}},
        why);
}

glshape_status rips_is_for_passes(gpu *g, const rips_space *s, bool of_lists, int dim, run_why *why) {
    enumerating as = {.n = s->n, .vertices = 2};
    if (of_lists) as.longest = rips_longest_list(s) + 1;
    TRY(trust_edges(g, &as, why));
    for (int d = 2; d <= dim; d++) {
        as.vertices = d + 1;
        TRY(as.longest ? trust_list_columns(g, &as, why) : trust_columns(g, &as, why));
    }
    return GLSHAPE_OK;
}

/* ---- the collapse --------------------------------------------------------------------------------- */

/* Points of a cube of four dimensions whose coordinates are whole numbers: many distances are equal. */
#define SCATTERED 60u

/* The points of these seeds are wrong without any one of the conditions by which an edge is looked at again,
 * if the edges of a round are looked at at once, and if one after the other. Few points are. */
static const uint32_t seeds[] = {24, 278, 507, 888, 1042, 1461, 1638, 1650};

static glshape_status make_scattered(error *err, uint32_t state, rips_space *s) {
    int at[SCATTERED][4];
    *s = (rips_space){.n = SCATTERED, .threshold = 50, .greatest = 50};
    TRY(allocate(err, &s->distance, SCATTERED * SCATTERED, sizeof *s->distance, "distances"));
    for (uint32_t i = 0; i < SCATTERED; i++) {
        for (int c = 0; c < 4; c++) at[i][c] = (int)((state = state * 1664525u + 1013904223u) >> 27);
        for (uint32_t j = 0; j < i; j++) {
            int squares = 0;
            for (int c = 0; c < 4; c++) squares += (at[i][c] - at[j][c]) * (at[i][c] - at[j][c]);
            set_distance(s, i, j, sqrtf((float)squares));
        }
    }
    TRY(rips_graph_of_matrix(err, s, true));
    s->lists_are_short = true;
    free(MOVE(s->distance));
    return GLSHAPE_OK;
}

static bool same_graphs(const rips_space *a, const rips_space *b) {
    bool same = true;
    for (uint32_t i = 0; i <= a->n && same; i++) same = a->graph.start[i] == b->graph.start[i];
    for (size_t k = 0; same && k < a->graph.start[a->n]; k++)
        same = a->graph.point[k] == b->graph.point[k] && !(a->graph.distance[k] != b->graph.distance[k]);
    return same;
}

static glshape_status compare_collapses(gpu *g, const rips_collapse_way *way, uint32_t seed, bool *right) {
    OWNED_BY(rips_space_free) rips_space device = {0};
    OWNED_BY(rips_space_free) rips_space cpu = {0};
    rips_collapsed c;
    bool done;
    TRY(make_scattered(run_error(run_of(g)), seed, &device));
    TRY(make_scattered(run_error(run_of(g)), seed, &cpu));
    TRY(rips_collapse_by_passes(g, &device, way, &c, &done));
    TRY(rips_collapse(run_of(g), &cpu, 1, &c));
    *right = done && same_graphs(&device, &cpu) && c.left < c.edges;
    return GLSHAPE_OK;
}

static glshape_status check_collapse(gpu *g, const void *user, bool *right) {
    *right = true;
    for (size_t k = 0; k < sizeof seeds / sizeof *seeds && *right; k++)
        TRY(compare_collapses(g, user, seeds[k], right));
    return GLSHAPE_OK;
}

glshape_status rips_is_for_collapse(gpu *g, const rips_collapse_way *way, run_why *why) {
    const int room = rips_list_room(way->longest);
    gpu_exact lists = {.program = {gpu_program(rips_collapse, .ROOM = room),
                                   gpu_only_program(rips_collapse_list)}},
              matrix = {.program = {gpu_program(rips_collapse_matrix, .ROOM = room),
                                    gpu_only_program(rips_collapse_list),
                                    gpu_only_program(rips_collapse_rows)}},
              *e = way->matrix ? &matrix : &lists;
    e->check = check_collapse;
    e->user = way;
    e->without_doubles = true;
    return gpu_trusts_for(g, e, why);
}

/* ---- the reduction --------------------------------------------------------------------------------- */

/* Pivots are looked at so often at most, as wrong columns may be added forever. */
static bool within_turns(void *turns, double fraction) {
    (void)fraction;
    return (*(int *)turns)-- > 0;
}

/* Reduces the columns of dimension dim, but for those that are reduced in *some, if that is there. The
 * device, if there is one, takes what takes long. Sets *done to whether it came to an end, and the device did
 * not give a column up. */
static glshape_status reduce(error *err, const rips_space *s, int dim, const rips_columns *c,
                             const persistence_device *device, const rips_short *some,
                             persistence_death *deaths, bool *done) {
    const filtered_complex complex = rips_complex(s);
    persistence_work work = {0};
    int turns = MOST_TURNS;
    const persistence_job job = {.complex = &complex,
                                 .dim = dim,
                                 .columns = c->items,
                                 .count = (uint32_t)c->count,
                                 .first = some ? some->first : NULL,
                                 .reduced = some ? some->reduced : NULL,
                                 .threads = 1,
                                 .long_after = device ? LONG_AFTER : UINT64_MAX,
                                 .device = device,
                                 .go_on = within_turns,
                                 .user = &turns};
    glshape_status status = persistence_reduce(err, &job, deaths, &work);
    *done = !status && !work.given_up;
    return turns < 0 ? GLSHAPE_OK : status;
}

/* The points of make_space with others between them that are far from all, so that a group looks at the
 * points of a row in several turns. */
static glshape_status make_spread(error *err, int dim, rips_space *s) {
    OWNED_BY(rips_space_free) rips_space dense = {0};
    *s = (rips_space){.n = POINTS * SPREAD, .threshold = 12, .greatest = 15};
    size_t n = s->n;
    TRY(make_space(err, &(enumerating){.n = POINTS, .vertices = dim + 1}, &dense));
    TRY(allocate(err, &s->distance, n * n, sizeof *s->distance, "distances"));
    for (size_t k = 0; k < n * n; k++) s->distance[k] = k % (n + 1) ? 15 : 0;
    for (size_t k = 0; k < POINTS * POINTS; k++)
        s->distance[k / POINTS * SPREAD * n + k % POINTS * SPREAD] = dense.distance[k];
    TRY(rips_space_prepare(err, s, dim + 2, 3));
    return rips_graph_of_matrix(err, s, true);
}

static bool is_first(const rips_space *s, int dim, cell e, const persistence_first *first, cell *cofacets) {
    size_t count = rips_cofacets(s, e, dim + 1, (cell_range){-1, s->threshold}, cofacets), least = 0;
    for (size_t k = 1; k < count; k++)
        if (cell_before(cofacets[k].value, cofacets[k].index, cofacets[least].value, cofacets[least].index))
            least = k;
    const cell *a = &first->cell, *b = &cofacets[least];
    return first->cofacets == count &&
           (!count || (a->index == b->index && a->coefficient == b->coefficient && !(a->value != b->value)));
}

/* spread: the points that are near lie apart, so that no invocation looks at two of them at once. */
static glshape_status compare_first(gpu *g, int dim, bool spread, bool *right) {
    OWNED_BY(rips_space_free) rips_space s = {0};
    OWNED_BY(rips_enumeration_free) rips_enumeration e = {.g = g};
    OWNED_BY(rips_columns_free) rips_columns c = {0};
    OWNED persistence_first *first = NULL;
    OWNED cell *cofacets = NULL;
    error *err = run_error(run_of(g));
    TRY(spread ? make_spread(err, dim, &s)
               : make_space(err, &(enumerating){.n = POINTS, .vertices = dim + 1}, &s));
    TRY(rips_enumeration_new(g, &s, false, &e));
    TRY(rips_enumeration_upload(&e, false));
    TRY(rips_enumerate_sparse(err, &s, dim + 1, 1, &c));
    TRY(allocate(err, &first, c.count, sizeof *first, "a small problem"));
    TRY(allocate(err, &cofacets, s.n, sizeof *cofacets, "a small problem"));
    TRY(rips_find_first(&e, dim, &c, first));
    for (size_t k = 0; k < c.count && *right; k++)
        *right = is_first(&s, dim, c.items[k], &first[k], cofacets);
    return GLSHAPE_OK;
}

static glshape_status check_first(gpu *g, const void *user, bool *right) {
    (void)user;
    *right = true;
    TRY(compare_first(g, 1, false, right));
    return compare_first(g, 3, true, right);
}

glshape_status rips_is_for_first(gpu *g, run_why *why) {
    const gpu_exact e = {.program = {gpu_program(rips_first, .KEPT = 0, .LISTS = RIPS_OF_MATRIX)},
                         .check = check_first,
                         .without_doubles = true};
    return gpu_trusts_for(g, &e, why);
}

/* Columns that passes have no room for are left to threads; where room is not scarce, most are not. */
static glshape_status reduce_short(rips_enumeration *e, int dim, const rips_columns *c, rips_short_room room,
                                   persistence_death *deaths, bool *right) {
    OWNED_BY(rips_short_free) rips_short some = {0};
    TRY(rips_short_by_passes(e, dim, c, room, false, &some));
    *right = some.left < c->count && (room.scarce || 2 * some.left < c->count);
    return *right ? reduce(run_error(run_of(e->g)), e->s, dim, c, NULL, &some, deaths, right) : GLSHAPE_OK;
}

static bool same_deaths(const persistence_death *a, const persistence_death *b, size_t count) {
    bool same = true;
    for (size_t k = 0; k < count && same; k++) same = a[k].index == b[k].index && !(a[k].value != b[k].value);
    return same;
}

/* spread: the points are few among many. Where lists are alone, some of them are long in dimension 1. */
static glshape_status make_for_short(error *err, int dim, int lists, bool spread, rips_space *s) {
    bool alone = lists == RIPS_OF_LISTS;
    const enumerating as = {
        .n = POINTS, .vertices = dim + 1, .longest = alone && dim == 1, .modulus = spread ? 3 : 2};
    if (!alone && spread) return make_spread(err, dim, s);
    TRY(make_space(err, &as, s));
    if (!alone) return GLSHAPE_OK;
    s->lists_are_short = true;
    free(MOVE(s->distance));
    return GLSHAPE_OK;
}

static glshape_status compare_short(gpu *g, int dim, int lists, bool spread, rips_short_room room,
                                    bool *right) {
    OWNED_BY(rips_space_free) rips_space s = {0};
    OWNED_BY(rips_enumeration_free) rips_enumeration e = {.g = g};
    OWNED_BY(rips_columns_free) rips_columns c = {0};
    OWNED persistence_death *deaths = NULL;
    error *err = run_error(run_of(g));
    TRY(make_for_short(err, dim, lists, spread, &s));
    TRY(rips_enumeration_new(g, &s, lists != RIPS_OF_MATRIX, &e));
    TRY(rips_enumeration_upload(&e, false));
    TRY(rips_enumeration_add_for_short(&e));
    TRY(rips_enumerate_sparse(err, &s, dim + 1, 1, &c));
    TRY(allocate(err, &deaths, c.count, 2 * sizeof *deaths, "a small problem"));
    TRY(reduce(err, &s, dim, &c, NULL, NULL, deaths, right));
    if (*right) TRY(reduce_short(&e, dim, &c, room, deaths + c.count, right));
    *right = *right && same_deaths(deaths, deaths + c.count, c.count);
    return GLSHAPE_OK;
}

#define LITTLE_ROOM \
    (rips_short_room) { 96, 24, 1u << 17, true, 0 }

/* With little room ranges are halved and terms added up, and some columns are left. */
static glshape_status check_short(gpu *g, const void *user, bool *right) {
    const int lists = *(const int *)user;
    const rips_short_room room = lists == RIPS_OF_LISTS ? RIPS_SHORT_ROOM_OF_LISTS : RIPS_SHORT_ROOM;
    TRY(compare_short(g, 1, lists, false, room, right));
    if (*right) TRY(compare_short(g, 3, lists, false, LITTLE_ROOM, right));
    return *right ? compare_short(g, 3, lists, true, room, right) : GLSHAPE_OK;
}

glshape_status rips_is_for_short(gpu *g, int lists, run_why *why) {
    const gpu_job without_axes = {0};
    gpu_exact e = {
        .program = {gpu_program(rips_short, .LISTS = lists),
                    gpu_program(rips_first, .KEPT = 1, .LISTS = lists), gpu_only_program(rips_short_ends)},
        .check = check_short,
        .user = &lists,
        .without_doubles = true};
    if (lists == RIPS_OF_LISTS) e.program[3].pass = &rips_short_large_pass;
    else if (lists != RIPS_OF_MATRIX) e.program[3].pass = &rips_rows_pass;
    e.program[3].job = &without_axes;
    return gpu_trusts_for(g, &e, why);
}

static glshape_status compare_long(gpu *g, int dim, bool *right) {
    OWNED_BY(rips_space_free) rips_space s = {0};
    OWNED_BY(rips_enumeration_free) rips_enumeration e = {.g = g};
    OWNED_BY(rips_columns_free) rips_columns c = {0};
    OWNED_BY(rips_wide_free) rips_wide wide = {.g = g};
    OWNED persistence_death *deaths = NULL;
    persistence_device device;
    TRY(make_spread(run_error(run_of(g)), dim, &s));
    TRY(rips_enumeration_new(g, &s, false, &e));
    TRY(rips_enumeration_upload(&e, false));
    TRY(rips_enumerate_sparse(run_error(run_of(g)), &s, dim + 1, 1, &c));
    TRY(allocate(run_error(run_of(g)), &deaths, c.count, 2 * sizeof *deaths, "a small problem"));
    rips_wide_begin(g, &s, &e.dist, dim, &wide, &device);
    wide.room = WIDE_ROOM;
    TRY(reduce(run_error(run_of(g)), &s, dim, &c, NULL, NULL, deaths, right));
    TRY(reduce(run_error(run_of(g)), &s, dim, &c, &device, NULL, deaths + c.count, right));
    *right = *right && wide.columns && same_deaths(deaths, deaths + c.count, c.count);
    return GLSHAPE_OK;
}

static glshape_status check_wide(gpu *g, const void *user, bool *right) {
    (void)user;
    TRY(compare_long(g, 1, right));
    return *right ? compare_long(g, 3, right) : GLSHAPE_OK;
}

glshape_status rips_is_for_wide(gpu *g, run_why *why) {
    const gpu_exact e = {
        .program = {gpu_only_program(rips_wide_cancel), gpu_program(rips_wide_make, .SUMMED = 0),
                    gpu_program(rips_wide_make, .SUMMED = 1), gpu_only_program(rips_wide_insert),
                    gpu_only_program(rips_wide_terms), gpu_only_program(rips_wide_left)},
        .check = check_wide,
        .without_doubles = true};
    return gpu_trusts_for(g, &e, why);
}
