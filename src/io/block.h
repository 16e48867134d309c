/* Many lines at once, read by all processors: for files of which most lines are plain. A reader of lines
 * takes blocks first and every other line by io_stream_line(), which also refuses what is wrong. Inside
 * src/io. */
#ifndef GLSHAPE_IO_BLOCK_H
#define GLSHAPE_IO_BLOCK_H

#include "io/stream.h"

enum { IO_BLOCK_PARTS = 512 };

/* Reads line[0 .. length), the line of that index in the block. False: the line is not plain. line[length] is
 * the line's end. Called by several threads, for lines in any order. */
typedef bool (*io_block_line)(void *user, size_t index, const char *line, size_t length);

typedef struct io_block {
    io_stream *s;    /* to be set; the rest begins as zero */
    size_t lines;    /* of the block */
    uint64_t resume; /* lines up to this number are read one by one, because one among them was not plain */
    const char *text;
    size_t parts;
    size_t start[IO_BLOCK_PARTS + 1], first[IO_BLOCK_PARTS + 1]; /* bytes and lines before each part */
} io_block;

/* Makes the lines that follow the block. It may have none; then the next line is to be read by
 * io_stream_line(). */
glshape_status io_block_next(error *err, io_block *b);

/* Has threads read the first `most` lines, and takes those before the first that is not plain from the
 * stream. Returns how many; of the others, some have been read, too. */
size_t io_block_read(io_block *b, size_t most, io_block_line read, void *user);

#endif
