#include "rips/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

float shapes_matrix[MOST * MOST];
random_state shapes_dice;
glshape_context *shapes_context;

static float draw(const shape *s) {
    if (s->gaps && random_below(&shapes_dice, 4) == 0) return INFINITY;
    return s->values ? (float)(random_below(&shapes_dice, s->values) + !s->zeros)
                     : (float)random_unit(&shapes_dice) + 0.1f;
}

ref_rips shapes_make(const shape *s) {
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t j = 0; j <= i; j++)
            shapes_matrix[i * s->n + j] = shapes_matrix[j * s->n + i] = i == j ? 0 : draw(s);
    return (ref_rips){s->n, shapes_matrix, s->threshold, NULL};
}

const shape shapes_all[SHAPES] = {
    {2, 1, false, false, INFINITY}, {3, 2, false, false, INFINITY}, {7, 1, false, false, INFINITY},
    {9, 2, false, false, INFINITY}, {12, 3, false, true, INFINITY}, {12, 4, false, false, 3},
    {12, 4, true, false, INFINITY}, {11, 3, true, true, 2},         {13, 0, false, false, INFINITY},
    {13, 0, false, false, 0.7f},    {12, 0, false, true, INFINITY}, {14, 40, false, false, INFINITY},
    {10, 1, true, false, INFINITY}, {14, 4, false, false, 0.5f},    {12, 4, true, false, 0},
};

bool shapes_read(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    const ref_rips *r = user;
    (void)message, (void)size;
    memcpy(out, r->distances + (size_t)first * r->n, (size_t)count * r->n * sizeof *out);
    return true;
}

glshape_rips_result shapes_intervals_with(ref_rips *r, glshape_rips_options o) {
    glshape_rips_result result;
    glshape_source source = {.reader = shapes_read, .user = r, .n = r->n};
    ck_assert_msg(glshape_rips(shapes_context, &source, &o, &result) == GLSHAPE_OK, "%s",
                  glshape_last_error(shapes_context));
    return result;
}

/* Up to the twin's threshold. */
glshape_rips_result shapes_intervals(ref_rips *r, glshape_rips_options o) {
    o.threshold = GLSHAPE_SET(r->threshold);
    return shapes_intervals_with(r, o);
}

static bool same(const glshape_interval *i, const ref_rips_pair *p) {
    uint64_t died = p->died == REF_RIPS_NONE ? GLSHAPE_NO_SIMPLEX : p->died;
    return i->dim == p->dim && i->birth == p->birth && i->death == p->death && i->birth_simplex == p->born &&
           i->death_simplex == died;
}

/* Each of the twin's pairs of non-zero length is among the intervals, and there are as many of them. */
void shapes_compare(const glshape_rips_result *result, const ref_rips *r, int top, uint32_t modulus) {
    size_t count, wanted = 0;
    ref_rips_pair *pairs = ref_rips_pairs(r, top, modulus, &count);
    for (size_t k = 0; k < count; k++) {
        if (!(pairs[k].birth < pairs[k].death)) continue;
        size_t at = 0;
        while (at < result->count && !same(&result->intervals[at], &pairs[k])) at++;
        ck_assert_msg(at < result->count, "no interval %d [%g, %g) of simplices %llu, %llu", pairs[k].dim,
                      (double)pairs[k].birth, (double)pairs[k].death, (unsigned long long)pairs[k].born,
                      (unsigned long long)pairs[k].died);
        wanted++;
    }
    ck_assert_uint_eq(result->count, wanted);
    free(pairs);
}

/* The graph of a matrix: every pair with a distance. */
void shapes_graph(const ref_rips *r, glshape_graph *g, size_t *start, uint32_t *to, float *weight) {
    size_t used = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        start[i] = used;
        for (uint32_t j = r->n; j-- > 0;) /* in any order */
            if (i != j && r->distances[i * r->n + j] < INFINITY) {
                to[used] = j;
                weight[used++] = r->distances[i * r->n + j];
            }
    }
    start[r->n] = used;
    *g = (glshape_graph){r->n, start, to, weight};
}

/* A matrix of which some points are joined to none. */
ref_rips shapes_make_gaps(const shape *s) {
    ref_rips r = shapes_make(s);
    for (uint32_t i = 0; i < r.n; i++)
        for (uint32_t j = 0, alone = random_below(&shapes_dice, 3) == 0; alone && j < r.n; j++)
            if (i != j) shapes_matrix[i * r.n + j] = shapes_matrix[j * r.n + i] = INFINITY;
    return r;
}

/* The intervals of the graph of r are the twin's. */
void shapes_compare_graph(const ref_rips *r, const ref_rips *twin, glshape_rips_options o) {
    size_t start[MOST + 1];
    uint32_t to[MOST * MOST];
    float weight[MOST * MOST];
    glshape_graph g;
    glshape_rips_result result;
    o.dim = GLSHAPE_SET(2);
    o.modulus = 3;
    o.threshold = GLSHAPE_SET(r->threshold);
    shapes_graph(r, &g, start, to, weight);
    glshape_source source = {.graph = &g};
    ck_assert_int_eq(glshape_rips(shapes_context, &source, &o, &result), GLSHAPE_OK);
    ck_assert_uint_eq(result.n, r->n);
    shapes_compare(&result, twin, 2, 3);
    glshape_rips_free(&result);
}

bool shapes_same(const glshape_interval *a, const glshape_interval *b) {
    return a->dim == b->dim && a->birth == b->birth && a->death == b->death &&
           a->birth_simplex == b->birth_simplex && a->death_simplex == b->death_simplex;
}

void shapes_open(void) {
    ck_assert_int_eq(
        glshape_open(&(glshape_options){.debug = true, .device = test_device()}, &shapes_context),
        GLSHAPE_OK);
}
void shapes_close(void) { ck_assert_int_eq(glshape_close(shapes_context), 0); }
