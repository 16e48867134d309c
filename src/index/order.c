/* The order of the points in the tree.
 *
 * A block of points is cut in two across the widest side of its box, so that both halves fill whole leaves.
 * Equal values are cut by index, so that equal points are no hard case. Threads need blocks to cut: if there
 * are many points, a sample of them is cut into BUCKETS blocks first, and each point goes to the bucket on
 * its side of these cuts. A bucket is then cut where the tree's cuts lie in it; only nodes across the border
 * of two buckets have boxes larger than they could be. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/random.h"
#include "base/threads.h"
#include "index/index.h"

#define LEAF 12u /* points of a leaf, at most */
#define CHUNK 16384u
#define BUCKET_LEVELS 9
#define BUCKETS (1u << BUCKET_LEVELS)
#define SAMPLE (64 * BUCKETS)
#define MANY (8 * SAMPLE) /* points from which on there are buckets */

/* An item is a row of values, and behind them the point's index. */
typedef struct builder {
    spatial_index *x;
    index_reader reader;
    const void *user;
    uint32_t width;         /* of an item: columns + 1 */
    double *items, *sorted; /* sorted: by bucket */
    double *cuts;           /* BUCKETS × (value, index): of node v of the buckets' tree … */
    uint32_t *across;       /* … and the column */
    uint16_t *bucket;       /* of each item */
    uint32_t *start;        /* chunks × BUCKETS: how many items, then where they go */
    uint32_t first[BUCKETS + 1];
} builder;

static void builder_free(builder *b) {
    free(b->items);
    free(b->sorted);
    free(b->cuts);
    free(b->across);
    free(b->bucket);
    free(b->start);
}

static uint32_t chunks_of(const builder *b) { return (b->x->n - 1) / CHUNK + 1; }

/* ---- cutting ----------------------------------------------------------------------------------- */

static inline bool before(const double *item, uint32_t column, uint32_t columns, double value, double index) {
    return item[column] < value || (item[column] == value && item[columns] < index);
}

static inline bool behind(const double *item, uint32_t column, uint32_t columns, double value, double index) {
    return item[column] > value || (item[column] == value && item[columns] > index);
}

static inline void swap_items(double *a, double *b, uint32_t width) {
    for (uint32_t c = 0; c < width; c++) {
        double t = a[c];
        a[c] = b[c];
        b[c] = t;
    }
}

/* The column in which the items are widest. Halves, as a difference may overflow. */
static uint32_t widest(const double *items, uint32_t count, uint32_t columns) {
    double least[INDEX_COLUMNS], most[INDEX_COLUMNS];
    memcpy(least, items, columns * sizeof *least);
    memcpy(most, items, columns * sizeof *most);
    for (const double *at = items; at < items + (size_t)count * (columns + 1); at += columns + 1)
        for (uint32_t c = 0; c < columns; c++) {
            least[c] = at[c] < least[c] ? at[c] : least[c];
            most[c] = at[c] > most[c] ? at[c] : most[c];
        }
    uint32_t best = 0;
    for (uint32_t c = 1; c < columns; c++)
        if (most[c] / 2 - least[c] / 2 > most[best] / 2 - least[best] / 2) best = c;
    return best;
}

/* The median, in the column, of three items drawn from low … high. */
static const double *middle(const double *items, uint32_t low, uint32_t high, uint32_t column,
                            uint32_t columns, random_state *r) {
    const double *of[3];
    for (int i = 0; i < 3; i++)
        of[i] = items + (size_t)(low + random_below(r, high - low + 1)) * (columns + 1);
#define IN_ORDER(a, b) !before(b, column, columns, (a)[column], (a)[columns])
    bool ab = IN_ORDER(of[0], of[1]), bc = IN_ORDER(of[1], of[2]), ac = IN_ORDER(of[0], of[2]);
#undef IN_ORDER
    if (ab == bc) return of[1];
    return ab == ac ? of[2] : of[0];
}

/* Moves the item of rank k to place k, those before it below, those behind it above. (Hoare's selection.) */
static void select_rank(double *items, uint32_t count, uint32_t k, uint32_t column, uint32_t columns,
                        random_state *r) {
    uint32_t low = 0, high = count - 1, width = columns + 1;
    while (low < high) {
        const double *pivot = middle(items, low, high, column, columns, r);
        double value = pivot[column], index = pivot[columns];
        uint32_t i = low, j = high;
        for (;; i++, j--) {
            while (before(items + (size_t)i * width, column, columns, value, index)) i++;
            while (behind(items + (size_t)j * width, column, columns, value, index)) j--;
            if (i >= j) break;
            swap_items(items + (size_t)i * width, items + (size_t)j * width, width);
        }
        if (k <= j && j < high) high = j;
        else if (k <= j) high--; /* the pivot is the last item, and in its place */
        else low = j + 1;
    }
}

