#include "rips/wide.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "place/place.h"
#include "prim/passes.h"
#include "rips/packed.h"
#include "rips/passes.h"

#define LEAST_ROOM (1u << 15) /* cells of a range of values */
#define MOST_TRIED 512u       /* slots, for a cell */
#define ADDED 8192u           /* terms that are added at once */
#define FIRST_ROUNDS 2u       /* before the host looks; then twice as many */
#define MOST_ROUNDS 16u
#define ENOUGH 8192u /* cells that are left, for one look at them, */
#define MANY 8192u   /* ... which is not to be at so many more */

/* As in glsl/rips/wide.glsl. */
enum {
    CELLS,
    TERM_COUNT,
    SETTLES,
    LISTED_LEFT,
    FULL,
    ROUNDS = 7,
    LISTS = 3,
    PARTS_LEFT = 10,
    ALL_PARTS = 64
};
_Static_assert(PARTS_LEFT + ALL_PARTS == RIPS_WIDE_COUNTS, "counts");
#define TERM_LOST 2u /* of FULL */
#define NONE UINT32_MAX

static error *error_of(const rips_wide *w) { return run_error(run_of(w->g)); }

/* ---- textures ---------------------------------------------------------------------------------- */

static uint32_t room_of_terms(const rips_wide *w) { return place_count(w->g, PLACE_AMOUNT_TERMS); }

static uint32_t clamped(uint32_t least, uint32_t count, uint32_t most) {
    return count < least ? least : count < most ? count : most;
}

/* Groups of what has a group for each term or cell. */
static uint32_t groups_of(const rips_wide *w) {
    return clamped(place_count(w->g, PLACE_AMOUNT_LEAST_GROUPS), w->busy,
                   place_count(w->g, PLACE_AMOUNT_GROUPS));
}

/* The turns of loops that an invocation takes for a term or a cell, at most (glsl/rips/wide_cofacets,
 * wide_cancel). */
static uint64_t turns_of(const rips_wide *w) {
    uint64_t vertices = (uint64_t)w->dim + 2, quads = w->s->n / (4 * RIPS_LOCAL) + 1;
    return quads * (12 + 10 * vertices) + 4 * quads * (2 + 3 * vertices) + vertices * vertices + 16;
}

/* The same of so many terms or cells, so many that the turns of each suffice. */
static uint32_t groups_for(const rips_wide *w, uint64_t count) {
    uint64_t each = place_turns(w->g) / turns_of(w), least = count / (each ? each : 1) + 1;
    return clamped((uint32_t)least, groups_of(w), UINT32_MAX);
}

/* Groups of what has an invocation for each of so many cells. */
static uint32_t cell_groups(const rips_wide *w, uint32_t count) {
    return clamped(place_count(w->g, PLACE_AMOUNT_LEAST_CELL_GROUPS), count,
                   place_count(w->g, PLACE_AMOUNT_CELL_GROUPS));
}

static uint32_t wide_groups_of(const rips_wide *w) { return cell_groups(w, w->busy / 64); }

static uint32_t bits_of(uint32_t elements) {
    uint32_t bits = 1;
    while (bits < 31 && 1u << bits < elements) bits++;
    return bits;
}

#define TEXTURES 11

static void list_textures(rips_wide *w, gpu_wanted out[TEXTURES]) {
    uint32_t room = w->room, terms = room_of_terms(w);
    const gpu_wanted all[TEXTURES] = {
        {&w->cells, "cells of a long column", GPU_RGBA32UI, room, 1},
        {&w->sums, "sums of cells", GPU_R32UI, room, 1},
        {&w->slots, "places of cells", GPU_R32UI, 2u << bits_of(room), 1},
        {&w->touched, "cells of a round", GPU_R32UI, 2 * room, 1},
        {&w->settled, "cells in no apparent pair", GPU_R32UI, room, 1},
        {&w->left, "cells that are left", GPU_RGBA32UI, room, 1},
        {&w->terms, "terms of a long column", GPU_RGBA32UI, terms, 1},
        {&w->term_sums, "sums of terms", GPU_R32UI, terms, 1},
        {&w->term_slots, "places of terms", GPU_R32UI, 2u << bits_of(terms), 1},
        {&w->added, "terms to be added", GPU_RGBA32UI, ADDED, 1},
        {&w->counts, "counts of a long column", GPU_R32UI, RIPS_WIDE_COUNTS, 1}};
    memcpy(out, all, sizeof all);
}

