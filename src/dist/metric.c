/* Which metrics there are, and what their distances are made of. */
#include <math.h>

#include "dist/source.h"

glshape_status dist_metric_check(error *err, glshape_metric metric, double p) {
    TRY(error_check_choice(err, (int)metric, GLSHAPE_METRIC_HAVERSINE, "metric"));
    if (metric == GLSHAPE_METRIC_HAVERSINE)
        return fail(
            err, GLSHAPE_BAD_ARGUMENT,
            "haversine distances are of dense points for knn, linkage, hdbscan and rips, nothing else");
    if (metric != GLSHAPE_METRIC_MINKOWSKI || p == 0 || isinf(p) > 0 || (p >= 1 && p <= NORM_MOST))
        return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT,
                "p is %g; a Minkowski distance has 1 to %u, or infinity, which is the Chebyshev distance", p,
                NORM_MOST);
}

norm dist_norm(glshape_metric metric, double p) {
    switch (metric) {
        case GLSHAPE_METRIC_MANHATTAN:
            return norm_of(1);
        case GLSHAPE_METRIC_CHEBYSHEV:
            return norm_of(INFINITY);
        case GLSHAPE_METRIC_MINKOWSKI:
            return norm_of(p == 0 ? 2 : p);
        default:
            return norm_of(2);
    }
}
