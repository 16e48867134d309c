#include "mds/feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "dist/source.h"

#define PAIRS 65536u /* that are asked for at a time, at least, but for the last ones */

void mds_fed_free(mds_fed *fed) {
    free(fed->distance);
    *fed = (mds_fed){0};
}

static bool read_rows(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    const mds_fed *fed = user;
    (void)message, (void)size;
    memcpy(out, fed->distance + first * fed->n, count * fed->n * sizeof *out);
    return true;
}

/* Pairs that are to be asked for, and the answers. */
typedef struct asking {
    const glshape_source *source;
    size_t count;
    uint32_t *i, *j;
    float *out;
} asking;

static void asking_free(asking *a) {
    free(a->i);
    free(a->j);
    free(a->out);
}

static glshape_status ask(run *r, asking *a, mds_fed *fed) {
    TRY(dist_ask_feeder(run_error(r), a->source, a->count, a->i, a->j, a->out));
    for (size_t k = 0; k < a->count; k++)
        fed->distance[a->i[k] * fed->n + a->j[k]] = fed->distance[a->j[k] * fed->n + a->i[k]] = a->out[k];
    a->count = 0;
    return run_tick(r, 0);
}

glshape_status mds_feed_all(run *r, const glshape_source *source, mds_fed *fed, glshape_source *out) {
    OWNED_BY(asking_free) asking a = {.source = source};
    uint32_t n = (uint32_t)source->n;
    size_t room = PAIRS + n;
    *fed = (mds_fed){.n = n};
    TRY(allocate(run_error(r), &fed->distance, (size_t)n * n, sizeof *fed->distance, "the distances"));
    TRY(allocate(run_error(r), &a.i, room, sizeof *a.i, "pairs"));
    TRY(allocate(run_error(r), &a.j, room, sizeof *a.j, "pairs"));
    TRY(allocate(run_error(r), &a.out, room, sizeof *a.out, "distances of pairs"));
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = i + 1; j < n; j++) a.i[a.count] = i, a.j[a.count++] = j;
        if (a.count >= PAIRS || i + 1 == n) TRY(ask(r, &a, fed));
    }
    run_fact(r, (double)n * (n - 1) / 2, "pairs fed");
    *out = *source;
    out->feeder = NULL;
    out->reader = read_rows;
    out->user = fed;
    return GLSHAPE_OK;
}
