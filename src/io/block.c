#include "io/block.h"

#include <stdatomic.h>
#include <string.h>

#include "base/threads.h"

/* Bytes of a part at least, of the parts of a thread, and of a block at most. */
enum { PART = 1 << 17, THREAD = 1 << 20, MOST = 1 << 25 };

static size_t count_lines(const char *text, size_t bytes) {
    size_t lines = 0;
    const char *end = text + bytes;
    for (; text < end; lines++) text = (const char *)memchr(text, '\n', (size_t)(end - text)) + 1;
    return lines;
}

static void count_part(void *user, size_t part) {
    io_block *b = user;
    b->first[part + 1] = count_lines(b->text + b->start[part], b->start[part + 1] - b->start[part]);
}

/* Parts of about the same length; each ends with a line. */
static void divide(io_block *b, size_t bytes) {
    b->parts = bytes / PART ? bytes / PART : 1;
    if (b->parts > IO_BLOCK_PARTS) b->parts = IO_BLOCK_PARTS;
    b->start[0] = 0;
    for (size_t p = 1; p < b->parts; p++) {
        size_t at = bytes / b->parts * p, before = b->start[p - 1];
        if (at < before) at = before;
        const char *end = memchr(b->text + at, '\n', bytes - at);
        b->start[p] = end ? (size_t)(end + 1 - b->text) : bytes;
    }
    b->start[b->parts] = bytes;
}

glshape_status io_block_next(error *err, io_block *b) {
    size_t wanted = (size_t)THREAD * (size_t)threads_count(0), bytes;
    b->lines = 0;
    if (b->s->line < b->resume) return GLSHAPE_OK;
    TRY(io_stream_lines(err, b->s, wanted < MOST ? wanted : MOST, &b->text, &bytes));
    if (!bytes) return GLSHAPE_OK;
    divide(b, bytes);
    threads_run(0, b->parts, count_part, b);
    b->first[0] = 0;
    for (size_t p = 0; p < b->parts; p++) b->first[p + 1] += b->first[p];
    b->lines = b->first[b->parts];
    return GLSHAPE_OK;
}

typedef struct reading {
    io_block *b;
    io_block_line read;
    void *user;
    size_t most;
    atomic_size_t odd;           /* the first part that has a line that is not plain */
    size_t line[IO_BLOCK_PARTS]; /* that line, or where the part ends */
    size_t at[IO_BLOCK_PARTS];   /* and where it begins */
} reading;

static void read_part(void *user, size_t part) {
    reading *r = user;
    const io_block *b = r->b;
    const char *text = b->text + b->start[part], *end = b->text + b->start[part + 1];
    size_t line = b->first[part];
    while (text < end && atomic_load_explicit(&r->odd, memory_order_relaxed) >= part) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)(stop - text);
        if (line >= r->most ||
            !r->read(r->user, line, text, length && stop[-1] == '\r' ? length - 1 : length)) {
            size_t odd = atomic_load(&r->odd);
            while (part < odd && !atomic_compare_exchange_weak(&r->odd, &odd, part)) continue;
            break;
        }
        text = stop + 1;
        line++;
    }
    r->line[part] = line;
    r->at[part] = (size_t)(text - b->text);
}

size_t io_block_read(io_block *b, size_t most, io_block_line read, void *user) {
    reading r = {.b = b, .read = read, .user = user, .most = most};
    atomic_store(&r.odd, b->parts);
    threads_run(0, b->parts, read_part, &r);
    size_t odd = atomic_load(&r.odd), last = odd < b->parts ? odd : b->parts - 1, taken = r.line[last];
    io_stream_skip(b->s, r.at[last], taken);
    if (taken < b->lines) b->resume = b->s->line + (b->lines - taken);
    return taken;
}
