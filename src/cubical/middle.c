/* Dimension 1 of three: the edges that dimension 0 leaves are columns of a reduction. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "cubical/edges.h"
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

/* Lists the columns in the order of reduction: edges descend. */
static glshape_status list_columns(cubical_run *run, const radix_item *edges, size_t count, cell **columns) {
    OWNED radix_item *items = NULL;
    if (count >= UINT32_MAX)
        return fail(err_of(run), GLSHAPE_NO_MEMORY,
                    "%zu columns are more than can be numbered; smooth the field, or cut it into parts",
                    count);
    TRY(allocate(err_of(run), &items, times(count, 2), sizeof *items, "the columns"));
    for (size_t k = 0; k < count; k++) items[k] = (radix_item){edges[k].at, (uint32_t)k, 0};
    radix_sort(items, items + count, count);
    TRY(allocate(err_of(run), columns, count, sizeof **columns, "the columns"));
    for (size_t k = 0; k < count; k++) (*columns)[k] = (cell){items[count - 1 - k].a, 0, 1};
    return GLSHAPE_OK;
}

static glshape_status add_pairs(cubical_run *run, const radix_item *edges, const cell *columns,
                                const persistence_death *deaths, size_t count) {
    for (size_t k = 0; k < count; k++) {
        uint32_t early = (uint32_t)edges[columns[k].index].at;
        if (deaths[k].index != PERSISTENCE_ESSENTIAL)
            TRY(cubical_add_side_pair(run, 1, early, cubes_owner(deaths[k].index)));
        else
            TRY(cubical_add_pair(run, run->side.reversed ? 2 : 1, cubical_vertex_of(run, early),
                                 GLSHAPE_NO_VERTEX));
    }
    return GLSHAPE_OK;
}

static glshape_status reduce(cubical_run *run, const morse *m) {
    OWNED persistence_death *deaths = NULL;
    OWNED cell *columns = NULL;
    const filtered_complex complex = morse_complex(m);
    persistence_work work = {0};
    size_t count = m->count;
    TRY(list_columns(run, m->edges, count, &columns));
    const persistence_job job = {.complex = &complex,
                                 .dim = 1,
                                 .columns = columns,
                                 .count = (uint32_t)count,
                                 .threads = run->o.threads,
                                 .keep_columns = true,
                                 .go_on = gpu_go_on,
                                 .user = run->g};
    TRY(allocate(err_of(run), &deaths, count, sizeof *deaths, "the ends of intervals"));
    TRY(persistence_reduce(err_of(run), &job, deaths, &work));
    gpu_fact(run->g, (double)count, "columns reduced");
    gpu_fact(run->g, (double)m->steps, "edges that they flow through");
    gpu_fact(run->g, (double)m->squares, "critical squares that they flow to");
    gpu_fact(run->g, (double)work.additions, "columns added");
    gpu_fact(run->g, (double)work.passed, "vertices that columns flow through");
    gpu_fact(
        run->g,
        (double)(work.bytes + morse_bytes(m) + count * (sizeof *columns + sizeof *deaths + sizeof *m->edges)),
        "host bytes of the reduction");
    return add_pairs(run, m->edges, columns, deaths, count);
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
    m.inverse = inverse;
    m.edges = edges;
    TRY(morse_fill(err_of(run), &m, run->o.threads, gpu_go_on, run->g));
    cubical_begin_part(run, 0.2);
    return reduce(run, &m);
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
