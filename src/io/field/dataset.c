#include "io/field/dataset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "io/read.h"

void io_datasets_free(io_datasets *d) { free(d->all); }

glshape_status io_datasets_add(error *err, io_datasets *d, io_dataset **out) {
    TRY(memory_reserve(err, &d->all, &d->room, d->count + 1, sizeof *d->all, "the list of data sets"));
    *out = &d->all[d->count++];
    **out = (io_dataset){.slope = 1};
    return GLSHAPE_OK;
}

/* ---- which ------------------------------------------------------------------------------------- */

static bool may_be(const io_dataset *d) { return *d->code && d->dims && !d->axis; }

/* Names of data sets, in a sentence. */
static const char *print_names(const io_datasets *d, bool (*is)(const io_dataset *), char out[400]) {
    size_t used = 0;
    *out = 0;
    for (size_t k = 0; k < d->count; k++) {
        if (!is(&d->all[k])) continue;
        if (used > 250) {
            snprintf(out + used, 400 - used, ", …");
            break;
        }
        used += (size_t)snprintf(out + used, 400 - used, "%s'%.100s'", used ? ", " : "", d->all[k].name);
    }
    return out;
}

static bool is_any(const io_dataset *d) {
    (void)d;
    return true;
}

static glshape_status find_named(error *err, const char *file, const io_datasets *d, const char *wanted,
                                 const io_dataset **out) {
    char names[400];
    for (size_t k = 0; k < d->count; k++)
        if (!strcmp(d->all[k].name, wanted)) {
            *out = &d->all[k];
            return GLSHAPE_OK;
        }
    return fail(err, GLSHAPE_BAD_INPUT, "%s has no data set '%s'; it has %s", file, wanted,
                print_names(d, is_any, names));
}

static glshape_status find_only(error *err, const char *file, const io_datasets *d, const io_dataset **out) {
    char names[400];
    size_t count = 0;
    for (size_t k = 0; k < d->count; k++)
        if (may_be(&d->all[k])) *out = &d->all[k], count++;
    if (!count) return fail(err, GLSHAPE_BAD_INPUT, "%s has no data set of numbers", file);
    if (count > 1)
        return fail(err, GLSHAPE_BAD_INPUT, "%s has %zu data sets: choose one with --dataset, of %s", file,
                    count, print_names(d, may_be, names));
    return GLSHAPE_OK;
}

glshape_status io_datasets_choose(error *err, const char *file, const io_datasets *d, const char *wanted,
                                  const io_dataset **out) {
    TRY(wanted ? find_named(err, file, d, wanted, out) : find_only(err, file, d, out));
    const io_dataset *chosen = *out;
    if (!chosen->dims)
        return fail(err, GLSHAPE_BAD_INPUT, "%s: '%s' is a single value, or has more than %d dimensions",
                    file, chosen->name, IO_DATASET_DIMENSIONS);
    if (!*chosen->code)
        return fail(
            err, GLSHAPE_BAD_INPUT,
            "%s: the values of '%s' are not of a type that is read: whole numbers of 8 to 64 bits, and "
            "numbers of single or double precision",
            file, chosen->name);
    for (int k = 0; k < chosen->dims; k++)
        if (!chosen->extent[k] || chosen->extent[k] >> 40)
            return fail(err, GLSHAPE_BAD_INPUT, "%s: an extent of '%s' is %llu", file, chosen->name,
                        chosen->extent[k]);
    return GLSHAPE_OK;
}

/* ---- the values -------------------------------------------------------------------------------- */

static glshape_status check_filled(error *err, const char *file, const io_dataset *d,
                                   const glshape_matrix *m) {
    for (size_t i = 0; d->fills && i < m->rows * m->cols; i++) {
        double value;
        matrix_doubles(m, i, 1, &value);
        if (value == d->fill[0] || (d->fills > 1 && value == d->fill[1]))
            return fail(err, GLSHAPE_BAD_INPUT,
                        "%s: value %zu of '%s' is %g (_FillValue or missing_value), which stands for none, "
                        "and a field has a "
                        "number everywhere: fill such points, or cut them off",
                        file, i + 1, d->name, value);
    }
    return GLSHAPE_OK;
}

glshape_status io_dataset_finish(error *err, const char *file, const io_dataset *d, void *values, io_npy *npy,
                                 glshape_matrix *out) {
#define CODE(name, ctype, code) code,
    static const char *const codes[] = {GLSHAPE_TYPES(CODE)};
#undef CODE
    OWNED_BY(io_matrix_free) glshape_matrix m = {.rows = 1, .cols = 1, .data = values};
    long long sizes[IO_DATASET_DIMENSIONS];
    io_values v = {.channels = 1};
    for (int k = 0; k < d->dims; k++) {
        sizes[d->dims - 1 - k] = (long long)d->extent[k];
        m.cols = times(m.cols, (size_t)d->extent[k]);
    }
    while (strcmp(codes[m.type], d->code) != 0) m.type++;
    TRY(check_filled(err, file, d, &m));
    TRY(io_values_scale(err, d->slope, d->intercept, &m));
    io_values_set_sizes(&v, sizes, d->dims);
    *npy = v.npy;
    size_t all = m.cols;
    m.rows = (size_t)d->extent[0]; /* a row for each of the slowest axis */
    m.cols = all / m.rows;
    *out = m;
    m.data = NULL;
    return GLSHAPE_OK;
}