static size_t bytes_of(rips_wide *w) {
    gpu_wanted all[TEXTURES];
    list_textures(w, all);
    return gpu_wanted_bytes(w->g, all, TEXTURES);
}

static void free_textures(rips_wide *w) {
    gpu_wanted all[TEXTURES];
    list_textures(w, all);
    gpu_wanted_free(all, TEXTURES);
}

/* *why becomes RUN_NOT_ROOM if the driver has not the memory. */
static glshape_status make_textures(rips_wide *w, run_why *why) {
    gpu_wanted all[TEXTURES];
    list_textures(w, all);
    glshape_status status = gpu_wanted_new(w->g, all, TEXTURES);
    if (status != GLSHAPE_NO_GPU_MEMORY) return status;
    gpu_wanted_free(all, TEXTURES);
    *why = RUN_NOT_ROOM;
    return GLSHAPE_OK;
}

static void begin_stage(const rips_wide *w, run_why why) {
    if (!gpu_is_checking(w->g)) run_begin_stage(run_of(w->g), "long columns", why);
}

/* Sets *room to whether the device is for this column. */
static glshape_status prepare(rips_wide *w, size_t terms, bool *room) {
    run_why why;
    double items = (double)terms * w->s->n;
    *room = w->fits && !w->unfit && !place_is_little(w->g, PLACE_LONG_COLUMNS, items);
    if (w->made || !*room) {
        if (*room && !w->columns) begin_stage(w, gpu_why_passes(w->g));
        return GLSHAPE_OK;
    }
    if (!w->room) w->room = place_count(w->g, PLACE_AMOUNT_CELLS);
    while (bytes_of(w) > gpu_memory_left(w->g) && w->room > LEAST_ROOM) w->room /= 2;
    TRY(place_choose_any(w->g, bytes_of(w), &why));
    if (run_why_device(why) && bytes_of(w) > gpu_memory_left(w->g))
        why = RUN_NOT_ROOM; /* of a named device, too */
    if (!gpu_is_checking(w->g)) place_may_wait(w->g, PLACE_WORK_LONG, items);
    if (run_why_device(why)) TRY(rips_is_for_wide(w->g, &why));
    if (run_why_device(why)) TRY(make_textures(w, &why));
    begin_stage(w, why);
    w->made = *room = run_why_device(why);
    w->unfit = !*room;
    return GLSHAPE_OK;
}

void rips_wide_free(rips_wide *w) {
    if (w->g) free_textures(w);
}

/* ---- cells on the device ----------------------------------------------------------------------- */

static glshape_status is_wrong(const rips_wide *w) {
    return fail(error_of(w), GLSHAPE_GPU_ERROR,
                "%s computes long columns wrongly; take another device, or none", gpu_renderer(w->g));
}

/* Appends the first `count` simplices of a texture. */
static glshape_status fetch(const rips_wide *w, gpu_texture *t, uint32_t count, int vertices, cell_pile *to) {
    OWNED uint32_t(*packed)[4] = NULL;
    TRY(allocate(error_of(w), &packed, count, sizeof *packed, "a long column"));
    TRY(memory_reserve(error_of(w), &to->items, &to->room, to->count + count, sizeof *to->items,
                       "a long column"));
    TRY(gpu_download(w->g, t, 0, count, packed));
    for (uint32_t k = 0; k < count; k++)
        if (!rips_unpack(w->s, packed[k], vertices, RIPS_VERTEX_BITS, &to->items[to->count++]))
            return is_wrong(w);
    return GLSHAPE_OK;
}

/* ---- passes ------------------------------------------------------------------------------------ */

