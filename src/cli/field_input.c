#include "cli/field_input.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/whole.h"
#include "io/value.h"
#include "ranks/ranks.h"

/* Axes may come in any order. */
static glshape_status check_periodic(session *s, const field_input *f) {
    for (const char *at = f->periodic; at && *at; at += 1 + (at[1] == ','))
        if (!strchr("xyz", *at) || (at[1] && at[1] != ',') || (at[1] && !at[2]))
            return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--periodic takes axes such as x,y,z, not '%s'",
                        f->periodic);
    return GLSHAPE_OK;
}

/* A whole number, and nothing else. */
static bool take_whole(const char *text, uint64_t *out) {
    char *end;
    errno = 0;
    *out = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : (end = (char *)text, 0);
    return end != text && !*end && !errno;
}

/* Where values begin, and which of several a point is read. */
static glshape_status take_places(session *s, const field_input *f, io_raw *raw) {
    static const char *const names[] = {"red", "green", "blue", "alpha"};
    uint64_t channel = 0;
    if (f->skip && !take_whole(f->skip, &raw->skip))
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--skip takes a number of bytes, not '%s'", f->skip);
    if (!f->channel) return GLSHAPE_OK;
    while (channel < 4 && strcmp(f->channel, names[channel]) != 0) channel++;
    if (channel == 4 && (!take_whole(f->channel, &channel) || channel >= INT_MAX))
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT,
                    "--channel takes red, green, blue, alpha, or a number from 0, not '%s'", f->channel);
    raw->channel = (int)channel + 1;
    return GLSHAPE_OK;
}

glshape_status field_input_check(session *s, const field_input *f) {
    TRY(check_periodic(s, f));
    if (s->format)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT,
                    "--format does not go with fields: files tell their format themselves, raw values need "
                    "--shape and "
                    "--type");
    if (f->endian >= 0 && !f->shape)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT,
                    "--endian goes with --shape, for raw values; files tell their byte order themselves");
    if (f->type && !f->shape)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--type goes with --shape, for raw values");
    if (f->skip && !f->shape)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--skip goes with --shape, for raw values");
    if (f->channel && f->shape)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT,
                    "--channel does not go with --shape: raw values are one a point");
    if (f->dataset && f->shape)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT,
                    "--dataset does not go with --shape: raw values have no names");
    io_raw unused = {0};
    TRY(take_places(s, f, &unused));
    return f->shape ? io_raw_check(&s->err, &(io_raw){.shape = f->shape, .type = f->type}) : GLSHAPE_OK;
}

static glshape_status set_periodic(session *s, field_input *f) {
    int dims = f->in.dims;
    for (const char *at = f->periodic; at && *at; at++) {
        if (*at == ',') continue;
        int axis = dims - 1 - (*at - 'x');
        if (axis < 0)
            return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--periodic %c: %s has %s", *at, s->input,
                        dims == 2 ? "2 dimensions, x and y" : "1 dimension, x");
        f->field.periodic[axis] = true;
    }
    return GLSHAPE_OK;
}

static size_t count_values(const io_grid *g) {
    size_t count = 1;
    for (int i = 0; i < g->dims; i++) count *= g->shape[i];
    return count;
}

/* Reads the planes that this rank needs: its own, and those beside. */
static glshape_status read_planes(session *s, field_input *f, uint64_t at) {
    const ranks *r = ranks_world();
    size_t planes = f->in.shape[0], first = ranks_first(r, planes, 1, r->rank);
    size_t count = ranks_first(r, planes, 1, r->rank + 1) - first;
    TRY(io_grid_reserve(&s->err, &f->in));
    if (!count) return GLSHAPE_OK;
    TRY(io_grid_read_planes(&s->err, s->input, at, first, count, &f->in));
    TRY(io_grid_read_planes(&s->err, s->input, at, (first + planes - 1) % planes, 1, &f->in));
    return io_grid_read_planes(&s->err, s->input, at, (first + count) % planes, 1, &f->in);
}

static bool can_share(const io_grid *g) {
    return matrix_value_size(g->type) < 8 && g->shape[0] >= 2 * (size_t)ranks_world()->size;
}

