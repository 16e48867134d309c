#include "rips/short.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "place/place.h"
#include "prim/passes.h"
#include "rips/first.h"
#include "rips/packed.h"
#include "rips/passes.h"

#define MOST_COLUMNS (1u << 27) /* records are numbered below AGAIN */
#define AT_ONCE (1u << 18)      /* columns that go up or come down at once */
#define MORE_TERMS (1u << 16)   /* beside those for each column */
#define MOST_TERMS (UINT32_C(1) << 30)
#define MORE_RECORDS (1u << 12) /* beside two for each column */
#define LEAST_TERMS 64          /* that a group has turns for */
#define WIDTH_OF_LISTS 32       /* invocations that look at a list */
#define VERY_FEW_TERMS 8        /* ... where turns are limited */

/* As in glsl/rips/short.glsl. */
enum { RECORDS, TERMS, MADE, MADE_UPPER, ADDED, ADDED_UPPER, LEFT_OVER, COUNTS };
#define ZERO UINT32_MAX
#define LEFT (UINT32_C(1) << 31)
#define AGAIN (UINT32_C(1) << 30)
#define UNKNOWN (LEFT - 1)

typedef struct shortening {
    rips_enumeration *e;
    int dim;
    const rips_columns *c;
    rips_short_room room;
    int lists;            /* RIPS_OF_MATRIX … */
    uint32_t vertex_bits; /* packed.h */
    uint32_t count, most_records, most_terms;
    gpu_texture columns, ends, records, terms, last, slots, state;
    uint32_t counts[COUNTS];
    uint32_t (*words)[4]; /* AT_ONCE */
} shortening;

static error *error_of(const rips_enumeration *e) { return run_error(run_of(e->g)); }

/* What the passes look at: lists where they are there, beside the matrix or alone. */
static int lists_of(const rips_enumeration *e) {
    return !e->of_lists ? RIPS_OF_MATRIX : rips_may_have_matrix(e->s) ? RIPS_OF_BOTH : RIPS_OF_LISTS;
}

/* Where lists are alone, there may be more points than a matrix has. */
static uint32_t vertex_bits_of(const rips_enumeration *e, int dim) {
    return lists_of(e) == RIPS_OF_LISTS ? RIPS_PACKED_BITS / ((uint32_t)dim + 2) : RIPS_VERTEX_BITS;
}

static glshape_status is_wrong(const shortening *p) {
    return fail(error_of(p->e), GLSHAPE_GPU_ERROR, "%s reduces columns wrongly; take another device, or none",
                gpu_renderer(p->e->g));
}

/* ---- textures ---------------------------------------------------------------------------------- */

static uint32_t slot_bits_of(size_t count) {
    uint32_t bits = 4;
    while ((size_t)1 << bits < 2 * count) bits++;
    return bits;
}

#define TEXTURES 7

static void list_textures(shortening *p, gpu_wanted out[TEXTURES]) {
    uint32_t count = p->count;
    const gpu_wanted all[TEXTURES] = {
        {&p->columns, "columns", GPU_RGBA32UI, count, 1},
        {&p->ends, "pivots of columns", GPU_RGBA32UI, count, 1},
        {&p->records, "records of columns", GPU_RGBA32UI, p->most_records, 2},
        {&p->terms, "terms of columns", GPU_RGBA32UI, p->most_terms, 1},
        {&p->last, "last records of columns", GPU_R32UI, count, 1},
        {&p->slots, "owners of pivots", GPU_R32UI, UINT32_C(1) << slot_bits_of(count), 1},
        {&p->state, "counts of short columns", GPU_R32UI, COUNTS, 1}};
    memcpy(out, all, sizeof all);
}

/* SIZE_MAX: the device has no such textures. */
static size_t bytes_of(shortening *p) {
    gpu_wanted all[TEXTURES];
    list_textures(p, all);
    size_t more = rips_enumeration_bytes_for_short(p->e);
    size_t bytes = gpu_wanted_bytes(p->e->g, all, TEXTURES);
    return more < SIZE_MAX - bytes ? bytes + more : SIZE_MAX;
}

