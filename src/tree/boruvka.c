/* The second half of a Borůvka round: from the best candidate of each vertex to fewer components. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/radix.h"
#include "base/threads.h"
#include "prim/passes.h"
#include "tree/passes.h"
#include "tree/tree.h"

#define MOST_COMPRESSIONS 7 /* 64^6 > 2^32 steps, and one run that sees that all have arrived */
#define BLOCK (1u << 20)    /* vertices that are read at a time: their edges go through pixel buffers */

uint32_t tree_key(float weight, bool maximum) {
    uint32_t bits;
    memcpy(&bits, &weight, sizeof bits);
    if (bits == 0x80000000u) bits = 0;
    bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return maximum ? ~bits : bits;
}

float tree_weight(uint32_t key, bool maximum) {
    uint32_t bits = maximum ? ~key : key;
    float weight;
    bits = bits & 0x80000000u ? bits & 0x7fffffffu : ~bits;
    memcpy(&weight, &bits, sizeof weight);
    return weight;
}

/* Makes every vertex a component of its own. */
static glshape_status make_singletons(gpu *g, tree_boruvka *b) {
    gpu_texture *const empty[] = {&b->key, &b->to, &b->best_key, &b->best_lo, &b->best_hi};
    for (int i = 0; i < 5; i++)
        TRY(gpu_run(g, prim_fill, .filled = empty[i], .value = TREE_NONE, .elements = b->n));
    return gpu_run(g, prim_fill, .filled = &b->label, .step = 1, .elements = b->n);
}

glshape_status tree_boruvka_new(gpu *g, uint32_t n, tree_boruvka *out) {
    OWNED_BY(tree_boruvka_free) tree_boruvka b = {.n = n, .components = n};
    const struct {
        gpu_texture *t;
        const char *label;
    } parts[] = {{&b.label, "components"},
                 {&b.key, "keys of candidates"},
                 {&b.to, "ends of candidates"},
                 {&b.best_key, "keys of choices"},
                 {&b.best_lo, "smaller ends of choices"},
                 {&b.best_hi, "larger ends of choices"},
                 {&b.parent, "parents of components"}};
    *out = (tree_boruvka){0};
    TRY(gpu_texture_new(g, &b.state, "state of the rounds", GPU_R32UI, 2, 1));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        TRY(gpu_texture_new(g, parts[i].t, parts[i].label, GPU_R32UI, n, 1));
    TRY(make_singletons(g, &b));
    *out = MOVE(b);
    return GLSHAPE_OK;
}

/* Each component chooses its best edge and hooks its root to the component at the other end. */
static glshape_status hook_components(gpu *g, tree_boruvka *b) {
    uint32_t groups = tree_groups(b->n);
    TRY(gpu_run(g, tree_least_key, .key = &b->key, .label = &b->label, .best_key = &b->best_key, .n = b->n,
                .groups = groups));
    TRY(gpu_run(g, tree_least_lo, .key = &b->key, .to = &b->to, .label = &b->label, .best_key = &b->best_key,
                .best_lo = &b->best_lo, .n = b->n, .groups = groups));
    TRY(gpu_run(g, tree_least_hi, .key = &b->key, .to = &b->to, .label = &b->label, .best_key = &b->best_key,
                .best_lo = &b->best_lo, .best_hi = &b->best_hi, .n = b->n, .groups = groups));
    return gpu_run(g, tree_hook, .label = &b->label, .best_key = &b->best_key, .best_lo = &b->best_lo,
                   .best_hi = &b->best_hi, .parent = &b->parent, .state = &b->state, .n = b->n,
                   .groups = groups);
}

glshape_status tree_boruvka_merge(gpu *g, tree_boruvka *b, bool *merged) {
    uint32_t state[2] = {b->components, 0};
    *merged = false;
    if (!b->n) return GLSHAPE_OK;
    TRY(gpu_upload(g, &b->state, 0, 2, state));
    TRY(hook_components(g, b));
    for (int runs = 0; !runs || state[1]; runs++) {
        if (runs == MOST_COMPRESSIONS)
            return fail(run_error(run_of(g)), GLSHAPE_BAD_INPUT,
                        "components merge in a circle: some distance is not the same from both ends; a "
                        "matrix of distances is symmetric");
        if (runs) gpu_texture_swap(&b->parent, &b->label);
        TRY(gpu_upload(g, &b->state, 1, 1, &(uint32_t){0}));
        TRY(gpu_run(g, tree_compress, .parent = &b->parent, .label = &b->label, .best_key = &b->best_key,
                    .best_lo = &b->best_lo, .best_hi = &b->best_hi, .state = &b->state, .n = b->n,
                    .groups = tree_groups(b->n)));
        TRY(gpu_download(g, &b->state, 0, 2, state));
    }
    if (!state[0] || state[0] > b->components)
        return fail(run_error(run_of(g)), GLSHAPE_GPU_ERROR, "a round makes %u components of %u", state[0],
                    b->components);
    *merged = state[0] != b->components;
    b->rounds += *merged;
    b->components = state[0];
    return GLSHAPE_OK;
}

