/* From coordinates to integers: the power of two is the least bit that is set in any coordinate. */
#include "exact/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"

/* A point has 3 edges at most, and an edge has a number for each direction. */
#define MOST_POINTS ((UINT32_MAX - 1) / 6)

#define PART 65536u /* coordinates that a thread reads at a time */

#define CODE(name, ctype, code) [name] = code,
static const char *const type_codes[] = {GLSHAPE_TYPES(CODE)};
#undef CODE

/* Sets *out to element e of m. Returns false if that is an integer that no double equals. */
static bool value_of(const glshape_matrix *m, size_t e, double *out) {
    matrix_doubles(m, e, 1, out);
    if (m->type == GLSHAPE_I64) return *out < 0x1p63 && (int64_t)*out == ((const int64_t *)m->data)[e];
    if (m->type == GLSHAPE_U64) return *out < 0x1p64 && (uint64_t)*out == ((const uint64_t *)m->data)[e];
    return true;
}

static glshape_status check_matrix(error *err, const glshape_matrix *m) {
    if (m->cols != 2 && m->rows)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "the input has %zu column%s; points in the plane have two, x and y", m->cols,
                    m->cols == 1 ? "" : "s");
    if (m->rows > MOST_POINTS)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%zu points: the edges of at most %u can be numbered; take a part of them", m->rows,
                    MOST_POINTS);
    return matrix_check(err, m);
}

/* Returns the exponent of the least bit that is set in v, which is not 0. */
static int last_bit(double v) {
    int exponent;
    int64_t m = (int64_t)ldexp(frexp(v, &exponent), 53);
    return exponent - 53 + __builtin_ctzll((unsigned long long)m);
}

typedef struct extent {
    double least[2], most[2];
    int last; /* the least exponent of a bit that is set; INT32_MAX: all coordinates are 0 */
} extent;

/* Reading in parts, by threads. */
typedef struct reading {
    const glshape_matrix *m;
    double *xy;
    extent *of; /* of each part */
} reading;

static glshape_status read_part(error *err, void *user, uint64_t part, void *scratch) {
    (void)scratch;
    const reading *r = user;
    double *xy = r->xy;
    extent *of = &r->of[part];
    *of = (extent){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}, INT32_MAX};
    double units =
        0; /* 2^-last: what it makes whole cannot lower `last`; 0: not known, or beyond the range */
    size_t first = part * PART, end = 2 * r->m->rows - first < PART ? 2 * r->m->rows : first + PART;
    bool wide = r->m->type == GLSHAPE_I64 || r->m->type == GLSHAPE_U64;
    if (!wide) matrix_doubles(r->m, first, end - first, xy + first);
    for (size_t e = first; e < end; e++) {
        size_t row = e / 2 + 1, c = e % 2;
        if (wide && !value_of(r->m, e, &xy[e]))
            return fail(err, GLSHAPE_BAD_INPUT,
                        "row %zu, column %zu (%s) is an integer beyond 2^53 that double precision does not "
                        "have; subtract an offset first",
                        row, c + 1, type_codes[r->m->type]);
        if (!isfinite(xy[e]))
            return fail(err, GLSHAPE_BAD_INPUT, "row %zu, column %zu is %s", row, c + 1,
                        isnan(xy[e]) ? "NaN" : "infinite");
        xy[e] += 0.0; /* -0 becomes 0 */
        if (xy[e] < of->least[c]) of->least[c] = xy[e];
        if (xy[e] > of->most[c]) of->most[c] = xy[e];
        if (xy[e] == 0) continue;
        double whole = xy[e] * units; /* exact: the product has the digits of xy[e] */
        if (fabs(whole) < 0x1p62 && (double)(int64_t)whole == whole && whole != 0) continue;
        int last = last_bit(xy[e]);
        if (last < of->last) {
            of->last = last;
            units = last > -900 && last < 900 ? ldexp(1, -last) : 0;
        }
    }
    return GLSHAPE_OK;
}

static glshape_status read_values(error *err, const glshape_matrix *m, double *xy, extent *of) {
    OWNED extent *parts = NULL;
    size_t count = 2 * m->rows / PART + 1;
    TRY(allocate(err, &parts, count, sizeof *parts, "bounds of points"));
    TRY(threads_do(err, &(threads_job){.work = read_part,
                                       .user = &(reading){m, xy, parts},
                                       .blocks = count,
                                       .name = "bounds of points"}));
    *of = parts[0];
    for (size_t k = 1; k < count; k++) {
        for (int c = 0; c < 2; c++) {
            of->least[c] = fmin(of->least[c], parts[k].least[c]);
            of->most[c] = fmax(of->most[c], parts[k].most[c]);
        }
        if (parts[k].last < of->last) of->last = parts[k].last;
    }
    return GLSHAPE_OK;
}

static void scale_part(void *user, size_t part) {
    exact_points *p = user;
    size_t first = part * PART, end = 2 * (size_t)p->n - first < PART ? 2 * (size_t)p->n : first + PART;
    double units = abs(p->exponent) < 1000 ? ldexp(1, -p->exponent) : 0;
    for (size_t e = first; e < end; e++)
        p->xy[e] = units > 0 ? p->xy[e] * units : ldexp(p->xy[e], -p->exponent);
}

/* Sets bits and exponent, and divides xy by 2^last if the device can decide on the integers. */
static void scale(exact_points *p, const extent *of) {
    p->bits = 1;
    for (int c = 0; c < 2; c++) p->least[c] = of->least[c], p->most[c] = of->most[c];
    if (of->last == INT32_MAX) return;
    double span = 0, size = 0;
    for (int c = 0; c < 2; c++) {
        span = fmax(span, of->most[c] / 2 - of->least[c] / 2);
        size = fmax(size, fmax(fabs(of->most[c]), fabs(of->least[c])));
    }
    /* `span` is half of the difference, perhaps rounded up. */
    p->bits = span > 0 ? ilogb(span) + 2 - of->last : 1;
    if (ilogb(size) - of->last > 1000) p->bits = ilogb(size) - of->last + 2;
    if (!exact_on_device(p)) return;
    p->exponent = of->last;
    for (int c = 0; c < 2; c++) {
        p->least[c] = ldexp(p->least[c], -p->exponent);
        p->most[c] = ldexp(p->most[c], -p->exponent);
    }
    threads_run(0, 2 * (size_t)p->n / PART + 1, scale_part, p);
}

glshape_status exact_points_new(error *err, const glshape_matrix *m, exact_points *out) {
    extent of;
    OWNED_BY(exact_points_free) exact_points p = {0};
    *out = (exact_points){0};
    TRY(check_matrix(err, m));
    p.n = (uint32_t)m->rows;
    TRY(allocate(err, &p.xy, times(m->rows, 2), sizeof *p.xy, "the points"));
    TRY(read_values(err, m, p.xy, &of));
    scale(&p, &of);
    *out = MOVE(p);
    return GLSHAPE_OK;
}

void exact_points_free(exact_points *p) {
    free(p->xy);
    *p = (exact_points){0};
}
