/* glshape_cubical: the public call.
 *
 * Both constructions are computed on one: cubes between vertices. Of a field on vertices these are its own.
 * The cubes of a field on top cells are dual to those between the centers of its cells, in reversed order; an
 * outside that comes before all vertices stands for what lies around the grid. So where a field on vertices
 * has the pair (edge, square) of dimension 1, the field on top cells has the pair (dual of the square, dual
 * of the edge).
 *
 * Dimension 0 is a merge tree of the field, and the highest dimension one of the reversed field with the
 * outside, whose neighborhood is the other one: across sides for vertices and across corners for top cells,
 * or the other way round. (Bleile et al., "The persistent homology of dual digital image constructions",
 * 2022.) */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "cubical/cubes.h"
#include "cubical/edges.h"
#include "gpu/context.h"
#include "mergetree/mergetree.h"
#include "persistence/reduce.h"

#define CUBICAL_DIMS 4 /* dimensions of intervals: 0 to that of the field */

/* A field of keys with its order: the field, or the field reversed with the outside around it. */
typedef struct side {
    uint32_t *key;
    uint32_t n, extent[3]; /* x, y, z */
    uint32_t outside;      /* planes at either end of each axis that are the outside: a bit for x, y, z */
    bool reversed;
} side;

typedef struct cubical_run {
    gpu *g;
    const glshape_field *given;
    glshape_field field; /* of 2 or 3 dimensions */
    glshape_cubical_options o;
    grid grid; /* of the field */
    order order;
    side side; /* at work */
    struct {
        radix_item *pairs; /* a: vertex of birth, b: of death */
        size_t count, room;
    } dims[CUBICAL_DIMS];
    double done;     /* of the work, as progress shows it */
    int8_t *balance; /* of each vertex: its cubes less those in known pairs; NULL: it is not needed */
    glshape_cubical_result *r;
} cubical_run;

static error *err_of(const cubical_run *run) { return gpu_error(run->g); }

/* ---- options and shape ------------------------------------------------------------------------- */

static glshape_status take_options(error *err, const glshape_cubical_options *options, int dims,
                                   glshape_cubical_options *o) {
    *o = options ? *options : (glshape_cubical_options){0};
    if (!o->modulus) o->modulus = 2;
    if ((int)o->construction < 0 || o->construction > GLSHAPE_CUBICAL_VERTICES)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "%d is no construction of cubical", (int)o->construction);
    if (o->dim.is_set && !(o->dim.value >= 0 && o->dim.value <= dims && o->dim.value == floor(o->dim.value)))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "dimension %g: a field of %d dimensions has 0 to %d",
                    o->dim.value, dims, dims);
    if (o->threshold.is_set && isnan(o->threshold.value))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "the threshold is NaN; it is a value");
    if (!(o->min_persistence >= 0))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "min_persistence is %g; persistence is not negative",
                    o->min_persistence);
    return persistence_check_modulus(err, o->modulus);
}

static glshape_status take_shape(cubical_run *run) {
    const glshape_field *f = run->given;
    error *err = err_of(run);
    size_t n = 1;
    if (f->graph || f->neighborhood)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "cubical takes a grid, and its neighborhood is 0: cubes say what is "
                    "beside what");
    if (f->dims < 1 || f->dims > 3)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "a field of %d dimensions: 1, 2 and 3 are known", f->dims);
    run->field = *f;
    run->grid = (grid){.extent = {1, 1, 1}};
    for (int i = 0; i < f->dims; i++) {
        if (!f->shape[i])
            return fail(err, GLSHAPE_BAD_ARGUMENT, "extent %d of the field is 0: there are no values", i + 1);
        if (f->periodic[i] && f->shape[i] < 2)
            return fail(err, GLSHAPE_BAD_ARGUMENT, "axis %d is periodic and has 1 value; it needs at least 2",
                        i + 1);
        n = times(n, f->shape[i]);
        if (n >= UINT32_MAX)
            return fail(err, GLSHAPE_BAD_ARGUMENT,
                        "the field has more than 2^32 - 2 values; coarsen it, or cut it into parts");
        run->grid.extent[f->dims - 1 - i] = (uint32_t)f->shape[i];
        run->grid.periodic |= (unsigned)f->periodic[i] << (f->dims - 1 - i);
    }
    if (f->dims == 1) { /* a row of an array */
        run->field.dims = 2;
        run->field.shape[0] = 1;
        run->field.shape[1] = f->shape[0];
        run->field.periodic[0] = false;
        run->field.periodic[1] = f->periodic[0];
    }
    run->r->n = n;
    run->r->dims = f->dims;
    return GLSHAPE_OK;
}

