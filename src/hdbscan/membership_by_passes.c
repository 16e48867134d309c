#include "hdbscan/membership.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "hdbscan/passes.h"
#include "place/place.h"
#include "prim/passes.h"

#define SIXTEEN 16u
#define MOST_COLUMNS 1024u
#define MOST_TOP 16u
#define MOST_CLUSTERS (GPU_TURNS / 3) /* glsl/hdbscan/strongest.glsl goes through them three times */
#define MOST_PIECE 4096u              /* exemplars; a number has 15 bits */
#define MOST_SPAN 4096u
#define MOST_ROWS (1u << 20)
#define MOST_BYTES ((uint64_t)1 << 30)
#define MOST_TEXELS ((uint64_t)1 << 27)
#define ROWS_OF_GROUP (4 * HDBSCAN_LOCAL)
#define ROWS_OF_LINE 32u /* a batch has room for lines of so many rows */

static uint32_t quads_of(size_t columns) { return (uint32_t)(columns + 3) / 4; }
static uint32_t pairs_of(size_t columns) { return (uint32_t)(columns + 1) / 2; }
static uint32_t sixteens_of(uint32_t exemplars) { return (exemplars + SIXTEEN - 1) / SIXTEEN; }

/* Loop turns for sixteen exemplars. */
static uint32_t turns_of(uint32_t quads) { return quads + quads / 16 + 3; }

bool membership_can(const membership_exemplars *e) {
    return e->top && e->top <= MOST_TOP && e->clusters && e->clusters <= MOST_CLUSTERS &&
           e->columns <= MOST_COLUMNS && e->first[e->clusters] < (1u << 26) && e->unit > 0x1p-300 &&
           e->unit < 0x1p300;
}

/* What a row takes in textures; the most are its nearest exemplars, one and a half for each cluster or
 * sixteen of them. */
static uint64_t bytes_of_row(const membership_exemplars *e) {
    size_t pieces = e->clusters + e->first[e->clusters] / MOST_PIECE + 2;
    return 2 * pieces + 8 * e->clusters + 8 * e->clusters / ROWS_OF_LINE + 4 * 4 * quads_of(e->columns) +
           8 * 2 * pairs_of(e->columns) + 32 + 4 + 16 * e->top;
}

static uint32_t rows_of_batch(const membership_exemplars *e, size_t rows, uint64_t bytes) {
    uint64_t most = bytes / bytes_of_row(e), texels = MOST_TEXELS / e->clusters;
    if (most > texels) most = texels;
    if (most > MOST_ROWS) most = MOST_ROWS;
    if (most > rows) most = rows;
    return most < HDBSCAN_LOCAL ? HDBSCAN_LOCAL : (uint32_t)most;
}

uint64_t membership_bytes(const membership_exemplars *e, size_t rows) {
    uint64_t exemplars = e->first[e->clusters] + SIXTEEN * e->clusters;
    return rows_of_batch(e, rows, MOST_BYTES / 4) * bytes_of_row(e) +
           exemplars * (16 * quads_of(e->columns) + 16 * pairs_of(e->columns));
}

void membership_passes_free(membership_passes *p) {
    gpu_texture *const all[] = {&p->single, &p->exact,        &p->pieces,   &p->first,   &p->spans,
                                &p->points, &p->exact_points, &p->facts,    &p->weights, &p->closest,
                                &p->apart,  &p->troubles,     &p->strongest};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    free(p->batch.single);
    free(p->batch.exact);
    free(p->batch.facts);
    free(p->batch.weight);
    free(p->batch.strongest);
}

/* ---- what single precision is certain of -------------------------------------------------------- */

/* Coordinates, less the center and scaled, are at most 1; u is 2^-24. Rounded, two of them differ from their
 * difference d by at most u (2 + |d|), a little more than that because this is rounded, too; those of all
 * columns as a vector by at most u (2 √columns + √sum). So a sum of squares is off by at most
 *     2 √sum · that + that² + u (columns + 2) sum.
 * Two sums are off by twice as much as the larger one, if they are apart by more than that. */
