/* Lingoes' constant is the least eigenvalue of B = -½ J D∘D J, without its sign.
 *
 * Cailliez': with C = -½ J D J the matrix of d + c is B + 2cC + ½c²J. For a unit vector y of mean 0 the
 * number q(c) = yᵀBy + 2c·yᵀCy + ½c² is negative below its larger root. The constant is the largest of these
 * roots, over all y. It is found by steps: y is the eigenvector of B + 2cC, whose eigenvalue is the least; c
 * becomes the root of this y. The roots ascend and converge quadratically. B + 2cC is the B of distances √(d²
 * + 2cd): so there is no product of its own for C. */
#include "mds/correction.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "mds/krylov.h"

#define MOST_STEPS 40
#define LAST_STEP 1e-6 /* relative; the next one would be its square, and distances are no more precise */

static bool read_changed(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    const mds_changed *c = user;
    if (!c->given.read(c->given.user, first, count, out, message, size)) return false;
    for (uint32_t i = first; i < first + count; i++, out += c->given.n)
        for (uint32_t j = 0; j < c->given.n; j++) {
            double d = (double)out[j];
            if (j != i) out[j] = (float)(sqrt(d * (d + 2 * c->root)) + c->added);
        }
    return true;
}

dist_reader mds_changed_reader(mds_changed *c) {
    dist_reader changed = c->given;
    changed.read = read_changed;
    changed.user = c;
    return changed;
}

static glshape_status apply_negated(void *user, uint32_t count, const double *x, double *y) {
    mds_product *b = user;
    TRY(mds_product_apply(b, count, x, y));
    for (size_t k = 0; k < (size_t)count * b->n; k++) y[k] = -y[k];
    return GLSHAPE_OK;
}

/* The least eigenpair of b, as the first one of -b; p->value[0] is the eigenvalue without its sign. */
static glshape_status find_least(mds_search *s, mds_product *b, mds_eigenpairs *p) {
    *p = (mds_eigenpairs){.wanted = 1, .tolerance = s->tolerance, .noise = &b->noise};
    TRY(mds_krylov(run_error(run_of(b->g)), &(mds_operator){apply_negated, b, b->n, true}, p));
    s->products += p->products;
    s->converged = s->converged && p->converged;
    return GLSHAPE_OK;
}

glshape_status mds_find_lingoes(mds_search *s, double *constant) {
    OWNED_BY(mds_eigenpairs_free) mds_eigenpairs p = {0};
    TRY(find_least(s, s->b, &p));
    *constant = p.value[0] > fmax(p.residual[0], s->b->noise) ? p.value[0] : 0;
    return GLSHAPE_OK;
}

/* yᵀBy. */
static glshape_status form(mds_search *s, const double *y, double *out) {
    OWNED double *product = NULL;
    TRY(allocate(run_error(run_of(s->b->g)), &product, s->b->n, sizeof *product, "a product"));
    TRY(mds_product_apply(s->b, 1, y, product));
    s->products++;
    *out = 0;
    for (uint32_t i = 0; i < s->b->n; i++) *out += y[i] * product[i];
    return GLSHAPE_OK;
}

/* The larger root for the least eigenvector at c; NaN if that has none, as c is beyond the constant. */
static glshape_status find_root(mds_search *s, double c, double *root) {
    OWNED_BY(mds_eigenpairs_free) mds_eigenpairs p = {0};
    OWNED_BY(mds_product_free) mds_product b = {0};
    double yby;
    s->c->root = c;
    dist_reader reader = mds_changed_reader(s->c);
    TRY(mds_product_new(s->b->g, &reader, s->keep, s->b->precise, &b));
    TRY(find_least(s, &b, &p));
    TRY(form(s, p.vector, &yby));
    double ycy = (-p.value[0] - yby) / (2 * c), square = 4 * ycy * ycy - 2 * yby;
    *root = square >= 0 ? -2 * ycy + sqrt(square) : NAN;
    return GLSHAPE_OK;
}

glshape_status mds_find_cailliez(mds_search *s, double *constant) {
    double c;
    TRY(mds_find_lingoes(s, &c));
    c = sqrt(2 * c);
    bool found = !(c > 0);
    for (int step = 0; step < MOST_STEPS && !found; step++) {
        double root;
        TRY(find_root(s, c, &root));
        found = fabs(root - c) <= LAST_STEP * c;
        c = root > 0 ? root : c / 2;
    }
    s->converged = s->converged && found;
    s->c->root = 0;
    *constant = c;
    return GLSHAPE_OK;
}
