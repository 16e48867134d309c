#include "io/write.h"

#include <string.h>
#include <strings.h>

#include "io/value.h"

enum { NPY_ALIGNMENT = 64, NPY_PREAMBLE = 10, NPY_ROOM = 256 };

#define CODE(type, ctype, code) [type] = code,
static const char *const codes[] = {GLSHAPE_TYPES(CODE)};
#undef CODE
#define SIZE(type, ctype, code) [type] = sizeof(ctype),
static const size_t sizes[] = {GLSHAPE_TYPES(SIZE)};
#undef SIZE

/* ---- .npy ------------------------------------------------------------------------------------------- */

/* '|' where a value is one byte, else the byte order of this machine. */
static char order_of(glshape_type type) {
    uint16_t one = 1;
    unsigned char low;
    memcpy(&low, &one, 1);
    return sizes[type] == 1 ? '|' : low ? '<' : '>';
}

/* The header as NumPy writes it: padded with spaces so that the data start at a multiple of 64. */
static void write_npy(FILE *file, const glshape_matrix *m) {
    char text[NPY_ROOM];
    int length =
        snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': False, 'shape': (%zu, %zu), }",
                 order_of(m->type), codes[m->type], m->rows, m->cols);
    int used = NPY_PREAMBLE + length + 1;
    int padding = (NPY_ALIGNMENT - used % NPY_ALIGNMENT) % NPY_ALIGNMENT, rest = length + padding + 1;
    fwrite("\x93NUMPY\x01\x00", 1, 8, file);
    fputc(rest & 255, file);
    fputc(rest >> 8, file);
    fprintf(file, "%s%*s\n", text, padding, "");
    fwrite(m->data, sizes[m->type], m->rows * m->cols, file);
}

/* ---- text ------------------------------------------------------------------------------------------- */

static void write_text(FILE *file, const glshape_matrix *m, char delimiter) {
    char text[IO_NUMBER_ROOM + 1];
    for (size_t row = 0; row < m->rows; row++) {
        for (size_t col = 0; col < m->cols; col++) {
            size_t length = io_value_print(text, m, row * m->cols + col);
            text[length++] = col + 1 < m->cols ? delimiter : '\n';
            fwrite(text, 1, length, file);
        }
    }
}

static void write_csv(FILE *file, const glshape_matrix *m) { write_text(file, m, ','); }
static void write_tsv(FILE *file, const glshape_matrix *m) { write_text(file, m, '\t'); }
static void write_txt(FILE *file, const glshape_matrix *m) { write_text(file, m, ' '); }

/* ---- choice ----------------------------------------------------------------------------------------- */

typedef void (*writer)(FILE *file, const glshape_matrix *m);

/* The writer for the extension of path; NULL if there is none. */
static writer writer_of(const char *path) {
    static const struct {
        const char *extension;
        writer write;
    } writers[] = {{".npy", write_npy}, {".csv", write_csv}, {".tsv", write_tsv}, {".txt", write_txt}};
    if (!strcmp(path, "-")) return write_csv;
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    for (size_t i = 0; dot && i < sizeof writers / sizeof *writers; i++) {
        if (!strcasecmp(dot, writers[i].extension)) return writers[i].write;
    }
    return NULL;
}

glshape_status io_output_format_check(error *err, const char *path) {
    if (writer_of(path)) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT,
                "cannot tell the format of %s from its extension: name it .npy, .csv, .tsv or .txt", path);
}

glshape_status io_write_matrix(error *err, const char *path, const glshape_matrix *m) {
    io_output out;
    TRY(io_output_format_check(err, path));
    TRY(io_output_open(err, path, &out));
    writer_of(path)(io_output_stream(&out), m);
    return io_output_commit(err, &out);
}
