#include <math.h>
#include <string.h>

#include "dist/paths.h"

static glshape_status check_starts(error *err, const glshape_graph *g) {
    if (!g->start) return fail(err, GLSHAPE_BAD_ARGUMENT, "a graph without starts: its pointer is NULL");
    if (!g->nodes || g->nodes > UINT32_MAX - 2)
        return fail(err, GLSHAPE_BAD_INPUT, "a graph of %zu nodes; 1 to %lu are possible", g->nodes,
                    (unsigned long)UINT32_MAX - 2);
    if (g->start[0])
        return fail(err, GLSHAPE_BAD_INPUT, "the edges of a graph start at %zu, not 0", g->start[0]);
    for (size_t v = 0; v < g->nodes; v++)
        if (g->start[v + 1] < g->start[v])
            return fail(err, GLSHAPE_BAD_INPUT, "the edges of node %zu of a graph end before they start", v);
    if (g->start[g->nodes] && !g->to)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "a graph without the ends of its edges: their pointer is NULL");
    return GLSHAPE_OK;
}

glshape_status dist_graph_check_shape(error *err, const glshape_graph *g) {
    TRY(check_starts(err, g));
    for (size_t v = 0; v < g->nodes; v++)
        for (size_t k = g->start[v]; k < g->start[v + 1]; k++)
            if (g->to[k] >= g->nodes)
                return fail(err, GLSHAPE_BAD_INPUT,
                            "an edge from node %zu to node %lu of %zu (counted from 0)", v,
                            (unsigned long)g->to[k], g->nodes);
    return GLSHAPE_OK;
}

static glshape_status check_lengths(error *err, const glshape_graph *g, bool zeros) {
    for (size_t v = 0; v < g->nodes; v++)
        for (size_t k = g->start[v]; k < g->start[v + 1]; k++) {
            if (g->weight && !((zeros ? g->weight[k] >= 0 : g->weight[k] > 0) && g->weight[k] < INFINITY))
                return fail(err, GLSHAPE_BAD_INPUT,
                            "the edge from node %zu to node %lu (counted from 0) has length %g; lengths are "
                            "%s and finite",
                            v, (unsigned long)g->to[k], (double)g->weight[k],
                            zeros ? "at least 0" : "positive");
        }
    return GLSHAPE_OK;
}

/* A hash of an arc (the end of SplitMix64). */
static uint64_t mix(uint64_t from, uint64_t to, float length) {
    uint32_t bits;
    memcpy(&bits, &length, sizeof bits);
    uint64_t z = (from << 32 | to) + 0x9e3779b97f4a7c15u * (bits + 1u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static float length_of(const glshape_graph *g, size_t k) { return g->weight ? g->weight[k] : 1; }

/* Returns true if every arc has its reverse: the hashes of the arcs and of the reversed arcs then have the
 * same sum, and otherwise do not, but for a chance of 2^-64. */
static bool is_mirrored(const glshape_graph *g) {
    uint64_t sum = 0;
    for (size_t v = 0; v < g->nodes; v++)
        for (size_t k = g->start[v]; k < g->start[v + 1]; k++)
            sum += mix(v, g->to[k], length_of(g, k)) - mix(g->to[k], v, length_of(g, k));
    return sum == 0;
}

/* The shortest edge from u to v; infinity if there is none. */
static float shortest(const glshape_graph *g, size_t u, size_t v) {
    float length = INFINITY;
    for (size_t k = g->start[u]; k < g->start[u + 1]; k++)
        if (g->to[k] == v && length_of(g, k) < length) length = length_of(g, k);
    return length;
}

/* Refuses the first arc that has another length than its reverse. Slow: only for graphs in which is_mirrored
 * finds a difference, which may be the number of parallel edges alone. */
static glshape_status refuse_directed(error *err, const glshape_graph *g) {
    for (size_t u = 0; u < g->nodes; u++)
        for (size_t k = g->start[u]; k < g->start[u + 1]; k++) {
            float there = shortest(g, u, g->to[k]), back = shortest(g, g->to[k], u);
            if (there == back) continue;
            return fail(
                err, GLSHAPE_BAD_INPUT,
                "the edge from node %zu to node %lu (counted from 0) has length %g, back %g; shortest "
                "paths of directed graphs are not distances",
                u, (unsigned long)g->to[k], (double)there, (double)back);
        }
    return GLSHAPE_OK;
}

static glshape_status check(error *err, const glshape_graph *g, bool zeros) {
    TRY(dist_graph_check_shape(err, g));
    TRY(check_lengths(err, g, zeros));
    return is_mirrored(g) ? GLSHAPE_OK : refuse_directed(err, g);
}

glshape_status dist_graph_check(error *err, const glshape_graph *g) { return check(err, g, false); }

glshape_status dist_graph_check_heights(error *err, const glshape_graph *g) { return check(err, g, true); }
