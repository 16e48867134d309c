#include "io/fields.h"

#include <string.h>

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

const char *io_fields_skip_blanks(const char *p, const char *end, char delimiter) {
    while (p < end && is_blank(*p) && (*p != delimiter || delimiter == IO_BLANKS)) p++;
    return p;
}

static bool ends_field(char c, char delimiter) {
    return c == delimiter || (delimiter == IO_BLANKS && c == '\t');
}

io_fields io_fields_of(const char *line, size_t length, char delimiter) {
    return (io_fields){line, line + length, delimiter};
}

/* Sets where the next field starts, p being where this one ended. */
static void advance(io_fields *fields, const char *p) {
    fields->at = p < fields->end ? p + 1 : NULL;
    if (fields->delimiter == IO_BLANKS) fields->at = p;
}

/* A quoted field that opens at p. A doubled quote inside stays doubled. */
static void next_quoted(io_fields *fields, const char *p, io_field *out) {
    const char *close = p + 1;
    while (close < fields->end && (*close != '"' || close[1] == '"')) close += *close == '"' ? 2 : 1;
    bool open = close >= fields->end;
    if (open) close = fields->end;
    const char *after = open ? close : io_fields_skip_blanks(close + 1, fields->end, fields->delimiter);
    bool follows = after < fields->end && !ends_field(*after, fields->delimiter);
    if (fields->delimiter == IO_BLANKS && after > close + 1) follows = false, after = close + 1;
    *out = (io_field){p + 1, (size_t)(close - p - 1), true, open || follows};
    while (after < fields->end && !ends_field(*after, fields->delimiter)) after++;
    advance(fields, after);
}

bool io_fields_next(io_fields *fields, io_field *out) {
    if (!fields->at) return false;
    const char *p = io_fields_skip_blanks(fields->at, fields->end, fields->delimiter);
    if (p == fields->end && fields->delimiter == IO_BLANKS) return false;
    if (p < fields->end && *p == '"') {
        next_quoted(fields, p, out);
        return true;
    }
    const char *stop = p, end = fields->delimiter, other = end == IO_BLANKS ? '\t' : end;
    while (stop < fields->end && *stop != end && *stop != other) stop++;
    const char *last = stop;
    while (last > p && is_blank(last[-1])) last--;
    *out = (io_field){.text = p, .length = (size_t)(last - p)};
    advance(fields, stop);
    return true;
}

size_t io_fields_count(io_fields fields) {
    size_t count = 0;
    for (io_field field; io_fields_next(&fields, &field);) count++;
    return count;
}

static bool has_outside_quotes(const char *line, size_t length, char c) {
    bool quoted = false;
    for (size_t i = 0; i < length; i++) {
        if (line[i] == '"') quoted = !quoted;
        if (line[i] == c && !quoted) return true;
    }
    return false;
}

char io_fields_delimiter(const char *line, size_t length, const char *candidates) {
    while (candidates[1] && !has_outside_quotes(line, length, *candidates)) candidates++;
    return *candidates;
}

bool io_line_is_skipped(const char *line, size_t length) {
    const char *p = io_fields_skip_blanks(line, line + length, IO_BLANKS);
    bool separator =
        length == 5 && !memcmp(line, "sep=", 4) && strchr(";,\t|", line[4]); /* Excel's first line */
    return p == line + length || *p == '#' || separator;
}

const char *io_field_shown(const io_field *field, char out[IO_QUOTED_ROOM]) {
    size_t most = IO_QUOTED_ROOM - 6, length = field->length;
    bool cut = length > most;
    if (cut) length = most;
    while (cut && length && ((unsigned char)field->text[length] & 0xC0) == 0x80) length--;
    char *p = out;
    *p++ = '\'';
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)field->text[i];
        *p++ = c < ' ' || c == 0x7F ? '?' : (char)c;
    }
    strcpy(p, cut ? "...'" : "'");
    return out;
}
