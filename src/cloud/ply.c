/* PLY, as text and in binary of either byte order. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "cloud/rows.h"
#include "io/npy.h"
#include "io/number.h"

enum { MOST_PROPERTIES = 512 };

typedef struct property {
    const cloud_type *count; /* of a list: the type of its length; NULL: one value */
    const cloud_type *type;
} property;

typedef struct ply {
    cloud_rows *r;
    bool text, swapped;
    bool found;                /* the vertices have been announced */
    unsigned long long points; /* of them */
    /* Of the element that is announced: vertices, or one before them. */
    unsigned long long count;
    int properties;
    property property[MOST_PROPERTIES];
} ply;

static glshape_status bad_header(const ply *p, const char *why) {
    return fail(p->r->err, GLSHAPE_BAD_INPUT, "%s: line %llu of the header of PLY %s", p->r->s->name,
                (unsigned long long)p->r->s->line, why);
}

static bool is(const io_field *field, const char *word) {
    return field->length == strlen(word) && !memcmp(field->text, word, field->length);
}

static glshape_status take_format(ply *p, io_fields *fields) {
    io_field field = {.text = ""};
    io_fields_next(fields, &field);
    bool little = is(&field, "binary_little_endian"), big = is(&field, "binary_big_endian");
    p->text = is(&field, "ascii");
    p->swapped = io_is_little_endian() ? big : little;
    return p->text || little || big
               ? GLSHAPE_OK
               : bad_header(p, "names no format: ascii, binary_little_endian or binary_big_endian");
}

static glshape_status take_property(ply *p, io_fields *fields, bool vertex) {
    io_field field = {.text = ""}, name = {.text = ""};
    property *to = &p->property[p->properties];
    if (p->properties == MOST_PROPERTIES) return bad_header(p, "is a property too many");
    *to = (property){NULL, NULL};
    io_fields_next(fields, &field);
    bool list = is(&field, "list");
    if (list && io_fields_next(fields, &field)) to->count = cloud_type_named(field.text, field.length);
    if (list) io_fields_next(fields, &field);
    to->type = cloud_type_named(field.text, field.length);
    if (!to->type || (list && !to->count) || !io_fields_next(fields, &name))
        return bad_header(p, "is no property of a known type");
    p->properties++;
    if (vertex && list) return bad_header(p, "gives vertices a list, which is not read; save them without");
    return vertex ? cloud_add_column(p->r, name.text, name.length) : GLSHAPE_OK;
}

/* ---- elements before the vertices ---------------------------------------------------------------- */

static glshape_status read_bytes(ply *p, void *to, size_t bytes) {
    size_t got;
    TRY(io_stream_read(p->r->err, p->r->s, to, bytes, &got));
    return got == bytes ? GLSHAPE_OK : cloud_refuse_end(p->r, p->points);
}

static glshape_status pass_value(ply *p, const property *of) {
    char item[8];
    double count = 1;
    if (of->count) {
        TRY(read_bytes(p, item, (size_t)of->count->bytes));
        count = cloud_number(of->count, item, p->swapped);
    }
    for (double k = 0; k < count; k++) TRY(read_bytes(p, item, (size_t)of->type->bytes));
    return GLSHAPE_OK;
}

/* ---- vertices ------------------------------------------------------------------------------------- */

static glshape_status read_binary(ply *p) {
    const cloud_type *type[MOST_PROPERTIES];
    if (!p->properties) return bad_header(p, "ends without properties");
    for (int k = 0; k < p->properties; k++) type[k] = p->property[k].type;
    return cloud_read_records(p->r,
                              &(cloud_records){.type = type, .count = p->points, .swapped = p->swapped});
}

static glshape_status read_text(ply *p) {
    for (unsigned long long left = p->points; left; left--) {
        char *line;
        size_t length;
        TRY(cloud_next_line(p->r, &line, &length));
        if (!line) return cloud_refuse_end(p->r, p->points);
        TRY(cloud_add_line(p->r, io_fields_of(line, length, IO_BLANKS), false));
    }
    return GLSHAPE_OK;
}

