#include "dist/pager.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "dist/arrange.h"

#define MEMO_POINTS 8192u /* with at most so many points, the feeder is asked for each pair once */

struct dist_pager {
    dist_pager_options o;
    dist_phase *phases;
    float *store; /* all pages of all phases */
    size_t store_bytes;
    bool **filled; /* of the feeder: [phase][page] is in the store */
    float *memo;   /* of the feeder: lower triangle; -1: not asked yet */
    /* Under lock: err, and what the thread writes here (reading_seconds, pairs_fed). */
    dist_pager_facts facts;
    /* The phase that is being streamed: slot i holds pages i, i + ring.slots, … */
    int phase;
    gpu_ring ring;
    pthread_t thread;
    bool running;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    void *empty[GPU_RING]; /* mapped and waiting to be filled */
    bool full[GPU_RING], stop;
    uint64_t sent;
    error err; /* of the thread */
};

/* ---- feeding ----------------------------------------------------------------------------------- */

static float *memo_at(dist_pager *p, uint32_t i, uint32_t j) {
    return i > j ? &p->memo[(size_t)i * (i - 1) / 2 + j] : &p->memo[(size_t)j * (j - 1) / 2 + i];
}

/* Asks the feeder for count pairs. */
static glshape_status ask_feeder(error *err, dist_pager *p, size_t count, const uint32_t *i,
                                 const uint32_t *j, float *out) {
    const glshape_source source = {.feeder = p->o.feeder, .user = p->o.reader.user};
    if (!count) return GLSHAPE_OK;
    TRY(dist_ask_feeder(err, &source, count, i, j, out));
    for (size_t k = 0; k < count; k++)
        out[k] = isnan(out[k]) ? DIST_NONE : (float)(out[k] / p->o.reader.unit);
    pthread_mutex_lock(&p->lock);
    p->facts.pairs_fed += count;
    pthread_mutex_unlock(&p->lock);
    return GLSHAPE_OK;
}

/* Asks the feeder for the pairs that are not in the memo, for each once, and puts the answers there. */
static glshape_status fill_memo(error *err, dist_pager *p, size_t count, const uint32_t *i,
                                const uint32_t *j) {
    OWNED uint32_t *a = NULL, *b = NULL;
    OWNED float *found = NULL;
    size_t fresh = 0;
    TRY(allocate(err, &a, count, sizeof *a, "pairs"));
    TRY(allocate(err, &b, count, sizeof *b, "pairs"));
    TRY(allocate(err, &found, count, sizeof *found, "distances of pairs"));
    for (size_t k = 0; k < count; k++) {
        if (i[k] == j[k] || *memo_at(p, i[k], j[k]) != -1) continue;
        *memo_at(p, i[k], j[k]) = -2; /* on its way */
        a[fresh] = i[k] < j[k] ? i[k] : j[k];
        b[fresh++] = i[k] < j[k] ? j[k] : i[k];
    }
    TRY(ask_feeder(err, p, fresh, a, b, found));
    for (size_t k = 0; k < fresh; k++) *memo_at(p, a[k], b[k]) = found[k];
    return GLSHAPE_OK;
}

glshape_status dist_pager_feed(error *err, dist_pager *p, size_t count, const uint32_t *i, const uint32_t *j,
                               float *out) {
    if (!p->memo) return ask_feeder(err, p, count, i, j, out);
    TRY(fill_memo(err, p, count, i, j));
    for (size_t k = 0; k < count; k++) out[k] = i[k] == j[k] ? 0 : *memo_at(p, i[k], j[k]);
    return GLSHAPE_OK;
}

static glshape_status feed_page(error *err, dist_pager *p, const dist_phase *phase, uint32_t t, float *to) {
    OWNED uint32_t *i = NULL, *j = NULL;
    size_t each = 4ull * phase->slots, count = (phase->n - phase->first) * each, at = 0;
    TRY(allocate(err, &i, count, sizeof *i, "pairs of a page"));
    TRY(allocate(err, &j, count, sizeof *j, "pairs of a page"));
    for (uint32_t e = phase->first; e < phase->n; e++) {
        uint64_t start = phase->perm[e % phase->m] + t * (uint64_t)each;
        for (size_t k = 0; k < each; k++, at++) {
            i[at] = p->o.order[e];
            j[at] = p->o.order[phase->perm[(start + k) % phase->m]];
        }
    }
    return dist_pager_feed(err, p, count, i, j, to);
}

/* ---- streaming --------------------------------------------------------------------------------- */

static glshape_status fill_page(error *err, dist_pager *p, uint64_t number, void *to) {
    const dist_phase *phase = &p->phases[p->phase];
    uint32_t t = (uint32_t)(number % phase->cycle);
    size_t bytes = arrange_page_bytes(phase);
    float *page = p->store + (arrange_offset(p->phases, p->phase) + t * bytes) / sizeof *page;
    if (p->filled && !p->filled[p->phase][t]) {
        TRY(feed_page(err, p, phase, t, page));
        p->filled[p->phase][t] = true;
    }
    memcpy(to, page, bytes);
    return GLSHAPE_OK;
}

static void *page_thread(void *user) {
    dist_pager *p = user;
    for (uint64_t number = 0;; number++) {
        int slot = (int)(number % (unsigned)p->ring.slots);
        pthread_mutex_lock(&p->lock);
        while (!p->empty[slot] && !p->stop) pthread_cond_wait(&p->changed, &p->lock);
        void *to = p->stop ? NULL : p->empty[slot];
        pthread_mutex_unlock(&p->lock);
        if (!to) return NULL;
        double start = wall_seconds();
        error err = {.status = GLSHAPE_OK};
        glshape_status status = fill_page(&err, p, number, to);
        pthread_mutex_lock(&p->lock);
        p->facts.reading_seconds += wall_seconds() - start;
        if (status) p->err = err;
        p->empty[slot] = NULL;
        p->full[slot] = true;
        pthread_cond_signal(&p->changed);
        pthread_mutex_unlock(&p->lock);
        if (status) return NULL;
    }
}

