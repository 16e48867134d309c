/* OFF, OBJ and XYZ: text with a point a line. */
#include <stdio.h>
#include <string.h>

#include "cloud/rows.h"
#include "io/number.h"

static glshape_status name_columns(cloud_rows *r, size_t count) {
    static const char *const names[] = {"x", "y", "z"};
    char name[24];
    for (size_t k = 0; k < count; k++) {
        if (k < 3) snprintf(name, sizeof name, "%s", names[k]);
        else snprintf(name, sizeof name, "%zu", k + 1);
        TRY(cloud_add_column(r, name, strlen(name)));
    }
    return GLSHAPE_OK;
}

static glshape_status read_lines(cloud_rows *r, unsigned long long count, bool more) {
    for (; count; count--) {
        char *line;
        size_t length;
        unsigned long long all = count + (r->cols ? r->count / r->cols : 0);
        TRY(cloud_next_line(r, &line, &length));
        if (!line) return cloud_refuse_end(r, all);
        TRY(cloud_add_line(r, io_fields_of(line, length, IO_BLANKS), more));
    }
    return GLSHAPE_OK;
}

/* ---- OFF ------------------------------------------------------------------------------------------ */

/* Takes a whole number from the header; goes on with the next line where this one ends. */
static glshape_status take_count(cloud_rows *r, io_fields *fields, double *out) {
    io_field field = {.text = ""};
    char shown[IO_QUOTED_ROOM], *line = "";
    size_t length;
    while (!io_fields_next(fields, &field)) {
        TRY(cloud_next_line(r, &line, &length));
        if (!line) return fail(r->err, GLSHAPE_BAD_INPUT, "%s: the header of OFF has no counts", r->s->name);
        *fields = io_fields_of(line, length, IO_BLANKS);
    }
    if (io_number_parse(field.text, field.length, out) && *out >= 0 && *out < 0x1p53) return GLSHAPE_OK;
    return fail(r->err, GLSHAPE_BAD_INPUT,
                "%s: line %llu: %s is no count of OFF; it has those of vertices, faces and edges%s",
                r->s->name, (unsigned long long)r->s->line, io_field_shown(&field, shown),
                field.length == 6 && !memcmp(field.text, "BINARY", 6)
                    ? ": save it as text, or as PLY, which is read in binary"
                    : "");
}

glshape_status cloud_read_off(cloud_rows *r) {
    char *line;
    size_t length;
    double dimensions = 3, counts[3];
    TRY(cloud_next_line(r, &line, &length));
    io_fields fields = io_fields_of(line, length, IO_BLANKS);
    io_field word = {.text = ""};
    io_fields_next(&fields, &word);
    bool any = memchr(word.text, 'n', word.length) != NULL,
         fourth = memchr(word.text, '4', word.length) != NULL;
    if (any) TRY(take_count(r, &fields, &dimensions));
    if (fourth || dimensions < 1 || dimensions > 1024)
        return fail(r->err, GLSHAPE_BAD_INPUT, "%s: OFF with %s is not read; save the points as .csv",
                    r->s->name, fourth ? "four homogeneous coordinates" : "so many coordinates");
    for (int i = 0; i < 3; i++) TRY(take_count(r, &fields, &counts[i]));
    if (io_fields_count(fields))
        return fail(r->err, GLSHAPE_BAD_INPUT,
                    "%s: line %llu goes on behind the counts of vertices, faces and edges, or one of them is "
                    "missing before it",
                    r->s->name, (unsigned long long)r->s->line);
    TRY(name_columns(r, (size_t)dimensions));
    TRY(cloud_choose(r, r->width));
    return read_lines(r, (unsigned long long)counts[0], true);
}

/* ---- OBJ ------------------------------------------------------------------------------------------ */

glshape_status cloud_read_obj(cloud_rows *r) {
    char *line;
    size_t length;
    TRY(name_columns(r, 3));
    TRY(cloud_choose(r, 3));
    for (;;) {
        TRY(cloud_next_line(r, &line, &length));
        if (!line) return GLSHAPE_OK;
        io_fields fields = io_fields_of(line, length, IO_BLANKS);
        io_field word;
        if (io_fields_next(&fields, &word) && word.length == 1 && *word.text == 'v')
            TRY(cloud_add_line(r, fields, true));
    }
}

/* ---- XYZ ------------------------------------------------------------------------------------------ */

/* As programs of chemistry write molecules: the number of atoms, a line of text, and a line for each atom,
 * which begins with its element. */
static glshape_status read_atoms(cloud_rows *r, double count) {
    char *line;
    size_t length;
    TRY(name_columns(r, 3));
    TRY(cloud_choose(r, 3));
    TRY(io_stream_line(r->err, r->s, &line, &length));
    for (unsigned long long left = (unsigned long long)count; left; left--) {
        TRY(io_stream_line(r->err, r->s, &line, &length));
        if (!line) return cloud_refuse_end(r, (unsigned long long)count);
        io_fields fields = io_fields_of(line, length, IO_BLANKS);
        io_field element;
        io_fields_next(&fields, &element);
        TRY(cloud_add_line(r, fields, true));
    }
    TRY(cloud_next_line(r, &line, &length));
    if (!line) return GLSHAPE_OK;
    return fail(r->err, GLSHAPE_BAD_INPUT,
                "%s: line %llu begins another molecule; keep one, as head -n %.0f does", r->s->name,
                (unsigned long long)r->s->line, count + 2);
}

glshape_status cloud_read_xyz(cloud_rows *r) {
    char *line;
    size_t length;
    double count;
    TRY(cloud_next_line(r, &line, &length));
    if (!line) return GLSHAPE_OK;
    char delimiter = io_fields_delimiter(line, length, "\t;, ");
    io_fields fields = io_fields_of(line, length, delimiter), first = fields;
    io_field field = {.text = ""};
    size_t width = io_fields_count(fields);
    io_fields_next(&first, &field);
    bool number = io_number_parse(field.text, field.length, &count);
    if (width == 1 && number && count >= 0 && count < 0x1p53) return read_atoms(r, count);
    if (width < 3)
        return fail(
            r->err, GLSHAPE_BAD_INPUT,
            "%s: line %llu has %zu field%s; a point of XYZ has three or more; --format text reads rows "
            "of any length",
            r->s->name, (unsigned long long)r->s->line, width, width == 1 ? "" : "s");
    TRY(name_columns(r, width));
    TRY(cloud_choose(r, 3));
    if (width > 3 && r->cols == 3)
        note(r->err, "%s: columns 4 to %zu are left out; --columns 1-%zu reads all", r->s->name, width,
             width);
    if (number) TRY(cloud_add_line(r, fields, false));
    for (;;) {
        TRY(cloud_next_line(r, &line, &length));
        if (!line) return GLSHAPE_OK;
        TRY(cloud_add_line(r, io_fields_of(line, length, delimiter), false));
    }
}
