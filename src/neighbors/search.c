/* The search for candidates, by passes over tiles of 128 rows and 128 columns of the matrix of all pairs. */
#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "neighbors/passes.h"
#include "neighbors/search.h"
#include "place/place.h"

#define PAIRS_CHUNK 16u /* as in glsl/neighbors/pairs.glsl */

#define LIST_SHARE 8u /* of the device's free memory, for lists of all points at once, where that is more */
#define SHORT_KEEP \
    24u /* candidates that lists of SHORT_CAPACITY are enough for, where longer ones take too much */
#define SHORT_CAPACITY 128u
#define MANY_JOINED (1u << 14) /* so many points leave enough to search across components for a GPU */
#define LEAST_PART 8u          /* blocks of points */
/* Lists come down whole where all take no more than this: then a first run compiles a program less. */
#define WHOLE_BYTES ((size_t)32 << 20)
#define WHOLE_POINTS 2048u /* points whose lists come at once */

/* The loop turns that an invocation takes for one tile of rows, at most: if it offers all of its pairs and
 * sweeps all of its points. */
static uint32_t tile_turns(const knn_search *s, const knn_points *p) {
    uint32_t sweeps = KNN_TILE * s->capacity / 2048;
    return p->slices + 200 + sweeps * (s->capacity + 32);
}

/* How many tiles of rows are searched at a time: as many as have lists in `room` bytes and, under a limit of
 * memory, as leave half of it free. queries: bytes that the queries of a tile take beside. */
static uint32_t tiles_in(const gpu *g, const knn_search *s, size_t room, size_t queries) {
    size_t limit = gpu_memory_limit(g), used = gpu_bytes(g), left = limit < used ? 0 : (limit - used) / 2,
           lists = 8 * KNN_TILE * ((size_t)s->capacity + s->keep + 2), tiles = room / lists;
    if (limit && left / (lists + queries) < tiles) tiles = left / (lists + queries);
    return tiles ? (uint32_t)tiles : 1;
}

/* The bytes that lists of all points at once may take. Ranks may share a device, so their shares are small.
 */
static size_t list_room(gpu *g) {
    size_t share = gpu_memory_free(g) / LIST_SHARE;
    size_t room =
        place_amount(g, run_ranks(run_of(g))->size > 1 ? PLACE_AMOUNT_RANK_LISTS : PLACE_AMOUNT_ALL_LISTS);
    return share > room ? share : room;
}

/* Whether lists of all points fit there, and into a texture, and points are not too wide. */
static bool fit_together(gpu *g, const knn_search *s, const knn_points *p) {
    return !knn_is_paged(p) && p->slices + 300 <= GPU_TURNS &&
           tiles_in(g, s, list_room(g), 0) > (p->n - 1) / KNN_TILE &&
           gpu_texture_bytes(g, GPU_RG32UI, p->n, s->capacity) != SIZE_MAX;
}

/* Chooses the room of lists, and whether all points are searched at once: of several ranks, if each of their
 * devices can. */
static glshape_status choose_way(gpu *g, const knn_points *p, bool across, uint32_t tiles, knn_search *s) {
    const ranks *r = run_ranks(run_of(g));
    s->capacity = s->keep <= 40 && !p->coarse ? 256 : 512;
    if (across || p->by_rows || tiles < (uint32_t)r->size) return GLSHAPE_OK;
    uint64_t both = fit_together(g, s, p);
    TRY(ranks_least(r, run_error(run_of(g)), &both));
    s->both = both;
    if (s->both || s->keep > SHORT_KEEP || p->coarse || r->size > 1) return GLSHAPE_OK;
    uint32_t capacity = s->capacity;
    s->capacity = SHORT_CAPACITY;
    s->both = fit_together(g, s, p);
    if (!s->both) s->capacity = capacity;
    return GLSHAPE_OK;
}

/* What all passes over tiles are given. */
#define TILES_OF(s, p)                                                                                      \
    .SHARED = (s)->shared, .POWER = (s)->products ? -1 : (int)(p)->norm.power, .SLICE = (int)(p)->slice,    \
    .CAPACITY = (int)(s)->capacity, .points = &(p)->values, .list = &(s)->list, .progress = &(s)->progress, \
    .n = (p)->n, .slices = (p)->slices

