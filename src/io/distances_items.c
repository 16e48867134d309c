/* The types of stored distances, and how each becomes float32. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "io/distances_internal.h"

float distances_rounded(double value) {
    float rounded = (float)value; /* beyond float32 is an infinity (IEC 60559) */
    return isinf(rounded) && isfinite(value) ? -INFINITY : rounded;
}

#define CONVERSION(name, ctype, code)                                    \
    static bool from_##name(float *to, const void *from, size_t count) { \
        const char *bytes = from;                                        \
        bool lost = false;                                               \
        for (size_t i = 0; i < count; i++) {                             \
            ctype value;                                                 \
            memcpy(&value, bytes + i * sizeof value, sizeof value);      \
            to[i] = distances_rounded((double)value);                    \
            lost |= fabsf(to[i]) < FLT_MIN && (ctype)to[i] != value;     \
        }                                                                \
        return lost;                                                     \
    }
GLSHAPE_TYPES(CONVERSION)
#undef CONVERSION

/* A half's exponent and fraction, moved to where float32 has them, are its value times 2^-112, also if it is
 * subnormal. Exponent 31 is infinity or NaN. */
static float from_half(uint16_t half) {
    uint32_t magnitude = (uint32_t)(half & 0x7FFF) << 13, sign = (uint32_t)(half & 0x8000) << 16;
    float value;
    memcpy(&value, &magnitude, sizeof value);
    value *= 0x1p112f;
    memcpy(&magnitude, &value, sizeof value);
    if ((half & 0x7C00) == 0x7C00) magnitude = 0x7F800000u | (uint32_t)(half & 0x3FF) << 13;
    magnitude |= sign;
    memcpy(&value, &magnitude, sizeof value);
    return value;
}

static bool from_halves(float *to, const void *from, size_t count) {
    const char *bytes = from;
    for (size_t i = 0; i < count; i++) {
        uint16_t half;
        memcpy(&half, bytes + i * sizeof half, sizeof half);
        to[i] = from_half(half);
    }
    return false;
}

static const distances_item items[] = {
#define ITEM(name, ctype, code) {code, sizeof(ctype), from_##name},
    GLSHAPE_TYPES(ITEM){"f2", 2, from_halves},
#undef ITEM
};

const distances_item *distances_item_of(const char *code) {
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        if (!strcmp(items[i].code, code)) return &items[i];
    return NULL;
}
