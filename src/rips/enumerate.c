/* Dimension 1 takes ranges of edges (rips/edges, rips/list_edges). For higher dimensions the edges that have
 * far points are found (rips/candidates); then the simplices of these are looked at, in work items of bounded
 * size (rips/columns). Memory grows only with the edges that have far points, and with the simplices that are
 * in no apparent pair. */
#include "rips/enumerate.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/radix.h"
#include "base/threads.h"
#include "place/place.h"
#include "rips/passes.h"

#define ITEMS 65536u /* work items at a time */
#define COLUMNS RIPS_ROOM_OF_COLUMNS
#define STAGING (1u << 22) /* distances uploaded at a time */
#define EDGES_A_RUN (1u << 22)
#define NO_DISTANCE 3.4e38f
#define MOST_CHOICES 0xffffffffu
#define TOO_MANY 0xffffffffu /* glsl/rips/lune.glsl */

typedef struct binomials {
    const rips_space *s;
    uint32_t (*words)[2];
} binomials;

static void fill_binomials(void *user, size_t first, size_t end) {
    const binomials *b = user;
    size_t width = (size_t)b->s->n + 1;
    for (size_t i = first; i < end; i++) {
        uint64_t c = rips_choose(b->s, (uint32_t)(i % width), (int)(i / width));
        b->words[i][0] = (uint32_t)(c >> 32);
        b->words[i][1] = (uint32_t)c;
    }
}

static glshape_status add_binomials(rips_enumeration *e) {
    OWNED uint32_t(*words)[2] = NULL;
    size_t count = (size_t)(e->s->n + 1) * (size_t)(e->s->most_vertices + 1);
    TRY(gpu_texture_new(e->g, &e->binomial, "binomial numbers", GPU_RG32UI, (uint32_t)count, 1));
    TRY(allocate(run_error(run_of(e->g)), &words, count, sizeof *words, "binomial numbers"));
    threads_ranges(count, fill_binomials, &(binomials){e->s, words});
    return gpu_upload(e->g, &e->binomial, 0, (uint32_t)count, words);
}

/* Fills out with row i, padded to whole texels with distances beyond every threshold. backwards: row i and
 * its columns are those of the points counted from the last one. */
static void pack_row(const rips_space *s, size_t i, bool backwards, float *out) {
    const float *row = s->distance + (backwards ? s->n - 1 - i : i) * s->n;
    for (size_t j = 0; j < s->n; j++) out[j] = row[backwards ? s->n - 1 - j : j];
    for (size_t j = s->n; j % 4; j++) out[j] = NO_DISTANCE;
}

/* Rows on their way to the GPU. */
typedef struct packing {
    const rips_space *s;
    size_t first, width;
    bool backwards;
    float *rows;
} packing;

static void pack_one(void *user, size_t i) {
    const packing *p = user;
    pack_row(p->s, p->first + i, p->backwards, p->rows + i * p->width);
}

static glshape_status upload_matrix(rips_enumeration *e, bool backwards) {
    OWNED float *rows = NULL;
    size_t width = 4 * (size_t)e->dist.texels, n = e->s->n, block = STAGING / width + 1;
    if (block > n) block = n;
    TRY(allocate(run_error(run_of(e->g)), &rows, block, width * sizeof *rows, "distances"));
    for (size_t first = 0; first < n; first += block) {
        size_t count = n - first < block ? n - first : block;
        packing p = {e->s, first, width, backwards, rows};
        threads_run(rips_threads(e->s, 0), count, pack_one, &p);
        TRY(gpu_upload(e->g, &e->dist, (uint32_t)first, (uint32_t)count, rows));
    }
    return GLSHAPE_OK;
}

static glshape_status new_matrix(rips_enumeration *e) {
    return gpu_texture_new(e->g, &e->dist, "distances", GPU_RGBA32F, e->s->n, (e->s->n + 3) / 4);
}

glshape_status rips_enumeration_add_for_short(rips_enumeration *e) {
    if (!e->binomial.id) TRY(add_binomials(e));
    if (e->dist.id || !rips_may_have_matrix(e->s)) return GLSHAPE_OK;
    TRY(new_matrix(e));
    if (!e->lists.start.id) return upload_matrix(e, false);
    return gpu_run(e->g, rips_rows, .start = &e->lists.start, .neighbors = &e->lists.neighbors,
                   .lengths = &e->lists.lengths, .dist = &e->dist, .n = e->s->n, .groups = e->s->n);
}