/* Has the passes compiled that a search runs, and, where one across components will follow, that of its. A
 * first run tries the small one that decides meanwhile (gpu/trust.c). */
static glshape_status expect_passes(gpu *g, knn_search *s, knn_points *p, bool across) {
    run_why ignored;
    if (s->both) {
        gpu_soon(g, knn_pairs, TILES_OF(s, p), .LABELS = 0);
        gpu_soon(g, knn_trim, .CAPACITY = (int)s->capacity);
    } else if (!across) gpu_soon(g, knn_spans, TILES_OF(s, p));
    if (p->joins && !across && p->n >= MANY_JOINED && run_ranks(run_of(g))->size == 1) {
        knn_search later = {.shared = s->shared, .products = s->products, .capacity = 256};
        gpu_soon(g, knn_across, TILES_OF(&later, p));
    }
    return across ? GLSHAPE_OK : knn_compare_place(g, p, s->keep, &ignored);
}

static glshape_status make_room_for_chosen(gpu *g, const knn_points *p, uint32_t rows, gpu_texture *chosen) {
    if (chosen->id) return GLSHAPE_OK;
    return gpu_texture_new(g, chosen, "the queries", GPU_RGBA32F, (rows + 3) / 4, p->values.texels);
}

glshape_status knn_search_new(gpu *g, knn_points *p, uint32_t k, bool across, knn_search *out) {
    uint32_t keep = k + 8 + k / 4, tiles = (p->n - 1) / KNN_TILE + 1;
    TRY(gpu_need(g));
    OWNED_BY(knn_search_free) knn_search s = {.shared = place_count(g, PLACE_AMOUNT_SHARED), .parts = 1};
    if (!p->values.id) TRY(knn_points_upload(g, p));
    s.products = p->products;
    s.keep = keep < p->n - 1 ? keep : p->n - 1;
    TRY(choose_way(g, p, across, tiles, &s));
    TRY(expect_passes(g, &s, p, across));
    if (!s.both) {
        size_t room = place_amount(g, PLACE_AMOUNT_ROW_LISTS);
        bool apart = across || knn_is_paged(p);
        uint32_t most = tiles_in(g, &s, room, apart ? KNN_TILE * (4 * (size_t)p->values.texels + 8) : 0);
        if (most < tiles) tiles = most;
    }
    s.rows = tiles * KNN_TILE;
    uint32_t rows = s.rows < p->n ? s.rows : p->n;
    s.whole = s.both && (size_t)rows * s.capacity * sizeof(knn_candidate) <= WHOLE_BYTES;
    if (!s.both && knn_is_paged(p)) TRY(make_room_for_chosen(g, p, rows, &s.chosen));
    TRY(gpu_texture_new(g, &s.list, "lists of neighbors", GPU_RG32UI, rows, s.capacity));
    TRY(gpu_texture_new(g, &s.progress, "sizes of lists", GPU_R32UI, 3 * rows, 1));
    *out = MOVE(s);
    return GLSHAPE_OK;
}

void knn_search_free(knn_search *s) {
    gpu_texture_free(&s->list);
    gpu_texture_free(&s->progress);
    gpu_texture_free(&s->found);
    gpu_texture_free(&s->chosen);
    gpu_texture_free(&s->query);
    gpu_texture_free(&s->labels);
    *s = (knn_search){0};
}

/* ---- of all points at once ---------------------------------------------------------------------
 *
 * Each pair of blocks is compared once. Of several ranks each has lists of all points. A rank compares the
 * blocks of its own share of the points with each other, and half of the pairs of its share and each other
 * rank's. It gives the others what it has found for their points while it compares its own. */

/* Some of the blocks: a rank's share. */
typedef struct span {
    uint32_t first, count;
} span;

static span share_of(run *run, const knn_points *p, int rank) {
    const ranks *r = run_ranks(run);
    uint32_t first = (uint32_t)ranks_first(r, p->n, KNN_TILE, rank);
    uint32_t end = (uint32_t)ranks_first(r, p->n, KNN_TILE, rank + 1);
    return (span){first / KNN_TILE, (end - first - 1) / KNN_TILE + 1};
}

