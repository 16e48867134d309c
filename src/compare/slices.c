#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "compare/compare.h"

#define PI 3.141592653589793

uint32_t slices_tiles(const slices *s) {
    size_t tiles = compare_places(s->n) / COMPARE_TILE;
    return tiles < s->most_tiles ? (uint32_t)tiles : s->most_tiles;
}

uint64_t slices_bytes(const slices *s) {
    return times((size_t)slices_tiles(s) * COMPARE_TILE, sizeof(uint64_t)) +
           times((size_t)s->lines + 1, times(s->stride, sizeof(uint32_t)));
}

void slices_free(slices *s) {
    free(s->first);
    free(s->points);
    free(s->turns);
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

static void set_points(const diagrams *d, slices *s) {
    for (size_t k = 0; k < d->first[d->n]; k++)
        for (int end = 0; end < 2; end++)
            s->points[k][end] = (int32_t)rint((d->pairs[2 * k + end] - s->middle) / s->reach * SLICES_UNIT);
}

static void set_turns(slices *s) {
    const double unit = 2 * SLICES_UNIT / SLICES_ROOT_2;
    for (int line = 0; line < s->directions; line++) {
        double angle = PI * ((double)line / s->directions - 0.5);
        s->turns[line][0] = (int32_t)rint(cos(angle) * unit);
        s->turns[line][1] = (int32_t)rint(sin(angle) * unit);
    }
}

glshape_status slices_new(error *err, const diagrams *d, int directions, size_t bytes, slices *out) {
    size_t pairs = d->first[d->n];
    *out = (slices){.n = d->n, .directions = directions, .most_tiles = SLICES_MOST_TILES};
    set_range(d, out);
    if (pairs >= UINT32_MAX / 4)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "%zu pairs are more than the %u that slices number", pairs,
                    UINT32_MAX / 4);
    TRY(allocate(err, &out->first, (size_t)d->n + 1, sizeof *out->first, "the diagrams"));
    TRY(allocate(err, &out->points, pairs + 1, sizeof *out->points, "the pairs"));
    TRY(allocate(err, &out->turns, (size_t)directions, sizeof *out->turns, "the directions"));
    for (uint32_t i = 0; i <= d->n; i++) out->first[i] = (uint32_t)(2 * d->first[i]);
    for (uint32_t i = 0; i < d->n; i++)
        if (out->first[i + 1] - out->first[i] > out->longest)
            out->longest = out->first[i + 1] - out->first[i];
    out->stride = (uint32_t)(2 * pairs);
    set_points(d, out);
    set_turns(out);
    size_t line = times(out->stride ? out->stride : 1, sizeof(uint32_t)), lines = bytes / line;
    out->lines = lines < 1 ? 1 : lines > (size_t)directions ? directions : (int)lines;
    return GLSHAPE_OK;
}

/* ---- steps -------------------------------------------------------------------------------------- */

typedef struct maker {
    slices *s;
    int begin;
} maker;

