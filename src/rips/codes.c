#include "rips/codes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/radix.h"

/* The codes up to this are whole numbers; then come the floats behind it, one after the other. */
#define WHOLE (UINT32_C(1) << 24)
#define WHOLE_BITS UINT32_C(0x4b800000)
#define MOST (WHOLE + (UINT32_C(0x7f7fffff) - WHOLE_BITS))

static float code_of(uint32_t number) {
    uint32_t bits = WHOLE_BITS + (number - WHOLE);
    float code;
    if (number <= WHOLE) return (float)number;
    memcpy(&code, &bits, sizeof code);
    return code;
}

static uint32_t number_of(float code) {
    uint32_t bits;
    if (code <= (float)WHOLE) return (uint32_t)code;
    memcpy(&bits, &code, sizeof bits);
    return WHOLE + (bits - WHOLE_BITS);
}

/* Bits whose order as an integer is that of the values. */
static uint32_t key_of(float value) {
    uint32_t bits;
    value += 0.0f; /* -0 is 0 */
    memcpy(&bits, &value, sizeof bits);
    return bits >> 31 ? ~bits : bits | UINT32_C(1) << 31;
}

static float value_of(uint32_t key) {
    uint32_t bits = key >> 31 ? key & ~(UINT32_C(1) << 31) : ~key;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- all values of a space ---------------------------------------------------------------------- */

/* Calls visit for each birth and for each edge, which both sides of a matrix have. */
static void for_values(rips_space *s, void (*visit)(void *user, float *value), void *user) {
    for (uint32_t v = 0; s->birth && v < s->n; v++) visit(user, &s->birth[v]);
    for (size_t i = 0; s->distance && i < s->n; i++)
        for (size_t j = 0; j < s->n; j++)
            if (i != j) visit(user, &s->distance[i * s->n + j]);
    for (size_t k = 0; !s->distance && k < s->graph.start[s->n]; k++) visit(user, &s->graph.distance[k]);
}

static void find_negative(void *user, float *value) { *(bool *)user |= *value < 0; }
static void count_value(void *user, float *value) { *(size_t *)user += *value < INFINITY; }

typedef struct listing {
    radix_item *items;
    size_t count;
} listing;

static void list_value(void *user, float *value) {
    listing *l = user;
    if (*value < INFINITY) l->items[l->count++] = (radix_item){(uint64_t)key_of(*value) << 32, 0, 0};
}

/* How many values are at most this one. */
static size_t rank_of(const rips_codes *c, float value) {
    size_t low = 0, high = c->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (c->value[middle] <= value) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void encode(void *user, float *value) {
    if (*value < INFINITY) *value = code_of((uint32_t)rank_of(user, *value));
}

/* ---- codes -------------------------------------------------------------------------------------- */

static glshape_status list_values(error *err, rips_space *s, rips_codes *c) {
    OWNED radix_item *items = NULL;
    size_t all = 0;
    for_values(s, count_value, &all);
    TRY(allocate(err, &items, all, 2 * sizeof *items, "the order of values"));
    listing l = {.items = items};
    for_values(s, list_value, &l);
    radix_sort_upper(items, items + all, all);
    for (size_t k = 0; k < all; k++)
        if (!k || items[k].at != items[k - 1].at) items[c->count++].at = items[k].at;
    if (c->count > MOST)
        return fail(
            err, GLSHAPE_BAD_INPUT,
            "%zu different values, some of which are negative: at most %u are possible; add one number "
            "to all",
            c->count, MOST);
    TRY(allocate(err, &c->value, c->count, sizeof *c->value, "the order of values"));
    for (size_t k = 0; k < c->count; k++) c->value[k] = value_of((uint32_t)(items[k].at >> 32));
    return GLSHAPE_OK;
}

glshape_status rips_codes_apply(error *err, rips_space *s, rips_codes *out) {
    OWNED_BY(rips_codes_free) rips_codes c = {0};
    bool negative = s->threshold < 0;
    if (s->may_be_negative) for_values(s, find_negative, &negative);
    if (!negative) return GLSHAPE_OK;
    TRY(list_values(err, s, &c));
    for_values(s, encode, &c);
    encode(&c, &s->threshold);
    *out = MOVE(c);
    return GLSHAPE_OK;
}

void rips_codes_free(rips_codes *c) {
    free(c->value);
    *c = (rips_codes){0};
}

float rips_codes_value(const rips_codes *c, float code) {
    return c->value && code > 0 && code < INFINITY ? c->value[number_of(code) - 1] : code;
}

void rips_codes_remove(const rips_codes *c, glshape_rips_result *r) {
    if (!c->value) return;
    for (size_t k = 0; k < r->count; k++) {
        r->intervals[k].birth = rips_codes_value(c, (float)r->intervals[k].birth);
        r->intervals[k].death = rips_codes_value(c, (float)r->intervals[k].death);
    }
    r->least = rips_codes_value(c, r->least);
    r->greatest = rips_codes_value(c, r->greatest);
    r->threshold = rips_codes_value(c, r->threshold);
}
