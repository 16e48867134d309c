/* Dimension 1 of three: the edges that dimension 0 leaves are columns of a reduction. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "cubical/edges.h"
#include "cubical/run.h"
#include "persistence/reduce.h"

/* Lists the columns, in the order of reduction, of the edges that are left; none of the outside, which comes
 * last and is never added to others. */
static glshape_status list_columns(cubical_run *run, const cubes *c, const cubical_edges *e, cell **columns,
                                   size_t *count) {
    size_t most = 0, used = 0;
    for (size_t k = 0; k < e->count; k++) most += (size_t)__builtin_popcount(e->left[k].a);
    TRY(allocate(err_of(run), columns, most, sizeof **columns, "the columns"));
    for (size_t k = e->count; k-- > 0;) {
        uint32_t owner = (uint32_t)e->left[k].at;
        if (!e->left[k].a || cubical_vertex_of(run, owner) == GLSHAPE_NO_VERTEX) continue;
        for (int d = 6; d-- > 0;)
            if (e->left[k].a >> d & 1) (*columns)[used++] = cubes_cell(c, owner, cubes_edge_directions[d]);
    }
    *count = used;
    return GLSHAPE_OK;
}

static glshape_status reduce(cubical_run *run, const cubes *c, const cell *columns, size_t count) {
    OWNED persistence_death *deaths = NULL;
    const filtered_complex complex = cubes_complex(c);
    const persistence_job job = {.complex = &complex,
                                 .dim = 1,
                                 .columns = columns,
                                 .count = (uint32_t)count,
                                 .threads = run->o.threads,
                                 .keep_columns = true,
                                 .go_on = gpu_go_on,
                                 .user = run->g};
    persistence_work work = {0};
    if (count >= UINT32_MAX)
        return fail(err_of(run), GLSHAPE_NO_MEMORY,
                    "%zu columns are more than can be numbered; smooth the field, or "
                    "cut it into parts",
                    count);
    TRY(allocate(err_of(run), &deaths, count, sizeof *deaths, "the ends of intervals"));
    TRY(persistence_reduce(err_of(run), &job, deaths, &work));
    gpu_fact(run->g, (double)count, "columns reduced");
    gpu_fact(run->g, (double)work.additions, "columns added");
    gpu_fact(run->g, (double)work.cofacets, "cofacets made");
    gpu_fact(run->g, (double)(work.bytes + count * (sizeof *columns + sizeof *deaths)),
             "host bytes of the reduction");
    for (size_t k = 0; k < count; k++) {
        uint32_t early = cubes_owner(columns[k].index);
        if (deaths[k].index != PERSISTENCE_ESSENTIAL)
            TRY(cubical_add_side_pair(run, 1, early, cubes_owner(deaths[k].index)));
        else
            TRY(cubical_add_pair(run, run->side.reversed ? 2 : 1, cubical_vertex_of(run, early),
                                 GLSHAPE_NO_VERTEX));
    }
    return GLSHAPE_OK;
}

/* Reduces the edges that are left, and frees e. */
static glshape_status reduce_edges(cubical_run *run, cubical_edges *e) {
    OWNED uint32_t *inverse = NULL;
    OWNED cell *columns = NULL;
    size_t count;
    TRY(persistence_inverses(err_of(run), (uint32_t)run->o.modulus, &inverse));
    cubes c = cubical_side_cubes(run, inverse);
    TRY(list_columns(run, &c, e, &columns, &count));
    gpu_fact(run->g, (double)e->examined, "edges in no apparent pair");
    if (e->slabs) gpu_fact(run->g, e->slabs, "slabs of edges");
    cubical_edges_free(e);
    return reduce(run, &c, columns, count);
}

static glshape_status find_edges(cubical_run *run, cubical_edges *e) {
    const side *s = &run->side;
    const glshape_field f = {.type = GLSHAPE_U32, .values = s->key};
    const order o = {.field = &f, .n = s->n};
    const grid d = {{s->extent[0], s->extent[1], s->extent[2]}, run->grid.periodic, 6};
    const cubes c = cubical_side_cubes(run, NULL);
    if (mergetree_is_small(run->g, s->n)) return cubical_edges_on_cpu(err_of(run), &o, &c, e);
    TRY(gpu_need(run->g));
    return cubical_edges_find(run->g, &o, &d, e);
}

glshape_status cubical_add_middle(cubical_run *run) {
    OWNED_BY(cubical_edges_free) cubical_edges e = {0};
    glshape_cubical_result *r = run->r;
    double since = wall_seconds();
    cubical_begin_part(run, 0.3);
    TRY(find_edges(run, &e));
    for (uint32_t m = 0; m < e.minima; m++) TRY(cubical_add_component(run, e.birth[m], e.death[m]));
    r->seconds.edges += clock_lap(&since);
    cubical_begin_part(run, 0.4);
    TRY(reduce_edges(run, &e));
    r->seconds.reduction += clock_lap(&since);
    return GLSHAPE_OK;
}