static int compare_steps(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Rounded, from the far end of the line: a turn is of 2^(bits - 30), and the middle of the line at 2^29. */
static uint32_t place(int64_t along, int bits) {
    return (uint32_t)((along + ((int64_t)1 << (29 + bits)) + ((int64_t)1 << (bits - 1))) >> bits);
}

/* One diagram on all lines that are made. */
static void make_steps(void *user, size_t i) {
    const maker *m = user;
    const slices *s = m->s;
    uint32_t first = s->first[i], count = s->first[i + 1] - first;
    for (int line = 0; line < s->lines && m->begin + line < s->directions; line++) {
        const int32_t *turn = s->turns[m->begin + line];
        uint32_t *to = s->steps + (size_t)line * s->stride + first;
        for (uint32_t k = 0; k < count / 2; k++) {
            const int32_t *point = s->points[first / 2 + k];
            int64_t along = (int64_t)point[0] * turn[0] + (int64_t)point[1] * turn[1];
            int64_t middle = ((int64_t)point[0] + point[1]) * ((int64_t)turn[0] + turn[1]);
            to[2 * k] = place(along, 30) << 1;
            to[2 * k + 1] = place(middle, 31) << 1 | 1;
        }
        qsort(to, count, sizeof *to, compare_steps);
    }
}

glshape_status slices_make(error *err, slices *s, int begin) {
    maker m = {s, begin};
    if (!s->steps)
        TRY(allocate(err, &s->steps, times((size_t)s->lines, s->stride ? s->stride : 1), sizeof(uint32_t),
                     "the steps"));
    threads_run(0, s->n, make_steps, &m);
    return GLSHAPE_OK;
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

/* The area between two stairs so far. It is the sum of places where the stairs come together less that of
 * those where they part. */
typedef struct stairs {
    uint64_t area;
    int64_t apart;
} stairs;

/* Takes a step of the first diagram, or of the second, without a branch, as nobody foresees which. */
static inline void take_step(stairs *s, uint32_t step, bool second) {
    int64_t up = 1 - 2 * (int64_t)((step & 1) ^ second);
    uint64_t parts = s->apart * up >= 0 ? UINT64_MAX : 0;
    s->area += ((step >> 1) ^ parts) - parts; /* the negative is the complement and 1 */
    s->apart += up;
}

/* The area between the stairs of two diagrams on a line. */
static uint64_t area(const uint32_t *a, uint32_t count_a, const uint32_t *b, uint32_t count_b) {
    const uint32_t *end_a = a + count_a, *end_b = b + count_b;
    stairs s = {0, 0};
    while (a < end_a && b < end_b) {
        bool second = *b < *a;
        take_step(&s, second ? *b : *a, second);
        a += !second;
        b += second;
    }
    for (; a < end_a; a++) take_step(&s, *a, false);
    for (; b < end_b; b++) take_step(&s, *b, true);
    return s.area;
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
    for (uint32_t e = 0; e < COMPARE_TILE; e++) {
        uint32_t i = row * 16 + e / 16, j = column * 16 + e % 16;
        if (i < t->s->n && j < i) add_pair(t, i, j, item * COMPARE_TILE + e);
    }
    return true;
}

/* Sums of tiles from, from + 1, ...; steps are made once if there is room for all lines. */
static glshape_status add_tiles(run *r, slices *s, uint32_t from, uint32_t tiles, uint64_t *sum,
                                slices_spread *spread) {
    enum { TILES = 256 }; /* between two moments at which it can be stopped */
    double all = (double)(compare_places(s->n) / COMPARE_TILE);
    for (int begin = 0; begin < s->directions; begin += s->lines) {
        int lines = s->directions - begin < s->lines ? s->directions - begin : s->lines;
        if (s->lines < s->directions || !from) TRY(slices_make(run_error(r), s, begin));
        for (uint32_t done = 0, now; done < tiles; done += now) {
            now = tiles - done < TILES ? tiles - done : TILES;
            size_t place = (size_t)done * COMPARE_TILE;
            adder a = {s, lines, begin, from + done, sum + place, spread ? spread + place : NULL};
            TRY(run_tick(r, (from + (tiles * (double)begin + done * (double)lines) / s->directions) / all));
            threads_share(0, now, add_tile, &a);
        }
    }
    return GLSHAPE_OK;
}

glshape_status slices_add_on_cpu(run *r, slices *s, bool spreads, slices_taker *take, void *user) {
    OWNED uint64_t *sum = NULL;
    OWNED slices_spread *spread = NULL;
    uint32_t all = (uint32_t)(compare_places(s->n) / COMPARE_TILE), most = slices_tiles(s);
    size_t places = (size_t)most * COMPARE_TILE;
    TRY(allocate(run_error(r), &sum, places, sizeof *sum, "the sums of slices"));
    if (spreads) TRY(allocate(run_error(r), &spread, places, sizeof *spread, "the errors of slices"));
    for (uint32_t from = 0, tiles; from < all; from += tiles) {
        tiles = all - from < most ? all - from : most;
        memset(sum, 0, (size_t)tiles * COMPARE_TILE * sizeof *sum);
        if (spread) memset(spread, 0, (size_t)tiles * COMPARE_TILE * sizeof *spread);
        TRY(add_tiles(r, s, from, tiles, sum, spread));
        take(user, from, tiles, sum, spread);
    }
    return GLSHAPE_OK;
}