glshape_status rips_enumeration_upload(rips_enumeration *e, bool backwards) {
    if (!e->of_lists) return upload_matrix(e, backwards);
    return e->lists.start.id ? GLSHAPE_OK : rips_lists_new(e->g, e->s, &e->lists);
}

static bool has_triangles(int most_vertices) { return most_vertices > 3; } /* else edges are all there is */

/* A matrix has them for the first cofacets of edges, too. */
static bool has_binomials(bool of_lists, int most_vertices) {
    return !of_lists || has_triangles(most_vertices);
}

glshape_status rips_enumeration_new(gpu *g, const rips_space *s, bool of_lists, rips_enumeration *out) {
    OWNED_BY(rips_enumeration_free) rips_enumeration e = {.g = g, .s = s, .of_lists = of_lists};
    *out = (rips_enumeration){.g = g};
    if (e.of_lists) e.longest = rips_longest_list(s);
    else TRY(new_matrix(&e));
    TRY(gpu_texture_new(g, &e.columns, "columns", GPU_RGBA32UI, COLUMNS, 1));
    TRY(gpu_texture_new(g, &e.found, "number of columns", GPU_R32UI, 1, 1));
    if (has_binomials(of_lists, s->most_vertices)) TRY(add_binomials(&e));
    if (has_triangles(s->most_vertices))
        TRY(gpu_texture_new(g, &e.work, "work items", GPU_RGBA32UI, ITEMS, 1));
    *out = MOVE(e);
    return GLSHAPE_OK;
}

void rips_enumeration_free(rips_enumeration *e) {
    gpu_texture *all[] = {&e->dist, &e->binomial, &e->work, &e->columns, &e->found};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    rips_lists_free(&e->lists);
    free(e->promising);
    e->promising = NULL;
}

static size_t bytes_of_binomials(const gpu *g, uint32_t n, int most_vertices) {
    return gpu_texture_bytes(g, GPU_RG32UI, (n + 1) * (uint32_t)(most_vertices + 1), 1);
}

size_t rips_enumeration_bytes_for_short(const rips_enumeration *e) {
    const rips_space *s = e->s;
    bool makes = !e->dist.id && rips_may_have_matrix(s);
    size_t matrix = makes ? gpu_texture_bytes(e->g, GPU_RGBA32F, s->n, (s->n + 3) / 4) : 0;
    size_t binomials = e->binomial.id ? 0 : bytes_of_binomials(e->g, s->n, s->most_vertices);
    return binomials > SIZE_MAX - matrix ? SIZE_MAX : matrix + binomials;
}

/* Bytes beside those of the distances. */
static size_t bytes_of_columns(const gpu *g, bool of_lists, uint32_t n, int most_vertices) {
    size_t bytes = gpu_texture_bytes(g, GPU_RGBA32UI, COLUMNS, 1);
    if (has_binomials(of_lists, most_vertices)) bytes += bytes_of_binomials(g, n, most_vertices);
    return bytes + (has_triangles(most_vertices) ? gpu_texture_bytes(g, GPU_RGBA32UI, ITEMS, 1) : 0);
}

size_t rips_enumeration_bytes(const gpu *g, uint32_t n, int most_vertices) {
    size_t matrix = gpu_texture_bytes(g, GPU_RGBA32F, n, (n + 3) / 4),
           columns = bytes_of_columns(g, false, n, most_vertices);
    return columns > SIZE_MAX - matrix ? SIZE_MAX : matrix + columns;
}

size_t rips_enumeration_list_bytes(const gpu *g, const rips_space *s) {
    size_t lists = rips_lists_bytes(g, s->n, s->graph.start[s->n]);
    bool can = lists < SIZE_MAX && (uint64_t)(s->n + 1) * (uint32_t)(s->most_vertices + 1) <= UINT32_MAX;
    size_t columns = can ? bytes_of_columns(g, true, s->n, s->most_vertices) : SIZE_MAX;
    return columns > SIZE_MAX - lists ? SIZE_MAX : lists + columns;
}

/* ---- what the passes found --------------------------------------------------------------------- */

static glshape_status reset_count(rips_enumeration *e) {
    uint32_t zero = 0;
    return gpu_upload(e->g, &e->found, 0, 1, &zero);
}

/* Fills *raw with what the passes have written since reset_count. Sets *fits to whether there was room for
 * all of it. */