static void bound_rounding(membership_passes *p) {
    double u = 0x1.02p-24, columns = (double)p->e->columns;
    p->constant = (float)(2 * 0x1.02p0 * 8 * u * u * (columns + 1));
    p->linear = (float)(2 * 0x1.02p0 * 4 * u * sqrt(columns));
    p->relative = (float)(2 * 0x1.02p0 * u * (columns + 6));
    p->scale = p->e->reach > 0 ? ldexp(1, -ilogb(p->e->reach) - 1) : 1;
}

static float single_of(const membership_passes *p, const double *x, size_t column) {
    return (float)((x[column] - p->e->center[column]) * p->scale);
}

/* ---- exemplars ----------------------------------------------------------------------------------- */

/* A cluster's exemplars are cut to pieces, two of which share a word for each row; spans have some pieces. */
typedef struct cutting {
    uint32_t *pieces; /* 2 of each: its first sixteen, its exemplars */
    uint32_t *first;  /* clusters + 1 */
    uint32_t *spans;
    uint32_t sixteens;
} cutting;

static void cutting_free(cutting *c) {
    free(c->pieces);
    free(c->first);
    free(c->spans);
}

static void cut_cluster(membership_passes *p, cutting *c, size_t cluster) {
    const size_t *first = p->e->first + cluster;
    c->first[cluster] = p->piece_count;
    for (size_t e = first[0]; e < first[1]; e += p->most_piece, p->piece_count++) {
        uint32_t count = first[1] - e < p->most_piece ? (uint32_t)(first[1] - e) : p->most_piece;
        c->pieces[2 * p->piece_count] = c->sixteens;
        c->pieces[2 * p->piece_count + 1] = count;
        c->sixteens += sixteens_of(count);
    }
}

static void cut_spans(membership_passes *p, cutting *c) {
    uint32_t used = 0;
    for (uint32_t k = 0; k < p->piece_count; k += 2) {
        uint32_t both = sixteens_of(c->pieces[2 * k + 1]) + sixteens_of(c->pieces[2 * k + 3]) + 1;
        if (!k || used + both > p->most_span) {
            c->spans[p->span_count++] = k;
            used = 0;
        }
        used += both;
    }
    c->spans[p->span_count] = (p->piece_count + 1) / 2 * 2;
}

static glshape_status cut(error *err, membership_passes *p, cutting *c) {
    uint32_t most = GPU_TURNS / 6 / turns_of(p->quads);
    size_t room = p->e->clusters + 2;
    p->most_piece = most * SIXTEEN > MOST_PIECE ? MOST_PIECE : most * SIXTEEN;
    if (p->e->most_piece) p->most_piece = p->e->most_piece, most = 2;
    p->most_span = 2 * most > MOST_SPAN / SIXTEEN ? MOST_SPAN / SIXTEEN : 2 * most;
    for (size_t k = 0; k < p->e->clusters; k++) room += (p->e->first[k + 1] - p->e->first[k]) / p->most_piece;
    TRY(allocate(err, &c->pieces, room, 2 * sizeof *c->pieces, "pieces of exemplars"));
    TRY(allocate(err, &c->first, p->e->clusters + 1, sizeof *c->first, "pieces of exemplars"));
    TRY(allocate(err, &c->spans, room, sizeof *c->spans, "pieces of exemplars"));
    for (size_t k = 0; k < p->e->clusters; k++) cut_cluster(p, c, k);
    c->first[p->e->clusters] = p->piece_count;
    cut_spans(p, c);
    return GLSHAPE_OK;
}

/* No row is near what stands behind the exemplars of a piece. */
#define NOWHERE 0x1p60f

static void place_sixteen(const membership_passes *p, size_t first, uint32_t count, float *single,
                          double *exact) {
    size_t columns = p->e->columns;
    for (uint32_t i = 0; i < SIXTEEN; i++) {
        const double *x = p->e->rows + (first + i) * columns;
        if (i >= count) single[i] = NOWHERE;
        for (size_t c = 0; i < count && c < columns; c++) single[SIXTEEN * c + i] = single_of(p, x, c);
        if (i < count) memcpy(exact + 2 * (size_t)i * p->pairs, x, columns * sizeof *x);
    }
}

