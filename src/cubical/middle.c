/* Dimension 1 of three: the edges that dimension 0 leaves are columns of a reduction. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "cubical/edges.h"
#include "cubical/flow.h"
#include "cubical/morse.h"
#include "cubical/run.h"
#include "persistence/reduce.h"

/* Lists the edges that are left by vertex, each with the order of its owner and its number; none of the
 * outside, which comes last and is never added to others. Frees e. */
static glshape_status list_edges(cubical_run *run, const cubes *c, cubical_edges *e, radix_item **edges,
                                 size_t *count) {
    OWNED radix_item *left = MOVE(e->left), *spare = NULL;
    size_t most = 0, owners = e->count;
    for (size_t k = 0; k < owners; k++) {
        most += (size_t)__builtin_popcount(left[k].a);
        left[k].at = (uint32_t)left[k].at;
    }
    cubical_edges_free(e);
    TRY(allocate(err_of(run), &spare, owners, sizeof *spare, "the critical edges"));
    radix_sort(left, spare, owners);
    TRY(allocate(err_of(run), edges, most, sizeof **edges, "the critical edges"));
    *count = 0;
    for (size_t k = 0; k < owners; k++) {
        uint32_t owner = (uint32_t)left[k].at;
        if (cubical_vertex_of(run, owner) == GLSHAPE_NO_VERTEX) continue;
        for (uint32_t rest = left[k].a; rest; rest &= rest - 1)
            (*edges)[(*count)++] = (radix_item){cubes_order(c, owner), 0, (uint32_t)__builtin_ctz(rest)};
    }
    return GLSHAPE_OK;
}

/* Threads take edges in blocks of neighbors, each block in the order of reduction: in smaller blocks more
 * columns are given up for others, in larger ones caches have less of what is needed. */
#define NEIGHBORS 65536u

/* The columns of the reduction: edges in descending order. */
typedef struct columns {
    const morse *morse;
    uint32_t *edge;  /* of each column */
    uint32_t *turns; /* columns as threads take them */
} columns;

static void columns_free(columns *c) {
    free(c->edge);
    free(c->turns);
}

static glshape_status list_columns(cubical_run *run, columns *c) {
    OWNED radix_item *items = NULL;
    OWNED uint32_t *taken = NULL; /* edges of each block that have their turns */
    size_t count = c->morse->count;
    if (count >= UINT32_MAX)
        return fail(err_of(run), GLSHAPE_NO_MEMORY,
                    "%zu columns are more than can be numbered; smooth the field, or cut it into parts",
                    count);
    TRY(allocate(err_of(run), &items, times(count, 2), sizeof *items, "the columns"));
    for (size_t k = 0; k < count; k++) items[k] = (radix_item){c->morse->edges[k].at, (uint32_t)k, 0};
    radix_sort(items, items + count, count);
    TRY(allocate(err_of(run), &c->edge, count, sizeof *c->edge, "the columns"));
    TRY(allocate(err_of(run), &c->turns, count, sizeof *c->turns, "the columns"));
    TRY(allocate(err_of(run), &taken, count / NEIGHBORS + 1, sizeof *taken, "the columns"));
    for (size_t k = 0; k < count; k++) {
        uint32_t edge = items[count - 1 - k].a, block = edge / NEIGHBORS;
        c->edge[k] = edge;
        c->turns[block * NEIGHBORS + taken[block]++] = (uint32_t)k;
    }
    return GLSHAPE_OK;
}

static const sparse_term *column_of(const void *space, uint32_t column, size_t *count) {
    const columns *c = space;
    return morse_terms(c->morse, c->edge[column], count);
}

static size_t pass_vertex(const void *space, const sparse_term *squares, size_t count, sparse_term *out) {
    const columns *c = space;
    return flow_pass(c->morse->cubes, squares, count, out);
}

static glshape_status add_pairs(cubical_run *run, const columns *c, const uint64_t *deaths) {
    for (size_t k = 0; k < c->morse->count; k++) {
        uint32_t early = (uint32_t)c->morse->edges[c->edge[k]].at;
        if (deaths[k] != SPARSE_ESSENTIAL) TRY(cubical_add_side_pair(run, 1, early, (uint32_t)deaths[k]));
        else
            TRY(cubical_add_pair(run, run->side.reversed ? 2 : 1, cubical_vertex_of(run, early),
                                 GLSHAPE_NO_VERTEX));
    }
    return GLSHAPE_OK;
}

