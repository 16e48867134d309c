/* How neighbors are found: through an index or by pairs; these on the GPU or by the processors alone. */
#include <math.h>

#include "base/owned.h"
#include "base/random.h"
#include "neighbors/points.h"
#include "place/place.h"

static uint32_t count_points(const knn_points *p) { return p->n - p->queries; }

static double count_searches(const knn_points *p) { return p->queries ? p->queries : p->n; }

/* ---- on the GPU or not ------------------------------------------------------------------------- */

static bool is_small(const gpu *g, const knn_points *p) {
    double values = count_searches(p) * count_points(p) * (double)p->m->cols;
    return p->search == GLSHAPE_SEARCH_AUTO && place_is_little(g, PLACE_PAIRS, values);
}

glshape_status knn_pairs_place(gpu *g, const knn_points *p, run_why *why) {
    *why = !norm_is_whole(&p->norm) ? RUN_NOT_LIMITS : is_small(g, p) ? RUN_NOT_SMALL : gpu_why_passes(g);
    return ranks_broadcast(run_ranks(run_of(g)), run_error(run_of(g)), why,
                           sizeof *why); /* not on all is the device open */
}

/* ---- samples ----------------------------------------------------------------------------------- */

#define SAMPLE 8192u
#define QUICK_SAMPLE 1024u

/* Some of the points: of each of n equal parts one, by chance, as rows may repeat themselves after a while.
 */
typedef struct sample {
    const knn_points *p;
    uint32_t n;
} sample;

static glshape_status read_sample(error *err, const void *user, uint32_t i, double *out) {
    const sample *s = user;
    random_state random = {i};
    uint64_t n = count_points(s->p), from = i * n / s->n, end = (i + 1) * n / s->n;
    return knn_row(err, s->p, (uint32_t)(from + random_below(&random, (uint32_t)(end - from))), out);
}

/* What a search among a sample of n of the points looks at. */
static glshape_status seen_in_sample(error *err, const knn_points *p, uint32_t n, uint32_t k, double *seen) {
    OWNED_BY(index_free) spatial_index x = {0};
    TRY(index_new(err, n, (uint32_t)p->m->cols, p->norm, read_sample, &(sample){p, n}, &x));
    *seen = index_cost(&x, k);
    return GLSHAPE_OK;
}

/* What a search among all points looks at, about. It grows as a power of their number, which two samples
 * tell: hardly at all in few dimensions, in many as the number itself. */
static glshape_status estimate_seen(error *err, const knn_points *p, uint32_t k, double *seen) {
    uint32_t n = count_points(p);
    double less, more;
    if (n <= SAMPLE) return seen_in_sample(err, p, n, k, seen);
    TRY(seen_in_sample(err, p, SAMPLE / 4, k, &less));
    TRY(seen_in_sample(err, p, SAMPLE, k, &more));
    *seen = more * pow((double)n / SAMPLE, log(fmax(more / less, 1)) / log(4));
    return GLSHAPE_OK;
}

/* Whether a few points show that searches through an index leave something out: most wide points are all
 * about equally far from each other, so that these look at all. The nearest of few is about as far as the
 * k-th of all, or farther. */
static glshape_status looks_few(error *err, const knn_points *p, uint32_t k, bool *so) {
    uint32_t n = count_points(p), some = n < QUICK_SAMPLE ? n : QUICK_SAMPLE;
    double seen;
    TRY(seen_in_sample(err, p, some, (uint32_t)((uint64_t)k * some / n) + 2, &seen)); /* 2: one is itself */
    *so = seen < some;
    return GLSHAPE_OK;
}

/* ---- whether an index pays --------------------------------------------------------------------- */

/* Wide points have more columns than this. Of others the index takes little time to make; where all searches
 * read so few values the processors are done before a shader is compiled. */
#define FEW_COLUMNS 16u
#define FEW_VALUES 1e8

static place_price price_of(gpu *g, const knn_points *p, bool found) {
    bool by_passes = p->m->cols <= INDEX_PASS_COLUMNS && norm_is_whole(&p->norm) && gpu_may_be_exact(g);
    return place_index_price(g, p->m->cols > FEW_COLUMNS, found, by_passes);
}

/* Whether it pays if a search looks at `seen` points; by pairs ranks share the work. */
static bool pays(run *r, const knn_points *p, place_price price, double seen) {
    double n = count_points(p), ranks = p->m->cols > FEW_COLUMNS ? run_ranks(r)->size : 1;
    return (seen + price.making * n / count_searches(p)) * price.share * ranks < n;
}

