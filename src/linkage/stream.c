/* The least spanning tree from a matrix that is read once, row by row: row i has the distances to the points
 * before i.
 *
 * A graph is kept that contains the tree. The longest edge of a circle is in no least spanning tree, so a new
 * edge is left out if it is the longest of a circle with edges that are kept. To see that, each point has a
 * bottleneck: the longest edge on its path, in the graph that is kept, to one point, the root. Edge {i, j} is
 * left out if it is longer than the bottlenecks of both i and j. The bottleneck of a new point i is the
 * least, over its edges {i, j}, of the longer of {i, j} and the bottleneck of j.
 *
 * When as many edges wait as there are points, Kruskal's algorithm makes a tree of them and of the tree
 * before, and gives new bottlenecks. Its root is the point at which the larger side of every merger ends. If
 * the order of the points is random, about log n edges of a row are kept.
 *
 * Of several ranks each reads rows of its own, as many values as any other. Before its first row it knows no
 * edge between the points before: then edges that are longer than any distance stand for these. The first
 * rank makes the tree of all of the edges that are left. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "linkage/linkage.h"
#include "tree/union.h"

#define ROWS 8u /* that a thread reads at a time */
#define BATCH (16 * ROWS)
#define LANES 16u

/* {lo, hi}, as numbers to be compared: bits of the distance; then lo and hi. */
typedef struct edge {
    uint64_t distance, ends;
} edge;

static const edge shortest = {0, 0}, longest = {UINT64_MAX, UINT64_MAX};

typedef struct edges {
    edge *items;
    size_t count, room;
} edges;

typedef struct stream {
    const dist_reader *reader;
    uint32_t n, known, batch;  /* points; those whose rows were read, or before them; those being read */
    uint32_t own, end;         /* the rows that are read */
    edge *bottleneck;          /* of each point: the longest edge on its path to the root */
    float *limit;              /* the length of the bottleneck, rounded */
    double (*beside)[BATCH];   /* distances within the batch */
    edges found[BATCH / ROWS]; /* of a batch, by block */
    edges waiting;
    edge *tree, *next; /* edges of the tree of the first `treed` points, ascending; room for the next tree */
    uint32_t treed;
    uint32_t *set, *size, *into, *joined; /* of grow_tree: union–find; of the root of an absorbed set, what
                                             absorbed it; the roots that were absorbed, in order */
} stream;

static bool less(edge a, edge b) {
    return a.distance != b.distance ? a.distance < b.distance : a.ends < b.ends;
}
static edge longer(edge a, edge b) { return less(a, b) ? b : a; }

static edge edge_of(double distance, uint32_t lo, uint32_t hi) {
    edge e = {0, (uint64_t)lo << 32 | hi};
    distance += 0.0; /* -0 is 0 */
    memcpy(&e.distance, &distance, sizeof distance);
    return e;
}

static uint32_t low_end(edge e) { return (uint32_t)(e.ends >> 32); }
static uint32_t high_end(edge e) { return (uint32_t)e.ends; }

static double length_of(edge e) {
    double length;
    memcpy(&length, &e.distance, sizeof length);
    return length;
}

static glshape_status append(error *err, edges *to, edge e) {
    TRY(memory_reserve(err, &to->items, &to->room, to->count + 1, sizeof *to->items, "edges of the tree"));
    to->items[to->count++] = e;
    return GLSHAPE_OK;
}

/* ---- a row ---------------------------------------------------------------------------------------

 * Rows are searched in single precision first: where a <= b, a rounded is not above b rounded, so no edge is
 * missed. Those that are found are compared as they are. */

