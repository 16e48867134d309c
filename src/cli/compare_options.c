#include "cli/compare_options.h"

#include <math.h>
#include <string.h>

#include "io/number.h"

/* Refuses an option that the metric has no use for. */
static glshape_status check_use(error *err, const compare_texts *c, bool given, const char *option,
                                int metric, const char *name) {
    if (!given || c->metric == metric) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT, "%s goes with --metric %s", option, name);
}

static glshape_status read_number(error *err, const char *option, const char *text, const char *takes,
                                  double least, double most, double *out) {
    if (!text || (io_number_parse(text, strlen(text), out) && *out >= least && *out <= most))
        return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT, "%s %s: it takes %s", option, text, takes);
}

static glshape_status read_wasserstein(error *err, compare_texts *c) {
    const int metric = GLSHAPE_COMPARE_WASSERSTEIN;
    TRY(check_use(err, c, c->order, "--order", metric, "wasserstein"));
    TRY(check_use(err, c, c->internal_p, "--internal-p", metric, "wasserstein"));
    TRY(check_use(err, c, c->tolerance, "--tolerance", metric, "wasserstein"));
    TRY(read_number(err, "--order", c->order, "a number from 1 to 64", 1, 64, &c->o.order));
    TRY(read_number(err, "--internal-p", c->internal_p, "a number, 1 or above, or inf", 1, INFINITY,
                    &c->o.internal_p));
    TRY(read_number(err, "--tolerance", c->tolerance, "a number, 0 or above", 0, 1e6, &c->o.tolerance));
    c->o.exact = c->tolerance && c->o.tolerance == 0;
    return GLSHAPE_OK;
}

static bool gives_vectors(const vectors_texts *t) {
    return t->resolution || t->range || t->bandwidth || t->weight || t->cut || t->o.landscapes ||
           t->o.gudhi_scale || t->o.keep_endpoints;
}

static glshape_status read_vectors(error *err, compare_texts *c) {
    if (c->metric == GLSHAPE_COMPARE_IMAGE)
        return vectors_options_read(err, &c->vectors, GLSHAPE_VECTORS_IMAGE);
    if (c->metric == GLSHAPE_COMPARE_LANDSCAPE)
        return vectors_options_read(err, &c->vectors, GLSHAPE_VECTORS_LANDSCAPE);
    if (gives_vectors(&c->vectors))
        return fail(
            err, GLSHAPE_BAD_ARGUMENT,
            "--resolution, --range, --bandwidth, --weight, --landscapes, --gudhi-scale, --keep-endpoints and "
            "--cut go with --metric image or landscape");
    return GLSHAPE_OK;
}

glshape_status compare_options_read(error *err, compare_texts *c) {
    c->o.metric = (glshape_compare_metric)c->metric;
    c->o.directions = c->directions;
    TRY(check_use(err, c, c->directions, "--directions", GLSHAPE_COMPARE_SLICED_WASSERSTEIN,
                  "sliced-wasserstein"));
    TRY(read_wasserstein(err, c));
    TRY(read_vectors(err, c));
    c->o.vectors = &c->vectors.o;
    return GLSHAPE_OK;
}

const char *compare_options_given(const compare_texts *c) {
    const vectors_texts *t = &c->vectors;
    return c->directions         ? "--directions"
           : c->order            ? "--order"
           : c->internal_p       ? "--internal-p"
           : c->tolerance        ? "--tolerance"
           : t->resolution       ? "--resolution"
           : t->range            ? "--range"
           : t->o.keep_endpoints ? "--keep-endpoints"
           : t->bandwidth        ? "--bandwidth"
           : t->weight           ? "--weight"
           : t->o.landscapes     ? "--landscapes"
           : t->o.gudhi_scale    ? "--gudhi-scale"
           : t->cut              ? "--cut"
                                 : NULL;
}
