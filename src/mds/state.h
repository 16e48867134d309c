/* A layout in the making: its source, its textures (Ingram 2007, figure 4.5) and its plan, which the phases
 * share. Which file does what is said below. */
#ifndef GLSHAPE_MDS_STATE_H
#define GLSHAPE_MDS_STATE_H

#include "base/random.h"
#include "dist/pager.h"
#include "dist/paths.h"
#include "prim/prim.h"

/* The phases, in the order of time: relaxation of level 0; interpolation and relaxation of level 1, of level
 * 2, …; the closing phase; the estimate of the stress. */
#define MDS_RELAXATION(level) (2 * (level))
#define MDS_INTERPOLATION(level) (MDS_RELAXATION(level) - 1)
#define MDS_CLOSING(s) (2 * (s)->level_count - 1)
#define MDS_ESTIMATION(s) (2 * (s)->level_count)
#define MDS_PHASES (2 * GLSHAPE_MDS_LEVELS + 1)

/* The sparse stress is read once in so many iterations. */
#define MDS_BATCH 8u
/* Up to so many points the CPU adds up the terms, which spares a program and a pass. */
#define MDS_FEW 1024u

/* Element e of every texture is point order[e] of the source; the levels are prefixes. */
typedef struct mds_state {
    gpu *g;
    const ranks *ranks;    /* that share the layout */
    uint32_t own, own_end; /* the elements of this rank; of one, all */
    void *exchange;        /* room on the host for what ranks exchange */
    size_t exchange_room;
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
    gpu_texture near_high[2];      /* RGBA32F: its high-dimensional distances, ascending; 3e38: no point */
    gpu_texture drawn;             /* RGBA32UI: the Random set's indices */
    gpu_texture strain[2];         /* RGBA32F: δ - d of both sets, weighted */
    /* RG32F: Σw(d-δ)², Σwδ² of both sets. Of few points there is one for each iteration of a batch. */
    gpu_texture terms[MDS_BATCH];
    gpu_texture history; /* RG32F: their sums over all points, an element for each iteration of a batch */
    prim_scratch scratch;
    int iterations, closing;
    /* Of a reader or a graph, known after mds_stress: pairs without a distance, and Σwδ² in its unit. */
    uint64_t missing;
    double total;
    double work, work_done; /* for progress: point-iterations, expected and done */
    bool started;           /* from a layout of the caller: closing steps are smaller */
    bool open_ended;        /* `work` is that of one attempt, and it is not known how many there will be */
} mds_state;

/* mds.c: lays out a source in one piece: the best of some attempts. *total becomes Σwδ² of the distances of a
 * reader or a graph. After a failure, too, result is the caller's to free. Errors as glshape_mds. */
glshape_status mds_lay_out(gpu *g, const glshape_source *source, const glshape_mds_options *o,
                           glshape_mds_result *result, double *total);
/* components.c: lays out a graph in any number of pieces; else as mds_lay_out. */
glshape_status mds_components(gpu *g, const glshape_source *source, const glshape_mds_options *o,
                              glshape_mds_result *result);

/* state.c. mds_check_options: GLSHAPE_BAD_ARGUMENT, or *dim is the dimension. */
glshape_status mds_check_options(error *err, const glshape_mds_options *o, uint32_t *dim);
/* Checks the memory; draws the order of the n points; plans the phases; prepares the source, which
 * mds_check_source has seen; makes the textures. After a failure, too, s is the caller's to free. */
glshape_status mds_state_new(gpu *g, const ranks *r, const glshape_source *source,
                             const glshape_mds_options *options, uint32_t n, uint32_t dim, mds_state *s);
void mds_state_free(mds_state *s);
/* Whether points go through shared memory in tiles: dense ones without weights, on
 * hardware, unless the caller asked for the fragment stage, which has no shared memory. */
bool mds_in_tiles(const mds_state *s);
/* Adds to the work done, and reports the progress. GLSHAPE_CANCELLED. */
glshape_status mds_progress(mds_state *s, double point_iterations);