static glshape_status make_textures(shortening *p) {
    gpu_wanted all[TEXTURES];
    list_textures(p, all);
    return gpu_wanted_new(p->e->g, all, TEXTURES);
}

static void end(shortening *p) {
    gpu_wanted all[TEXTURES];
    list_textures(p, all);
    gpu_wanted_free(all, TEXTURES);
    free(p->words);
}

static uint32_t most_terms(uint32_t count, uint32_t each) {
    uint64_t all = (uint64_t)count * (1 + (each ? each : 3)) + MORE_TERMS;
    return all < MOST_TERMS ? (uint32_t)all : MOST_TERMS;
}

static shortening begin(rips_enumeration *e, int dim, const rips_columns *c, rips_short_room room) {
    uint32_t count = (uint32_t)c->count;
    return (shortening){.e = e,
                        .dim = dim,
                        .c = c,
                        .room = room,
                        .lists = lists_of(e),
                        .vertex_bits = vertex_bits_of(e, dim),
                        .count = count,
                        .most_records = room.scarce ? count + count / 8 + 1 : 2 * count + MORE_RECORDS,
                        .most_terms = room.scarce ? count + count / 4 + 1 : most_terms(count, room.each)};
}

/* ---- passes ------------------------------------------------------------------------------------ */

static uint32_t at_most(uint32_t count, uint32_t most) { return count < most ? count : most; }

static glshape_status put_columns(shortening *p) {
    for (uint32_t at = 0, some; at < p->count; at += some) {
        some = at_most(p->count - at, AT_ONCE);
        for (uint32_t k = 0; k < some; k++) rips_pack_column(&p->c->items[at + k], p->words[k]);
        TRY(gpu_upload(p->e->g, &p->columns, at, some, p->words));
    }
    return GLSHAPE_OK;
}

static glshape_status find_first(shortening *p) {
    rips_enumeration *e = p->e;
    return gpu_run(e->g, rips_first, .KEPT = 1, .LISTS = p->lists, .dist = &e->dist, .start = &e->lists.start,
                   .neighbors = &e->lists.neighbors, .lengths = &e->lists.lengths, .binomial = &e->binomial,
                   .columns = &p->columns, .records = &p->records, .terms = &p->terms, .n = e->s->n,
                   .vertices = (uint32_t)p->dim + 1, .vertex_bits = p->vertex_bits,
                   .threshold = e->s->threshold, .modulus = e->s->modulus, .groups = p->count);
}

/* The turns of a group's loops for one term, at most (glsl/rips/short.glsl: turns_of). */
static uint64_t turns_of_term(const rips_enumeration *e) {
    return lists_of(e) == RIPS_OF_LISTS ? (e->longest / WIDTH_OF_LISTS + 1) * UINT64_C(120)
                                        : (e->s->n / (4 * RIPS_SHORT_LOCAL) + 1) * UINT64_C(60);
}

/* A sixth, because a software renderer counts the turns of other invocations, too. */
static uint32_t most_turns(const rips_enumeration *e) { return place_turns(e->g) / 6; }

static uint32_t turns_for(const shortening *p) {
    uint32_t least = (uint32_t)(LEAST_TERMS * turns_of_term(p->e)), turns = p->room.turns;
    bool as_given = p->room.scarce || p->lists == RIPS_OF_LISTS; /* one list may be longer than all others */
    return at_most(turns < least && !as_given ? least : turns, most_turns(p->e));
}

/* What both passes of the reduction are given. */
#define SHORT(p, room_of_cells, room_of_terms_)                                                        \
    .records = &(p)->records, .terms = &(p)->terms, .last = &(p)->last, .slots = &(p)->slots,          \
    .state = &(p)->state, .n = (p)->e->s->n, .vertices = (uint32_t)(p)->dim + 2,                       \
    .vertex_bits = (p)->vertex_bits, .threshold = (p)->e->s->threshold, .modulus = (p)->e->s->modulus, \
    .room = (room_of_cells), .room_of_terms = (room_of_terms_), .most_records = (p)->most_records,     \
    .most_terms = (p)->most_terms, .slot_bits = slot_bits_of((p)->count), .most_turns = turns_for(p),  \
    .groups = (p)->count

