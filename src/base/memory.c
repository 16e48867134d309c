#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

size_t times(size_t a, size_t b) { return b && a > SIZE_MAX / b ? SIZE_MAX : a * b; }

glshape_status allocate(error *err, void *out, size_t count, size_t size, const char *what) {
    size_t bytes = times(count, size);
    void *memory = bytes == SIZE_MAX ? NULL : calloc(bytes ? bytes : 1, 1);
    memcpy(out, &memory, sizeof memory);
    if (memory) return GLSHAPE_OK;
    return fail(err, GLSHAPE_NO_MEMORY, "%s needs %.1f MiB of host memory, which could not be had", what,
                (double)bytes / (1 << 20));
}
