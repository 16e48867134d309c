/* The order of the points in the tree.
 *
 * A block of points is cut in two across the widest side of its box, so that both halves fill whole leaves.
 * Equal values are cut by index, so that equal points are no hard case. Threads need blocks to cut: if there
 * are many points, a sample of them is cut into buckets first, and each point goes to the bucket on its side
 * of these cuts. Buckets are about equally large, and each is a node of the tree. (Were they cut where equal
 * halves of all points meet, most nodes of their size would lie across two buckets, which need not be near
 * each other: searches then looked at five times as many points.)
 *
 * A bucket fits a processor's cache. What is cut there is no rows, but items: of each row one whole number a
 * column, which has its place between the least and the greatest value, and the row's place in the bucket.
 * Items are short, and moved without branches. A block that has become so narrow that steps show is given new
 * numbers, from its own least to its own greatest values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/random.h"
#include "base/threads.h"
#include "index/index.h"

#define CHUNK 16384u
#define PER_BUCKET 16384u /* points of a bucket, about */
#define MOST_BUCKETS 2048u
#define PER_SAMPLE 64u /* points of a sample that make a bucket, at least */
#define LEAST_SAMPLE 8192u
#define STEPS 0x1p30 /* of a column of a block: numbers of items are below 2^31 */
#define NARROW 1024u /* steps: a block is given new numbers */

/* A cut between two nodes: what is before (value, index) in the column is on its first side. */
typedef struct cut {
    double value;
    uint32_t index, column;
} cut;

typedef struct builder {
    spatial_index *x;
    index_reader reader;
    const void *user;
    cut *cuts;        /* of node v of the buckets' tree */
    uint16_t *bucket; /* of each point */
    uint32_t *start;  /* chunks × buckets: how many points, then where they go */
} builder;

static void builder_free(builder *b) {
    free(b->cuts);
    free(b->bucket);
    free(b->start);
}

static uint32_t chunks_of(const builder *b) { return (b->x->n - 1) / CHUNK + 1; }

/* ---- items ------------------------------------------------------------------------------------- */

/* Rows, and an item of each: the numbers of its columns, and the row's place. */
typedef struct block {
    const double *row;
    uint32_t columns;
    uint32_t *items;
    random_state random;
} block;

/* What values of a column, or of several, are numbered by. */
typedef struct scale {
    double least, part, width; /* part: 1, or less where a width would overflow */
} scale;

static inline uint32_t number_of(const scale *s, double value) {
    return (uint32_t)((value * s->part - s->least * s->part) / s->width * STEPS);
}

static scale scale_of(double least, double most) {
    double part = isinf(most - least) ? 0.5 : 1;
    return (scale){least, part, most * part - least * part};
}

/* Numbers the values of items low … high - 1. Returns whether the rows differ. */
static bool number_items(block *b, uint32_t low, uint32_t high) {
    uint32_t columns = b->columns, width = columns + 1, *end = b->items + (size_t)high * width;
    double least[INDEX_COLUMNS], most[INDEX_COLUMNS];
    scale all = {0, 1, 0};
    for (uint32_t c = 0; c < columns; c++) least[c] = INFINITY, most[c] = -INFINITY;
    for (const uint32_t *item = b->items + (size_t)low * width; item < end; item += width) {
        const double *row = b->row + (size_t)item[columns] * columns;
        for (uint32_t c = 0; c < columns; c++) {
            least[c] = row[c] < least[c] ? row[c] : least[c];
            most[c] = row[c] > most[c] ? row[c] : most[c];
        }
    }
    for (uint32_t c = 0; c < columns; c++) {
        scale own = scale_of(least[c], most[c]);
        if (own.part < all.part || (own.part == all.part && own.width > all.width)) all = own;
    }
    if (!(all.width > 0)) return false;
    for (uint32_t *item = b->items + (size_t)low * width; item < end; item += width) {
        const double *row = b->row + (size_t)item[columns] * columns;
        for (uint32_t c = 0; c < columns; c++) {
            all.least = least[c];
            item[c] = number_of(&all, row[c]);
        }
    }
    return true;
}

