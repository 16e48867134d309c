/* The branches of a field, for other methods. */
#ifndef GLSHAPE_MERGETREE_MERGETREE_H
#define GLSHAPE_MERGETREE_MERGETREE_H

#include "base/radix.h"
#include "field/grid.h"
#include "gpu/gpu.h"
#include "place/place.h"

/* Whether a field of n vertices is done on the processor: it is small, and no device is named. */
bool mergetree_is_small(const gpu *g, size_t n);
/* *why becomes where the stages of a field of n vertices run that is not small. Opens the device. work: what
 * the method does. */
glshape_status mergetree_choose(gpu *g, const glshape_field *field, size_t n, place_work work, run_why *why);

/* The branches alone, as passes have them, by falling death: at: the key of the vertex where a branch begins,
 * and the vertex; a, b: those of its end, or UINT32_MAX. NULL: the result has them. free(items), also after a
 * failure.
 */
typedef struct mergetree_pairs {
    radix_item *items;
    size_t count;
} mergetree_pairs;
/* As glshape_mergetree, of branches alone, within a method that has begun: facts and GPU memory count as that
 * method's. */
glshape_status mergetree_compute_pairs(gpu *g, const glshape_field *field,
                                       const glshape_mergetree_options *options,
                                       glshape_mergetree_result *result, mergetree_pairs *pairs);
/* The pairs of a field whose keys are on the device, RGBA32UI, in the form of mergetree_pairs; key_bits:
 * order_key_bits(). *count is 0 where the driver does not compute them rightly. GLSHAPE_NO_GPU_MEMORY. */
glshape_status mergetree_pairs_of_keys(gpu *g, gpu_texture *key, uint32_t key_bits, const grid *d,
                                       gpu_texture *pairs, uint32_t *count);
/* The vertex where the branch of each vertex begins, and the key of each. */
typedef struct mergetree_on {
    uint32_t *on; /* NULL: the textures have them */
    gpu_texture on_gpu, key;
    gpu_texture span;    /* RG32UI, of each branch by falling: the vertices where it begins and where it ends,
                            or all bits; by passes alone */
    uint32_t branches;   /* of span; the result lists them only if `lists` */
    uint32_t kind, flip; /* what makes values of the keys: order_kind(), order.flip */
    uint32_t key_bits;   /* order_key_bits() */
    grid grid;
    bool keep;   /* set by the caller: they may stay on the device, where so much memory is left that as much
                    as MERGETREE_KEPT bytes a vertex more find room */
    bool turned; /* set by the caller: vertex v is n - 1 - v in span */
    bool lists;  /* set by the caller: it needs the list of branches in any case */
    run_why why; /* they do not */
} mergetree_on;
#define MERGETREE_KEPT 72
void mergetree_on_free(mergetree_on *on);

/* The same, with these in place of triplets. *on: mergetree_on_free(), also after a failure. */
glshape_status mergetree_compute_on(gpu *g, const glshape_field *field,
                                    const glshape_mergetree_options *options,
                                    glshape_mergetree_result *result, mergetree_on *on);
/* The split tree of a grid from the keys of its join tree, if that has a span: *split (mergetree_on_free(),
 * also after a failure) gets on_gpu, span and branches. Its vertices are numbered from the last of the field
 * to the first, but in span. GLSHAPE_NO_GPU_MEMORY. */
glshape_status mergetree_split_on(gpu *g, gpu_texture *key, uint32_t key_bits, const grid *d,
                                  mergetree_on *split);

#endif