static glshape_status upload_exemplars(gpu *g, membership_passes *p, const cutting *c) {
    OWNED float *single = NULL;
    OWNED double *exact = NULL;
    size_t each = 4 * SIXTEEN * (size_t)p->quads, first = 0;
    TRY(allocate(run_error(run_of(g)), &single, times(c->sixteens, each), sizeof *single, "the exemplars"));
    TRY(allocate(run_error(run_of(g)), &exact, times(c->sixteens, SIXTEEN * 2 * (size_t)p->pairs),
                 sizeof *exact, "the exemplars"));
    for (uint32_t k = 0; k < p->piece_count; k++)
        for (uint32_t e = 0; e < c->pieces[2 * k + 1]; e += SIXTEEN) {
            uint32_t left = c->pieces[2 * k + 1] - e, count = left < SIXTEEN ? left : SIXTEEN;
            size_t at = c->pieces[2 * k] + e / SIXTEEN;
            place_sixteen(p, first, count, single + at * each, exact + at * SIXTEEN * 2 * p->pairs);
            first += count;
        }
    TRY(gpu_texture_new(g, &p->single, "exemplars", GPU_RGBA32F, c->sixteens, SIXTEEN * p->quads));
    TRY(gpu_texture_new(g, &p->exact, "exemplars", GPU_RGBA32UI, c->sixteens * SIXTEEN, p->pairs));
    TRY(gpu_upload(g, &p->single, 0, c->sixteens, single));
    return gpu_upload(g, &p->exact, 0, c->sixteens * SIXTEEN, exact);
}

static glshape_status upload_cuts(gpu *g, membership_passes *p, const cutting *c) {
    uint32_t pieces = c->spans[p->span_count], clusters = (uint32_t)p->e->clusters;
    TRY(gpu_texture_new(g, &p->pieces, "pieces of exemplars", GPU_RG32UI, pieces, 1));
    TRY(gpu_texture_new(g, &p->first, "pieces of exemplars", GPU_R32UI, clusters + 1, 1));
    TRY(gpu_texture_new(g, &p->spans, "pieces of exemplars", GPU_R32UI, p->span_count + 1, 1));
    TRY(gpu_upload(g, &p->pieces, 0, pieces, c->pieces));
    TRY(gpu_upload(g, &p->first, 0, clusters + 1, c->first));
    return gpu_upload(g, &p->spans, 0, p->span_count + 1, c->spans);
}

/* ---- rows ---------------------------------------------------------------------------------------- */

static glshape_status make_room(gpu *g, membership_passes *p) {
    uint32_t rows = p->most_rows, clusters = (uint32_t)p->e->clusters, top = (uint32_t)p->e->top;
    membership_batch *b = &p->batch;
    error *err = run_error(run_of(g));
    TRY(allocate(err, &b->single, times(rows, 4 * (size_t)p->quads), sizeof *b->single, "rows of a batch"));
    TRY(allocate(err, &b->exact, times(rows, 2 * (size_t)p->pairs), sizeof *b->exact, "rows of a batch"));
    TRY(allocate(err, &b->facts, rows, 8 * sizeof *b->facts, "rows of a batch"));
    TRY(allocate(err, &b->weight, times(p->most_lines, clusters), sizeof *b->weight, "weights of clusters"));
    TRY(allocate(err, &b->strongest, times(rows, top), 4 * sizeof *b->strongest, "rows of a batch"));
    TRY(gpu_texture_new(g, &p->points, "rows", GPU_RGBA32F, rows, p->quads));
    TRY(gpu_texture_new(g, &p->exact_points, "rows", GPU_RGBA32UI, rows, p->pairs));
    TRY(gpu_texture_new(g, &p->facts, "rows", GPU_RGBA32UI, rows, 2));
    TRY(gpu_texture_new(g, &p->weights, "weights of clusters", GPU_RG32UI, p->most_lines * clusters, 1));
    TRY(gpu_texture_new(g, &p->closest, "nearest exemplars", GPU_R32UI, (p->piece_count + 1) / 2 * rows, 1));
    TRY(gpu_texture_new(g, &p->apart, "distances of clusters", GPU_RG32UI, clusters * rows, 1));
    TRY(gpu_texture_new(g, &p->troubles, "rows", GPU_R32UI, rows, 1));
    return gpu_texture_new(g, &p->strongest, "memberships", GPU_RGBA32UI, rows, top);
}