/* ---- reading ----------------------------------------------------------------------------------- */

/* Appends the edges by which vertices of [first, first + count) ceased to be roots. staging: 4 × `block`
 * words.
 */
static glshape_status collect_edges(gpu *g, tree_boruvka *b, uint32_t first, uint32_t count, uint32_t block,
                                    uint32_t *staging, radix_item *edges, uint32_t *found) {
    gpu_texture *const parts[] = {&b->label, &b->best_key, &b->best_lo, &b->best_hi};
    for (uint32_t p = 0; p < 4; p++) TRY(gpu_download(g, parts[p], first, count, staging + p * block));
    for (uint32_t k = 0; k < count; k++) {
        if (staging[k] == first + k) continue;
        if (*found == b->n - b->components)
            return fail(run_error(run_of(g)), GLSHAPE_GPU_ERROR,
                        "more edges than mergers in a spanning forest");
        edges[(*found)++] = (radix_item){staging[k + block], staging[k + 2 * block], staging[k + 3 * block]};
    }
    return GLSHAPE_OK;
}

/* edges has room for as many again. */
static void sort_edges(radix_item *edges, bool maximum, tree_forest *out) {
    radix_sort_all(edges, edges + out->count, out->count);
    for (uint32_t k = 0; k < out->count; k++) {
        uint32_t key = (uint32_t)edges[k].at;
        out->i[k] = edges[k].a;
        out->j[k] = edges[k].b;
        if (out->rank) out->rank[k] = key;
        else out->weight[k] = tree_weight(key, maximum);
    }
}

glshape_status tree_boruvka_read(gpu *g, tree_boruvka *b, bool ranks, bool maximum, tree_forest *out) {
    OWNED_BY(tree_forest_free) tree_forest f = {.components = b->components, .rounds = b->rounds};
    OWNED radix_item *edges = NULL;
    OWNED uint32_t *staging = NULL;
    uint32_t merged = b->n - b->components, block = b->n < BLOCK ? b->n : BLOCK;
    error *err = run_error(run_of(g));
    *out = (tree_forest){0};
    TRY(allocate(err, &f.i, merged, sizeof *f.i, "the forest"));
    TRY(allocate(err, &f.j, merged, sizeof *f.j, "the forest"));
    if (ranks) TRY(allocate(err, &f.rank, merged, sizeof *f.rank, "the forest"));
    else TRY(allocate(err, &f.weight, merged, sizeof *f.weight, "the forest"));
    TRY(allocate(err, &edges, merged, 2 * sizeof *edges, "the edges of the forest"));
    TRY(allocate(err, &staging, block, 4 * sizeof *staging, "staging of edges"));
    threads_touch(edges, 2 * (size_t)merged * sizeof *edges);
    threads_touch(f.i, merged * sizeof *f.i);
    threads_touch(f.j, merged * sizeof *f.j);
    for (uint32_t first = 0, count; first < b->n; first += count) {
        count = b->n - first < block ? b->n - first : block;
        TRY(collect_edges(g, b, first, count, block, staging, edges, &f.count));
    }
    sort_edges(edges, maximum, &f);
    *out = MOVE(f);
    return GLSHAPE_OK;
}

void tree_forest_free(tree_forest *f) {
    free(f->i);
    free(f->j);
    free(f->weight);
    free(f->rank);
    *f = (tree_forest){0};
}

void tree_boruvka_free(tree_boruvka *b) {
    gpu_texture *const all[] = {&b->label,   &b->key,     &b->to,     &b->best_key,
                                &b->best_lo, &b->best_hi, &b->parent, &b->state};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    *b = (tree_boruvka){0};
}
