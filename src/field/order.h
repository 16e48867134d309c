/* The order of vertices, by (value, index), as integers. */
#ifndef GLSHAPE_FIELD_ORDER_H
#define GLSHAPE_FIELD_ORDER_H

#include <string.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/radix.h"
#include "base/whole.h"

/* Orders vertices by key, of equal keys the smaller index first. Keys are ordered as the values are, for
 * superlevel the other way round. The keys of a field of 64-bit values are the ranks of its values.
 *
 * Its vertices are numbered from `origin`, a vertex of the field, on: in 32 bits, even where the field has
 * more of them. */
typedef struct order {
    const glshape_field *field;
    size_t origin;
    uint32_t n;
    uint32_t flip;             /* what keys are xored with */
    uint32_t *ranks;           /* NULL: keys are made of the values */
    uint32_t least, greatest;  /* vertices of the ends of the range */
    bool minus_zero;           /* a float is -0, which has the key of 0 */
    struct order_facts *facts; /* not NULL: the last three are not known yet, nor whether a value is NaN */
} order;

/* Makes *out (order_free(), also after a failure). n > 0. GLSHAPE_BAD_INPUT at NaN, with its place;
 * GLSHAPE_NO_MEMORY. */
glshape_status order_new(error *err, const glshape_field *field, uint32_t n, bool superlevel, order *out);
/* The same of n vertices from `origin` on: values elsewhere are not looked at. Of a part of a field, they
 * must be of 32 bits at most. */
glshape_status order_new_part(error *err, const glshape_field *field, size_t origin, uint32_t n,
                              bool superlevel, order *out);
/* The same, but that values of up to 32 bits are looked at later. */
glshape_status order_new_later(error *err, const glshape_field *field, uint32_t n, bool superlevel,
                               order *out);
/* Looks at values while their keys are made: of block `block` of ORDER_BLOCK vertices. */
#define ORDER_BLOCK 131072u
void order_look(order *o, size_t block, uint32_t *restrict keys);
/* Then; all: values were not looked at yet. GLSHAPE_BAD_INPUT at NaN, with its place. Does nothing where an
 * order is ready. */
glshape_status order_settle(error *err, order *o, bool all);
void order_free(order *o);

/* How many of the lowest bits keys differ by; all 32 if the ends of the range are not known. */
uint32_t order_key_bits(const order *o);

/* *sorted becomes all vertices in order; free() it. GLSHAPE_NO_MEMORY. */
glshape_status order_sort(error *err, const order *o, uint32_t **sorted);

/* The keys of vertices [first, first + count) of the field. */
void order_keys(const order *o, size_t first, size_t count, uint32_t *restrict out);
/* (key, index) as one number. */
uint64_t order_of(const order *o, uint32_t v);

/* The value of vertex v of the field. */
static inline double order_value(const glshape_field *field, size_t v) {
    return matrix_value(field->type, field->values, v);
}
/* Returns true if a difference of two values of the field, not negative, is `least` or more. Of a float field
 * both are first rounded to a float, as far as floats go: a decimal's float and its double differ. */
bool order_reaches(const glshape_field *field, double difference, double least);
/* order_value_of() of whatever the key is. */
double order_value_of_any(const order *o, uint64_t of);
/* The value of the vertex whose order_of() this is. Mostly the key tells, and the field is not looked at. */
static inline double order_value_of(const order *o, uint64_t of) {
    uint32_t key = (uint32_t)(of >> 32) ^ o->flip, bits = key & 0x80000000u ? key ^ 0x80000000u : ~key;
    float x;
    if (o->field->type != GLSHAPE_F32 || !bits) return order_value_of_any(o, of); /* 0 and -0 have one key */
    memcpy(&x, &bits, sizeof x);
    return (double)x;
}
/* How passes make values of keys: kind of glsl/field/value.glsl. 0, they cannot: ranks are no values, nor
 * are the keys of floats if one is -0, which has the key of 0. */
uint32_t order_kind(const order *o);

#endif
