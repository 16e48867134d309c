#include "io/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/owned.h"
#include "io/raw.h"
#include "io/room.h"

enum { WINDOW = 1 << 16, CHUNK = 1 << 22, MAGIC = 16, LONGEST_LINE = 1 << 30 };

static glshape_status pull(error *err, io_stream *s, void *to, size_t room, size_t *got) {
    if (s->gzip) return io_gzip_read(err, s->gzip, to, room, got);
    off_t at = s->size != IO_SIZE_UNKNOWN && room >= IO_RAW_LARGE ? lseek(s->fd, 0, SEEK_CUR) : -1;
    if (at >= 0) {
        TRY(io_raw_read_at(err, s->name, s->fd, (uint64_t)at, to, room, got));
        lseek(s->fd, at + (off_t)*got, SEEK_SET);
        return GLSHAPE_OK;
    }
    return io_raw_read(err, s->name, s->fd, to, room, got);
}

/* Reads at least one more byte into the window, which has room for so many more, or sets s->ended. One byte
 * stays free for a NUL. */
static glshape_status extend_by(error *err, io_stream *s, size_t room) {
    if (s->at) memmove(s->window, s->window + s->at, s->have);
    s->at = 0;
    TRY(io_room_grow(err, s->name, &s->window, &s->capacity, s->have + room + 1, SIZE_MAX, 1));
    size_t got;
    TRY(pull(err, s, s->window + s->have, s->capacity - s->have - 1, &got));
    s->have += got;
    s->ended = got == 0;
    return GLSHAPE_OK;
}

static glshape_status extend(error *err, io_stream *s) { return extend_by(err, s, WINDOW); }

static glshape_status open_file(error *err, const char *path, io_stream *s) {
    bool standard = !strcmp(path, "-");
    s->name = standard ? "standard input" : path;
    s->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    if (s->fd < 0 || fstat(s->fd, &info))
        return fail(err, GLSHAPE_IO_ERROR, "cannot open %s: %s", s->name, strerror(errno));
    if (S_ISDIR(info.st_mode))
        return fail(err, GLSHAPE_IO_ERROR, "cannot read %s: it is a directory, not a file", s->name);
    bool sized = !standard && S_ISREG(info.st_mode) && info.st_size > 0;
    s->size = sized ? (uint64_t)info.st_size : IO_SIZE_UNKNOWN;
    return GLSHAPE_OK;
}

glshape_status io_stream_fill(error *err, io_stream *s, size_t bytes) {
    while (s->have < bytes && !s->ended) TRY(extend(err, s));
    return GLSHAPE_OK;
}

glshape_status io_stream_look(error *err, io_stream *s) { return io_stream_fill(err, s, MAGIC); }

glshape_status io_stream_open_any(error *err, const char *path, io_stream *out) {
    OWNED_BY(io_stream_close) io_stream s = {.fd = -1};
    *out = (io_stream){.fd = -1};
    TRY(open_file(err, path, &s));
    TRY(io_stream_look(err, &s));
    if (io_stream_starts(&s, "\x1f\x8b\x08", 3)) {
        TRY(io_stream_inflate(err, &s));
        TRY(io_stream_look(err, &s));
    }
    *out = MOVE(s);
    return GLSHAPE_OK;
}

glshape_status io_stream_open(error *err, const char *path, io_stream *out) {
    TRY(io_stream_open_any(err, path, out));
    const char *name = out->name;
    if (out->have) return GLSHAPE_OK;
    io_stream_close(out);
    return fail(err, GLSHAPE_BAD_INPUT, "%s is empty", name);
}

glshape_status io_stream_inflate(error *err, io_stream *s) {
    TRY(io_gzip_open(err, s->name, s->fd, s->window + s->at, s->have, &s->gzip));
    s->size = IO_SIZE_UNKNOWN;
    s->at = s->have = 0;
    s->ended = false;
    return GLSHAPE_OK;
}

bool io_stream_starts(const io_stream *s, const char *magic, size_t count) {
    return s->have >= count && !memcmp(s->window + s->at, magic, count);
}

static void take(io_stream *s, size_t count) {
    s->at += count;
    s->have -= count;
    s->taken += count;
}

glshape_status io_stream_read(error *err, io_stream *s, void *to, size_t bytes, size_t *got) {
    *got = s->have < bytes ? s->have : bytes;
    if (*got) memcpy(to, s->window + s->at, *got);
    take(s, *got);
    while (*got < bytes && !s->ended) {
        size_t more;
        TRY(pull(err, s, (char *)to + *got, bytes - *got, &more));
        *got += more;
        s->taken += more;
        s->ended = more == 0;
    }
    return GLSHAPE_OK;
}

