/* Stress-1 of layouts, by passes: pairs are kept on the device in order of dissimilarity. What isotonic.h
 * does pair after pair is done in rounds: all blocks that fall are pooled with those before them, wherever
 * they are. Processors pool the few that are left. In single precision, as all passes of mds. */
#ifndef GLSHAPE_MDS_RANKED_H
#define GLSHAPE_MDS_RANKED_H

#include "prim/prim.h"

#define MDS_RANKED_DIMS 4u /* of a texel */

typedef struct mds_ranked {
    gpu *g;
    uint32_t n, dim, count; /* points; pairs that count */
    bool tied, many;        /* some pairs have equal dissimilarities; of one there are many pairs */
    gpu_texture items[2];   /* RGBA32UI, pairs in order: number of the dissimilarity, key, points */
    gpu_texture place, pulls, fitted, weights;
    gpu_texture blocks[2], begins[2], heads, places, total, values;
    prim_scratch scan;
    prim_radix_scratch radix;
    float *x, *sums, *out; /* room for the layout, for blocks, for pulls */
    uint32_t *last;        /* of pooled blocks, where each ends */
    size_t room;           /* blocks that sums and last have room for */
    double square;         /* Σwd² of the last layout */
    uint64_t rounds;
} mds_ranked;

/* Bytes of textures for so many points; whether the device, which is open, has textures of this size. */
uint64_t mds_ranked_bytes(uint32_t n, bool weighted);
bool mds_ranked_fits(const gpu *g, uint32_t n);
/* given, weight (or NULL): by mds_pair_number; NaN, or a weight of 0: the pair does not count.
 * mds_ranked_free(), also after a failure. GLSHAPE_NO_MEMORY, GLSHAPE_NO_GPU_MEMORY. */
glshape_status mds_ranked_new(gpu *g, uint32_t n, uint32_t dim, const float *given, const float *weight,
                              mds_ranked *r);
void mds_ranked_free(mds_ranked *r);
/* The squared stress-1 of a layout, n × dim, and its gradient. Primary ties. */
glshape_status mds_ranked_look(mds_ranked *r, const double *x, double *value, double *gradient);

#endif
