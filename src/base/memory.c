#define _DEFAULT_SOURCE /* madvise, MAP_ANONYMOUS */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE ((size_t)2 << 20)

size_t times(size_t a, size_t b) { return b && a > SIZE_MAX / b ? SIZE_MAX : a * b; }

size_t memory_of_machine(void) { return (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGE_SIZE); }

/* Asks for huge pages for a large block: page faults for every 4 KiB would cost more than the work on them.
 */
static void advise(void *memory, size_t bytes) {
#ifdef MADV_HUGEPAGE
    size_t skipped = -(uintptr_t)memory % HUGE_PAGE;
    if (bytes >= 4 * HUGE_PAGE)
        madvise((char *)memory + skipped, (bytes - skipped) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#else
    (void)memory, (void)bytes;
#endif
}

static glshape_status no_memory(error *err, size_t bytes, const char *what) {
    return fail(err, GLSHAPE_NO_MEMORY, "%s needs %.1f MiB of host memory, which could not be had", what,
                (double)bytes / (1 << 20));
}

glshape_status allocate(error *err, void *out, size_t count, size_t size, const char *what) {
    size_t bytes = times(count, size);
    void *memory = bytes == SIZE_MAX ? NULL : calloc(bytes ? bytes : 1, 1);
    memcpy(out, &memory, sizeof memory);
    if (!memory) return no_memory(err, bytes, what);
    advise(memory, bytes);
    return GLSHAPE_OK;
}

glshape_status memory_map(error *err, void *out, size_t bytes, const char *what) {
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return no_memory(err, bytes, what);
    memcpy(out, &memory, sizeof memory);
    advise(memory, bytes);
    return GLSHAPE_OK;
}

void memory_unmap(void *memory, size_t bytes) { munmap(memory, bytes); }

glshape_status memory_resize(error *err, void *data, size_t count, size_t size, const char *what) {
    size_t bytes = times(count, size);
    void *old, *other;
    memcpy(&old, data, sizeof old);
    other = bytes == SIZE_MAX ? NULL : realloc(old, bytes ? bytes : 1);
    if (!other) return no_memory(err, bytes, what);
    memcpy(data, &other, sizeof other);
    if (!old) advise(other, bytes);
    /* cppcheck-suppress memleak ; *data has it */
    return GLSHAPE_OK;
}

glshape_status memory_grow(error *err, void *data, size_t *room, size_t count, size_t size,
                           const char *what) {
    size_t want = count + count / 2 + 16;
    TRY(memory_resize(err, data, want, size, what));
    *room = want;
    return GLSHAPE_OK;
}
