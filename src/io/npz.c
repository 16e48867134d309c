/* Zip's format: PKWARE, APPNOTE.TXT 6.3.3, sections 4.3 and 4.5.3. Every size and offset is in a ZIP64 field,
 * so that there is one way only, which small files take, too. */
#include "io/npz.h"

#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "base/matrix.h"
#include "io/npy.h"
#include "io/write.h"

enum { NAME_ROOM = 64, MOST_ARRAYS = 16, VERSION = 45, ZIP64 = 1, DATE = 1 << 5 | 1 /* 1 January 1980 */ };
#define IN_ZIP64 0xffffffffu

/* A file of the zip. */
typedef struct entry {
    char name[NAME_ROOM], header[IO_NPY_HEADER];
    size_t header_bytes, data_bytes;
    const void *data;
    uint32_t check;
    uint64_t bytes, offset;
} entry;

/* Writes numbers, the low byte first, and counts the bytes. */
typedef struct writer {
    FILE *file;
    uint64_t at;
} writer;

static void put(writer *w, const void *data, size_t bytes) {
    fwrite(data, 1, bytes, w->file);
    w->at += bytes;
}

static void put_number(writer *w, uint64_t x, int bytes) {
    unsigned char b[8];
    for (int i = 0; i < bytes; i++) b[i] = (unsigned char)(x >> 8 * i);
    put(w, b, (size_t)bytes);
}

static void put_numbers(writer *w, const uint64_t (*list)[2]) {
    for (; (*list)[1]; list++) put_number(w, (*list)[0], (int)(*list)[1]);
}

static void make_entry(const io_npz_array *a, entry *e) {
    char descr[32];
    size_t count = 1;
    for (int d = 0; d < a->dims; d++) count *= a->shape[d];
    if (a->text) snprintf(descr, sizeof descr, "|S%zu", strlen(a->text));
    else io_npy_descr(descr, a->type);
    snprintf(e->name, sizeof e->name, "%s.npy", a->name);
    e->header_bytes = io_npy_print_header(e->header, descr, a->text ? 0 : a->dims, a->shape);
    e->data = a->text ? a->text : a->data;
    e->data_bytes = a->text ? strlen(a->text) : count * matrix_value_size(a->type);
    e->bytes = e->header_bytes + e->data_bytes;
    e->check = (uint32_t)crc32_z(0, (const unsigned char *)e->header, e->header_bytes);
    if (e->data_bytes) e->check = (uint32_t)crc32_z(e->check, e->data, e->data_bytes);
}

/* What the local header and the central one have in common: version, flags, method, time, date, CRC, sizes.
 */
static void put_properties(writer *w, const entry *e, int extra) {
    const uint64_t fields[][2] = {{VERSION, 2},
                                  {0, 2},
                                  {0, 2},
                                  {0, 2},
                                  {DATE, 2},
                                  {e->check, 4},
                                  {IN_ZIP64, 4},
                                  {IN_ZIP64, 4},
                                  {strlen(e->name), 2},
                                  {(uint64_t)extra, 2},
                                  {0, 0}};
    put_numbers(w, fields);
}

static void put_file(writer *w, entry *e) {
    const uint64_t sizes[][2] = {{ZIP64, 2}, {16, 2}, {e->bytes, 8}, {e->bytes, 8}, {0, 0}};
    e->offset = w->at;
    put(w, "PK\3\4", 4);
    put_properties(w, e, 20);
    put(w, e->name, strlen(e->name));
    put_numbers(w, sizes);
    put(w, e->header, e->header_bytes);
    put(w, e->data, e->data_bytes);
}

static void put_central(writer *w, const entry *e) {
    const uint64_t rest[][2] = {{0, 2}, {0, 2}, {0, 2}, {0, 4}, {IN_ZIP64, 4}, {0, 0}},
                   sizes[][2] = {{ZIP64, 2}, {24, 2}, {e->bytes, 8}, {e->bytes, 8}, {e->offset, 8}, {0, 0}};
    put(w, "PK\1\2", 4);
    put_number(w, VERSION, 2);
    put_properties(w, e, 28);
    put_numbers(w, rest);
    put(w, e->name, strlen(e->name));
    put_numbers(w, sizes);
}

static void put_end(writer *w, int count, uint64_t central) {
    uint64_t end = w->at, n = (uint64_t)count, bytes = end - central;
    const uint64_t end64[][2] = {{44, 8}, {VERSION, 2}, {VERSION, 2}, {0, 4},       {0, 4},
                                 {n, 8},  {n, 8},       {bytes, 8},   {central, 8}, {0, 0}},
                   locator[][2] = {{0, 4}, {end, 8}, {1, 4}, {0, 0}},
                   last[][2] = {{0xffff, 2},   {0xffff, 2},   {0xffff, 2}, {0xffff, 2},
                                {IN_ZIP64, 4}, {IN_ZIP64, 4}, {0, 2},      {0, 0}};
    put(w, "PK\6\6", 4);
    put_numbers(w, end64);
    put(w, "PK\6\7", 4);
    put_numbers(w, locator);
    put(w, "PK\5\6", 4);
    put_numbers(w, last);
}

glshape_status io_write_npz(error *err, const char *path, const io_npz_array *arrays, int count) {
    entry entries[MOST_ARRAYS];
    io_output out;
    TRY(io_output_open(err, path, &out));
    writer w = {io_output_stream(&out), 0};
    for (int i = 0; i < count; i++) {
        make_entry(&arrays[i], &entries[i]);
        put_file(&w, &entries[i]);
    }
    uint64_t central = w.at;
    for (int i = 0; i < count; i++) put_central(&w, &entries[i]);
    put_end(&w, count, central);
    return io_output_commit(err, &out);
}

bool io_is_npz(const char *path) {
    size_t length = strlen(path);
    return length >= 4 && !strcasecmp(path + length - 4, ".npz");
}
