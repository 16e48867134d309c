#include "mds/shelves.h"

#include <math.h>

#define SLACK 1.1 /* shelves are never quite full: what makes the whole nearly square */

static double shelf_width(const shelf_box *boxes, size_t count) {
    double area = 0, widest = 0;
    for (size_t i = 0; i < count; i++) {
        area += boxes[i].width * boxes[i].height;
        widest = fmax(widest, boxes[i].width);
    }
    return fmax(widest, SLACK * sqrt(area));
}

void shelves_pack(shelf_box *boxes, size_t count, bool one_shelf) {
    double width = one_shelf ? INFINITY : shelf_width(boxes, count), x = 0, y = 0, height = 0;
    for (size_t i = 0; i < count; i++) {
        if (x > 0 && x + boxes[i].width > width) y += height, x = height = 0;
        boxes[i].x = x;
        boxes[i].y = y;
        x += boxes[i].width;
        height = fmax(height, boxes[i].height);
    }
}
