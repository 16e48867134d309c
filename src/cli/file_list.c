#include "cli/file_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"

static glshape_status add_file(error *err, file_list *out, const char *folder, const char *name) {
    size_t room = strlen(name) + (folder ? strlen(folder) : 0) + 2;
    char *path;
    TRY(memory_reserve(err, &out->at, &out->room, out->count + 1, sizeof *out->at, "the inputs"));
    TRY(allocate(err, &path, room, 1, "an input"));
    out->at[out->count++] = path;
    snprintf(path, room, "%s%s%s", folder ? folder : "", folder ? "/" : "", name);
    return GLSHAPE_OK;
}

static int is_no_dot(const struct dirent *entry) { return *entry->d_name != '.'; }

static glshape_status add_folder(error *err, file_list *out, const char *folder) {
    struct dirent **entries;
    int count = scandir(folder, &entries, is_no_dot, alphasort);
    glshape_status status = GLSHAPE_OK;
    if (count < 0)
        return fail(err, GLSHAPE_IO_ERROR, "cannot read the folder %s: %s", folder, strerror(errno));
    if (!count) status = fail(err, GLSHAPE_BAD_INPUT, "the folder %s has no files", folder);
    for (int k = 0; k < count; k++) {
        if (!status) status = add_file(err, out, folder, entries[k]->d_name);
        free(entries[k]);
    }
    free(entries);
    return status;
}

glshape_status file_list_take(session *s, file_list *out) {
    for (int k = 0; k < s->input_count; k++) {
        struct stat info;
        const char *input = s->inputs[k];
        bool folder = strcmp(input, "-") != 0 && !stat(input, &info) && S_ISDIR(info.st_mode);
        TRY(folder ? add_folder(&s->err, out, input) : add_file(&s->err, out, NULL, input));
    }
    return GLSHAPE_OK;
}

/* A session knows the first of its inputs. */
glshape_status file_list_check(session *s, const file_list *files) {
    const char *input = s->input;
    glshape_status status = GLSHAPE_OK;
    for (size_t k = 0; k < files->count && !status; k++) {
        s->input = files->at[k];
        status = session_check_outputs(s);
    }
    s->input = input;
    return status;
}

glshape_status file_list_name(error *err, const char *path, io_label_list *names) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    return io_label_list_add(err, names, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

void file_list_free(file_list *files) {
    for (size_t k = 0; k < files->count; k++) free(files->at[k]);
    free(files->at);
    *files = (file_list){0};
}
