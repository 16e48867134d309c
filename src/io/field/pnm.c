#include "io/field/pnm.h"

#include <string.h>

static bool is_blank(char c) { return c && strchr(" \t\n\v\f\r", c); }

bool io_pnm_starts(const io_stream *s) {
    const char *at = s->window + s->at;
    return s->have > 2 && at[0] == 'P' && at[1] >= '1' && at[1] <= '6' && (is_blank(at[2]) || at[2] == '#');
}

static glshape_status next_byte(error *err, io_stream *s, char *out) {
    size_t got;
    TRY(io_stream_read(err, s, out, 1, &got));
    return got ? GLSHAPE_OK
               : fail(err, GLSHAPE_BAD_INPUT, "%s is cut short: its header ends after %llu bytes", s->name,
                      (unsigned long long)s->taken);
}

/* A number between blanks and comments. One blank follows it, which is taken. */
static glshape_status next_number(error *err, io_stream *s, long long *out) {
    char c;
    TRY(next_byte(err, s, &c));
    while (is_blank(c) || c == '#') {
        bool comment = c == '#';
        while (comment && c != '\n' && c != '\r') TRY(next_byte(err, s, &c));
        TRY(next_byte(err, s, &c));
    }
    for (*out = 0; c >= '0' && c <= '9' && *out < 1ll << 40;) {
        *out = 10 * *out + (c - '0');
        TRY(next_byte(err, s, &c));
    }
    if (is_blank(c) && *out) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "%s: byte %llu of its header is in no number that is allowed",
                s->name, (unsigned long long)s->taken);
}

glshape_status io_pnm_read_header(error *err, io_stream *s, io_values *out) {
    char magic[2];
    long long sizes[2], most;
    *out = (io_values){.more = true};
    TRY(next_byte(err, s, &magic[0]));
    TRY(next_byte(err, s, &magic[1]));
    if (magic[1] == '1' || magic[1] == '4')
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s is a PBM image of bits; convert it, as 'pnmtopng IN.pbm >OUT.png' does", s->name);
    TRY(next_number(err, s, &sizes[0]));
    TRY(next_number(err, s, &sizes[1]));
    TRY(next_number(err, s, &most));
    if (most > 65535)
        return fail(err, GLSHAPE_BAD_INPUT, "%s: its greatest value is %lld, more than 65535", s->name, most);
    out->text = magic[1] < '4';
    out->channels = magic[1] == '3' || magic[1] == '6' ? 3 : 1;
    io_values_set_type(out, most > 255 ? "u2" : "u1", io_is_little_endian());
    io_values_set_sizes(out, sizes, 2);
    return GLSHAPE_OK;
}