/* How many times as many points may follow those that a point has been compared with, before limits are
 * lowered, where points come in no order. If a list keeps `keep` of those seen, a like number may well have
 * been expected: at most `expected`, but for one list in a million. Of those that follow, fewer than a
 * multiple of that and of what chance adds get into the list. Where many may be as far as the limit, more do.
 */
static double growth_of(const knn_search *s, const knn_points *p) {
    double keep = s->keep, capacity = s->capacity, expected = keep + 5 * sqrt(keep) + 5;
    double growth = (capacity - keep - 3 * sqrt(capacity)) / expected;
    return p->coarse ? fmin(growth, 0.2 * capacity / keep - 1) : growth;
}

/* With how many offsets (glsl/neighbors/pairs.glsl) points may be compared, before limits are lowered, if
 * each has been compared with `seen` so far. */
static uint32_t offsets_of(const knn_search *s, const knn_points *p, uint64_t seen) {
    double more = (double)seen * growth_of(s, p) / (2 * KNN_TILE);
    return more < 1 ? 1 : more < 1e6 ? (uint32_t)more : 1000000;
}

/* How many of so many offsets that are left are done next: no short last part. */
static uint32_t part_of(const knn_search *s, const knn_points *p, uint64_t seen, uint32_t left) {
    uint32_t some = offsets_of(s, p, seen);
    return 4 * (uint64_t)left < 5 * (uint64_t)some ? left : some;
}

/* Lowers the limits, as is to be done before blocks are compared. */
static glshape_status trim(gpu *g, knn_search *s, const knn_points *p, span of, bool fresh, bool last) {
    return gpu_run(g, knn_trim, .CAPACITY = (int)s->capacity, .list = &s->list, .progress = &s->progress,
                   .keep = s->keep, .row_end = p->n, .fresh = fresh, .last = last, .skip = of.first,
                   .groups = of.count);
}

static span all_blocks(const knn_points *p) { return (span){0, (p->n - 1) / KNN_TILE + 1}; }

#define PAIRS_OF(s, p, rows, columns)                                                                       \
    TILES_OF(s, p), .LABELS = (s)->labels.id != 0, .labels = &(s)->labels, .row_end = (p)->n,               \
                    .first_row = (rows).first, .row_blocks = (rows).count, .first_column = (columns).first, \
                    .column_blocks = (columns).count

/* Compares blocks with those at `some` offsets: first, first + stride, … advanced: as in
 * glsl/neighbors/pairs.glsl.
 */
static glshape_status compare_blocks(gpu *g, knn_search *s, knn_points *p, span rows, span columns,
                                     uint32_t first, uint32_t stride, uint32_t some, bool advanced) {
    uint32_t chunks = (rows.count - 1) / PAIRS_CHUNK + 1;
    TRY(trim(g, s, p, rows, false, false));
    if (columns.first != rows.first) TRY(trim(g, s, p, columns, false, false));
    return gpu_run(g, knn_pairs, PAIRS_OF(s, p, rows, columns), .first_offset = first, .stride = stride,
                   .offsets = some, .advanced = advanced, .groups = chunks * PAIRS_CHUNK * some);
}

/* Compares blocks first … end - 1 of its own with those at one offset. */
static glshape_status compare_some(gpu *g, knn_search *s, knn_points *p, span own, uint32_t offset,
                                   uint32_t first, uint32_t end) {
    TRY(trim(g, s, p, own, false, false));
    return gpu_run(g, knn_pairs, PAIRS_OF(s, p, own, own), .first_offset = offset, .stride = 1, .offsets = 1,
                   .skip = first, .groups = end - first);
}

/* How far a rank has come with its own blocks. */
typedef struct course {
    span own;
    uint32_t offset; /* those before are done; across components: those from here on */
    uint64_t seen;   /* points that each has been compared with */
} course;

/* Compares its own blocks at offsets up to `end`. Near blocks come first, as they may have near points. The
 * last block of all may have few points: then what these see of each other is no limit, and the block is
 * compared with the one before it in advance. */
