/* The one place that refuses sources which are none. */
#include <math.h>

#include "base/matrix.h"
#include "dist/paths.h"
#include "dist/source.h"

glshape_status dist_sparse_check_shape(error *err, const glshape_sparse *m) {
    if (!m->start)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "sparse rows without starts: their pointer is NULL");
    if (m->start[0])
        return fail(err, GLSHAPE_BAD_INPUT, "the values of sparse rows start at %zu, not 0", m->start[0]);
    for (size_t r = 0; r < m->rows; r++)
        if (m->start[r + 1] < m->start[r])
            return fail(err, GLSHAPE_BAD_INPUT, "row %zu: its values end before they start", r + 1);
    if (m->start[m->rows] && (!m->column || !m->value))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "sparse rows without values or columns: a pointer is NULL");
    return GLSHAPE_OK;
}

static glshape_status check_graph(error *err, const glshape_graph *g, const double *length) {
    TRY(dist_graph_check_shape(err, g));
    for (size_t v = 0; length && v < g->nodes; v++)
        for (size_t k = g->start[v]; k < g->start[v + 1]; k++)
            if (!(length[k] >= 0 && length[k] < INFINITY))
                return fail(
                    err, GLSHAPE_BAD_INPUT,
                    "the edge from node %zu to node %lu (counted from 0) has length %g; lengths are not "
                    "negative, and finite",
                    v, (unsigned long)g->to[k], length[k]);
    return GLSHAPE_OK;
}

static int kinds_of(const glshape_source *s) {
    return (s->points ? DIST_OF_POINTS : 0) | (s->sparse ? DIST_OF_SPARSE : 0) |
           (s->graph ? DIST_OF_GRAPH : 0) | (s->reader ? DIST_OF_READER : 0) |
           (s->feeder ? DIST_OF_FEEDER : 0);
}

glshape_status dist_source_check(error *err, const glshape_source *s, int kinds, const char *needs) {
    TRY(error_check_reserved(err, "source", s->reserved));
    int set = !!s->points + !!s->sparse + !!s->graph + !!s->reader + !!s->feeder;
    if (set != 1) return fail(err, GLSHAPE_BAD_ARGUMENT, "%s: %d of them are set, not one", needs, set);
    bool sphere = s->metric == GLSHAPE_METRIC_HAVERSINE && s->points && (kinds & DIST_ON_SPHERE);
    if (kinds_of(s) & ~kinds)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "%s; the source is of another kind", needs);
    if (s->double_reader && !s->reader)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "a double_reader goes with a reader of the same matrix");
    if (!sphere) TRY(dist_metric_check(err, s->metric, s->p));
    TRY(error_check_choice(err, (int)s->keep, GLSHAPE_KEEP_PAGED, "way of keeping a matrix"));
    if (s->points) return matrix_check(err, s->points);
    if (s->sparse) return dist_sparse_check_shape(err, s->sparse);
    return s->graph ? check_graph(err, s->graph, s->graph_lengths) : GLSHAPE_OK;
}
