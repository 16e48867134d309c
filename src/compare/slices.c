#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "compare/compare.h"

#define PI 3.141592653589793

size_t slices_places(uint32_t n) {
    size_t rows = ((size_t)n + 15) / 16;
    return times(rows * (rows + 1) / 2, 256);
}

uint32_t slices_tiles(const slices *s) {
    size_t tiles = slices_places(s->n) / SLICES_TILE;
    return tiles < s->most_tiles ? (uint32_t)tiles : s->most_tiles;
}

uint64_t slices_bytes(const slices *s) {
    return times((size_t)slices_tiles(s) * SLICES_TILE, sizeof(uint64_t)) +
           times(times((size_t)s->lines, s->stride), sizeof(uint32_t));
}

void slices_free(slices *s) {
    free(s->first);
    free(s->steps);
    *s = (slices){0};
}

/* Distances do not change where all values are moved along the diagonal: values count from the middle of all.
 */
static void set_range(const diagrams *d, slices *s) {
    double least = INFINITY, greatest = -INFINITY;
    for (size_t k = 0; k < 2 * d->first[d->n]; k++) {
        least = fmin(least, d->pairs[k]);
        greatest = fmax(greatest, d->pairs[k]);
    }
    s->middle = d->first[d->n] ? least / 2 + greatest / 2 : 0;
    s->reach = d->first[d->n] ? fmax(greatest - s->middle, s->middle - least) : 0;
}

glshape_status slices_new(error *err, const diagrams *d, int directions, size_t bytes, slices *out) {
    size_t pairs = d->first[d->n];
    *out = (slices){.n = d->n, .directions = directions, .most_tiles = SLICES_MOST_TILES};
    set_range(d, out);
    if (pairs >= UINT32_MAX / 4)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "%zu pairs are more than the %u that slices number", pairs,
                    UINT32_MAX / 4);
    TRY(allocate(err, &out->first, (size_t)d->n + 1, sizeof *out->first, "the diagrams"));
    for (uint32_t i = 0; i <= d->n; i++) out->first[i] = (uint32_t)(2 * d->first[i]);
    for (uint32_t i = 0; i < d->n; i++)
        if (out->first[i + 1] - out->first[i] > out->longest)
            out->longest = out->first[i + 1] - out->first[i];
    out->stride = (uint32_t)(2 * pairs);
    size_t line = times(out->stride ? out->stride : 1, sizeof(uint32_t)), lines = bytes / line;
    out->lines = lines < 1 ? 1 : lines > (size_t)directions ? directions : (int)lines;
    return allocate(err, &out->steps, times((size_t)out->lines, out->stride ? out->stride : 1),
                    sizeof(uint32_t), "the steps");
}

/* ---- steps -------------------------------------------------------------------------------------- */

typedef struct maker {
    const diagrams *d;
    slices *s;
    int begin;
} maker;