static glshape_status compare_own(gpu *g, knn_search *s, knn_points *p, course *c, uint32_t end) {
    span own = c->own;
    bool advance = own.count > 1 && own.first + own.count > p->n / KNN_TILE;
    while (c->offset < end) {
        uint32_t some = part_of(s, p, c->seen, end - c->offset);
        TRY(compare_blocks(g, s, p, own, own, c->offset, 1, some, advance));
        if (advance && !c->seen) TRY(compare_some(g, s, p, own, 1, own.count - 2, own.count - 1));
        c->seen += some * (uint64_t)(c->offset ? 2 * KNN_TILE : KNN_TILE);
        c->offset += some;
        TRY(run_tick(run_of(g), fmin(1, 2.0 * c->offset / own.count)));
    }
    return GLSHAPE_OK;
}

/* The same across components, from those at offset c->offset - 1 down to `end`. Far blocks come first, as
 * points of near ones may be of one component. */
static glshape_status compare_own_across(gpu *g, knn_search *s, knn_points *p, course *c, uint32_t end) {
    while (c->offset > end) {
        uint32_t some = part_of(s, p, c->seen, c->offset - end);
        c->offset -= some;
        TRY(compare_blocks(g, s, p, c->own, c->own, c->offset, 1, some, false));
        c->seen += some * 2ull * KNN_TILE;
        TRY(run_tick(run_of(g), 1 - 2.0 * c->offset / c->own.count));
    }
    return GLSHAPE_OK;
}

/* Compares the farthest blocks: one of each half with one of the other; then what is left of this offset. So
 * no block is compared with two, before it has limits. */
static glshape_status compare_farthest(gpu *g, knn_search *s, knn_points *p, course *c) {
    span own = c->own;
    uint32_t far = c->offset = own.count / 2;
    TRY(compare_some(g, s, p, own, far, 0, far ? far : 1));
    if (2 * far < own.count && far) {
        TRY(compare_some(g, s, p, own, far, far, own.count - far));
        TRY(compare_some(g, s, p, own, far, own.count - far, own.count));
    }
    c->seen = 2 * KNN_TILE;
    return GLSHAPE_OK;
}

/* Compares this rank's half of the pairs of its share and another's: every other offset. seen: with how many
 * points each has been compared by its own rank. Of the other's points that is known by their limits alone,
 * not by their lists: these see anew. At an offset each block meets one; at up to two of them it may meet
 * none, or one of few points. */
static glshape_status compare_other(gpu *g, knn_search *s, knn_points *p, span own, int other,
                                    uint64_t seen) {
    const ranks *r = run_ranks(run_of(g));
    span theirs = share_of(run_of(g), p, other), rows = r->rank < other ? own : theirs,
         columns = r->rank < other ? theirs : own;
    uint32_t around = own.count > theirs.count ? own.count : theirs.count, first = r->rank > other;
    for (uint32_t done = 0, all = (around - first + 1) / 2, some; done < all; done += some) {
        uint64_t met = done > 2 ? (done - 2) * (uint64_t)KNN_TILE : 0;
        some = part_of(s, p, 2 * (met > seen ? met : seen), all - done);
        TRY(compare_blocks(g, s, p, rows, columns, first + 2 * done, 2, some, false));
        TRY(run_tick(run_of(g), (double)done / all));
    }
    return GLSHAPE_OK;
}

/* What ranks have found for each other's points. */
typedef struct trade {
    knn_candidate *others,
        *own; /* of all points: those of other ranks' points. Of this rank's: by each other */
    gpu_texture given;
} trade;

static void trade_free(trade *t) {
    free(t->others);
    free(t->own);
    gpu_texture_free(&t->given);
}

/* Brings the candidates of the points of the other ranks. */
static glshape_status take_others(gpu *g, knn_search *s, const knn_points *p, trade *t) {
    uint64_t own, end;
    ranks_share(run_ranks(run_of(g)), p->n, KNN_TILE, &own, &end);
    size_t size = s->keep * sizeof *t->others;
    TRY(trim(g, s, p, all_blocks(p), false, true));
    gpu_start(g);
    TRY(memory_resize(run_error(run_of(g)), &t->others, p->n, size, "candidates of other ranks"));
    threads_touch(t->others, own * size);
    threads_touch((char *)t->others + end * size, (p->n - end) * size);
    if (own) TRY(knn_take(g, s, 0, (uint32_t)own, t->others));
    if (end == p->n) return GLSHAPE_OK;
    return knn_take(g, s, (uint32_t)end, p->n - (uint32_t)end, t->others + end * s->keep);
}

