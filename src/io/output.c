#define _XOPEN_SOURCE 700 /* realpath, open_memstream */

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "io/write.h"

enum { SYNCS = 64 }; /* at a time: they wait for the disk, which does many in the time of a few */

int io_output_descriptor(const char *path) {
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout")) return STDOUT_FILENO;
    if (!strcmp(path, "/dev/stderr")) return STDERR_FILENO;
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(folders[i]);
        char *end;
        if (strncmp(path, folders[i], length)) continue;
        long number = strtol(path + length, &end, 10);
        if (isdigit((unsigned char)path[length]) && !*end && number <= INT_MAX) return (int)number;
    }
    return -1;
}

static bool is_standard(const char *path) { return io_output_descriptor(path) == STDOUT_FILENO; }

static const char *shown(const io_output *out) { return out->path ? out->path : "standard output"; }

static glshape_status cannot(error *err, const char *path, int number) {
    return fail(err, GLSHAPE_IO_ERROR, "cannot write %s: %s", path, strerror(number ? number : EIO));
}

/* Whether path exists and is to be written in place: a rename would replace what /proc leads to. */
static bool is_direct(const char *path) {
    struct stat info;
    return !stat(path, &info) && (!S_ISREG(info.st_mode) || !strncmp(path, "/proc/", 6));
}

/* ---- before the work -------------------------------------------------------------------------------- */

/* Whether the folder of path is there and can be written to. */
static glshape_status check_folder(error *err, const char *path) {
    OWNED char *folder = NULL; /* up to the last slash */
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 1;
    struct stat info;
    TRY(allocate(err, &folder, length + 1, 1, path));
    memcpy(folder, slash ? path : ".", length);
    bool there = !stat(folder, &info);
    if (there && !S_ISDIR(info.st_mode))
        return fail(err, GLSHAPE_IO_ERROR, "cannot write %s: %s is not a folder", path, folder);
    if (there && !access(folder, W_OK | X_OK)) return GLSHAPE_OK;
    return fail(err, GLSHAPE_IO_ERROR, "cannot write %s: folder %s: %s", path, folder, strerror(errno));
}

/* Sets *out to a copy of path, or to what it leads to if it is a link to something. */
static glshape_status resolve(error *err, const char *path, char **out) {
    struct stat info;
    *out = NULL;
    if (io_output_descriptor(path) < 0 && !is_direct(path) && !lstat(path, &info) && S_ISLNK(info.st_mode))
        *out = realpath(path, NULL);
    if (*out) return GLSHAPE_OK;
    TRY(allocate(err, out, strlen(path) + 1, 1, path));
    strcpy(*out, path);
    return GLSHAPE_OK;
}

glshape_status io_output_check(error *err, const char *path) {
    OWNED char *place = NULL;
    struct stat info;
    int fd = io_output_descriptor(path);
    if (fd == STDOUT_FILENO) return GLSHAPE_OK;
    if (fd >= 0) return fcntl(fd, F_GETFD) < 0 ? cannot(err, path, errno) : GLSHAPE_OK;
    TRY(resolve(err, path, &place));
    bool there = !stat(place, &info);
    size_t length = strlen(place);
    if (length == 0) return fail(err, GLSHAPE_IO_ERROR, "cannot write a file without a name");
    if (there ? S_ISDIR(info.st_mode) : place[length - 1] == '/')
        return fail(err, GLSHAPE_IO_ERROR, "cannot write %s: it is a folder, not a file", place);
    if (there && access(place, W_OK)) return cannot(err, place, errno);
    return is_direct(place) ? GLSHAPE_OK : check_folder(err, place);
}

/* ---- open ------------------------------------------------------------------------------------------- */

/* Forgets the temporary file, which is gone or in place. */
static void forget_temporary(io_output *out) {
    if (!out->temporary) return;
    io_temporary_forget(&out->watched);
    if (out->lock >= 0) close(out->lock);
    free(out->temporary);
    out->temporary = NULL;
}

