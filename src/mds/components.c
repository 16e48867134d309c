/* A graph in several pieces: each connected component is laid out by itself; then all are put side by side.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "mds/shelves.h"
#include "mds/state.h"

#define MARGIN 0.05       /* is left free around a component, times its larger side … */
#define LEAST_MARGIN 0.75 /* … but at least this, times the mean length of an edge */

/* Component c of the graph has the nodes nodes[start .. start + size), ascending. */
typedef struct piece {
    uint32_t size, start;
    double stress, stress_error, total; /* total: Σδ² */
    double low[2], high[2];             /* corners of its layout */
} piece;

typedef struct pieces {
    gpu *g;
    const glshape_graph *graph;
    const glshape_mds_options *options;
    uint32_t count, dim;
    double spacing; /* the mean length of an edge */
    piece *of;
    uint32_t *nodes, *place; /* place[nodes[k]] is k - start: the number of a node in its component */
    /* The component that was laid out last: small ones are often alike, and so are then their layouts. */
    glshape_graph last;
    glshape_mds_result last_result;
    double last_total;
} pieces;

static void pieces_free(pieces *p) {
    dist_component_free(&p->last);
    glshape_mds_free(&p->last_result);
    free(p->of);
    free(p->nodes);
    free(p->place);
}

/* ---- taking apart ------------------------------------------------------------------------------ */

static int by_size(const void *a, const void *b) {
    const piece *x = a, *y = b;
    if (x->size != y->size) return x->size > y->size ? -1 : 1;
    return x->start < y->start ? -1 : 1; /* of equal ones the one with the lower node first */
}

/* Lists the nodes component by component, and sorts the pieces: the largest first. */
static void list_nodes(pieces *p, const uint32_t *component, const uint32_t *sizes) {
    for (uint32_t c = 0, start = 0; c < p->count; start += sizes[c++]) p->of[c].start = start;
    for (uint32_t v = 0; v < p->graph->nodes; v++) {
        piece *of = &p->of[component[v]];
        p->place[v] = of->size;
        p->nodes[of->start + of->size++] = v;
    }
    qsort(p->of, p->count, sizeof *p->of, by_size);
}

static double mean_length(const glshape_graph *graph) {
    double sum = 0;
    size_t edges = graph->start[graph->nodes];
    if (!graph->weight || !edges) return 1;
    for (size_t k = 0; k < edges; k++) sum += graph->weight[k];
    return sum / (double)edges;
}

static glshape_status take_apart(pieces *p) {
    OWNED uint32_t *component = NULL;
    OWNED uint32_t *sizes = NULL;
    error *err = run_error(run_of(p->g));
    size_t n = p->graph->nodes;
    TRY(dist_graph_check(err, p->graph));
    p->spacing = mean_length(p->graph);
    TRY(allocate(err, &p->nodes, n, sizeof *p->nodes, "the components of the graph"));
    TRY(allocate(err, &p->place, n, sizeof *p->place, "the components of the graph"));
    TRY(allocate(err, &component, n, sizeof *component, "the components of the graph"));
    TRY(dist_components(err, p->graph, component, &p->count, &sizes));
    TRY(allocate(err, &p->of, p->count, sizeof *p->of, "the components of the graph"));
    list_nodes(p, component, sizes);
    return GLSHAPE_OK;
}

/* ---- one by one -------------------------------------------------------------------------------- */

/* Lays out a component of two nodes: they are as far apart as their shortest edge is long. */
static void lay_out_pair(const pieces *p, piece *of, float *layout) {
    uint32_t node = p->nodes[of->start];
    float length = p->graph->weight ? INFINITY : 1;
    for (size_t k = p->graph->start[node]; p->graph->weight && k < p->graph->start[node + (size_t)1]; k++)
        if (p->graph->to[k] != node) length = fminf(length, p->graph->weight[k]);
    layout[(size_t)node * p->dim] = -length / 2;
    layout[(size_t)p->nodes[of->start + 1] * p->dim] = length / 2;
    of->total = (double)length * length;
}