static bool wants(const cubical_run *run, int dim) {
    return dim <= run->given->dims && (!run->o.dim.is_set || run->o.dim.value == dim);
}

static int periodic_axes(const cubical_run *run) { return __builtin_popcount(run->grid.periodic); }

/* Returns the dimension whose classes that never end are found by their absence, or -1 if there are none: of
 * loops around axes of top cells, and of surfaces around two axes of three (in 2 dimensions loops around one
 * of two). Merge trees do not know them, and edges are no columns for them. */
static int balanced_dimension(const cubical_run *run) {
    bool vertices = run->o.construction == GLSHAPE_CUBICAL_VERTICES;
    int dims = run->given->dims, axes = periodic_axes(run);
    if (dims == 3 && axes && !vertices) return 1;
    return dims > 1 && axes == dims ? dims - 1 : -1;
}

/* Returns true if this dimension has to be computed. */
static bool needs(const cubical_run *run, int dim) {
    int balanced = balanced_dimension(run);
    return wants(run, dim) || (balanced >= 0 && wants(run, balanced));
}

/* Shows progress of the next part of the work, which is so large. */
static void begin_part(cubical_run *run, double share) {
    gpu_set_span(run->g, run->done, run->done + share);
    run->done += share;
}

/* ---- sides ------------------------------------------------------------------------------------- */

/* Fills the side with the keys of the field as they are. */
static glshape_status take_field(cubical_run *run) {
    side *s = &run->side;
    *s = (side){.n = run->order.n};
    memcpy(s->extent, run->grid.extent, sizeof s->extent);
    TRY(allocate(err_of(run), &s->key, s->n, sizeof *s->key, "the keys of the field"));
    order_keys(&run->order, 0, s->n, s->key);
    return GLSHAPE_OK;
}

/* Sets *least to the least key that no vertex has. */
static glshape_status find_unused_key(error *err, const side *s, uint32_t *least) {
    OWNED uint8_t *used = NULL;
    TRY(allocate(err, &used, (size_t)s->n / 8 + 1, 1, "the keys in use"));
    for (uint32_t v = 0; v < s->n; v++)
        if (s->key[v] < s->n) used[s->key[v] >> 3] |= (uint8_t)(1 << (s->key[v] & 7));
    for (*least = 0; *least < s->n && used[*least >> 3] >> (*least & 7) & 1;) ++*least;
    return GLSHAPE_OK;
}

/* A row of the reversed field that lies inside. */
static uint32_t *inner_row(const side *s, uint32_t y, uint32_t z) {
    uint32_t by = y + (s->outside >> 1 & 1), bz = z + (s->outside >> 2 & 1);
    return s->key + ((size_t)bz * s->extent[1] + by) * s->extent[0] + (s->outside & 1);
}

/* Fills a row, and returns its least key. */
static uint32_t reverse_row(const cubical_run *run, uint32_t y, uint32_t z) {
    const uint32_t *extent = run->grid.extent;
    uint32_t width = extent[0], row = (extent[2] - 1 - z) * extent[1] + extent[1] - 1 - y, keys[1024];
    uint32_t *to = inner_row(&run->side, y, z), least = UINT32_MAX;
    for (uint32_t x = 0; x < width; x += 1024) {
        uint32_t count = width - x < 1024 ? width - x : 1024;
        order_keys(&run->order, (size_t)row * width + x, count, keys);
        for (uint32_t k = 0; k < count; k++) {
            to[width - 1 - x - k] = ~keys[k];
            least = ~keys[k] < least ? ~keys[k] : least;
        }
    }
    return least;
}

