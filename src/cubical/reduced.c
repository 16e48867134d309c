/* What passes have left of columns, read by threads. A driver may be wrong, so nothing is taken to be there.
 */
#include "cubical/reduced.h"

#include <stdlib.h>

#define DIRECTIONS 0x7ffffffu

void cubical_reduced_free(cubical_reduced *r) {
    free(r->column);
    free(r->entry);
    free(r->slots);
    gpu_texture_free(&r->pairs);
    grid_field_free(&r->own);
    free(r->edge);
    *r = (cubical_reduced){0};
}

size_t cubical_reduced_bytes(const cubical_reduced *r) {
    size_t slots = r->slots ? (size_t)1 << r->slot_bits : 0;
    return r->count * (sizeof *r->column + sizeof *r->edge) + r->used * sizeof *r->entry +
           slots * sizeof *r->slots;
}

/* The entries of a column. */
typedef struct span {
    const uint32_t (*entry)[2];
    uint32_t count;
} span;

static span entries_of(const cubical_reduced *r, size_t e) {
    uint32_t at = r->column[e][0], count = r->column[e][1] & REDUCED_COUNT;
    if (at > r->used || count > r->used - at) return (span){0};
    return (span){(const uint32_t(*)[2])(r->entry + at), count};
}

size_t reduced_squares(const cubical_reduced *r, size_t e) {
    span s = entries_of(r, e);
    size_t count = 0;
    for (uint32_t k = 0; k < s.count; k++) count += (size_t)__builtin_popcount(s.entry[k][1] & DIRECTIONS);
    return count;
}

bool reduced_list(const cubical_reduced *r, const cubes *c, size_t e, sparse_term *out) {
    span s = entries_of(r, e);
    const sparse_term *first = out;
    size_t n = (size_t)c->extent[0] * c->extent[1] * c->extent[2];
    for (uint32_t k = 0; k < s.count; k++) {
        if (s.entry[k][0] >= n) return false;
        uint64_t order = cubes_order(c, s.entry[k][0]);
        uint32_t stays = s.entry[k][1] & REDUCED_STAYS ? FLOW_CRITICAL : 0;
        for (uint32_t rest = s.entry[k][1] & DIRECTIONS; rest; rest &= rest - 1, out++) {
            *out = (sparse_term){order, stays | (uint32_t)__builtin_ctz(rest), 1};
            if (out > first && !sparse_before(out - 1, out)) return false;
        }
    }
    return s.count > 0;
}

/* The slot where the search for a square begins, as in glsl/cubical/claim.glsl. */
static uint32_t first_slot(const cubical_reduced *r, uint32_t v) {
    return ((v >> 6) * 0x9e3779b1u >> (32 - r->slot_bits)) + (v & 63);
}

bool reduced_find(const cubical_reduced *r, const sparse_term *pivot, uint32_t *owner) {
    uint32_t v = (uint32_t)pivot->order, mask = (uint32_t)((UINT64_C(1) << r->slot_bits) - 1);
    uint32_t direction = pivot->part - FLOW_CRITICAL, slot = first_slot(r, v);
    for (uint32_t k = 0; k <= mask; k++, slot++) {
        uint32_t e = r->slots[slot & mask];
        if (e >= r->count || !(r->column[e][1] & REDUCED_SETTLED)) return false;
        span s = entries_of(r, e);
        if (!s.count || s.entry[0][0] != v || !(s.entry[0][1] & REDUCED_STAYS) ||
            !(s.entry[0][1] & DIRECTIONS) || (uint32_t)__builtin_ctz(s.entry[0][1]) != direction)
            continue;
        *owner = e;
        return true;
    }
    return false;
}
