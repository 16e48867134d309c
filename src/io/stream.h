/* A file or standard input as bytes or as lines, decompressed on the way when it is gzip. Holds one
 * window of the input, never the whole. */
#ifndef GLSHAPE_IO_STREAM_H
#define GLSHAPE_IO_STREAM_H

#include "io/gzip.h"

typedef struct io_stream {
    const char *name; /* what messages call it; points into the caller's path */
    int fd;
    io_gzip *gzip;  /* NULL for plain bytes */
    uint64_t size;  /* of a plain regular file; IO_SIZE_UNKNOWN otherwise */
    uint64_t taken; /* bytes handed out so far */
    uint64_t line;  /* lines handed out so far: the number of the current line, from 1 */
    bool ended;     /* nothing follows the window */
    char end;       /* of lines: \n, or \r; 0: not known yet */
    char *window;   /* bytes read and not handed out: window[at .. at + have) */
    size_t at, have, capacity;
} io_stream;

#define IO_SIZE_UNKNOWN UINT64_MAX

/* Opens path ("-": standard input), which must outlive the stream. GLSHAPE_IO_ERROR with the system's
 * words if it cannot be opened or is a directory; GLSHAPE_BAD_INPUT if it has no bytes. */
glshape_status io_stream_open(error *err, const char *path, io_stream *out);
/* The same of a file that may have no bytes. */
glshape_status io_stream_open_any(error *err, const char *path, io_stream *out);

/* From here on s gives the decompressed bytes of what follows, which is gzip. Once a stream. */
glshape_status io_stream_inflate(error *err, io_stream *s);

/* Fills the window with so many bytes of what follows, or with all of it if that is less: a pipe may give
 * them in parts. */
glshape_status io_stream_fill(error *err, io_stream *s, size_t bytes);
/* Fills the window with what io_stream_starts() looks at. A stream that was just opened has it. */
glshape_status io_stream_look(error *err, io_stream *s);
/* Returns true if the next bytes are the first count (at most 16) of magic. */
bool io_stream_starts(const io_stream *s, const char *magic, size_t count);

/* Copies up to bytes into to; *got is smaller only at the end. */
glshape_status io_stream_read(error *err, io_stream *s, void *to, size_t bytes, size_t *got);

/* Returns true if s is a plain file with at least so many bytes left. */
bool io_stream_has(const io_stream *s, uint64_t bytes);

/* Appends up to bytes to *data, of which *have are used and *room are allocated (free() it). Where the file
 * may have fewer, as its header may lie, room grows as bytes come. *have grows by less only at the end. */
glshape_status io_stream_append(error *err, io_stream *s, char **data, size_t *have, size_t *room,
                                size_t bytes);

/* The next line without its end (\n, \r\n, or \r in a file without \n), its length in *length and a NUL after
 * it, writable and valid until the next call; *line is NULL at the end. A byte order mark before line 1 is
 * dropped. */
glshape_status io_stream_line(error *err, io_stream *s, char **line, size_t *length);

/* Sets *text to the whole lines that follow, ended by line feeds, *bytes of them: as many as stand in the
 * next `most` bytes, and at least one if the file has one. None: lines end otherwise, or the last has no end.
 * They stay where they are until the next call. */
glshape_status io_stream_lines(error *err, io_stream *s, size_t most, const char **text, size_t *bytes);
/* Hands out so many bytes of them, which are so many lines. */
void io_stream_skip(io_stream *s, size_t bytes, size_t lines);

/* Closes the stream; standard input stays open. Harmless on a zeroed or failed one. */
void io_stream_close(io_stream *s);

#endif