/* Numbers one column of them, by its own width. Returns whether its values differ. */
static bool number_column(block *b, uint32_t low, uint32_t high, uint32_t column) {
    uint32_t columns = b->columns, width = columns + 1, *end = b->items + (size_t)high * width;
    double least = INFINITY, most = -INFINITY;
    for (const uint32_t *item = b->items + (size_t)low * width; item < end; item += width) {
        double value = b->row[(size_t)item[columns] * columns + column];
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    scale own = scale_of(least, most);
    if (!(own.width > 0)) return false;
    for (uint32_t *item = b->items + (size_t)low * width; item < end; item += width)
        item[column] = number_of(&own, b->row[(size_t)item[columns] * columns + column]);
    return true;
}

/* A loop over a constant, small number of columns is written out. */
#if defined(__clang__) || !defined(__GNUC__)
#define UNROLLED
#else
#define UNROLLED _Pragma("GCC unroll 4")
#endif
#define AT_ONCE 4u /* columns whose least and greatest numbers are in registers */

/* Of `count` columns from `first` on, the widest one of items low … high - 1, if it is wider than *steps. */
static inline __attribute__((always_inline)) uint32_t wider_of(const block *b, uint32_t low, uint32_t high,
                                                               uint32_t width, uint32_t first, uint32_t count,
                                                               uint32_t best, uint32_t *steps) {
    int32_t least[AT_ONCE], most[AT_ONCE];
    const uint32_t *end = b->items + (size_t)high * width;
    UNROLLED
    for (uint32_t c = 0; c < count; c++) least[c] = INT32_MAX, most[c] = 0;
    for (const uint32_t *item = b->items + (size_t)low * width; item < end; item += width) {
        UNROLLED
        for (uint32_t c = 0; c < count; c++) {
            int32_t at = (int32_t)item[first + c];
            least[c] = at < least[c] ? at : least[c];
            most[c] = at > most[c] ? at : most[c];
        }
    }
    UNROLLED
    for (uint32_t c = 0; c < count; c++) {
        uint32_t wide = (uint32_t)(most[c] - least[c]);
        best = wide > *steps ? first + c : best;
        *steps = wide > *steps ? wide : *steps;
    }
    return best;
}

/* The column in which items low … high - 1 are widest, and how many steps they are. */
static inline __attribute__((always_inline)) uint32_t widest_of(const block *b, uint32_t low, uint32_t high,
                                                                uint32_t columns, uint32_t *steps) {
    uint32_t best = 0, c = 0;
    *steps = 0;
    for (; c + AT_ONCE <= columns; c += AT_ONCE)
        best = wider_of(b, low, high, columns + 1, c, AT_ONCE, best, steps);
    return c < columns ? wider_of(b, low, high, columns + 1, c, columns - c, best, steps) : best;
}

/* ---- selection --------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) void swap_items(uint32_t *a, uint32_t *b, uint32_t width) {
    uint32_t s[AT_ONCE], t[AT_ONCE], c = 0;
    for (; c + AT_ONCE <= width; c += AT_ONCE) {
        memcpy(s, a + c, sizeof s);
        memcpy(t, b + c, sizeof t);
        memcpy(a + c, t, sizeof t);
        memcpy(b + c, s, sizeof s);
    }
    UNROLLED
    for (; c < width; c++) {
        uint32_t at = a[c];
        a[c] = b[c];
        b[c] = at;
    }
}

/* Moves those of items low … high - 1 whose lane is below `limit` to the front; returns where the others
 * begin. */
static inline __attribute__((always_inline)) uint32_t part_items(uint32_t *items, uint32_t low, uint32_t high,
                                                                 uint32_t width, uint32_t lane,
                                                                 uint32_t limit) {
    uint32_t *to = items + (size_t)low * width, *end = items + (size_t)high * width;
    for (uint32_t *at = to; at < end; at += width) {
        bool below = at[lane] < limit;
        swap_items(at, to, width);
        to += below ? width : 0;
    }
    return (uint32_t)((size_t)(to - items) / width);
}

enum { MOST_SAMPLE = 31 };

/* A value between those of items low … high - 1 that has most probably rank k or a little more (less, if k is
 * in the upper half). */
static uint32_t choose_pivot(const uint32_t *items, uint32_t low, uint32_t high, uint32_t k, uint32_t width,
                             uint32_t lane, random_state *r) {
    uint32_t sample[MOST_SAMPLE], count = high - low;
    int drawn = count < 128 ? 3 : count < 2048 ? 9 : MOST_SAMPLE;
    sample[0] = items[(size_t)low * width + lane];
    for (int s = 1, at; s < drawn; s++) {
        uint32_t value = items[(size_t)(low + random_below(r, count)) * width + lane];
        for (at = s; at && sample[at - 1] > value; at--) sample[at] = sample[at - 1];
        sample[at] = value;
    }
    int rank = (int)((uint64_t)(k - low) * (uint32_t)drawn / count), off = drawn / 8;
    rank += 2 * (uint64_t)(k - low) <= (uint64_t)count + count / 8 ? off : -off;
    return sample[rank < 0 ? 0 : rank >= drawn ? drawn - 1 : rank];
}

/* What is known of a block's numbers. */
typedef enum {
    NUMBERED,
    STALE, /* they are to be made anew */
    SAME   /* all rows are the same */
} state;

/* Moves the k - low least of items low … high - 1 to the front, by a column and, where values are equal, by
 * place. Returns STALE if it had to number a part of them anew, to tell values apart. */
static inline __attribute__((always_inline)) state select_items(block *b, uint32_t low, uint32_t high,
                                                                uint32_t k, uint32_t columns,
                                                                uint32_t column) {
    state now = column < columns ? NUMBERED : SAME;
    while (low < k && k < high) {
        uint32_t pivot = choose_pivot(b->items, low, high, k, columns + 1, column, &b->random),
                 at = part_items(b->items, low, high, columns + 1, column, pivot);
        if (k <= at) high = at;
        else if (at > low) low = at;
        else { /* the pivot is the least */
            at = part_items(b->items, low, high, columns + 1, column, pivot + 1);
            if (k >= at) {
                low = at;
                continue;
            }
            high = at;
            if (number_column(b, low, high, column)) now = STALE;
            else column = columns;
        }
    }
    return now;
}

/* Brings the k - low least of items low … high - 1, by the column in which they are widest, to the front.
 * Returns that column; `columns` if all rows are the same: then it goes by their places. */
static inline __attribute__((always_inline)) uint32_t cut_items(block *b, uint32_t low, uint32_t high,
                                                                uint32_t k, uint32_t columns, state *now) {
    uint32_t steps = 0, column = columns;
    if (*now == NUMBERED) column = widest_of(b, low, high, columns, &steps);
    if (*now == STALE || (*now == NUMBERED && steps < NARROW)) {
        *now = number_items(b, low, high) ? NUMBERED : SAME;
        column = *now == SAME ? columns : widest_of(b, low, high, columns, &steps);
    }
    *now = select_items(b, low, high, k, columns, column);
    return column;
}

/* The same; the compiler makes copies for few columns. */
static uint32_t cut_in_two(block *b, uint32_t low, uint32_t high, uint32_t k, state *now) {
    if (b->columns == 2) return cut_items(b, low, high, k, 2, now);
    if (b->columns == 3) return cut_items(b, low, high, k, 3, now);
    return cut_items(b, low, high, k, b->columns > 1 ? b->columns : 1, now);
}

/* Makes items of rows 0 … count - 1; they are STALE. */
static void make_items(block *b, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) b->items[(size_t)i * (b->columns + 1) + b->columns] = i;
}

