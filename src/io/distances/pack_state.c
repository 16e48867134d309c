#include "io/distances/pack_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/temporary.h"

enum { TEXT = 512 };

/* All that decides the bytes of the output, and how many rows there are. Two of these are compared as text.
 */
static void describe(char out[TEXT], const io_distances *in, bool symmetrize, uint32_t rows) {
    const distances_identity *id = &in->identity;
    snprintf(out, TEXT,
             "glshape pack state 1\n"
             "input device %" PRIu64 " inode %" PRIu64 " size %" PRIu64 " modified %" PRId64
             ".%09ld\n"
             "points %" PRIu32 " layout %d values %s at %" PRIu64
             " swapped %d symmetrize %d\n"
             "rows %" PRIu32 "\n",
             id->device, id->inode, id->size, id->seconds, id->nanoseconds, in->n, (int)in->layout,
             in->item->code, in->header, in->swapped, symmetrize || in->symmetrized, rows);
}

static bool write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    bool right = fputs(text, file) >= 0 && !fflush(file) && !fsync(fileno(file));
    int why = errno;
    if (fclose(file) && right) return false;
    errno = why;
    return right;
}

bool pack_state_write(const char *path, const io_distances *in, bool symmetrize, uint32_t rows) {
    char text[TEXT], *fresh;
    size_t room = strlen(path) + sizeof ".new";
    if (allocate(NULL, &fresh, room, 1, path) != GLSHAPE_OK) {
        errno = ENOMEM;
        return false;
    }
    snprintf(fresh, room, "%s.new", path);
    describe(text, in, symmetrize, rows);
    io_temporary watched;
    io_temporary_watch(&watched, fresh);
    bool written = write_text(fresh, text) && !rename(fresh, path);
    int why = errno;
    if (!written) unlink(fresh);
    io_temporary_forget(&watched);
    free(fresh);
    errno = why;
    return written;
}

uint32_t pack_state_read(const char *path, const io_distances *in, bool symmetrize, bool *there) {
    char text[TEXT] = "", expected[TEXT];
    FILE *file = fopen(path, "rb");
    *there = file != NULL;
    if (!file) return 0;
    text[fread(text, 1, TEXT - 1, file)] = '\0';
    fclose(file);
    const char *last = strstr(text, "\nrows ");
    uint32_t rows = 0;
    if (!in->identity.known || !last || sscanf(last, "\nrows %10" SCNu32, &rows) != 1) return 0;
    describe(expected, in, symmetrize, rows);
    return !strcmp(text, expected) && rows <= in->n ? rows : 0;
}