static glshape_status fill(const rips_wide *w, gpu_texture *t, uint32_t value) {
    return gpu_run(w->g, prim_fill, .filled = t, .value = value, .elements = t->elements);
}

/* What the passes of a group for each term or cell are given. */
#define OF_SIMPLICES(w, count_)                                                                   \
    .vertices = (uint32_t)(w)->dim + 2, .dist = (w)->dist, .state = &(w)->counts, .n = (w)->s->n, \
    .from = (w)->from, .bound = (w)->bound, .modulus = (w)->s->modulus, .room = (w)->room,        \
    .all_groups = groups_for(w, count_), .round = (w)->round, .room_of_terms = room_of_terms(w),  \
    .groups = groups_for(w, count_)

/* Makes the cofacets of the terms in `added`, which become the last ones. */
static glshape_status make_of_added(rips_wide *w, uint32_t count) {
    return gpu_run(w->g, rips_wide_make, .SUMMED = 0, OF_SIMPLICES(w, count), .added = &w->added,
                   .terms = &w->terms, .cells = &w->cells, .sums = &w->sums, .first = w->term_count,
                   .count = count);
}

/* Makes those of all terms whose sum is not 0. */
static glshape_status make_of_all(rips_wide *w) {
    return gpu_run(w->g, rips_wide_make, .SUMMED = 1, OF_SIMPLICES(w, w->term_count),
                   .term_sums = &w->term_sums, .terms = &w->terms, .cells = &w->cells, .sums = &w->sums);
}

/* Adds up the new cells, and lists those of the next round. */
static glshape_status insert(rips_wide *w) {
    TRY(gpu_run(w->g, rips_wide_insert, .cells = &w->cells, .slots = &w->slots, .sums = &w->sums,
                .state = &w->counts, .touched = &w->touched, .modulus = w->s->modulus, .room = w->room,
                .all_groups = wide_groups_of(w), .round = w->round, .slot_bits = 1 + bits_of(w->room),
                .most = MOST_TRIED, .groups = wide_groups_of(w)));
    w->round++;
    return GLSHAPE_OK;
}

static glshape_status insert_terms(rips_wide *w) {
    return gpu_run(w->g, rips_wide_terms, .cells = &w->terms, .slots = &w->term_slots, .sums = &w->term_sums,
                   .state = &w->counts, .modulus = w->s->modulus, .room = room_of_terms(w),
                   .all_groups = wide_groups_of(w), .slot_bits = 1 + bits_of(room_of_terms(w)),
                   .most = MOST_TRIED, .first = w->in_table, .groups = wide_groups_of(w));
}

static glshape_status cancel(rips_wide *w) {
    return gpu_run(w->g, rips_wide_cancel, OF_SIMPLICES(w, w->room), .touched = &w->touched,
                   .cells = &w->cells, .sums = &w->sums, .terms = &w->terms, .settled = &w->settled);
}

static float scale_of(const rips_wide *w) {
    float scale = ALL_PARTS / (w->bound - w->from);
    return scale < INFINITY ? scale : 0;
}

/* Counts the cells that are left, and lists those of w->parts. */
static glshape_status list_left(rips_wide *w) {
    uint32_t groups = cell_groups(w, w->count[SETTLES] / 128);
    return gpu_run(w->g, rips_wide_left, .settled = &w->settled, .sums = &w->sums, .cells = &w->cells,
                   .state = &w->counts, .left = &w->left, .modulus = w->s->modulus, .room = w->room,
                   .all_groups = groups, .from = w->from, .scale = scale_of(w), .end_part = w->parts,
                   .groups = groups);
}

static glshape_status read_counts(rips_wide *w) {
    return gpu_download(w->g, &w->counts, 0, RIPS_WIDE_COUNTS, w->count);
}

/* ---- a range of values ------------------------------------------------------------------------- */

