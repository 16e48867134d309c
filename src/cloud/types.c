/* Numbers in binary. */
#include <stdint.h>
#include <string.h>

#include "cloud/rows.h"
#include "io/npy.h"

#define TYPE(name, ctype)                                                                 \
    static void read_##name(cloud_bytes from, size_t count, double *to, size_t step) {    \
        const char *at = from.first;                                                      \
        for (size_t i = 0; i < count; i++, at += from.step, to += step) {                 \
            ctype value;                                                                  \
            memcpy(&value, at, sizeof value);                                             \
            if (from.swapped && sizeof value > 1) io_swap_bytes(&value, 1, sizeof value); \
            *to = (double)value;                                                          \
        }                                                                                 \
    }
TYPE(i1, int8_t)
TYPE(u1, uint8_t)
TYPE(i2, int16_t)
TYPE(u2, uint16_t)
TYPE(i4, int32_t)
TYPE(u4, uint32_t)
TYPE(f4, float)
TYPE(f8, double)

static const cloud_type types[] = {{{"char", "int8"}, 1, read_i1},     {{"uchar", "uint8"}, 1, read_u1},
                                   {{"short", "int16"}, 2, read_i2},   {{"ushort", "uint16"}, 2, read_u2},
                                   {{"int", "int32"}, 4, read_i4},     {{"uint", "uint32"}, 4, read_u4},
                                   {{"float", "float32"}, 4, read_f4}, {{"double", "float64"}, 8, read_f8}};
enum { TYPES = sizeof types / sizeof *types };

bool cloud_is_single(const cloud_type *type) { return type->read == read_f4; }
bool cloud_is_float(const cloud_type *type) { return type->read == read_f4 || type->read == read_f8; }

void cloud_singles(cloud_bytes from, size_t count, float *to, size_t step) {
    const char *at = from.first;
    for (size_t i = 0; i < count; i++, at += from.step, to += step) {
        memcpy(to, at, sizeof *to);
        if (from.swapped) io_swap_bytes(to, 1, sizeof *to);
    }
}

double cloud_number(const cloud_type *type, const char *at, bool swapped) {
    double value;
    cloud_numbers(type, (cloud_bytes){at, 0, swapped}, 1, &value, 1);
    return value;
}

const cloud_type *cloud_type_named(const char *name, size_t length) {
    for (int i = 0; i < 2 * TYPES; i++) {
        const char *known = types[i / 2].names[i % 2];
        if (strlen(known) == length && !memcmp(known, name, length)) return &types[i / 2];
    }
    return NULL;
}

const cloud_type *cloud_type_of(char letter, int bytes) {
    const char *start = letter == 'F' ? "fd" : letter == 'I' ? "csi" : letter == 'U' ? "u" : "";
    for (int i = 0; i < TYPES; i++)
        if (*start && strchr(start, *types[i].names[0]) && types[i].bytes == bytes) return &types[i];
    return NULL;
}
