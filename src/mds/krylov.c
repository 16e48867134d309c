#include "mds/krylov.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/random.h"
#include "base/threads.h"
#include "mds/eigen.h"

#define OVERSAMPLE 10u
#define BLOCKS 6u      /* so many blocks are kept at most … */
#define KEPT_BLOCKS 2u /* … and of these so many at a restart */
#define MOST_PRODUCTS 200
#define LEAST_TOLERANCE \
    0.01 /* of the residual of the least Ritz value, relative to the largest one in magnitude */
#define DEPENDENT 1e-10 /* a vector is dropped of which no more than this is left outside the others */
#define CHUNK 64u       /* rows that are rotated at a time */

typedef struct basis {
    const mds_operator *b;
    uint32_t n, block, most;
    uint32_t count;        /* vectors that have their products */
    uint32_t added;        /* vectors behind these that have none yet */
    bool whole;            /* there is room for all vectors that there are */
    double *vector;        /* most × n, orthonormal */
    double *product;       /* most × n: of each vector with the operator */
    double *ritz, *rotate; /* most × most */
    double *theta;         /* Ritz values, the largest first */
    double last_residual;  /* of the last one, whose Ritz value is the least */
    double *residual;      /* of the first `block` of them */
    double scale;          /* the largest of them in magnitude */
} basis;

static void basis_free(basis *s) {
    free(s->vector);
    free(s->product);
    free(s->ritz);
    free(s->rotate);
    free(s->theta);
    free(s->residual);
}

static double *column(const basis *s, double *of, uint32_t k) { return of + (size_t)k * s->n; }

static double dot(const double *x, const double *y, uint32_t n) {
    double sums[4] = {0};
    uint32_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) sums[k] += x[i + k] * y[i + k];
    for (; i < n; i++) sums[0] += x[i] * y[i];
    return sums[0] + sums[1] + (sums[2] + sums[3]);
}

static void add(double *x, double by, const double *y, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) x[i] += by * y[i];
}

static void center(double *x, uint32_t n) {
    double mean = 0;
    for (uint32_t i = 0; i < n; i++) mean += x[i] / n;
    for (uint32_t i = 0; i < n; i++) x[i] -= mean;
}

/* Takes from the vector behind the added ones what the others have of it (Gram-Schmidt, modified, twice), and
 * adds the rest, of length 1, unless next to nothing is left. */
static void add_vector(basis *s) {
    uint32_t at = s->count + s->added, n = s->n;
    double *x = column(s, s->vector, at);
    for (int twice = 0; twice < 2; twice++) {
        double before = sqrt(dot(x, x, n));
        if (!(before > 0)) return;
        for (uint32_t i = 0; i < n; i++) x[i] /= before;
        for (uint32_t k = 0; k < at; k++)
            add(x, -dot(x, column(s, s->vector, k), n), column(s, s->vector, k), n);
        if (s->b->centered) center(x, n);
        if (!(dot(x, x, n) > DEPENDENT * DEPENDENT)) return;
    }
    double length = sqrt(dot(x, x, n));
    for (uint32_t i = 0; i < n; i++) x[i] /= length;
    s->added++;
}

static void add_random(basis *s) {
    random_state random = {1};
    for (uint32_t k = 0; k < s->block; k++) {
        double *x = column(s, s->vector, s->added);
        for (uint32_t i = 0; i < s->n; i++) x[i] = 2 * random_unit(&random) - 1;
        if (s->b->centered) center(x, s->n);
        add_vector(s);
    }
}

/* Multiplies the added vectors, and extends the matrix of the operator in this basis, which is diagonal so
 * far. */
static glshape_status multiply(basis *s) {
    uint32_t first = s->count, m = first + s->added;
    TRY(s->b->apply(s->b->user, s->added, column(s, s->vector, first), column(s, s->product, first)));
    memset(s->ritz, 0, (size_t)m * m * sizeof *s->ritz);
    for (uint32_t i = 0; i < first; i++) s->ritz[(size_t)i * m + i] = s->theta[i];
    for (uint32_t j = first; j < m; j++)
        for (uint32_t i = 0; i <= j; i++)
            s->ritz[(size_t)i * m + j] = s->ritz[(size_t)j * m + i] =
                dot(column(s, s->vector, i), column(s, s->product, j), s->n);
    s->count = m;
    s->added = 0;
    return GLSHAPE_OK;
}

/* of becomes of · rotate in the rows of a chunk: count vectors that were m. */
typedef struct rotation {
    const basis *s;
    double *of;
    uint32_t m, count;
} rotation;

static glshape_status rotate_chunk(error *err, void *user, uint64_t item, void *scratch) {
    const rotation *r = user;
    uint32_t first = (uint32_t)item * CHUNK, rest = r->s->n - first, size = rest < CHUNK ? rest : CHUNK;
    double *sum = scratch;
    (void)err;
    memset(sum, 0, (size_t)r->count * CHUNK * sizeof *sum);
    for (uint32_t j = 0; j < r->count; j++)
        for (uint32_t k = 0; k < r->m; k++)
            add(sum + j * CHUNK, r->s->rotate[(size_t)k * r->m + j], r->of + (size_t)k * r->s->n + first,
                size);
    for (uint32_t j = 0; j < r->count; j++)
        memcpy(r->of + (size_t)j * r->s->n + first, sum + j * CHUNK, size * sizeof *sum);
    return GLSHAPE_OK;
}

