#include "field/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"

#define PIECE 4096u
#ifdef __GNUC__
#define INLINE inline __attribute__((always_inline))
#else
#define INLINE inline
#endif
#define WRITTEN_OUT \
    64 /* values: compilers compute with several at a time where they know how many there are */

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

#define KEYS_OF_32_BITS(X)          \
    X(GLSHAPE_F32, float, key_f32)  \
    X(GLSHAPE_I8, int8_t, key_i)    \
    X(GLSHAPE_I16, int16_t, key_i)  \
    X(GLSHAPE_I32, int32_t, key_i)  \
    X(GLSHAPE_U8, uint8_t, key_u)   \
    X(GLSHAPE_U16, uint16_t, key_u) \
    X(GLSHAPE_U32, uint32_t, key_u)

static INLINE void make_keys(const order *o, size_t first, size_t count, uint32_t *restrict out) {
    uint32_t flip = o->flip;
#define KEYS(name, ctype, key)                                                    \
    case name: {                                                                  \
        const ctype *values = (const ctype *)o->field->values + first;            \
        for (; count >= WRITTEN_OUT; count -= WRITTEN_OUT) {                      \
            for (int k = 0; k < WRITTEN_OUT; k++) out[k] = key(values[k]) ^ flip; \
            values += WRITTEN_OUT, out += WRITTEN_OUT;                            \
        }                                                                         \
        for (size_t k = 0; k < count; k++) out[k] = key(values[k]) ^ flip;        \
    } break;
    if (o->ranks) {
        for (size_t k = 0; k < count; k++) out[k] = o->ranks[first + k] ^ o->flip;
        return;
    }
    switch (o->field->type) {
        KEYS_OF_32_BITS(KEYS)
        default: /* 64 bits: by rank */
            break;
    }
#undef KEYS
}

/* What follows is compiled for every processor and, if this one has them, for wider vectors: half as long. */
#if defined(__x86_64__) && defined(__GNUC__)
#define WIDE __attribute__((target("avx2")))
static bool is_wide(void) { return __builtin_cpu_supports("avx2"); }
#else
#define WIDE
static bool is_wide(void) { return false; }
#endif

WIDE static void make_keys_wide(const order *o, size_t first, size_t count, uint32_t *restrict out) {
    make_keys(o, first, count, out);
}

void order_keys(const order *o, size_t first, size_t count, uint32_t *restrict out) {
    if (is_wide()) make_keys_wide(o, first, count, out);
    else make_keys(o, first, count, out);
}

/* order_keys() of one vertex, without its loops. */
static uint32_t order_key(const order *o, uint32_t v) {
#define KEY(name, ctype, key) \
    case name:                \
        return key(((const ctype *)o->field->values)[o->origin + v]) ^ o->flip;
    if (o->ranks) return o->ranks[v] ^ o->flip;
    switch (o->field->type) {
        KEYS_OF_32_BITS(KEY)
        default: /* 64 bits: by rank */
            return 0;
    }
#undef KEY
}

uint64_t order_of(const order *o, uint32_t v) { return (uint64_t)order_key(o, v) << 32 | v; }

bool order_reaches(const glshape_field *field, double difference, double least) {
    float single = (float)least;
    if (difference >= least) return true;
    return field->type == GLSHAPE_F32 && single > 0 && isfinite(single) && (float)difference >= single;
}

static double value_i(uint32_t key) { return (double)(int32_t)(key ^ 0x80000000u); }
static double value_u(uint32_t key) { return (double)key; }

uint32_t order_kind(const order *o) {
    switch (o->field->type) {
        case GLSHAPE_F32:
            return o->minus_zero ? 0 : 1;
        case GLSHAPE_I8:
        case GLSHAPE_I16:
        case GLSHAPE_I32:
            return 2;
        case GLSHAPE_U8:
        case GLSHAPE_U16:
        case GLSHAPE_U32:
            return 3;
        default:
            return 0;
    }
}

uint32_t order_key_bits(const order *o) {
    if (o->least == o->greatest) return 32;
    uint32_t differ = order_key(o, o->least) ^ order_key(o, o->greatest), bits = 1;
    while (bits < 32 && differ >> bits) bits++;
    return bits;
}