/* Leaves the key 0 to the outside: the keys below one that no vertex has become greater by 1. */
static glshape_status reserve_outside(cubical_run *run) {
    const side *s = &run->side;
    uint32_t unused;
    TRY(find_unused_key(err_of(run), s, &unused));
    for (uint32_t z = 0; z < run->grid.extent[2]; z++)
        for (uint32_t y = 0; y < run->grid.extent[1]; y++) {
            uint32_t *row = inner_row(s, y, z);
            for (uint32_t x = 0; x < run->grid.extent[0]; x++) row[x] += row[x] < unused;
        }
    return GLSHAPE_OK;
}

/* Fills the side with the keys of the field in reversed order, and the outside, which comes before all
 * others. */
static glshape_status take_reversed(cubical_run *run) {
    side *s = &run->side;
    size_t n = 1;
    *s = (side){.reversed = true};
    for (int axis = 0; axis < 3; axis++) {
        bool pad = axis < run->given->dims && !(run->grid.periodic >> axis & 1);
        s->outside |= (uint32_t)pad << axis;
        s->extent[axis] = run->grid.extent[axis] + 2 * pad;
        n = times(n, s->extent[axis]);
    }
    if (n >= UINT32_MAX)
        return fail(err_of(run), GLSHAPE_BAD_ARGUMENT,
                    "the field has more than 2^32 - 2 values together with its border; cut it into parts");
    s->n = (uint32_t)n;
    TRY(allocate(err_of(run), &s->key, n, sizeof *s->key, "the keys of the reversed field"));
    uint32_t least = UINT32_MAX;
    for (uint32_t z = 0; z < run->grid.extent[2]; z++)
        for (uint32_t y = 0; y < run->grid.extent[1]; y++) {
            uint32_t of_row = reverse_row(run, y, z);
            least = of_row < least ? of_row : least;
        }
    return s->outside && !least ? reserve_outside(run) : GLSHAPE_OK;
}

/* Returns the vertex of the field that a vertex of the side is; GLSHAPE_NO_VERTEX for one of the outside. */
static uint32_t vertex_of(const cubical_run *run, uint32_t v) {
    const side *s = &run->side;
    const uint32_t *extent = run->grid.extent;
    if (!s->reversed) return v;
    uint32_t row = v / s->extent[0], plane = row / s->extent[1];
    uint32_t at[3] = {v - row * s->extent[0], row - plane * s->extent[1], plane};
    for (int axis = 0; axis < 3; axis++) {
        at[axis] -= s->outside >> axis & 1;
        if (at[axis] >= extent[axis]) return GLSHAPE_NO_VERTEX; /* wraps below 0, too */
    }
    return ((extent[2] - 1 - at[2]) * extent[1] + extent[1] - 1 - at[1]) * extent[0] + extent[0] - 1 - at[0];
}

static void drop_side(cubical_run *run) { free(MOVE(run->side.key)); }

/* ---- intervals --------------------------------------------------------------------------------- */

static uint32_t key_of(const cubical_run *run, uint32_t v) {
    return (uint32_t)(order_of(&run->order, v) >> 32);
}

/* Returns true if cubes of this vertex are never there: its value is infinite or beyond the threshold. */
static bool is_absent(const cubical_run *run, uint32_t v) {
    double value = order_value(&run->field, v), t = run->o.threshold.value;
    if (run->o.superlevel) return value == -INFINITY || (run->o.threshold.is_set && value < t);
    return value == INFINITY || (run->o.threshold.is_set && value > t);
}

static bool is_long(const cubical_run *run, uint32_t birth, uint32_t death) {
    const glshape_field *f = &run->field;
    double least = run->o.min_persistence;
    if (run->o.min_persistence_whole && order_is_whole(f))
        return order_gap(f, birth, death) >= run->o.min_persistence_whole;
    if (order_is_whole(f)) return least < 0x1p64 && order_gap(f, birth, death) >= ceil(least);
    return fabs(order_value(f, death) - order_value(f, birth)) >= least;
}