/* ---- the header ----------------------------------------------------------------------------------- */

/* An element that stands before the vertices, whose values are passed over. */
typedef struct element {
    unsigned long long count;
    int properties;
    property property[16];
} element;

enum { MOST_BEFORE = 4 };

typedef struct header {
    element before[MOST_BEFORE];
    int count; /* of those */
} header;

/* Keeps the element that has been announced, as another one follows or the header ends. */
static glshape_status end_element(ply *p, header *h, bool vertex) {
    if (vertex || p->found || !p->properties) return GLSHAPE_OK;
    if (h->count == MOST_BEFORE || p->properties > 16)
        return bad_header(p, "has too much before the vertices");
    element *e = &h->before[h->count++];
    *e = (element){.count = p->count, .properties = p->properties};
    memcpy(e->property, p->property, (size_t)p->properties * sizeof *e->property);
    return GLSHAPE_OK;
}

static glshape_status take_element(ply *p, io_fields *fields, bool *vertex) {
    io_field name = {.text = ""}, count = {.text = ""};
    double value;
    io_fields_next(fields, &name);
    io_fields_next(fields, &count);
    if (!io_number_parse(count.text, count.length, &value) || !(value >= 0 && value < 0x1p53))
        return bad_header(p, "has no number of elements");
    *vertex = is(&name, "vertex");
    if (*vertex && p->found) return bad_header(p, "announces vertices once more");
    p->count = (unsigned long long)value;
    p->properties = 0;
    if (*vertex) p->points = p->count;
    return GLSHAPE_OK;
}

static glshape_status read_header(ply *p, header *h) {
    char *line;
    size_t length;
    property kept[MOST_PROPERTIES];
    int properties = 0;
    for (bool vertex = false, format = false;;) {
        TRY(io_stream_line(p->r->err, p->r->s, &line, &length));
        if (!line)
            return fail(p->r->err, GLSHAPE_BAD_INPUT, "%s: the header of PLY has no end_header",
                        p->r->s->name);
        io_fields fields = io_fields_of(line, length, IO_BLANKS);
        io_field word = {.text = ""};
        io_fields_next(&fields, &word);
        if (is(&word, "format")) TRY(take_format(p, &fields));
        format |= is(&word, "format");
        bool ends = is(&word, "end_header");
        if (ends || is(&word, "element")) {
            TRY(end_element(p, h, vertex));
            if (vertex) memcpy(kept, p->property, sizeof kept), properties = p->properties, p->found = true;
            vertex = false;
        }
        if (ends && (!p->found || !properties || !format))
            return bad_header(p, "ends without format, vertices or properties");
        if (ends) break;
        if (is(&word, "element")) TRY(take_element(p, &fields, &vertex));
        if (is(&word, "property")) TRY(take_property(p, &fields, vertex));
    }
    memcpy(p->property, kept, sizeof kept);
    p->properties = properties;
    return GLSHAPE_OK;
}

static glshape_status pass_before(ply *p, const header *h) {
    for (const element *e = h->before; e < h->before + h->count; e++)
        for (unsigned long long i = 0; i < e->count; i++) {
            char *line = "";
            size_t length;
            if (p->text) TRY(cloud_next_line(p->r, &line, &length));
            if (!line) return cloud_refuse_end(p->r, p->points);
            for (int k = 0; !p->text && k < e->properties; k++) TRY(pass_value(p, &e->property[k]));
        }
    return GLSHAPE_OK;
}

glshape_status cloud_read_ply(cloud_rows *r) {
    OWNED ply *p = NULL;
    OWNED header *h = NULL;
    TRY(allocate(r->err, &p, 1, sizeof *p, r->s->name));
    TRY(allocate(r->err, &h, 1, sizeof *h, r->s->name));
    p->r = r;
    TRY(read_header(p, h));
    TRY(cloud_choose(r, 0));
    TRY(pass_before(p, h));
    return p->text ? read_text(p) : read_binary(p);
}
