/* Edges flow to critical squares, and their columns are reduced in rounds. In a round columns whose first
 * squares are on their way let them flow on; then each column claims its first square, and one that does not
 * get it adds the owner. A later column that loses its square to an earlier one is at work again in the next
 * round. Whatever was added to a column, it is as good as before: so when few columns are left threads go on,
 * by the same rule (persistence/sparse.c). */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "cubical/passes.h"
#include "cubical/reduced.h"
#include "place/place.h"
#include "prim/passes.h"

#define ENTRIES 12u          /* of a column, with those before another was added to it, about */
#define FLOW_ENTRIES 28u     /* of a column of a smooth field, before any was added */
#define FEW_ENTRIES 5u       /* of a column of noise, before any was added */
#define LONGER 6u            /* times as many entries as the flow has found, for columns that become long; */
#define MOST_LONG (1u << 26) /* at most so many */
#define LEAST_ENTRIES 4096u
#define BRIEF 96u    /* entries that columns have together when one is added to the other by one invocation */
#define ROUNDS 1024u /* at most */
#define GROUPS 4096u /* that share long columns */
#define SEARCH 1024u /* slots */
#define OFTEN 64u    /* rounds in which the device is asked how many columns are at work */
/* What is counted, as in glsl/cubical/pivots.glsl. */
#define USED 0u
#define FIRST_ROUND 3u
#define COUNTS (FIRST_ROUND + ROUNDS + 1)

typedef struct rounds {
    gpu *g;
    const cubical_job *job;
    grid_field own;    /* keys that were not on the device before */
    grid_field *field; /* these, or the job's */
    gpu_texture *edges, *ended;
    gpu_texture star, own_ended, columns, entries, slots, claimed, longs, pending, counts;
    gpu_texture working[2]; /* columns at work in this round, and in the next */
    uint32_t count, room, slot_bits;
    bool filter; /* there is `ended` */
} rounds;

static void rounds_free(rounds *r) {
    gpu_texture *textures[] = {&r->star,    &r->own_ended, &r->columns, &r->entries, &r->slots,
                               &r->claimed, &r->longs,     &r->pending, &r->counts};
    grid_field_free(&r->own);
    for (size_t k = 0; k < sizeof textures / sizeof *textures; k++) gpu_texture_free(textures[k]);
    for (int k = 0; k < 2; k++) gpu_texture_free(&r->working[k]);
}

cubical_effort cubical_full_effort(const gpu *g) {
    return (cubical_effort){place_count(g, PLACE_AMOUNT_FIRST_TURNS),
                            place_count(g, PLACE_AMOUNT_ROUND_TURNS), place_count(g, PLACE_AMOUNT_ENTRIES),
                            BRIEF, place_count(g, PLACE_AMOUNT_ROUNDS)};
}

/* ---- what goes up ------------------------------------------------------------------------------ */

typedef struct ended_bytes {
    const _Atomic uint8_t *of;
    uint32_t n;
} ended_bytes;

/* Four vertices an element. Nobody counts any longer. */
static glshape_status fill_ended(gpu *g, void *user, uint32_t first, uint32_t count, void *memory) {
    const ended_bytes *b = user;
    size_t at = 4 * (size_t)first, bytes = 4 * (size_t)count, rest = b->n - at;
    (void)g;
    memcpy(memory, (const uint8_t *)b->of + at, bytes < rest ? bytes : rest);
    return GLSHAPE_OK;
}

/* The entries that are rarely packed, if the flow has found so many. */
static uint64_t wide_room(const rounds *r, uint64_t found) {
    return ENTRIES * (uint64_t)r->count + (LONGER * found < MOST_LONG ? LONGER * found : MOST_LONG);
}

static glshape_status make_entries(rounds *r, uint64_t room) {
    if (room >= UINT32_MAX / 2 - LEAST_ENTRIES)
        return fail(run_error(run_of(r->g)), GLSHAPE_NO_GPU_MEMORY, "%llu squares are too many for passes",
                    (unsigned long long)room);
    r->room = (uint32_t)room + LEAST_ENTRIES;
    return gpu_texture_new(r->g, &r->entries, "squares of columns", GPU_RG32UI, r->room, 1);
}

