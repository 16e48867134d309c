#include "io/place.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool look_up(io_place p, struct stat *info) {
    return strcmp(p.path, "-") ? !stat(p.path, info) : !fstat(p.standard, info);
}

static bool is_same(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The last part of path; *folder: what it lies in. */
static const char *split(const char *path, struct stat *folder) {
    char text[PATH_MAX] = ".";
    const char *slash = strrchr(path, '/');
    if (slash) snprintf(text, sizeof text, "%.*s", (int)(slash - path) + 1, path);
    return stat(text, folder) ? NULL : slash ? slash + 1 : path;
}

bool io_same_file(io_place a, io_place b) {
    struct stat at, bt;
    bool has_a = look_up(a, &at), has_b = look_up(b, &bt);
    if (has_a && has_b) return S_ISREG(at.st_mode) && is_same(&at, &bt);
    if (has_a || has_b) return false;
    const char *last_a = split(a.path, &at), *last_b = split(b.path, &bt);
    return last_a && last_b && is_same(&at, &bt) && !strcmp(last_a, last_b);
}