static glshape_status join(gpu *g, knn_search *s, gpu_texture *given, uint32_t first, uint32_t count) {
    return gpu_run(g, knn_join, .CAPACITY = (int)s->capacity, .given = given, .list = &s->list,
                   .progress = &s->progress, .keep = s->keep, .first = first, .count = count,
                   .groups = (uint32_t)(((uint64_t)count * s->keep - 1) / 256 + 1));
}

glshape_status knn_join_lists(gpu *g, knn_search *s, const knn_points *p, gpu_texture *given) {
    TRY(trim(g, s, p, all_blocks(p), true, false));
    TRY(join(g, s, given, 0, p->n));
    return trim(g, s, p, all_blocks(p), false, true);
}

/* Exchanges them, and adds what the others have found to the lists of this rank's points. */
static glshape_status join_others(gpu *g, knn_search *s, const knn_points *p, trade *t) {
    const ranks *r = run_ranks(run_of(g));
    uint64_t own, end;
    size_t size = s->keep * sizeof *t->own;
    ranks_share(r, p->n, KNN_TILE, &own, &end);
    uint32_t count = (uint32_t)(end - own);
    TRY(allocate(run_error(run_of(g)), &t->own, times((size_t)r->size - 1, count), size,
                 "candidates of other ranks"));
    TRY(ranks_scatter(r, run_error(run_of(g)), t->others, t->own, size, p->n, KNN_TILE));
    TRY(gpu_texture_new(g, &t->given, "candidates of other ranks", GPU_RG32UI, count, s->keep));
    for (int other = 0; other < r->size - 1; other++) {
        TRY(trim(g, s, p, share_of(run_of(g), p, r->rank), false, false));
        TRY(gpu_upload(g, &t->given, 0, count, t->own + (size_t)other * count * s->keep));
        TRY(join(g, s, &t->given, (uint32_t)own, count));
    }
    return GLSHAPE_OK;
}

#define EARLY 16u /* offsets that come first, so that points have limits */
/* While limits travel, and while candidates do, a rank compares its own blocks at one offset for so many of
 * them, which are twice as many as offsets. */
#define LIMITS_SHARE 32u
#define CANDIDATES_SHARE 16u

/* Compares its own blocks at `some` more offsets, if so many are left. */
static glshape_status compare_more(gpu *g, knn_search *s, knn_points *p, course *c, uint32_t some) {
    uint32_t half = c->own.count / 2 + 1;
    if (s->labels.id) return compare_own_across(g, s, p, c, c->offset > some ? c->offset - some : 0);
    return compare_own(g, s, p, c, half - c->offset > some ? c->offset + some : half);
}

/* Gives all ranks the limits that points have on their own, so that no rank keeps what cannot be among the
 * nearest: where a file has near points one behind the other, another rank's lists would have no room. */
static glshape_status share_limits(gpu *g, knn_search *s, knn_points *p, course *c) {
    OWNED uint32_t *progress = NULL; /* as in glsl/neighbors/lists.glsl */
    const ranks *r = run_ranks(run_of(g));
    uint64_t own, end;
    ranks_share(r, p->n, KNN_TILE, &own, &end);
    TRY(trim(g, s, p, share_of(run_of(g), p, r->rank), false, false));
    TRY(allocate(run_error(run_of(g)), &progress, p->n, 3 * sizeof *progress, "limits of points"));
    TRY(gpu_download(g, &s->progress, 3 * (uint32_t)own, 3 * (uint32_t)(end - own), progress + 3 * own));
    TRY(compare_more(g, s, p, c, c->own.count / LIMITS_SHARE));
    gpu_start(g);
    TRY(ranks_gather(r, run_error(run_of(g)), progress, 3 * sizeof *progress, p->n, KNN_TILE));
    for (size_t i = 0; i < p->n; i++)
        if (i < own || i >= end) progress[3 * i] = 0;
    TRY(gpu_upload(g, &s->progress, 0, 3 * (uint32_t)own, progress));
    return gpu_upload(g, &s->progress, 3 * (uint32_t)end, 3 * (p->n - (uint32_t)end), progress + 3 * end);
}