/* Makes the largest of these textures that there is memory for. */
static glshape_status make_largest(rounds *r, const uint64_t *rooms, int count) {
    glshape_status status = GLSHAPE_NO_GPU_MEMORY;
    for (int k = 0; k < count && status == GLSHAPE_NO_GPU_MEMORY; k++) status = make_entries(r, rooms[k]);
    return status;
}

/* The texture of entries: where there are many columns for all that is to come, else for the flow. */
static glshape_status make_room(rounds *r) {
    uint64_t most = r->count, flow = FLOW_ENTRIES * most, wide = ENTRIES * most + MOST_LONG;
    const uint64_t rooms[] = {flow < wide ? flow : wide, ENTRIES * most, ENTRIES * 2 / 3 * most,
                              FEW_ENTRIES * most};
    return make_largest(r, rooms, 4);
}

static glshape_status begin(rounds *r) {
    const cubical_keys *k = r->job->keys;
    uint32_t n = k->order->n, most = r->count;
    gpu_texture *counted = r->job->ended_on_gpu;
    ended_bytes ended = {r->job->ended, n};
    bool fills = !counted && ended.of;
    error *err = run_error(run_of(r->g));
    r->edges = r->job->columns;
    r->field = k->on_gpu ? k->on_gpu : &r->own;
    if (!k->on_gpu) {
        TRY(cubical_keys_need(k));
        TRY(grid_field_new(r->g, k->order, k->grid, &r->own));
    }
    while ((UINT64_C(1) << r->slot_bits) < 2 * (uint64_t)most) r->slot_bits++;
    if (r->slot_bits > 30)
        return fail(err, GLSHAPE_NO_GPU_MEMORY, "%u columns are too many for passes", most);
    r->filter = counted || ended.of;
    r->ended = counted ? counted : &r->own_ended;
    struct {
        gpu_texture *t;
        const char *label;
        gpu_format format;
        uint32_t elements;
    } textures[] = {{&r->star, "lower stars", GPU_R32UI, n},
                    {&r->own_ended, "squares that cubes end", GPU_R32UI, fills ? n / 4 + 1 : 1},
                    {&r->columns, "columns", GPU_RG32UI, most},
                    {&r->slots, "owners of squares", GPU_R32UI, 1u << r->slot_bits},
                    {&r->claimed, "slots of columns", GPU_R32UI, most},
                    {&r->longs, "long columns", GPU_R32UI, most},
                    {&r->pending, "what columns flow to", GPU_R32UI, most},
                    {&r->working[0], "columns at work", GPU_R32UI, most},
                    {&r->working[1], "columns at work", GPU_R32UI, most},
                    {&r->counts, "counts of columns", GPU_R32UI, COUNTS}};
    for (size_t k = 0; k < sizeof textures / sizeof *textures; k++)
        TRY(gpu_texture_new(r->g, textures[k].t, textures[k].label, textures[k].format, textures[k].elements,
                            1));
    TRY(make_room(r));
    return fills ? gpu_fill(r->g, r->ended, n / 4 + 1, fill_ended, &ended) : GLSHAPE_OK;
}

/* ---- the flow ---------------------------------------------------------------------------------- */

static uint32_t groups_of(uint32_t count, uint32_t local) { return count ? (count - 1) / local + 1 : 0; }

static glshape_status find_stars(rounds *r) {
    const grid *d = &r->field->grid;
    uint32_t runs = groups_of(d->extent[1], CUBICAL_RUN) * d->extent[0] * d->extent[2];
    return gpu_run(r->g, cubical_stars, .key = &r->field->key, .star = &r->star, .nx = d->extent[0],
                   .ny = d->extent[1], .nz = d->extent[2], .periodic = d->periodic,
                   .groups = groups_of(runs, CUBICAL_LOCAL));
}

static glshape_status flow_once(rounds *r, uint32_t *used) {
    const grid *d = &r->field->grid;
    uint32_t share = place_count(r->g, PLACE_AMOUNT_FLOWS);
    uint32_t counts[COUNTS] = {[FIRST_ROUND] = r->count};
    TRY(gpu_upload(r->g, &r->counts, 0, COUNTS, counts));
    TRY(gpu_run(r->g, cubical_flow, .key = &r->field->key, .star = &r->star, .edges = r->edges,
                .ended = r->ended, .columns = &r->columns, .entries = &r->entries, .counts = &r->counts,
                .nx = d->extent[0], .ny = d->extent[1], .nz = d->extent[2], .periodic = d->periodic,
                .count = r->count, .room = r->room, .most = r->job->effort.first_turns, .share = share,
                .filter_ended = r->filter, .groups = groups_of(r->count, CUBICAL_FLOW_LOCAL * share)));
    return gpu_download(r->g, &r->counts, USED, 1, used);
}