/* Adds a pair of vertices of the field; death GLSHAPE_NO_VERTEX: it never dies. */
static glshape_status add_pair(cubical_run *run, int dim, uint32_t birth, uint32_t death) {
    int sign = dim & 1 ? -1 : 1;
    if (run->balance) {
        run->balance[birth] = (int8_t)(run->balance[birth] - sign);
        if (death != GLSHAPE_NO_VERTEX) run->balance[death] = (int8_t)(run->balance[death] + sign);
    }
    if (!wants(run, dim) || is_absent(run, birth)) return GLSHAPE_OK;
    if (death != GLSHAPE_NO_VERTEX) {
        if (key_of(run, birth) == key_of(run, death)) return GLSHAPE_OK;
        if (is_absent(run, death)) death = GLSHAPE_NO_VERTEX;
        else if (!is_long(run, birth, death)) return GLSHAPE_OK;
    }
    size_t at = run->dims[dim].count++;
    TRY(memory_reserve(err_of(run), &run->dims[dim].pairs, &run->dims[dim].room, at + 1, sizeof(radix_item),
                       "the intervals"));
    run->dims[dim].pairs[at] = (radix_item){0, birth, death};
    return GLSHAPE_OK;
}

/* The same with vertices of the side; dim: of the side, too. If it is reversed, death comes before birth. */
static glshape_status add_side_pair(cubical_run *run, int dim, uint32_t early, uint32_t late) {
    uint32_t first = vertex_of(run, early), last = vertex_of(run, late);
    return run->side.reversed ? add_pair(run, run->given->dims - 1 - dim, last, first)
                              : add_pair(run, dim, first, last);
}

static uint64_t order_or_last(const cubical_run *run, uint32_t v) {
    return v == GLSHAPE_NO_VERTEX ? UINT64_MAX : order_of(&run->order, v);
}

/* Moves the pairs of a dimension to the result, by birth, then by death. */
static glshape_status list_dimension(cubical_run *run, int dim) {
    OWNED radix_item *spare = NULL;
    OWNED radix_item *pairs = MOVE(run->dims[dim].pairs);
    size_t count = run->dims[dim].count;
    TRY(allocate(err_of(run), &spare, count, sizeof *spare, "the intervals"));
    for (size_t k = 0; k < count; k++) pairs[k].at = order_or_last(run, pairs[k].b);
    radix_sort(pairs, spare, count);
    for (size_t k = 0; k < count; k++) pairs[k].at = order_of(&run->order, pairs[k].a);
    radix_sort(pairs, spare, count);
    for (size_t k = 0; k < count; k++) {
        uint32_t birth = pairs[k].a, death = pairs[k].b;
        run->r->intervals[run->r->count++] = (glshape_cubical_interval){
            dim, birth, death, order_value(&run->field, birth),
            death == GLSHAPE_NO_VERTEX ? (double)INFINITY : order_value(&run->field, death)};
    }
    return GLSHAPE_OK;
}

static glshape_status list_intervals(cubical_run *run) {
    glshape_cubical_result *r = run->r;
    size_t count = 0;
    for (int dim = 0; dim < CUBICAL_DIMS; dim++) count += run->dims[dim].count;
    TRY(allocate(err_of(run), &r->intervals, count, sizeof *r->intervals, "the intervals"));
    for (int dim = 0; dim < CUBICAL_DIMS; dim++) TRY(list_dimension(run, dim));
    return GLSHAPE_OK;
}

/* Adds a component of the side; death GLSHAPE_NO_VERTEX: it never dies. Of a reversed side the first one is
 * the outside, or, if there is none, it is the class of the whole. Two parts of the outside join at a surface
 * around all periodic axes, which never ends. */
static glshape_status add_component(cubical_run *run, uint32_t birth, uint32_t death) {
    int dims = run->given->dims;
    bool ends = death != GLSHAPE_NO_VERTEX, outside = vertex_of(run, birth) == GLSHAPE_NO_VERTEX;
    if (!run->side.reversed) return add_pair(run, 0, birth, death);
    if (!ends) return outside ? GLSHAPE_OK : add_pair(run, dims, vertex_of(run, birth), GLSHAPE_NO_VERTEX);
    if (dims == 1) return GLSHAPE_OK; /* the field itself has these */
    uint32_t last = vertex_of(run, death);
    if (outside)
        return last == GLSHAPE_NO_VERTEX ? GLSHAPE_OK : add_pair(run, dims - 1, last, GLSHAPE_NO_VERTEX);
    return add_side_pair(run, 0, birth, death);
}

/* ---- merge trees ------------------------------------------------------------------------------- */

