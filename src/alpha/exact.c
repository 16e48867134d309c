/* Divide and conquer on the CPU, in big integers where doubles are in doubt: for coordinates that the
 * device's integers do not hold. The steps are those of glsl/alpha/meet.glsl and zip.glsl. */
#include <gmp.h>
#include <math.h>
#include <stdlib.h>

#include "alpha/mesh.h"
#include "base/memory.h"

#define NONE UINT32_MAX
enum { NUMBERS = 14, TURNS_A_TICK = 1 << 14, UNCERTAIN = 2 };

typedef struct rings {
    const alpha_order *o;
    mpz_t *z; /* 2n coordinates, times 2^1074 */
    mpz_t number[NUMBERS];
    uint32_t *around, *before, *origin, *hull, first_free;
    double done;           /* of all levels */
    uint64_t tests, exact; /* predicates; of these, in big integers */
} rings;

/* ---- predicates -------------------------------------------------------------------------------- */

static void set(mpz_t z, double v) {
    int exponent;
    mpz_set_d(z, ldexp(frexp(v, &exponent), 53));
    exponent += 1074 - 53;
    if (exponent >= 0) mpz_mul_2exp(z, z, (mp_bitcnt_t)exponent);
    else mpz_tdiv_q_2exp(z, z, (mp_bitcnt_t)-exponent);
}

/* The differences of points a, b, c from d in double precision. Returns false if a product of four of them,
 * or its rounding error, may be beyond the range of doubles. */
static bool differences(const double *xy, const uint32_t abc[3], uint32_t d, double out[3][2]) {
    bool fair = true;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            double v = out[i][k] = xy[2 * (size_t)abc[i] + k] - xy[2 * (size_t)d + k];
            fair &= v == 0 || (fabs(v) > 1e-60 && fabs(v) < 1e60);
        }
    return fair;
}

/* The sign of det, or UNCERTAIN: as in glsl/alpha/predicates.glsl. */
static int sign_of(double det, double magnitude, double relative_error) {
    if (!(fabs(det) > magnitude * relative_error)) return UNCERTAIN;
    return det > 0 ? 1 : -1;
}

static int orient2d_in_doubles(const double *xy, uint32_t a, uint32_t b, uint32_t c) {
    double d[3][2];
    if (!differences(xy, (const uint32_t[3]){a, b, c}, c, d)) return UNCERTAIN;
    double x = d[0][0] * d[1][1], y = d[0][1] * d[1][0];
    return sign_of(x - y, fabs(x) + fabs(y), 0x1p-50);
}

static int in_circle_in_doubles(const double *xy, const uint32_t abc[3], uint32_t at) {
    double d[3][2], det = 0, magnitude = 0;
    if (!differences(xy, abc, at, d)) return UNCERTAIN;
    for (int i = 0, j = 1, k = 2; i < 3; i++, j = (j + 1) % 3, k = (k + 1) % 3) {
        double lift = d[i][0] * d[i][0] + d[i][1] * d[i][1], x = d[j][0] * d[k][1], y = d[j][1] * d[k][0];
        det += lift * (x - y);
        magnitude += lift * (fabs(x) + fabs(y));
    }
    return sign_of(det, magnitude, 0x1p-48);
}

/* 1 if a, b, c turn left, -1 if right, 0 if they are on one line. */
static int orient2d(rings *w, uint32_t a, uint32_t b, uint32_t c) {
    mpz_t *z = w->z, *t = w->number;
    int sign = orient2d_in_doubles(w->o->xy, a, b, c);
    w->tests++;
    if (sign != UNCERTAIN) return sign;
    w->exact++;
    mpz_sub(t[0], z[2 * a], z[2 * c]);
    mpz_sub(t[1], z[2 * b + 1], z[2 * c + 1]);
    mpz_mul(t[0], t[0], t[1]);
    mpz_sub(t[1], z[2 * a + 1], z[2 * c + 1]);
    mpz_sub(t[2], z[2 * b], z[2 * c]);
    mpz_submul(t[0], t[1], t[2]);
    return mpz_sgn(t[0]);
}

