#include "files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

enum { PATHS = 16, PATH_ROOM = 512 };

static char folder[PATH_ROOM / 2];
static int standard_input = -1;

static void make_folder(void) {
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/glshape-io-XXXXXX", base ? base : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

/* Calls visit with the path of each file in the folder; returns their number. */
static size_t each_file(int (*visit)(const char *path)) {
    size_t count = 0;
    DIR *dir = opendir(folder);
    ck_assert_ptr_nonnull(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        if (visit) visit(files_path(entry->d_name));
        count++;
    }
    closedir(dir);
    return count;
}

static void remove_folder(void) {
    standard_input_restore();
    each_file(remove);
    rmdir(folder);
}

TCase *files_case(const char *name) {
    TCase *tests = tcase_create(name);
    tcase_add_checked_fixture(tests, make_folder, remove_folder);
    tcase_set_timeout(tests, 120);
    return tests;
}

const char *files_path(const char *name) {
    static char paths[PATHS][PATH_ROOM];
    static unsigned next;
    char *path = paths[next++ % PATHS];
    IO_HOLDS(*folder, "%s has no folder: its test is not of a files_case()", name);
    snprintf(path, PATH_ROOM, "%s/%s", folder, name);
    return path;
}

const char *files_make(const char *name, const void *bytes, size_t count) {
    const char *path = files_path(name);
    remove(path); /* file systems write out a file that is truncated and written again at once */
    FILE *file = fopen(path, "wb");
    IO_HOLDS(file && fwrite(bytes, 1, count, file) == count && !fclose(file), "%s cannot be made", path);
    return path;
}

const char *files_make_gzip(const char *name, const void *bytes, size_t count) {
    const char *path = files_path(name);
    gzFile file = gzopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(gzwrite(file, bytes, (unsigned)count), (int)count);
    ck_assert_int_eq(gzclose(file), Z_OK);
    return path;
}

char *files_load(const char *path, size_t *count) {
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s cannot be opened: run the tests from the top folder", path);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    *count = (size_t)ftell(file);
    rewind(file);
    char *bytes = calloc(*count + 1, 1);
    ck_assert_uint_eq(fread(bytes, 1, *count, file), *count);
    fclose(file);
    return bytes;
}

size_t files_count(void) { return each_file(NULL); }

void standard_input_from(const char *path) {
    if (standard_input < 0) standard_input = dup(STDIN_FILENO);
    int fd = open(path, O_RDONLY);
    ck_assert_int_ge(fd, 0);
    dup2(fd, STDIN_FILENO);
    close(fd);
}

void standard_input_restore(void) {
    if (standard_input < 0) return;
    dup2(standard_input, STDIN_FILENO);
    close(standard_input);
    standard_input = -1;
}