/* Refuses, before it is read, a field that has too many vertices for what is asked, or for so many ranks. */
static glshape_status check_count(session *s, const field_input *f) {
    size_t count = count_values(&f->in), most = MATRIX_MOST_VERTICES, planes = f->in.shape[0];
    size_t ranks = (size_t)ranks_world()->size, plane = count / planes;
    if (count <= most) return GLSHAPE_OK;
    if (f->narrow)
        return fail(
            &s->err, GLSHAPE_BAD_ARGUMENT,
            "%s has %zu vertices, and %s numbers %zu; leave it out and write the branches (-o FILE.csv, "
            "--diagram FILE), coarsen the field, or cut it into parts",
            s->input, count, f->narrow, most);
    if ((planes - 1) / ranks + 1 <= most / plane) return GLSHAPE_OK;
    return fail(
        &s->err, GLSHAPE_BAD_ARGUMENT,
        "%s has %zu vertices, and each of %zu ranks numbers %zu; start more ranks (mpirun -n), or coarsen "
        "the field",
        s->input, count, ranks, most);
}

/* Of several ranks: reads this one's part of the field, or finds that the first rank has to do all. */
static glshape_status read_part(session *s, field_input *f, const io_raw *raw) {
    uint64_t at = 0;
    bool there = false;
    if (session_is_first()) TRY(io_grid_find(&s->err, s->input, raw, &f->in, &at, &there));
    s->shared = there && can_share(&f->in);
    if (s->shared) TRY(check_count(s, f));
    TRY(ranks_broadcast(ranks_world(), &s->err, &s->shared, sizeof s->shared));
    if (!s->shared) return GLSHAPE_OK;
    if (!session_is_first()) TRY(io_grid_find(&s->err, s->input, raw, &f->in, &at, &there));
    if (!there)
        return fail(&s->err, GLSHAPE_IO_ERROR, "%s is another file here than on the first rank", s->input);
    return read_planes(s, f, at);
}

glshape_status field_input_read(session *s, field_input *f) {
    io_raw raw = {
        .shape = f->shape, .type = f->type, .big = f->endian > 0, .remedy = f->remedy, .dataset = f->dataset};
    TRY(take_places(s, f, &raw));
    s->shared = s->shared && ranks_world()->size > 1 && strcmp(s->input, "-") != 0;
    if (s->shared) TRY(read_part(s, f, &raw));
    if (!s->shared && !session_is_first()) return GLSHAPE_OK;
    if (!s->shared) TRY(io_read_grid(&s->err, s->input, &raw, &f->in));
    f->field = (glshape_field){.type = f->in.type, .values = f->in.values, .dims = f->in.dims};
    memcpy(f->field.shape, f->in.shape, sizeof f->field.shape);
    return set_periodic(s, f);
}

/* A value as it is in the file, from a double, which holds all values of 32 bits. */
static void set_value(const io_grid *g, size_t v, double value) {
#define SET(name, ctype, code)                  \
    case name:                                  \
        ((ctype *)g->values)[v] = (ctype)value; \
        break;
    switch (g->type) { GLSHAPE_TYPES(SET) }
#undef SET
}

void field_input_print(const field_input *f, double value, char out[IO_NUMBER_ROOM]) {
    uint64_t room;
    const io_grid one = {.type = f->in.type, .values = &room};
    const glshape_matrix m = {f->in.type, 1, 1, &room};
    set_value(&one, 0, value);
    io_value_print(out, &m, 0);
}

void field_input_set(const field_input *f, uint32_t v, double value) {
    if (v != GLSHAPE_NO_VERTEX) set_value(&f->in, v, value);
}

void field_input_free(field_input *f) { io_grid_free(&f->in); }

bool field_is_whole(const glshape_field *f) { return whole_is(f); }

bool field_whole_value(const glshape_field *f, const char *text, bool up, int64_t *out) {
    const char *digits = text + (*text == '-'), *point = digits + strspn(digits, "0123456789");
    const char *zeros = point + (*point == '.'), *rest = zeros + strspn(zeros, "0");
    if (!whole_is(f) || point == digits || rest[strspn(rest, "0123456789")]) return false;
    errno = 0;
    if (f->type == GLSHAPE_I64) *out = strtoll(text, NULL, 10);
    else *out = (int64_t)strtoull(text, NULL, 10);
    if (errno || (f->type != GLSHAPE_I64 && *text == '-')) return false;
    bool beyond = up ? *out == (f->type == GLSHAPE_I64 ? INT64_MAX : -1) : *out == INT64_MIN;
    if (!*rest || up == (*text == '-')) return true; /* what was cut off leads the other way */
    if (beyond) return false;
    *out += up ? 1 : -1;
    return true;
}

uint64_t field_whole_persistence(const char *text, double value) {
    if (text[strspn(text, "0123456789")] || value < 0x1p53) return 0;
    errno = 0;
    unsigned long long whole = strtoull(text, NULL, 10);
    return errno ? 0 : whole;
}
