#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/npy.h"
#include "io/room.h"

enum { TILE = 32 }; /* two tiles of the largest type fit a first-level cache */

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* For each item type: swap the bytes of items; transpose cols × rows into rows × cols, tile by tile;
 * exchange the items on both sides of the diagonal. */
#define ITEM_FUNCTIONS(T, name, swap)                                                      \
    static void swap_##name(T *items, size_t count) {                                      \
        for (size_t i = 0; i < count; i++) items[i] = swap(items[i]);                      \
    }                                                                                      \
    static void copy_##name(T *to, const T *from, size_t rows, size_t cols) {              \
        for (size_t r0 = 0; r0 < rows; r0 += TILE)                                         \
            for (size_t c0 = 0; c0 < cols; c0 += TILE)                                     \
                for (size_t r = r0; r < smaller(r0 + TILE, rows); r++)                     \
                    for (size_t c = c0; c < smaller(c0 + TILE, cols); c++)                 \
                        to[r * cols + c] = from[c * rows + r];                             \
    }                                                                                      \
    static void square_##name(T *m, size_t n) {                                            \
        for (size_t r0 = 0; r0 < n; r0 += TILE)                                            \
            for (size_t c0 = r0; c0 < n; c0 += TILE)                                       \
                for (size_t r = r0; r < smaller(r0 + TILE, n); r++)                        \
                    for (size_t c = c0 > r ? c0 : r + 1; c < smaller(c0 + TILE, n); c++) { \
                        T kept = m[r * n + c];                                             \
                        m[r * n + c] = m[c * n + r];                                       \
                        m[c * n + r] = kept;                                               \
                    }                                                                      \
    }

#define SAME(x) (x)
ITEM_FUNCTIONS(uint8_t, 1, SAME)
ITEM_FUNCTIONS(uint16_t, 2, __builtin_bswap16)
ITEM_FUNCTIONS(uint32_t, 4, __builtin_bswap32)
ITEM_FUNCTIONS(uint64_t, 8, __builtin_bswap64)

bool io_is_little_endian(void) {
    const uint16_t one = 1;
    unsigned char low;
    memcpy(&low, &one, 1);
    return low == 1;
}

void io_swap_bytes(void *data, size_t count, size_t size) {
    switch (size) {
        case 1:
            swap_1(data, count);
            break;
        case 2:
            swap_2(data, count);
            break;
        case 4:
            swap_4(data, count);
            break;
        case 8:
            swap_8(data, count);
            break;
    }
}

static void transpose_square(void *data, size_t n, size_t size) {
    switch (size) {
        case 1:
            square_1(data, n);
            break;
        case 2:
            square_2(data, n);
            break;
        case 4:
            square_4(data, n);
            break;
        case 8:
            square_8(data, n);
            break;
    }
}

static void transpose_copy(void *to, const void *from, size_t rows, size_t cols, size_t size) {
    switch (size) {
        case 1:
            copy_1(to, from, rows, cols);
            break;
        case 2:
            copy_2(to, from, rows, cols);
            break;
        case 4:
            copy_4(to, from, rows, cols);
            break;
        case 8:
            copy_8(to, from, rows, cols);
            break;
    }
}

glshape_status io_transpose(error *err, const char *name, void **data, size_t rows, size_t cols,
                            size_t size) {
    if (rows == 1 || cols == 1) return GLSHAPE_OK;
    if (rows == cols) {
        transpose_square(*data, rows, size);
        return GLSHAPE_OK;
    }
    void *copy = NULL;
    size_t capacity = 0, bytes = times(times(rows, cols), size);
    TRY(io_room_grow(err, name, &copy, &capacity, bytes, bytes, 1));
    transpose_copy(copy, *data, rows, cols, size);
    free(*data);
    *data = copy;
    return GLSHAPE_OK;
}