glshape_status membership_passes_new(gpu *g, const membership_exemplars *e, size_t rows,
                                     membership_passes *p) {
    OWNED_BY(cutting_free) cutting c = {0};
    *p = (membership_passes){.e = e, .quads = quads_of(e->columns), .pairs = pairs_of(e->columns)};
    TRY(gpu_need(g));
    bound_rounding(p);
    TRY(cut(run_error(run_of(g)), p, &c));
    TRY(upload_exemplars(g, p, &c));
    TRY(upload_cuts(g, p, &c));
    uint64_t left = gpu_memory_left(g) / 2;
    p->most_rows = rows_of_batch(e, rows, left < MOST_BYTES ? left : MOST_BYTES);
    p->most_lines = p->most_rows / ROWS_OF_LINE + 1;
    TRY(make_room(g, p));
    /* Where a driver drops a program, this is no answer that happens to be right. */
    return gpu_run(g, prim_fill, .filled = &p->closest, .value = 0, .elements = p->closest.elements);
}

static void put_words(uint32_t *to, double x) { memcpy(to, &x, sizeof x); } /* the low word first */

void membership_put(membership_passes *p, uint32_t row, const double *x, uint32_t line, double own,
                    double share) {
    float *single = p->batch.single + 4 * (size_t)row * p->quads;
    uint32_t *facts = p->batch.facts + 8 * (size_t)row;
    for (size_t c = 0; c < p->e->columns; c++) single[c] = single_of(p, x, c);
    memcpy(p->batch.exact + 2 * (size_t)row * p->pairs, x, p->e->columns * sizeof *x);
    facts[0] = line;
    put_words(facts + 2, own);
    put_words(facts + 4, share);
}

static glshape_status upload_batch(gpu *g, membership_passes *p) {
    membership_batch *b = &p->batch;
    TRY(gpu_upload(g, &p->points, 0, b->rows, b->single));
    TRY(gpu_upload(g, &p->exact_points, 0, b->rows, b->exact));
    TRY(gpu_upload(g, &p->facts, 0, b->rows, b->facts));
    return gpu_upload(g, &p->weights, 0, b->lines * (uint32_t)p->e->clusters, b->weight);
}

/* Loop turns that a row and a cluster may take. */
static uint32_t most_turns(const gpu *g) { return place_turns(g) / 2; }

glshape_status membership_begin(gpu *g, membership_passes *p) {
    uint32_t rows = p->batch.rows, clusters = (uint32_t)p->e->clusters, unit[2];
    uint32_t tiles = (rows - 1) / ROWS_OF_GROUP + 1, groups = hdbscan_groups(rows);
    put_words(unit, p->e->unit);
    TRY(upload_batch(g, p));
    TRY(gpu_run(g, prim_fill, .filled = &p->troubles, .value = 0, .elements = p->troubles.elements));
    TRY(gpu_run(g, hdbscan_closest, .points = &p->points, .exemplars = &p->single, .pieces = &p->pieces,
                .spans = &p->spans, .closest = &p->closest, .rows = rows, .row_groups = tiles,
                .quads = p->quads, .constant = p->constant, .linear = p->linear, .relative = p->relative,
                .groups = tiles * p->span_count));
    TRY(gpu_run(g, hdbscan_apart, .points = &p->exact_points, .exemplars = &p->exact, .pieces = &p->pieces,
                .first = &p->first, .closest = &p->closest, .apart = &p->apart, .troubles = &p->troubles,
                .rows = rows, .row_groups = groups, .pairs = p->pairs, .most_turns = most_turns(g),
                .angular = p->e->angular, .unit_low = unit[0], .unit_high = unit[1],
                .groups = groups * clusters));
    TRY(gpu_run(g, hdbscan_strongest, .TOP = (int32_t)p->e->top, .apart = &p->apart, .facts = &p->facts,
                .weights = &p->weights, .troubles = &p->troubles, .strongest = &p->strongest, .rows = rows,
                .clusters = clusters, .groups = groups));
    gpu_start(g);
    return GLSHAPE_OK;
}

glshape_status membership_fetch(gpu *g, membership_passes *p, uint32_t rows) {
    return gpu_download(g, &p->strongest, 0, rows, p->batch.strongest);
}