/* 1 if d is inside the circle through a, b, c, which turn left, -1 if outside, 0 if on it. */
static int in_circle(rings *w, const uint32_t abc[3], uint32_t d) {
    mpz_t *z = w->z, *x = w->number, *y = x + 3, *lift = x + 6, *t = x + 9;
    int sign = in_circle_in_doubles(w->o->xy, abc, d);
    w->tests++;
    if (sign != UNCERTAIN) return sign;
    w->exact++;
    for (int i = 0; i < 3; i++) {
        mpz_sub(x[i], z[2 * abc[i]], z[2 * d]);
        mpz_sub(y[i], z[2 * abc[i] + 1], z[2 * d + 1]);
        mpz_mul(lift[i], x[i], x[i]);
        mpz_addmul(lift[i], y[i], y[i]);
    }
    mpz_set_ui(t[1], 0);
    for (int i = 0, j = 1, k = 2; i < 3; i++, j = (j + 1) % 3, k = (k + 1) % 3) {
        mpz_mul(t[0], x[j], y[k]);
        mpz_submul(t[0], y[j], x[k]);
        mpz_addmul(t[1], t[0], lift[i]);
    }
    return mpz_sgn(t[1]);
}

static uint32_t least_name(const rings *w, uint32_t a, uint32_t b) {
    return w->o->name[a] < w->o->name[b] ? a : b;
}

/* Whether d comes instead of a above the base l, r. with: as in zip.glsl. */
static bool nearer(rings *w, uint32_t a, uint32_t l, uint32_t r, uint32_t d, uint32_t with) {
    int s = in_circle(w, (const uint32_t[3]){a, l, r}, d);
    uint32_t least = least_name(w, least_name(w, a, d), least_name(w, l, r));
    return s ? s > 0 : least == d || least == with;
}

/* ---- rings ------------------------------------------------------------------------------------- */

static uint32_t target(const rings *w, uint32_t e) { return w->origin[e ^ 1]; }

static void link_between(rings *w, uint32_t x, uint32_t e, uint32_t y) {
    w->around[x] = e;
    w->before[e] = x;
    w->around[e] = y;
    w->before[y] = e;
}

static uint32_t new_edge(rings *w, uint32_t from, uint32_t to) {
    uint32_t e = w->first_free;
    w->first_free = w->around[e];
    link_between(w, e, e, e);
    link_between(w, e + 1, e + 1, e + 1);
    w->origin[e] = from;
    w->origin[e + 1] = to;
    return e;
}

static void release(rings *w, uint32_t pair) {
    w->origin[2 * pair] = w->origin[2 * pair + 1] = NONE;
    w->around[2 * pair] = w->first_free;
    w->first_free = 2 * pair;
}

static void delete_edge(rings *w, uint32_t edge) {
    for (uint32_t e = edge, i = 0; i < 2; i++, e ^= 1) {
        w->around[w->before[e]] = w->around[e];
        w->before[w->around[e]] = w->before[e];
    }
    release(w, edge / 2);
}

/* ---- merging ----------------------------------------------------------------------------------- */

static uint32_t meet(rings *w, uint32_t left, uint32_t right) {
    uint32_t a = w->before[w->hull[left]], b = w->hull[right];
    for (;;) {
        uint32_t l = w->origin[a], r = b == NONE ? right : w->origin[b];
        if (orient2d(w, r, l, target(w, a)) > 0) a = w->before[a ^ 1];
        else if (b != NONE && orient2d(w, l, target(w, b), r) > 0) b = w->around[b ^ 1];
        else break;
    }
    uint32_t l = w->origin[a], e = new_edge(w, b == NONE ? right : w->origin[b], l);
    if (b != NONE) link_between(w, w->before[b], e, b);
    link_between(w, a, e + 1, w->around[a]);
    return w->hull[l] = e + 1, e;
}

/* The candidate on one side of the base, with those before it that are in the way deleted; NONE: none. */
static uint32_t settle(rings *w, uint32_t base, bool left) {
    uint32_t r = w->origin[base], l = target(w, base), e = left ? w->around[base ^ 1] : w->before[base];
    if (orient2d(w, target(w, e), l, r) <= 0) return NONE;
    for (;;) {
        uint32_t next = left ? w->around[e] : w->before[e], d = target(w, next);
        if (orient2d(w, d, l, r) <= 0 || !nearer(w, target(w, e), l, r, d, left ? r : l)) return e;
        delete_edge(w, e);
        e = next;
    }
}