/* With the other ranks. */
static glshape_status compare_others(gpu *g, knn_search *s, knn_points *p, course *c) {
    OWNED_BY(trade_free) trade t = {0};
    const ranks *r = run_ranks(run_of(g));
    TRY(compare_more(g, s, p, c, EARLY));
    uint64_t seen = c->own.count > 2 * EARLY ? c->seen : 0; /* when limits are sent */
    TRY(share_limits(g, s, p, c));
    for (int step = 1; step < r->size; step++)
        TRY(compare_other(g, s, p, c->own, (r->rank + step) % r->size, seen));
    TRY(take_others(g, s, p, &t));
    c->seen = (uint64_t)p->n / 2;
    TRY(compare_more(g, s, p, c, c->own.count / CANDIDATES_SHARE));
    gpu_start(g);
    TRY(join_others(g, s, p, &t));
    gpu_texture_free(&s->found);
    return GLSHAPE_OK;
}

static glshape_status search_together(gpu *g, knn_search *s, knn_points *p) {
    const ranks *r = run_ranks(run_of(g));
    bool others = r->size > 1 && !s->alone;
    course c = {.own = others ? share_of(run_of(g), p, r->rank) : all_blocks(p)};
    TRY(trim(g, s, p, all_blocks(p), true, false));
    if (s->labels.id) TRY(compare_farthest(g, s, p, &c));
    if (others) TRY(compare_others(g, s, p, &c));
    TRY(compare_more(g, s, p, &c, UINT32_MAX));
    return trim(g, s, p, c.own, false, true);
}

/* ---- of rows ----------------------------------------------------------------------------------- */

/* The columns of a part, of whole tiles; the last part may have fewer. */
static uint32_t columns_of_part(const knn_points *p, uint32_t parts) {
    return ((p->n - 1) / KNN_TILE / parts + 1) * KNN_TILE;
}

#define SPANS_OF(s, p, first, end, from, to)                                                  \
    TILES_OF(s, p), .page = (p)->page, .keep = (s)->keep, .row_first = first, .row_end = end, \
                    .column_first = from, .column_end = to, .groups = ((end) - (first)-1) / KNN_TILE + 1

/* Compares rows first … end - 1, of the points or of the queries, with columns from … to - 1 of all points,
 * or of a part of them each. */
static glshape_status search_span(gpu *g, knn_search *s, knn_points *p, uint32_t first, uint32_t end,
                                  uint32_t from, uint32_t to, uint32_t columns) {
    uint32_t groups = (end - first - 1) / KNN_TILE + 1;
    if (s->query.id)
        return gpu_run(g, knn_across, SPANS_OF(s, p, first, end, from, to), .CORES = s->raised,
                       .chosen = &s->chosen, .query = &s->query, .labels = &s->labels,
                       .last_span = to == columns, .part_groups = groups / s->parts, .part_columns = columns);
    bool paged = knn_is_paged(p);
    return gpu_run(g, knn_spans, SPANS_OF(s, p, first, end, from, to),
                   .chosen = paged ? &s->chosen : &p->values, .chosen_page = paged ? first / 4 : 0,
                   .last_span = to == columns, .part_groups = groups, .part_columns = columns);
}

/* Compares rows first … end - 1, of the points or of the queries, with all points: a span of columns at a
 * time, as wide as GPU_TURNS allows beside the last sweep, and within a page. */
static glshape_status search_spans(gpu *g, knn_search *s, knn_points *p, uint32_t first, uint32_t end) {
    uint32_t tiles = GPU_TURNS / tile_turns(s, p), columns = columns_of_part(p, s->parts);
    uint32_t span = (tiles > 2 ? tiles - 1 : 1) * KNN_TILE;
    for (uint32_t from = 0, to; from < columns; from = to) {
        to = columns - from < span ? columns : from + span;
        if (knn_is_paged(p)) TRY(knn_points_show(g, p, from, &to));
        TRY(search_span(g, s, p, first, end, from, to, columns));
        if (s->to > s->from) TRY(run_tick(run_of(g), s->from + (s->to - s->from) * to / columns));
    }
    return GLSHAPE_OK;
}