/* Makes the cofacets above the bound and up to the next. */
static glshape_status raise_bound(rips_wide *w) {
    float next = w->next > w->bound ? w->next : w->bound + w->step, end = w->s->threshold;
    w->from = w->bound;
    w->bound = next < end && next > w->from ? next : end;
    w->before = w->term_count;
    memset(w->count, 0, sizeof w->count);
    w->count[TERM_COUNT] = w->term_count;
    TRY(gpu_upload(w->g, &w->counts, 0, RIPS_WIDE_COUNTS, w->count));
    TRY(fill(w, &w->slots, NONE));
    if (w->in_table < w->term_count) TRY(insert_terms(w));
    w->in_table = w->term_count;
    w->busy = UINT32_MAX;
    w->parts = 0;
    TRY(make_of_all(w));
    w->in_range = true;
    return insert(w);
}

/* The device does not go on with the column. */
static glshape_status give_up(const rips_wide *w, bool *room) {
    begin_stage(w, RUN_NOT_LIMITS);
    *room = false;
    return GLSHAPE_OK;
}

/* There was no room for the cells of the range: begins it again with those of the lower half of its values,
 * which are distances. */
static glshape_status halve(rips_wide *w, bool *room) {
    float least = INFINITY, greatest = -INFINITY;
    for (size_t k = 0; k < (size_t)w->s->n * w->s->n; k++) {
        float value = w->s->distance[k];
        if (!(value > w->from && value <= w->bound)) continue;
        least = value < least ? value : least;
        greatest = value > greatest ? value : greatest;
    }
    if (!(least < greatest)) return give_up(w, room);
    w->next = least + (greatest - least) / 2;
    if (!(w->next < greatest)) w->next = least;
    w->step = w->next - w->from;
    w->bound = w->from;
    w->term_count = w->in_table = w->before;
    w->in_range = false;
    return GLSHAPE_OK;
}

/* Rounds until no cell is listed any more. If there is no room, the range is no longer begun. */
static glshape_status clear_range(rips_wide *w, bool *room) {
    for (uint32_t rounds = FIRST_ROUNDS;; rounds = rounds < MOST_ROUNDS ? 2 * rounds : rounds) {
        for (uint32_t k = 0; k < rounds; k++) {
            TRY(cancel(w));
            TRY(insert(w));
        }
        uint32_t had = w->count[CELLS];
        TRY(list_left(w));
        TRY(read_counts(w));
        w->busy = (w->count[CELLS] - had) / rounds;
        w->term_count = w->count[TERM_COUNT];
        if (w->term_count > room_of_terms(w) || w->count[FULL] & TERM_LOST) return give_up(w, room);
        if (w->count[FULL] || w->count[CELLS] > w->room) return halve(w, room);
        if (w->count[SETTLES] > w->count[CELLS]) return is_wrong(w);
        if (!w->count[ROUNDS + w->round % LISTS]) return GLSHAPE_OK;
        if (w->count[CELLS] <= had) return is_wrong(w);
        TRY(run_tick_again(run_of(w->g)));
    }
}

/* ---- the device -------------------------------------------------------------------------------- */

static glshape_status put_terms(rips_wide *w, gpu_texture *to, uint32_t first, const cell *terms,
                                size_t count) {
    OWNED uint32_t(*packed)[4] = NULL;
    TRY(allocate(error_of(w), &packed, count, sizeof *packed, "a long column"));
    for (size_t k = 0; k < count; k++) rips_pack(w->s, &terms[k], w->dim + 1, RIPS_VERTEX_BITS, packed[k]);
    return gpu_upload(w->g, to, first, (uint32_t)count, packed);
}

static bool have_room(const rips_wide *w, size_t terms) { return terms <= room_of_terms(w) - w->term_count; }

static glshape_status begin(void *of, const cell_pile *terms, float value, float step, bool *room) {
    rips_wide *w = of;
    w->cofacets = 0;
    w->in_range = false;
    TRY(prepare(w, terms->count, room));
    if (!*room) return GLSHAPE_OK;
    w->columns++;
    w->bound = nextafterf(value, -1);
    w->step = w->first_step = step;
    w->next = -INFINITY;
    w->round = w->term_count = w->in_table = 0;
    TRY(fill(w, &w->term_slots, NONE));
    TRY(fill(w, &w->term_sums, 0));
    if (!have_room(w, terms->count)) return give_up(w, room);
    w->term_count = (uint32_t)terms->count;
    return put_terms(w, &w->terms, 0, terms->items, terms->count);
}