/* Runs the pass again if there are more squares than room for them. */
static glshape_status find_squares(rounds *r, uint32_t *used) {
    TRY(flow_once(r, used));
    if (*used <= r->room) return GLSHAPE_OK;
    gpu_texture_free(&r->entries);
    TRY(make_largest(r, (uint64_t[]){*used + (uint64_t)*used / 2, *used}, 2));
    TRY(flow_once(r, used));
    if (*used <= r->room) return GLSHAPE_OK;
    return fail(run_error(run_of(r->g)), GLSHAPE_GPU_ERROR,
                "one pass found %u squares of edges, the next one %u: this driver counts wrong", r->room,
                *used);
}

/* ---- rounds ------------------------------------------------------------------------------------ */

static glshape_status run_round(rounds *r, uint32_t round, uint32_t most) {
    const grid *d = &r->field->grid;
    const cubical_effort *e = &r->job->effort;
    gpu_texture *working = &r->working[round & 1], *next = &r->working[~round & 1];
    uint32_t groups = most < GROUPS ? most : GROUPS;
    bool listed = round > 0; /* in the first round all columns are at work */
    TRY(gpu_run(r->g, cubical_flow_on, .key = &r->field->key, .star = &r->star, .ended = r->ended,
                .working = working, .columns = &r->columns, .entries = &r->entries, .pending = &r->pending,
                .counts = &r->counts, .nx = d->extent[0], .ny = d->extent[1], .nz = d->extent[2],
                .periodic = d->periodic, .round = round, .listed = listed, .most = e->turns,
                .brief = e->brief, .room = r->room, .filter_ended = r->filter,
                .groups = groups_of(most, CUBICAL_FLOW_LOCAL)));
    TRY(gpu_run(r->g, cubical_claim, .key = &r->field->key, .edges = r->edges, .working = working,
                .entries = &r->entries, .columns = &r->columns, .slots = &r->slots, .claimed = &r->claimed,
                .next = next, .counts = &r->counts, .round = round, .listed = listed,
                .slot_bits = r->slot_bits, .most = SEARCH, .groups = groups_of(most, CUBICAL_LOCAL)));
    TRY(gpu_run(r->g, cubical_add, .key = &r->field->key, .working = working, .slots = &r->slots,
                .claimed = &r->claimed, .columns = &r->columns, .entries = &r->entries, .next = next,
                .longs = &r->longs, .counts = &r->counts, .round = round, .listed = listed, .brief = e->brief,
                .room = r->room, .groups = groups_of(most, CUBICAL_LOCAL)));
    return gpu_run(r->g, cubical_add_long, .key = &r->field->key, .working = working, .slots = &r->slots,
                   .claimed = &r->claimed, .longs = &r->longs, .pending = &r->pending, .columns = &r->columns,
                   .entries = &r->entries, .next = next, .counts = &r->counts, .round = round,
                   .listed = listed, .longest = e->longest, .room = r->room, .all_groups = groups,
                   .groups = groups);
}

/* Gives back the room of entries that are no longer needed, and makes it so large, if there is memory to do
 * so. */
static glshape_status pack(rounds *r, uint32_t room, uint32_t *used) {
    OWNED_BY(gpu_texture_free) gpu_texture packed = {0};
    error before = *run_error(run_of(r->g));
    glshape_status status = gpu_texture_new(r->g, &packed, "squares of columns", GPU_RG32UI, room, 1);
    if (status == GLSHAPE_NO_GPU_MEMORY) {
        *run_error(run_of(r->g)) = before;
        return GLSHAPE_OK;
    }
    TRY(status);
    TRY(gpu_upload(r->g, &r->counts, USED, 1, &(uint32_t){0}));
    TRY(gpu_run(r->g, cubical_pack, .columns = &r->columns, .entries = &r->entries, .packed = &packed,
                .counts = &r->counts, .count = r->count, .room = room,
                .groups = groups_of(r->count, CUBICAL_LOCAL)));
    gpu_texture_swap(&packed, &r->entries);
    r->room = room;
    return gpu_download(r->g, &r->counts, USED, 1, used);
}

