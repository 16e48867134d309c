/* Source: https://nifti.nimh.nih.gov, nifti1.h and nifti2.h: offsets and codes. */
#include "io/field/nifti.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BYTES_1 = 348, BYTES_2 = 540, MOST_DIMENSIONS = 7 };

typedef struct parser {
    error *err;
    const io_stream *s;
    io_values *out;
    unsigned char bytes[BYTES_2];
    bool big, second; /* NIfTI-2 */
} parser;

static glshape_status bad(const parser *p, const char *what, long long value) {
    return fail(p->err, GLSHAPE_BAD_INPUT, "%s: its NIfTI header has %s %lld", p->s->name, what, value);
}

/* ---- numbers ----------------------------------------------------------------------------------- */

static uint64_t bits_at(const parser *p, size_t at, size_t size) {
    uint64_t x = 0;
    for (size_t k = 0; k < size; k++) x = x << 8 | p->bytes[p->big ? at + k : at + size - 1 - k];
    return x;
}

static long long integer_at(const parser *p, size_t at, size_t size) {
    return size == 2 ? (int16_t)bits_at(p, at, 2) : (int64_t)bits_at(p, at, 8);
}

static double float_at(const parser *p, size_t at, size_t size) {
    uint64_t bits = bits_at(p, at, size);
    uint32_t narrow = (uint32_t)bits;
    double wide;
    float single;
    memcpy(&wide, &bits, sizeof wide);
    memcpy(&single, &narrow, sizeof single);
    return size == 4 ? (double)single : wide;
}

/* ---- the header -------------------------------------------------------------------------------- */

/* The first bytes are the length of the header, in the byte order of all. */
static bool find_version(const unsigned char *bytes, bool *big, bool *second) {
    static const unsigned char starts[4][4] = {{92, 1, 0, 0}, {0, 0, 1, 92}, {28, 2, 0, 0}, {0, 0, 2, 28}};
    for (int k = 0; k < 4; k++)
        if (!memcmp(bytes, starts[k], 4)) {
            *big = k % 2, *second = k / 2;
            return true;
        }
    return false;
}

bool io_nifti_starts(const io_stream *s) {
    bool big, second;
    return s->have >= 4 && find_version((const unsigned char *)s->window + s->at, &big, &second);
}

static glshape_status take_type(parser *p, long long code) {
    static const struct {
        int code;
        const char *type;
        size_t channels;
    } types[] = {{2, "u1", 1},   {4, "i2", 1},    {8, "i4", 1},    {16, "f4", 1},
                 {64, "f8", 1},  {128, "u1", 3},  {256, "i1", 1},  {512, "u2", 1},
                 {768, "u4", 1}, {1024, "i8", 1}, {1280, "u8", 1}, {2304, "u1", 4}};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (types[k].code == code) {
            io_values_set_type(p->out, types[k].type, p->big == io_is_little_endian());
            p->out->channels = types[k].channels;
            return GLSHAPE_OK;
        }
    bool complex = code == 32 || code == 1792 || code == 2048;
    return fail(p->err, GLSHAPE_BAD_INPUT,
                "%s: its NIfTI header has values of %s (type %lld), which are not read; save others, as "
                "nibabel's Nifti1Image(%s, img.affine) does",
                p->s->name, complex ? "complex numbers" : "an unusual type", code,
                complex ? "numpy.abs(img.dataobj).astype('f8')" : "numpy.asarray(img.dataobj, 'f8')");
}

static glshape_status take_sizes(parser *p, size_t at, size_t size) {
    long long sizes[MOST_DIMENSIONS], count = integer_at(p, at, size);
    if (count < 1 || count > MOST_DIMENSIONS)
        return bad(p, "a number of dimensions that is not allowed,", count);
    for (int k = 0; k < count; k++) {
        sizes[k] = integer_at(p, at + (size_t)(k + 1) * size, size);
        if (sizes[k] < 1) return bad(p, "a size that is not allowed,", sizes[k]);
    }
    io_values_set_sizes(p->out, sizes, (int)count);
    if (p->out->npy.dimensions > 3)
        return fail(p->err, GLSHAPE_BAD_INPUT,
                    "%s has %d dimensions, %s; a field has 1, 2 or 3: take one volume of it, as nibabel's "
                    "img.slicer[..., 0] does",
                    p->s->name, p->out->npy.dimensions, p->out->npy.shape);
    return GLSHAPE_OK;
}

/* The values follow ("n+1") or are in the file beside with the name .img ("ni1"). */
static glshape_status take_place(parser *p, const char *path, double offset, size_t header) {
    const char *magic = (const char *)p->bytes + (p->second ? 4 : 344);
    bool apart = !memcmp(magic, "ni", 2);
    if (memcmp(magic, "n+", 2) && !apart)
        return fail(p->err, GLSHAPE_BAD_INPUT,
                    "%s has an ANALYZE header, or a damaged one of NIfTI; write it as .nii, as nibabel's "
                    "Nifti1Image.from_image does",
                    p->s->name);
    if (!(offset >= (apart ? 0 : (double)header) && offset < 0x1p62))
        return fail(p->err, GLSHAPE_BAD_INPUT, "%s: its NIfTI header has values at byte %g", p->s->name,
                    offset);
    p->out->skip = (long long)offset - (apart ? 0 : (long long)header);
    if (!apart) return GLSHAPE_OK;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    bool gz = length > 3 && !strcmp(name + length - 3, ".gz");
    if (gz) length -= 3;
    if (length < 4 || length + 4 > IO_VALUES_NAME || memcmp(name + length - 4, ".hdr", 4))
        return fail(p->err, GLSHAPE_BAD_INPUT,
                    "%s says that its values are in another file; name it .hdr, and that file .img beside it",
                    p->s->name);
    snprintf(p->out->file, sizeof p->out->file, "%.*s.img%s", (int)length - 4, name, gz ? ".gz" : "");
    return GLSHAPE_OK;
}

glshape_status io_nifti_read_header(error *err, io_stream *s, const char *path, io_values *out) {
    parser p = {.err = err, .s = s, .out = out};
    size_t got, header;
    *out = (io_values){.more = true}; /* some programs fill the file up */
    TRY(io_stream_read(err, s, p.bytes, BYTES_1, &got));
    if (got == BYTES_1 && find_version(p.bytes, &p.big, &p.second) && p.second)
        TRY(io_stream_read(err, s, p.bytes + BYTES_1, BYTES_2 - BYTES_1, &got));
    header = p.second ? BYTES_2 : BYTES_1;
    if (got != BYTES_1 && got != BYTES_2 - BYTES_1)
        return fail(err, GLSHAPE_BAD_INPUT, "%s is cut short: its NIfTI header ends after %llu bytes",
                    s->name, (unsigned long long)s->taken);
    TRY(take_sizes(&p, p.second ? 16 : 40, p.second ? 8 : 2));
    TRY(take_type(&p, integer_at(&p, p.second ? 12 : 70, 2)));
    out->slope = p.second ? float_at(&p, 176, 8) : float_at(&p, 112, 4);
    out->intercept = p.second ? float_at(&p, 184, 8) : float_at(&p, 116, 4);
    if (!isfinite(out->slope) || out->channels > 1) out->slope = 0; /* as nibabel: none */
    if (out->slope && !isfinite(out->intercept))
        return fail(err, GLSHAPE_BAD_INPUT, "%s: its NIfTI header adds %g to all values", s->name,
                    out->intercept);
    return take_place(&p, path, p.second ? (double)integer_at(&p, 168, 8) : float_at(&p, 108, 4), header);
}
