/* A merge tree as rows of branches: those of persistence 0 are shown as parts of their parents. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "plot/pages.h"

/* Row k has pairs[k], its birth and death, and parent[k], the row of its parent. branch[v], of a vertex v
 * that began a branch: the row of that branch. cells: of each pixel of the segmentation, the row of its
 * branch. */
typedef struct rows {
    const glshape_chart_branches *o;
    const glshape_mergetree_result *tree;
    double (*pairs)[2];
    uint32_t *parent, *branch, *cells;
    size_t n;
} rows;

static void rows_free(rows *r) {
    free(r->pairs);
    free(r->parent);
    free(r->branch);
    free(r->cells);
}

static glshape_status check_options(error *err, const glshape_chart_branches *o) {
    size_t n = o->of->n;
    for (size_t k = 0; k < o->of->count; k++) {
        const glshape_branch *b = &o->of->branches[k];
        if (b->birth >= n || b->parent >= n || (b->death != GLSHAPE_NO_VERTEX && b->death >= n))
            return fail(err, GLSHAPE_BAD_ARGUMENT, "branch %zu names a vertex beyond the %zu of the field", k,
                        n);
    }
    return GLSHAPE_OK;
}

/* ---- values ------------------------------------------------------------------------------------ */

static bool is_whole(const glshape_field *f) { return f->type == GLSHAPE_I64 || f->type == GLSHAPE_U64; }

/* The value of vertex v, an integer of 64 bits; a signed one modulo 2^64. */
static uint64_t whole_value(const rows *r, uint32_t v) { return ((const uint64_t *)r->o->field->values)[v]; }

/* Returns true if birth and death differ, or there is no death. */
static bool is_shown(const rows *r, const glshape_branch *b) {
    if (r->o->all || b->parent == b->birth || b->death == GLSHAPE_NO_VERTEX) return true;
    return is_whole(r->o->field) ? whole_value(r, b->birth) != whole_value(r, b->death)
                                 : b->birth_value != b->death_value;
}

/* Returns true if pictures show value - least value, which is exact, because a double cannot hold the
 * integers themselves. */
static bool shows_difference(const rows *r) {
    return is_whole(r->o->field) && (fabs(r->tree->least) > 0x1p53 || fabs(r->tree->greatest) > 0x1p53);
}

/* The number that the picture shows for the value of vertex v. */
static double value_of(const rows *r, uint32_t v, double value) {
    if (!shows_difference(r) || v == GLSHAPE_NO_VERTEX) return value;
    return (double)(whole_value(r, v) - whole_value(r, r->tree->least_vertex));
}

/* ---- rows -------------------------------------------------------------------------------------- */

static glshape_status list_branches(error *err, rows *p) {
    const glshape_mergetree_result *r = p->tree;
    TRY(allocate(err, &p->pairs, r->count, sizeof *p->pairs, "the picture's pairs"));
    TRY(allocate(err, &p->parent, r->count, sizeof *p->parent, "the picture's branches"));
    TRY(allocate(err, &p->branch, r->n, sizeof *p->branch, "the picture's branches"));
    for (size_t k = 0; k < r->count; k++) {
        const glshape_branch *b = &r->branches[k];
        bool root = b->parent == b->birth;
        p->branch[b->birth] = root ? (uint32_t)p->n : p->branch[b->parent];
        if (!is_shown(p, b)) continue;
        p->parent[p->n] = p->branch[b->birth];
        p->pairs[p->n][0] = value_of(p, b->birth, b->birth_value);
        p->pairs[p->n][1] = value_of(p, b->death, b->death_value);
        p->branch[b->birth] = (uint32_t)p->n++;
    }
    return GLSHAPE_OK;
}

/* The vertex that began the branch which vertex v lies on. */
static uint32_t branch_of(const glshape_mergetree_result *r, size_t v) {
    const uint32_t *t = r->triplets + 3 * v;
    return t[1] == t[0] ? t[2] : t[0];
}

/* The image of plane z of the field. */
static glshape_status list_cells(error *err, rows *p, size_t z, plot_branch_rows *o) {
    const glshape_field *f = p->o->field;
    size_t cells;
    if (f->graph || !p->tree->triplets || f->dims < 2) return GLSHAPE_OK;
    o->rows = f->shape[f->dims - 2], o->columns = f->shape[f->dims - 1];
    cells = o->rows * o->columns;
    TRY(allocate(err, &p->cells, cells, sizeof *p->cells, "the picture's image"));
    for (size_t k = 0; k < cells; k++) p->cells[k] = p->branch[branch_of(p->tree, z * cells + k)];
    o->cells = p->cells;
    return GLSHAPE_OK;
}

static void print_least(const rows *p, char *out, size_t size) {
    uint64_t least = whole_value(p, p->tree->least_vertex);
    if (p->o->field->type == GLSHAPE_I64) snprintf(out, size, "%" PRId64, (int64_t)least);
    else snprintf(out, size, "%" PRIu64, least);
}

/* Where the picture is drawn. */
typedef struct target {
    plot_canvas *canvas; /* or NULL: it is a page */
    FILE *page;
} target;

static glshape_status draw_rows(error *err, const target *t, const glshape_picture_options *on,
                                const plot_branch_rows *list) {
    return t->canvas ? plot_branches(err, t->canvas, on, list) : pages_branch_rows(err, on, list, t->page);
}

static glshape_status draw_tree(error *err, const target *t, const glshape_picture_options *on,
                                const glshape_chart_branches *o) {
    const glshape_mergetree_result *r = o->of;
    const glshape_field *f = o->field;
    OWNED_BY(rows_free) rows p = {.o = o, .tree = r};
    bool deep = !f->graph && f->dims == 3;
    size_t z = deep ? f->shape[0] / 2 : 0;
    char image[64], least[32];
    TRY(check_options(err, o));
    TRY(list_branches(err, &p));
    if (shows_difference(&p)) print_least(&p, least, sizeof least);
    snprintf(image, sizeof image, "Segmentation, z = %zu", z);
    plot_branch_rows list = {
        .n = p.n,
        .pairs = (const double(*)[2])p.pairs,
        .parent = p.parent,
        .falling = o->superlevel,
        .end = o->superlevel ? value_of(&p, r->least_vertex, r->least)
                             : value_of(&p, r->greatest_vertex, r->greatest),
        .origin = shows_difference(&p) ? least : NULL,
        .image = deep ? image : NULL,
    };
    TRY(list_cells(err, &p, z, &list));
    return draw_rows(err, t, on, &list);
}

glshape_status plot_merge_tree(error *err, plot_canvas *c, const glshape_picture_options *on,
                               const glshape_chart_branches *o) {
    return draw_tree(err, &(target){.canvas = c}, on, o);
}

glshape_status pages_merge_tree(error *err, const glshape_picture_options *on,
                                const glshape_chart_branches *o, FILE *to) {
    return draw_tree(err, &(target){.page = to}, on, o);
}