/* Whether the device is asked after this round. */
static bool asks(uint32_t round) { return round % (round < OFTEN ? 2 : 8) == 0; }

/* There are never more columns at work than in the round before. */
static glshape_status run_rounds(rounds *r, int threads, uint32_t found) {
    uint32_t counts[COUNTS], most = r->count;
    uint64_t room = wide_room(r, found) + LEAST_ENTRIES;
    if (room > r->room + r->room / 4 && room < UINT32_MAX / 2) TRY(pack(r, (uint32_t)room, &found));
    TRY(gpu_run(r->g, prim_fill, .filled = &r->slots, .value = UINT32_MAX, .elements = 1u << r->slot_bits));
    for (uint32_t round = 0; round < r->job->effort.rounds && most; round++) {
        TRY(run_round(r, round, most));
        if (!asks(round)) continue;
        TRY(gpu_download(r->g, &r->counts, 0, FIRST_ROUND + round + 2, counts));
        if (counts[FIRST_ROUND + round + 1] > most)
            return fail(run_error(run_of(r->g)), GLSHAPE_GPU_ERROR,
                        "%u of %u columns are at work in the next round: this driver counts wrong",
                        counts[FIRST_ROUND + round + 1], most);
        most = counts[FIRST_ROUND + round + 1];
        if (place_is_little(r->g, PLACE_COLUMNS, (double)most / threads)) break;
        if (gpu_is_checking(r->g)) TRY(pack(r, r->room, &counts[USED]));
        if (counts[USED] > r->room / 4 * 3) {
            TRY(pack(r, r->room, &counts[USED]));
            if (counts[USED] > r->room / 8 * 5) break; /* it would soon be full again */
        }
        TRY(run_tick(run_of(r->g), 1 - (double)most / r->count));
    }
    return GLSHAPE_OK;
}

/* ---- what comes down --------------------------------------------------------------------------- */

typedef struct losing {
    const cubical_reduced *of;
    _Atomic size_t lost;
} losing;

static void count_lost(void *user, size_t first, size_t end) {
    losing *l = user;
    size_t lost = 0;
    for (size_t e = first; e < end; e++) lost += reduced_is_lost(l->of, e);
    atomic_fetch_add(&l->lost, lost);
}

/* Makes what comes down as short as it can be, if there is memory to do so. */
static glshape_status pack_all(rounds *r, uint32_t *used) {
    TRY(gpu_download(r->g, &r->counts, USED, 1, used));
    if (*used > r->room) *used = r->room;
    if (*used) TRY(pack(r, *used, used));
    if (*used > r->room) *used = r->room;
    return GLSHAPE_OK;
}

static glshape_status make_pairs(rounds *r, cubical_reduced *out) {
    gpu_texture *const done[] = {&r->own_ended, &r->longs, &r->pending, &r->working[0], &r->working[1]};
    for (size_t k = 0; k < sizeof done / sizeof *done; k++) gpu_texture_free(done[k]);
    TRY(gpu_texture_new(r->g, &out->pairs, "pairs of edges", GPU_RGBA32UI, r->count, 1));
    return gpu_run(r->g, cubical_pairs, .key = &r->field->key, .edges = r->edges, .columns = &r->columns,
                   .entries = &r->entries, .pairs = &out->pairs, .count = r->count,
                   .groups = groups_of(r->count, CUBICAL_LOCAL));
}

