/* The numbers of glsl/exact/mantissa.glsl on the CPU: the same bits. */
#ifndef GLSHAPE_ALPHA_MANTISSA_H
#define GLSHAPE_ALPHA_MANTISSA_H

#include <stdint.h>

/* m·2^(e - 63), the top bit of m set. */
typedef struct number {
    uint64_t m;
    int e;
} number;

static inline uint64_t upper_product(uint64_t a, uint64_t b) {
    const uint64_t low = UINT32_MAX, one = (a >> 32) * (b & low), two = (a & low) * (b >> 32);
    return (a >> 32) * (b >> 32) + (((one & low) + (two & low)) >> 32) + (one >> 32) + (two >> 32);
}

static inline number normal(uint64_t m, int e) { return m >> 63 ? (number){m, e} : (number){m << 1, e - 1}; }

static inline number product(number a, number b) { return normal(upper_product(a.m, b.m), a.e + b.e + 1); }

static inline uint64_t half_inverse(uint64_t m) {
    uint32_t high = (uint32_t)(m >> 32), guess = 0x69696969u - (uint32_t)((uint64_t)high * 0xf0f0f0f0u >> 32);
    for (int i = 0; i < 3; i++) {
        uint32_t rest = 0u - (uint32_t)((uint64_t)high * guess >> 32);
        guess = (uint32_t)((uint64_t)guess * rest >> 31);
    }
    uint64_t y = (uint64_t)guess << 32;
    for (int i = 0; i < 2; i++) y = upper_product(y, 0u - upper_product(m, y)) << 1;
    return y;
}

static inline number quotient(number a, number b) {
    return normal(upper_product(a.m, half_inverse(b.m)), a.e - b.e);
}

#endif