static int open_descriptor(error *err, io_output *out) {
    int named = io_output_descriptor(out->path);
    if (named >= 0) return fcntl(named, F_DUPFD_CLOEXEC, 0); /* its place in the file is kept, too */
    if (is_direct(out->path)) return open(out->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    OWNED char *name = NULL;
    size_t room = strlen(out->path) + IO_TEMPORARY_ROOM;
    if (allocate(err, &name, room, 1, out->path) != GLSHAPE_OK) {
        errno = ENOMEM;
        return -1;
    }
    int fd = io_temporary_make(&out->watched, out->path, name);
    if (fd < 0) return -1;
    struct stat old;
    if (!stat(out->path, &old)) (void)!fchmod(fd, old.st_mode & 0777);
    out->temporary = MOVE(name);
    out->lock = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return fd;
}

static _Thread_local io_held **holding; /* where this thread's outputs are held; NULL: nowhere */

glshape_status io_output_open(error *err, const char *path, io_output *out) {
    *out = (io_output){.stream = NULL};
    if (is_standard(path)) {
        out->stream = stdout;
        return GLSHAPE_OK;
    }
    TRY(io_output_check(err, path));
    TRY(resolve(err, path, &out->path));
    int fd = holding ? -1 : open_descriptor(err, out);
    if (holding) out->stream = open_memstream(&out->text, &out->length);
    else if (fd >= 0) out->stream = fdopen(fd, "wb");
    if (out->stream) return GLSHAPE_OK;
    glshape_status status = cannot(err, out->path, errno);
    if (fd >= 0) close(fd);
    io_output_abort(out);
    return status;
}

FILE *io_output_stream(const io_output *out) { return out->stream; }

/* ---- end -------------------------------------------------------------------------------------------- */

/* Closes the stream, unless it is standard output; false with errno if that fails. */
static bool close_stream(io_output *out) {
    FILE *stream = out->stream;
    out->stream = NULL;
    return !stream || stream == stdout || !fclose(stream);
}

/* Writes out what is buffered; to the disk if a rename follows, which must not reach it before the data.
 * False with errno if that fails or has failed before. */
static bool flush(const io_output *out) {
    int before = errno;
    bool failed = ferror(out->stream);
    errno = 0;
    if (fflush(out->stream)) return false;
    if (failed) {
        errno = before;
        return false;
    }
    return !out->temporary || !fsync(fileno(out->stream));
}

/* Moves what *out has written to the end of the list that holds outputs. */
static glshape_status hold(error *err, io_output *out) {
    io_held **at = holding;
    while (*at) at = &(*at)->next;
    TRY(allocate(err, at, 1, sizeof **at, out->path));
    **at = (io_held){.path = MOVE(out->path), .text = MOVE(out->text), .length = out->length};
    return GLSHAPE_OK;
}

static glshape_status finish(error *err, io_output *out) {
    bool held = holding && out->stream != stdout;
    if (!flush(out)) return cannot(err, shown(out), errno);
    if (!close_stream(out)) return cannot(err, shown(out), errno);
    if (held) return hold(err, out);
    if (!out->temporary) return GLSHAPE_OK;
    if (rename(out->temporary, out->path)) return cannot(err, out->path, errno);
    forget_temporary(out);
    return GLSHAPE_OK;
}

glshape_status io_output_commit(error *err, io_output *out) {
    glshape_status status = finish(err, out);
    io_output_abort(out);
    return status;
}

glshape_status io_output_end(error *err, io_output *out, glshape_status status) {
    if (!status) return io_output_commit(err, out);
    io_output_abort(out);
    return status;
}

void io_output_abort(io_output *out) {
    (void)close_stream(out);
    if (out->temporary) unlink(out->temporary);
    forget_temporary(out);
    free(out->path);
    free(out->text);
    *out = (io_output){.stream = NULL};
}

/* ---- many ------------------------------------------------------------------------------------------- */

void io_outputs_hold(io_held **list) { holding = list; }

void io_held_free(io_held *list) {
    for (io_held *next; list; list = next) {
        next = list->next;
        free(list->path);
        free(list->text);
        free(list);
    }
}

static bool write_all(int fd, const char *text, size_t length) {
    for (size_t done = 0; done < length;) {
        ssize_t some = write(fd, text + done, length - done);
        if (some < 0 && errno != EINTR) return false;
        if (some > 0) done += (size_t)some;
    }
    return true;
}

glshape_status io_outputs_write(error *err, io_outputs *list, const io_held *held) {
    io_output *out = &list->list[list->count].out;
    *out = (io_output){.stream = NULL};
    TRY(allocate(err, &out->path, strlen(held->path) + 1, 1, held->path));
    strcpy(out->path, held->path);
    int fd = open_descriptor(err, out);
    bool written = fd >= 0 && write_all(fd, held->text, held->length);
    int why = errno;
    if (fd >= 0 && close(fd) && written) written = false, why = errno;
    if (written && out->temporary) list->count++;
    if (written && out->temporary) return GLSHAPE_OK;
    glshape_status status = written ? GLSHAPE_OK : cannot(err, out->path, why);
    io_output_abort(out);
    return status;
}

/* Puts a file in place that is on the disk. The file that it replaces is held open meanwhile. Else the system
 * would free that one within the rename, for up to milliseconds, while nothing else in the folder can be
 * renamed or made. */
static void place_one(void *list, size_t k) {
    io_outputs *l = list;
    const io_output *out = &l->list[k].out;
    int old = open(out->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    l->list[k].why = fsync(out->lock) || rename(out->temporary, out->path) ? errno : 0;
    if (old >= 0) close(old);
}

void io_outputs_place(io_outputs *list) { threads_run(SYNCS, list->count, place_one, list); }

size_t io_outputs_end(error *err, io_outputs *list) {
    size_t failed = 0;
    for (size_t k = 0; k < list->count; k++) {
        io_output *out = &list->list[k].out;
        int why = list->list[k].why;
        if (why && !failed++) cannot(err, out->path, why);
        if (!why) forget_temporary(out);
        io_output_abort(out);
    }
    list->count = 0;
    return failed;
}
