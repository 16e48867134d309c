#include "cli/field_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Axes may come in any order. */
static glshape_status check_periodic(session *s, const field_input *f) {
    for (const char *at = f->periodic; at && *at; at += 1 + (at[1] == ','))
        if (!strchr("xyz", *at) || (at[1] && at[1] != ',') || (at[1] && !at[2]))
            return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--periodic takes axes such as x,y,z, not '%s'",
                        f->periodic);
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
    return GLSHAPE_OK;
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

glshape_status field_input_read(session *s, field_input *f) {
    const io_raw raw = {f->shape, f->type, f->endian > 0, f->least_dims};
    TRY(io_read_grid(&s->err, s->input, &raw, &f->in));
    f->field = (glshape_field){.type = f->in.type, .values = f->in.values, .dims = f->in.dims};
    memcpy(f->field.shape, f->in.shape, sizeof f->field.shape);
    return set_periodic(s, f);
}

void field_input_free(field_input *f) { io_grid_free(&f->in); }

bool field_is_whole(const glshape_field *f) { return f->type == GLSHAPE_I64 || f->type == GLSHAPE_U64; }

uint64_t field_whole_persistence(const char *text, double value) {
    if (text[strspn(text, "0123456789")] || value < 0x1p53) return 0;
    errno = 0;
    unsigned long long whole = strtoull(text, NULL, 10);
    return errno ? 0 : whole;
}
