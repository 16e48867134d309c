/* A layout in the making: its source, its textures (Ingram 2007, figure 4.5) and its plan, shared by the
 * phases. */
#ifndef GLSHAPE_MDS_STATE_H
#define GLSHAPE_MDS_STATE_H

#include "base/random.h"
#include "dist/pager.h"
#include "dist/paths.h"
#include "prim/prim.h"

/* Phases in the order of time: relaxation of level 0, interpolation of level 1, relaxation of level 1, … the
 * closing phase, the estimate of the stress. */
#define MDS_RELAXATION(level) (2 * (level))
#define MDS_INTERPOLATION(level) (MDS_RELAXATION(level) - 1)
#define MDS_CLOSING(s) (2 * (s)->level_count - 1)
#define MDS_ESTIMATION(s) (2 * (s)->level_count)
#define MDS_PHASES (2 * GLSHAPE_MDS_LEVELS + 1)

/* Element e of every texture is point order[e] of the source; the levels are prefixes. */
#define MDS_BATCH 8u  /* iterations between looks at the sparse stress */
#define MDS_FEW 1024u /* points whose terms the CPU adds up: it spares a program and a pass */

typedef struct mds_state {
    gpu *g;
    dist_source source;
    dist_reader reader;
    dist_reader weight_reader; /* .read NULL: all pairs weigh the same */
    gpu_texture weights;       /* RGBA32F, as src/dist/weights.c makes it; none without weights */
    dist_paths *paths;         /* of a graph */
    dist_pager *pager;         /* NULL: everything is on the GPU */
    uint32_t n, dim;
    uint32_t *order;
    uint64_t seed;
    random_state random;
    uint32_t levels[GLSHAPE_MDS_LEVELS]; /* sizes, coarsest first */
    int level_count;
    dist_phase phases[MDS_PHASES]; /* which pairs each phase needs; perm only if paged */
    gpu_texture perm;              /* R32UI: a permutation of 0 … m-1, the phase's random resource */
    gpu_texture place[2];          /* RGBA32F, ⌈dim/4⌉ texels: positions; [0] is current */
    gpu_texture velocity[2];       /* likewise */
    gpu_texture near[2];           /* RGBA32UI: the Near set's indices; [0] is current */
    gpu_texture near_high[2]; /* RGBA32F: its high-dimensional distances, ascending; 3e38: no such point */
    gpu_texture drawn;        /* RGBA32UI: the Random set's indices */
    gpu_texture strain[2];    /* RGBA32F: δ - d of both sets, weighted */
    /* RG32F: Σw(d-δ)², Σwδ² of both sets. Of few points, those of each iteration of a batch */
    gpu_texture terms[MDS_BATCH];
    gpu_texture history; /* RG32F: the same summed over all points, one element an iteration of a batch */
    prim_scratch scratch;
    int iterations, closing;
    /* Of a reader's matrix, known once there is a stress: pairs without a distance, and Σwδ² in its unit. */
    uint64_t missing;
    double total;
    double work, work_done; /* for progress: point-iterations, expected and done */
} mds_state;

/* What is wrong with the options, if anything is; *dim is the dimension. */
glshape_status mds_check_options(error *err, const glshape_mds_options *o, uint32_t *dim);
/* mds.c: one layout. *total: Σwδ² of a reader's or a graph's distances. On failure result is zeroed. */
glshape_status mds_lay_out(gpu *g, const glshape_source *source, const glshape_mds_options *o,
                           glshape_mds_result *result, double *total);
/* components.c: a graph in any number of pieces. On failure result is to be freed. */
glshape_status mds_components(gpu *g, const glshape_source *source, const glshape_mds_options *o,
                              glshape_mds_result *result);

/* Permutes, plans, prepares the source, makes the textures. On failure the state is empty. */
glshape_status mds_state_new(gpu *g, const glshape_source *source, const glshape_mds_options *options,
                             mds_state *s);
void mds_state_free(mds_state *s);
/* Random positions for all points; velocities and Near sets are forgotten by the phase that follows. */
glshape_status mds_scatter(mds_state *s);
glshape_status mds_progress(mds_state *s, double point_iterations);

/* plan.c: the phases. mds_plan fills levels and phases; mds_phase begins one (its permutation, its pages);
 * mds_turn brings what iteration t of it needs, and says where in the permutation its partners are. */
glshape_status mds_plan(mds_state *s, bool single_level, bool cyclic);
glshape_status mds_phase(mds_state *s, int phase);
glshape_status mds_turn(mds_state *s, int phase, uint32_t t, uint32_t *offset);
/* The permutations of all phases on the host, for a pager; free_plan releases them. */
glshape_status mds_plan_permutations(mds_state *s);
void mds_free_plan(mds_state *s);

/* glimmer.c: all levels (or one, for gpu-sf), coarsest first. */
glshape_status mds_glimmer(mds_state *s, glshape_mds_result *result);
/* settle.c: the closing phase. */
glshape_status mds_settle(mds_state *s);
uint32_t mds_settle_steps(uint32_t n);
/* stress.c: normalized stress of the current layout: exact up to MDS_EXACT_POINTS, and for a matrix always;
 * else sampled with its standard error. layout: the same in the source's order. */
#define MDS_EXACT_POINTS 100000u
glshape_status mds_stress(mds_state *s, const float *layout, double *stress, double *standard_error);

#endif
