#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "cli/atlas.h"
#include "cli/batch.h"
#include "cli/field_input.h"
#include "io/npy.h"
#include "io/read.h"

/* Inputs of at most so many points are done by a thread each, larger ones one at a time by all. */
enum { SMALL = 512 };

/* ---- the list ---------------------------------------------------------------------------------- */

/* Whether the only input is an array of three dimensions. */
static glshape_status look_for_slices(atlas_command *c, bool *found) {
    OWNED_BY(io_stream_close) io_stream file = {.fd = -1};
    io_npy npy;
    *found = false;
    if (c->files.count != 1 || !strcmp(c->files.at[0], "-")) return GLSHAPE_OK;
    TRY(io_stream_open(&c->s.err, c->files.at[0], &file));
    if (!io_stream_starts(&file, IO_NPY_MAGIC, IO_NPY_MAGIC_BYTES)) return GLSHAPE_OK;
    TRY(io_npy_read_shape(&c->s.err, &file, &npy));
    *found = npy.dimensions == 3;
    return GLSHAPE_OK;
}

/* Inputs that messages call array.npy[17], and outputs 17. */
static glshape_status list_slices(atlas_command *c) {
    file_list *files = &c->files;
    char name[32], *path = files->at[0];
    size_t room = strlen(path) + sizeof name;
    TRY(io_read_grid(&c->s.err, path, &(io_raw){0}, &c->slices));
    c->count = c->slices.shape[0];
    TRY(memory_reserve(&c->s.err, &files->at, &files->room, c->count, sizeof *files->at, "the inputs"));
    for (size_t k = 0; k < c->count; k++) {
        char *slice;
        TRY(allocate(&c->s.err, &slice, room, 1, "the inputs"));
        snprintf(slice, room, "%s[%zu]", path, k);
        snprintf(name, sizeof name, "%zu", k);
        if (!k) c->array = path;
        files->at[k] = slice;
        files->count = k + 1;
        TRY(io_label_list_add(&c->s.err, &c->names, name, strlen(name)));
    }
    return GLSHAPE_OK;
}

glshape_status atlas_inputs_list(atlas_command *c) {
    bool slices;
    TRY(file_list_take(&c->s, &c->files));
    TRY(file_list_check(&c->s, &c->files));
    TRY(look_for_slices(c, &slices));
    if (slices) return list_slices(c);
    c->count = c->files.count;
    for (size_t k = 0; k < c->count; k++) {
        if (c->count > 1 && !strcmp(c->files.at[k], "-"))
            return fail(&c->s.err, GLSHAPE_BAD_ARGUMENT, "standard input goes alone, not with other inputs");
        TRY(file_list_name(&c->s.err, c->files.at[k], &c->names));
    }
    return GLSHAPE_OK;
}

/* ---- one input --------------------------------------------------------------------------------- */

static glshape_status keep(atlas_command *c, size_t count, const glshape_interval *intervals) {
    atlas_diagram *d = &c->owner->diagrams[c->s.item];
    size_t kept = 0;
    TRY(allocate(&c->s.err, &d->intervals, count, sizeof *d->intervals, "a diagram"));
    for (size_t k = 0; k < count; k++)
        if (isfinite(intervals[k].birth)) d->intervals[kept++] = intervals[k];
    d->count = kept;
    d->done = true;
    return GLSHAPE_OK;
}

/* The points of this item. */
static glshape_status read_points(atlas_command *c, glshape_matrix *out) {
    session *s = &c->s;
    const io_grid *g = &c->owner->slices;
    io_format format = IO_AUTO;
    double *values;
    if (s->format) TRY(io_format_from_name(&s->err, s->format, &format));
    if (!g->values) return session_read_rows(s, s->input, format, out, NULL);
    size_t cells = g->shape[1] * g->shape[2], bytes = cells * matrix_value_size(g->type);
    const glshape_matrix slice = {g->type, g->shape[1], g->shape[2], (char *)g->values + s->item * bytes};
    TRY(io_matrix_doubles(&s->err, &slice, &values));
    *out = (glshape_matrix){GLSHAPE_F64, slice.rows, slice.cols, values};
    return io_check_finite(&s->err, s->input, out);
}

static glshape_status find_rips(atlas_command *c, const glshape_matrix *m) {
    static pthread_mutex_t one_large = PTHREAD_MUTEX_INITIALIZER;
    OWNED_BY(glshape_rips_free) glshape_rips_result r = {0};
    const glshape_source source = {.points = m};
    bool large = m->rows > SMALL;
    const glshape_rips_options o = {
        .dim = GLSHAPE_SET(c->dim < 0 ? 1 : c->dim), .threshold = c->threshold, .threads = large ? 0 : 1};
    if (large) pthread_mutex_lock(&one_large);
    glshape_status status = glshape_rips(c->s.context, &source, &o, &r);
    if (large) pthread_mutex_unlock(&one_large);
    TRY(session_input_error(&c->s, status));
    return keep(c, r.count, r.intervals);
}

