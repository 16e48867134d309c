/* Lines of text, which threads print side by side. */
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "io/write.h"

#define BLOCK_BYTES ((size_t)1 << 17) /* of text that a thread prints at a time, at most, or one line */
#define BLOCKS ((size_t)256)          /* until all threads wait for what is written */
#define LEAST_BLOCKS ((size_t)16)     /* of them, where lines are long */

typedef struct printing {
    io_print_line print;
    const void *user;
    uint64_t first, count; /* the next lines; all */
    size_t most, lines;    /* bytes of a line; lines of a block */
    char *text;            /* of each block */
    size_t *length;
} printing;

static void print_block(void *user, size_t block) {
    const printing *p = user;
    uint64_t first = p->first + block * p->lines,
             end = first + p->lines < p->count ? first + p->lines : p->count;
    char *out = p->text + block * p->lines * p->most;
    size_t used = 0;
    for (uint64_t line = first; line < end; line++) used += p->print(p->user, line, out + used);
    p->length[block] = used;
}

glshape_status io_write_lines(error *err, FILE *to, uint64_t count, size_t most, io_print_line print,
                              const void *user) {
    OWNED char *text = NULL;
    OWNED size_t *length = NULL;
    if (!count || !most) return GLSHAPE_OK;
    size_t lines = most < BLOCK_BYTES ? BLOCK_BYTES / most : 1, blocks = BLOCKS;
    if (most > BLOCK_BYTES) blocks = BLOCKS * BLOCK_BYTES / most;
    if (blocks < LEAST_BLOCKS) blocks = LEAST_BLOCKS;
    if ((count - 1) / lines < blocks) blocks = (size_t)((count - 1) / lines) + 1;
    if (lines > count) lines = (size_t)count;
    TRY(allocate(err, &text, times(blocks, lines), most, "lines of text"));
    TRY(allocate(err, &length, blocks, sizeof *length, "lines of text"));
    printing p = {print, user, 0, count, most, lines, text, length};
    for (; p.first < count; p.first += blocks * lines) {
        uint64_t left = (count - p.first - 1) / lines + 1;
        if (left < blocks) blocks = (size_t)left;
        threads_run(0, blocks, print_block, &p);
        for (size_t b = 0; b < blocks; b++) fwrite(text + b * lines * most, 1, length[b], to);
    }
    return GLSHAPE_OK;
}