/* ---- buckets ----------------------------------------------------------------------------------- */

/* Without branches, which no processor could foresee. */
static inline bool before(double value, uint32_t index, const cut *c) {
    return (value < c->value) | ((value == c->value) & (index < c->index));
}

/* Some of the points, in the order of their indices. */
typedef struct sample {
    uint32_t count, *who;
    double *row;
    block b;
} sample;

static void sample_free(sample *s) {
    free(s->who);
    free(s->row);
    free(s->b.items);
}

/* The cut in a column before the first of the items from … end - 1. */
static cut cut_before(const sample *s, uint32_t from, uint32_t end, uint32_t column) {
    uint32_t columns = s->b.columns;
    cut least = {INFINITY, INDEX_NONE, column < columns ? column : 0};
    for (uint32_t i = from; i < end; i++) {
        uint32_t at = s->b.items[(size_t)i * (columns + 1) + columns];
        double value = s->row[(size_t)at * columns + least.column];
        if (before(value, s->who[at], &least)) least.value = value, least.index = s->who[at];
    }
    return least;
}

/* Cuts items low … high - 1 of the sample into blocks of equal size, as node v and the nodes below it. */
static void cut_sample(builder *b, sample *s, uint32_t low, uint32_t high, uint32_t v, state now) {
    if (v >= b->x->buckets) return;
    uint32_t half = low + (high - low) / 2;
    b->cuts[v] = cut_before(s, half, high, cut_in_two(&s->b, low, high, half, &now));
    cut_sample(b, s, low, half, 2 * v, now);
    cut_sample(b, s, half, high, 2 * v + 1, now);
}

