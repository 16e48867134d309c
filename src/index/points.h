/* Lists of neighbors in the order of their numbers. */
#ifndef GLSHAPE_INDEX_POINTS_H
#define GLSHAPE_INDEX_POINTS_H

#include <stdint.h>
#include <stdlib.h>

#define INDEX_FEW_POINTS 64u /* are sorted by insertion */

static inline int index_by_number(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static inline void index_sort_points(uint32_t *list, size_t count) {
    if (count > INDEX_FEW_POINTS) {
        qsort(list, count, sizeof *list, index_by_number);
        return;
    }
    for (size_t k = 1; k < count; k++) {
        uint32_t point = list[k];
        size_t at = k;
        for (; at && list[at - 1] > point; at--) list[at] = list[at - 1];
        list[at] = point;
    }
}

#endif