glshape_status knn_search_rows(gpu *g, knn_search *s, knn_points *p, uint32_t first, uint32_t count) {
    if (s->both) return search_together(g, s, p);
    if (knn_is_paged(p)) TRY(knn_points_choose(g, p, first, NULL, count, &s->chosen));
    return search_spans(g, s, p, first, first + count);
}

/* As neighbors/take does: copies the first candidates of a list; progress: of its point. */
static void take_list(const knn_search *s, const knn_candidate *list, const uint32_t *progress,
                      knn_candidate *out) {
    bool given_up = progress[1] == UINT32_MAX;
    uint32_t used = progress[0] < s->keep ? progress[0] : s->keep;
    memcpy(out, list, used * sizeof *list);
    for (uint32_t t = used; t < s->keep; t++)
        out[t] = (knn_candidate){given_up ? 0 : KNN_NOTHING, KNN_NOTHING};
}

static glshape_status take_whole(gpu *g, knn_search *s, uint32_t first, uint32_t count, knn_candidate *out) {
    OWNED knn_candidate *lists = NULL;
    OWNED uint32_t *progress = NULL;
    error *err = run_error(run_of(g));
    uint32_t most = count < WHOLE_POINTS ? count : WHOLE_POINTS;
    TRY(allocate(err, &lists, most, s->capacity * sizeof *lists, "lists of points"));
    TRY(allocate(err, &progress, count, 3 * sizeof *progress, "sizes of lists"));
    TRY(gpu_download(g, &s->progress, 3 * first, 3 * count, progress));
    for (uint32_t at = 0; at < count; at += most) {
        uint32_t some = count - at < most ? count - at : most;
        TRY(gpu_download(g, &s->list, first + at, some, lists));
        for (uint32_t i = 0; i < some; i++)
            take_list(s, lists + (size_t)i * s->capacity, progress + 3 * (size_t)(at + i),
                      out + (size_t)(at + i) * s->keep);
    }
    return GLSHAPE_OK;
}

glshape_status knn_take(gpu *g, knn_search *s, uint32_t first, uint32_t count, knn_candidate *out) {
    if (s->whole) return take_whole(g, s, first, count, out);
    uint32_t from = s->both ? first : 0;
    if (!s->found.id) TRY(gpu_texture_new(g, &s->found, "candidates", GPU_RG32UI, s->list.elements, s->keep));
    TRY(gpu_run(g, knn_take, .list = &s->list, .progress = &s->progress, .found = &s->found, .skip = from,
                .elements = count));
    return gpu_download(g, &s->found, from, count, out);
}

/* ---- across components ------------------------------------------------------------------------- */

/* A core distance as the shader has it: no less than what any sum up to it is there, and of equal ones the
 * same, whatever the points. */
static float core_above(const knn_points *p, double core, double alpha) {
    double columns = (double)p->m->cols, sum = core * alpha;
    if (alpha == 1 && sum < p->exact_below) return (float)sum;
    sum = norm_root(&p->norm, sum) + 1.01 * 2 * p->most_rounding;
    sum = norm_raise(&p->norm, sum) * (1 + 1.01 * knn_terms(p) * 0x1p-24) + columns * 0x1p-125;
    return sum < FLT_MAX ? nextafterf((float)sum, FLT_MAX) : FLT_MAX;
}

/* Labels on their way to the GPU, and perhaps cores: of four points each. */
typedef struct labels {
    const knn_points *p;
    const uint32_t *label;
    const index_cores *cores;
    uint32_t first; /* the quad that out begins with */
    uint32_t *out;
} labels;

static void label_quads(void *user, size_t first, size_t end) {
    const labels *l = user;
    size_t width = l->cores ? 8 : 4;
    for (size_t q = first; q < end; q++)
        for (size_t r = 0, i = 4 * (l->first + q); r < 4; r++, i++) {
            float core = l->cores && i < l->p->n ? core_above(l->p, l->cores->core[i], l->cores->alpha) : 0;
            l->out[width * q + r] = i < l->p->n ? l->label[i] : 0;
            if (l->cores) memcpy(&l->out[width * q + 4 + r], &core, sizeof core);
        }
}

