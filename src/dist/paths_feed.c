#include <math.h>
#include <stdio.h>

#include "dist/paths.h"
#include "dist/paths_internal.h"

enum { READ_AT_ONCE = 64 };

static bool failed(const error *err, char *message, size_t size) {
    snprintf(message, size, "%s", err->text);
    return false;
}

static bool unconnected(uint32_t i, uint32_t j, char *message, size_t size) {
    snprintf(message, size, "there is no path between nodes %lu and %lu (counted from 0)", (unsigned long)i,
             (unsigned long)j);
    return false;
}

/* Up to READ_AT_ONCE rows. */
static bool read_some(dist_paths *p, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    error err = {.status = GLSHAPE_OK};
    uint32_t sources[READ_AT_ONCE] = {0};
    size_t nodes = p->graph.nodes;
    for (uint32_t k = 0; k < count; k++) sources[k] = first + k;
    if (dist_paths_rows(&err, p, sources, count, out) != GLSHAPE_OK) return failed(&err, message, size);
    for (size_t k = 0; k < count * nodes; k++)
        if (isinf(out[k])) return unconnected(sources[k / nodes], (uint32_t)(k % nodes), message, size);
    return true;
}

bool dist_paths_read(void *paths, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    dist_paths *p = paths;
    for (uint32_t done = 0; done < count; done += READ_AT_ONCE) {
        uint32_t some = count - done < READ_AT_ONCE ? count - done : READ_AT_ONCE;
        if (!read_some(p, first + done, some, out + (size_t)done * p->graph.nodes, message, size))
            return false;
    }
    return true;
}
