/* The types of stored distances, and how each becomes a float or a double. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/whole.h"
#include "io/distances/distances_internal.h"

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

/* Only integers can lose digits; their types have no halves. */
#define WIDENING(name, ctype, code)                                                          \
    static bool widen_##name(double *to, const void *from, size_t count) {                   \
        const char *bytes = from;                                                            \
        bool lost = false;                                                                   \
        for (size_t i = 0; i < count; i++) {                                                 \
            ctype value;                                                                     \
            memcpy(&value, bytes + i * sizeof value, sizeof value);                          \
            to[i] = (double)value;                                                           \
            if ((ctype)1 / 2 == 0 && fabs(to[i]) > 0x1p53)                                   \
                lost |= !whole_is_double(value > 0 ? (uint64_t)value : 0 - (uint64_t)value); \
        }                                                                                    \
        return lost;                                                                         \
    }
GLSHAPE_TYPES(WIDENING)
#undef WIDENING

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

static bool widen_halves(double *to, const void *from, size_t count) {
    for (size_t i = 0; i < count; i++) {
        float value;
        from_halves(&value, (const char *)from + i * sizeof(uint16_t), 1);
        to[i] = (double)value;
    }
    return false;
}

static const distances_item items[] = {
#define ITEM(name, ctype, code) {code, sizeof(ctype), from_##name, widen_##name},
    GLSHAPE_TYPES(ITEM){"f2", 2, from_halves, widen_halves},
#undef ITEM
};

bool distances_is_single(const distances_item *item) {
    return !strcmp(item->code, "f4") || !strcmp(item->code, "f2");
}

/* The nearest half: of eleven bits (Dekker's split) or, below 2^-14, a multiple of 2^-24. */
static double to_half(double value) {
    float single = (float)value;
    volatile float split = single * 0x2001p0f, low = split - single, high = split - low;
    return fabsf(single) < 0x1p-14f ? rint(value * 0x1p24) * 0x1p-24 : (double)high;
}

double io_distances_round(const io_distances *d, double threshold) {
    if (isinf(threshold) || io_distances_are_double(d)) return threshold;
    return strcmp(d->item->code, "f2") ? (double)(float)threshold : to_half(threshold);
}

const distances_item *distances_item_of(const char *code) {
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        if (!strcmp(items[i].code, code)) return &items[i];
    return NULL;
}