/* Cuts items low … high - 1, which are all of leaves from … end - 1 in this range, down to leaves. */
static void cut(const builder *b, double *items, uint32_t low, uint32_t high, uint32_t from, uint32_t end,
                random_state *r) {
    uint32_t columns = b->x->columns;
    while (end - from > 1) {
        uint32_t half = from + (end - from) / 2, at = index_leaf_start(b->x, half);
        if (at > low && at < high) {
            double *here = items + (size_t)low * b->width;
            select_rank(here, high - low, at - low, widest(here, high - low, columns), columns, r);
            cut(b, items, low, at, from, half, r);
        }
        if (at < high) from = half, low = at > low ? at : low;
        else end = half;
    }
}

/* ---- buckets ----------------------------------------------------------------------------------- */

/* Cuts items of the sample into blocks of equal size, as node v and the nodes below it. */
static void cut_sample(builder *b, double *items, uint32_t count, uint32_t v, random_state *r) {
    if (v >= BUCKETS) return;
    uint32_t columns = b->x->columns, column = widest(items, count, columns), half = count / 2;
    double *at = items + (size_t)half * b->width;
    select_rank(items, count, half, column, columns, r);
    b->across[v] = column;
    b->cuts[2 * v] = at[column];
    b->cuts[2 * v + 1] = at[columns];
    cut_sample(b, items, half, 2 * v, r);
    cut_sample(b, at, count - half, 2 * v + 1, r);
}

static glshape_status choose_buckets(error *err, builder *b) {
    OWNED double *sample = NULL;
    random_state r = {0};
    TRY(allocate(err, &b->cuts, BUCKETS, 2 * sizeof *b->cuts, "the cuts of a sample"));
    TRY(allocate(err, &b->across, BUCKETS, sizeof *b->across, "the cuts of a sample"));
    TRY(allocate(err, &sample, SAMPLE, b->width * sizeof *sample, "a sample of the points"));
    for (uint32_t i = 0; i < SAMPLE; i++)
        memcpy(sample + (size_t)i * b->width, b->items + (size_t)random_below(&r, b->x->n) * b->width,
               b->width * sizeof *sample);
    cut_sample(b, sample, SAMPLE, 1, &r);
    return GLSHAPE_OK;
}

static void count_chunk(void *user, size_t chunk) {
    builder *b = user;
    uint32_t *count = b->start + chunk * BUCKETS, columns = b->x->columns;
    for (uint32_t i = (uint32_t)chunk * CHUNK; i < b->x->n && i / CHUNK == chunk; i++) {
        const double *item = b->items + (size_t)i * b->width;
        uint32_t v = 1;
        while (v < BUCKETS)
            v = 2 * v + !before(item, b->across[v], columns, b->cuts[2 * v], b->cuts[2 * v + 1]);
        b->bucket[i] = (uint16_t)(v - BUCKETS);
        count[v - BUCKETS]++;
    }
}

static void move_chunk(void *user, size_t chunk) {
    builder *b = user;
    uint32_t *to = b->start + chunk * BUCKETS;
    for (uint32_t i = (uint32_t)chunk * CHUNK; i < b->x->n && i / CHUNK == chunk; i++)
        memcpy(b->sorted + (size_t)to[b->bucket[i]]++ * b->width, b->items + (size_t)i * b->width,
               b->width * sizeof *b->items);
}

static void cut_bucket(void *user, size_t bucket) {
    builder *b = user;
    random_state r = {bucket};
    uint32_t low = b->first[bucket], high = b->first[bucket + 1];
    if (low < high) cut(b, b->items, low, high, 0, b->x->leaves, &r);
}

/* Sorts the items by bucket. */
static glshape_status fill_buckets(error *err, builder *b) {
    uint32_t n = b->x->n, chunks = chunks_of(b), at = 0;
    TRY(choose_buckets(err, b));
    TRY(allocate(err, &b->sorted, n, b->width * sizeof *b->sorted, "the points by bucket"));
    TRY(allocate(err, &b->bucket, n, sizeof *b->bucket, "the buckets of points"));
    TRY(allocate(err, &b->start, (size_t)chunks * BUCKETS, sizeof *b->start, "the sizes of buckets"));
    threads_run(0, chunks, count_chunk, b);
    for (uint32_t bucket = 0; bucket < BUCKETS; bucket++) {
        b->first[bucket] = at;
        for (uint32_t chunk = 0; chunk < chunks; chunk++) {
            uint32_t *count = &b->start[(size_t)chunk * BUCKETS + bucket], here = *count;
            *count = at;
            at += here;
        }
    }
    b->first[BUCKETS] = n;
    threads_run(0, chunks, move_chunk, b);
    double *t = b->items;
    b->items = b->sorted;
    b->sorted = t;
    return GLSHAPE_OK;
}

