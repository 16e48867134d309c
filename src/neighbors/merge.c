/* Merges the candidates that were found for the same points among several parts of all points. */
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "neighbors/search.h"

#define CHUNK 1024u

typedef struct merger {
    uint32_t keep, count;     /* candidates of a point; points */
    uint32_t lists, room;     /* of a point; points that a list has room for */
    const knn_candidate *all; /* lists × room × keep; each is in order */
    knn_candidate *out;       /* count × keep */
} merger;

static bool less(knn_candidate a, knn_candidate b) {
    return a.bits < b.bits || (a.bits == b.bits && a.index < b.index);
}

/* Merges the lists of point v. A point that one of them has given up has none. list: what is left of each. */
static void merge_point(const merger *m, uint32_t v, const knn_candidate **list) {
    size_t at = (size_t)v * m->keep;
    knn_candidate *out = m->out + at;
    for (uint32_t l = 0; l < m->lists; l++) {
        list[l] = m->all + (size_t)l * m->room * m->keep + at;
        if (!knn_is_given_up(list[l])) continue;
        for (uint32_t e = 0; e < m->keep; e++) out[e] = *list[l];
        return;
    }
    for (uint32_t e = 0; e < m->keep; e++) { /* no list has ended: e have been taken of all */
        uint32_t least = 0;
        for (uint32_t l = 1; l < m->lists; l++)
            if (less(*list[l], *list[least])) least = l;
        out[e] = *list[least]++;
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
                        .scratch_bytes = lists * sizeof(knn_candidate *),
                        .name = "lists of a point"};
    return threads_do(err, &work);
}
