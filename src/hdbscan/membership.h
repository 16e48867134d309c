/* Memberships by passes: to which clusters rows belong most. membership.c says how much clusters weigh for a
 * row; passes find how far they are, and the greatest strengths (membership_by_passes.c).
 *
 * The bytes are those of threads. Single precision finds the nearest exemplar of each cluster where it is
 * certain of it. Its distance, quotients, sums and products are in double, in the order of threads, roots and
 * quotients rounded as IEEE 754 has it. Rows whose sums have lost digits, or that single precision leaves too
 * much of, are left to threads. */
#ifndef GLSHAPE_HDBSCAN_MEMBERSHIP_H
#define GLSHAPE_HDBSCAN_MEMBERSHIP_H

#include "gpu/gpu.h"

/* What rows are compared with. Rows and exemplars differ from the center by at most reach in each column. */
typedef struct membership_exemplars {
    size_t clusters, columns, top; /* strengths of a row that are wanted */
    const size_t *first;           /* clusters + 1: of each its first exemplar */
    const double *rows;            /* of the exemplars, × columns */
    const double *center;          /* columns */
    double reach;
    bool angular;        /* distances are half the sums of squares */
    double unit;         /* else their roots times this power of two */
    uint32_t most_piece; /* 0; of checks: so many exemplars of a cluster are looked at together, at most */
} membership_exemplars;

/* Rows that are on the device at a time. A line of weights is for rows that leave one cluster of the tree. */
typedef struct membership_batch {
    uint32_t rows, lines;
    float *single;   /* of each row, 4 × quads */
    double *exact;   /* of each row, 2 × pairs */
    uint32_t *facts; /* of each row, 8: line, 0, what its own clusters weigh; how probable it is in some */
    double *weight;  /* of each line, of each cluster; MEMBERSHIP_OWN: it weighs as the row's own */
    uint32_t *strongest; /* of each row, 4 × top: strength, cluster, whether the row is left to threads */
} membership_batch;
#define MEMBERSHIP_OWN (-1.0)

typedef struct membership_passes {
    const membership_exemplars *e;
    uint32_t most_rows, most_lines; /* of a batch */
    uint32_t quads, pairs, piece_count, span_count, most_piece, most_span;
    gpu_texture single, exact, pieces, first, spans;  /* of exemplars */
    gpu_texture points, exact_points, facts, weights; /* of a batch */
    gpu_texture closest, apart, troubles, strongest;
    double scale;                     /* of single precision */
    float constant, linear, relative; /* what rounding does there */
    membership_batch batch;
} membership_passes;

/* Whether passes compute with these at all; how many bytes they take for so many rows. */
bool membership_can(const membership_exemplars *e);
uint64_t membership_bytes(const membership_exemplars *e, size_t rows);
/* *why stays, if it is for the device, where the driver runs the programs rightly. (check.c) */
glshape_status membership_trusts(gpu *g, size_t top, run_why *why);

/* rows: there are. membership_passes_free() it, also after a failure. */
glshape_status membership_passes_new(gpu *g, const membership_exemplars *e, size_t rows,
                                     membership_passes *out);
void membership_passes_free(membership_passes *p);
/* Puts a row into the batch. share: 0, or at least 2^-300. */
void membership_put(membership_passes *p, uint32_t row, const double *x, uint32_t line, double own,
                    double share);
/* Has the device begin with the batch, which may then be changed; fetches what it found. */
glshape_status membership_begin(gpu *g, membership_passes *p);
glshape_status membership_fetch(gpu *g, membership_passes *p, uint32_t rows);

#endif