static int sides_only(const cubical_run *run) { return run->field.dims == 2 ? 4 : 6; }
static int corners_too(const cubical_run *run) { return run->field.dims == 2 ? 8 : 26; }

/* Adds the pairs of dimension 0 of the field. */
static glshape_status add_components(cubical_run *run) {
    OWNED_BY(glshape_mergetree_free) glshape_mergetree_result tree = {0};
    glshape_field f = run->field;
    const glshape_mergetree_options o = {.superlevel = run->o.superlevel, .branches_only = true};
    f.neighborhood = run->o.construction == GLSHAPE_CUBICAL_VERTICES ? sides_only(run) : corners_too(run);
    TRY(mergetree_compute(run->g, &f, &o, &tree));
    for (size_t k = 0; k < tree.count; k++)
        TRY(add_pair(run, 0, tree.branches[k].birth, tree.branches[k].death));
    return GLSHAPE_OK;
}

/* Adds the pairs of the highest dimension, from the side, which is reversed. */
static glshape_status add_voids(cubical_run *run) {
    OWNED_BY(glshape_mergetree_free) glshape_mergetree_result tree = {0};
    const glshape_mergetree_options o = {.branches_only = true};
    const side *s = &run->side;
    glshape_field f = {.type = GLSHAPE_U32, .values = s->key, .dims = run->field.dims};
    for (int i = 0; i < f.dims; i++) {
        f.shape[i] = s->extent[f.dims - 1 - i];
        f.periodic[i] = run->field.periodic[i];
    }
    f.neighborhood = run->o.construction == GLSHAPE_CUBICAL_VERTICES ? corners_too(run) : sides_only(run);
    TRY(mergetree_compute(run->g, &f, &o, &tree));
    for (size_t k = 0; k < tree.count; k++)
        TRY(add_component(run, tree.branches[k].birth, tree.branches[k].death));
    return GLSHAPE_OK;
}

/* ---- dimension 1 of three ---------------------------------------------------------------------- */

static cubes side_cubes(const cubical_run *run, uint32_t *inverse) {
    const side *s = &run->side;
    return (cubes){.key = s->key,
                   .extent = {s->extent[0], s->extent[1], s->extent[2]},
                   .periodic = run->grid.periodic,
                   .modulus = (uint32_t)run->o.modulus,
                   .inverse = inverse};
}

/* Lists the columns, in the order of reduction, of the edges that are left; none of the outside, which comes
 * last and is never added to others. */
static glshape_status list_columns(cubical_run *run, const cubes *c, const cubical_edges *e, cell **columns,
                                   size_t *count) {
    size_t most = 0, used = 0;
    for (size_t k = 0; k < e->count; k++) most += (size_t)__builtin_popcount(e->left[k].a);
    TRY(allocate(err_of(run), columns, most, sizeof **columns, "the columns"));
    for (size_t k = e->count; k-- > 0;) {
        uint32_t owner = (uint32_t)e->left[k].at;
        if (!e->left[k].a || vertex_of(run, owner) == GLSHAPE_NO_VERTEX) continue;
        for (int d = 6; d-- > 0;)
            if (e->left[k].a >> d & 1) (*columns)[used++] = cubes_cell(c, owner, cubical_directions[d]);
    }
    *count = used;
    return GLSHAPE_OK;
}

static bool go_on(void *g, double fraction) { return gpu_tick(g, fraction) == GLSHAPE_OK; }

static glshape_status reduce(cubical_run *run, const cubes *c, const cell *columns, size_t count) {
    OWNED persistence_death *deaths = NULL;
    const filtered_complex complex = cubes_complex(c);
    const persistence_job job = {.complex = &complex,
                                 .dim = 1,
                                 .columns = columns,
                                 .count = (uint32_t)count,
                                 .threads = run->o.threads,
                                 .keep_columns = true,
                                 .go_on = go_on,
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
            TRY(add_side_pair(run, 1, early, cubes_owner(deaths[k].index)));
        else TRY(add_pair(run, run->side.reversed ? 2 : 1, vertex_of(run, early), GLSHAPE_NO_VERTEX));
    }
    return GLSHAPE_OK;
}