static glshape_status choose_buckets(error *err, builder *b) {
    OWNED_BY(sample_free) sample s = {.count = b->x->buckets * PER_SAMPLE};
    if (s.count < LEAST_SAMPLE) s.count = LEAST_SAMPLE;
    random_state r = {0};
    uint32_t columns = b->x->columns;
    error ignored;
    TRY(allocate(err, &s.who, s.count, sizeof *s.who, "a sample of the points"));
    TRY(allocate(err, &s.row, s.count, columns * sizeof *s.row, "a sample of the points"));
    TRY(allocate(err, &s.b.items, s.count, (columns + 1) * sizeof *s.b.items, "a sample of the points"));
    s.b.row = s.row;
    s.b.columns = columns;
    for (uint32_t i = 0; i < s.count; i++) {
        uint64_t from = (uint64_t)i * b->x->n / s.count, end = (uint64_t)(i + 1) * b->x->n / s.count;
        s.who[i] = (uint32_t)from + random_below(&r, (uint32_t)(end - from));
        /* Of bad rows the first is named, by those who read all. */
        if (b->reader(&ignored, b->user, s.who[i], s.row + (size_t)i * columns)) return GLSHAPE_OK;
    }
    make_items(&s.b, s.count);
    cut_sample(b, &s, 0, s.count, 1, STALE);
    return GLSHAPE_OK;
}

#define SIDE_BY_SIDE 8u /* points that go down the tree at a time: none waits for the others */

/* Chooses the buckets of points i … i + SIDE_BY_SIDE - 1. */
static void choose_bucket(builder *b, uint32_t i, const double *row, uint32_t *count) {
    uint32_t v[SIDE_BY_SIDE], columns = b->x->columns, buckets = b->x->buckets;
    for (uint32_t k = 0; k < SIDE_BY_SIDE; k++) v[k] = 1;
    for (uint32_t level = 1; level < buckets; level *= 2)
        for (uint32_t k = 0; k < SIDE_BY_SIDE; k++) {
            const cut *c = &b->cuts[v[k]];
            v[k] = 2 * v[k] + !before(row[(size_t)k * columns + c->column], i + k, c);
        }
    for (uint32_t k = 0; k < SIDE_BY_SIDE && i + k < b->x->n; k++) {
        b->bucket[i + k] = (uint16_t)(v[k] - buckets);
        count[v[k] - buckets]++;
    }
}

static glshape_status count_chunk(error *err, void *user, uint64_t chunk, void *scratch) {
    builder *b = user;
    uint32_t *count = b->start + chunk * b->x->buckets, n = b->x->n;
    double *row = scratch;
    for (uint32_t i = (uint32_t)chunk * CHUNK; i < n && i / CHUNK == chunk; i += SIDE_BY_SIDE) {
        for (uint32_t k = 0; k < SIDE_BY_SIDE && i + k < n; k++)
            TRY(b->reader(err, b->user, i + k, row + (size_t)k * b->x->columns));
        choose_bucket(b, i, row, count);
    }
    return GLSHAPE_OK;
}

/* Reads the rows of a chunk, each to its place in its bucket. */
static glshape_status read_chunk(error *err, void *user, uint64_t chunk, void *scratch) {
    builder *b = user;
    uint32_t *to = b->start ? b->start + chunk * b->x->buckets : NULL;
    (void)scratch;
    for (uint32_t i = (uint32_t)chunk * CHUNK; i < b->x->n && i / CHUNK == chunk; i++) {
        uint32_t at = to ? to[b->bucket[i]]++ : i;
        b->x->point[at] = i;
        TRY(b->reader(err, b->user, i, b->x->row + (size_t)at * b->x->columns));
    }
    return GLSHAPE_OK;
}

