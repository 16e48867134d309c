#include "mergetree/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- keys -------------------------------------------------------------------------------------- */

static inline uint32_t key_f32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (bits == 0x80000000u) return bits;
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static inline uint64_t key_f64(double x) {
    uint64_t bits, sign = 1ull << 63;
    memcpy(&bits, &x, sizeof bits);
    if (bits == sign) return bits;
    return bits & sign ? ~bits : bits | sign;
}

static inline uint32_t key_i(int32_t x) { return (uint32_t)x ^ 0x80000000u; }
static inline uint32_t key_u(uint32_t x) { return x; }
static inline uint64_t key_i64(int64_t x) { return (uint64_t)x ^ 1ull << 63; }
static inline uint64_t key_u64(uint64_t x) { return x; }

void order_keys(const order *o, size_t first, size_t count, uint32_t *out) {
#define KEYS(name, ctype, key)                                                    \
    case name:                                                                    \
        for (size_t k = 0; k < count; k++)                                        \
            out[k] = key(((const ctype *)o->field->values)[first + k]) ^ o->flip; \
        break;
    if (o->ranks) {
        for (size_t k = 0; k < count; k++) out[k] = o->ranks[first + k] ^ o->flip;
        return;
    }
    switch (o->field->type) {
        KEYS(GLSHAPE_F32, float, key_f32)
        KEYS(GLSHAPE_I8, int8_t, key_i)
        KEYS(GLSHAPE_I16, int16_t, key_i)
        KEYS(GLSHAPE_I32, int32_t, key_i)
        KEYS(GLSHAPE_U8, uint8_t, key_u)
        KEYS(GLSHAPE_U16, uint16_t, key_u)
        KEYS(GLSHAPE_U32, uint32_t, key_u)
        default: /* 64 bits: by rank */
            break;
    }
#undef KEYS
}

void order_range(const order *o, uint32_t ends[2]) {
    uint32_t keys[4096], least = UINT32_MAX, greatest = 0;
    ends[0] = ends[1] = 0;
    for (uint32_t first = 0, count; first < o->n; first += count) {
        count = o->n - first < 4096 ? o->n - first : 4096;
        order_keys(o, first, count, keys);
        for (uint32_t k = 0; k < count; k++) {
            if (keys[k] < least) least = keys[k], ends[0] = first + k;
            if (keys[k] > greatest) greatest = keys[k], ends[1] = first + k;
        }
    }
}

uint64_t order_of(const order *o, uint32_t v) {
    uint32_t key;
    order_keys(o, v, 1, &key);
    return (uint64_t)key << 32 | v;
}

double order_value(const glshape_field *field, size_t v) {
#define VALUE(name, ctype, code) \
    case name:                   \
        return (double)((const ctype *)field->values)[v];
    switch (field->type) { GLSHAPE_TYPES(VALUE) }
#undef VALUE
    return NAN;
}

/* ---- ranks ------------------------------------------------------------------------------------- */

enum { DIGIT = 11, DIGITS = 6, BINS = 1 << DIGIT };

static unsigned digit(uint64_t at, int d) { return at >> d * DIGIT & (BINS - 1); }

/* By the least digit first; a digit that all have in common is passed over. */
void order_sort(order_item *items, order_item *spare, size_t count) {
    order_item *from = items, *to = spare;
    for (int d = 0; d < DIGITS; d++) {
        size_t bins[BINS] = {0}, sum = 0;
        for (size_t k = 0; k < count; k++) bins[digit(from[k].at, d)]++;
        if (!count || bins[digit(from[0].at, d)] == count) continue;
        for (int b = 0; b < BINS; b++) {
            size_t here = bins[b];
            bins[b] = sum;
            sum += here;
        }
        for (size_t k = 0; k < count; k++) to[bins[digit(from[k].at, d)]++] = from[k];
        order_item *swap = from;
        from = to;
        to = swap;
    }
    if (from != items && count) memcpy(items, from, count * sizeof *items);
}

static uint64_t wide_key(const glshape_field *f, size_t v) {
    if (f->type == GLSHAPE_F64) return key_f64(((const double *)f->values)[v]);
    if (f->type == GLSHAPE_I64) return key_i64(((const int64_t *)f->values)[v]);
    return key_u64(((const uint64_t *)f->values)[v]);
}

static void take_ranks(const order_item *items, uint32_t n, uint32_t *ranks) {
    uint32_t rank = 0;
    for (uint32_t k = 0; k < n; k++) {
        rank += k && items[k].at != items[k - 1].at;
        ranks[items[k].a] = rank;
    }
}

static glshape_status rank(error *err, order *o) {
    order_item *items;
    TRY(allocate(err, &o->ranks, o->n, sizeof *o->ranks, "the ranks of the values"));
    TRY(allocate(err, &items, o->n, 2 * sizeof *items, "the ranks of the values"));
    for (uint32_t v = 0; v < o->n; v++) items[v] = (order_item){wide_key(o->field, v), v, 0};
    order_sort(items, items + o->n, o->n);
    take_ranks(items, o->n, o->ranks);
    free(items);
    return GLSHAPE_OK;
}

/* ---- one order --------------------------------------------------------------------------------- */

static bool nan_at(const glshape_field *f, size_t v) {
    return f->type == GLSHAPE_F32 ? isnan(((const float *)f->values)[v])
                                  : isnan(((const double *)f->values)[v]);
}

static glshape_status refuse_nan(error *err, const glshape_field *f, size_t v) {
    static const char remedy[] = "every vertex needs a number: replace it, or leave the vertex out";
    if (f->graph) return fail(err, GLSHAPE_BAD_INPUT, "vertex %zu has the value NaN; %s", v, remedy);
    size_t x = f->shape[f->dims - 1], y = f->shape[f->dims - 2];
    if (f->dims == 2)
        return fail(err, GLSHAPE_BAD_INPUT, "the value at (y %zu, x %zu), counted from 0, is NaN; %s", v / x,
                    v % x, remedy);
    return fail(err, GLSHAPE_BAD_INPUT, "the value at (z %zu, y %zu, x %zu), counted from 0, is NaN; %s",
                v / x / y, v / x % y, v % x, remedy);
}

glshape_status order_new(error *err, const glshape_field *field, uint32_t n, bool superlevel, order *out) {
    *out = (order){.field = field, .n = n, .flip = superlevel ? UINT32_MAX : 0};
    bool wide = field->type == GLSHAPE_F64 || field->type == GLSHAPE_I64 || field->type == GLSHAPE_U64;
    if (field->type == GLSHAPE_F32 || field->type == GLSHAPE_F64)
        for (uint32_t v = 0; v < n; v++)
            if (nan_at(field, v)) return refuse_nan(err, field, v);
    return wide ? rank(err, out) : GLSHAPE_OK;
}

void order_free(order *o) {
    free(o->ranks);
    *o = (order){0};
}
