#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "dist/paths.h"
#include "dist/paths_internal.h"

/* A call of dist_paths_pairs. A pair that the cache does not answer is pending; its distance is read from
 * the row of one of its two nodes, its source; pairs with one source are a group. */
typedef struct batch {
    dist_paths *p;
    const uint32_t *i, *j;
    float *out;
    size_t *pending;  /* pairs, in order; then grouped */
    uint32_t *source; /* of each pending pair, in order; then of each group */
    size_t count;     /* of pending pairs */
    size_t groups;
    size_t *start; /* groups + 1, into pending */
    float **row;   /* of each group: in the cache; NULL: in the thread's scratch */
} batch;

static uint32_t other_end(const batch *b, size_t pair, uint32_t source) {
    return b->i[pair] == source ? b->j[pair] : b->i[pair];
}

/* Returns true if the row of node may answer for the pair. Where sums are inexact only the row of the lower
 * node may: else the answer would depend on which row is in the cache. */
static bool may_be_source(const batch *b, uint32_t node, uint32_t partner) {
    return b->p->exact || node < partner;
}

static const float *cached_row(batch *b, uint32_t node, uint32_t partner) {
    return may_be_source(b, node, partner) ? row_cache_find(&b->p->cache, node) : NULL;
}

/* Answers what needs no search; the rest becomes pending and is counted at both nodes. */
static void answer_from_cache(batch *b, size_t count) {
    for (size_t k = 0; k < count; k++) {
        uint32_t i = b->i[k], j = b->j[k];
        const float *of_i = i == j ? NULL : cached_row(b, i, j),
                    *of_j = i == j || of_i ? NULL : cached_row(b, j, i);
        if (i == j) b->out[k] = 0;
        else if (of_i) b->out[k] = of_i[j];
        else if (of_j) b->out[k] = of_j[i];
        else b->pending[b->count++] = k;
        b->p->counts.hits += of_i || of_j;
    }
}

/* Returns the node of a pair whose row answers it: the one that more pending pairs ask for; of equals the
 * lower one. */
static uint32_t choose_source(const batch *b, uint32_t i, uint32_t j) {
    const uint32_t *asked = b->p->wanted;
    uint32_t low = i < j ? i : j, high = i < j ? j : i;
    return asked[high] > asked[low] && may_be_source(b, high, low) ? high : low;
}

static void count_up(uint32_t *n) { *n += *n < UINT32_MAX; }

static void choose_sources(batch *b) {
    uint32_t *wanted = b->p->wanted;
    for (size_t k = 0; k < b->count; k++) {
        count_up(&wanted[b->i[b->pending[k]]]);
        count_up(&wanted[b->j[b->pending[k]]]);
    }
    for (size_t k = 0; k < b->count; k++)
        b->source[k] = choose_source(b, b->i[b->pending[k]], b->j[b->pending[k]]);
    for (size_t k = 0; k < b->count; k++) wanted[b->i[b->pending[k]]] = wanted[b->j[b->pending[k]]] = 0;
}

static size_t group_of(const batch *b, size_t k) { return b->p->wanted[b->source[k]] - (size_t)1; }

/* Fills grouped with the pending pairs, those of a group together, and sources with the source of each group.
 */
static void fill_groups(batch *b, size_t *grouped, uint32_t *sources) {
    for (size_t k = 0; k < b->count; k++) b->start[group_of(b, k) + 1]++;
    for (size_t g = 0; g < b->groups; g++) b->start[g + 1] += b->start[g];
    for (size_t k = b->count; k-- > 0;) {
        size_t g = group_of(b, k);
        grouped[--b->start[g + 1]] = b->pending[k];
        sources[g] = b->source[k];
    }
    for (size_t g = 0; g < b->groups; g++) b->start[g] = b->start[g + 1], b->p->wanted[sources[g]] = 0;
    b->start[b->groups] = b->count;
}

static glshape_status allocate_groups(error *err, batch *b, size_t **grouped, uint32_t **sources) {
    TRY(allocate(err, &b->start, b->groups + 1, sizeof *b->start, "a batch of pairs"));
    TRY(allocate(err, &b->row, b->groups, sizeof *b->row, "a batch of pairs"));
    TRY(allocate(err, grouped, b->count, sizeof **grouped, "a batch of pairs"));
    return allocate(err, sources, b->groups, sizeof **sources, "a batch of pairs");
}

static glshape_status group_by_source(error *err, batch *b) {
    OWNED size_t *grouped = NULL;
    OWNED uint32_t *sources = NULL;
    uint32_t *wanted =
        b->p->wanted; /* of a source: the number of its group + 1, in the order of first pairs */
    choose_sources(b);
    for (size_t k = 0; k < b->count; k++)
        if (!wanted[b->source[k]]) wanted[b->source[k]] = (uint32_t)++b->groups;
    glshape_status status = allocate_groups(err, b, &grouped, &sources);
    for (size_t k = 0; status && k < b->count; k++) wanted[b->source[k]] = 0;
    TRY(status);
    fill_groups(b, grouped, sources);
    free(b->pending);
    free(b->source);
    b->pending = MOVE(grouped);
    b->source = MOVE(sources);
    return GLSHAPE_OK;
}

static void search_group(void *user, size_t g, paths_scratch *scratch) {
    const batch *b = user;
    float *row = b->row[g] ? b->row[g] : scratch->row;
    paths_search(&b->p->graph, scratch, &b->source[g], 1, row);
    for (size_t k = b->start[g]; k < b->start[g + 1]; k++)
        b->out[b->pending[k]] = row[other_end(b, b->pending[k], b->source[g])];
}

static glshape_status answer_batch(error *err, batch *b, size_t count) {
    TRY(allocate(err, &b->pending, count, sizeof *b->pending, "a batch of pairs"));
    row_cache_begin(&b->p->cache);
    answer_from_cache(b, count);
    b->p->counts.pairs += count;
    if (!b->count) return GLSHAPE_OK;
    TRY(allocate(err, &b->source, b->count, sizeof *b->source, "a batch of pairs"));
    TRY(group_by_source(err, b));
    /* The cache is asked for room here, in order, and not by the threads: what it holds does not depend on
     * them. */
    for (size_t g = 0; g < b->groups; g++) b->row[g] = row_cache_claim(&b->p->cache, b->source[g]);
    paths_run(b->p->scratch, b->p->threads, b->groups, search_group, b);
    b->p->counts.rows += b->groups;
    return GLSHAPE_OK;
}

static void batch_free(batch *b) {
    free(b->pending);
    free(b->source);
    free(b->start);
    free(b->row);
}

glshape_status dist_paths_pairs(error *err, dist_paths *p, size_t count, const uint32_t *i, const uint32_t *j,
                                float *out) {
    OWNED_BY(batch_free) batch b = {.p = p, .i = i, .j = j, .out = out};
    TRY(paths_check_nodes(err, p, i, count));
    TRY(paths_check_nodes(err, p, j, count));
    pthread_mutex_lock(&p->busy);
    glshape_status status = answer_batch(err, &b, count);
    pthread_mutex_unlock(&p->busy);
    return status;
}