/* Adds what is known of one layout to what is known of all; the levels are those of the largest. */
static void add_facts(glshape_mds_result *sum, const glshape_mds_result *r) {
    sum->iterations += r->iterations;
    sum->closing += r->closing;
    if (r->gpu_bytes > sum->gpu_bytes) sum->gpu_bytes = r->gpu_bytes;
    sum->seconds.upload += r->seconds.upload;
    sum->seconds.scan += r->seconds.scan;
    sum->seconds.glimmer += r->seconds.glimmer;
    sum->seconds.closing += r->seconds.closing;
    sum->seconds.stress += r->seconds.stress;
    if (!sum->level_count) {
        sum->level_count = r->level_count;
        memcpy(sum->levels, r->levels, sizeof sum->levels);
    }
}

/* Returns true if two graphs have the same edges of the same lengths. */
static bool is_same(const glshape_graph *a, const glshape_graph *b) {
    if (a->nodes != b->nodes || a->start[a->nodes] != b->start[b->nodes]) return false;
    size_t edges = a->start[a->nodes];
    return !memcmp(a->start, b->start, (a->nodes + 1) * sizeof *a->start) &&
           !memcmp(a->to, b->to, edges * sizeof *a->to) &&
           (!a->weight || !memcmp(a->weight, b->weight, edges * sizeof *a->weight));
}

static glshape_status lay_out_piece(pieces *p, piece *of, const glshape_source *like, glshape_mds_result *r) {
    OWNED_BY(dist_component_free) glshape_graph graph = {.nodes = 0};
    TRY(dist_component(run_error(run_of(p->g)), p->graph, p->nodes + of->start, of->size, p->place, &graph));
    if (!is_same(&graph, &p->last)) {
        glshape_source source = *like;
        source.graph = &p->last;
        dist_component_free(&p->last);
        glshape_mds_free(&p->last_result);
        p->last = MOVE(graph);
        TRY(mds_lay_out(p->g, &source, p->options, &p->last_result, &p->last_total));
        add_facts(r, &p->last_result);
    }
    for (size_t k = 0; k < of->size; k++)
        memcpy(r->layout + (size_t)p->nodes[of->start + k] * p->dim, p->last_result.layout + k * p->dim,
               p->dim * sizeof *r->layout);
    of->stress = p->last_result.stress;
    of->stress_error = p->last_result.stress_error;
    of->total = p->last_total;
    return GLSHAPE_OK;
}

static glshape_status lay_out_pieces(pieces *p, const glshape_source *source, glshape_mds_result *r) {
    double done = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        piece *of = &p->of[i];
        double share = of->size / (double)p->graph->nodes;
        run_set_span(run_of(p->g), done, done + share);
        done += share;
        if (of->size > 2) TRY(lay_out_piece(p, of, source, r));
        else if (of->size == 2) lay_out_pair(p, of, r->layout);
        if (of->size <= 2 && i % 64 == 0) TRY(run_tick(run_of(p->g), 0));
    }
    run_set_span(run_of(p->g), 0, 1);
    return GLSHAPE_OK;
}

/* ---- side by side ------------------------------------------------------------------------------ */

static void find_corners(const pieces *p, piece *of, const float *layout) {
    for (uint32_t c = 0; c < 2 && c < p->dim; c++) {
        of->low[c] = INFINITY;
        of->high[c] = -INFINITY;
        for (size_t k = 0; k < of->size; k++) {
            double x = layout[(size_t)p->nodes[of->start + k] * p->dim + c];
            of->low[c] = fmin(of->low[c], x);
            of->high[c] = fmax(of->high[c], x);
        }
    }
}

/* What is left free around a component: in proportion to it, and never less than a node needs. */
static double margin(const pieces *p, const piece *of) {
    double larger = fmax(of->high[0] - of->low[0], of->high[1] - of->low[1]);
    return fmax(MARGIN * larger, LEAST_MARGIN * p->spacing);
}