static glshape_status reduce_all(shortening *p) {
    rips_enumeration *e = p->e;
    bool little = p->lists == RIPS_OF_LISTS; /* reduce_left() has more room */
    return gpu_run(e->g, rips_short, .LISTS = p->lists, .dist = &e->dist, .start = &e->lists.start,
                   .neighbors = &e->lists.neighbors, .lengths = &e->lists.lengths,
                   SHORT(p, p->room.cells / (little ? 2 : 1), p->room.terms / (little ? 4 : 1)));
}

/* Goes on, where distances are lists, with the columns that are left. */
static glshape_status reduce_left(shortening *p) {
    rips_lists *l = &p->e->lists;
    return gpu_run(p->e->g, rips_short_large, .start = &l->start, .neighbors = &l->neighbors,
                   .lengths = &l->lengths, SHORT(p, p->room.cells, p->room.terms));
}

static glshape_status reduce(shortening *p) {
    gpu *g = p->e->g;
    const uint32_t counts[COUNTS] = {p->count, p->count};
    TRY(gpu_upload(g, &p->state, 0, COUNTS, counts));
    TRY(gpu_run(g, prim_fill, .filled = &p->slots, .value = UINT32_MAX, .elements = p->slots.elements));
    TRY(gpu_run(g, prim_fill, .filled = &p->last, .value = UNKNOWN, .elements = p->count));
    TRY(reduce_all(p));
    TRY(gpu_download(g, &p->state, 0, COUNTS, p->counts));
    if (p->lists == RIPS_OF_LISTS && p->counts[LEFT_OVER]) {
        TRY(reduce_left(p));
        TRY(gpu_download(g, &p->state, 0, COUNTS, p->counts));
    }
    if (p->counts[RECORDS] < p->count || p->counts[TERMS] < p->count) return is_wrong(p);
    p->counts[RECORDS] = at_most(p->counts[RECORDS], p->most_records);
    p->counts[TERMS] = at_most(p->counts[TERMS], p->most_terms);
    return GLSHAPE_OK;
}

static glshape_status find_ends(shortening *p) {
    return gpu_run(p->e->g, rips_short_ends, .binomial = &p->e->binomial, .records = &p->records,
                   .last = &p->last, .columns = &p->ends, .n = p->e->s->n, .vertices = (uint32_t)p->dim + 2,
                   .vertex_bits = p->vertex_bits, .modulus = p->e->s->modulus, .count = p->count,
                   .most_records = p->most_records, .groups = (p->count + RIPS_LOCAL - 1) / RIPS_LOCAL);
}

/* ---- what comes down --------------------------------------------------------------------------- */

static glshape_status take_first(shortening *p, persistence_first **out) {
    TRY(allocate(error_of(p->e), out, p->count, sizeof **out, "the first cofacets"));
    for (uint32_t at = 0, some; at < p->count; at += some) {
        some = at_most(p->count - at, AT_ONCE);
        TRY(gpu_download(p->e->g, &p->columns, at, some, p->words));
        for (uint32_t k = 0; k < some; k++)
            if (!rips_unpack_first(p->e->s, p->dim, &p->c->items[at + k], p->words[k], &(*out)[at + k]))
                return is_wrong(p);
    }
    return GLSHAPE_OK;
}

/* Sets what column k ends with, and *record to the number of its record. */
static bool unpack_end(const shortening *p, uint32_t k, const uint32_t from[4], persistence_reduced *to,
                       uint32_t *record) {
    const rips_space *s = p->e->s;
    bool zero = from[3] == ZERO;
    *record = zero ? k : from[3] & ~(LEFT | AGAIN);
    *to = (persistence_reduced){
        {.index = PERSISTENCE_ESSENTIAL, .value = INFINITY}, NULL, 1, !zero && from[3] & LEFT};
    if (*record < p->count ? *record != k : *record >= p->counts[RECORDS]) return false;
    if (zero || to->left) return true;
    to->pivot = (cell){.index = (uint64_t)from[0] << 32 | from[1], .coefficient = 1};
    memcpy(&to->pivot.value, &from[2], sizeof to->pivot.value);
    return to->pivot.index < rips_choose(s, s->n, p->dim + 2) && to->pivot.value >= p->c->items[k].value &&
           to->pivot.value <= s->threshold;
}

