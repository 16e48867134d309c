#include "cli/diagrams_input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "cli/diagrams_json.h"
#include "io/columns.h"
#include "io/npy.h"
#include "io/read.h"

static glshape_status add_pair(diagrams_input *in, const char *path, size_t row, double dim, double birth,
                               double death) {
    if (!(dim >= 0 && dim < DIAGRAMS_DIMENSIONS && dim == (int)dim))
        return fail(&in->s->err, GLSHAPE_BAD_INPUT, "%s: row %zu has the dimension %g; there are 0 to %d",
                    path, row + 1, dim, DIAGRAMS_DIMENSIONS - 1);
    if (in->dim >= 0 && (int)dim != in->dim) return GLSHAPE_OK;
    if (!isfinite(birth) || isnan(death))
        return fail(&in->s->err, GLSHAPE_BAD_INPUT,
                    "%s: row %zu has birth %g, death %g; a birth is a finite number, a death a number or "
                    "infinite",
                    path, row + 1, birth, death);
    diagrams_list *l = &in->of[(int)dim];
    TRY(memory_reserve(&in->s->err, &l->pairs, &l->room, l->count + 1, 2 * sizeof *l->pairs, "the pairs"));
    l->pairs[2 * l->count] = birth;
    l->pairs[2 * l->count++ + 1] = death;
    return GLSHAPE_OK;
}

/* A table has columns of these names; one of mergetree's has no dimension, which is 0. */
static glshape_status read_table(error *err, io_stream *s, glshape_matrix *m) {
    const io_columns columns = {.chosen = "dim,birth,death", .instead = "birth,death", .perhaps_empty = true};
    return io_read_columns_stream(err, s, &columns, m, NULL);
}

/* An array without rows is a diagram without pairs. */
static glshape_status read_array(error *err, io_stream *s, glshape_matrix *m) {
    io_npy npy;
    TRY(io_npy_read_shape(err, s, &npy));
    TRY(io_npy_check_shape(err, s, &npy, true));
    if (npy.rows) return io_npy_read_numbers(err, s, &npy, m);
    *m = (glshape_matrix){.cols = 2};
    return GLSHAPE_OK;
}

static glshape_status read_diagram(diagrams_input *in, const char *path) {
    OWNED_BY(io_stream_close) io_stream s = {.fd = -1};
    OWNED_BY(io_matrix_free) glshape_matrix m = {0};
    OWNED double *values = NULL;
    error *err = &in->s->err;
    TRY(io_stream_open(err, path, &s));
    bool npy = io_stream_starts(&s, IO_NPY_MAGIC, IO_NPY_MAGIC_BYTES);
    bool list = io_stream_starts(&s, "[", 1);
    TRY(npy ? read_array(err, &s, &m) : list ? diagrams_json_read(err, &s, &m) : read_table(err, &s, &m));
    if (m.cols < 2)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s has one column; a diagram has birth and death, or dimension, birth and death",
                    s.name);
    TRY(io_matrix_doubles(err, &m, &values));
    for (size_t k = 0; k < m.rows; k++) {
        const double *row = values + k * m.cols;
        bool flat = m.cols == 2;
        TRY(add_pair(in, s.name, k, flat ? 0 : row[0], row[!flat], row[1 + !flat]));
    }
    return GLSHAPE_OK;
}

glshape_status diagrams_input_read(diagrams_input *in) {
    for (int dim = 0; dim < DIAGRAMS_DIMENSIONS; dim++)
        TRY(allocate(&in->s->err, &in->of[dim].first, in->files.count + 1, sizeof(size_t), "the diagrams"));
    for (size_t k = 0; k < in->files.count; k++) {
        for (int dim = 0; dim < DIAGRAMS_DIMENSIONS; dim++) in->of[dim].first[k] = in->of[dim].count;
        TRY(file_list_name(&in->s->err, in->files.at[k], &in->names));
        TRY(read_diagram(in, in->files.at[k]));
    }
    for (int dim = 0; dim < DIAGRAMS_DIMENSIONS; dim++)
        in->of[dim].first[in->files.count] = in->of[dim].count;
    return GLSHAPE_OK;
}

glshape_status diagrams_input_list(diagrams_input *in) {
    TRY(file_list_take(in->s, &in->files));
    return file_list_check(in->s, &in->files);
}

glshape_diagrams diagrams_input_of(const diagrams_input *in, int dim) {
    return (glshape_diagrams){in->files.count, in->of[dim].first, in->of[dim].pairs};
}

size_t diagrams_input_all(const diagrams_input *in, glshape_diagrams out[DIAGRAMS_DIMENSIONS]) {
    size_t count = 0;
    for (int dim = 0; dim < DIAGRAMS_DIMENSIONS; dim++)
        if (in->of[dim].count) out[count++] = diagrams_input_of(in, dim);
    if (!count) out[count++] = diagrams_input_of(in, 0);
    return count;
}

void diagrams_input_free(diagrams_input *in) {
    for (int dim = 0; dim < DIAGRAMS_DIMENSIONS; dim++) {
        free(in->of[dim].pairs);
        free(in->of[dim].first);
    }
    file_list_free(&in->files);
    io_label_list_free(&in->names);
}