/* Sets w->parts to the first parts of the range, the cells in which are enough for a look at them. */
static void choose_parts(rips_wide *w) {
    uint64_t count = 0;
    for (w->parts = 0; w->parts < ALL_PARTS && count < ENOUGH; w->parts++) {
        uint32_t more = w->count[PARTS_LEFT + w->parts];
        if (count && count + more > MANY) return;
        count += more;
    }
}

/* Appends the first of the cells that are left, if there are some: those that are listed, if they are not too
 * many. */
static glshape_status fetch_left(rips_wide *w, cell_pile *left) {
    uint32_t listed = w->count[LISTED_LEFT], any = 0;
    for (int k = 0; k < ALL_PARTS; k++) any |= w->count[PARTS_LEFT + k];
    if (!any) return GLSHAPE_OK;
    choose_parts(w);
    if (!listed || listed > MANY) {
        TRY(gpu_upload(w->g, &w->counts, LISTED_LEFT, 1, &(uint32_t){0}));
        TRY(list_left(w));
        TRY(read_counts(w));
        listed = w->count[LISTED_LEFT];
    }
    if (!listed || listed > w->count[SETTLES]) return is_wrong(w);
    TRY(fetch(w, &w->left, listed, w->dim + 2, left));
    for (const cell *c = left->items + left->count - listed; c < left->items + left->count; c++)
        if (!(c->value > w->from && c->value <= w->bound)) return is_wrong(w);
    return GLSHAPE_OK;
}

/* A range that was halved for want of room is followed by larger ones, and so is one without cells. */
static void end_range(rips_wide *w) {
    uint32_t cells = w->count[CELLS];
    w->cofacets += cells;
    if (!cells || (cells < w->room / 2 && w->step < w->first_step)) w->step *= 2;
    w->in_range = false;
}

static glshape_status find_left(void *of, cell_pile *left, bool *room) {
    rips_wide *w = of;
    size_t had = left->count;
    for (*room = true; *room;) {
        if (!w->in_range && w->bound >= w->s->threshold) return GLSHAPE_OK;
        if (!w->in_range) TRY(raise_bound(w));
        TRY(clear_range(w, room));
        if (!w->in_range || !*room) continue;
        TRY(fetch_left(w, left));
        if (left->count > had) return GLSHAPE_OK;
        end_range(w);
    }
    return GLSHAPE_OK;
}

/* They go into a small texture first, because drivers copy all of a large one that is in use when a part of
 * it changes. */
static glshape_status add(void *of, const cell *terms, size_t count, bool *room) {
    rips_wide *w = of;
    if (!have_room(w, count)) return give_up(w, room);
    for (size_t at = 0, some; at < count; at += some) {
        some = count - at < ADDED ? count - at : ADDED;
        TRY(put_terms(w, &w->added, 0, terms + at, some));
        TRY(make_of_added(w, (uint32_t)some));
        w->term_count += (uint32_t)some;
    }
    return insert(w);
}

static glshape_status take_terms(void *of, cell_pile *terms) {
    rips_wide *w = of;
    return fetch(w, &w->terms, w->term_count, w->dim + 1, terms);
}

static uint64_t cofacets_of(const void *of) {
    const rips_wide *w = of;
    return w->cofacets + (w->in_range ? w->count[CELLS] : 0);
}

void rips_wide_begin(gpu *g, const rips_space *s, gpu_texture *dist, int dim, rips_wide *w,
                     persistence_device *device) {
    w->g = g;
    w->s = s;
    w->dist = dist;
    w->dim = dim;
    w->fits = dim + 2 <= RIPS_PACKED_VERTICES && s->n <= RIPS_PACKED_POINTS;
    w->columns = 0;
    *device = (persistence_device){w, begin, find_left, add, take_terms, cofacets_of};
}