/* Lines end with a line feed, or, where the window has none, as in files of old Macintoshes, with a carriage
 * return. */
static void find_line_end(io_stream *s) {
    const char *window = s->window + s->at;
    bool feed = memchr(window, '\n', s->have) != NULL;
    const char *back = memchr(window, '\r', s->have);
    bool last = back && back + 1 == window + s->have && !s->ended; /* its line feed may come */
    s->end = back && !feed && !last ? '\r' : '\n';
}

/* Sets *end to the end of the next line, which the window then holds; NULL at the end of the file. */
static glshape_status find_end(error *err, io_stream *s, char **end) {
    size_t seen = 0;
    for (;;) {
        *end = s->have ? memchr(s->window + s->at + seen, s->end, s->have - seen) : NULL;
        seen = s->have;
        if (*end || s->ended) return GLSHAPE_OK;
        if (seen > LONGEST_LINE)
            return fail(err, GLSHAPE_BAD_INPUT, "%s: line %llu is longer than %d bytes: is it text?", s->name,
                        (unsigned long long)s->line + 1, LONGEST_LINE);
        TRY(extend(err, s));
    }
}

bool io_stream_has(const io_stream *s, uint64_t bytes) {
    return s->size != IO_SIZE_UNKNOWN && s->taken <= s->size && bytes <= s->size - s->taken;
}

glshape_status io_stream_append(error *err, io_stream *s, char **data, size_t *have, size_t *room,
                                size_t bytes) {
    for (size_t got = 1; bytes && got; bytes -= got, *have += got) {
        size_t most = *have > CHUNK ? *have : CHUNK,
               now = bytes < most || io_stream_has(s, bytes) ? bytes : most;
        TRY(io_room_grow(err, s->name, data, room, *have + now, SIZE_MAX, 1));
        TRY(io_stream_read(err, s, *data + *have, now, &got));
    }
    return GLSHAPE_OK;
}

glshape_status io_stream_line(error *err, io_stream *s, char **line, size_t *length) {
    if (!s->line && io_stream_starts(s, "\xef\xbb\xbf", 3)) take(s, 3);
    char *end;
    if (!s->end) find_line_end(s);
    TRY(find_end(err, s, &end));
    *line = s->have ? s->window + s->at : NULL;
    *length = end ? (size_t)(end - *line) : s->have;
    if (!*line) return GLSHAPE_OK;
    take(s, *length + (end != NULL));
    if (*length && (*line)[*length - 1] == '\r') --*length;
    (*line)[*length] = '\0';
    s->line++;
    return GLSHAPE_OK;
}

/* Fills the window with up to `most` bytes. What fails is met again by who comes to the end of the window; a
 * pipe is not waited for while there is a line. */
static void fill(io_stream *s, size_t most) {
    bool pipe = lseek(s->fd, 0, SEEK_CUR) < 0;
    while (s->have < most && !s->ended) {
        bool rest =
            s->size != IO_SIZE_UNKNOWN && !io_stream_has(s, most); /* no room for more than there is */
        size_t left = rest && io_stream_has(s, s->have) ? (size_t)(s->size - s->taken) - s->have : WINDOW,
               room = rest ? left : most - s->have;
        if (pipe && s->have && memchr(s->window + s->at, '\n', s->have)) return;
        if (extend_by(NULL, s, room < WINDOW ? WINDOW : room)) return;
    }
}

glshape_status io_stream_lines(error *err, io_stream *s, size_t most, const char **text, size_t *bytes) {
    char *end;
    *bytes = 0;
    if (!s->end) find_line_end(s);
    if (s->end != '\n') return GLSHAPE_OK;
    fill(s, most);
    TRY(find_end(err, s, &end));
    if (!end) return GLSHAPE_OK;
    *text = s->window + s->at;
    *bytes = s->have < most ? s->have : most;
    while (*bytes && (*text)[*bytes - 1] != '\n') --*bytes;
    if (!*bytes) *bytes = (size_t)(end - *text) + 1;
    return GLSHAPE_OK;
}

void io_stream_skip(io_stream *s, size_t bytes, size_t lines) {
    take(s, bytes);
    s->line += lines;
}

void io_stream_close(io_stream *s) {
    io_gzip_close(s->gzip);
    if (s->fd > STDIN_FILENO) close(s->fd);
    free(s->window);
    *s = (io_stream){.fd = -1};
}
