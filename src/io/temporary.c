#include "io/temporary.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_TRIED = 100 };

/* ---- the watched ones ------------------------------------------------------------------------------- */

/* A handler may read the list at any point of its owner's thread: each change is one store. */
static _Atomic(io_temporary *) first;

void io_temporary_watch(io_temporary *t, const char *name) {
    *t = (io_temporary){first, name};
    first = t;
}

void io_temporary_forget(io_temporary *t) {
    if (first == t) {
        first = t->next;
        return;
    }
    io_temporary *before = first;
    while (before && before->next != t) before = before->next;
    if (before) before->next = t->next;
}

void io_temporary_remove_all(void) {
    for (const io_temporary *t = first; t; t = t->next) unlink(t->name);
}

/* ---- what was left ---------------------------------------------------------------------------------- */

static const char *skip_digits(const char *at) {
    while (isdigit((unsigned char)*at)) at++;
    return at;
}

/* Whether name is BASE.PID-N.tmp. */
static bool is_of(const char *name, const char *base) {
    size_t length = strlen(base);
    if (strncmp(name, base, length) || name[length] != '.') return false;
    const char *pid = name + length + 1, *dash = skip_digits(pid);
    if (dash == pid || *dash != '-') return false;
    const char *end = skip_digits(dash + 1);
    return end != dash + 1 && !strcmp(end, ".tmp");
}

/* The lock ends with the process that had it, however that ends. */
static void remove_left(int folder, const char *name) {
    struct stat info;
    int fd = openat(folder, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return;
    if (!fstat(fd, &info) && S_ISREG(info.st_mode) && !flock(fd, LOCK_EX | LOCK_NB))
        unlinkat(folder, name, 0);
    close(fd);
}

static bool is_temporary(const char *name) {
    size_t length = strlen(name);
    return length > 4 && !strcmp(name + length - 4, ".tmp");
}

/* A folder that had no temporary file when it was read is not read again for the next file: a run that makes
 * many files would take time that grows with the square of their number. */
static void clean(const char *path) {
    static char clean_folder[PATH_MAX];
    char folder[PATH_MAX] = ".";
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    bool any = false;
    if (slash) snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path);
    if (!strcmp(folder, clean_folder)) return;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        any = any || is_temporary(entry->d_name);
        if (is_of(entry->d_name, base)) remove_left(dirfd(dir), entry->d_name);
    }
    if (dir) closedir(dir);
    strcpy(clean_folder, any ? "" : folder);
}

/* ---- making ----------------------------------------------------------------------------------------- */

/* Locks the new file; false if another run has taken it for one that was left, and removed it. */
static bool lock(int fd) {
    struct stat info;
    (void)!flock(fd, LOCK_EX); /* where there are no locks, nobody removes */
    return fstat(fd, &info) || info.st_nlink;
}

int io_temporary_make(io_temporary *t, const char *path, char *name) {
    clean(path);
    io_temporary_watch(t, name);
    for (int i = 0; i < NAMES_TRIED; i++) {
        snprintf(name, strlen(path) + IO_TEMPORARY_ROOM, "%s.%ld-%d.tmp", path, (long)getpid(), i);
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 && lock(fd)) return fd;
        if (fd >= 0) close(fd);
        else if (errno != EEXIST) break;
    }
    int why = errno;
    io_temporary_forget(t);
    errno = why;
    return -1;
}