/* min over j of max(row[j], limit[j]). */
static float least_bottleneck(const float *row, const float *limit, uint32_t n) {
    float least[LANES], all = row[0] > limit[0] ? row[0] : limit[0];
    uint32_t j = 0;
    for (uint32_t l = 0; l < LANES; l++) least[l] = all;
    for (; j + LANES <= n; j += LANES)
        for (uint32_t l = 0; l < LANES; l++) {
            float far = row[j + l] > limit[j + l] ? row[j + l] : limit[j + l];
            least[l] = far < least[l] ? far : least[l];
        }
    for (; j < n; j++) {
        float far = row[j] > limit[j] ? row[j] : limit[j];
        all = far < all ? far : all;
    }
    for (uint32_t l = 0; l < LANES; l++) all = least[l] < all ? least[l] : all;
    return all;
}

static bool is_within(float distance, float limit, float own) {
    return distance <= (limit > own ? limit : own);
}

/* Returns true if one of LANES values is within; mostly none is. */
static bool any_within(const float *row, const float *limit, float own) {
    int any = 0;
    for (uint32_t l = 0; l < LANES; l++) any |= is_within(row[l], limit[l], own);
    return any;
}

/* Lists the j with row[j] <= max(own, limit[j]). */
static uint32_t list_within(const float *row, const float *limit, uint32_t n, float own, uint32_t *list) {
    uint32_t count = 0;
    for (uint32_t from = 0; from < n; from += LANES) {
        uint32_t end = n - from < LANES ? n : from + LANES;
        if (end - from == LANES && !any_within(row + from, limit + from, own)) continue;
        for (uint32_t j = from; j < end; j++)
            if (is_within(row[j], limit[j], own)) list[count++] = j;
    }
    return count;
}

/* The memory of a thread. */
typedef struct room {
    double *rows;   /* ROWS × n */
    float *rounded; /* one row */
    uint32_t *list; /* of points */
} room;

static room room_in(void *scratch, size_t n) {
    double *rows = scratch;
    float *rounded = (float *)(void *)(rows + ROWS * n);
    return (room){rows, rounded, (uint32_t *)(void *)(rounded + n)};
}
#define ROOM_BYTES (ROWS * sizeof(double) + sizeof(float) + sizeof(uint32_t)) /* a point */

/* Appends the edges from point i to known points that are kept to found, and sets i's bottleneck. */
static glshape_status filter_row(error *err, const stream *s, uint32_t i, const double *row, const room *r,
                                 edges *found) {
    uint32_t *list = r->list;
    for (uint32_t j = 0; j < s->known; j++) r->rounded[j] = (float)row[j];
    float least = least_bottleneck(r->rounded, s->limit, s->known);
    uint32_t count = list_within(r->rounded, s->limit, s->known, least, list);
    edge own = longest;
    for (uint32_t k = 0; k < count; k++) {
        edge path = longer(edge_of(row[list[k]], list[k], i), s->bottleneck[list[k]]);
        if (less(path, own)) own = path;
    }
    for (uint32_t k = 0; k < count; k++) {
        edge e = edge_of(row[list[k]], list[k], i);
        if (!less(longer(own, s->bottleneck[list[k]]), e)) TRY(append(err, found, e));
    }
    s->bottleneck[i] = own;
    s->limit[i] = (float)length_of(own);
    return GLSHAPE_OK;
}

static glshape_status take_rows(error *err, void *user, uint64_t block, void *scratch) {
    stream *s = user;
    uint32_t from = (uint32_t)block * ROWS, count = s->batch - from < ROWS ? s->batch - from : ROWS;
    room r = room_in(scratch, s->n);
    s->found[block].count = 0;
    TRY(dist_read_doubles(err, s->reader, s->known + from, count, r.rows));
    for (uint32_t k = 0; k < count; k++) {
        const double *row = r.rows + (size_t)k * s->n;
        memcpy(s->beside[from + k], row + s->known, (from + k) * sizeof *row);
        if (s->known) TRY(filter_row(err, s, s->known + from + k, row, &r, &s->found[block]));
        else s->bottleneck[from + k] = longest;
    }
    return GLSHAPE_OK;
}

/* ---- the tree ---------------------------------------------------------------------------------- */

static int by_length(const void *a, const void *b) {
    const edge *x = a, *y = b;
    return less(*y, *x) - less(*x, *y);
}