/* ---- boxes ------------------------------------------------------------------------------------- */

/* The box and the least index of leaf l. */
static void bound_leaf(spatial_index *x, uint32_t l) {
    uint32_t v = x->leaves + l, from = index_leaf_start(x, l), end = index_leaf_start(x, l + 1);
    double *box = x->box + (size_t)v * 2 * x->columns;
    x->least[v] = INDEX_NONE;
    for (uint32_t i = from; i < end; i++) {
        const double *row = x->row + (size_t)i * x->columns;
        if (x->point[i] < x->least[v]) x->least[v] = x->point[i];
        for (uint32_t c = 0; c < x->columns; c++) {
            if (i == from || row[c] < box[2 * c]) box[2 * c] = row[c];
            if (i == from || row[c] > box[2 * c + 1]) box[2 * c + 1] = row[c];
        }
    }
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

/* Takes the items of PART leaves apart, and bounds the nodes that have these leaves only. */
static void finish_part(void *user, size_t part) {
    builder *b = user;
    spatial_index *x = b->x;
    uint32_t size = x->leaves < PART ? x->leaves : PART, first = (uint32_t)part * size;
    for (uint32_t i = index_leaf_start(x, first); i < index_leaf_start(x, first + size); i++) {
        const double *item = b->items + (size_t)i * b->width;
        memcpy(x->row + (size_t)i * x->columns, item, x->columns * sizeof *item);
        x->point[i] = (uint32_t)item[x->columns];
    }
    for (uint32_t l = first; l < first + size; l++) bound_leaf(x, l);
    for (uint32_t level = 2; level <= size; level *= 2)
        for (uint32_t v = (x->leaves + first) / level; v < (x->leaves + first + size) / level; v++)
            bound_node(x, v);
}

/* ---- all --------------------------------------------------------------------------------------- */

static glshape_status read_chunk(error *err, void *user, uint64_t chunk, void *scratch) {
    builder *b = user;
    (void)scratch;
    for (uint32_t i = (uint32_t)chunk * CHUNK; i < b->x->n && i / CHUNK == chunk; i++) {
        double *item = b->items + (size_t)i * b->width;
        TRY(b->reader(err, b->user, i, item));
        item[b->x->columns] = i;
    }
    return GLSHAPE_OK;
}

glshape_status index_new(error *err, uint32_t n, uint32_t columns, norm norm, index_reader reader,
                         const void *user, spatial_index *out) {
    OWNED_BY(index_free) spatial_index x = {.n = n, .columns = columns, .leaves = 1, .norm = norm};
    OWNED_BY(builder_free) builder b = {.x = &x, .reader = reader, .user = user, .width = columns + 1};
    while ((n - 1) / x.leaves >= LEAF) x.leaves *= 2;
    size_t nodes = 2 * (size_t)x.leaves;
    TRY(allocate(err, &b.items, n, b.width * sizeof *b.items, "the points of the index"));
    threads_job read = {.work = read_chunk, .user = &b, .blocks = chunks_of(&b), .name = "a row"};
    TRY(threads_do(err, &read));
    random_state r = {0};
    if (n >= MANY) {
        TRY(fill_buckets(err, &b));
        threads_run(0, BUCKETS, cut_bucket, &b);
        free(b.sorted);
        b.sorted = NULL;
    } else cut(&b, b.items, 0, n, 0, x.leaves, &r);
    TRY(allocate(err, &x.row, n, columns * sizeof *x.row, "the points of the index"));
    TRY(allocate(err, &x.point, n, sizeof *x.point, "the points of the index"));
    TRY(allocate(err, &x.box, nodes, 2 * columns * sizeof *x.box, "the boxes of the index"));
    TRY(allocate(err, &x.least, nodes, sizeof *x.least, "the nodes of the index"));
    threads_run(0, x.leaves < PART ? 1 : x.leaves / PART, finish_part, &b);
    for (uint32_t v = x.leaves < PART ? 0 : x.leaves / PART; v-- > 1;) bound_node(&x, v);
    *out = MOVE(x);
    return GLSHAPE_OK;
}

void index_free(spatial_index *x) {
    free(x->row);
    free(x->point);
    free(x->box);
    free(x->least);
    gpu_texture_free(&x->rows);
    gpu_texture_free(&x->boxes);
    gpu_texture_free(&x->leasts);
    *x = (spatial_index){0};
}