static glshape_status fill_labels(gpu *g, void *user, uint32_t first, uint32_t count, void *memory) {
    labels *l = user;
    (void)g;
    l->first = first;
    l->out = memory;
    threads_ranges(count, label_quads, l);
    return GLSHAPE_OK;
}

glshape_status knn_search_across(gpu *g, knn_search *s, const knn_points *p, const uint32_t *label,
                                 const index_cores *cores) {
    uint32_t quads = (p->n + 3) / 4, rows = s->rows < p->n ? s->rows : p->n, texels = cores ? 2 : 1;
    s->raised = cores != NULL;
    if (cores) s->products = false; /* core_above bounds the error of differences */
    if (!s->labels.id) TRY(gpu_texture_new(g, &s->labels, "labels of points", GPU_RGBA32UI, quads, texels));
    if (!s->both && !s->query.id) {
        TRY(make_room_for_chosen(g, p, rows, &s->chosen));
        TRY(gpu_texture_new(g, &s->query, "points of queries", GPU_RG32UI, rows, 1));
    }
    return gpu_fill(g, &s->labels, quads, fill_labels, &(labels){.p = p, .label = label, .cores = cores});
}

static glshape_status search_queries(gpu *g, knn_search *s, knn_points *p, const knn_query *queries,
                                     uint32_t count, knn_candidate *out) {
    TRY(gpu_upload(g, &s->query, 0, count, queries));
    if (knn_is_paged(p)) TRY(knn_points_choose(g, p, 0, queries, count, &s->chosen));
    else
        TRY(gpu_run(g, knn_gather, .points = &p->values, .query = &s->query, .chosen = &s->chosen,
                    .count = count, .elements = (count + 3) / 4));
    TRY(search_spans(g, s, p, 0, count));
    return knn_take(g, s, 0, count, out);
}

/* As if no list had room. */
static glshape_status give_up(const knn_search *s, uint32_t count, knn_candidate *out) {
    for (size_t a = 0; a < (size_t)count * s->keep; a++) out[a] = (knn_candidate){0, KNN_NOTHING};
    return GLSHAPE_OK;
}

/* In how many parts of the points so many queries are searched: they are to keep a GPU busy, and parts are
 * not to be so small that their lists are all there is. */
static uint32_t choose_parts(const gpu *g, const knn_search *s, const knn_points *p, uint32_t count) {
    uint32_t tiles = (count - 1) / KNN_TILE + 1, blocks = (p->n - 1) / KNN_TILE + 1;
    uint32_t busy = place_count(g, PLACE_AMOUNT_SEARCHES) / tiles;
    uint32_t most = (s->rows < p->n ? s->rows : p->n) / (tiles * KNN_TILE);
    if (blocks / LEAST_PART < most) most = blocks / LEAST_PART;
    return busy < most ? (busy ? busy : 1) : most ? most : 1;
}

glshape_status knn_search_queries(gpu *g, knn_search *s, knn_points *p, const knn_query *queries,
                                  uint32_t count, knn_candidate *out) {
    OWNED knn_query *copies = NULL;
    OWNED knn_candidate *all = NULL;
    run_why why = gpu_why_passes(g);
    TRY(knn_trusts(g, p, s, true, &why));
    if (!run_why_device(why)) return give_up(s, count, out);
    uint32_t parts = knn_is_paged(p) ? 1 : choose_parts(g, s, p, count),
             room = ((count - 1) / KNN_TILE + 1) * KNN_TILE;
    if (parts == 1) return search_queries(g, s, p, queries, count, out);
    TRY(allocate(run_error(run_of(g)), &copies, parts, room * sizeof *copies, "copies of queries"));
    TRY(allocate(run_error(run_of(g)), &all, parts, room * s->keep * sizeof *all, "candidates of copies"));
    for (uint32_t q = 0; q < parts * room; q++) copies[q] = queries[q % room < count ? q % room : count - 1];
    s->parts = parts;
    glshape_status status = search_queries(g, s, p, copies, parts * room, all);
    s->parts = 1;
    TRY(status);
    return knn_merge_lists(run_error(run_of(g)), all, parts, room, s->keep, count, out);
}
