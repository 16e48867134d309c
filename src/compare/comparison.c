/* Distances that a method asks for. Few diagrams are all compared at once, where passes may do it; of more, a
 * row or a pair is found when it is asked for, by threads. Both are the floats of glshape_compare. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "compare/compare.h"
#include "compare/vectors.h"
#include "gpu/context.h"

#define KEPT_BYTES ((size_t)1 << 30) /* of half a matrix, at most, unless the caller says otherwise */

/* What the diagrams are of a dimension. */
typedef struct part {
    diagrams d;
    slices s; /* on all lines */
    glshape_vectors_result v;
} part;

struct glshape_comparison {
    measure m;
    size_t n;
    float *half; /* NULL: distances are found when they are asked for */
    part *parts;
    size_t count;
    atomic_bool stop;   /* is never true */
    atomic_int readers; /* threads that ask at the moment */
};

void glshape_comparison_free(glshape_comparison *c) {
    if (!c) return;
    for (size_t k = 0; k < c->count; k++) {
        diagrams_free(&c->parts[k].d);
        slices_free(&c->parts[k].s);
        glshape_vectors_free(&c->parts[k].v);
    }
    free(c->parts);
    free(c->half);
    free(c);
}

static void free_comparison(glshape_comparison **c) { glshape_comparison_free(*c); }

/* ---- preparing ---------------------------------------------------------------------------------- */

static glshape_status prepare_part(gpu *g, const measure *m, const glshape_diagrams *in, part *out) {
    error *err = run_error(run_of(g));
    if (m->o.metric >= GLSHAPE_COMPARE_IMAGE) {
        const glshape_vectors_options o = measure_vectors_options(m);
        return vectors_make(g, in, &o, &out->v);
    }
    TRY(diagrams_take(err, in, &out->d));
    if (m->o.metric != GLSHAPE_COMPARE_SLICED_WASSERSTEIN) return GLSHAPE_OK;
    run_begin_stage(run_of(g), "steps", RUN_NOT_BY_PASSES);
    TRY(slices_new(err, &out->d, m->o.directions, SIZE_MAX, &out->s));
    TRY(slices_make(err, &out->s, 0));
    return GLSHAPE_OK;
}

static glshape_status prepare_parts(gpu *g, glshape_comparison *c, const glshape_diagrams *in) {
    TRY(allocate(run_error(run_of(g)), &c->parts, c->m.o.more_count + 1, sizeof *c->parts, "the diagrams"));
    for (; c->count <= c->m.o.more_count; c->count++) {
        glshape_status status =
            prepare_part(g, &c->m, c->count ? &c->m.o.more[c->count - 1] : in, &c->parts[c->count]);
        if (!status) continue;
        c->count++; /* what there is of it is released */
        return status;
    }
    return run_tick(run_of(g), 1);
}

/* The caller's diagrams and options need not outlive the call. */
static void forget_given(glshape_comparison *c) {
    c->m.o.more = NULL;
    c->m.o.vectors = NULL;
}

static glshape_status prepare(gpu *g, const glshape_diagrams *in, const glshape_compare_options *options,
                              glshape_keep keep, glshape_comparison **out) {
    OWNED_BY(free_comparison) glshape_comparison *c = NULL;
    error *err = run_error(run_of(g));
    TRY(error_check_choice(err, keep, GLSHAPE_KEEP_PAGED, "keep"));
    TRY(allocate(err, &c, 1, sizeof *c, "the comparison"));
    TRY(measure_read(err, options, &c->m));
    if (c->m.o.rows || c->m.o.errors)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "rows and errors are of glshape_compare; a comparison has a reader and a feeder");
    TRY(measure_check(err, &c->m, in));
    c->n = in->count;
    bool fits = times(times(c->n, c->n), 2) <= KEPT_BYTES;
    if (keep == GLSHAPE_KEEP_RESIDENT || (keep == GLSHAPE_KEEP_AUTO && fits))
        TRY(compare_half(g, &c->m, in, &c->half));
    else TRY(prepare_parts(g, c, in));
    forget_given(c);
    *out = MOVE(c);
    return GLSHAPE_OK;
}

