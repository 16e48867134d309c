#include "io/field/netcdf.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "io/field/dataset.h"

/* The format: NetCDF Users Guide, appendix "File Format Specifications". Libnetcdf 4.9 reads beyond its
 * memory where a header is damaged, so it is not used. */

enum { DIMENSION = 10, VARIABLE = 11, ATTRIBUTE = 12 };
enum { NAME_MOST = 1 << 16 };

typedef struct parser {
    error *err;
    io_stream *s;
    int version; /* 1, 2 or 5 */
    unsigned long long records;
    unsigned long long *extent; /* of each dimension; 0: the number of records */
    char (*names)[IO_DATASET_NAME];
    size_t dims, dims_room, names_room;
    unsigned long long record; /* bytes of one */
    size_t record_arrays;
    io_datasets all;
} parser;

static void parser_free(parser *p) {
    free(p->extent);
    free(p->names);
    io_datasets_free(&p->all);
}

static glshape_status bad(const parser *p, const char *what) {
    return fail(p->err, GLSHAPE_BAD_INPUT, "%s: its NetCDF header %s", p->s->name, what);
}

/* ---- numbers and names ------------------------------------------------------------------------- */

static glshape_status take(parser *p, void *to, size_t bytes) {
    size_t got;
    TRY(io_stream_read(p->err, p->s, to, bytes, &got));
    return got == bytes ? GLSHAPE_OK : bad(p, "is cut short");
}

static glshape_status pass(parser *p, unsigned long long bytes) {
    char waste[4096];
    for (size_t now; bytes; bytes -= now) {
        now = bytes < sizeof waste ? (size_t)bytes : sizeof waste;
        TRY(take(p, waste, now));
    }
    return GLSHAPE_OK;
}

static glshape_status take_number(parser *p, unsigned bytes, unsigned long long *out) {
    unsigned char b[8];
    TRY(take(p, b, bytes));
    *out = 0;
    for (unsigned k = 0; k < bytes; k++) *out = *out << 8 | b[k];
    return GLSHAPE_OK;
}

/* A count or a size. */
static glshape_status take_count(parser *p, unsigned long long *out) {
    TRY(take_number(p, p->version == 5 ? 8 : 4, out));
    return *out >> 60 ? bad(p, "has a count that cannot be") : GLSHAPE_OK;
}

static unsigned long long padded(unsigned long long bytes) { return (bytes + 3) / 4 * 4; }

static glshape_status take_name(parser *p, char out[IO_DATASET_NAME]) {
    unsigned long long length, kept;
    TRY(take_count(p, &length));
    if (length > NAME_MOST) return bad(p, "has a name that is too long");
    kept = length < IO_DATASET_NAME - 1 ? length : IO_DATASET_NAME - 1;
    TRY(take(p, out, (size_t)kept));
    out[kept] = 0;
    return pass(p, padded(length) - kept);
}

/* A list begins with its tag and the number of its items; without items with zeros. */
static glshape_status take_list(parser *p, unsigned long long tag, unsigned long long *count) {
    unsigned long long is;
    TRY(take_number(p, 4, &is));
    TRY(take_count(p, count));
    return (is != tag && (is || *count)) || *count > INT_MAX
               ? bad(p, "has a list of another kind than expected")
               : GLSHAPE_OK;
}

/* ---- types ------------------------------------------------------------------------------------- */

static const char *const codes[] = {"", "i1", "", "i2", "i4", "f4", "f8", "u1", "u2", "u4", "i8", "u8"};
enum { TYPES = sizeof codes / sizeof *codes, CHARACTERS = 2 };

static unsigned size_of(unsigned long long type) {
    return type == CHARACTERS ? 1 : (unsigned)(codes[type][1] - '0');
}

/* A number of the file as a double. */
static double to_double(unsigned char *b, unsigned long long type) {
    io_values v = {.channels = 1};
    io_values_set_type(&v, codes[type], false);
    union {
        unsigned char b[8];
        float f4;
        double f8;
        int8_t i1;
        int16_t i2;
        int32_t i4;
        int64_t i8;
        uint8_t u1;
        uint16_t u2;
        uint32_t u4;
        uint64_t u8;
    } x;
    for (unsigned k = 0; k < v.npy.item; k++) x.b[k] = b[io_is_little_endian() ? v.npy.item - 1 - k : k];
    const double all[] = {0, x.i1, 0, x.i2, x.i4, x.f4, x.f8, x.u1, x.u2, x.u4, (double)x.i8, (double)x.u8};
    return all[type];
}

/* ---- lists ------------------------------------------------------------------------------------- */

static glshape_status take_dimensions(parser *p) {
    unsigned long long count;
    TRY(take_list(p, DIMENSION, &count));
    for (p->dims = 0; p->dims < count; p->dims++) {
        TRY(memory_reserve(p->err, &p->names, &p->names_room, p->dims + 1, sizeof *p->names,
                           "the dimensions"));
        TRY(memory_reserve(p->err, &p->extent, &p->dims_room, p->dims + 1, sizeof *p->extent,
                           "the dimensions"));
        TRY(take_name(p, p->names[p->dims]));
        TRY(take_count(p, &p->extent[p->dims]));
    }
    return GLSHAPE_OK;
}

/* The classic format has no unsigned types; "_Unsigned" says that values are. */
static void note_unsigned(io_dataset *d, const char *name, const unsigned char *text) {
    d->natural = d->natural || (!strcmp(name, "_Unsigned") && !memcmp(text, "true", 4));
}

