#include "cli/vectors_options.h"

#include <math.h>
#include <string.h>

#include "io/number.h"

/* Reads numbers between commas; returns how many, 0 if something is none, or if there are more. `found` may
 * stand for NaN. */
static int read_numbers(const char *text, double *out, int most) {
    for (int count = 0; count < most; text++) {
        size_t length = strcspn(text, ",");
        if (length == 4 && !strncmp(text, "auto", length)) out[count] = NAN;
        else if (!io_number_parse(text, length, out + count) || !isfinite(out[count])) return 0;
        count++;
        text += length;
        if (!*text) return count;
    }
    return 0;
}

static glshape_status read_number(error *err, const char *option, const char *text, double least,
                                  double *out) {
    if (!text || (io_number_parse(text, strlen(text), out) && isfinite(*out) && *out >= least))
        return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT, "%s %s: it takes a number%s", option, text,
                isfinite(least) ? ", 0 or above" : "");
}

static glshape_status read_resolution(error *err, vectors_texts *c) {
    double side[2] = {0, 0};
    int most = c->o.kind == GLSHAPE_VECTORS_IMAGE ? 2 : 1,
        count = c->resolution ? read_numbers(c->resolution, side, most) : 1;
    for (int k = 0; k < count; k++)
        if (!(side[k] >= (c->resolution != NULL) && side[k] <= 65536 && side[k] == floor(side[k]))) count = 0;
    if (!count)
        return fail(
            err, GLSHAPE_BAD_ARGUMENT, "--resolution %s: it takes %s", c->resolution,
            most == 2 ? "how many births, and how many lifetimes: 20 or 20,10" : "a whole number of samples");
    c->o.resolution = (int)side[0];
    c->o.resolution_y = (int)side[1];
    return GLSHAPE_OK;
}

static glshape_status read_range(error *err, vectors_texts *c) {
    int wanted = c->o.kind == GLSHAPE_VECTORS_IMAGE ? 4 : 2;
    if (!c->range) return GLSHAPE_OK;
    if (read_numbers(c->range, c->ends, wanted) != wanted)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "--range %s: it takes %s", c->range,
                    wanted == 4 ? "four numbers, of births and of lifetimes: 0,10,0,5; auto stands for any"
                                : "two numbers: 0,10; auto stands for either");
    c->o.range = c->ends;
    return GLSHAPE_OK;
}

/* Refuses an option that the kind has no use for. */
static glshape_status check_use(error *err, vectors_texts *c, bool given, const char *option,
                                unsigned kinds) {
    if (!given || kinds >> c->o.kind & 1) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT, "%s does not go with this --kind", option);
}

#define OF(kind) (1u << GLSHAPE_VECTORS_##kind)
#define TENTS (OF(LANDSCAPE) | OF(SILHOUETTE))
#define CURVES (TENTS | OF(BETTI) | OF(ENTROPY_CURVE))

glshape_status vectors_options_read(error *err, vectors_texts *c, glshape_vectors_kind kind) {
    c->o.kind = kind;
    TRY(check_use(err, c, c->resolution, "--resolution", CURVES | OF(IMAGE)));
    TRY(check_use(err, c, c->range, "--range", CURVES | OF(IMAGE)));
    TRY(check_use(err, c, c->bandwidth, "--bandwidth", OF(IMAGE)));
    TRY(check_use(err, c, c->weight, "--weight", OF(IMAGE) | OF(SILHOUETTE)));
    TRY(check_use(err, c, c->o.landscapes, "--landscapes", OF(LANDSCAPE)));
    TRY(check_use(err, c, c->o.gudhi_scale, "--gudhi-scale", TENTS));
    TRY(check_use(err, c, c->o.keep_endpoints, "--keep-endpoints", CURVES));
    TRY(check_use(err, c, c->o.unnormalized, "--unnormalized", OF(ENTROPY_CURVE)));
    TRY(read_resolution(err, c));
    TRY(read_range(err, c));
    TRY(read_number(err, "--bandwidth", c->bandwidth, 0, &c->o.bandwidth));
    TRY(read_number(err, "--weight", c->weight, 0, &c->o.weight));
    TRY(read_number(err, "--cut", c->cut, -INFINITY, &c->o.cut_at));
    c->o.cut = c->cut != NULL;
    return GLSHAPE_OK;
}