/* Reduces the edges that are left, and frees e. */
static glshape_status reduce_edges(cubical_run *run, cubical_edges *e) {
    OWNED uint32_t *inverse = NULL;
    OWNED cell *columns = NULL;
    size_t count;
    TRY(persistence_inverses(err_of(run), (uint32_t)run->o.modulus, &inverse));
    cubes c = side_cubes(run, inverse);
    TRY(list_columns(run, &c, e, &columns, &count));
    gpu_fact(run->g, (double)e->examined, "edges in no apparent pair");
    gpu_fact(run->g, e->slabs, "slabs of edges");
    cubical_edges_free(e);
    return reduce(run, &c, columns, count);
}

static glshape_status find_edges(cubical_run *run, cubical_edges *e) {
    const side *s = &run->side;
    const glshape_field f = {.type = GLSHAPE_U32, .values = s->key};
    const order o = {.field = &f, .n = s->n};
    const grid d = {{s->extent[0], s->extent[1], s->extent[2]}, run->grid.periodic, 6};
    return cubical_edges_find(run->g, &o, &d, e);
}

/* Does dimension 1 of three, and the one that the components of the side are. */
static glshape_status add_middle(cubical_run *run) {
    OWNED_BY(cubical_edges_free) cubical_edges e = {0};
    glshape_cubical_result *r = run->r;
    double since = wall_seconds();
    begin_part(run, 0.3);
    TRY(find_edges(run, &e));
    for (uint32_t m = 0; m < e.minima; m++) TRY(add_component(run, e.birth[m], e.death[m]));
    r->seconds.edges += clock_lap(&since);
    begin_part(run, 0.4);
    TRY(reduce_edges(run, &e));
    r->seconds.reduction += clock_lap(&since);
    return GLSHAPE_OK;
}

/* ---- classes that never end -------------------------------------------------------------------- */

/* Every cube is in a pair, or begins a class that never ends. So where the cubes of a vertex and those in
 * known pairs do not balance, such classes begin. */

typedef struct star_counter {
    cubical_run *run;
    cubes cubes;
} star_counter;

static void count_plane(void *user, size_t z) {
    const star_counter *c = user;
    const side *s = &c->run->side;
    uint32_t plane = s->extent[0] * s->extent[1], first = (uint32_t)z * plane;
    bool odd = s->reversed && c->run->given->dims & 1; /* cubes of the field are dual to those of the side */
    for (uint32_t v = first; v < first + plane; v++) {
        uint32_t vertex = vertex_of(c->run, v);
        if (vertex == GLSHAPE_NO_VERTEX) continue;
        int sum = cubes_star_sum(&c->cubes, v);
        c->run->balance[vertex] = (int8_t)(odd ? -sum : sum);
    }
}

/* Begins with all cubes of the side. */
static glshape_status begin_balance(cubical_run *run) {
    const side *s = &run->side;
    star_counter c = {run, side_cubes(run, NULL)};
    if (balanced_dimension(run) < 0 || !wants(run, balanced_dimension(run))) return GLSHAPE_OK;
    TRY(allocate(err_of(run), &run->balance, run->order.n, 1, "the balance of the vertices"));
    threads_run(0, s->extent[2], count_plane, &c);
    return GLSHAPE_OK;
}

