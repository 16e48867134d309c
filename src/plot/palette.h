/* Colours for classes that people with a colour vision deficiency can tell apart. */
#ifndef GLSHAPE_PLOT_PALETTE_H
#define GLSHAPE_PLOT_PALETTE_H

#include "plot/canvas.h"

/* The first 8 are those of Okabe and Ito (2008), the next 8 of Paul Tol's "muted" scheme (2021); beyond,
 * these come again lighter and darker. */
uint32_t palette_colour(uint32_t class);

/* a + (b - a)·t for each of red, green and blue; t in [0,1]. */
uint32_t palette_mix(uint32_t a, uint32_t b, double t);

/* A disc that shows on white paper: a light colour gets a darker edge. */
void palette_disc(plot_canvas *c, double x, double y, double radius, uint32_t colour);

/* Text, lines and ground of every chart. */
#define PALETTE_INK 0x222222u
#define PALETTE_GREY 0x5A5A5Au
#define PALETTE_GRID 0xE4E4E4u
#define PALETTE_AXIS 0xBBBBBBu
#define PALETTE_PAPER 0xFFFFFFu
#define PALETTE_NOISE 0xC4C4C4u /* points in no cluster */

#endif