static void move(const pieces *p, const piece *of, uint32_t c, double by, float *layout) {
    for (size_t k = 0; k < of->size; k++) {
        float *x = &layout[(size_t)p->nodes[of->start + k] * p->dim + c];
        *x = (float)(*x + by);
    }
}

/* Puts the pieces side by side in the first two coordinates, and centres the whole on 0. Further coordinates
 * stay as they are, centred on 0. */
static glshape_status place_pieces(pieces *p, float *layout) {
    OWNED shelf_box *boxes = NULL;
    TRY(allocate(run_error(run_of(p->g)), &boxes, p->count, sizeof *boxes, "the components of the graph"));
    for (uint32_t i = 0; i < p->count; i++) {
        piece *of = &p->of[i];
        find_corners(p, of, layout);
        boxes[i].width = of->high[0] - of->low[0] + 2 * margin(p, of);
        boxes[i].height = of->high[1] - of->low[1] + 2 * margin(p, of);
    }
    shelves_pack(boxes, p->count, p->dim == 1);
    double sums[2] = {0, 0};
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t c = 0; c < 2 && c < p->dim; c++) {
            double to = (c ? boxes[i].y : boxes[i].x) + margin(p, &p->of[i]) - p->of[i].low[c];
            move(p, &p->of[i], c, to, layout);
            for (size_t k = 0; k < p->of[i].size; k++)
                sums[c] += layout[(size_t)p->nodes[p->of[i].start + k] * p->dim + c];
        }
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t c = 0; c < 2 && c < p->dim; c++)
            move(p, &p->of[i], c, -sums[c] / (double)p->graph->nodes, layout);
    return GLSHAPE_OK;
}

/* ---- the whole --------------------------------------------------------------------------------- */

/* The stress of all pairs that are connected. */
static double whole_stress(const pieces *p) {
    double strain = 0, total = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        strain += p->of[i].stress * p->of[i].total;
        total += p->of[i].total;
    }
    return total > 0 ? strain / total : 0;
}

static glshape_status list_pieces(const pieces *p, glshape_mds_result *r) {
    TRY(allocate(run_error(run_of(p->g)), &r->components, p->count, sizeof *r->components,
                 "the list of components"));
    r->component_count = p->count;
    r->pairs = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const piece *of = &p->of[i];
        r->components[i] =
            (glshape_mds_component){of->size, p->nodes[of->start], of->stress, of->stress_error};
        r->pairs += (uint64_t)of->size * (of->size - 1) / 2;
    }
    return GLSHAPE_OK;
}

glshape_status mds_components(gpu *g, const glshape_source *source, const glshape_mds_options *o,
                              glshape_mds_result *r) {
    OWNED_BY(pieces_free) pieces p = {.g = g, .graph = source->graph, .options = o};
    error *err = run_error(run_of(g));
    if (!source->graph || source->weights)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "components are those of a graph, without weights of pairs");
    TRY(mds_check_options(err, o, &p.dim));
    TRY(dist_source_check(err, source, DIST_OF_GRAPH, "components are those of a graph"));
    run_begin_stage(run_of(g), "components", RUN_NOT_BY_PASSES);
    TRY(take_apart(&p));
    if (p.count == 1) { /* as without this option */
        TRY(mds_lay_out(g, source, o, r, &p.of[0].total));
        p.of[0].stress = r->stress;
        p.of[0].stress_error = r->stress_error;
    } else {
        r->n = p.graph->nodes;
        r->dim = (int)p.dim;
        TRY(allocate(err, &r->layout, times(r->n, p.dim), sizeof *r->layout, "the layout"));
        TRY(lay_out_pieces(&p, source, r));
        TRY(place_pieces(&p, r->layout));
        r->stress = whole_stress(&p);
    }
    TRY(list_pieces(&p, r));
    return run_tick(run_of(g), 1);
}