static glshape_status reduce(cubical_run *run, const morse *m, const uint32_t *inverse) {
    OWNED uint64_t *deaths = NULL;
    OWNED_BY(columns_free) columns c = {.morse = m};
    sparse_work work = {0};
    size_t count = m->count;
    TRY(list_columns(run, &c));
    const sparse_job job = {.space = &c,
                            .modulus = m->cubes->modulus,
                            .count = (uint32_t)count,
                            .inverse = inverse,
                            .turns = c.turns,
                            .column = column_of,
                            .pass = pass_vertex,
                            .threads = run->o.threads,
                            .go_on = gpu_go_on,
                            .user = run->g};
    TRY(allocate(err_of(run), &deaths, count, sizeof *deaths, "the ends of intervals"));
    TRY(sparse_reduce(err_of(run), &job, deaths, &work));
    gpu_fact(run->g, (double)count, "columns reduced");
    gpu_fact(run->g, (double)m->steps, "edges that they flow through");
    gpu_fact(run->g, (double)m->squares, "critical squares that they flow to");
    gpu_fact(run->g, (double)work.additions, "columns added");
    gpu_fact(run->g, (double)work.passed, "vertices that columns flow through");
    gpu_fact(run->g,
             (double)(work.bytes + morse_bytes(m) +
                      count * (sizeof *c.edge + sizeof *c.turns + sizeof *deaths + sizeof *m->edges)),
             "host bytes of the reduction");
    return add_pairs(run, &c, deaths);
}

/* Reduces the edges that are left, and frees e. */
static glshape_status reduce_edges(cubical_run *run, cubical_edges *e) {
    OWNED uint32_t *inverse = NULL;
    OWNED radix_item *edges = NULL;
    OWNED_BY(morse_free) morse m = {0};
    const cubes c = cubical_side_cubes(run);
    TRY(persistence_inverses(err_of(run), c.modulus, &inverse));
    gpu_fact(run->g, (double)e->examined, "critical edges");
    if (e->slabs) gpu_fact(run->g, e->slabs, "slabs of edges");
    TRY(list_edges(run, &c, e, &edges, &m.count));
    m.cubes = &c;
    m.edges = edges;
    TRY(morse_fill(err_of(run), &m, run->o.threads, gpu_go_on, run->g));
    cubical_begin_part(run, 0.2);
    return reduce(run, &m, inverse);
}

static glshape_status find_edges(cubical_run *run, cubical_edges *e) {
    const side *s = &run->side;
    const glshape_field f = {.type = GLSHAPE_U32, .values = s->key};
    const order o = {.field = &f, .n = s->n};
    const grid d = {{s->extent[0], s->extent[1], s->extent[2]}, run->grid.periodic, 6};
    const cubes c = cubical_side_cubes(run);
    bool device = !mergetree_is_small(run->g, s->n);
    gpu_why why = GPU_NOT_SMALL;
    if (device) {
        TRY(gpu_find(run->g, 0, &device));
        why = device ? gpu_why_passes(run->g) : gpu_why_absent(run->g);
        TRY(cubical_is_for_passes(run->g, &why));
        device = gpu_why_device(why);
    }
    gpu_begin_stage(run->g, "edges", why);
    return device ? cubical_edges_find(run->g, &o, &d, e) : cubical_edges_on_cpu(err_of(run), &o, &c, e);
}

glshape_status cubical_add_middle(cubical_run *run) {
    OWNED_BY(cubical_edges_free) cubical_edges e = {0};
    glshape_cubical_result *r = run->r;
    double since = wall_seconds();
    cubical_begin_part(run, 0.3);
    TRY(find_edges(run, &e));
    for (uint32_t m = 0; m < e.minima; m++) TRY(cubical_add_component(run, e.birth[m], e.death[m]));
    r->seconds.edges += clock_lap(&since);
    cubical_begin_part(run, 0.2);
    gpu_begin_stage(run->g, "reduction", GPU_NOT_BY_PASSES);
    TRY(reduce_edges(run, &e));
    r->seconds.reduction += clock_lap(&since);
    return GLSHAPE_OK;
}