glshape_status knn_most_seen(gpu *g, const knn_points *p, double *most) {
    bool found = norm_is_whole(&p->norm);
    if (found) TRY(place_find(g, 0, &found));
    *most = found ? count_points(p) / price_of(g, p, found).share : INFINITY;
    return GLSHAPE_OK;
}

/* Of points of few columns. */
static glshape_status judge_narrow(gpu *g, const knn_points *p, uint32_t k, bool *so) {
    double seen;
    bool found;
    *so = p->m->cols <= PLACE_SURE_COLUMNS && count_points(p) >= PLACE_SURE_POINTS;
    if (*so) return GLSHAPE_OK;
    TRY(estimate_seen(run_error(run_of(g)), p, k, &seen));
    *so = count_searches(p) * seen * (double)p->m->cols < FEW_VALUES;
    if (*so) return GLSHAPE_OK;
    TRY(place_find(g, 0, &found));
    found = found && !p->untrusted;
    *so = !found || pays(run_of(g), p, price_of(g, p, found), seen);
    return GLSHAPE_OK;
}

/* Of wide points, which may lie near a surface of few dimensions, or in few places. To find out must not take
 * long beside the comparing of pairs. */
static glshape_status judge_wide(gpu *g, const knn_points *p, uint32_t k, bool *so) {
    double seen;
    bool found;
    *so = false;
    if (is_small(g, p) || !index_is_modest(count_points(p), p->m->cols)) return GLSHAPE_OK;
    TRY(place_find(g, 0, &found));
    place_price price = price_of(g, p, found);
    if (!pays(run_of(g), p, price, 0)) return GLSHAPE_OK;
    TRY(looks_few(run_error(run_of(g)), p, k, so));
    if (!*so) return GLSHAPE_OK;
    TRY(estimate_seen(run_error(run_of(g)), p, k, &seen));
    *so = pays(run_of(g), p, price, seen);
    return GLSHAPE_OK;
}

glshape_status knn_make_index(gpu *g, const index_source *s, spatial_index *out) {
    run_why why;
    TRY(index_make_place(g, s, &why));
    OWNED_BY(run_end_within) run_within stage = run_begin_within(run_of(g), "index", why);
    return index_make(g, s, why, out);
}

glshape_status knn_index_points(gpu *g, knn_points *p, uint32_t k) {
    error *err = run_error(run_of(g));
    if (p->space.n) return GLSHAPE_OK;
    if (p->m->cols > INDEX_COLUMNS)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "the points have %zu columns; an index is of at most %u",
                    p->m->cols, INDEX_COLUMNS);
    index_source s = knn_source(p, 0, count_points(p));
    s.k = p->lists_only ? k : 0;
    TRY(knn_make_index(g, &s, &p->space));
    return p->lists_only || p->joins ? GLSHAPE_OK : index_bring(g, &p->space);
}

glshape_status knn_in_space(gpu *g, knn_points *p, uint32_t k, bool *so) {
    const ranks *r = run_ranks(run_of(g));
    OWNED_BY(run_end_within) run_within stage = run_begin_within(run_of(g), "choose", RUN_NOT_BY_PASSES);
    bool must = p->search == GLSHAPE_SEARCH_INDEX || k > KNN_PAIRS_MOST;
    *so = must || p->space.n;
    if (p->search == GLSHAPE_SEARCH_PAIRS && must)
        return fail(run_error(run_of(g)), GLSHAPE_BAD_ARGUMENT,
                    "%u neighbors were asked for; by pairs at most %u are possible", k, KNN_PAIRS_MOST);
    if (p->search == GLSHAPE_SEARCH_PAIRS || (p->in_pairs && !must)) {
        *so = false;
        return GLSHAPE_OK;
    }
    bool wide = p->m->cols > FEW_COLUMNS, found;
    if (wide && !*so && r->size > 1 && !is_small(g, p)) TRY(place_find(g, 0, &found)); /* all ranks at once */
    bool first = ranks_go_alone(r);
    if (!*so && first) TRY((wide ? judge_wide : judge_narrow)(g, p, k, so));
    TRY(ranks_broadcast(r, run_error(run_of(g)), so, sizeof *so));
    p->in_pairs = !*so;
    if (!*so) ranks_go_together(r);
    return *so && first ? knn_index_points(g, p, k) : GLSHAPE_OK;
}