/* source.c. mds_check_source: GLSHAPE_BAD_ARGUMENT, GLSHAPE_BAD_INPUT, or *n is the number of points. */
glshape_status mds_check_source(error *err, const glshape_source *source, size_t *n);
/* Returns true if a matrix is to be paged: because the caller says so, or because it is large. */
bool mds_should_page(const mds_state *s, const glshape_source *source);
/* Bytes of the textures of a source; SIZE_MAX: the device has no such texture. */
size_t mds_source_bytes(const mds_state *s, const glshape_source *source);
/* Makes s->source, with s->weights, s->reader, s->paths and s->pager where the source needs them. */
glshape_status mds_source_new(mds_state *s, const glshape_source *source);

/* ranks.c. mds_find_ranks: *out becomes the ranks that share a layout of n points, or the one that this is;
 * of several, all then page the source. */
glshape_status mds_find_ranks(gpu *g, glshape_source *source, uint32_t n, const ranks **out);
/* This rank's elements among the first n: *first … *end - 1. */
void mds_own(const mds_state *s, uint32_t n, uint32_t *first, uint32_t *end);
/* Whether, of several ranks, the first has all of the first n elements. */
bool mds_only_first(const mds_state *s, uint32_t n);
/* All ranks get the first n elements of up to MDS_SHARED textures, of which each has its own. */
#define MDS_SHARED 3
glshape_status mds_share(mds_state *s, uint32_t n, int count, gpu_texture *const *t);

/* textures.c. mds_memory_needed: bytes of GPU memory for the layout, its weights and a source of
 * source_bytes; SIZE_MAX: the device has no such texture. */
size_t mds_memory_needed(mds_state *s, size_t source_bytes);
size_t mds_weight_bytes(const mds_state *s);
/* Refuses, before any work, what would not fit the limit; the message says which limit would do.
 * GLSHAPE_NO_GPU_MEMORY, GLSHAPE_BAD_ARGUMENT. */
glshape_status mds_check_memory(mds_state *s, size_t source_bytes);
glshape_status mds_textures_new(mds_state *s);
void mds_textures_free(mds_state *s);

/* positions.c. mds_scatter: draws positions for all points, uniform in a cube as wide as the data. The phase
 * that follows forgets velocities and Near sets. */
glshape_status mds_scatter(mds_state *s);
/* Reads the current layout, n × dim, in the order and unit of the source, centred on 0. */
glshape_status mds_read_layout(mds_state *s, float *layout);
/* Writes such a layout to the GPU. order: which point is element e; NULL: point e. */
glshape_status mds_write_layout(mds_state *s, const float *layout, const uint32_t *order);

/* plan.c. mds_plan: fills levels and phases; GLSHAPE_BAD_ARGUMENT: the levels would be too many. cyclic:
 * pairs come again (FORCE_CYCLE). */
glshape_status mds_plan(mds_state *s, const glshape_mds_options *o, bool cyclic);
void mds_plan_free(mds_state *s);
/* Makes the permutations of all phases, on the host, as a pager needs them. */
glshape_status mds_plan_permutations(mds_state *s);
/* A phase with the elements only that this rank moves; none: .first is .n. */
dist_phase mds_own_phase(const mds_state *s, int phase);
/* Begins a phase: uploads its permutation, starts its pages. */
glshape_status mds_begin_phase(mds_state *s, int phase);
/* Begins an iteration: brings its page, and sets *offset to where in the permutation its partners are. */
glshape_status mds_begin_iteration(mds_state *s, int phase, uint32_t iteration, uint32_t *offset);

/* glimmer.c: lays out all levels (of gpu-sf: the one), coarsest first. Sets the levels of result. */
glshape_status mds_glimmer(mds_state *s, glshape_mds_result *result);
/* closing.c: the closing phase, and how many stochastic steps it takes. */
glshape_status mds_closing(mds_state *s);
uint32_t mds_closing_steps(uint32_t n);
/* Steps of SMACOF over all pairs, if these are few enough. */
bool mds_settles(const mds_state *s);
glshape_status mds_settle(mds_state *s);
/* stress.c: the normalized stress of the current layout. Up to MDS_EXACT_POINTS points, and for a matrix
 * always, it is exact, and *standard_error is 0; else it is an estimate. layout: the same as mds_read_layout
 * has it. For a matrix s->place[0] is overwritten. */
#define MDS_EXACT_POINTS 100000u
glshape_status mds_stress(mds_state *s, const float *layout, double *stress, double *standard_error);

/* a + b, or SIZE_MAX where that does not fit. */
static inline size_t mds_plus(size_t a, size_t b) { return a > SIZE_MAX - b ? SIZE_MAX : a + b; }

#endif
