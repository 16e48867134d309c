#include "compare/diagrams.h"

#include <math.h>

glshape_status diagrams_check(error *err, const glshape_diagrams *in) {
    if (!in->count || in->count > (1u << 24))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "%zu diagrams; there are 1 to %u", in->count, 1u << 24);
    if (!in->first) return fail(err, GLSHAPE_BAD_ARGUMENT, "first is NULL; it has count + 1 numbers");
    for (size_t i = 0; i < in->count; i++)
        if (in->first[i] > in->first[i + 1])
            return fail(err, GLSHAPE_BAD_ARGUMENT,
                        "diagram %zu begins at pair %zu and the next one at pair %zu; first ascends", i + 1,
                        in->first[i], in->first[i + 1]);
    if (!in->pairs && in->first[in->count] > in->first[0])
        return fail(err, GLSHAPE_BAD_ARGUMENT, "pairs is NULL; the diagrams have %zu pairs",
                    in->first[in->count] - in->first[0]);
    return GLSHAPE_OK;
}

glshape_status diagrams_check_pair(error *err, size_t diagram, size_t k, const double *pair) {
    if (isfinite(pair[0]) && !isnan(pair[1])) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT,
                "diagram %zu, pair %zu: birth %g, death %g; a birth is a finite number, a death a number or "
                "infinite",
                diagram + 1, k + 1, pair[0], pair[1]);
}
