#include "field/extremes.h"

#include "field/order.h"

#define RUNS 12u /* of vertices side by side, so that few pages of a file are touched */
#define LENGTH 64u
#define OF_A_GRAPH 0.3

/* The vertex is inside. */
static bool is_extreme(const glshape_field *f, size_t v) {
    double own = order_value(f, v);
    bool least = true, greatest = true;
    size_t stride = 1;
    for (int a = f->dims - 1; a >= 0; stride *= f->shape[a--])
        for (int side = 0; side < 2; side++) {
            double other = order_value(f, side ? v + stride : v - stride);
            least = least && own < other;
            greatest = greatest && own > other;
        }
    return least || greatest;
}

static uint64_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 16;
}

double field_extremes(const glshape_field *f) {
    uint64_t state = 1;
    uint32_t found = 0;
    if (f->graph) return OF_A_GRAPH;
    for (int a = 0; a < f->dims; a++)
        if (f->shape[a] < 3) return OF_A_GRAPH; /* no vertex is inside */
    size_t inside = f->shape[f->dims - 1] - 2, length = inside < LENGTH ? inside : LENGTH;
    for (uint32_t r = 0; r < RUNS; r++) {
        size_t at = 0;
        for (int a = 0; a < f->dims; a++) {
            size_t room = f->shape[a] - 1 - (a == f->dims - 1 ? length : 1);
            at = at * f->shape[a] + 1 + (size_t)(next_random(&state) % room);
        }
        for (size_t i = 0; i < length; i++) found += is_extreme(f, at + i);
    }
    return (double)found / (double)(RUNS * length);
}