/* Cuts items low … high - 1 of a bucket, which are those of leaves from … end - 1, down to leaves. */
static void cut_leaves(const spatial_index *x, block *b, uint32_t first, uint32_t low, uint32_t high,
                       uint32_t from, uint32_t end, state now) {
    if (end - from == 1) return;
    uint32_t half = from + (end - from) / 2, at = index_leaf_start(x, half) - first;
    cut_in_two(b, low, high, at, &now);
    cut_leaves(x, b, first, low, at, from, half, now);
    cut_leaves(x, b, first, at, high, half, end, now);
}

/* Brings the points of a bucket into their order. scratch has room for the rows, items and indices of the
 * largest. */
static glshape_status cut_bucket(error *err, void *user, uint64_t bucket, void *scratch) {
    const builder *b = user;
    const spatial_index *x = b->x;
    uint32_t first = b->x->first[bucket], count = b->x->first[bucket + 1] - first, columns = x->columns;
    (void)err;
    if (!count) return GLSHAPE_OK;
    double *rows = scratch;
    uint32_t *who = (void *)(rows + (size_t)count * columns);
    block k = {.row = rows, .columns = columns, .items = who + count, .random = {bucket}};
    memcpy(rows, x->row + (size_t)first * columns, (size_t)count * columns * sizeof *rows);
    memcpy(who, x->point + first, count * sizeof *who);
    uint32_t each = x->leaves / x->buckets, leaf = (uint32_t)bucket * each;
    make_items(&k, count);
    cut_leaves(x, &k, first, 0, count, leaf, leaf + each, STALE);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = k.items[(size_t)i * (columns + 1) + columns];
        memcpy(x->row + (size_t)(first + i) * columns, rows + (size_t)at * columns, columns * sizeof *rows);
        x->point[first + i] = who[at];
    }
    return GLSHAPE_OK;
}

/* Chooses the bucket of each point, and its place. */
static glshape_status fill_buckets(error *err, builder *b) {
    uint32_t n = b->x->n, chunks = chunks_of(b), at = 0;
    TRY(allocate(err, &b->cuts, b->x->buckets, sizeof *b->cuts, "the cuts of a sample"));
    TRY(allocate(err, &b->bucket, n, sizeof *b->bucket, "the buckets of points"));
    TRY(allocate(err, &b->start, (size_t)chunks * b->x->buckets, sizeof *b->start, "the sizes of buckets"));
    TRY(choose_buckets(err, b));
    threads_job count = {.work = count_chunk,
                         .user = b,
                         .blocks = chunks,
                         .scratch_bytes = SIDE_BY_SIDE * b->x->columns * sizeof(double),
                         .name = "a row"};
    TRY(threads_do(err, &count));
    for (uint32_t bucket = 0; bucket < b->x->buckets; bucket++) {
        b->x->first[bucket] = at;
        for (uint32_t chunk = 0; chunk < chunks; chunk++) {
            uint32_t *start = &b->start[(size_t)chunk * b->x->buckets + bucket], here = *start;
            *start = at;
            at += here;
        }
    }
    return GLSHAPE_OK;
}

/* ---- boxes ------------------------------------------------------------------------------------- */

/* The box and the least index of leaf l. */
static void bound_leaf(spatial_index *x, uint32_t l) {
    uint32_t v = x->leaves + l, from = index_leaf_start(x, l), end = index_leaf_start(x, l + 1);
    uint32_t least = INDEX_NONE;
    double *box = x->box + (size_t)v * 2 * x->columns;
    for (uint32_t c = 0; c < x->columns; c++) {
        const double *at = x->row + (size_t)from * x->columns + c;
        double low = INFINITY, high = -INFINITY;
        for (uint32_t i = from; i < end; i++, at += x->columns) {
            low = *at < low ? *at : low;
            high = *at > high ? *at : high;
        }
        box[2 * c] = low;
        box[2 * c + 1] = high;
    }
    for (uint32_t i = from; i < end; i++) least = x->point[i] < least ? x->point[i] : least;
    x->least[v] = least;
}