double order_value_of_any(const order *o, uint64_t of) {
    uint32_t here = (uint32_t)(of >> 32) ^ o->flip;
    switch (o->field->type) {
        case GLSHAPE_I8:
        case GLSHAPE_I16:
        case GLSHAPE_I32:
            return value_i(here);
        case GLSHAPE_U8:
        case GLSHAPE_U16:
        case GLSHAPE_U32:
            return value_u(here);
        default: /* keys are ranks, or that of 0 and of -0 */
            return order_value(o->field, o->origin + (uint32_t)of);
    }
}

/* ---- ranks ------------------------------------------------------------------------------------- */

static uint64_t wide_key(const glshape_field *f, size_t v) {
    return f->type == GLSHAPE_F64 ? key_f64(((const double *)f->values)[v]) : whole_key(f, v);
}

static glshape_status rank_values(error *err, order *o) {
    OWNED radix_item *items = NULL;
    TRY(allocate(err, &o->ranks, o->n, sizeof *o->ranks, "the ranks of the values"));
    TRY(allocate(err, &items, o->n, 2 * sizeof *items, "the ranks of the values"));
    for (uint32_t v = 0; v < o->n; v++) items[v] = (radix_item){wide_key(o->field, v), v, 0};
    radix_sort(items, items + o->n, o->n);
    for (uint32_t k = 0, here = 0; k < o->n; k++) {
        here += k && items[k].at != items[k - 1].at;
        o->ranks[items[k].a] = here;
    }
    return GLSHAPE_OK;
}

/* ---- the order --------------------------------------------------------------------------------- */

static glshape_status refuse_nan(error *err, const glshape_field *f, size_t v) {
    static const char remedy[] = "every vertex needs a number: replace it, or leave the vertex out";
    if (f->graph)
        return fail(err, GLSHAPE_BAD_INPUT, "vertex %zu, counted from 0, has the value NaN; %s", v, remedy);
    if (f->dims == 1)
        return fail(err, GLSHAPE_BAD_INPUT, "the value at x %zu, counted from 0, is NaN; %s", v, remedy);
    size_t x = f->shape[f->dims - 1], y = f->shape[f->dims - 2];
    if (f->dims == 2)
        return fail(err, GLSHAPE_BAD_INPUT, "the value at (y %zu, x %zu), counted from 0, is NaN; %s", v / x,
                    v % x, remedy);
    return fail(err, GLSHAPE_BAD_INPUT, "the value at (z %zu, y %zu, x %zu), counted from 0, is NaN; %s",
                v / x / y, v / x % y, v % x, remedy);
}

/* What a block of values holds. */
typedef struct order_facts {
    uint32_t nan, least, greatest; /* vertices; nan UINT32_MAX: none */
    bool minus_zero;
} order_facts;

/* values: looks at the values; keys: at keys. Both in one go read the field once. */
typedef struct survey {
    const order *order;
    order_facts *facts;
    bool values, keys;
} survey;

/* The first NaN of [first, end), or UINT32_MAX. */
static uint32_t find_nan(const order *o, uint32_t first, uint32_t end) {
    const glshape_field *f = o->field;
    for (uint32_t v = first; f->type == GLSHAPE_F32 && v < end; v++)
        if (isnan(((const float *)f->values)[o->origin + v])) return v;
    for (uint32_t v = first; f->type == GLSHAPE_F64 && v < end; v++)
        if (isnan(((const double *)f->values)[o->origin + v])) return v;
    return UINT32_MAX;
}

/* Whether some floats have a NaN, or a -0. */
static INLINE void look_at(const uint32_t *bits, uint32_t count, bool *nan, bool *minus_zero) {
    uint32_t nans = 0, zeros = 0;
    for (uint32_t k = 0; k < count; k++) {
        nans |= 0x7f800000u - (bits[k] & 0x7fffffffu); /* the first bit: it is beyond infinity */
        zeros |= bits[k] == 0x80000000u;
    }
    *nan = nans >> 31;
    *minus_zero = zeros;
}

static INLINE void look_at_values(const order *o, uint32_t first, uint32_t count, order_facts *f) {
    uint32_t bits[PIECE];
    bool nan = o->field->type == GLSHAPE_F64, minus_zero = false;
    if (o->field->type == GLSHAPE_F32) {
        memcpy(bits, (const char *)o->field->values + (o->origin + first) * sizeof *bits,
               count * sizeof *bits);
        if (count == PIECE) look_at(bits, PIECE, &nan, &minus_zero);
        else look_at(bits, count, &nan, &minus_zero);
    }
    if (nan && f->nan == UINT32_MAX) f->nan = find_nan(o, first, first + count);
    f->minus_zero |= minus_zero;
}

