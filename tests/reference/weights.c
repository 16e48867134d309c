#include "reference/weights.h"

#include <math.h>
#include <stdlib.h>

double ref_mean_weight(const float *weight, uint32_t n, uint32_t point) {
    double sum = 0;
    for (uint32_t j = 0; j < n; j++)
        if (j != point) sum += weight[(size_t)point * n + j];
    return sum / (n - 1);
}

/* 0 of a point with itself. */
static double weight_of(const float *weight, uint32_t n, uint32_t i, uint32_t j) {
    return i == j ? 0 : weight[(size_t)i * n + j];
}

void ref_weighted_estimate(const ref_spaces *s, const ref_draw *d, const float *weight, uint32_t point,
                           double sums[2]) {
    for (uint32_t k = 0; k < 64; k++) {
        uint32_t j = ref_partner(d, point, k);
        double w = weight_of(weight, s->n, point, j), high = ref_high(s, point, j);
        sums[0] += w * pow(ref_low(s, point, j) - high, 2);
        sums[1] += w * high * high;
    }
}

void ref_weighted_closing_step(const ref_spaces *s, const ref_draw *d, const float *weight, uint32_t point,
                               double step, double *place) {
    double mean = ref_mean_weight(weight, s->n, point), all = 0;
    for (uint32_t k = 0; k < 8; k++) all += weight_of(weight, s->n, point, ref_partner(d, point, k));
    double share = all > 0 ? fmin(1, step * all / (8 * mean)) / all : 0;
    for (uint32_t c = 0; c < s->dim; c++) {
        double here = s->place[(size_t)point * s->dim + c], pull = 0;
        for (uint32_t k = 0; k < 8; k++) {
            uint32_t j = ref_partner(d, point, k);
            double strain = ref_high(s, point, j) - ref_low(s, point, j);
            pull += weight_of(weight, s->n, point, j) * strain * ref_direction(s, point, j, c);
        }
        place[c] = here + share * pull;
    }
}

/* ---- all pairs --------------------------------------------------------------------------------- */

double ref_weighted_stress(const ref_weighted *m, const float *layout, uint32_t dim) {
    double strain = 0, total = 0;
    for (size_t i = 0; i < m->n; i++)
        for (size_t j = i + 1; j < m->n; j++) {
            double high = m->delta[i * m->n + j], w = m->weight[i * m->n + j], square = 0;
            if (isnan(high)) continue;
            for (uint32_t c = 0; c < dim; c++)
                square += pow((double)layout[i * dim + c] - layout[j * dim + c], 2);
            strain += w * pow(sqrt(square) - high, 2);
            total += w * high * high;
        }
    return total > 0 ? strain / total : 0;
}

/* Where the others would have point i. */
static void majorize(const ref_weighted *m, float *layout, size_t i) {
    double x = 0, y = 0, all = 0;
    for (size_t j = 0; j < m->n; j++) {
        double high = m->delta[i * m->n + j], w = m->weight[i * m->n + j];
        if (j == i || isnan(high) || w == 0) continue;
        double dx = layout[2 * i] - layout[2 * j], dy = layout[2 * i + 1] - layout[2 * j + 1];
        double d = hypot(dx, dy), stretch = d > 0 ? high / d : 0;
        x += w * (layout[2 * j] + stretch * dx);
        y += w * (layout[2 * j + 1] + stretch * dy);
        all += w;
    }
    if (all == 0) return;
    layout[2 * i] = (float)(x / all);
    layout[2 * i + 1] = (float)(y / all);
}

double ref_weighted_smacof(const ref_weighted *m, random_state *random, int sweeps) {
    float *layout = malloc((size_t)m->n * 2 * sizeof *layout);
    for (size_t k = 0; k < 2 * (size_t)m->n; k++) layout[k] = (float)random_unit(random);
    for (int t = 0; t < sweeps; t++)
        for (size_t i = 0; i < m->n; i++) majorize(m, layout, i);
    double stress = ref_weighted_stress(m, layout, 2);
    free(layout);
    return stress;
}
