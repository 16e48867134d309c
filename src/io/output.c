#define _XOPEN_SOURCE 700 /* realpath */

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

enum { SYNCS = 8 }; /* at a time: they wait for the disk, not for a processor */

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
    if (allocate(err, &name, room, 1, out->path) != GLSHAPE_OK) return errno = ENOMEM, -1;
    int fd = io_temporary_make(&out->watched, out->path, name);
    if (fd < 0) return -1;
    struct stat old;
    if (!stat(out->path, &old)) (void)!fchmod(fd, old.st_mode & 0777);
    out->temporary = MOVE(name);
    out->lock = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return fd;
}

glshape_status io_output_open(error *err, const char *path, io_output *out) {
    *out = (io_output){.stream = NULL};
    if (is_standard(path)) return out->stream = stdout, GLSHAPE_OK;
    TRY(io_output_check(err, path));
    TRY(resolve(err, path, &out->path));
    int fd = open_descriptor(err, out);
    if (fd >= 0) out->stream = fdopen(fd, "wb");
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
static bool flush(const io_output *out, bool to_disk) {
    int before = errno;
    bool failed = ferror(out->stream);
    errno = 0;
    if (fflush(out->stream)) return false;
    if (failed) return errno = before, false;
    return !to_disk || !out->temporary || !fsync(fileno(out->stream));
}

static io_outputs *gathered;

/* Moves *out into the list that gathers outputs. */
static void gather(io_output *out) {
    io_output *to = &gathered->list[gathered->count].out;
    *to = *out;
    io_temporary_watch(&to->watched, to->temporary);
    io_temporary_forget(&out->watched);
    out->temporary = out->path = NULL;
    gathered->count++;
}

static glshape_status finish(error *err, io_output *out) {
    bool later = gathered && gathered->count < IO_OUTPUTS && out->temporary && out->lock >= 0;
    if (!flush(out, !later)) return cannot(err, shown(out), errno);
    if (!close_stream(out)) return cannot(err, shown(out), errno);
    if (later) return gather(out), GLSHAPE_OK;
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

void io_outputs_gather(io_outputs *list) { gathered = list; }

static void sync_one(void *list, size_t k) {
    io_outputs *l = list;
    l->list[k].why = fsync(l->list[k].out.lock) ? errno : 0;
}

size_t io_outputs_commit(error *err, io_outputs *list) {
    size_t failed = 0;
    threads_run(SYNCS, list->count, sync_one, list);
    for (size_t k = 0; k < list->count; k++) {
        io_output *out = &list->list[k].out;
        int why = list->list[k].why;
        if (!why && rename(out->temporary, out->path)) why = errno;
        if (why && !failed++) cannot(err, out->path, why);
        if (!why) forget_temporary(out);
        io_output_abort(out);
    }
    list->count = 0;
    return failed;
}

void io_output_abort(io_output *out) {
    (void)close_stream(out);
    if (out->temporary) unlink(out->temporary);
    forget_temporary(out);
    free(out->path);
    *out = (io_output){.stream = NULL};
}
