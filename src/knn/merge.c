/* Merges the candidates that several ranks have found for the same points, or among several parts of the
 * points. */
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "knn/knn.h"

#define CHUNK 1024u

typedef struct merger {
    uint32_t keep, count;       /* candidates of a point; points */
    uint32_t lists, room;       /* of a point; points that a list of `all` has room for */
    const knn_candidate *first; /* the first list, of count points … */
    const knn_candidate *all;   /* … and the others: (lists - 1) × room × keep; each is in order */
    knn_candidate *out;         /* count × keep; may be `first` */
} merger;

/* What a thread works on. */
typedef struct bench {
    const knn_candidate **list; /* what is left of each list of a point */
    knn_candidate *merged;
} bench;

static bool less(knn_candidate a, knn_candidate b) {
    return a.bits < b.bits || (a.bits == b.bits && a.index < b.index);
}

/* Fills b->merged with the least of all lists of point v. A point that one rank has given up has none. */
static void merge_point(const merger *m, uint32_t v, bench *b) {
    size_t at = (size_t)v * m->keep;
    for (uint32_t l = 0; l < m->lists; l++) {
        b->list[l] = l ? m->all + (size_t)(l - 1) * m->room * m->keep + at : m->first + at;
        if (!knn_is_given_up(b->list[l])) continue;
        for (uint32_t e = 0; e < m->keep; e++) b->merged[e] = *b->list[l];
        return;
    }
    for (uint32_t e = 0; e < m->keep; e++) { /* no list has ended: e have been taken of all */
        uint32_t least = 0;
        for (uint32_t l = 1; l < m->lists; l++)
            if (less(*b->list[l], *b->list[least])) least = l;
        b->merged[e] = *b->list[least]++;
    }
}

static glshape_status merge_chunk(error *err, void *user, uint64_t chunk, void *scratch) {
    const merger *m = user;
    bench b = {scratch, (knn_candidate *)((const knn_candidate **)scratch + m->lists)};
    (void)err;
    for (uint32_t v = (uint32_t)chunk * CHUNK; v < m->count && v / CHUNK == chunk; v++) {
        merge_point(m, v, &b);
        memcpy(m->out + (size_t)v * m->keep, b.merged, m->keep * sizeof *m->out);
    }
    return GLSHAPE_OK;
}

static glshape_status merge(error *err, const merger *m) {
    threads_job work = {.work = merge_chunk,
                        .user = (void *)m,
                        .blocks = (m->count + CHUNK - 1) / CHUNK,
                        .scratch_bytes = m->lists * sizeof(knn_candidate *) + m->keep * sizeof(knn_candidate),
                        .name = "lists of a point"};
    return threads_do(err, &work);
}

glshape_status knn_merge_lists(error *err, const knn_candidate *all, uint32_t lists, uint32_t room,
                               uint32_t keep, uint32_t count, knn_candidate *out) {
    return merge(err, &(merger){keep, count, lists, room, all, all + (size_t)room * keep, out});
}

glshape_status knn_merge(gpu *g, const knn_search *s, uint32_t n, knn_candidate *candidates) {
    const ranks *r = gpu_ranks(g);
    error *err = gpu_error(g);
    OWNED knn_candidate *others = NULL;
    uint64_t own, end;
    size_t size = s->keep * sizeof *others;
    uint32_t lists = (uint32_t)r->size;
    ranks_share(r, n, KNN_TILE, &own, &end);
    uint32_t count = (uint32_t)(end - own);
    TRY(allocate(err, &others, times(lists - 1, count), size, "candidates of other ranks"));
    TRY(ranks_scatter(r, err, candidates, others, size, n, KNN_TILE));
    knn_candidate *out = candidates + own * s->keep;
    return merge(err, &(merger){s->keep, count, lists, count, out, others, out});
}