/* Takes attributes, and keeps what they say of the values of d, if it is not NULL. */
static glshape_status take_attributes(parser *p, io_dataset *d) {
    unsigned long long count, type, values;
    char name[IO_DATASET_NAME];
    TRY(take_list(p, ATTRIBUTE, &count));
    for (; count; count--) {
        unsigned char first[8];
        TRY(take_name(p, name));
        TRY(take_number(p, 4, &type));
        TRY(take_count(p, &values));
        if (!type || type >= TYPES) return bad(p, "has a type that is not known");
        unsigned size = size_of(type);
        bool number = d && values == 1 && type != CHARACTERS;
        unsigned kept = number ? size : d && type == CHARACTERS && values == 4 ? 4 : 0;
        TRY(take(p, first, kept));
        TRY(pass(p, padded(values * size) - kept));
        if (kept && !number) note_unsigned(d, name, first);
        if (!number) continue;
        double value = to_double(first, type);
        if (!strcmp(name, "scale_factor")) d->slope = value;
        if (!strcmp(name, "add_offset")) d->intercept = value;
        if ((!strcmp(name, "_FillValue") || !strcmp(name, "missing_value")) && d->fills < IO_DATASET_FILLS)
            d->fill[d->fills++] = value;
    }
    return GLSHAPE_OK;
}

static glshape_status take_extents(parser *p, io_dataset *d) {
    unsigned long long dims, dimension = 0;
    TRY(take_count(p, &dims));
    d->dims = dims <= IO_DATASET_DIMENSIONS ? (int)dims : 0;
    for (unsigned long long k = 0; k < dims; k++) {
        TRY(take_count(p, &dimension));
        if (dimension >= p->dims) return bad(p, "has a variable of a dimension that is not there");
        bool records = !p->extent[dimension];
        if (records && k) return bad(p, "has a variable whose records are not its first dimension");
        d->records = d->records || records;
        if ((int)k < d->dims) d->extent[k] = records ? p->records : p->extent[dimension];
    }
    d->axis = dims == 1 && !strcmp(d->name, p->names[dimension]);
    return GLSHAPE_OK;
}

/* Bytes of a variable, or of what a record has of it; SIZE_MAX if that is too many. */
static size_t bytes_of(const io_dataset *d, size_t item) {
    for (int k = d->records; k < d->dims; k++) item = times(item, (size_t)d->extent[k]);
    return item;
}

static void become_unsigned(io_dataset *d) {
    *d->code = 'u';
    for (int k = 0; k < d->fills; k++)
        if (d->fill[k] < 0) d->fill[k] += ldexp(1, 8 * (d->code[1] - '0'));
}

static glshape_status take_variables(parser *p) {
    unsigned long long count, type, size, alone = 0;
    TRY(take_list(p, VARIABLE, &count));
    for (; count; count--) {
        io_dataset *d;
        TRY(io_datasets_add(p->err, &p->all, &d));
        TRY(take_name(p, d->name));
        TRY(take_extents(p, d));
        TRY(take_attributes(p, d));
        TRY(take_number(p, 4, &type));
        TRY(take_count(p, &size));
        TRY(take_number(p, p->version == 1 ? 4 : 8, &d->begin));
        if (!type || type >= TYPES) return bad(p, "has a type that is not known");
        snprintf(d->code, sizeof d->code, "%s", codes[type]);
        if (d->natural && *d->code == 'i') become_unsigned(d);
        if (!d->records) continue;
        alone = bytes_of(d, size_of(type));
        if (alone >> 60 || p->record >> 60) return bad(p, "has records that are too long");
        p->record += padded(alone);
        p->record_arrays++;
    }
    if (p->record_arrays == 1) p->record = alone; /* records of one variable are not padded */
    return GLSHAPE_OK;
}

static glshape_status take_header(parser *p) {
    char magic[4];
    TRY(take(p, magic, 4));
    p->version = magic[3];
    TRY(take_number(p, p->version == 5 ? 8 : 4, &p->records));
    if (p->records == (p->version == 5 ? ULLONG_MAX : UINT_MAX))
        return bad(p, "does not say how many records there are: it was not closed");
    TRY(take_dimensions(p));
    TRY(take_attributes(p, NULL));
    return take_variables(p);
}

/* ---- values ------------------------------------------------------------------------------------ */

static glshape_status read_values(parser *p, const io_dataset *d, char **out) {
    OWNED char *values = NULL;
    size_t have = 0, room = 0, item = (size_t)(d->code[1] - '0'), bytes = bytes_of(d, item);
    if (d->begin < p->s->taken) return bad(p, "has a variable that begins in it");
    TRY(pass(p, d->begin - p->s->taken));
    if (d->records && p->record < bytes) return bad(p, "has records that are too short");
    for (unsigned long long k = 0; k < (d->records ? p->records : 1); k++) {
        TRY(io_stream_append(p->err, p->s, &values, &have, &room, bytes));
        if (have < (k + 1) * bytes) return bad(p, "is cut short");
        if (d->records && k + 1 < p->records) TRY(pass(p, p->record - bytes));
    }
    if (io_is_little_endian() && item > 1) io_swap_bytes(values, have / item, item);
    *out = MOVE(values);
    return GLSHAPE_OK;
}

bool io_netcdf_starts(const io_stream *s) {
    return io_stream_starts(s, "CDF\1", 4) || io_stream_starts(s, "CDF\2", 4) ||
           io_stream_starts(s, "CDF\5", 4);
}

glshape_status io_netcdf_read(error *err, io_stream *s, const char *wanted, io_npy *npy,
                              glshape_matrix *out) {
    OWNED_BY(parser_free) parser p = {.err = err, .s = s};
    const io_dataset *d;
    char *values = NULL;
    *out = (glshape_matrix){.data = NULL};
    TRY(take_header(&p));
    TRY(io_datasets_choose(err, s->name, &p.all, wanted, &d));
    TRY(read_values(&p, d, &values));
    return io_dataset_finish(err, s->name, d, values, npy, out);
}
