/* What ranks do together. Each has elements of its own, the same in all phases: it reads their rows, moves
 * them, and tells all others where they are. So every number comes from one rank, which computes it as if it
 * were alone, and the layout does not depend on how many there are. */
#include "base/memory.h"
#include "base/owned.h"
#include "mds/state.h"

#define LEAST_ELEMENTS 100u /* of a rank: with fewer, they would only wait for one another */

/* A reader of a large matrix is read by all: most of the time goes there. */
static bool may_share(const ranks *r, const glshape_source *source, uint32_t n) {
    return r->size > 1 && source->reader && !source->weights && n / LEAST_ELEMENTS >= (uint32_t)r->size;
}

glshape_status mds_find_ranks(gpu *g, glshape_source *source, uint32_t n, const ranks **out) {
    const ranks *r = run_ranks(run_of(g));
    struct {
        bool paged;
        gpu_stage stage;
    } first = {.paged = false};
    *out = &ranks_alone;
    if (!may_share(r, source, n)) return GLSHAPE_OK;
    if (!r->rank) TRY(gpu_need(g));
    if (!r->rank)
        first.paged = mds_should_page(&(mds_state){.g = g, .n = n}, source), first.stage = gpu_get_stage(g);
    TRY(ranks_broadcast(r, run_error(run_of(g)), &first, sizeof first));
    if (!first.paged) return GLSHAPE_OK;
    TRY(gpu_need(g));
    gpu_set_stage(g, first.stage); /* a measurement may have chosen another one here */
    source->keep = GLSHAPE_KEEP_PAGED;
    *out = r;
    return GLSHAPE_OK;
}

static uint32_t lesser(uint32_t a, uint32_t b) { return a < b ? a : b; }

void mds_own(const mds_state *s, uint32_t n, uint32_t *first, uint32_t *end) {
    *first = lesser(s->own, n);
    *end = lesser(s->own_end, n);
}

bool mds_only_first(const mds_state *s, uint32_t n) {
    return s->ranks->size > 1 && n <= ranks_first(s->ranks, s->n, 1, 1);
}

/* The parts of ranks lie behind one another; in each, those of the textures. */
typedef struct parts {
    gpu_texture *const *t;
    int count;
    size_t size[MDS_SHARED], all; /* bytes of an element in each texture; in all together */
    char *data;
} parts;

/* Copies elements first … end - 1 between the host and the textures. */
static glshape_status move(gpu *g, const parts *p, uint64_t first, uint64_t end, bool to_textures) {
    char *at = p->data + first * p->all;
    uint32_t from = (uint32_t)first, count = (uint32_t)(end - first);
    for (int i = 0; i < p->count && count; at += count * p->size[i++])
        TRY(to_textures ? gpu_upload(g, p->t[i], from, count, at)
                        : gpu_download(g, p->t[i], from, count, at));
    return GLSHAPE_OK;
}

glshape_status mds_share(mds_state *s, uint32_t n, int count, gpu_texture *const *t) {
    const ranks *r = s->ranks;
    error *err = run_error(run_of(s->g));
    OWNED uint64_t *first = NULL;
    parts p = {.t = t, .count = count};
    if (r->size == 1) return GLSHAPE_OK;
    for (int i = 0; i < count; i++) p.all += p.size[i] = t[i]->texels * gpu_texel_bytes(t[i]->format);
    TRY(allocate(err, &first, (size_t)r->size + 1, sizeof *first, "the parts of ranks"));
    for (int q = 0; q <= r->size; q++) first[q] = lesser((uint32_t)ranks_first(r, s->n, 1, q), n);
    TRY(memory_reserve(err, &s->exchange, &s->exchange_room, n * p.all, 1, "what ranks exchange"));
    p.data = s->exchange;
    TRY(move(s->g, &p, first[r->rank], first[r->rank + 1], false));
    TRY(ranks_gather_parts(r, err, p.data, p.all, first));
    for (int q = 0; q < r->size; q++)
        if (q != r->rank) TRY(move(s->g, &p, first[q], first[q + 1], true));
    return GLSHAPE_OK;
}
