/* The tree of points whose distances to those before come row after row, each seen once.
 *
 * What is kept is a graph that has the tree: an edge enters unless it is the longest of a circle of kept
 * ones. Of each point the longest edge on its way to one point, the root, is known; so {i, j} is left out if
 * it is longer than that of both ends. For a new point i the best way is by an edge that is about to be kept.
 * When as many edges wait as there are points, Kruskal's algorithm makes a tree of all, and its ways are
 * known; the root is where the larger side of every merge leads. Of points in no particular order that leaves
 * some log n edges a row. */
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

/* {lo, hi}, as numbers to be compared: bits of the distance, lo; then hi. */
typedef struct edge {
    uint64_t key;
    uint32_t hi;
} edge;

static const edge shortest = {0, 0}, longest = {UINT64_MAX, UINT32_MAX};

typedef struct edges {
    edge *items;
    size_t count, room;
} edges;

typedef struct stream {
    const dist_reader *reader;
    uint32_t n, known, batch;  /* points; those that are in, and those coming in */
    edge *way;                 /* of points: the longest edge on the way to the root */
    float *reach;              /* its length */
    float (*beside)[BATCH];    /* distances within the batch */
    edges found[BATCH / ROWS]; /* of a batch, by block */
    edges waiting;
    edge *tree, *next; /* of `treed` points, ascending; the one to come */
    uint32_t treed;
    uint32_t *set, *size, *into, *joined; /* of Kruskal's algorithm, see grow_tree */
} stream;

static bool less(edge a, edge b) { return a.key < b.key || (a.key == b.key && a.hi < b.hi); }
static edge longer(edge a, edge b) { return less(a, b) ? b : a; }

static edge edge_of(float distance, uint32_t lo, uint32_t hi) {
    uint32_t bits;
    distance += 0.0f; /* -0 is 0 */
    memcpy(&bits, &distance, sizeof bits);
    return (edge){(uint64_t)bits << 32 | lo, hi};
}

static float length_of(edge e) {
    uint32_t bits = (uint32_t)(e.key >> 32);
    float length;
    memcpy(&length, &bits, sizeof length);
    return length;
}

static glshape_status append(error *err, edges *to, edge e) {
    TRY(memory_reserve(err, &to->items, &to->room, to->count + 1, sizeof *to->items, "edges of the tree"));
    to->items[to->count++] = e;
    return GLSHAPE_OK;
}

/* ---- a row ------------------------------------------------------------------------------------- */

/* min over j of max(row[j], reach[j]). */
static float least_reach(const float *row, const float *reach, uint32_t n) {
    float least[LANES], all = row[0] > reach[0] ? row[0] : reach[0];
    uint32_t j = 0;
    for (uint32_t l = 0; l < LANES; l++) least[l] = all;
    for (; j + LANES <= n; j += LANES)
        for (uint32_t l = 0; l < LANES; l++) {
            float far = row[j + l] > reach[j + l] ? row[j + l] : reach[j + l];
            least[l] = far < least[l] ? far : least[l];
        }
    for (; j < n; j++) {
        float far = row[j] > reach[j] ? row[j] : reach[j];
        all = far < all ? far : all;
    }
    for (uint32_t l = 0; l < LANES; l++) all = least[l] < all ? least[l] : all;
    return all;
}

static bool is_within(float distance, float reach, float own) {
    return distance <= (reach > own ? reach : own);
}

/* Whether one of LANES values is within; in most cases none is. */
static bool any_within(const float *row, const float *reach, float own) {
    int any = 0;
    for (uint32_t l = 0; l < LANES; l++) any |= is_within(row[l], reach[l], own);
    return any;
}

/* Lists the j with row[j] <= max(own, reach[j]). */
static uint32_t list_within(const float *row, const float *reach, uint32_t n, float own, uint32_t *list) {
    uint32_t count = 0;
    for (uint32_t from = 0; from < n; from += LANES) {
        uint32_t end = n - from < LANES ? n : from + LANES;
        if (end - from == LANES && !any_within(row + from, reach + from, own)) continue;
        for (uint32_t j = from; j < end; j++)
            if (is_within(row[j], reach[j], own)) list[count++] = j;
    }
    return count;
}

/* Finds which edges of point i to points that are known enter. list: room for those. */
static glshape_status look(error *err, const stream *s, uint32_t i, const float *row, uint32_t *list,
                           edges *found) {
    uint32_t count = list_within(row, s->reach, s->known, least_reach(row, s->reach, s->known), list);
    edge own = longest;
    for (uint32_t k = 0; k < count; k++) {
        edge by = longer(edge_of(row[list[k]], list[k], i), s->way[list[k]]);
        if (less(by, own)) own = by;
    }
    for (uint32_t k = 0; k < count; k++) {
        edge e = edge_of(row[list[k]], list[k], i);
        if (!less(longer(own, s->way[list[k]]), e)) TRY(append(err, found, e));
    }
    s->way[i] = own;
    s->reach[i] = length_of(own);
    return GLSHAPE_OK;
}

static glshape_status take_rows(error *err, void *user, uint64_t block, void *scratch) {
    stream *s = user;
    uint32_t from = (uint32_t)block * ROWS, count = s->batch - from < ROWS ? s->batch - from : ROWS;
    float *rows = scratch;
    uint32_t *list = (uint32_t *)(void *)(rows + (size_t)ROWS * s->n);
    s->found[block].count = 0;
    TRY(dist_read_raw(err, s->reader, s->known + from, count, rows));
    for (uint32_t k = 0; k < count; k++, rows += s->n) {
        memcpy(s->beside[from + k], rows + s->known, (from + k) * sizeof *rows);
        if (s->known) TRY(look(err, s, s->known + from + k, rows, list, &s->found[block]));
        else s->way[from + k] = longest;
    }
    return GLSHAPE_OK;
}

