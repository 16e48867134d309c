#include "plot/palette.h"

#include <math.h>

static const uint32_t colours[] = {
    0x0072B2, /* blue */
    0xD55E00, /* vermilion */
    0x009E73, /* bluish green */
    0xE69F00, /* orange */
    0xCC79A7, /* reddish purple */
    0x56B4E9, /* sky blue */
    0xF0E442, /* yellow */
    0x000000, /* black */
    0x882255, /* wine */
    0x999933, /* olive */
    0x332288, /* indigo */
    0xCC6677, /* rose */
    0x44AA99, /* teal */
    0xAA4499, /* purple */
    0x117733, /* green */
    0xDDCC77, /* sand */
};
#define COLOURS (sizeof colours / sizeof *colours)

uint32_t palette_mix(uint32_t a, uint32_t b, double t) {
    uint32_t mixed = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        double from = a >> shift & 255, to = b >> shift & 255;
        mixed |= (uint32_t)(from + (to - from) * t + 0.5) << shift;
    }
    return mixed;
}

uint32_t palette_colour(uint32_t class) {
    uint32_t colour = colours[class % COLOURS];
    switch (class / COLOURS % 3) {
        case 1:
            return palette_mix(colour, 0xFFFFFF, 0.45);
        case 2:
            return palette_mix(colour, class % COLOURS == 7 ? 0xFFFFFF : 0x000000, 0.35);
        default:
            return colour;
    }
}

/* Perceived brightness, 0..1 (ITU-R BT.601 weights). */
static double brightness(uint32_t colour) {
    return (0.299 * (colour >> 16 & 255) + 0.587 * (colour >> 8 & 255) + 0.114 * (colour & 255)) / 255;
}

void palette_disc(plot_canvas *c, double x, double y, double radius, uint32_t colour) {
    bool edge = brightness(colour) > 0.7 && radius > 1.5;
    if (edge) plot_disc(c, x, y, radius, palette_mix(colour, 0x000000, 0.3));
    plot_disc(c, x, y, edge ? radius - fmax(0.75, 0.12 * radius) : radius, colour);
}