/* Joins the sets of the ends of e. Returns the root of the smaller set, which the other absorbs; of equals
 * the set of lo absorbs. UINT32_MAX if both ends are in one set. */
static uint32_t join_sets(stream *s, edge e) {
    uint32_t a = union_find(s->set, low_end(e)), b = union_find(s->set, high_end(e));
    if (a == b) return UINT32_MAX;
    uint32_t large = s->size[a] < s->size[b] ? b : a, small = large == a ? b : a;
    s->set[small] = s->into[small] = large;
    s->size[large] += s->size[small];
    return small;
}

/* Finds the bottlenecks, from the last merger to the first. If the set that absorbed v's is the root's, v's
 * bottleneck is the edge that joined them; else it is that of the absorbing set, whose edge was longer. */
static void find_bottlenecks(stream *s) {
    uint32_t root = union_find(s->set, 0);
    s->bottleneck[root] = shortest;
    for (uint32_t k = s->known - 1; k-- > 0;) {
        uint32_t v = s->joined[k];
        s->bottleneck[v] = s->into[v] == root ? s->tree[k] : s->bottleneck[s->into[v]];
    }
    for (uint32_t v = 0; v < s->known; v++) s->limit[v] = (float)length_of(s->bottleneck[v]);
}

/* Kruskal's algorithm: makes the tree of all known points from the last tree and the edges that wait. */
static void grow_tree(stream *s) {
    const edge *had = s->tree, *had_end = had + (s->treed ? s->treed - 1 : 0);
    const edge *more = s->waiting.items, *more_end = more + s->waiting.count;
    qsort(s->waiting.items, s->waiting.count, sizeof *s->waiting.items, by_length);
    for (uint32_t v = 0; v < s->known; v++) s->set[v] = v, s->size[v] = 1;
    for (uint32_t count = 0; count + 1 < s->known;) {
        bool first = more == more_end || (had < had_end && less(*had, *more));
        edge e = first ? *had++ : *more++;
        s->joined[count] = join_sets(s, e);
        if (s->joined[count] != UINT32_MAX) s->next[count++] = e;
    }
    edge *swap = s->tree;
    s->tree = s->next;
    s->next = swap;
    s->treed = s->known;
    s->waiting.count = 0;
    find_bottlenecks(s);
}

/* ---- all --------------------------------------------------------------------------------------- */

/* Appends the edges found by the batch, and those between its points that are kept, to those that wait. */
static glshape_status take_batch(error *err, stream *s) {
    const edge *bottleneck = s->bottleneck + s->known;
    for (uint32_t i = 1; i < s->batch; i++)
        for (uint32_t j = 0; j < i; j++) {
            edge e = edge_of(s->beside[i][j], s->known + j, s->known + i);
            if (!less(longer(bottleneck[i], bottleneck[j]), e)) TRY(append(err, &s->waiting, e));
        }
    for (uint32_t b = 0; s->known && b * ROWS < s->batch; b++)
        for (size_t k = 0; k < s->found[b].count; k++) TRY(append(err, &s->waiting, s->found[b].items[k]));
    s->known += s->batch;
    if (!s->treed || s->waiting.count >= s->known || s->known == s->end) grow_tree(s);
    return GLSHAPE_OK;
}

static glshape_status allocate_stream(error *err, stream *s) {
    static const char what[] = "the tree";
    TRY(allocate(err, &s->bottleneck, s->n, sizeof *s->bottleneck, what));
    TRY(allocate(err, &s->limit, s->n, sizeof *s->limit, what));
    TRY(allocate(err, &s->beside, BATCH, sizeof *s->beside, "rows of distances"));
    TRY(allocate(err, &s->tree, s->n, sizeof *s->tree, what));
    TRY(allocate(err, &s->next, s->n, sizeof *s->next, what));
    TRY(allocate(err, &s->set, s->n, sizeof *s->set, what));
    TRY(allocate(err, &s->size, s->n, sizeof *s->size, what));
    TRY(allocate(err, &s->into, s->n, sizeof *s->into, what));
    return allocate(err, &s->joined, s->n, sizeof *s->joined, what);
}