glshape_status glshape_comparison_new(glshape_context *context, const glshape_diagrams *diagrams,
                                      const glshape_compare_options *options, glshape_keep keep,
                                      glshape_comparison **out) {
    gpu *g;
    *out = NULL;
    TRY(CONTEXT_BEGIN_METHOD(context, options, &g));
    return context_end(context, prepare(g, diagrams, options, keep, out));
}

bool glshape_comparison_is_kept(const glshape_comparison *c) { return c->half != NULL; }

/* ---- asking ------------------------------------------------------------------------------------- */

/* The distance of diagrams i > j in one dimension. */
static glshape_status compare_part(error *err, const glshape_comparison *c, const part *p, uint32_t i,
                                   uint32_t j, double *out) {
    double gap;
    if (p->v.values) *out = measure_vectors(&p->v, i, j);
    else if (p->s.first) *out = measure_slices(&c->m, &p->d, &p->s, i, j, slices_sum(&p->s, i, j));
    else return measure_matching(err, &c->m, &p->d, i, j, &c->stop, out, &gap);
    return GLSHAPE_OK;
}

/* Those of dimensions are rounded and added in the order of glshape_compare. */
static glshape_status compare_two(error *err, const glshape_comparison *c, uint32_t i, uint32_t j,
                                  float *out) {
    *out = 0;
    if (i < j) return compare_two(err, c, j, i, out);
    for (size_t k = 0; k < c->count && i != j; k++) {
        double distance;
        TRY(compare_part(err, c, &c->parts[k], i, j, &distance));
        *out += (float)distance;
    }
    return GLSHAPE_OK;
}

/* Pairs that are asked for: a list of them, or rows of the matrix. */
typedef struct asked {
    const glshape_comparison *c;
    const uint32_t *i, *j; /* NULL: rows */
    uint32_t first;
    uint64_t count; /* of pairs */
    float *out;
    atomic_bool failed;
    error err; /* of the thread that set it */
} asked;

enum { PAIRS = 64 }; /* that a thread takes at a time */

static bool answer_some(void *user, uint64_t item, int thread) {
    asked *a = user;
    error err = {0};
    size_t n = a->c->n;
    (void)thread;
    for (uint64_t k = item * PAIRS; k < (item + 1) * PAIRS && k < a->count; k++) {
        uint32_t i = a->i ? a->i[k] : a->first + (uint32_t)(k / n), j = a->i ? a->j[k] : (uint32_t)(k % n);
        if (!compare_two(&err, a->c, i, j, &a->out[k])) continue;
        if (!atomic_exchange(&a->failed, true)) a->err = err;
        return false;
    }
    return true;
}

/* Threads that ask at once share the processors. */
static bool answer(glshape_comparison *c, asked *a, char *message, size_t size) {
    int readers = atomic_fetch_add(&c->readers, 1) + 1, threads = threads_count(0) / readers;
    threads_share(threads < 1 ? 1 : threads, (a->count + PAIRS - 1) / PAIRS, answer_some, a);
    atomic_fetch_sub(&c->readers, 1);
    if (!atomic_load(&a->failed)) return true;
    if (size) strncpy(message, a->err.text, size - 1);
    return false;
}

bool glshape_comparison_reader(void *comparison, uint32_t first, uint32_t count, float *out, char *message,
                               size_t size) {
    glshape_comparison *c = comparison;
    asked a = {.c = c, .first = first, .count = (uint64_t)count * c->n, .out = out};
    if (!c->half) return answer(c, &a, message, size);
    compare_fill(c->half, c->n, first, count, 1, out);
    return true;
}

static float kept(const glshape_comparison *c, uint32_t i, uint32_t j) {
    return i == j ? 0 : c->half[i > j ? compare_place(i, j) : compare_place(j, i)];
}

bool glshape_comparison_feeder(void *comparison, size_t count, const uint32_t *i, const uint32_t *j,
                               float *out, char *message, size_t size) {
    glshape_comparison *c = comparison;
    asked a = {.c = c, .i = i, .j = j, .count = count, .out = out};
    if (!c->half) return answer(c, &a, message, size);
    for (size_t k = 0; k < count; k++) out[k] = kept(c, i[k], j[k]);
    return true;
}
