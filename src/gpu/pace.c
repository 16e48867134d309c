/* How long the jobs of passes took, kept for later runs beside the programs. The first band of a job like one
 * that was measured is longer than a few groups, because these take as long as their longest walk does
 * (execute.c). It is measured all the same, as values may differ; if it is the whole job, by a timer of the
 * device, so that nobody waits for it.
 *
 * Jobs are alike if they run the same program, and their counts, textures and numbers have the same powers of
 * two. One entry for each driver has them all, as numbers; the last of them are kept. Processes that write at
 * the same time may lose one another's; what is lost is measured again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/owned.h"
#include "gpu/cache.h"
#include "gpu/internal.h"

#define MOST 1000
/* What a first band may take, if values are like those before. Watchdogs bite at 12 times that. */
#define FIRST_SECONDS 0.05
#define MOST_TIMES 16 /* as much as was measured, in a first band */

/* Software renderers share their processors with all else; debug contexts are to try all they can. */
static bool are_kept(const gpu *g) {
    return g->cache && g->keeps_programs && (!g->software || g->patient) && !g->debug;
}

static void name_entry(const gpu *g, char out[DRIVER_WORDS + 16]) {
    char driver[DRIVER_WORDS];
    program_driver(g, driver);
    snprintf(out, DRIVER_WORDS + 16, "paces\n%s", driver);
}

/* Leaves them in g->paces, which has room for MOST. */
static bool read_paces(gpu *g) {
    cache_program kept = {0};
    char key[DRIVER_WORDS + 16];
    if (g->paces) return true;
    if (!(g->paces = malloc(MOST * sizeof *g->paces))) return false;
    name_entry(g, key);
    if (!cache_load(g->cache, key, &kept)) return true;
    size_t count = kept.bytes / sizeof *g->paces;
    if (kept.bytes % sizeof *g->paces == 0 && count <= MOST) {
        memcpy(g->paces, kept.binary, kept.bytes);
        g->pace_count = (int)count;
    }
    free(kept.binary);
    return true;
}

static uint64_t add(uint64_t state, uint64_t number) { return cache_hash(state, &number, sizeof number); }

static uint64_t power(uint64_t number) { return number ? 64 - (uint64_t)__builtin_clzll(number) : 0; }

static uint64_t power_of(char type, gpu_value value) {
    if (type == 'u') return power(value.u);
    return type == 'f' ? value.u >> 23 : (value.i < 0 ? 64 + power(0u - value.u) : power(value.u));
}

static uint64_t shape_of(const program *p, const gpu_job *job) {
    uint64_t shape = add(p->source_hash, power(job->count));
    for (int i = 0; i < p->variant.ports; i++) {
        const gpu_texture *t = job->textures[i];
        if (p->variant.port[i].format == GPU_NONE) continue;
        shape = add(shape, power(t->elements));
        shape = add(shape, power(t->texels));
    }
    for (int i = 0; p->value_type[i]; i++) shape = add(shape, power_of(p->value_type[i], job->values[i]));
    return shape;
}

static pace *find(gpu *g, uint64_t shape) {
    for (int i = g->pace_count; i-- > 0;)
        if (g->paces[i].shape == shape) return &g->paces[i];
    return NULL;
}

uint32_t pace_first(gpu *g, const program *p, const gpu_job *job, pace *like) {
    *like = (pace){.shape = 0};
    if (!are_kept(g) || !read_paces(g)) return 0;
    like->shape = shape_of(p, job);
    const pace *found = find(g, like->shape);
    if (!found || !(found->seconds > 0)) return 0;
    *like = *found;
    double most = fmin(FIRST_SECONDS / (double)found->seconds, MOST_TIMES * (double)found->measured);
    return most < (double)job->count ? (uint32_t)most : job->count;
}

void pace_keep(gpu *g, pace now) {
    if (!are_kept(g) || !read_paces(g) || !now.measured || !(now.seconds > 0)) return;
    pace *at = find(g, now.shape);
    bool same = at && at->seconds < 2 * now.seconds && now.seconds < 2 * at->seconds;
    if (same && now.measured / 2 <= at->measured) return;
    if (!at && g->pace_count == MOST)
        memmove(g->paces, g->paces + 1, (size_t)--g->pace_count * sizeof *g->paces);
    if (!at) at = &g->paces[g->pace_count++];
    *at = now;
    g->paces_grew = true;
}

void pace_forget(gpu *g, uint64_t shape) {
    pace *at = are_kept(g) && read_paces(g) ? find(g, shape) : NULL;
    if (!at) return;
    at->seconds = 0;
    g->paces_grew = true;
}

#define DOUBTED 1 /* a shape that stands for the driver's timers */

void timers_doubt(gpu *g) {
    g->no_timers = true;
    pace_keep(g, (pace){.shape = DOUBTED, .seconds = 1, .measured = 1});
}

bool timers_are_doubted(gpu *g) { return are_kept(g) && read_paces(g) && find(g, DOUBTED); }

void paces_free(gpu *g) {
    char key[DRIVER_WORDS + 16];
    const cache_program all = {.binary = g->paces, .bytes = (size_t)g->pace_count * sizeof *g->paces};
    if (g->paces_grew || g->reset) name_entry(g, key);
    if (g->reset && g->cache) cache_remove(g->cache, key); /* one of them may be why */
    else if (g->paces_grew) cache_store(g->cache, key, &all);
    free(MOVE(g->paces));
    g->pace_count = 0;
    g->paces_grew = false;
}
