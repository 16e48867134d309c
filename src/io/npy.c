#include "io/npy.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
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

/* Takes what is left of bytes in memory, such as an array of an .npz: a copy takes as long as reading. */
static void *take_window(io_stream *s) {
    char *bytes = s->window;
    memmove(bytes, bytes + s->at, s->have);
    s->taken += s->have;
    s->at = s->have = s->capacity = 0;
    s->window = NULL;
    return bytes;
}

glshape_status io_npy_read_data(error *err, io_stream *s, const io_npy *npy, void **data) {
    OWNED void *block = NULL; /* grows as bytes arrive: a header's claim alone allocates nothing large */
    size_t bytes = times(times(npy->rows, npy->cols), npy->item), capacity = 0, have = 0, got = 1;
    *data = NULL;
    if (bytes > SIZE_MAX / 2)
        return fail(err, GLSHAPE_BAD_INPUT, "%s: shape %s of '%s' is more than any memory can hold", s->name,
                    npy->shape, npy->descr);
    if (s->size != IO_SIZE_UNKNOWN && s->size != npy->header + bytes)
        return wrong_size(err, s, npy, bytes, s->size);
    if (s->fd < 0 && s->have == bytes && s->ended) {
        *data = take_window(s);
        return GLSHAPE_OK;
    }
    TRY(io_room_check(err, s->name, bytes));
    size_t chunk = s->size == IO_SIZE_UNKNOWN && bytes > FIRST_CHUNK ? FIRST_CHUNK : bytes;
    while (have < bytes && got) {
        size_t need = have + chunk < bytes ? have + chunk : bytes;
        TRY(io_room_grow(err, s->name, &block, &capacity, need, bytes, 1));
        TRY(io_stream_read(err, s, (char *)block + have, capacity - have, &got));
        have += got;
    }
    if (have < bytes) return wrong_size(err, s, npy, bytes, s->taken);
    char extra;
    TRY(io_stream_read(err, s, &extra, 1, &got));
    if (got) return wrong_size(err, s, npy, bytes, s->taken);
    *data = MOVE(block);
    return GLSHAPE_OK;
}

/* GLSHAPE_BAD_INPUT: what the values are, which are no numbers that can be used, and what to do. */
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

static glshape_status find_type(error *err, const char *name, const io_npy *npy, glshape_type *out) {
#define CODE(type, ctype, code) {code, type},
    static const struct {
        const char *code;
        glshape_type type;
    } types[] = {GLSHAPE_TYPES(CODE){"b1", GLSHAPE_U8}, {"f2", GLSHAPE_F32}};
#undef CODE
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const char *code = types[i].code;
        if (npy->kind == code[0] && npy->item == (size_t)(code[1] - '0')) {
            *out = types[i].type;
            return GLSHAPE_OK;
        }
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

glshape_status io_npy_take_numbers(error *err, const char *name, const io_npy *npy, void *bytes,
                                   glshape_matrix *out) {
    OWNED void *data = bytes;
    glshape_type type = GLSHAPE_F32;
    size_t count = npy->rows * npy->cols;
    *out = (glshape_matrix){.data = NULL};
    TRY(find_type(err, name, npy, &type));
    if (npy->swapped) io_swap_bytes(data, count, npy->item);
    if (npy->fortran) TRY(io_transpose(err, name, &data, npy->rows, npy->cols, npy->item));
    if (npy->item == 2 && npy->kind == 'f') TRY(widen_halves(err, name, &data, count));
    *out = (glshape_matrix){type, npy->rows, npy->cols, MOVE(data)};
    return GLSHAPE_OK;
}

glshape_status io_npy_read_numbers(error *err, io_stream *s, const io_npy *npy, glshape_matrix *out) {
    void *data;
    glshape_type type;
    *out = (glshape_matrix){.data = NULL};
    TRY(find_type(err, s->name, npy, &type));
    TRY(io_npy_read_data(err, s, npy, &data));
    return io_npy_take_numbers(err, s->name, npy, data, out);
}

glshape_status io_npy_read(error *err, io_stream *s, glshape_matrix *out) {
    io_npy npy;
    *out = (glshape_matrix){.data = NULL};
    TRY(io_npy_read_header(err, s, &npy));
    return io_npy_read_numbers(err, s, &npy, out);
}