static glshape_status collect(rips_enumeration *e, uint32_t (**raw)[4], uint32_t *count, bool *fits) {
    TRY(gpu_download(e->g, &e->found, 0, 1, count));
    *fits = *count <= COLUMNS;
    if (!*count || !*fits) {
        *count = 0;
        return GLSHAPE_OK;
    }
    TRY(allocate(run_error(run_of(e->g)), raw, *count, sizeof **raw, "columns"));
    return gpu_download(e->g, &e->columns, 0, *count, *raw);
}

static glshape_status collect_columns(rips_enumeration *e, rips_columns *out, bool *fits) {
    OWNED uint32_t(*raw)[4] = NULL;
    uint32_t count;
    TRY(collect(e, &raw, &count, fits));
    TRY(memory_reserve(run_error(run_of(e->g)), &out->items, &out->room, out->count + count,
                       sizeof *out->items, "the list of columns"));
    for (uint32_t i = 0; i < count; i++) {
        cell *to = &out->items[out->count++];
        *to = (cell){.index = (uint64_t)raw[i][0] << 32 | raw[i][1], .coefficient = 1};
        memcpy(&to->value, &raw[i][2], sizeof to->value);
    }
    return GLSHAPE_OK;
}

/* What there was no room for is cut in two, unless it is one edge or item: that has room. */
static glshape_status check_overflow(rips_enumeration *e, uint32_t count) {
    return count > 1 ? GLSHAPE_OK
                     : fail(run_error(run_of(e->g)), GLSHAPE_GPU_ERROR, "one edge has more than %u columns",
                            COLUMNS);
}

/* ---- ranges of edges ---------------------------------------------------------------------------- */

/* Edges are numbered as the pairs of points of a matrix, or as the places of lists, where each has two. */
static uint32_t edge_numbers(const rips_enumeration *e) {
    return e->of_lists ? rips_lists_places(e->s) : (uint32_t)rips_choose(e->s, e->s->n, 2);
}

static glshape_status enumerate_edge_range(rips_enumeration *e, uint32_t first, uint32_t count,
                                           rips_columns *out) {
    bool fits;
    uint32_t groups = (count + RIPS_LOCAL - 1) / RIPS_LOCAL;
    TRY(reset_count(e));
    TRY(e->of_lists
            ? gpu_run(e->g, rips_list_edges, .start = &e->lists.start, .neighbors = &e->lists.neighbors,
                      .lengths = &e->lists.lengths, .columns = &e->columns, .found = &e->found, .n = e->s->n,
                      .threshold = e->s->threshold, .first = first, .count = count, .room = COLUMNS,
                      .groups = groups)
            : gpu_run(e->g, rips_edges, .dist = &e->dist, .columns = &e->columns, .found = &e->found,
                      .n = e->s->n, .threshold = e->s->threshold, .first = first, .count = count,
                      .room = COLUMNS, .groups = groups));
    TRY(collect_columns(e, out, &fits));
    if (fits) return GLSHAPE_OK;
    TRY(check_overflow(e, count));
    TRY(enumerate_edge_range(e, first, count / 2, out));
    return enumerate_edge_range(e, first + count / 2, count - count / 2, out);
}

static uint32_t at_most(uint32_t count, uint32_t most) { return count < most ? count : most; }

static glshape_status enumerate_edges(rips_enumeration *e, rips_columns *out) {
    uint32_t all = edge_numbers(e);
    out->examined = e->of_lists ? all / 2 : all;
    for (uint32_t first = 0; first < all; first += at_most(all - first, EDGES_A_RUN))
        TRY(enumerate_edge_range(e, first, at_most(all - first, EDGES_A_RUN), out));
    return GLSHAPE_OK;
}

/* ---- edges whose lune has far points: the same for all dimensions ------------------------------- */

/* The constants WORDS and ROOM of the shaders. */
typedef struct lune_room {
    int words, room;
} lune_room;

static lune_room room_of(const rips_enumeration *e) {
    int words = rips_words(e->as_of > e->s->n ? e->as_of : e->s->n), room = rips_list_room(e->longest);
    return e->of_lists ? (lune_room){room / 32, room} : (lune_room){words, rips_room(words)};
}

static glshape_status keep_edge(rips_enumeration *e, const uint32_t found[4]) {
    rips_edge edge = {found[0], found[1], found[2], found[3]};
    if (e->of_lists && edge.near == TOO_MANY) {
        e->too_many = true;
        return GLSHAPE_OK;
    }
    if (edge.near > e->s->n || edge.far > e->s->n - edge.near)
        return fail(run_error(run_of(e->g)), GLSHAPE_GPU_ERROR, "%u and %u points of %u are near an edge",
                    edge.near, edge.far, e->s->n);
    TRY(memory_reserve(run_error(run_of(e->g)), &e->promising, &e->promising_room, e->promising_count + 1,
                       sizeof edge, "the list of edges"));
    e->promising[e->promising_count++] = edge;
    return GLSHAPE_OK;
}

