#include "dist/narrow.h"

#include <math.h>
#include <stdlib.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/whole.h"
#include "dist/source.h"

static bool is_wide_type(const glshape_matrix *m) {
    return m && m->data && (m->type == GLSHAPE_I64 || m->type == GLSHAPE_U64);
}

/* The first value that double precision does not have; the number of values if there is none. */
static size_t first_lost(const glshape_matrix *m) {
    size_t count = m->rows * m->cols;
    const uint64_t *bits = m->data;
    for (size_t k = 0; k < count; k++) {
        bool negative = m->type == GLSHAPE_I64 && bits[k] >> 63;
        if (!whole_is_double(negative ? 0 - bits[k] : bits[k])) return k;
    }
    return count;
}

static glshape_status refuse(error *err, const glshape_matrix *m, size_t k, const char *remedy) {
    return fail(err, GLSHAPE_BAD_INPUT,
                "row %zu, column %zu is an integer beyond 2^53 that double precision does not have; %s",
                k / m->cols + 1, k % m->cols + 1, remedy);
}

static bool is_negative(const glshape_matrix *m, size_t k) {
    double value;
    if (m->type == GLSHAPE_I64) return ((const int64_t *)m->data)[k] < 0;
    if (m->type == GLSHAPE_U64) return false;
    matrix_doubles(m, k, 1, &value);
    return value < 0;
}

/* Sets *key to value k of m, ordered as integers of a type are. Returns false if it is none of the type. */
static bool key_of(const glshape_matrix *m, glshape_type type, size_t k, uint64_t *key) {
    double value;
    bool is_signed = type == GLSHAPE_I64;
    if (is_wide_type(m)) {
        uint64_t bits = ((const uint64_t *)m->data)[k];
        *key = whole_key_of(type, bits);
        return m->type == type || bits <= INT64_MAX;
    }
    matrix_doubles(m, k, 1, &value);
    if (value != floor(value) || value < (is_signed ? -0x1p63 : 0) || value >= (is_signed ? 0x1p63 : 0x1p64))
        return false;
    *key = whole_key_of(type, is_signed ? (uint64_t)(int64_t)value : (uint64_t)value);
    return true;
}

typedef struct narrowing {
    error *err;
    const glshape_matrix *parts[2];
    glshape_type type;
    uint64_t *least; /* of each column */
} narrowing;

/* The type that all values may have: one with a sign if there is a negative value. */
static glshape_type common_type(const narrowing *n) {
    for (int part = 0; part < 2; part++) {
        const glshape_matrix *m = n->parts[part];
        for (size_t k = 0; m && k < m->rows * m->cols; k++)
            if (is_negative(m, k)) return GLSHAPE_I64;
    }
    return GLSHAPE_U64;
}

static glshape_status find_least(const narrowing *n, int part) {
    const glshape_matrix *m = n->parts[part];
    for (size_t k = 0; m && k < m->rows * m->cols; k++) {
        uint64_t key;
        if (!key_of(m, n->type, k, &key))
            return fail(
                n->err, GLSHAPE_BAD_INPUT,
                "integers beyond 2^53 are exact only if all points and queries are integers of one type; row "
                "%zu, column %zu of the %s is no %s; subtract an offset from both",
                k / m->cols + 1, k % m->cols + 1, part ? "queries" : "points",
                n->type == GLSHAPE_I64 ? "int64" : "uint64");
        if (key < n->least[k % m->cols]) n->least[k % m->cols] = key;
    }
    return GLSHAPE_OK;
}

static glshape_status subtract_least(const narrowing *n, const glshape_matrix *m, double *out) {
    for (size_t k = 0; k < m->rows * m->cols; k++) {
        uint64_t key = 0;
        key_of(m, n->type, k, &key);
        key -= n->least[k % m->cols];
        if (!whole_is_double(key))
            return refuse(n->err, m, k, "its column spans more than 2^53: divide it by a number");
        out[k] = (double)key;
    }
    return GLSHAPE_OK;
}

static glshape_status subtract(error *err, narrowing *n, dist_narrowed *out) {
    OWNED uint64_t *least = NULL;
    glshape_matrix *const made[] = {&out->points, &out->queries};
    size_t cols = n->parts[0]->cols;
    TRY(allocate(err, &least, cols, sizeof *least, "the points"));
    for (size_t c = 0; c < cols; c++) least[c] = UINT64_MAX;
    n->least = least;
    n->type = common_type(n);
    for (int part = 0; part < 2; part++) TRY(find_least(n, part));
    for (int part = 0; part < 2; part++) {
        const glshape_matrix *m = n->parts[part];
        if (!m) continue;
        TRY(allocate(err, &out->copies[part], times(m->rows, m->cols), sizeof(double), "the points"));
        TRY(subtract_least(n, m, out->copies[part]));
        *made[part] = (glshape_matrix){GLSHAPE_F64, m->rows, m->cols, out->copies[part]};
    }
    return GLSHAPE_OK;
}

glshape_status dist_narrow(error *err, const glshape_matrix *points, const glshape_matrix *queries,
                           glshape_metric metric, dist_narrowed *out) {
    narrowing n = {.err = err, .parts = {points, queries}};
    bool lost = false;
    *out = (dist_narrowed){.points = *points};
    if (queries) out->queries = *queries;
    if (queries && queries->cols != points->cols) return GLSHAPE_OK; /* the method refuses them */
    if (metric == GLSHAPE_METRIC_COSINE) return GLSHAPE_OK; /* rounding is an error of 2^-53 in angles */
    for (int part = 0; part < 2 && !lost; part++) {
        const glshape_matrix *m = n.parts[part];
        if (!is_wide_type(m)) continue;
        size_t at = first_lost(m);
        lost = at < m->rows * m->cols;
        if (lost && metric == GLSHAPE_METRIC_CORRELATION)
            return refuse(err, m, at, "subtract an offset from its row: correlations stay");
    }
    return lost ? subtract(err, &n, out) : GLSHAPE_OK;
}

void dist_narrowed_free(dist_narrowed *n) {
    for (int part = 0; part < 2; part++) free(n->copies[part]);
    *n = (dist_narrowed){0};
}

glshape_status dist_narrow_source(error *err, const glshape_source *source, dist_narrowed *narrowed,
                                  glshape_source *out) {
    *out = *source;
    if (!source->points) return GLSHAPE_OK;
    TRY(dist_narrow(err, source->points, NULL, source->metric, narrowed));
    out->points = &narrowed->points;
    return GLSHAPE_OK;
}
