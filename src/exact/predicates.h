/* orient2d and in_circle on the CPU, for points of any coordinates. Doubles decide where their error allows
 * it, then integers of 256 bits if coordinates are whole and below 2^61, of in_circle then long doubles, then
 * big integers. What the device decides is in glsl/delaunay/circle.glsl.
 *
 * Source: Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric predicates",
 * 1997. */
#ifndef GLSHAPE_EXACT_PREDICATES_H
#define GLSHAPE_EXACT_PREDICATES_H

#include <gmp.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum { EXACT_NUMBERS = 12 };

/* One thread's own. */
typedef struct exact_predicates {
    const double *xy;            /* n × 2 (x, y), the caller's */
    int shift;                   /* xy · 2^shift are integers */
    mpz_t number[EXACT_NUMBERS]; /* working numbers */
    uint64_t tests, in_integers; /* predicates evaluated; of these, in big integers */
} exact_predicates;

/* exact_predicates_end() releases what *p holds besides xy. */
void exact_predicates_begin(exact_predicates *p, const double *xy, int shift);
void exact_predicates_end(exact_predicates *p);

/* What doubles leave uncertain below. */
int exact_orient2d_slowly(exact_predicates *p, uint32_t a, uint32_t b, uint32_t c);
int exact_in_circle_slowly(exact_predicates *p, uint32_t a, uint32_t b, uint32_t c, uint32_t d);

/* Returns 1 if a, b, c are counter-clockwise, -1 if they are clockwise, 0 if they are on one line. Of
 * products that lose bits below the range of doubles, what is lost is less than 1e-300. */
static inline int exact_orient2d(exact_predicates *p, uint32_t a, uint32_t b, uint32_t c) {
    const double *u = p->xy + 2 * (size_t)a, *v = p->xy + 2 * (size_t)b, *w = p->xy + 2 * (size_t)c;
    double left = (u[0] - w[0]) * (v[1] - w[1]), right = (u[1] - w[1]) * (v[0] - w[0]), det = left - right;
    double magnitude = fabs(left) + fabs(right);
    p->tests++;
    if (fabs(det) > magnitude * 0x1p-50 + 1e-290 && magnitude < 1e300) return det > 0 ? 1 : -1;
    return exact_orient2d_slowly(p, a, b, c);
}

/* Returns 1 if d is inside the circle through a, b, c, -1 if it is outside, 0 if it is on the circle. a, b,
 * c are counter-clockwise. Where the lifts are below 1e120, what products lose below the range of doubles is
 * less than 1e-320 times a factor below 1e122. */
static inline int exact_in_circle(exact_predicates *p, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    const double *u = p->xy + 2 * (size_t)a, *v = p->xy + 2 * (size_t)b, *w = p->xy + 2 * (size_t)c;
    const double *o = p->xy + 2 * (size_t)d;
    double ux = u[0] - o[0], uy = u[1] - o[1], vx = v[0] - o[0], vy = v[1] - o[1];
    double wx = w[0] - o[0], wy = w[1] - o[1];
    double lift_u = ux * ux + uy * uy, lift_v = vx * vx + vy * vy, lift_w = wx * wx + wy * wy;
    double vw = vx * wy, wv = vy * wx, wu = wx * uy, uw = wy * ux, uv = ux * vy, vu = uy * vx;
    double det = lift_u * (vw - wv) + lift_v * (wu - uw) + lift_w * (uv - vu);
    double magnitude =
        lift_u * (fabs(vw) + fabs(wv)) + lift_v * (fabs(wu) + fabs(uw)) + lift_w * (fabs(uv) + fabs(vu));
    p->tests++;
    if (fabs(det) > magnitude * 0x1p-48 + 1e-170 && lift_u + lift_v + lift_w < 1e120) return det > 0 ? 1 : -1;
    return exact_in_circle_slowly(p, a, b, c, d);
}

#endif
