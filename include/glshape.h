/* glshape: the shape of data on any OpenGL 4.3 GPU.
 *
 * One header, plain C arrays in and out. A glshape_context is one open device; use it from one thread
 * at a time (several contexts in several threads are fine). Option structs are zero-initialised and zero
 * is the documented default. Every call that can fail returns a glshape_status, and
 * glshape_last_error() then gives a sentence that names the input, the limit and the remedy.
 * The library never prints, never exits and keeps no global state. */
#ifndef GLSHAPE_H
#define GLSHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GLSHAPE_VERSION "0.1.0"

#if defined(__GNUC__)
#define GLSHAPE_API __attribute__((visibility("default")))
#else
#define GLSHAPE_API
#endif

/* Statuses and the words that go with them, in one table. */
#define GLSHAPE_STATUSES(X)                                    \
    X(GLSHAPE_OK, "done")                                      \
    X(GLSHAPE_BAD_ARGUMENT, "an argument is out of its range") \
    X(GLSHAPE_BAD_INPUT, "the input cannot be used")           \
    X(GLSHAPE_IO_ERROR, "a file could not be read or written") \
    X(GLSHAPE_NO_MEMORY, "not enough host memory")             \
    X(GLSHAPE_NO_GPU_MEMORY, "not enough GPU memory")          \
    X(GLSHAPE_NO_DEVICE, "no usable OpenGL 4.3 device")        \
    X(GLSHAPE_GPU_ERROR, "the OpenGL driver failed")           \
    X(GLSHAPE_CANCELLED, "cancelled")

#define GLSHAPE_STATUS_ENUM(name, text) name,
typedef enum { GLSHAPE_STATUSES(GLSHAPE_STATUS_ENUM) } glshape_status;
#undef GLSHAPE_STATUS_ENUM

/* The words of a status; never NULL. */
GLSHAPE_API const char *glshape_status_text(glshape_status status);

/* ---- data ------------------------------------------------------------------------------------- */

/* Element types of a matrix, in native byte order. */
#define GLSHAPE_TYPES(X)          \
    X(GLSHAPE_F32, float, "f4")   \
    X(GLSHAPE_F64, double, "f8")  \
    X(GLSHAPE_I8, int8_t, "i1")   \
    X(GLSHAPE_I16, int16_t, "i2") \
    X(GLSHAPE_I32, int32_t, "i4") \
    X(GLSHAPE_I64, int64_t, "i8") \
    X(GLSHAPE_U8, uint8_t, "u1")  \
    X(GLSHAPE_U16, uint16_t, "u2") \
    X(GLSHAPE_U32, uint32_t, "u4") \
    X(GLSHAPE_U64, uint64_t, "u8")

#define GLSHAPE_TYPE_ENUM(name, ctype, code) name,
typedef enum { GLSHAPE_TYPES(GLSHAPE_TYPE_ENUM) } glshape_type;
#undef GLSHAPE_TYPE_ENUM

/* A dense matrix: rows × cols values, row after row (C order) without padding. Owned by whoever made it. */
typedef struct glshape_matrix {
    glshape_type type;
    size_t rows, cols;
    void *data;
} glshape_matrix;

#ifdef __cplusplus
}
#endif
#endif