static glshape_status zip(gpu *g, rings *w, uint32_t base) {
    for (uint32_t turn = 1;; turn++) {
        if (turn % TURNS_A_TICK == 0) TRY(gpu_tick(g, w->done));
        uint32_t a = settle(w, base, true), b = settle(w, base, false), e;
        uint32_t r = w->origin[base], l = target(w, base);
        if (a == NONE && b == NONE) break;
        if (a == NONE || (b != NONE && nearer(w, target(w, a), l, r, target(w, b), l))) {
            e = new_edge(w, target(w, b), l);
            link_between(w, w->before[b ^ 1], e, b ^ 1);
            link_between(w, base ^ 1, e + 1, w->around[base ^ 1]);
        } else {
            e = new_edge(w, r, target(w, a));
            link_between(w, w->before[base], e, base);
            link_between(w, a ^ 1, e + 1, w->around[a ^ 1]);
        }
        base = e;
    }
    w->hull[w->origin[base]] = base;
    return gpu_tick(g, w->done);
}

static glshape_status merge(gpu *g, rings *w) {
    uint32_t n = w->o->n;
    w->first_free = NONE;
    for (uint32_t pair = 3 * n; pair-- > 0;) release(w, pair);
    for (uint32_t i = 0; i < n; i += 2) {
        w->hull[i] = i + 1 < n ? new_edge(w, i, i + 1) : NONE;
        if (i + 1 < n) w->hull[i + 1] = w->hull[i] + 1;
    }
    for (uint32_t half = 2; half < n; half *= 2)
        for (uint32_t middle = half; middle < n; middle += 2 * half) {
            w->done = log2(half) / log2(n);
            TRY(zip(g, w, meet(w, w->o->ends[middle], w->o->ends[middle + 1])));
        }
    return GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

static glshape_status make(error *err, const alpha_order *o, rings *w) {
    TRY(allocate(err, &w->around, 6 * (size_t)o->n, sizeof *w->around, "edges around points"));
    TRY(allocate(err, &w->before, 6 * (size_t)o->n, sizeof *w->before, "edges before edges"));
    TRY(allocate(err, &w->origin, 6 * (size_t)o->n, sizeof *w->origin, "origins of edges"));
    TRY(allocate(err, &w->hull, o->n, sizeof *w->hull, "edges of hulls"));
    TRY(allocate(err, &w->z, 2 * (size_t)o->n, sizeof *w->z, "coordinates"));
    for (size_t i = 0; i < 2 * (size_t)o->n; i++) {
        mpz_init(w->z[i]);
        set(w->z[i], o->xy[i]);
    }
    return GLSHAPE_OK;
}

static glshape_status send(gpu *g, const rings *w, alpha_mesh *m) {
    uint32_t n = w->o->n;
    TRY(gpu_texture_new(g, &m->around, "edges around points", GPU_R32UI, 6 * n, 1));
    TRY(gpu_texture_new(g, &m->before, "edges before edges", GPU_R32UI, 6 * n, 1));
    TRY(gpu_texture_new(g, &m->origin, "origins of edges", GPU_R32UI, 6 * n, 1));
    TRY(gpu_texture_new(g, &m->name, "names of points", GPU_R32UI, n, 1));
    TRY(gpu_upload(g, &m->before, 0, 6 * n, w->before));
    TRY(gpu_upload(g, &m->origin, 0, 6 * n, w->origin));
    TRY(gpu_upload(g, &m->name, 0, n, w->o->name));
    m->outer = w->hull[alpha_order_least(w->o)] ^ 1;
    return GLSHAPE_OK;
}

glshape_status alpha_merge_on_cpu(gpu *g, const alpha_order *order, alpha_mesh *out, alpha_cost *cost) {
    rings w = {.o = order};
    *out = (alpha_mesh){.n = order->n};
    for (int i = 0; i < NUMBERS; i++) mpz_init(w.number[i]);
    glshape_status status = make(gpu_error(g), order, &w);
    if (!status) status = merge(g, &w);
    if (!status) status = send(g, &w, out);
    cost->tests = w.tests;
    cost->exact = w.exact;
    for (int i = 0; i < NUMBERS; i++) mpz_clear(w.number[i]);
    for (size_t i = 0; w.z && i < 2 * (size_t)order->n; i++) mpz_clear(w.z[i]);
    free(w.z);
    free(w.around);
    free(w.before);
    free(w.origin);
    free(w.hull);
    if (status) alpha_mesh_free(out);
    return status;
}
