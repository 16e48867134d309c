#include "cli/plane.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

plane plane_zeros(size_t n) {
    plane p = {n, calloc(n * n, sizeof *p.d)};
    ck_assert_ptr_nonnull(p.d);
    return p;
}

plane plane_new(size_t n, unsigned seed) {
    plane p = plane_zeros(n);
    random_state r = {seed};
    double *x = malloc(2 * n * sizeof *x);
    for (size_t i = 0; i < 2 * n; i++) x[i] = 100 * random_unit(&r);
    for (size_t i = 0; i < n * n; i++)
        p.d[i] = hypot(x[i / n * 2] - x[i % n * 2], x[i / n * 2 + 1] - x[i % n * 2 + 1]);
    free(x);
    return p;
}

void plane_free(plane *p) {
    free(p->d);
    *p = (plane){0};
}

/* ---- files ----------------------------------------------------------------------------------------- */

/* Half precision, of 0 and of values from 2^-14 to 65504, rounded. */
static uint16_t half(double x) {
    int exponent;
    double fraction = frexp(x, &exponent);
    return x == 0 ? 0 : (uint16_t)(((exponent + 13) << 10) + (int)rint(fraction * 2048));
}

static size_t put(unsigned char *to, const char *type, double x) {
    float f = (float)x;
    uint16_t h = half(x);
    const void *from = type[1] == '8' ? (void *)&x : type[1] == '4' ? (void *)&f : (void *)&h;
    size_t bytes = (size_t)(type[1] - '0');
    memcpy(to, from, bytes);
    return bytes;
}

void plane_npy(const char *name, const char *type, const char *shape, const double *values, size_t count) {
    unsigned char *file = malloc(128 + 8 * count), *at = file + 128;
    char text[118];
    snprintf(text, sizeof text, "{'descr': '<%s', 'fortran_order': False, 'shape': %s, }", type, shape);
    memcpy(file, "\x93NUMPY\x01\x00\x76", 10);
    snprintf((char *)file + 10, 118, "%-117s", text);
    file[127] = '\n';
    for (size_t i = 0; i < count; i++) at += put(at, type, values[i]);
    shell_write(name, file, (size_t)(at - file));
    free(file);
}

void plane_square(const char *name, const char *type, const plane *p) {
    char shape[64];
    snprintf(shape, sizeof shape, "(%zu, %zu)", p->n, p->n);
    plane_npy(name, type, shape, p->d, p->n * p->n);
}

void plane_text(const char *name, const plane *p, plane_part part) {
    FILE *f = fopen(shell_path(name), "w");
    size_t n = p->n;
    for (size_t i = part == PLANE_LOWER; i + (part == PLANE_UPPER) < n; i++)
        for (size_t j = part == PLANE_UPPER ? i + 1 : 0, end = part == PLANE_LOWER ? i : n; j < end; j++)
            fprintf(f, "%.9g%c", p->d[i * n + j], j + 1 == end ? '\n' : part == PLANE_ALL ? ' ' : ',');
    ck_assert(!fclose(f));
}

void plane_condensed(const char *name, const plane *p) {
    double *values = malloc(p->n * p->n * sizeof *values);
    size_t count = 0;
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = i + 1; j < p->n; j++) values[count++] = p->d[i * p->n + j];
    char shape[32];
    snprintf(shape, sizeof shape, "(%zu,)", count);
    plane_npy(name, "f8", shape, values, count);
    free(values);
}

void plane_binary(const char *name, const plane *p) {
    FILE *f = fopen(shell_path(name), "wb");
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < i; j++) {
            float value = (float)p->d[i * p->n + j];
            fwrite(&value, sizeof value, 1, f);
        }
    ck_assert(!fclose(f));
}

void plane_dipha(const char *name, const plane *p, uint64_t claimed) {
    FILE *f = fopen(shell_path(name), "wb");
    uint64_t header[] = {8067171840u, 7, claimed};
    fwrite(header, sizeof header, 1, f);
    fwrite(p->d, sizeof *p->d, p->n * p->n, f);
    ck_assert(!fclose(f));
}

void plane_every_form(const plane *p) {
    plane_square("f8.npy", "f8", p);
    plane_square("f4.npy", "f4", p);
    plane_square("f2.npy", "f2", p);
    plane_condensed("condensed.npy", p);
    plane_text("lower.txt", p, PLANE_LOWER);
    plane_text("upper.txt", p, PLANE_UPPER);
    plane_text("full.txt", p, PLANE_ALL);
    plane_binary("lower.bin", p);
    plane_dipha("square.dipha", p, p->n);
}

/* ---- layouts --------------------------------------------------------------------------------------- */

static double apart(const float *xy, size_t i, size_t j) {
    return hypot((double)xy[2 * i] - xy[2 * j], (double)xy[2 * i + 1] - xy[2 * j + 1]);
}

static void compare(const plane *p, const float *xy, const char *words, double printed, double most,
                    double error) {
    double strain = 0, total = 0, largest = 0, worst = 0;
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < i; j++) {
            double want = p->d[i * p->n + j], off = apart(xy, i, j) - want;
            strain += off * off;
            total += want * want;
            largest = fmax(largest, want);
            worst = fmax(worst, fabs(off));
        }
    double stress = strain / total;
    ck_assert_msg(fabs(stress - printed) <= 1e-3 * stress + 1e-6, "%s: %g printed, but stress is %g", words,
                  printed, stress);
    ck_assert_msg(stress <= most, "%s: stress %g", words, stress);
    ck_assert_msg(worst <= error * largest, "%s: a distance is off by %g of %g", words, worst, largest);
}

void plane_lay_out(const plane *p, const char *words, double most, double error) {
    shell_do("$G mds %s --seed 5 -o $D/layout.npy", words);
    size_t bytes = 128 + 8 * p->n, got;
    char *file = malloc(bytes + 2);
    double printed = -1;
    got = shell_slurp("layout.npy", file, bytes + 2);
    ck_assert_msg(got == bytes, "%s: %zu bytes of layout", words, got);
    ck_assert_msg(
        strstr(shell_out, "stress ") && sscanf(strstr(shell_out, "stress "), "stress %lf", &printed) == 1,
        "%s: '%s'", words, shell_out);
    float *xy = malloc(8 * p->n);
    memcpy(xy, file + 128, 8 * p->n);
    compare(p, xy, words, printed, most, error);
    free(xy);
    free(file);
}