/* At most COLUMNS edges, so that there is room for all of them. */
static glshape_status find_promising_range(rips_enumeration *e, uint32_t first, uint32_t count) {
    OWNED uint32_t(*raw)[4] = NULL;
    bool fits;
    lune_room of = room_of(e);
    uint32_t found, span = place_count(e->g, PLACE_AMOUNT_GROUP_EDGES), groups = (count + span - 1) / span;
    TRY(reset_count(e));
    TRY(e->of_lists
            ? gpu_run(e->g, rips_list_candidates, .WORDS = of.words, .ROOM = of.room,
                      .start = &e->lists.start, .neighbors = &e->lists.neighbors,
                      .lengths = &e->lists.lengths, .columns = &e->columns, .found = &e->found, .n = e->s->n,
                      .threshold = e->s->threshold, .first = first, .count = count, .room = COLUMNS,
                      .span = span, .groups = groups)
            : gpu_run(e->g, rips_candidates, .WORDS = of.words, .ROOM = of.room, .dist = &e->dist,
                      .columns = &e->columns, .found = &e->found, .n = e->s->n, .threshold = e->s->threshold,
                      .first = first, .count = count, .room = COLUMNS, .span = span, .groups = groups));
    TRY(collect(e, &raw, &found, &fits));
    if (!fits)
        return fail(run_error(run_of(e->g)), GLSHAPE_GPU_ERROR, "%u edges have more than %u far points",
                    count, COLUMNS);
    for (uint32_t i = 0; i < found && !e->too_many; i++) TRY(keep_edge(e, raw[i]));
    return GLSHAPE_OK;
}

static glshape_status find_promising(rips_enumeration *e) {
    uint32_t all = edge_numbers(e);
    for (uint32_t first = 0; first < all && !e->too_many; first += at_most(all - first, COLUMNS))
        TRY(find_promising_range(e, first, at_most(all - first, COLUMNS)));
    e->found_promising = true;
    return GLSHAPE_OK;
}

/* ---- more vertices ----------------------------------------------------------------------------- */

/* Work on its way to the GPU. */
typedef struct batch {
    rips_enumeration *e;
    rips_columns *out;
    uint32_t extra, span;
    uint32_t (*items)[4], item_count;
} batch;

static glshape_status run_items(batch *b, uint32_t first, uint32_t count) {
    rips_enumeration *e = b->e;
    lune_room of = room_of(e);
    bool fits;
    if (!count) return GLSHAPE_OK;
    TRY(reset_count(e));
    TRY(e->of_lists
            ? gpu_run(e->g, rips_list_columns, .WORDS = of.words, .ROOM = of.room, .EXTRA = (int)b->extra,
                      .start = &e->lists.start, .neighbors = &e->lists.neighbors,
                      .lengths = &e->lists.lengths, .binomial = &e->binomial, .work = &e->work,
                      .columns = &e->columns, .found = &e->found, .n = e->s->n, .span = b->span,
                      .room = COLUMNS, .skip = first, .groups = count)
            : gpu_run(e->g, rips_columns, .WORDS = of.words, .ROOM = of.room, .EXTRA = (int)b->extra,
                      .dist = &e->dist, .binomial = &e->binomial, .work = &e->work, .columns = &e->columns,
                      .found = &e->found, .n = e->s->n, .span = b->span, .room = COLUMNS, .skip = first,
                      .groups = count));
    TRY(collect_columns(e, b->out, &fits));
    if (fits) return GLSHAPE_OK;
    TRY(check_overflow(e, count));
    TRY(run_items(b, first, count / 2));
    return run_items(b, first + count / 2, count - count / 2);
}

static glshape_status flush_items(batch *b) {
    if (!b->item_count) return GLSHAPE_OK;
    TRY(gpu_upload(b->e->g, &b->e->work, 0, b->item_count, b->items));
    TRY(run_items(b, 0, b->item_count));
    b->item_count = 0;
    return GLSHAPE_OK;
}

