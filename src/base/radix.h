/* Radix sort of 64-bit keys, by all threads. On the GPU: prim_radix. */
#ifndef GLSHAPE_BASE_RADIX_H
#define GLSHAPE_BASE_RADIX_H

#include <stddef.h>
#include <stdint.h>

typedef struct radix_item {
    uint64_t at; /* the key */
    uint32_t a, b;
} radix_item;

/* Sorts items by `at`, leaving equals in their order. spare: as many. Needs no other memory. */
void radix_sort(radix_item *items, radix_item *spare, size_t count);
/* The same by (at, a, b). */
void radix_sort_all(radix_item *items, radix_item *spare, size_t count);
/* The same by the upper 32 bits of `at` alone: half the work. */
void radix_sort_upper(radix_item *items, radix_item *spare, size_t count);

#endif