static void stream_free(stream *s) {
    void *const all[] = {s->bottleneck, s->limit, s->beside, s->tree,   s->next,
                         s->set,        s->size,  s->into,   s->joined, s->waiting.items};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    for (size_t b = 0; b < sizeof s->found / sizeof *s->found; b++) free(s->found[b].items);
}

/* Where rank q's rows begin. Row i has i values. */
static uint32_t strip(const ranks *r, uint32_t n, int q) {
    return q == r->size ? n : (uint32_t)(n * sqrt((double)q / r->size)) / ROWS * ROWS;
}

/* An edge that stands for one before the own rows, or an infinite one. */
static bool is_imagined(edge e) { return isinf(length_of(e)); }

/* Joins the points before the own rows by imagined edges. */
static void imagine_tree(stream *s) {
    s->known = s->treed = s->own;
    for (uint32_t v = 0; v + 1 < s->own; v++) s->tree[v] = edge_of(INFINITY, v, v + 1);
    if (s->own) grow_tree(s);
}

/* Reads the own rows. The first few make imagined edges real before there are many more to choose from. */
static glshape_status read_rows(run *r, stream *s) {
    imagine_tree(s);
    while (s->known < s->end) {
        uint32_t most = s->known == s->own && s->own ? ROWS : BATCH;
        s->batch = s->end - s->known < most ? s->end - s->known : most;
        threads_job work = {.work = take_rows,
                            .user = s,
                            .blocks = (s->batch + ROWS - 1) / ROWS,
                            .scratch_bytes = s->n * ROOM_BYTES,
                            .name = "rows of distances"};
        TRY(threads_do(run_error(r), &work));
        TRY(take_batch(run_error(r), s));
        TRY(run_tick(r, (double)(s->known - s->own) / (s->end - s->own)));
    }
    return GLSHAPE_OK;
}

/* Brings the edges of all ranks to the first, which makes the tree of them. Infinite edges of
 * point 0 stand for all that are infinite, as they come before these. */
static glshape_status join_trees(run *r, stream *s) {
    OWNED edge *all = NULL;
    size_t bytes, count = 0;
    for (uint32_t k = 0; s->end > s->own && k + 1 < s->treed; k++)
        if (!is_imagined(s->tree[k])) s->tree[count++] = s->tree[k];
    TRY(ranks_collect(run_ranks(r), run_error(r), s->tree, count * sizeof *s->tree, &all, &bytes));
    if (!all) return GLSHAPE_OK;
    free(s->waiting.items);
    s->waiting = (edges){MOVE(all), bytes / sizeof *all, bytes / sizeof *all};
    for (uint32_t v = 1; v < s->n; v++) TRY(append(run_error(r), &s->waiting, edge_of(INFINITY, 0, v)));
    s->known = s->n;
    s->treed = 0;
    grow_tree(s);
    return GLSHAPE_OK;
}

glshape_status linkage_stream(run *run, const dist_reader *reader, linkage_tree *tree) {
    const ranks *r = run_ranks(run);
    OWNED_BY(stream_free) stream s = {.reader = reader, .n = reader->n};
    s.own = strip(r, s.n, r->rank);
    s.end = strip(r, s.n, r->rank + 1);
    TRY(allocate_stream(run_error(run), &s));
    TRY(read_rows(run, &s));
    if (r->size > 1) TRY(join_trees(run, &s));
    if (!ranks_go_alone(r)) return GLSHAPE_OK;
    for (tree->count = 0; tree->count + 1 < s.n; tree->count++) {
        edge e = s.tree[tree->count];
        tree->i[tree->count] = low_end(e);
        tree->j[tree->count] = high_end(e);
        tree->height[tree->count] = length_of(e);
    }
    return GLSHAPE_OK;
}