static glshape_status add_balance(cubical_run *run) {
    int dim = balanced_dimension(run);
    OWNED int8_t *balance = MOVE(run->balance);
    for (uint32_t v = 0; balance && v < run->order.n; v++)
        for (int left = dim & 1 ? -balance[v] : balance[v]; left > 0; left--)
            TRY(add_pair(run, dim, v, GLSHAPE_NO_VERTEX));
    return GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

static glshape_status add_tree(cubical_run *run, bool reversed) {
    double since = wall_seconds();
    begin_part(run, 0.3);
    TRY(reversed ? add_voids(run) : add_components(run));
    run->r->seconds.trees += clock_lap(&since);
    return GLSHAPE_OK;
}

/* What of the field as it is: dimension 0, and of vertices dimension 1 of three. */
static glshape_status compute_upright(cubical_run *run) {
    bool vertices = run->o.construction == GLSHAPE_CUBICAL_VERTICES;
    bool middle = vertices && run->given->dims == 3 && needs(run, 1);
    if (vertices && (middle || balanced_dimension(run) >= 0)) {
        TRY(take_field(run));
        TRY(begin_balance(run));
    }
    TRY(middle ? add_middle(run) : needs(run, 0) ? add_tree(run, false) : GLSHAPE_OK);
    drop_side(run);
    return GLSHAPE_OK;
}

/* What of the reversed field: the highest dimension, and of top cells dimension 1 of three. */
static glshape_status compute_reversed(cubical_run *run) {
    int dims = run->given->dims;
    bool top = (dims > 1 && needs(run, dims - 1)) || (periodic_axes(run) == dims && needs(run, dims));
    bool middle = run->o.construction == GLSHAPE_CUBICAL_TOP_CELLS && dims == 3 && needs(run, 1);
    if (!top && !middle) return GLSHAPE_OK;
    TRY(take_reversed(run));
    if (run->o.construction == GLSHAPE_CUBICAL_TOP_CELLS) TRY(begin_balance(run));
    TRY(middle ? add_middle(run) : add_tree(run, true));
    drop_side(run);
    return GLSHAPE_OK;
}

/* The keys and the textures of the larger side: the reversed one with the outside. */
static void forecast(cubical_run *run) {
    glshape_cubical_forecast *f = &run->r->forecast;
    bool vertices = run->o.construction == GLSHAPE_CUBICAL_VERTICES;
    size_t n = 1;
    f->cells = 1;
    for (int axis = 0; axis < run->given->dims; axis++) {
        uint64_t extent = run->grid.extent[axis];
        bool periodic = run->grid.periodic >> axis & 1;
        f->cells = times(f->cells, periodic ? 2 * extent : vertices ? 2 * extent - 1 : 2 * extent + 1);
        n = times(n, extent + (periodic ? 0 : 2));
    }
    bool wide = run->field.type == GLSHAPE_F64 || order_is_whole(&run->field);
    f->host_bytes = times(n, sizeof(uint32_t)) + (wide ? times(run->r->n, sizeof(uint32_t)) : 0);
    f->gpu_bytes = times(n, 2 * sizeof(uint32_t) + 2); /* keys, basins, lists */
}

static void run_free(cubical_run *run) {
    drop_side(run);
    for (int dim = 0; dim < CUBICAL_DIMS; dim++) free(run->dims[dim].pairs);
    free(run->balance);
    order_free(&run->order);
}

static glshape_status compute(gpu *g, const glshape_field *field, const glshape_cubical_options *options,
                              glshape_cubical_result *result) {
    OWNED_BY(glshape_cubical_free) glshape_cubical_result r = {0};
    OWNED_BY(run_free) cubical_run run = {.g = g, .given = field, .r = &r};
    error *err = gpu_error(g);
    double since = wall_seconds();
    TRY(take_shape(&run));
    TRY(take_options(err, options, field->dims, &run.o));
    forecast(&run);
    if (run.o.dry_run) {
        *result = MOVE(r);
        return GLSHAPE_OK;
    }
    TRY(order_new(err, &run.field, (uint32_t)r.n, run.o.superlevel, &run.order));
    r.least = order_value(field, run.o.superlevel ? run.order.greatest : run.order.least);
    r.greatest = order_value(field, run.o.superlevel ? run.order.least : run.order.greatest);
    r.seconds.upload += clock_lap(&since);
    bool vertices = run.o.construction == GLSHAPE_CUBICAL_VERTICES;
    TRY(vertices ? compute_upright(&run) : compute_reversed(&run));
    TRY(vertices ? compute_reversed(&run) : compute_upright(&run)); /* what is balanced begins first */
    TRY(add_balance(&run));
    TRY(list_intervals(&run));
    r.gpu_bytes = gpu_recent_bytes(g);
    TRY(gpu_tick(g, 1));
    *result = MOVE(r);
    return GLSHAPE_OK;
}

glshape_status glshape_cubical(glshape_context *context, const glshape_field *field,
                               const glshape_cubical_options *options, glshape_cubical_result *result) {
    *result = (glshape_cubical_result){0};
    gpu *g;
    TRY(context_begin(context, &g));
    gpu_begin_method(g);
    return context_end(context, compute(g, field, options, result));
}

void glshape_cubical_free(glshape_cubical_result *result) {
    free(result->intervals);
    *result = (glshape_cubical_result){0};
}