static glshape_status take(rounds *r, cubical_reduced *out) {
    losing l = {out, 0};
    gpu_texture_free(&r->star);
    TRY(pack_all(r, &out->used));
    TRY(make_pairs(r, out));
    TRY(allocate(run_error(run_of(r->g)), &out->entry, out->used, sizeof *out->entry,
                 "the critical squares"));
    threads_touch(out->entry, out->used * sizeof *out->entry);
    TRY(gpu_download(r->g, &r->columns, 0, r->count, out->column));
    if (out->used) TRY(gpu_download(r->g, &r->entries, 0, out->used, out->entry));
    TRY(gpu_download(r->g, &r->slots, 0, 1u << r->slot_bits, out->slots));
    out->slot_bits = r->slot_bits;
    threads_ranges(out->count, count_lost, &l);
    out->lost = atomic_load(&l.lost);
    TRY(listing_bring_columns(r->g, r->edges, r->count, r->field->n, out->edge));
    out->lent = r->job->keys->on_gpu;
    out->own = MOVE(r->own);
    return GLSHAPE_OK;
}

/* ---- ends that threads have found --------------------------------------------------------------- */

typedef struct patching {
    const uint32_t *deaths;
    uint32_t (*patches)[2];
    _Atomic size_t count;
} patching;

static void count_patches(void *user, size_t first, size_t end) {
    patching *p = user;
    size_t count = 0;
    for (size_t k = first; k < end; k++) count += p->deaths[k] != REDUCED_UNTOUCHED;
    atomic_fetch_add(&p->count, count);
}

static void list_patches(void *user, size_t first, size_t end) {
    patching *p = user;
    for (size_t k = first; k < end; k++)
        if (p->deaths[k] != REDUCED_UNTOUCHED) {
            size_t at = atomic_fetch_add(&p->count, 1);
            p->patches[at][0] = (uint32_t)k;
            p->patches[at][1] = p->deaths[k];
        }
}

glshape_status cubical_reduced_end(gpu *g, cubical_reduced *r, const uint32_t *deaths) {
    OWNED_BY(gpu_texture_free) gpu_texture patches = {0};
    OWNED uint32_t(*list)[2] = NULL;
    patching p = {.deaths = deaths};
    threads_ranges(r->count, count_patches, &p);
    uint32_t count = (uint32_t)atomic_exchange(&p.count, 0);
    if (!count) return GLSHAPE_OK;
    TRY(allocate(run_error(run_of(g)), &list, count, sizeof *list, "the intervals"));
    p.patches = list;
    threads_ranges(r->count, list_patches, &p);
    TRY(gpu_texture_new(g, &patches, "ends of edges", GPU_RG32UI, count, 1));
    TRY(gpu_upload(g, &patches, 0, count, list));
    return gpu_run(g, cubical_patch, .key = r->lent ? &r->lent->key : &r->own.key, .patches = &patches,
                   .pairs = &r->pairs, .count = count, .groups = groups_of(count, CUBICAL_LOCAL));
}

/* ---- all ----------------------------------------------------------------------------------------- */

/* While the device is at work, the system gives the memory of what comes down its pages. */
static glshape_status work_on(rounds *r, cubical_reduced *out) {
    error *err = run_error(run_of(r->g));
    size_t slots = (size_t)1 << r->slot_bits;
    uint32_t used = 0;
    TRY(allocate(err, &out->column, r->count, sizeof *out->column, "the columns"));
    TRY(allocate(err, &out->edge, r->count, sizeof *out->edge, "the columns"));
    TRY(allocate(err, &out->slots, slots, sizeof *out->slots, "owners of squares"));
    const threads_block memory[THREADS_BLOCKS] = {{out->column, r->count * sizeof *out->column},
                                                  {out->edge, r->count * sizeof *out->edge},
                                                  {out->slots, slots * sizeof *out->slots}};
    threads_touching *touching = threads_touch_aside(memory);
    glshape_status status = find_stars(r);
    if (!status) status = find_squares(r, &used);
    out->squares = used;
    if (!status) {
        run_begin_stage(run_of(r->g), "reduction", gpu_why_passes(r->g));
        status = run_rounds(r, threads_count(r->job->threads), used);
    }
    threads_touched(&touching);
    return status;
}

glshape_status cubical_reduce_by_passes(gpu *g, const cubical_job *job, cubical_reduced *out) {
    OWNED_BY(rounds_free) rounds r = {.g = g, .job = job, .count = job->count, .slot_bits = 8};
    OWNED_BY(cubical_reduced_free) cubical_reduced made = {.count = job->count};
    if (job->count) {
        TRY(begin(&r));
        TRY(work_on(&r, &made));
        TRY(take(&r, &made));
    }
    *out = MOVE(made);
    return GLSHAPE_OK;
}
