#include "io/sparse_lines.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "io/number.h"

enum { WHOLE_DIGITS = 18 };

static size_t blanks(const io_line *line) {
    size_t i = 0;
    while (i < line->length && (line->text[i] == ' ' || line->text[i] == '\t')) i++;
    return i;
}

static bool is_skipped(const io_line *line, const char *comments) {
    size_t i = blanks(line);
    return i == line->length || (line->text[i] && strchr(comments, line->text[i]));
}

glshape_status io_line_next(error *err, io_stream *s, const char *comments, io_line *out) {
    do TRY(io_stream_line(err, s, &out->text, &out->length));
    while (out->text && is_skipped(out, comments));
    return GLSHAPE_OK;
}

void io_line_split(io_line *line, char delimiter) {
    io_fields fields = io_fields_of(line->text, line->length, delimiter);
    line->count = 0;
    while (line->count < IO_LINE_FIELDS && io_fields_next(&fields, &line->field[line->count])) line->count++;
    line->count += io_fields_count(fields);
}

bool io_field_whole(const io_field *field, uint64_t *out) {
    *out = 0;
    if (!field->length || field->length > WHOLE_DIGITS) return false;
    for (size_t i = 0; i < field->length; i++) {
        if (field->text[i] < '0' || field->text[i] > '9') return false;
        *out = *out * 10 + (uint64_t)(field->text[i] - '0');
    }
    return true;
}

bool io_field_is(const io_field *field, const char *word) {
    return field->length == strlen(word) && !strncasecmp(field->text, word, field->length);
}

glshape_status io_field_fail(error *err, const io_stream *s, const io_field *field, const char *wrong) {
    char shown[IO_QUOTED_ROOM];
    return fail(err, GLSHAPE_BAD_INPUT, "%s: line %llu: %s %s", s->name, (unsigned long long)s->line,
                io_field_shown(field, shown), wrong);
}

glshape_status io_field_place(error *err, const io_stream *s, const io_field *field, const char *what,
                              size_t most, uint32_t *out) {
    uint64_t place;
    char shown[IO_QUOTED_ROOM];
    if (io_field_whole(field, &place) && place >= 1 && place <= most) {
        *out = (uint32_t)(place - 1);
        return GLSHAPE_OK;
    }
    return fail(err, GLSHAPE_BAD_INPUT, "%s: line %llu: %s %s is not in 1 .. %zu", s->name,
                (unsigned long long)s->line, what, io_field_shown(field, shown), most);
}

glshape_status io_field_value(error *err, const io_stream *s, const io_field *field, double *out) {
    if (field->bad || !io_number_parse(field->text, field->length, out))
        return io_field_fail(err, s, field,
                             io_number_has_comma(field->text, field->length)
                                 ? "is not a number: write decimals with a point"
                                 : "is not a number");
    if (isfinite((float)*out)) return GLSHAPE_OK;
    return io_field_fail(err, s, field,
                         isnan(*out)   ? "is not a value that can be used"
                         : isinf(*out) ? "is infinite"
                                       : "is too large for single precision");
}
