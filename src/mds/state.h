/* The textures of a layout in the making: Ingram 2007, figure 4.5, shared by the phases of mds. */
#ifndef GLSHAPE_MDS_STATE_H
#define GLSHAPE_MDS_STATE_H

#include "base/random.h"
#include "dist/points.h"
#include "prim/prim.h"

/* Element e of every texture is input row order[e]; the levels are prefixes. */
typedef struct mds_state {
    gpu *g;
    dist_points points;
    uint32_t n, dim;
    uint32_t *order;
    random_state random;
    gpu_texture perm;        /* R32UI: a permutation of 0 … m-1, the random resource of the current level */
    gpu_texture place[2];    /* RGBA32F, ⌈dim/4⌉ texels: positions; [0] is current */
    gpu_texture velocity[2]; /* likewise */
    gpu_texture near[2];     /* RGBA32UI: the Near set's indices; [0] is current */
    gpu_texture near_high[2]; /* RGBA32F: its high-dimensional distances, 3e38 where there is no such point */
    gpu_texture drawn;        /* RGBA32UI: the Random set's indices */
    gpu_texture strain[2];    /* RGBA32F: δ - d of both sets */
    gpu_texture terms;        /* RG32F: Σ(d-δ)², Σδ² of both sets */
    gpu_texture history;      /* RG32F: the same summed over all points, one element an iteration */
    prim_scratch scratch;
    char defines[96];
    int iterations, closing;
    double work, work_done; /* for progress: point-iterations, expected and done */
} mds_state;

/* Permutes, uploads the points, makes the textures. On failure the state is empty. */
glshape_status mds_state_new(gpu *g, const glshape_matrix *points, const glshape_mds_options *options,
                             mds_state *s);
void mds_state_free(mds_state *s);
/* Random positions for all points; velocities and Near sets are forgotten by the phase that follows. */
glshape_status mds_scatter(mds_state *s);
/* Uploads a fresh permutation of 0 … m-1. */
glshape_status mds_shuffle(mds_state *s, uint32_t m);
glshape_status mds_progress(mds_state *s, double point_iterations);

/* glimmer.c: all levels (or one, for gpu-sf), coarsest first. */
glshape_status mds_glimmer(mds_state *s, bool single_level, glshape_mds_result *result);
/* settle.c: the closing phase. */
glshape_status mds_settle(mds_state *s);
uint32_t mds_settle_steps(uint32_t n);
/* stress.c: normalized stress, exact up to MDS_EXACT_POINTS, else sampled with its standard error. */
#define MDS_EXACT_POINTS 100000u
glshape_status mds_stress(mds_state *s, double *stress, double *standard_error);

#endif