static glshape_status take_ends(shortening *p, uint32_t *record, rips_short *out) {
    TRY(allocate(error_of(p->e), &out->reduced, p->count, sizeof *out->reduced, "the ends of columns"));
    for (uint32_t at = 0, some; at < p->count; at += some) {
        some = at_most(p->count - at, AT_ONCE);
        TRY(gpu_download(p->e->g, &p->ends, at, some, p->words));
        for (uint32_t k = 0; k < some; k++) {
            if (!unpack_end(p, at + k, p->words[k], &out->reduced[at + k], &record[at + k]))
                return is_wrong(p);
            out->left += out->reduced[at + k].left;
        }
    }
    out->added = (uint64_t)p->counts[ADDED_UPPER] << 32 | p->counts[ADDED];
    out->cofacets = (uint64_t)p->counts[MADE_UPPER] << 32 | p->counts[MADE];
    return GLSHAPE_OK;
}

/* The records and terms that were made after the columns' own. Places in them that had no room are not
 * filled. */
typedef struct made_later {
    uint32_t (*heads)[2][4], (*terms)[4];
    uint32_t records, term_count;
} made_later;

static void made_later_free(made_later *m) {
    free(m->heads);
    free(m->terms);
}

static glshape_status fetch(shortening *p, made_later *m) {
    error *err = error_of(p->e);
    gpu *g = p->e->g;
    m->records = p->counts[RECORDS] - p->count;
    m->term_count = p->counts[TERMS] - p->count;
    TRY(allocate(err, &m->heads, m->records, sizeof *m->heads, "records of columns"));
    TRY(allocate(err, &m->terms, m->term_count, sizeof *m->terms, "terms of columns"));
    if (m->records) TRY(gpu_download(g, &p->records, p->count, m->records, m->heads));
    return m->term_count ? gpu_download(g, &p->terms, p->count, m->term_count, m->terms) : GLSHAPE_OK;
}

/* Gives a column the terms of its record, which become those at `to`. */
static bool take_record(const shortening *p, const made_later *m, uint32_t j, uint32_t record, cell *to,
                        persistence_reduced *r) {
    const uint32_t *pivot = m->heads[record][0], *head = m->heads[record][1], at = head[1] - p->count;
    if (head[0] != j || !head[2] || at > m->term_count || head[2] > m->term_count - at) return false;
    r->pivot.coefficient = pivot[2] & 0xffff;
    r->terms = to;
    r->count = head[2];
    for (uint32_t k = 0; k < r->count; k++)
        if (!rips_unpack(p->e->s, m->terms[at + k], p->dim + 1, p->vertex_bits, &to[k])) return false;
    return true;
}

/* All records, and where the terms of each go. */
typedef struct taking {
    const shortening *p;
    const made_later *m;
    const uint32_t *record;
    const uint64_t *place;
    rips_short *out;
    atomic_bool wrong;
} taking;

static void take_some(void *user, size_t first, size_t end) {
    taking *t = user;
    uint32_t count = t->p->count;
    for (size_t j = first; j < end; j++) {
        if (t->record[j] < count) continue;
        if (!take_record(t->p, t->m, (uint32_t)j, t->record[j] - count, t->out->terms + t->place[j],
                         &t->out->reduced[j]))
            atomic_store_explicit(&t->wrong, true, memory_order_relaxed);
    }
}

static glshape_status take_records(shortening *p, const uint32_t *record, rips_short *out) {
    OWNED_BY(made_later_free) made_later m = {0};
    OWNED uint64_t *place = NULL;
    uint64_t all = 0;
    TRY(fetch(p, &m));
    TRY(allocate(error_of(p->e), &place, p->count, sizeof *place, "records of columns"));
    for (uint32_t j = 0; j < p->count; j++) {
        out->reduced[j].pivot.coefficient = out->first[j].cell.coefficient;
        place[j] = all;
        if (record[j] >= p->count) all += m.heads[record[j] - p->count][1][2];
    }
    if (all > m.term_count) return is_wrong(p);
    TRY(allocate(error_of(p->e), &out->terms, all, sizeof *out->terms, "terms of columns"));
    out->term_count = all;
    taking t = {.p = p, .m = &m, .record = record, .place = place, .out = out};
    threads_ranges(p->count, take_some, &t);
    return atomic_load(&t.wrong) ? is_wrong(p) : GLSHAPE_OK;
}

