#include "io/npy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/room.h"

enum { FIRST_CHUNK = 1 << 20 };

static glshape_status wrong_size(error *err, const io_stream *s, const io_npy *npy, size_t bytes,
                                 uint64_t found) {
    unsigned long long expected = npy->header + bytes;
    return fail(
        err, GLSHAPE_BAD_INPUT,
        "%s: %llu bytes are expected (shape %s of '%s' after a header of %llu), the file has %llu%s; %s",
        s->name, expected, npy->shape, npy->descr, (unsigned long long)npy->header, (unsigned long long)found,
        found > expected && s->size != found ? " or more" : "",
        found < expected ? "it is cut short" : "something follows the array");
}

/* Reads bytes into *data, which grows as they arrive: a header's claim alone allocates nothing large. */
static glshape_status read_growing(error *err, io_stream *s, const io_npy *npy, size_t bytes, void **data) {
    size_t capacity = 0, have = 0, got = 1;
    size_t chunk = s->size == IO_SIZE_UNKNOWN && bytes > FIRST_CHUNK ? FIRST_CHUNK : bytes;
    while (have < bytes && got) {
        size_t need = have + chunk < bytes ? have + chunk : bytes;
        TRY(io_room_grow(err, s->name, data, &capacity, need, bytes, 1));
        TRY(io_stream_read(err, s, (char *)*data + have, capacity - have, &got));
        have += got;
    }
    if (have < bytes) return wrong_size(err, s, npy, bytes, s->taken);
    char extra;
    TRY(io_stream_read(err, s, &extra, 1, &got));
    return got ? wrong_size(err, s, npy, bytes, s->taken) : GLSHAPE_OK;
}

glshape_status io_npy_read_data(error *err, io_stream *s, const io_npy *npy, void **data) {
    *data = NULL;
    size_t bytes = times(times(npy->rows, npy->cols), npy->item);
    if (bytes > SIZE_MAX / 2)
        return fail(err, GLSHAPE_BAD_INPUT, "%s: shape %s of '%s' is more than any memory can hold", s->name,
                    npy->shape, npy->descr);
    if (s->size != IO_SIZE_UNKNOWN && s->size != npy->header + bytes)
        return wrong_size(err, s, npy, bytes, s->size);
    TRY(io_room_check(err, s->name, bytes));
    glshape_status status = read_growing(err, s, npy, bytes, data);
    if (status == GLSHAPE_OK) return status;
    free(*data);
    *data = NULL;
    return status;
}

/* What a value that is no plain number is, and the way out. */
static glshape_status refuse_kind(error *err, const char *name, const io_npy *npy) {
    static const struct {
        char kind;
        const char *what, *remedy;
    } kinds[] = {
        {'O', "Python objects (pickled)", "numpy.save(..., arr.astype('f4'))"},
        {'c', "complex numbers", "numpy.save(..., numpy.abs(arr)) or their real parts"},
        {'U', "text", "numpy.save(..., arr.astype('f4'))"},
        {'S', "text", "numpy.save(..., arr.astype('f4'))"},
        {'a', "text", "numpy.save(..., arr.astype('f4'))"},
        {'V', "raw bytes or records", "numpy.save(..., arr.view('f4')), or the type that they are"},
        {'M', "dates", "numpy.save(..., arr.astype('i8'))"},
        {'m', "time spans", "numpy.save(..., arr.astype('i8'))"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].kind != npy->kind) continue;
        return fail(err, GLSHAPE_BAD_INPUT, "%s holds %s ('%s'); save numbers, with %s", name, kinds[i].what,
                    npy->descr, kinds[i].remedy);
    }
    return fail(
        err, GLSHAPE_BAD_INPUT,
        "%s holds numbers of type '%s', which is not read; save it with numpy.save(..., arr.astype('f8'))",
        name, npy->descr);
}

static bool is_code(const io_npy *npy, const char *code) {
    return npy->kind == code[0] && npy->item == (size_t)(code[1] - '0');
}

static glshape_status find_type(error *err, const char *name, const io_npy *npy, glshape_type *out) {
#define CODE(type, ctype, code) {code, type},
    static const struct {
        const char *code;
        glshape_type type;
    } types[] = {GLSHAPE_TYPES(CODE){"b1", GLSHAPE_U8}, {"f2", GLSHAPE_F32}};
#undef CODE
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (is_code(npy, types[i].code)) return *out = types[i].type, GLSHAPE_OK;
    }
    return refuse_kind(err, name, npy);
}

static float from_half(uint16_t half) {
    int exponent = half >> 10 & 31, fraction = half & 1023;
    float value = exponent == 31 ? (fraction ? NAN : INFINITY)
                  : exponent     ? ldexpf((float)(fraction + 1024), exponent - 25)
                                 : ldexpf((float)fraction, -24);
    return half >> 15 ? -value : value;
}

/* Replaces count halves by floats in the same block, which grows; from the end, as a float lies over
 * halves that come later. */
static glshape_status widen_halves(error *err, const char *name, void **data, size_t count) {
    size_t capacity = count * 2, need = times(count, 4);
    TRY(io_room_grow(err, name, data, &capacity, need, need, 1));
    char *bytes = *data;
    for (size_t i = count; i-- > 0;) {
        uint16_t half;
        memcpy(&half, bytes + 2 * i, sizeof half);
        float value = from_half(half);
        memcpy(bytes + 4 * i, &value, sizeof value);
    }
    return GLSHAPE_OK;
}

/* Turns the bytes of the file into native, C-ordered values of a type of ours. */
static glshape_status convert(error *err, const char *name, const io_npy *npy, void **data) {
    size_t count = npy->rows * npy->cols;
    if (npy->swapped) io_swap_bytes(*data, count, npy->item);
    if (npy->fortran) TRY(io_transpose(err, name, data, npy->rows, npy->cols, npy->item));
    return npy->item == 2 && npy->kind == 'f' ? widen_halves(err, name, data, count) : GLSHAPE_OK;
}

glshape_status io_npy_read_numbers(error *err, io_stream *s, const io_npy *npy, glshape_matrix *out) {
    glshape_type type = GLSHAPE_F32;
    void *data;
    *out = (glshape_matrix){.data = NULL};
    TRY(find_type(err, s->name, npy, &type));
    TRY(io_npy_read_data(err, s, npy, &data));
    glshape_status status = convert(err, s->name, npy, &data);
    if (status != GLSHAPE_OK) return free(data), status;
    *out = (glshape_matrix){type, npy->rows, npy->cols, data};
    return GLSHAPE_OK;
}

glshape_status io_npy_read(error *err, io_stream *s, glshape_matrix *out) {
    io_npy npy;
    *out = (glshape_matrix){.data = NULL};
    TRY(io_npy_read_header(err, s, &npy));
    return io_npy_read_numbers(err, s, &npy, out);
}
