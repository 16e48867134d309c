/* Merges the candidates that several ranks have found for the same points, or among several parts of the
 * points. */
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "knn/knn.h"

#define CHUNK 1024u

typedef struct merger {
    uint32_t keep, count;     /* candidates of a point; points */
    uint32_t lists, room;     /* of a point; points that a list has room for */
    const knn_candidate *all; /* lists × room × keep; each list is in order */
    knn_candidate *out;       /* count × keep */
} merger;

static bool less(knn_candidate a, knn_candidate b) {
    return a.bits < b.bits || (a.bits == b.bits && a.index < b.index);
}

/* A point that one rank has given up has no candidates. */
static bool give_up(const merger *m, uint32_t v) {
    for (uint32_t l = 0; l < m->lists; l++) {
        const knn_candidate *first = &m->all[((size_t)l * m->room + v) * m->keep];
        if (!knn_is_given_up(first)) continue;
        for (uint32_t e = 0; e < m->keep; e++) m->out[(size_t)v * m->keep + e] = *first;
        return true;
    }
    return false;
}

static void merge_point(const merger *m, uint32_t v, uint32_t *taken) {
    size_t list = (size_t)m->room * m->keep;
    if (give_up(m, v)) return;
    for (uint32_t l = 0; l < m->lists; l++) taken[l] = 0;
    for (uint32_t e = 0; e < m->keep; e++) {
        uint32_t least = 0;
        knn_candidate best = {KNN_NOTHING, KNN_NOTHING};
        for (uint32_t l = 0; l < m->lists; l++) {
            if (taken[l] == m->keep) continue;
            knn_candidate c = m->all[(size_t)l * list + (size_t)v * m->keep + taken[l]];
            if (less(c, best)) best = c, least = l;
        }
        taken[least] += taken[least] < m->keep;
        m->out[(size_t)v * m->keep + e] = best;
    }
}

static glshape_status merge_chunk(error *err, void *user, uint64_t chunk, void *scratch) {
    const merger *m = user;
    (void)err;
    for (uint32_t v = (uint32_t)chunk * CHUNK; v < m->count && v / CHUNK == chunk; v++)
        merge_point(m, v, scratch);
    return GLSHAPE_OK;
}

glshape_status knn_merge_lists(error *err, const knn_candidate *all, uint32_t lists, uint32_t room,
                               uint32_t keep, uint32_t count, knn_candidate *out) {
    merger m = {keep, count, lists, room, all, out};
    threads_job work = {.work = merge_chunk,
                        .user = &m,
                        .blocks = (count + CHUNK - 1) / CHUNK,
                        .scratch_bytes = lists * sizeof(uint32_t),
                        .name = "lists of a point"};
    return threads_do(err, &work);
}

glshape_status knn_merge(gpu *g, const knn_search *s, uint32_t n, knn_candidate *candidates) {
    const ranks *r = gpu_ranks(g);
    error *err = gpu_error(g);
    OWNED knn_candidate *all = NULL;
    uint64_t own, end;
    size_t size = s->keep * sizeof *all;
    ranks_share(r, n, KNN_TILE, &own, &end);
    uint32_t count = (uint32_t)(end - own);
    TRY(allocate(err, &all, times((size_t)r->size, count), size, "candidates of all ranks"));
    TRY(ranks_scatter(r, err, candidates, all, size, n, KNN_TILE));
    return knn_merge_lists(err, all, (uint32_t)r->size, count, s->keep, count, candidates);
}