static glshape_status refuse_edge(const batch *b, const rips_edge *edge) {
    if (b->e->of_lists) {
        b->e->too_many = true;
        return GLSHAPE_OK;
    }
    return fail(
        run_error(run_of(b->e->g)), GLSHAPE_BAD_ARGUMENT,
        "the edge of points %u and %u, of length %g, is the longest of too many simplices of dimension "
        "%u (%u points are near both its ends); lower the threshold or the dimension",
        edge->a, edge->b, (double)rips_distance(b->e->s, edge->a, edge->b), b->extra + 1,
        edge->near + edge->far);
}

/* Makes work items of the simplices of one edge that have a far point. */
static glshape_status add_items(batch *b, const rips_edge *edge) {
    uint32_t total = edge->near + edge->far, extra = b->extra;
    if (total < extra) return GLSHAPE_OK;
    uint64_t from = rips_choose(b->e->s, edge->near, (int)extra),
             end = rips_choose(b->e->s, total, (int)extra);
    if (end > MOST_CHOICES || total > RIPS_MOST_ROOM) return refuse_edge(b, edge);
    b->out->examined += end - from;
    for (uint64_t at = from; at < end; at += (uint64_t)b->span * RIPS_LOCAL) {
        uint32_t *item = b->items[b->item_count++];
        item[0] = edge->a;
        item[1] = edge->b;
        item[2] = (uint32_t)at;
        if (b->item_count == ITEMS) TRY(flush_items(b));
    }
    return GLSHAPE_OK;
}

#define SPAN 4096u

/* Returns how many simplices an invocation looks at: so few that it keeps within the limit of turns. */
static uint32_t span_of(const rips_enumeration *e, uint32_t extra) {
    uint32_t n = e->s->n, fixed = 5 * (n / RIPS_LOCAL + 1) + (n / 32 + 1) * (n / 32 + 1) + 64,
             each = n + 16 * extra + 8, turns = place_turns(e->g);
    if (e->of_lists) return place_count(e->g, PLACE_AMOUNT_LIST_SPAN);
    uint32_t span = fixed + each >= turns ? 1 : (turns - fixed) / each;
    return span < SPAN ? span : SPAN;
}

static void batch_free(batch *b) { free(b->items); }

static glshape_status enumerate_simplices(rips_enumeration *e, uint32_t extra, rips_columns *out) {
    OWNED_BY(batch_free) batch b = {.e = e, .out = out, .extra = extra, .span = span_of(e, extra)};
    TRY(allocate(run_error(run_of(e->g)), &b.items, ITEMS, sizeof *b.items, "work items"));
    if (!e->found_promising) TRY(find_promising(e));
    for (size_t i = 0; i < e->promising_count && !e->too_many; i++) TRY(add_items(&b, &e->promising[i]));
    return e->too_many ? GLSHAPE_OK : flush_items(&b);
}

/* The columns as items: ~ bits of the value, bits of 0 for -0; the index, upper half first; the value. */
static void columns_to_items(const rips_columns *c, radix_item *items) {
    for (size_t i = 0; i < c->count; i++) {
        const cell *from = &c->items[i];
        float value = from->value + 0.0f;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        items[i] = (radix_item){(uint64_t)~bits << 32 | from->index >> 32, (uint32_t)from->index, 0};
        memcpy(&items[i].b, &from->value, sizeof items[i].b);
    }
}

glshape_status rips_sort_columns(error *err, rips_columns *c) {
    OWNED radix_item *items = NULL;
    TRY(allocate(err, &items, c->count, 2 * sizeof *items, "the order of columns"));
    columns_to_items(c, items);
    radix_sort_all(items, items + c->count, c->count);
    for (size_t i = 0; i < c->count; i++) {
        cell *to = &c->items[i];
        to->index = items[i].at << 32 | items[i].a;
        memcpy(&to->value, &items[i].b, sizeof to->value);
    }
    return GLSHAPE_OK;
}

glshape_status rips_enumerate(rips_enumeration *e, int vertices, rips_columns *out) {
    OWNED_BY(rips_columns_free) rips_columns c = {0};
    *out = (rips_columns){0};
    if (vertices == 2) TRY(enumerate_edges(e, &c));
    else TRY(enumerate_simplices(e, (uint32_t)vertices - 2, &c));
    if (e->too_many) return GLSHAPE_OK;
    TRY(rips_sort_columns(run_error(run_of(e->g)), &c));
    *out = MOVE(c);
    return GLSHAPE_OK;
}

void rips_columns_free(rips_columns *c) {
    free(c->items);
    *c = (rips_columns){0};
}
