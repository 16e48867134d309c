#include "reference/rips.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t ref_binomial(uint64_t n, uint64_t k) {
    if (k > n) return 0;
    uint64_t c = 1;
    for (uint64_t i = 1; i <= k; i++) c = c * (n - k + i) / i; /* C(n - k + i, i): exact */
    return c;
}

static float diameter(const ref_rips *r, const ref_simplex *s) {
    float longest = s->dim ? -INFINITY : r->births ? r->births[s->v[0]] : 0;
    for (int i = 0; i <= s->dim; i++)
        for (int j = 0; j < i; j++) {
            float d = r->distances[(size_t)s->v[i] * r->n + s->v[j]];
            if (d > longest) longest = d;
        }
    return longest;
}

/* Fills in the diameter and the index of a simplex whose dim and v are there; whether it is in the complex.
 */
static bool complete(const ref_rips *r, ref_simplex *s) {
    s->diameter = diameter(r, s);
    s->index = 0;
    for (int i = 0; i <= s->dim; i++) s->index += ref_binomial(s->v[i], (uint64_t)(s->dim + 1 - i));
    return s->diameter <= r->threshold && s->diameter < INFINITY;
}

/* Whether a comes before b, of its dimension, in the filtration: a is older. */
static bool older(const ref_simplex *a, const ref_simplex *b) {
    if (a->diameter != b->diameter) return a->diameter < b->diameter;
    return a->index > b->index;
}

static int compare(const void *a, const void *b) { return older(b, a) - older(a, b); }

/* The next set of vertices in lexicographic order of the falling sequences; false after the last. */
static bool step(uint32_t n, ref_simplex *s) {
    for (int i = s->dim; i >= 0; i--) {
        s->v[i]++;
        for (int j = i + 1; j <= s->dim; j++) s->v[j] = (uint32_t)(s->dim - j);
        if (s->v[i] < (i > 0 ? s->v[i - 1] : n)) return true;
    }
    return false;
}

ref_simplex *ref_rips_simplices(const ref_rips *r, int dim, size_t *count) {
    size_t most = ref_binomial(r->n, (uint64_t)dim + 1);
    ref_simplex *list = malloc((most + 1) * sizeof *list), s = {.dim = dim};
    for (int i = 0; i <= dim; i++) s.v[i] = (uint32_t)(dim - i);
    *count = 0;
    bool more = r->n > (uint32_t)dim;
    for (; more; more = step(r->n, &s))
        if (complete(r, &s)) list[(*count)++] = s;
    qsort(list, *count, sizeof *list, compare);
    return list;
}

/* ---- facets and cofacets ----------------------------------------------------------------------- */

static ref_simplex facet(const ref_rips *r, const ref_simplex *s, int without) {
    ref_simplex f = {.dim = s->dim - 1};
    for (int i = 0, k = 0; i <= s->dim; i++)
        if (i != without) f.v[k++] = s->v[i];
    complete(r, &f);
    return f;
}

/* False if vertex is in s, or the cofacet is not in the complex. */
static bool cofacet(const ref_rips *r, const ref_simplex *s, uint32_t vertex, ref_simplex *c) {
    *c = (ref_simplex){.dim = s->dim + 1};
    int k = 0;
    while (k <= s->dim && s->v[k] > vertex) k++;
    if (k <= s->dim && s->v[k] == vertex) return false;
    memcpy(c->v, s->v, (size_t)k * sizeof *c->v);
    c->v[k] = vertex;
    memcpy(c->v + k + 1, s->v + k, (size_t)(s->dim + 1 - k) * sizeof *c->v);
    return complete(r, c);
}

static bool oldest_cofacet(const ref_rips *r, const ref_simplex *s, ref_simplex *oldest) {
    bool found = false;
    for (uint32_t vertex = 0; vertex < r->n; vertex++) {
        ref_simplex c;
        if (!cofacet(r, s, vertex, &c)) continue;
        if (!found || older(&c, oldest)) *oldest = c;
        found = true;
    }
    return found;
}

