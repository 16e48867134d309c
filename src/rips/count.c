/* Simplices are cliques of the graph of edges up to the threshold. Those whose greatest point is v are the
 * cliques among v's smaller neighbors. Rows of bits say which of these are neighbors of one another; the last
 * vertex of a clique is counted by the bits that are left. */
#include "rips/count.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"

/* ---- simplices --------------------------------------------------------------------------------- */

/* What a thread needs for one point. */
typedef struct below {
    const rips_space *s;
    uint32_t *point; /* the smaller neighbors, ascending */
    size_t count, words;
    uint64_t *bits;  /* count rows of `words`: bit b of row a: a > b are neighbors */
    uint64_t *left;  /* dim rows: candidates at each depth */
    uint64_t *found; /* of each dimension */
    int dim;
} below;

static bool joined(const rips_space *s, uint32_t i, uint32_t j) {
    float d = rips_distance(s, i, j);
    return d <= s->threshold && d < INFINITY;
}

static void list_smaller(below *b, uint32_t v) {
    const rips_graph *g = &b->s->graph;
    b->count = 0;
    if (!g->start)
        for (uint32_t w = 0; w < v; w++) {
            b->point[b->count] = w;
            b->count += joined(b->s, v, w);
        }
    else
        for (size_t k = g->start[v]; k < g->start[v + 1] && g->point[k] < v; k++)
            b->point[b->count++] = g->point[k];
    b->words = (b->count + 63) / 64;
}

/* Marks which of the smaller neighbors before number a are neighbors of it. */
static void mark_row(below *b, size_t a) {
    const rips_graph *g = &b->s->graph;
    uint64_t *row = b->bits + a * b->words;
    memset(row, 0, b->words * sizeof *row);
    if (!g->start) {
        for (size_t k = 0; k < a; k++)
            row[k / 64] |= (uint64_t)joined(b->s, b->point[a], b->point[k]) << (k % 64);
        return;
    }
    size_t at = g->start[b->point[a]], end = g->start[b->point[a] + 1];
    for (size_t k = 0; k < a && at < end; k++) {
        at = rips_skip_up(g->point, at, end, b->point[k]);
        if (at < end && g->point[at] == b->point[k]) row[k / 64] |= UINT64_C(1) << (k % 64);
    }
}

static uint64_t count_bits(const uint64_t *row, size_t words) {
    uint64_t sum = 0;
    for (size_t w = 0; w < words; w++) sum += (uint64_t)__builtin_popcountll(row[w]);
    return sum;
}

/* Counts the cliques that some `vertices` points begin, whose smaller common neighbors are `common`. */
static void count_cliques(below *b, const uint64_t *common, size_t words, int vertices) {
    b->found[vertices] += count_bits(common, words);
    if (vertices == b->dim) return;
    uint64_t *left = b->left + (size_t)vertices * ((b->count + 63) / 64);
    for (size_t w = 0; w < words; w++)
        for (uint64_t rest = common[w]; rest; rest &= rest - 1) {
            size_t a = 64 * w + (size_t)__builtin_ctzll(rest);
            const uint64_t *row = b->bits + a * b->words;
            for (size_t k = 0; k <= w; k++) left[k] = common[k] & row[k];
            count_cliques(b, left, w + 1, vertices + 1);
        }
}

static void fill_bits(uint64_t *row, size_t count) {
    for (size_t k = 0; k < count; k++) row[k / 64] |= UINT64_C(1) << (k % 64);
}

static void below_free(below *b) {
    free(b->point);
    free(b->bits);
    free(b->left);
}

#define POINTS 8u /* of a block: those of the last points take longest */

typedef struct counting {
    const rips_space *s;
    int dim;
    uint64_t (*of)[RIPS_MOST_DIM + 1]; /* of each block */
} counting;

static size_t most_smaller(const rips_space *s, uint32_t v) {
    return s->graph.start ? s->graph.start[v + 1] - s->graph.start[v] : v;
}

/* Adds the simplices whose greatest point is v to found. */
static glshape_status count_point(error *err, const counting *c, uint32_t v, uint64_t *found) {
    OWNED_BY(below_free) below b = {.s = c->s, .found = found, .dim = c->dim};
    TRY(allocate(err, &b.point, most_smaller(c->s, v) + 1, sizeof *b.point, "neighbors"));
    list_smaller(&b, v);
    if (c->dim < 2 || !b.count) {
        found[1] += b.count;
        return GLSHAPE_OK;
    }
    TRY(allocate(err, &b.bits, times(b.count, b.words), sizeof *b.bits, "the neighbors of neighbors"));
    TRY(allocate(err, &b.left, (size_t)(c->dim + 1) * b.words, sizeof *b.left, "common neighbors"));
    for (size_t a = 0; a < b.count; a++) mark_row(&b, a);
    fill_bits(b.left, b.count);
    count_cliques(&b, b.left, b.words, 1);
    return GLSHAPE_OK;
}

static glshape_status count_block(error *err, void *user, uint64_t block, void *scratch) {
    const counting *c = user;
    (void)scratch;
    for (uint32_t v = (uint32_t)block * POINTS; v < c->s->n && v / POINTS == block; v++)
        TRY(count_point(err, c, v, c->of[block]));
    return GLSHAPE_OK;
}

glshape_status rips_count(error *err, const rips_count_job *job, rips_counts *out) {
    OWNED uint64_t(*of)[RIPS_MOST_DIM + 1] = NULL;
    uint32_t blocks = (job->s->n + POINTS - 1) / POINTS;
    *out = (rips_counts){0};
    if (job->s->graph.start && job->dim == 1) { /* each edge is in two lists */
        if (job->s->n) out->of[1] = job->s->graph.start[job->s->n] / 2;
        return GLSHAPE_OK;
    }
    TRY(allocate(err, &of, blocks, sizeof *of, "the numbers of simplices"));
    TRY(threads_do(err, &(threads_job){.work = count_block,
                                       .user = &(counting){job->s, job->dim, of},
                                       .blocks = blocks,
                                       .scratch_bytes = 1,
                                       .threads = job->threads,
                                       .progress = job->go_on,
                                       .progress_user = job->user,
                                       .name = "the numbers of simplices"}));
    for (uint32_t k = 0; k < blocks; k++)
        for (int d = 1; d <= job->dim; d++) out->of[d] += of[k][d];
    return GLSHAPE_OK;
}

/* ---- pairs ------------------------------------------------------------------------------------- */

rips_emergent rips_count_emergent(const cell *columns, const persistence_death *deaths,
                                  const uint64_t *oldest, size_t count) {
    rips_emergent e = {0};
    for (size_t i = 0; i < count; i++) {
        bool emergent = deaths[i].index != PERSISTENCE_ESSENTIAL && deaths[i].index == oldest[i];
        e.emergent += emergent;
        e.shortcut += emergent && deaths[i].value == columns[i].value;
    }
    return e;
}
