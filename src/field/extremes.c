#include "field/extremes.h"

#include "field/order.h"

#define RUNS 64u /* of vertices side by side, so that few pages of a file are touched */
#define LENGTH 16u
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

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

double field_extremes(const glshape_field *f) {
    uint32_t state = 1, found = 0;
    if (f->graph) return OF_A_GRAPH;
    for (int a = 0; a < f->dims; a++)
        if (f->shape[a] < LENGTH + 2) return OF_A_GRAPH; /* it is thin: nobody waits long for it */
    for (uint32_t r = 0; r < RUNS; r++) {
        size_t at = 0;
        for (int a = 0; a < f->dims; a++) {
            size_t room = f->shape[a] - (a == f->dims - 1 ? LENGTH + 1 : 2);
            at = at * f->shape[a] + 1 + next_random(&state) % room;
        }
        for (uint32_t i = 0; i < LENGTH; i++) found += is_extreme(f, at + i);
    }
    return (double)found / (RUNS * LENGTH);
}
