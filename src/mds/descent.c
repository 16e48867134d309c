#include "mds/descent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"

#define REMEMBERED 8 /* steps whose curvature is known */
#define MOST_HALVINGS 30
#define ENOUGH 1e-4  /* of the fall that the slope promises */
#define WINDOW 10    /* steps that are judged together */
#define CURVED 1e-10 /* a step with less curvature, relative to its parts, is not remembered */

typedef struct walk {
    const mds_function *f;
    size_t n;
    double *x, *gradient;
    double *next, *next_gradient, *direction;      /* n each */
    double *step[REMEMBERED], *change[REMEMBERED]; /* of x and of the gradient, n each; a ring */
    double curve[REMEMBERED];                      /* their scalar products */
    int count, at;                                 /* remembered; where the next one goes */
    double *memory;
} walk;

static void walk_free(walk *w) { free(w->memory); }

static double dot(const double *x, const double *y, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static void add(double *x, double by, const double *y, size_t n) {
    for (size_t i = 0; i < n; i++) x[i] += by * y[i];
}

static glshape_status walk_new(error *err, const mds_function *f, double *x, walk *w) {
    *w = (walk){.f = f, .n = f->n, .x = x};
    TRY(allocate(err, &w->memory, times(f->n, 4 + 2 * REMEMBERED), sizeof *w->memory, "steps"));
    double *at = w->memory, **const parts[] = {&w->gradient, &w->next, &w->next_gradient, &w->direction};
    for (int i = 0; i < 4; i++, at += f->n) *parts[i] = at;
    for (int i = 0; i < REMEMBERED; i++, at += 2 * f->n) {
        w->step[i] = at;
        w->change[i] = at + f->n;
    }
    return GLSHAPE_OK;
}

/* direction becomes minus the gradient times what is known of the inverse of the curvature. */
static void find_direction(walk *w) {
    double factor[REMEMBERED] = {0};
    for (size_t i = 0; i < w->n; i++) w->direction[i] = -w->gradient[i];
    for (int back = 1; back <= w->count; back++) {
        int k = (w->at - back + REMEMBERED) % REMEMBERED;
        factor[k] = dot(w->step[k], w->direction, w->n) / w->curve[k];
        add(w->direction, -factor[k], w->change[k], w->n);
    }
    if (w->count) {
        int k = (w->at - 1 + REMEMBERED) % REMEMBERED;
        double scale = w->curve[k] / dot(w->change[k], w->change[k], w->n);
        for (size_t i = 0; i < w->n; i++) w->direction[i] *= scale;
    }
    for (int back = w->count; back > 0; back--) {
        int k = (w->at - back + REMEMBERED) % REMEMBERED;
        add(w->direction, factor[k] - dot(w->change[k], w->direction, w->n) / w->curve[k], w->step[k], w->n);
    }
}

/* Halves steps along the direction, the first of which is `length` times it, until one leads down. *down:
 * whether one did; *value is then that of the next place. */
static glshape_status search(walk *w, double length, double *value, bool *down) {
    double slope = dot(w->gradient, w->direction, w->n), before = *value;
    *down = false;
    if (!(slope < 0)) return GLSHAPE_OK;
    for (int k = 0; k < MOST_HALVINGS && !*down; k++, length /= 2) {
        memcpy(w->next, w->x, w->n * sizeof *w->x);
        add(w->next, length, w->direction, w->n);
        TRY(w->f->look(w->f->user, w->next, value, w->next_gradient));
        *down = *value <= before + ENOUGH * length * slope;
    }
    if (!*down) *value = before;
    return GLSHAPE_OK;
}

/* Goes on to the next place, and remembers the way. */
static void go_on(walk *w) {
    double *step = w->step[w->at], *change = w->change[w->at];
    for (size_t i = 0; i < w->n; i++) {
        step[i] = w->next[i] - w->x[i];
        change[i] = w->next_gradient[i] - w->gradient[i];
    }
    memcpy(w->x, w->next, w->n * sizeof *w->x);
    memcpy(w->gradient, w->next_gradient, w->n * sizeof *w->x);
    double curve = dot(step, change, w->n);
    if (!(curve > CURVED * sqrt(dot(step, step, w->n) * dot(change, change, w->n)))) return;
    w->curve[w->at] = curve;
    w->at = (w->at + 1) % REMEMBERED;
    if (w->count < REMEMBERED) w->count++;
}

/* One step. *down: whether there was one: downhill as remembered, or else along the gradient. */
static glshape_status walk_on(walk *w, double first, double *value, bool *down) {
    find_direction(w);
    double length = w->count ? 1 : first / sqrt(dot(w->gradient, w->gradient, w->n));
    TRY(search(w, length, value, down));
    if (*down || !w->count) return GLSHAPE_OK;
    w->count = 0;
    find_direction(w);
    return search(w, first / sqrt(dot(w->gradient, w->gradient, w->n)), value, down);
}

glshape_status mds_descend(error *err, const mds_function *f, double *x, mds_descent *d) {
    OWNED_BY(walk_free) walk w = {.memory = NULL};
    double before[WINDOW];
    bool down = true;
    TRY(walk_new(err, f, x, &w));
    TRY(f->look(f->user, x, &d->value, w.gradient));
    for (d->steps = 0; d->steps < d->most && down; d->steps++) {
        double *window = &before[d->steps % WINDOW];
        if (d->steps >= WINDOW && !(*window - d->value > d->progress * d->value)) break;
        *window = d->value;
        TRY(walk_on(&w, d->first, &d->value, &down));
        if (down) go_on(&w);
    }
    return GLSHAPE_OK;
}