static int compare_steps(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The place on the line of a point, which lies within reach of the middle in both coordinates, so within √2
 * of it. */
static uint32_t place(const slices *s, double x, double y, double c, double sine) {
    double along = ((x - s->middle) / s->reach * c + (y - s->middle) / s->reach * sine) / SLICES_ROOT_2;
    return (uint32_t)rint((along + 1) * SLICES_UNIT);
}

/* One diagram on all lines. */
static void make_steps(void *user, size_t i) {
    const maker *m = user;
    const slices *s = m->s;
    uint32_t first = s->first[i], count = s->first[i + 1] - first;
    for (int line = 0; line < s->lines && m->begin + line < s->directions; line++) {
        double angle = PI * ((double)(m->begin + line) / s->directions - 0.5), c = cos(angle),
               sine = sin(angle);
        uint32_t *to = s->steps + (size_t)line * s->stride + first;
        for (uint32_t k = 0; k < count / 2; k++) {
            const double *pair = m->d->pairs + 2 * (first / 2 + k);
            double middle = pair[0] / 2 + pair[1] / 2;
            to[2 * k] = place(s, pair[0], pair[1], c, sine) << 1;
            to[2 * k + 1] = place(s, middle, middle, c, sine) << 1 | 1;
        }
        qsort(to, count, sizeof *to, compare_steps);
    }
}

void slices_make(const diagrams *d, slices *s, int begin) {
    maker m = {d, s, begin};
    threads_run(0, d->n, make_steps, &m);
}

/* ---- sums --------------------------------------------------------------------------------------- */

typedef struct adder {
    const slices *s;
    int lines;
    int before;    /* lines that were added before */
    uint32_t from; /* the first tile */
    uint64_t *sum;
    slices_spread *spread; /* NULL: not asked for */
} adder;

/* The area between the stairs of two diagrams on a line. */
static uint64_t area(const uint32_t *a, uint32_t left_a, const uint32_t *b, uint32_t left_b) {
    uint64_t total = 0;
    uint32_t next_a = left_a ? *a : UINT32_MAX, next_b = left_b ? *b : UINT32_MAX;
    uint32_t before = (next_a < next_b ? next_a : next_b) >> 1;
    int64_t height = 0;
    while (left_a + left_b) {
        bool of_a = next_a <= next_b;
        uint32_t now = of_a ? next_a : next_b;
        total += (uint64_t)llabs(height) * ((now >> 1) - before);
        before = now >> 1;
        height += of_a == !(now & 1) ? 1 : -1;
        if (of_a) next_a = --left_a ? *++a : UINT32_MAX;
        else next_b = --left_b ? *++b : UINT32_MAX;
    }
    return total;
}

uint32_t slices_row(uint32_t tile) {
    uint32_t row = (uint32_t)((sqrt(8.0 * tile + 1) - 1) / 2);
    while ((uint64_t)row * (row + 1) / 2 > tile) row--;
    while ((uint64_t)(row + 1) * (row + 2) / 2 <= tile) row++;
    return row;
}

static uint64_t area_on(const slices *s, int line, uint32_t i, uint32_t j) {
    const uint32_t *steps = s->steps + (size_t)line * s->stride;
    return area(steps + s->first[i], s->first[i + 1] - s->first[i], steps + s->first[j],
                s->first[j + 1] - s->first[j]);
}

uint64_t slices_sum(const slices *s, uint32_t i, uint32_t j) {
    uint64_t sum = 0;
    for (int line = 0; line < s->lines; line++) sum += area_on(s, line, i, j);
    return sum;
}

static void add_spread(slices_spread *spread, int count, double value) {
    double apart = value - spread->mean;
    spread->mean += apart / count;
    spread->squares += apart * (value - spread->mean);
}

static void add_pair(const adder *t, uint32_t i, uint32_t j, size_t place) {
    for (int line = 0; line < t->lines; line++) {
        uint64_t now = area_on(t->s, line, i, j);
        t->sum[place] += now;
        if (t->spread) add_spread(&t->spread[place], t->before + line + 1, (double)now);
    }
}

static bool add_tile(void *user, uint64_t item, int thread) {
    const adder *t = user;
    uint32_t tile = t->from + (uint32_t)item, row = slices_row(tile);
    uint32_t column = tile - (uint32_t)((uint64_t)row * (row + 1) / 2);
    (void)thread;
    for (uint32_t e = 0; e < SLICES_TILE; e++) {
        uint32_t i = row * 16 + e / 16, j = column * 16 + e % 16;
        if (i < t->s->n && j < i) add_pair(t, i, j, item * SLICES_TILE + e);
    }
    return true;
}

/* Sums of tiles from, from + 1, ...; steps are made once if there is room for all lines. */
static glshape_status add_tiles(run *r, const diagrams *d, slices *s, uint32_t from, uint32_t tiles,
                                uint64_t *sum, slices_spread *spread) {
    enum { TILES = 256 }; /* between two moments at which it can be stopped */
    double all = (double)(slices_places(s->n) / SLICES_TILE);
    for (int begin = 0; begin < s->directions; begin += s->lines) {
        int lines = s->directions - begin < s->lines ? s->directions - begin : s->lines;
        if (s->lines < s->directions || !from) slices_make(d, s, begin);
        for (uint32_t done = 0, now; done < tiles; done += now) {
            now = tiles - done < TILES ? tiles - done : TILES;
            size_t place = (size_t)done * SLICES_TILE;
            adder a = {s, lines, begin, from + done, sum + place, spread ? spread + place : NULL};
            TRY(run_tick(r, (from + (tiles * (double)begin + done * (double)lines) / s->directions) / all));
            threads_share(0, now, add_tile, &a);
        }
    }
    return GLSHAPE_OK;
}

glshape_status slices_add_on_cpu(run *r, const diagrams *d, slices *s, bool spreads, slices_taker *take,
                                 void *user) {
    OWNED uint64_t *sum = NULL;
    OWNED slices_spread *spread = NULL;
    uint32_t all = (uint32_t)(slices_places(s->n) / SLICES_TILE), most = slices_tiles(s);
    size_t places = (size_t)most * SLICES_TILE;
    TRY(allocate(run_error(r), &sum, places, sizeof *sum, "the sums of slices"));
    if (spreads) TRY(allocate(run_error(r), &spread, places, sizeof *spread, "the errors of slices"));
    for (uint32_t from = 0, tiles; from < all; from += tiles) {
        tiles = all - from < most ? all - from : most;
        memset(sum, 0, (size_t)tiles * SLICES_TILE * sizeof *sum);
        if (spread) memset(spread, 0, (size_t)tiles * SLICES_TILE * sizeof *spread);
        TRY(add_tiles(r, d, s, from, tiles, sum, spread));
        take(user, from, tiles, sum, spread);
    }
    return GLSHAPE_OK;
}