/* Ends of the range of some keys. Compilers write out the loop for as many at a time as a processor can where
 * they know the count. */
static INLINE void find_ends_of_keys(const uint32_t *keys, uint32_t count, uint32_t ends[2]) {
    uint32_t least = UINT32_MAX, greatest = 0;
    for (uint32_t k = 0; k < count; k++) {
        least = keys[k] < least ? keys[k] : least;
        greatest = keys[k] > greatest ? keys[k] : greatest;
    }
    ends[0] = least, ends[1] = greatest;
}

/* Updates the least and the greatest by some vertices, whose keys have the ends here. */
static INLINE void take_ends(const uint32_t *keys, uint32_t first, const uint32_t here[2], uint32_t ends[2],
                             order_facts *f) {
    if (here[0] < ends[0]) {
        for (f->least = 0; keys[f->least] != here[0];) f->least++;
        f->least += first, ends[0] = here[0];
    }
    if (here[1] > ends[1]) {
        for (f->greatest = 0; keys[f->greatest] != here[1];) f->greatest++;
        f->greatest += first, ends[1] = here[1];
    }
}

/* The same, of which it makes the keys. */
static INLINE void find_ends_of(const order *o, uint32_t first, uint32_t count, uint32_t *keys,
                                uint32_t ends[2], order_facts *f) {
    uint32_t here[2];
    make_keys(o, o->origin + first, count, keys);
    if (count == PIECE) find_ends_of_keys(keys, PIECE, here);
    else find_ends_of_keys(keys, count, here);
    take_ends(keys, first, here, ends, f);
}

/* Everything of PIECE floats in one go, as they come from memory. */
static INLINE void look_at_floats(const order *o, uint32_t first, uint32_t *restrict out, uint32_t here[2],
                                  bool *nan, bool *minus_zero) {
    const float *values = (const float *)o->field->values + o->origin + first;
    uint32_t nans = 0, zeros = 0, least = UINT32_MAX, greatest = 0, flip = o->flip;
    for (uint32_t k = 0; k < PIECE; k++) {
        uint32_t bits, key = key_f32(values[k]) ^ flip;
        memcpy(&bits, &values[k], sizeof bits);
        nans |= 0x7f800000u - (bits & 0x7fffffffu);
        zeros |= bits == 0x80000000u;
        least = key < least ? key : least;
        greatest = key > greatest ? key : greatest;
        out[k] = key;
    }
    here[0] = least, here[1] = greatest;
    *nan = nans >> 31;
    *minus_zero = zeros;
}

static INLINE void look_at_piece(const order *o, uint32_t first, uint32_t *restrict out, uint32_t *keys,
                                 uint32_t ends[2], order_facts *f) {
    uint32_t here[2];
    bool nan, minus_zero;
    look_at_floats(o, first, out, here, &nan, &minus_zero);
    if (nan && f->nan == UINT32_MAX) f->nan = find_nan(o, first, first + PIECE);
    f->minus_zero |= minus_zero;
    if (here[0] >= ends[0] && here[1] <= ends[1]) return;
    make_keys(o, o->origin + first, PIECE, keys); /* out may be slow to be read */
    take_ends(keys, first, here, ends, f);
}

/* out: NULL, or what becomes the keys, and may be memory that is slow to be read. */
static INLINE void look_at_block(const survey *s, size_t item, uint32_t *restrict out) {
    const order *o = s->order;
    order_facts *f = &s->facts[item];
    uint32_t keys[PIECE], made[PIECE], begin = (uint32_t)item * ORDER_BLOCK,
                                       end = o->n - begin < ORDER_BLOCK ? o->n : begin + ORDER_BLOCK;
    uint32_t ends[2] = {UINT32_MAX, 0};
    if (s->values) f->nan = UINT32_MAX, f->minus_zero = false;
    if (s->keys) f->least = f->greatest = begin;
    for (uint32_t first = begin, count; first < end; first += count) {
        count = end - first < PIECE ? end - first : PIECE;
        if (count == PIECE && s->values && s->keys && o->field->type == GLSHAPE_F32) {
            look_at_piece(o, first, out ? out + (first - begin) : made, keys, ends, f);
            continue;
        }
        if (s->values) look_at_values(o, first, count, f);
        if (s->keys) find_ends_of(o, first, count, keys, ends, f);
        if (out) memcpy(out + (first - begin), keys, count * sizeof *keys);
    }
}

