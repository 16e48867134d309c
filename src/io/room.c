#include "io/room.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

enum {
    SMALL = 16 << 20
}; /* less is not worth a look at the system, which takes as long as to read a small file */

/* The number that follows label in a file of the kernel's, times unit; SIZE_MAX if it is not there. */
static size_t kernel_number(const char *path, const char *label, size_t unit) {
    FILE *file = fopen(path, "r");
    if (!file) return SIZE_MAX;
    char line[128];
    size_t skip = strlen(label), found = SIZE_MAX;
    unsigned long long number;
    while (found == SIZE_MAX && fgets(line, sizeof line, file)) {
        if (!strncmp(line, label, skip) && sscanf(line + skip, "%19llu", &number) == 1)
            found = times(number, unit);
    }
    fclose(file);
    return found;
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Bytes that can be allocated now without swapping; SIZE_MAX where the system does not say. */
static size_t room_now(void) {
    size_t group = smaller(kernel_number("/sys/fs/cgroup/memory.max", "", 1),
                           kernel_number("/sys/fs/cgroup/memory/memory.limit_in_bytes", "", 1));
    return smaller(group, kernel_number("/proc/meminfo", "MemAvailable:", 1024));
}

glshape_status io_room_check(error *err, const char *name, size_t bytes) {
    size_t room = bytes <= SMALL ? SIZE_MAX : room_now();
    if (bytes <= room) return GLSHAPE_OK;
    return fail(err, GLSHAPE_NO_MEMORY, "%s needs %.1f MiB of host memory, there are %.1f MiB", name,
                (double)bytes / (1 << 20), (double)room / (1 << 20));
}

glshape_status io_room_grow(error *err, const char *name, void *data, size_t *capacity, size_t need,
                            size_t limit, size_t size) {
    if (need <= *capacity) return GLSHAPE_OK;
    size_t wanted = *capacity + *capacity / 2;
    wanted = smaller(wanted < need ? need : wanted, limit);
    size_t extra = times(wanted, size) - *capacity * size;
    TRY(io_room_check(err, name, extra));
    TRY(memory_resize(err, data, wanted, size, name));
    *capacity = wanted;
    return GLSHAPE_OK;
}