static bool youngest_facet(const ref_rips *r, const ref_simplex *t, ref_simplex *youngest) {
    for (int i = 0; t->dim > 0 && i <= t->dim; i++) {
        ref_simplex f = facet(r, t, i);
        if (i == 0 || older(youngest, &f)) *youngest = f;
    }
    return t->dim > 0;
}

bool ref_rips_apparent_cofacet(const ref_rips *r, const ref_simplex *s, ref_simplex *t) {
    ref_simplex back;
    return oldest_cofacet(r, s, t) && youngest_facet(r, t, &back) && back.index == s->index &&
           t->diameter == s->diameter;
}

bool ref_rips_apparent_facet(const ref_rips *r, const ref_simplex *t, ref_simplex *s) {
    ref_simplex back;
    return youngest_facet(r, t, s) && oldest_cofacet(r, s, &back) && back.index == t->index &&
           t->diameter == s->diameter;
}

size_t ref_rips_apparent(const ref_rips *r, int dim) {
    size_t count, apparent = 0;
    ref_simplex *all = ref_rips_simplices(r, dim, &count), t;
    for (size_t i = 0; i < count; i++) apparent += ref_rips_apparent_cofacet(r, &all[i], &t);
    free(all);
    return apparent;
}

ref_simplex *ref_rips_left(const ref_rips *r, int dim, size_t *count) {
    size_t all;
    ref_simplex *list = ref_rips_simplices(r, dim, &all), other;
    *count = 0;
    for (size_t i = 0; i < all; i++)
        if (!ref_rips_apparent_cofacet(r, &list[i], &other) && !ref_rips_apparent_facet(r, &list[i], &other))
            list[(*count)++] = list[i];
    for (size_t i = 0; i < *count / 2; i++) {
        ref_simplex s = list[i];
        list[i] = list[*count - 1 - i];
        list[*count - 1 - i] = s;
    }
    return list;
}

/* ---- the standard algorithm -------------------------------------------------------------------- */

/* A reduced column: its non-zero entries from the lowest (the youngest row) up. */
typedef struct column {
    size_t count, *rows;
    uint32_t *values;
} column;

/* The boundary matrix from one dimension to the one below, and its reduction. */
typedef struct boundary {
    size_t n_rows, n_cols;
    const ref_simplex *rows, *cols; /* in filtration order */
    size_t *row_of;                 /* by index: the place of a facet among the rows */
    size_t *low_of;                 /* by row: 1 + the column whose lowest entry it is; 0: none */
    column *reduced;
    uint32_t *work; /* one column in full, n_rows entries below p */
    uint32_t p;
} boundary;

static uint32_t inverse(uint32_t a, uint32_t p) {
    for (uint32_t b = 1; b < p; b++)
        if ((uint64_t)a * b % p == 1) return b;
    return 0;
}

/* Puts ∂[v_0, …, v_d] = Σ (-1)^i [v_0, …, v_i omitted, …, v_d] into the work column. */
static void load(const ref_rips *r, boundary *b, const ref_simplex *s) {
    memset(b->work, 0, b->n_rows * sizeof *b->work);
    for (int i = 0; i <= s->dim; i++) b->work[b->row_of[facet(r, s, i).index]] = i % 2 ? b->p - 1 : 1;
}

/* Clears the lowest entry, at row low, of the work column with a multiple of a reduced column. */
static void cancel(boundary *b, size_t low, const column *c) {
    uint64_t factor = (uint64_t)b->work[low] * inverse(c->values[0], b->p) % b->p;
    for (size_t i = 0; i < c->count; i++) {
        uint32_t *entry = &b->work[c->rows[i]];
        *entry = (uint32_t)((*entry + (b->p - factor) * c->values[i]) % b->p);
    }
}

/* Keeps the work column, whose lowest entry is at row low. */
static void keep(boundary *b, size_t low, column *c) {
    c->rows = malloc((low + 1) * sizeof *c->rows);
    c->values = malloc((low + 1) * sizeof *c->values);
    for (size_t row = low + 1; row-- > 0;) {
        if (!b->work[row]) continue;
        c->rows[c->count] = row;
        c->values[c->count++] = b->work[row];
    }
    c->rows = realloc(c->rows, c->count * sizeof *c->rows);
    c->values = realloc(c->values, c->count * sizeof *c->values);
}