static glshape_status rotate(error *err, basis *s, double *of, uint32_t m) {
    rotation r = {s, of, m, s->count};
    return threads_do(err, &(threads_job){.work = rotate_chunk,
                                          .user = &r,
                                          .blocks = (s->n - 1) / CHUNK + 1,
                                          .scratch_bytes = (size_t)s->count * CHUNK * sizeof *of,
                                          .name = "the basis"});
}

/* Leaves room for new vectors: of m Ritz vectors only the leading ones, and the last, will be kept. */
static void keep_some(basis *s, uint32_t m) {
    s->count = KEPT_BLOCKS * s->block;
    s->theta[s->count - 1] = s->theta[m - 1];
    for (size_t k = 0; k < m; k++) s->rotate[k * m + s->count - 1] = s->rotate[k * m + m - 1];
}

/* Makes Ritz vectors of the basis. */
static glshape_status find_ritz(error *err, basis *s, double *least) {
    uint32_t m = s->count;
    mds_eigen(m, s->ritz, s->theta, s->rotate);
    *least = fmin(*least, s->theta[m - 1]);
    s->scale = fmax(fabs(s->theta[0]), fabs(s->theta[m - 1]));
    if (m + s->block + 1 > s->most && !s->whole) keep_some(s, m);
    TRY(rotate(err, s, s->vector, m));
    return rotate(err, s, s->product, m);
}

/* Returns the length of the residual of Ritz vector k. Adds the residual to the basis if that is above the
 * limit, and there is room. */
static double add_residual(basis *s, uint32_t k, double limit) {
    double *x = column(s, s->vector, s->count + s->added);
    memcpy(x, column(s, s->product, k), s->n * sizeof *x);
    add(x, -s->theta[k], column(s, s->vector, k), s->n);
    double length = sqrt(dot(x, x, s->n));
    if (length > limit && s->count + s->added < s->most) add_vector(s);
    return length;
}

/* Adds the residuals of the leading Ritz vectors, and of the last. */
static void add_residuals(basis *s, double limit) {
    uint32_t last = s->count - 1;
    s->last_residual = add_residual(s, last, LEAST_TOLERANCE * s->scale);
    for (uint32_t k = 0; k < s->block && k < s->count; k++) s->residual[k] = add_residual(s, k, limit);
}

/* Whether the first Ritz vectors, so many, are within the limit, and the last is good enough. */
static bool within(const basis *s, uint32_t count, double limit) {
    if (!(s->last_residual <= fmax(LEAST_TOLERANCE * s->scale, limit))) return false;
    for (uint32_t k = 0; k < count; k++)
        if (!(s->residual[k] <= limit)) return false;
    return true;
}

static glshape_status basis_new(error *err, const mds_operator *b, uint32_t wanted, basis *s) {
    uint32_t all = b->n - b->centered, block = wanted + OVERSAMPLE < all ? wanted + OVERSAMPLE : all;
    *s = (basis){.b = b, .n = b->n, .block = block};
    s->whole = BLOCKS * block >= all;
    s->most = s->whole ? all : BLOCKS * block;
    /* One vector more, as it is added before it is known to be new. */
    TRY(allocate(err, &s->vector, times(s->most + 1, b->n), sizeof *s->vector, "the basis"));
    TRY(allocate(err, &s->product, times(s->most, b->n), sizeof *s->product, "the basis"));
    TRY(allocate(err, &s->ritz, (size_t)s->most * s->most, sizeof *s->ritz, "the basis"));
    TRY(allocate(err, &s->rotate, (size_t)s->most * s->most, sizeof *s->rotate, "the basis"));
    TRY(allocate(err, &s->theta, s->most, sizeof *s->theta, "the basis"));
    return allocate(err, &s->residual, block, sizeof *s->residual, "the basis");
}

static glshape_status iterate(error *err, basis *s, mds_eigenpairs *p) {
    p->least = INFINITY;
    add_random(s);
    while (s->added && p->products < MOST_PRODUCTS) {
        TRY(multiply(s));
        p->products++;
        TRY(find_ritz(err, s, &p->least));
        double limit = fmax(p->tolerance * s->scale, *p->noise);
        add_residuals(s, limit);
        p->count = s->count < p->wanted ? s->count : p->wanted;
        p->converged = within(s, p->count, limit);
        if (p->converged) break;
    }
    return GLSHAPE_OK;
}

glshape_status mds_krylov(error *err, const mds_operator *b, mds_eigenpairs *p) {
    OWNED_BY(basis_free) basis s = {0};
    p->count = 0;
    p->products = 0;
    p->converged = false;
    TRY(basis_new(err, b, p->wanted, &s));
    TRY(iterate(err, &s, p));
    p->value = MOVE(s.theta);
    p->residual = MOVE(s.residual);
    p->vector = MOVE(s.vector);
    return GLSHAPE_OK;
}

void mds_eigenpairs_free(mds_eigenpairs *p) {
    free(p->value);
    free(p->residual);
    free(p->vector);
}