WIDE static void look_wide(const survey *s, size_t item, uint32_t *restrict out) {
    look_at_block(s, item, out);
}

static void look(const survey *s, size_t item, uint32_t *restrict out) {
    if (is_wide()) look_wide(s, item, out);
    else look_at_block(s, item, out);
}

static void survey_block(void *user, size_t item) { look(user, item, NULL); }
static void survey_blocks(survey *s, size_t blocks) { threads_run(0, blocks, survey_block, s); }

static void find_ends(order *o, const order_facts *facts, size_t blocks) {
    o->least = facts[0].least;
    o->greatest = facts[0].greatest;
    for (size_t k = 1; k < blocks; k++) {
        if (order_of(o, facts[k].least) < order_of(o, o->least)) o->least = facts[k].least;
        if (order_of(o, facts[k].greatest) > order_of(o, o->greatest)) o->greatest = facts[k].greatest;
    }
}

static size_t blocks_of(const order *o) { return (o->n - 1) / ORDER_BLOCK + (size_t)1; }

static bool is_of_ranks(const glshape_field *field) { return field->type == GLSHAPE_F64 || whole_is(field); }

static glshape_status begin(error *err, const glshape_field *field, size_t origin, uint32_t n,
                            bool superlevel, order *out) {
    *out = (order){.field = field, .origin = origin, .n = n, .flip = superlevel ? UINT32_MAX : 0};
    return allocate(err, &out->facts, blocks_of(out), sizeof *out->facts, "the range of the values");
}

void order_look(order *o, size_t block, uint32_t *restrict keys) {
    const survey s = {o, o->facts, .values = true, .keys = true};
    look(&s, block, keys);
}

glshape_status order_settle(error *err, order *o, bool all) {
    OWNED order_facts *facts = MOVE(o->facts);
    bool ranks = is_of_ranks(o->field);
    if (!facts) return GLSHAPE_OK;
    if (all) survey_blocks(&(survey){o, facts, .values = true, .keys = !ranks}, blocks_of(o));
    for (size_t k = 0; k < blocks_of(o); k++)
        if (facts[k].nan != UINT32_MAX) return refuse_nan(err, o->field, o->origin + facts[k].nan);
    for (size_t k = 0; k < blocks_of(o); k++) o->minus_zero |= facts[k].minus_zero;
    if (ranks) {
        TRY(rank_values(err, o));
        survey_blocks(&(survey){o, facts, .keys = true}, blocks_of(o));
    }
    find_ends(o, facts, blocks_of(o));
    return GLSHAPE_OK;
}

glshape_status order_new_part(error *err, const glshape_field *field, size_t origin, uint32_t n,
                              bool superlevel, order *out) {
    TRY(begin(err, field, origin, n, superlevel, out));
    return order_settle(err, out, true);
}

glshape_status order_new(error *err, const glshape_field *field, uint32_t n, bool superlevel, order *out) {
    return order_new_part(err, field, 0, n, superlevel, out);
}

glshape_status order_new_later(error *err, const glshape_field *field, uint32_t n, bool superlevel,
                               order *out) {
    TRY(begin(err, field, 0, n, superlevel, out));
    return is_of_ranks(field) ? order_settle(err, out, true) : GLSHAPE_OK;
}

glshape_status order_sort(error *err, const order *o, uint32_t **sorted) {
    static const char what[] = "the vertices in order";
    OWNED radix_item *items = NULL;
    TRY(allocate(err, &items, o->n, 2 * sizeof *items, what));
    TRY(allocate(err, sorted, o->n, sizeof **sorted, what));
    for (uint32_t v = 0; v < o->n; v++) items[v] = (radix_item){order_of(o, v), v, 0};
    radix_sort_upper(items, items + o->n, o->n); /* they come by vertex */
    for (uint32_t k = 0; k < o->n; k++) (*sorted)[k] = items[k].a;
    return GLSHAPE_OK;
}

void order_free(order *o) {
    free(o->ranks);
    free(o->facts);
    *o = (order){0};
}