/* The box and the least index of node v, from those of its halves. */
static void bound_node(spatial_index *x, uint32_t v) {
    double *box = x->box + (size_t)v * 2 * x->columns;
    const double *a = x->box + (size_t)(2 * v) * 2 * x->columns, *b = a + 2 * x->columns;
    x->least[v] = x->least[2 * v] < x->least[2 * v + 1] ? x->least[2 * v] : x->least[2 * v + 1];
    for (uint32_t c = 0; c < 2 * x->columns; c += 2) {
        box[c] = a[c] < b[c] ? a[c] : b[c];
        box[c + 1] = a[c + 1] > b[c + 1] ? a[c + 1] : b[c + 1];
    }
}

#define PART 1024u /* leaves below a node that a thread takes */

/* Bounds PART leaves, and the nodes that have these leaves only. */
static void bound_part(void *user, size_t part) {
    spatial_index *x = user;
    uint32_t size = x->leaves < PART ? x->leaves : PART, first = (uint32_t)part * size;
    for (uint32_t l = first; l < first + size; l++) bound_leaf(x, l);
    for (uint32_t level = 2; level <= size; level *= 2)
        for (uint32_t v = (x->leaves + first) / level; v < (x->leaves + first + size) / level; v++)
            bound_node(x, v);
}

/* ---- all --------------------------------------------------------------------------------------- */

static glshape_status order_points(error *err, builder *b) {
    spatial_index *x = b->x;
    uint32_t most = 0;
    if (x->buckets > 1) TRY(fill_buckets(err, b));
    threads_job job = {.work = read_chunk, .user = b, .blocks = chunks_of(b), .name = "a row"};
    TRY(threads_do(err, &job));
    for (uint32_t k = 0; k < b->x->buckets; k++)
        if (b->x->first[k + 1] - b->x->first[k] > most) most = b->x->first[k + 1] - b->x->first[k];
    job.work = cut_bucket;
    job.blocks = b->x->buckets;
    job.scratch_bytes = most * (x->columns * sizeof(double) + (x->columns + 2) * sizeof(uint32_t));
    job.name = "the points of a bucket";
    return threads_do(err, &job);
}

void index_bound(spatial_index *x) {
    threads_run(0, x->leaves < PART ? 1 : x->leaves / PART, bound_part, x);
    for (uint32_t v = x->leaves < PART ? 0 : x->leaves / PART; v-- > 1;) bound_node(x, v);
}

glshape_status index_new(error *err, uint32_t n, uint32_t columns, norm norm, index_reader reader,
                         const void *user, spatial_index *out) {
    OWNED_BY(index_free)
    spatial_index x = {.n = n, .columns = columns, .leaves = 1, .buckets = 1, .norm = norm};
    OWNED_BY(builder_free) builder b = {.x = &x, .reader = reader, .user = user};
    while ((n - 1) / x.leaves >= INDEX_LEAF) x.leaves *= 2;
    while (x.buckets < MOST_BUCKETS && n / x.buckets >= 2 * PER_BUCKET) x.buckets *= 2;
    size_t nodes = 2 * (size_t)x.leaves;
    TRY(allocate(err, &x.row, n, columns * sizeof *x.row, "the points of the index"));
    TRY(allocate(err, &x.point, n, sizeof *x.point, "the points of the index"));
    TRY(allocate(err, &x.first, x.buckets + 2, sizeof *x.first, "the buckets of the index"));
    TRY(allocate(err, &x.box, nodes, 2 * columns * sizeof *x.box, "the boxes of the index"));
    TRY(allocate(err, &x.least, nodes, sizeof *x.least, "the nodes of the index"));
    x.first[x.buckets] = x.first[x.buckets + 1] = n;
    TRY(order_points(err, &b));
    index_bound(&x);
    *out = MOVE(x);
    return GLSHAPE_OK;
}

void index_free(spatial_index *x) {
    free(x->row);
    free(x->point);
    free(x->box);
    free(x->least);
    free(x->first);
    gpu_texture_free(&x->rows);
    gpu_texture_free(&x->boxes);
    gpu_texture_free(&x->leasts);
    gpu_texture_free(&x->firsts);
    gpu_texture_free(&x->near_rows);
    gpu_texture_free(&x->near_boxes);
    *x = (spatial_index){0};
}

bool index_is_modest(uint32_t n, size_t columns) {
    double memory = (double)memory_of_machine();
    double nodes = 4.0 * n / INDEX_LEAF, values = (double)columns * (n + 2 * nodes);
    return columns <= INDEX_COLUMNS && sizeof(double) * values < memory / 4;
}