static glshape_status find_alpha(atlas_command *c, const glshape_matrix *m) {
    OWNED_BY(glshape_alpha_free) glshape_alpha_result r = {0};
    OWNED glshape_interval *intervals = NULL;
    size_t count;
    if (m->cols != 2)
        return fail(&c->s.err, GLSHAPE_BAD_INPUT,
                    "%s has %zu column%s; alpha shapes are of points in the plane: choose two (--columns)",
                    c->s.input, m->cols, plural(m->cols));
    TRY(session_input_error(&c->s, glshape_alpha(c->s.context, m, NULL, &r)));
    TRY(session_input_error(&c->s, glshape_alpha_persistence(c->s.context, &r, &intervals, &count)));
    return keep(c, count, intervals);
}

static glshape_status find_cubical(atlas_command *c, const glshape_field *field) {
    OWNED_BY(glshape_cubical_free) glshape_cubical_result r = {0};
    OWNED glshape_interval *intervals = NULL;
    glshape_cubical_options o = {.superlevel = c->superlevel, .threshold = c->threshold, .threads = 1};
    if (c->dim >= 0) o.dim = GLSHAPE_SET(c->dim);
    TRY(session_input_error(&c->s, glshape_cubical(c->s.context, field, &o, &r)));
    TRY(allocate(&c->s.err, &intervals, r.count, sizeof *intervals, "a diagram"));
    for (size_t k = 0; k < r.count; k++)
        intervals[k] = (glshape_interval){
            .dim = r.intervals[k].dim, .birth = r.intervals[k].birth, .death = r.intervals[k].death};
    return keep(c, r.count, intervals);
}

static glshape_status compute_field(atlas_command *c) {
    OWNED_BY(field_input_free) field_input in = {.endian = -1};
    const io_grid *g = &c->owner->slices;
    if (!g->values) {
        TRY(field_input_read(&c->s, &in));
        return find_cubical(c, &in.field);
    }
    size_t bytes = g->shape[1] * g->shape[2] * matrix_value_size(g->type);
    const glshape_field slice = {.type = g->type,
                                 .values = (char *)g->values + c->s.item * bytes,
                                 .dims = 2,
                                 .shape = {g->shape[1], g->shape[2]}};
    return find_cubical(c, &slice);
}

static glshape_status compute_item(void *item) {
    atlas_command *c = item;
    OWNED_BY(io_matrix_free) glshape_matrix points = {0};
    if (c->shape == ATLAS_CUBICAL) return compute_field(c);
    TRY(read_points(c, &points));
    return c->shape == ATLAS_RIPS ? find_rips(c, &points) : find_alpha(c, &points);
}

/* ---- all --------------------------------------------------------------------------------------- */

static void begin_item(const session *s, void *item) {
    atlas_command *owner = (atlas_command *)s;
    *(atlas_command *)item = *owner;
    ((atlas_command *)item)->owner = owner;
}

static glshape_status write_nothing(void *item) {
    (void)item;
    return GLSHAPE_OK;
}

static void end_nothing(void *item) { (void)item; }

/* What failed leaves the list, and is remembered by name. */
static glshape_status leave_out(atlas_command *c) {
    io_label_list names = {0};
    size_t kept = 0;
    TRY(allocate(&c->s.err, &c->failed, c->count, sizeof *c->failed, "the inputs"));
    for (size_t k = 0; k < c->count; k++) {
        const char *name = io_label_at(&c->names, k);
        if (!c->diagrams[k].done) {
            c->failed[c->failed_count++] = c->files.at[k];
            continue;
        }
        glshape_status status = io_label_list_add(&c->s.err, &names, name, strlen(name));
        if (status) {
            io_label_list_free(&names);
            return status;
        }
        c->diagrams[kept++] = c->diagrams[k];
    }
    for (size_t k = kept; k < c->count; k++) c->diagrams[k] = (atlas_diagram){0};
    io_label_list_free(&c->names);
    c->names = names;
    c->count = kept;
    return GLSHAPE_OK;
}

glshape_status atlas_inputs_read(atlas_command *c) {
    const batch b = {.count = c->count, .inputs = c->files.at, .outputs = c->files.at};
    const batch_job job = {.s = &c->s,
                           .ranks = &ranks_alone,
                           .item_bytes = sizeof *c,
                           .begin = begin_item,
                           .compute = compute_item,
                           .write = write_nothing,
                           .end = end_nothing};
    TRY(allocate(&c->s.err, &c->diagrams, c->count, sizeof *c->diagrams, "the diagrams"));
    glshape_status status = batch_run(&job, &b);
    if (status && status != GLSHAPE_BAD_INPUT) return status;
    TRY(leave_out(c));
    return c->count ? GLSHAPE_OK : status;
}

void atlas_inputs_free(atlas_command *c) {
    for (size_t k = 0; c->diagrams && k < c->count; k++) free(c->diagrams[k].intervals);
    free(c->diagrams);
    free(c->failed);
    free(c->array);
    file_list_free(&c->files);
    io_grid_free(&c->slices);
    io_label_list_free(&c->names);
}
