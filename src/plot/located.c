/* Where the longest intervals of a field are born and die. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/whole.h"
#include "plot/plot.h"

#define LOCATED 12 /* intervals of a dimension that are shown */

/* The field, or its mean along z over the values that are finite. */
static void fill_image(const glshape_field *f, size_t planes, size_t pixels, double *image) {
    for (size_t p = 0; p < pixels; p++) {
        double sum = 0, first = matrix_value(f->type, f->values, p);
        size_t count = 0;
        for (size_t z = 0; z < planes; z++) {
            double value = matrix_value(f->type, f->values, z * pixels + p);
            if (!isfinite(value)) continue;
            sum += value;
            count++;
        }
        image[p] = count ? sum / (double)count : first;
    }
}

/* Returns true if i is longer than j. */
static bool is_longer(const glshape_field *f, const glshape_cubical_interval *i,
                      const glshape_cubical_interval *j) {
    bool ends = i->death_vertex != GLSHAPE_NO_VERTEX, other_ends = j->death_vertex != GLSHAPE_NO_VERTEX;
    if (!ends || !other_ends) return ends < other_ends;
    if (whole_is(f))
        return whole_gap(f, i->birth_vertex, i->death_vertex) >
               whole_gap(f, j->birth_vertex, j->death_vertex);
    return fabs(i->death - i->birth) > fabs(j->death - j->birth);
}

/* Adds interval i to the longest ones, which are count and in order of length. Of equals the first one stays.
 */
static void take_longest(const glshape_field *f, const glshape_cubical_interval *i,
                         const glshape_cubical_interval **longest, size_t *count) {
    size_t at = *count;
    while (at && is_longer(f, i, longest[at - 1])) at--;
    if (at == LOCATED) return;
    if (*count < LOCATED) ++*count;
    memmove(longest + at + 1, longest + at, (*count - at - 1) * sizeof *longest);
    longest[at] = i;
}

/* Lists a mark for each of the longest intervals. */
static size_t list_marks(const glshape_field *f, const glshape_cubical_result *r, size_t columns,
                         size_t pixels, plot_mark *marks) {
    const glshape_cubical_interval *longest[4][LOCATED];
    size_t count[4] = {0}, used = 0;
    for (size_t k = 0; k < r->count; k++) {
        int dim = r->intervals[k].dim;
        take_longest(f, &r->intervals[k], longest[dim], &count[dim]);
    }
    for (int dim = 0; dim < 4; dim++)
        for (size_t k = 0; k < count[dim]; k++) {
            uint32_t birth = longest[dim][k]->birth_vertex, death = longest[dim][k]->death_vertex;
            bool ends = death != GLSHAPE_NO_VERTEX;
            size_t from = birth % pixels, to = (ends ? death : birth) % pixels;
            marks[used++] = (plot_mark){dim,
                                        {(uint32_t)(from % columns), (uint32_t)(from / columns)},
                                        {(uint32_t)(to % columns), (uint32_t)(to / columns)},
                                        ends};
        }
    return used;
}

static glshape_status check_options(error *err, const glshape_chart_located *o) {
    const glshape_field *f = o->field;
    if (f->graph || f->dims < 1 || f->dims > 3)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "an image is of a field on a grid of 1 to 3 dimensions");
    for (int k = 0; k < f->dims; k++)
        if (!f->shape[k]) return fail(err, GLSHAPE_BAD_ARGUMENT, "a field without values has no image");
    for (size_t k = 0; k < o->of->count; k++)
        if (o->of->intervals[k].dim < 0 || o->of->intervals[k].dim > 3)
            return fail(err, GLSHAPE_BAD_ARGUMENT, "interval %zu has dimension %d", k,
                        o->of->intervals[k].dim);
    return GLSHAPE_OK;
}

glshape_status plot_located(error *err, plot_canvas *c, const glshape_picture_options *on,
                            const glshape_chart_located *o) {
    const glshape_field *f = o->field;
    OWNED double *image = NULL;
    plot_mark marks[4 * LOCATED];
    TRY(check_options(err, o));
    size_t columns = f->shape[f->dims - 1], rows = f->dims > 1 ? f->shape[f->dims - 2] : 1;
    size_t pixels = rows * columns;
    TRY(allocate(err, &image, pixels, sizeof *image, "the image"));
    fill_image(f, f->dims == 3 ? f->shape[0] : 1, pixels, image);
    const plot_marked marked = {.rows = rows,
                                .columns = columns,
                                .image = image,
                                .count = list_marks(f, o->of, columns, pixels, marks),
                                .marks = marks,
                                .what = f->dims == 3 ? "the mean along z" : NULL};
    return plot_marks(err, c, on, &marked);
}
