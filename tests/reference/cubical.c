#include "reference/cubical.h"

#include <stdlib.h>

typedef struct cube {
    uint32_t owner, place, dim, at[3];
} cube;

typedef struct complex_of_cubes {
    const ref_cubical_field *f;
    uint32_t size[3], count;
    cube *cubes;      /* in order */
    uint32_t *number; /* of the cube at a place of the doubled grid */
    uint8_t *column;  /* count × count: of each cube, its boundary */
} complex_of_cubes;

/* The values around a cube along one axis: of its corners, or of the top cells that it is a face of. Returns
 * how many there are. */
static int around(const ref_cubical_field *f, int axis, uint32_t at, uint32_t out[2]) {
    uint32_t n = f->extent[axis];
    bool vertices = f->vertices || axis >= f->dims, between = vertices == (at & 1);
    int count = 0;
    if (!between) return out[0] = at / 2, 1;
    for (int side = -1; side < 2; side += 2) {
        int64_t x = vertices ? ((int64_t)at + side) / 2 : (int64_t)at / 2 - (side < 0);
        if (f->periodic[axis]) x = (x + n) % n;
        if (x >= 0 && x < n) out[count++] = (uint32_t)x;
    }
    return count;
}

static cube cube_at(const ref_cubical_field *f, const uint32_t at[3]) {
    uint32_t x[3][2];
    int count[3];
    cube c = {.owner = UINT32_MAX, .at = {at[0], at[1], at[2]}};
    for (int axis = 0; axis < 3; axis++) {
        count[axis] = around(f, axis, at[axis], x[axis]);
        c.dim += at[axis] & 1;
    }
    for (int i = 0; i < count[0]; i++)
        for (int j = 0; j < count[1]; j++)
            for (int k = 0; k < count[2]; k++) {
                uint32_t v = x[0][i] + f->extent[0] * (x[1][j] + f->extent[1] * x[2][k]);
                bool better = c.owner == UINT32_MAX || (f->place[v] > f->place[c.owner]) == f->vertices;
                if (better) c.owner = v;
            }
    c.place = f->place[c.owner];
    return c;
}

static int in_order(const void *a, const void *b) {
    const cube *x = a, *y = b;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    if (x->dim != y->dim) return x->dim < y->dim ? -1 : 1;
    for (int i = 0; i < 3; i++)
        if (x->at[i] != y->at[i]) return x->at[i] < y->at[i] ? -1 : 1;
    return 0;
}

static uint32_t *number_of(const complex_of_cubes *k, const uint32_t at[3]) {
    return &k->number[at[0] + k->size[0] * (at[1] + k->size[1] * at[2])];
}

static void list_cubes(complex_of_cubes *k) {
    uint32_t at[3];
    for (at[2] = 0; at[2] < k->size[2]; at[2]++)
        for (at[1] = 0; at[1] < k->size[1]; at[1]++)
            for (at[0] = 0; at[0] < k->size[0]; at[0]++) k->cubes[k->count++] = cube_at(k->f, at);
    qsort(k->cubes, k->count, sizeof *k->cubes, in_order);
    for (uint32_t i = 0; i < k->count; i++) *number_of(k, k->cubes[i].at) = i;
}

/* The boundary of the product of intervals. */
static void fill_column(complex_of_cubes *k, uint32_t i) {
    uint32_t modulus = k->f->modulus, odd = 0;
    uint8_t *column = k->column + (size_t)i * k->count;
    for (int axis = 0; axis < 3; axis++) {
        uint32_t at[3] = {k->cubes[i].at[0], k->cubes[i].at[1], k->cubes[i].at[2]}, here = at[axis];
        if (!(here & 1)) continue;
        for (int side = 0; side < 2; side++) {
            at[axis] = (here + (side ? 1 : k->size[axis] - 1)) % k->size[axis];
            uint8_t *entry = &column[*number_of(k, at)];
            *entry = (uint8_t)((*entry + ((side ^ odd) & 1 ? 1 : modulus - 1)) % modulus);
        }
        odd++;
    }
}

/* The last cube of the boundary, which comes before the cube itself. */
static uint32_t pivot(const complex_of_cubes *k, uint32_t i) {
    const uint8_t *column = k->column + (size_t)i * k->count;
    for (uint32_t row = i; row-- > 0;)
        if (column[row]) return row;
    return UINT32_MAX;
}

static uint32_t inverse(uint32_t x, uint32_t modulus) {
    uint32_t y = 1;
    while (x * y % modulus != 1) y++;
    return y;
}

static void reduce_column(complex_of_cubes *k, uint32_t i, const uint32_t *owner) {
    uint32_t modulus = k->f->modulus;
    uint8_t *column = k->column + (size_t)i * k->count;
    for (uint32_t low; (low = pivot(k, i)) != UINT32_MAX && owner[low] != UINT32_MAX;) {
        const uint8_t *other = k->column + (size_t)owner[low] * k->count;
        uint32_t factor = (modulus - column[low]) * inverse(other[low], modulus) % modulus;
        for (uint32_t row = 0; row <= low; row++)
            if (other[row]) column[row] = (uint8_t)((column[row] + factor * other[row]) % modulus);
    }
}

size_t ref_cubical(const ref_cubical_field *f, ref_cubical_pair *out) {
    complex_of_cubes k = {.f = f};
    size_t all = 1, pairs = 0;
    for (int axis = 0; axis < 3; axis++) {
        uint32_t n = f->extent[axis];
        k.size[axis] = axis >= f->dims ? 1 : f->periodic[axis] ? 2 * n : f->vertices ? 2 * n - 1 : 2 * n + 1;
        all *= k.size[axis];
    }
    k.cubes = calloc(all, sizeof *k.cubes);
    k.number = calloc(all, sizeof *k.number);
    k.column = calloc(all * all, sizeof *k.column);
    uint32_t *owner = malloc(all * sizeof *owner);
    list_cubes(&k);
    for (uint32_t i = 0; i < k.count; i++) {
        fill_column(&k, i);
        owner[i] = UINT32_MAX;
    }
    for (uint32_t i = 0; i < k.count; i++) {
        reduce_column(&k, i, owner);
        uint32_t low = pivot(&k, i);
        if (low != UINT32_MAX) owner[low] = i;
    }
    for (uint32_t i = 0; i < k.count; i++) {
        if (pivot(&k, i) != UINT32_MAX) continue;
        bool ends = owner[i] != UINT32_MAX;
        uint32_t birth = k.cubes[i].owner, death = ends ? k.cubes[owner[i]].owner : UINT32_MAX;
        if (birth != death) out[pairs++] = (ref_cubical_pair){k.cubes[i].dim, birth, death};
    }
    free(k.cubes);
    free(k.number);
    free(k.column);
    free(owner);
    return pairs;
}
