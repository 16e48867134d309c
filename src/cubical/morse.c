#include "cubical/morse.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "cubical/flow.h"

/* Where flows are short, as in noise, lists of critical squares alone make the shortest columns. Where they
 * go far they mostly meet and cancel before much of them is needed. The first flows of a block tell: in noise
 * they go through 12 edges each, in scans through 20 to 1,000. Both ways take as long at about 20. */
#define FAR 48 /* edges */
#define SAMPLE 32
#define SAMPLE_EDGES (18 * SAMPLE)
/* What columns flow later, in the reduction, a few long ones flow while the other threads have nothing to do.
 * All threads share what flows beforehand. So where the columns of a thread are few, all flows end; but not
 * of a few columns at all, whose squares are soon there. */
#define FEW_OF_A_THREAD 1024
#define FEWEST 4096

#define BLOCK 256 /* edges whose lists a thread makes at a time, at most */
#define SHARES 8  /* of each thread, where edges are few */

typedef struct filling {
    morse *out;
    const cubical_reduced *of;
    bool all_end;
    flow *flows; /* of each thread */
    bool (*go_on)(void *user, double fraction);
    void *user;
    atomic_int status;
} filling;

static uint64_t blocks_of(const morse *m) { return (m->count + m->block - 1) / m->block; }

static bool stop(filling *f, glshape_status why) {
    int fine = 0;
    atomic_compare_exchange_strong(&f->status, &fine, (int)why);
    return false;
}

static bool keep_block(filling *f, size_t block, const flow *room) {
    sparse_term **kept = &f->out->terms[block];
    if (memory_resize(NULL, kept, room->term_count, sizeof **kept, NULL)) return stop(f, GLSHAPE_NO_MEMORY);
    if (room->term_count) memcpy(*kept, room->terms, room->term_count * sizeof **kept);
    return true;
}

/* Appends the column that passes have made. */
static bool take_column(filling *f, flow *room, size_t e) {
    size_t count = reduced_squares(f->of, e);
    sparse_term *to = count ? flow_append(room, count) : NULL;
    if (!count) return stop(f, GLSHAPE_GPU_ERROR);
    if (!to) return stop(f, GLSHAPE_NO_MEMORY);
    return reduced_list(f->of, f->out->cubes, e, to) || stop(f, GLSHAPE_GPU_ERROR);
}

static bool fill_edge(filling *f, flow *room, size_t k, uint64_t far) {
    const morse *m = f->out;
    const radix_item *edge = &m->edges[k];
    bool made = f->of && !reduced_is_lost(f->of, edge->a);
    if (made) return take_column(f, room, edge->a);
    return flow_edge(m->cubes, room, (uint32_t)edge->at, (int)edge->b, far) || stop(f, GLSHAPE_NO_MEMORY);
}

static bool fill_block(void *user, uint64_t block, int thread) {
    filling *f = user;
    flow *room = &f->flows[thread];
    morse *m = f->out;
    size_t first = block * m->block, end = first + m->block < m->count ? first + m->block : m->count;
    uint64_t before = room->steps, far = f->all_end ? UINT64_MAX : FAR;
    bool made = true;
    room->term_count = 0;
    for (size_t k = first; k < end && made; k++) {
        if (!f->all_end && k == first + SAMPLE && room->steps - before > SAMPLE_EDGES) far = 0;
        made = fill_edge(f, room, k, far);
        m->end[k] = (uint32_t)room->term_count;
    }
    made = made && keep_block(f, block, room);
    if (made && !thread && f->go_on && !f->go_on(f->user, (double)first / (double)m->count))
        stop(f, GLSHAPE_CANCELLED);
    return !atomic_load(&f->status);
}

static size_t begin_of(const morse *m, size_t edge) { return edge % m->block ? m->end[edge - 1] : 0; }

static glshape_status begin(error *err, morse *m) {
    TRY(allocate(err, &m->terms, blocks_of(m), sizeof *m->terms, "the critical squares"));
    return allocate(err, &m->end, m->count, sizeof *m->end, "the critical squares");
}

static void count_squares(morse *m) {
    for (size_t k = 0; k < m->count; k++) m->squares += m->end[k] - begin_of(m, k);
}

static glshape_status outcome(error *err, int status) {
    if (status == GLSHAPE_CANCELLED) return fail(err, GLSHAPE_CANCELLED, "cancelled");
    if (status == GLSHAPE_GPU_ERROR)
        return fail(err, GLSHAPE_GPU_ERROR, "a pass lets edges flow to squares that are not there");
    return status ? fail(err, GLSHAPE_NO_MEMORY, "not enough memory for the critical squares of the field")
                  : GLSHAPE_OK;
}

glshape_status morse_fill(error *err, morse *out, const cubical_reduced *of, int threads,
                          bool (*go_on)(void *user, double fraction), void *user) {
    OWNED flow *flows = NULL;
    size_t most_threads = (size_t)threads_count(threads);
    bool all_end = !of && out->count >= FEWEST && out->count <= FEW_OF_A_THREAD * most_threads;
    filling f = {out, of, all_end, NULL, go_on, user, 0};
    size_t share = out->count / (SHARES * most_threads) + 1;
    out->block = share < BLOCK ? share : BLOCK;
    TRY(begin(err, out));
    TRY(allocate(err, &flows, most_threads, sizeof *flows, "the critical squares"));
    f.flows = flows;
    threads_share(threads, blocks_of(out), fill_block, &f);
    for (size_t k = 0; k < most_threads; k++) {
        out->steps += flows[k].steps;
        flow_free(&flows[k]);
    }
    TRY(outcome(err, atomic_load(&f.status)));
    count_squares(out);
    return GLSHAPE_OK;
}

void morse_free(morse *m) {
    for (uint64_t b = 0; m->terms && b < blocks_of(m); b++) free(m->terms[b]);
    free(m->terms);
    free(m->end);
    *m = (morse){0};
}

size_t morse_bytes(const morse *m) {
    return m->squares * sizeof **m->terms + m->count * sizeof *m->end + blocks_of(m) * sizeof *m->terms;
}

const sparse_term *morse_terms(const morse *m, size_t edge, size_t *count) {
    size_t begin = begin_of(m, edge);
    *count = m->end[edge] - begin;
    return m->terms[edge / m->block] + begin;
}