static glshape_status take_all(shortening *p, bool wanted, rips_short *out) {
    OWNED uint32_t *record = NULL;
    TRY(allocate(error_of(p->e), &record, p->count, sizeof *record, "records of columns"));
    TRY(take_ends(p, record, out));
    if (wanted || out->left) TRY(take_first(p, &out->first));
    return out->left ? take_records(p, record, out) : GLSHAPE_OK;
}

glshape_status rips_short_by_passes(rips_enumeration *e, int dim, const rips_columns *c, rips_short_room room,
                                    bool wanted, rips_short *out) {
    OWNED_BY(end) shortening p = begin(e, dim, c, room);
    TRY(allocate(error_of(e), &p.words, AT_ONCE, sizeof *p.words, "columns"));
    TRY(make_textures(&p));
    TRY(put_columns(&p));
    TRY(find_first(&p));
    TRY(reduce(&p));
    TRY(find_ends(&p));
    return take_all(&p, wanted, out);
}

void rips_short_free(rips_short *s) {
    free(s->first);
    free(s->reduced);
    free(s->terms);
}

/* ---- whether passes do it ---------------------------------------------------------------------- */

static bool have_turns(const rips_enumeration *e) {
    return turns_of_term(e) * VERY_FEW_TERMS <= most_turns(e);
}

/* Where distances are lists, terms get much room, if the device has that. */
static rips_short_room room_for(rips_enumeration *e, int dim, const rips_columns *c) {
    rips_short_room room = lists_of(e) == RIPS_OF_LISTS ? RIPS_SHORT_ROOM_OF_LISTS : RIPS_SHORT_ROOM;
    shortening p = begin(e, dim, c, room);
    if (bytes_of(&p) > gpu_memory_left(e->g)) room.each = 0;
    return room;
}

glshape_status rips_short_reduce(rips_enumeration *e, int dim, const rips_columns *c, bool wanted,
                                 rips_short *out) {
    run_why why;
    const rips_space *s = e->s;
    bool can = s && c->count && (s->distance || e->lists.start.id) && dim + 2 <= RIPS_PACKED_VERTICES &&
               (uint64_t)s->n <= UINT64_C(1) << vertex_bits_of(e, dim) && c->count < MOST_COLUMNS;
    bool makes = can && rips_may_have_matrix(s) && !e->dist.id;
    if (!can || !have_turns(e) ||
        (makes && place_matrix_is_too_much(e->g, s->n, !e->lists.start.id, (double)c->count)))
        return GLSHAPE_OK;
    shortening p = begin(e, dim, c, room_for(e, dim, c));
    size_t bytes = bytes_of(&p);
    can = bytes < SIZE_MAX;
    TRY(place_choose(e->g, PLACE_SHORT_COLUMNS, (double)c->count, can, bytes, &why));
    if (run_why_device(why) && bytes > gpu_memory_left(e->g)) why = RUN_NOT_ROOM; /* of a named device, too */
    if (!run_why_device(why)) return GLSHAPE_OK;
    place_may_wait(e->g, p.lists == RIPS_OF_LISTS ? PLACE_WORK_SHORT_OF_LISTS : PLACE_WORK_SHORT,
                   (double)c->count);
    TRY(rips_is_for_short(e->g, p.lists, &why));
    if (!run_why_device(why)) return GLSHAPE_OK;
    run_begin_stage(run_of(e->g), "short columns", why);
    glshape_status status = rips_enumeration_add_for_short(e);
    if (!status) status = rips_short_by_passes(e, dim, c, p.room, wanted, out);
    if (status != GLSHAPE_NO_GPU_MEMORY) return status;
    if (makes) gpu_texture_free(&e->dist);
    run_begin_stage(run_of(e->g), "short columns", RUN_NOT_ROOM);
    return GLSHAPE_OK;
}
