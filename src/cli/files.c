#include "cli/files.h"

#include <string.h>

#include "cli/picture.h"
#include "io/place.h"
#include "io/write.h"

enum { MOST_FILES = 32 };

typedef struct file {
    const char *option;
    option_kind kind;
    io_place at;
} file;

static bool is_output(option_kind kind) {
    return kind == OPTION_OUTPUT || kind == OPTION_MATRIX || kind == OPTION_PICTURE;
}

/* Lists the files that the options name, in the order of the tables; returns how many. */
static int list_files(const option_row *const *tables, const char *input, file out[MOST_FILES]) {
    int count = 0;
    if (input) out[count++] = (file){"INPUT", OPTION_INPUT, {input, 0}};
    for (; *tables; tables++)
        for (const option_row *row = *tables; row->help; row++) {
            if (!*row->help || (row->kind != OPTION_INPUT && !is_output(row->kind))) continue;
            const char *path = *(const char **)row->value, *name = row->letter ? row->letter : row->name;
            if (path && count < MOST_FILES)
                out[count++] = (file){name, row->kind, {path, is_output(row->kind)}};
        }
    return count;
}

static glshape_status check_file(error *err, const file *f) {
    if (!is_output(f->kind)) return GLSHAPE_OK;
    if (f->kind == OPTION_MATRIX) TRY(io_output_format_check(err, f->at.path));
    if (f->kind == OPTION_PICTURE) TRY(picture_check(err, f->at.path));
    return io_output_check(err, f->at.path);
}

static bool is_standard(const file *f) {
    return is_output(f->kind) ? io_output_descriptor(f->at.path) == 1 : !strcmp(f->at.path, "-");
}

static glshape_status check_pair(error *err, const file *a, const file *b) {
    bool writes_a = is_output(a->kind), writes_b = is_output(b->kind);
    if (is_standard(a) && is_standard(b) && writes_a == writes_b)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "%s and %s cannot both be standard %s", b->option, a->option,
                    writes_a ? "output" : "input");
    if (!(writes_a || writes_b) || !io_same_file(a->at, b->at)) return GLSHAPE_OK;
    const file *written = writes_b ? b : a, *other = writes_b ? a : b;
    return fail(err, GLSHAPE_BAD_ARGUMENT,
                "%s %s is the same file as %s%s%s: give each output a name of its own", written->option,
                written->at.path, other->option, strcmp(written->at.path, other->at.path) ? ", " : "",
                strcmp(written->at.path, other->at.path) ? other->at.path : "");
}

glshape_status files_check(error *err, const option_row *const *tables, const char *input) {
    file files[MOST_FILES];
    int count = list_files(tables, input, files);
    for (int i = 0; i < count; i++) {
        TRY(check_file(err, &files[i]));
        for (int k = 0; k < i; k++) TRY(check_pair(err, &files[k], &files[i]));
    }
    return GLSHAPE_OK;
}

bool files_take_stdout(const option_row *const *tables) {
    file files[MOST_FILES];
    int count = list_files(tables, NULL, files), taken = 0;
    for (int i = 0; i < count; i++) taken += is_output(files[i].kind) && is_standard(&files[i]);
    return taken > 0;
}
