#include "dist/sphere.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"

#define QUARTER 1.57079632679489661923 /* π/2 */
#define ROUNDED (1 + 1e-7)             /* π/2 of single precision is 1 + 3e-8 times as much */

double dist_sphere_distance(double radius, double chord) { return radius * (2 * asin(fmin(chord / 2, 1))); }

/* A distance that was computed must be within itself, so the chord is searched for among all numbers from 0
 * to 2, whose bits are in their order: a formula may be wrong in its last digits. */
double dist_sphere_chord(double radius, double distance) {
    double within = 0, beyond = 2;
    if (dist_sphere_distance(radius, beyond) <= distance) return 4;
    for (;;) {
        uint64_t low, high;
        double middle;
        memcpy(&low, &within, sizeof low);
        memcpy(&high, &beyond, sizeof high);
        if (high - low < 2) return within;
        low += (high - low) / 2;
        memcpy(&middle, &low, sizeof middle);
        *(dist_sphere_distance(radius, middle) <= distance ? &within : &beyond) = middle;
    }
}

void dist_sphere_distances(const dist_sphere *s, double *chords, size_t count, size_t step) {
    for (size_t k = 0; k < count; k++)
        if (isfinite(chords[k * step])) chords[k * step] = dist_sphere_distance(s->radius, chords[k * step]);
}

glshape_status dist_sphere_points(error *err, const glshape_matrix *m, glshape_matrix *out) {
    OWNED double *x = NULL;
    *out = (glshape_matrix){.data = NULL};
    TRY(matrix_check(err, m));
    if (m->cols != 2)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "rows have %zu column%s; haversine is of two: latitude and longitude", m->cols,
                    m->cols == 1 ? "" : "s");
    TRY(allocate(err, &x, m->rows, 3 * sizeof *x, "points on the sphere"));
    for (size_t r = 0; r < m->rows; r++) {
        double at[2], *to = x + 3 * r;
        matrix_doubles(m, 2 * r, 2, at);
        if (!isfinite(at[1]) || !(fabs(at[0]) <= QUARTER * ROUNDED))
            return fail(err, GLSHAPE_BAD_INPUT,
                        "row %zu: (%g, %g) is no latitude, of at most pi/2, and longitude, in radians", r + 1,
                        at[0], at[1]);
        to[0] = cos(at[0]) * cos(at[1]);
        to[1] = cos(at[0]) * sin(at[1]);
        to[2] = sin(at[0]);
    }
    *out = (glshape_matrix){GLSHAPE_F64, m->rows, 3, MOVE(x)};
    return GLSHAPE_OK;
}

glshape_status dist_sphere_new(error *err, const glshape_source *source, dist_sphere *out) {
    *out = (dist_sphere){.source = *source};
    if (source->metric != GLSHAPE_METRIC_HAVERSINE || !source->points) return GLSHAPE_OK;
    if (!(source->p >= 0 && source->p < INFINITY))
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "p is %g; of haversine it is the radius of the sphere, or 0 for 1", source->p);
    TRY(dist_sphere_points(err, source->points, &out->points));
    out->radius = source->p > 0 ? source->p : 1;
    out->source.metric = GLSHAPE_METRIC_EUCLIDEAN;
    out->source.p = 0;
    return GLSHAPE_OK;
}

void dist_sphere_free(dist_sphere *s) {
    free(s->points.data);
    *s = (dist_sphere){0};
}