/* Columns from left to right, each until it is zero or its lowest entry is nobody else's. */
static void reduce(const ref_rips *r, boundary *b) {
    for (size_t j = 0; j < b->n_cols; j++) {
        load(r, b, &b->cols[j]);
        for (size_t row = b->n_rows; row-- > 0;) {
            if (!b->work[row]) continue;
            if (b->low_of[row]) {
                cancel(b, row, &b->reduced[b->low_of[row] - 1]);
            } else {
                b->low_of[row] = j + 1;
                keep(b, row, &b->reduced[j]);
                break;
            }
        }
    }
}

static boundary boundary_of(const ref_rips *r, const ref_simplex *rows, size_t n_rows,
                            const ref_simplex *cols, size_t n_cols, int dim, uint32_t p) {
    boundary b = {n_rows, n_cols, rows, cols, NULL, NULL, NULL, NULL, p};
    b.row_of = calloc(ref_binomial(r->n, (uint64_t)dim + 1) + 1, sizeof *b.row_of);
    b.low_of = calloc(n_rows + 1, sizeof *b.low_of);
    b.reduced = calloc(n_cols + 1, sizeof *b.reduced);
    b.work = malloc((n_rows + 1) * sizeof *b.work);
    for (size_t i = 0; i < n_rows; i++) b.row_of[rows[i].index] = i;
    reduce(r, &b);
    return b;
}

static void boundary_free(boundary *b) {
    for (size_t j = 0; j < b->n_cols; j++) free(b->reduced[j].rows), free(b->reduced[j].values);
    free(b->row_of), free(b->low_of), free(b->reduced), free(b->work);
}

/* Appends the classes of dimension dim. below: whether the column of a simplex in the matrix under this one
 * is non-zero; such a simplex ends a class, and begins none. */
static void append(const boundary *b, int dim, const boundary *below, ref_rips_pair *pairs, size_t *count) {
    for (size_t i = 0; i < b->n_rows; i++) {
        if (below->n_cols && below->reduced[i].count) continue;
        const ref_simplex *s = &b->rows[i], *t = b->low_of[i] ? &b->cols[b->low_of[i] - 1] : NULL;
        pairs[(*count)++] = (ref_rips_pair){dim, s->diameter, t ? t->diameter : INFINITY, s->index,
                                            t ? t->index : REF_RIPS_NONE};
    }
}

ref_rips_pair *ref_rips_pairs(const ref_rips *r, int top, uint32_t modulus, size_t *count) {
    size_t n_rows, n_cols, most = 1;
    for (int dim = 0; dim <= top; dim++) most += ref_binomial(r->n, (uint64_t)dim + 1);
    ref_simplex *rows = ref_rips_simplices(r, 0, &n_rows), *cols;
    ref_rips_pair *pairs = malloc(most * sizeof *pairs);
    boundary below = {0}, b;
    *count = 0;
    for (int dim = 0; dim <= top; dim++) {
        cols = ref_rips_simplices(r, dim + 1, &n_cols);
        b = boundary_of(r, rows, n_rows, cols, n_cols, dim, modulus);
        append(&b, dim, &below, pairs, count);
        boundary_free(&below);
        below = b;
        free(rows);
        rows = cols;
        n_rows = n_cols;
    }
    boundary_free(&below);
    free(rows);
    return pairs;
}

/* ---- the greedy permutation -------------------------------------------------------------------- */

float ref_rips_greedy(const ref_rips *r, uint32_t count, uint32_t *order) {
    float cover = 0;
    for (uint32_t k = 0, next = 0; k <= count; k++) {
        if (k) cover = -1;
        for (uint32_t i = 0; k && i < r->n; i++) {
            float nearest = INFINITY;
            for (uint32_t j = 0; j < k; j++)
                nearest = i == order[j] ? -1 : fminf(nearest, r->distances[(size_t)i * r->n + order[j]]);
            if (nearest > cover) cover = nearest, next = i;
        }
        if (k < count) order[k] = next;
    }
    return cover < 0 ? 0 : cover;
}