/* ---- the tree ---------------------------------------------------------------------------------- */

static int by_length(const void *a, const void *b) {
    const edge *x = a, *y = b;
    return less(*y, *x) - less(*x, *y);
}

/* The end of e that is absorbed if it joins two sets, by the larger or, of equals, that of lo; else
 * UINT32_MAX. */
static uint32_t join(stream *s, edge e) {
    uint32_t a = union_find(s->set, (uint32_t)e.key), b = union_find(s->set, e.hi);
    if (a == b) return UINT32_MAX;
    uint32_t large = s->size[a] < s->size[b] ? b : a, small = large == a ? b : a;
    s->set[small] = s->into[small] = large;
    s->size[large] += s->size[small];
    return small;
}

/* Finds the way of each point: that of the set that absorbed its own set, unless the root is in that. */
static void find_ways(stream *s) {
    uint32_t root = union_find(s->set, 0);
    s->way[root] = shortest;
    for (uint32_t k = s->known - 1; k-- > 0;) {
        uint32_t v = s->joined[k];
        s->way[v] = s->into[v] == root ? s->tree[k] : s->way[s->into[v]];
    }
    for (uint32_t v = 0; v < s->known; v++) s->reach[v] = length_of(s->way[v]);
}

/* Makes the tree of all points that are known, from the last one and the edges that wait. */
static void grow_tree(stream *s) {
    const edge *had = s->tree, *had_end = had + (s->treed ? s->treed - 1 : 0);
    const edge *more = s->waiting.items, *more_end = more + s->waiting.count;
    qsort(s->waiting.items, s->waiting.count, sizeof *s->waiting.items, by_length);
    for (uint32_t v = 0; v < s->known; v++) s->set[v] = v, s->size[v] = 1;
    for (uint32_t count = 0; count + 1 < s->known;) {
        bool first = more == more_end || (had < had_end && less(*had, *more));
        edge e = first ? *had++ : *more++;
        s->joined[count] = join(s, e);
        if (s->joined[count] != UINT32_MAX) s->next[count++] = e;
    }
    edge *swap = s->tree;
    s->tree = s->next;
    s->next = swap;
    s->treed = s->known;
    s->waiting.count = 0;
    find_ways(s);
}

/* ---- all --------------------------------------------------------------------------------------- */

/* Edges within the batch, and those that were found. */
static glshape_status enter(error *err, stream *s) {
    const edge *way = s->way + s->known;
    for (uint32_t i = 1; i < s->batch; i++)
        for (uint32_t j = 0; j < i; j++) {
            edge e = edge_of(s->beside[i][j], s->known + j, s->known + i);
            if (!less(longer(way[i], way[j]), e)) TRY(append(err, &s->waiting, e));
        }
    for (uint32_t b = 0; s->known && b * ROWS < s->batch; b++)
        for (size_t k = 0; k < s->found[b].count; k++) TRY(append(err, &s->waiting, s->found[b].items[k]));
    s->known += s->batch;
    if (!s->treed || s->waiting.count >= s->known || s->known == s->n) grow_tree(s);
    return GLSHAPE_OK;
}

static glshape_status begin(error *err, stream *s) {
    static const char what[] = "the tree";
    TRY(allocate(err, &s->way, s->n, sizeof *s->way, what));
    TRY(allocate(err, &s->reach, s->n, sizeof *s->reach, what));
    TRY(allocate(err, &s->beside, BATCH, sizeof *s->beside, "rows of distances"));
    TRY(allocate(err, &s->tree, s->n, sizeof *s->tree, what));
    TRY(allocate(err, &s->next, s->n, sizeof *s->next, what));
    TRY(allocate(err, &s->set, s->n, sizeof *s->set, what));
    TRY(allocate(err, &s->size, s->n, sizeof *s->size, what));
    TRY(allocate(err, &s->into, s->n, sizeof *s->into, what));
    return allocate(err, &s->joined, s->n, sizeof *s->joined, what);
}

static void end(stream *s) {
    void *const all[] = {s->way, s->reach, s->beside, s->tree,   s->next,
                         s->set, s->size,  s->into,   s->joined, s->waiting.items};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    for (size_t b = 0; b < sizeof s->found / sizeof *s->found; b++) free(s->found[b].items);
}

glshape_status linkage_stream(gpu *g, const dist_reader *reader, linkage_tree *tree) {
    OWNED_BY(end) stream s = {.reader = reader, .n = reader->n};
    TRY(begin(gpu_error(g), &s));
    while (s.known < s.n) {
        s.batch = s.n - s.known < BATCH ? s.n - s.known : BATCH;
        threads_job work = {.work = take_rows,
                            .user = &s,
                            .blocks = (s.batch + ROWS - 1) / ROWS,
                            .scratch_bytes = (ROWS + 1) * (size_t)s.n * sizeof(float),
                            .name = "rows of distances"};
        TRY(threads_do(gpu_error(g), &work));
        TRY(enter(gpu_error(g), &s));
        TRY(gpu_tick(g, (double)s.known / s.n));
    }
    for (tree->count = 0; tree->count + 1 < s.n; tree->count++) {
        edge e = s.tree[tree->count];
        tree->i[tree->count] = (uint32_t)e.key;
        tree->j[tree->count] = e.hi;
        tree->height[tree->count] = length_of(e);
    }
    return GLSHAPE_OK;
}
