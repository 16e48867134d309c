#include "plot/twin.h"

#include <math.h>
#include <stdlib.h>

#include "plot/primitives.h"
#include "suites.h"

#define SAMPLES 4

static bool in_capsule(float x, float y, const primitive *p) {
    float ax = p->x0 * SAMPLES, ay = p->y0 * SAMPLES, bx = p->x1 * SAMPLES, by = p->y1 * SAMPLES;
    float r = p->radius * SAMPLES, dx = bx - ax, dy = by - ay;
    float px = x - ax, py = y - ay, qx = x - bx, qy = y - by;
    float along = px * dx + py * dy, length2 = dx * dx + dy * dy, r2 = r * r;
    if (along <= 0) return px * px + py * py <= r2;
    if (along >= length2) return qx * qx + qy * qy <= r2;
    float across = px * dy - py * dx;
    return across * across <= r2 * length2;
}

static bool covers(const primitive *p, float x, float y) {
    if (p->radius >= 0) return in_capsule(x, y, p);
    return x >= p->x0 * SAMPLES && x < p->x1 * SAMPLES && y >= p->y0 * SAMPLES && y < p->y1 * SAMPLES;
}

static uint32_t sample(const primitives *list, uint32_t background, float x, float y) {
    for (size_t i = list->count; i-- > 0;)
        if (covers(&list->at[i], x, y)) return list->at[i].colour;
    return background;
}

static double linear(double v) { return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4); }
static double srgb(double v) { return v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055; }

static uint32_t pixel(const primitives *list, uint32_t background, uint32_t x, uint32_t y) {
    double sum[3] = {0, 0, 0};
    uint32_t rgb = 0;
    for (int j = 0; j < SAMPLES; j++)
        for (int i = 0; i < SAMPLES; i++) {
            uint32_t colour =
                sample(list, background, (float)(x * SAMPLES + i) + 0.5f, (float)(y * SAMPLES + j) + 0.5f);
            for (int k = 0; k < 3; k++) sum[k] += linear((colour >> (16 - 8 * k) & 255) / 255.0);
        }
    for (int k = 0; k < 3; k++) rgb = rgb << 8 | (uint32_t)lround(255 * srgb(sum[k] / (SAMPLES * SAMPLES)));
    return rgb;
}

void twin_paint(const plot_canvas *c, uint32_t *out) {
    primitives list;
    ck_assert_int_eq(primitives_of(NULL, c, &list), GLSHAPE_OK);
    for (uint32_t y = 0; y < c->height; y++)
        for (uint32_t x = 0; x < c->width; x++) *out++ = pixel(&list, c->background, x, y);
    free(list.at);
}

int twin_difference(const uint32_t *a, const uint32_t *b, size_t pixels) {
    int worst = 0;
    for (size_t i = 0; i < pixels; i++)
        for (int shift = 0; shift < 24; shift += 8) {
            int d = abs((int)(a[i] >> shift & 255) - (int)(b[i] >> shift & 255));
            if (d > worst) worst = d;
        }
    return worst;
}
