/* Critical edges and dimension 0 of a field that does not fit on the device: a slab of planes at a time. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "cubical/listing.h"
#include "mergetree/slabs.h"
#include "prim/sort.h"

typedef struct finder {
    slabs slabs;
    listing_join *joins; /* of all slabs; those of slab k from join_start[k] on, with its labels */
    size_t *join_start, join_room;
    cubical_edges *out;
    size_t left_room;
} finder;

static void finder_free(finder *f) {
    slabs_free(&f->slabs);
    free(f->joins);
    free(f->join_start);
}

/* Whether a label is of a minimum, or of a vertex beside the slab. */
static bool is_label(const finder *f, const basins *b, uint32_t raw) {
    return raw & BASINS_OUTSIDE ? (raw ^ BASINS_OUTSIDE) < 2 * f->slabs.plane : raw < b->minima;
}

/* Edges between basins as a slab has listed them. */
typedef struct naming {
    const finder *f;
    const listing *of;
    listing_join *joins;
    size_t owners;        /* of the slabs before */
    _Atomic size_t wrong; /* of what makes no sense, one + 1 */
} naming;

static void name_joins(void *user, size_t first, size_t end) {
    naming *n = user;
    for (size_t k = first; k < end; k++) {
        listing_join *j = &n->joins[k];
        if (j->left >= n->of->left_count || j->direction >= 6 || !is_label(n->f, n->of->b, j->basin[0]) ||
            !is_label(n->f, n->of->b, j->basin[1])) {
            atomic_store(&n->wrong, k + 1);
            return;
        }
        j->left += (uint32_t)n->owners;
        for (int side = 0; side < 2; side++) j->basin[side] = slabs_label(&n->f->slabs, j->basin[side]);
    }
}

/* left_count of the listing are the last ones in the list of all slabs. */
static glshape_status take_joins(finder *f, uint32_t slab, listing *l) {
    error *err = run_error(run_of(l->g));
    size_t first = f->join_start[slab], end = first + l->join_count;
    f->join_start[slab + 1] = end;
    if (!l->join_count) return GLSHAPE_OK;
    TRY(memory_reserve(err, &f->joins, &f->join_room, end, sizeof *f->joins, "the edges between basins"));
    naming n = {f, l, f->joins + first, f->out->count - l->left_count, 0};
    TRY(gpu_download(l->g, &l->joins, 0, l->join_count, n.joins));
    threads_ranges(l->join_count, name_joins, &n);
    size_t wrong = atomic_load(&n.wrong);
    if (!wrong) return GLSHAPE_OK;
    const listing_join *j = &n.joins[wrong - 1];
    return fail(err, GLSHAPE_GPU_ERROR, "edge %u of owner %u between basins %u and %u of %u", j->direction,
                j->left, j->basin[0], j->basin[1], l->b->minima);
}

static glshape_status take_slab(slabs *s, uint32_t slab, basins *b, void *user) {
    finder *f = user;
    OWNED_BY(listing_free) listing l = {.g = s->g, .b = b};
    gpu_texture_free(&b->candidates);
    TRY(slabs_take_sides(s, slab, b));
    TRY(listing_left(&l));
    TRY(listing_joins(&l, false));
    TRY(listing_take_left(&l, f->out, &f->left_room));
    return take_joins(f, slab, &l);
}

/* Labels become numbers of minima; to follow one shortens paths from slab to slab. */
static void resolve_joins(finder *f) {
    for (uint32_t slab = 0; slab < f->slabs.count; slab++)
        for (size_t k = f->join_start[slab]; k < f->join_start[slab + 1]; k++)
            for (int side = 0; side < 2; side++)
                f->joins[k].basin[side] = slabs_resolve(&f->slabs, slab, f->joins[k].basin[side]);
}

glshape_status cubical_edges_of_slabs(gpu *g, const order *o, const grid *d, uint32_t planes,
                                      cubical_edges *out) {
    OWNED_BY(cubical_edges_free) cubical_edges e = {0};
    OWNED_BY(finder_free) finder f = {.out = &e};
    TRY(slabs_new(g, &ranks_alone, o, d, planes, &f.slabs));
    TRY(allocate(run_error(run_of(g)), &f.join_start, f.slabs.count + (size_t)1, sizeof *f.join_start,
                 "the slabs"));
    TRY(slabs_each(&f.slabs, take_slab, &f, 0));
    e.slabs = f.slabs.count;
    e.minima = f.slabs.base[f.slabs.count];
    e.birth = MOVE(f.slabs.minimum);
    resolve_joins(&f);
    TRY(listing_apply_elder_rule(g, o, f.joins, f.join_start[f.slabs.count], &e));
    TRY(prim_sort(g, true, e.left, e.count, 64));
    *out = MOVE(e);
    return GLSHAPE_OK;
}