/* Maps a slot's buffer and hands it over to the thread, which fills it. */
static glshape_status hand_over(gpu *g, dist_pager *p, int slot) {
    void *memory;
    TRY(gpu_ring_map(g, &p->ring, slot, &memory));
    pthread_mutex_lock(&p->lock);
    p->empty[slot] = memory;
    p->full[slot] = false;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return GLSHAPE_OK;
}

void dist_pager_stop(dist_pager *p) {
    if (p->running) {
        pthread_mutex_lock(&p->lock);
        p->stop = true;
        pthread_cond_signal(&p->changed);
        pthread_mutex_unlock(&p->lock);
        pthread_join(p->thread, NULL);
    }
    p->running = false;
    gpu_ring_free(&p->ring);
}

glshape_status dist_pager_start(gpu *g, dist_pager *p, int phase, gpu_texture *page) {
    dist_pager_stop(p);
    const dist_phase *now = &p->phases[phase];
    p->phase = phase;
    p->sent = 0;
    p->stop = false;
    memset(p->empty, 0, sizeof p->empty);
    memset(p->full, 0, sizeof p->full);
    if (page->texels != now->slots || page->elements != now->n) {
        gpu_texture_free(page);
        TRY(gpu_texture_new(g, page, "a page of distances", GPU_RGBA32F, now->n, now->slots));
    }
    TRY(gpu_ring_new(g, &p->ring, p->o.ring ? p->o.ring : GPU_RING, arrange_page_bytes(now)));
    if (pthread_create(&p->thread, NULL, page_thread, p))
        return fail(run_error(run_of(g)), GLSHAPE_NO_MEMORY, "the pager's thread cannot be started");
    p->running = true;
    for (int slot = 0; slot < p->ring.slots; slot++) TRY(hand_over(g, p, slot));
    return GLSHAPE_OK;
}

glshape_status dist_pager_next(gpu *g, dist_pager *p, gpu_texture *page) {
    const dist_phase *now = &p->phases[p->phase];
    int slot = (int)(p->sent % (unsigned)p->ring.slots);
    double start = wall_seconds();
    pthread_mutex_lock(&p->lock);
    while (!p->full[slot]) pthread_cond_wait(&p->changed, &p->lock);
    p->facts.stalled_seconds += wall_seconds() - start;
    error err = p->err;
    pthread_mutex_unlock(&p->lock);
    if (err.status) return fail(run_error(run_of(g)), err.status, "%s", err.text);
    TRY(gpu_ring_send(g, &p->ring, slot, page, now->first, now->n - now->first));
    p->facts.paged_bytes += arrange_page_bytes(now);
    p->sent++;
    return hand_over(g, p, slot);
}

/* ---- beginning and end ------------------------------------------------------------------------- */

static glshape_status make_memory(error *err, dist_pager *p) {
    TRY(allocate(err, &p->filled, (size_t)p->o.phase_count, sizeof *p->filled, "the phases"));
    for (int i = 0; i < p->o.phase_count; i++)
        TRY(allocate(err, &p->filled[i], p->phases[i].cycle, sizeof **p->filled, "the phases"));
    size_t n = p->o.reader.n, pairs = n * (n - 1) / 2;
    if (n > MEMO_POINTS) return GLSHAPE_OK;
    TRY(allocate(err, &p->memo, pairs, sizeof *p->memo, "the memory of the feeder"));
    for (size_t k = 0; k < pairs; k++) p->memo[k] = -1;
    return GLSHAPE_OK;
}

static void free_owned(dist_pager **p) { dist_pager_free(*p); }

glshape_status dist_pager_new(run *r, const dist_pager_options *o, dist_pager **out) {
    OWNED_BY(free_owned) dist_pager *p = NULL;
    error *err = run_error(r);
    TRY(allocate(err, &p, 1, sizeof *p, "the pager"));
    p->o = *o;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    double start = wall_seconds();
    TRY(allocate(err, &p->phases, (size_t)o->phase_count, sizeof *p->phases, "the phases"));
    memcpy(p->phases, o->phases, (size_t)o->phase_count * sizeof *p->phases);
    p->o.phases = p->phases;
    p->store_bytes = arrange_offset(p->phases, o->phase_count);
    TRY(arrange_store(err, p->store_bytes, &p->store));
    if (o->reader.read) TRY(arrange(r, &p->o, p->store));
    else TRY(make_memory(err, p));
    p->facts.scan_seconds = wall_seconds() - start;
    *out = MOVE(p);
    return GLSHAPE_OK;
}

void dist_pager_free(dist_pager *p) {
    if (!p) return;
    dist_pager_stop(p);
    if (p->store) munmap(p->store, p->store_bytes);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->changed);
    for (int i = 0; p->filled && i < p->o.phase_count; i++) free(p->filled[i]);
    free(p->filled);
    free(p->memo);
    free(p->phases);
    free(p);
}

dist_pager_facts dist_pager_get_facts(dist_pager *p) {
    pthread_mutex_lock(&p->lock);
    dist_pager_facts facts = p->facts;
    pthread_mutex_unlock(&p->lock);
    return facts;
}
