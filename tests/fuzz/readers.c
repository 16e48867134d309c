/* Fuzzers of the readers: each takes bytes as a file and reads it. What sanitizers do not see is demanded: a
 * failure has a sentence and leaves nothing behind, a success gives values that are what was promised, and
 * the same bytes read twice, or compressed, give the same. FUZZ names the reader; FUZZ_GZIP=1 compresses its
 * input. */
#define _GNU_SOURCE /* memfd_create */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "cloud/cloud.h"
#include "fuzz/fuzz.h"
#include "io/columns.h"
#include "io/distances/distances.h"
#include "io/field/grid.h"
#include "io/graph/graph.h"
#include "io/graph/sparse.h"
#include "io/graph/tsplib.h"
#include "io/labels.h"
#include "io/number.h"
#include "io/read.h"

/* A sum of all that a reader gave: whether it can be read, and whether it is the same again. */
static uint64_t digest(uint64_t seed, const void *data, size_t bytes) {
    uint64_t h = seed ^ 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes; i++) h = (h ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
    return h;
}

static bool is_zero(const void *data, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        if (((const char *)data)[i]) return false;
    return true;
}

/* What every reader keeps to after a failure. How much memory is free, which a message of too little says, is
 * not the same when the file is read again. */
static uint64_t failed(const error *err, glshape_status status, const void *out, size_t bytes) {
    FUZZ_CHECK(err->text[0]);
    FUZZ_CHECK(status != GLSHAPE_CANCELLED && status != GLSHAPE_GPU_ERROR);
    FUZZ_CHECK(is_zero(out, bytes));
    if (status == GLSHAPE_NO_MEMORY) return digest(0, &status, sizeof status);
    return digest(0, err->text, strlen(err->text));
}
#define FAILED(out) failed(&err, status, &(out), sizeof(out))

static const size_t sizes[] = {4, 8, 1, 2, 4, 8, 1, 2, 4, 8}; /* of a glshape_type */

static uint64_t take_matrix(glshape_matrix *m) {
    uint64_t h = digest(m->rows * 31 + m->cols, m->data, m->rows * m->cols * sizes[m->type]);
    error err = {0};
    if (io_check_finite(&err, "file", m)) FUZZ_CHECK(err.text[0]);
    io_matrix_free(m);
    return h;
}

/* ---- readers ----------------------------------------------------------------------------------- */

static uint64_t read_as(const char *path, io_format format) {
    error err = {0};
    glshape_matrix m = {0};
    glshape_status status = io_read_matrix(&err, path, format, &m);
    return status ? FAILED(m) : take_matrix(&m);
}

static uint64_t read_npy(const char *path) { return read_as(path, IO_NPY); }
static uint64_t read_matrix(const char *path) { return read_as(path, IO_AUTO); }
static uint64_t read_csv(const char *path) { return read_as(path, IO_CSV); }
static uint64_t read_text(const char *path) { return read_as(path, IO_TEXT); }

static uint64_t read_columns(const char *path) {
    error err = {0};
    glshape_matrix m = {0};
    char pair[IO_COLUMN_PAIR] = "x,y", advice[IO_COLUMNS_ADVICE] = "--columns 1-2";
    io_columns_guess(path, pair);
    io_columns columns = {.chosen = pair};
    FUZZ_CHECK(!io_columns_check(&err, &columns));
    glshape_status status = io_read_columns(&err, path, &columns, &m, NULL);
    FUZZ_CHECK(status || !io_columns_count(&columns) || m.cols == io_columns_count(&columns));
    uint64_t digest = status ? FAILED(m) : take_matrix(&m);
    io_columns_advise(path, advice);
    bool one = !strncmp(advice, "--index ", strlen("--index "));
    const char *names = strchr(advice, ' ') + 1;
    columns = one ? (io_columns){.left_out = names} : (io_columns){.chosen = names};
    FUZZ_CHECK(!io_columns_check(&err, &columns));
    m = (glshape_matrix){0};
    status = io_read_columns(&err, path, &columns, &m, NULL);
    return digest * 31 + (status ? FAILED(m) : take_matrix(&m));
}

static uint64_t read_cloud(const char *path) {
    error err = {0};
    glshape_matrix m = {0};
    io_stream s = {.fd = -1};
    if (io_stream_open(&err, path, &s)) return 0;
    io_format format = cloud_format_of(&s, path, IO_AUTO);
    if (format == IO_AUTO) format = IO_XYZ;
    glshape_status status = cloud_read(&err, &s, format, &(io_columns){.chosen = NULL}, &m);
    io_stream_close(&s);
    return status ? FAILED(m) : take_matrix(&m);
}

static uint64_t read_tsplib(const char *path) {
    error err = {0};
    glshape_matrix m = {0};
    glshape_status status = io_read_tsplib(&err, path, &m);
    return status ? FAILED(m) : take_matrix(&m);
}

static uint64_t read_labels(const char *path) {
    error err = {0};
    io_labels l = {0};
    glshape_status status = io_read_labels(&err, path, 0, &l);
    if (status) return FAILED(l);
    uint64_t h = digest(l.classes, l.of, l.count * sizeof *l.of);
    for (size_t i = 0; i < l.count; i++) FUZZ_CHECK(l.of[i] < l.classes);
    for (size_t c = 0; c < l.classes; c++) h = digest(h, l.names[c], strlen(l.names[c]));
    io_labels_free(&l);
    return h;
}

static uint64_t read_sparse(const char *path) {
    error err = {0};
    io_sparse m = {0}, t = {0}, back = {0};
    glshape_status status = io_read_sparse(&err, path, &m);
    if (status) return FAILED(m);
    FUZZ_CHECK(m.start[0] == 0 && m.start[m.rows] == m.count);
    /* A few bytes can announce 2^32 empty rows: what goes through them all would take seconds under ASan. */
    bool small = m.rows <= 1 << 22 && m.cols <= 1 << 22;
    for (size_t r = 0; small && r < m.rows; r++)
        for (size_t k = m.start[r]; k < m.start[r + 1]; k++) {
            FUZZ_CHECK(m.column[k] < m.cols && isfinite(m.value[k]) && m.value[k] != 0);
            FUZZ_CHECK(k == m.start[r] || m.column[k - 1] < m.column[k]);
        }
    uint64_t h = digest(m.rows, m.value, m.count * sizeof *m.value);
    if (small && !io_sparse_transpose(&err, &m, &t) && !io_sparse_transpose(&err, &t, &back)) {
        FUZZ_CHECK(back.count == m.count && !memcmp(back.value, m.value, m.count * sizeof *m.value));
        FUZZ_CHECK(!memcmp(back.column, m.column, m.count * sizeof *m.column));
    }
    io_sparse_free(&t);
    io_sparse_free(&back);
    io_sparse_free(&m);
    return h;
}

static uint64_t read_graph(const char *path) {
    uint64_t h = 0;
    for (io_graph_values values = IO_GRAPH_PLAIN; values <= IO_GRAPH_GREATEST; values++) {
        error err = {0};
        io_graph g = {0};
        glshape_status status = io_read_graph(&err, path, values, &g);
        if (status) {
            h = digest(h, &(uint64_t){FAILED(g)}, 8);
            continue;
        }
        const glshape_graph *a = &g.graph;
        FUZZ_CHECK(a->start[a->nodes] == 2 * g.edges);
        /* A few bytes can announce millions of nodes, whose names would take seconds. */
        for (size_t v = 0; v < a->nodes && v < 100000; v++) {
            char number[IO_NODE_ROOM];
            h = digest(h, io_graph_name(&g, v, number), 1);
            for (size_t k = a->start[v]; k < a->start[v + 1]; k++)
                FUZZ_CHECK(a->to[k] < a->nodes && a->to[k] != v &&
                           (k == a->start[v] || a->to[k - 1] < a->to[k]));
        }
        io_graph_free(&g);
    }
    return h;
}

static uint64_t read_distances(const char *path, io_distance_format format) {
    error err = {0};
    io_distances *d = NULL;
    io_distances_facts facts;
    glshape_status status = io_distances_open(&err, path, format, &d);
    if (status) return FAILED(d);
    uint32_t n = io_distances_count(d);
    uint64_t h = n;
    float *row = malloc((n + 1) * sizeof *row);
    if (io_distances_check(&err, d, 1, NULL, NULL, &facts)) {
        FUZZ_CHECK(err.text[0]);
    } else {
        for (uint32_t i = 0; i < n && i < 64; i++) {
            FUZZ_CHECK(!io_distances_rows(&err, d, i, 1, row));
            FUZZ_CHECK(row[i] == 0);
            for (uint32_t j = 0; j < n; j++)
                FUZZ_CHECK(isnan(row[j]) || (row[j] >= 0 && row[j] <= facts.largest * 1.01f));
            h = digest(h, row, n * sizeof *row);
        }
    }
    free(row);
    io_distances_close(d);
    return h;
}

static uint64_t read_distances_auto(const char *path) { return read_distances(path, IO_DISTANCES_AUTO); }
static uint64_t read_full(const char *path) { return read_distances(path, IO_DISTANCES_FULL); }
static uint64_t read_lower(const char *path) { return read_distances(path, IO_DISTANCES_LOWER); }
static uint64_t read_upper(const char *path) { return read_distances(path, IO_DISTANCES_UPPER); }
static uint64_t read_dipha(const char *path) { return read_distances(path, IO_DISTANCES_DIPHA); }
static uint64_t read_triangle(const char *path) { return read_distances(path, IO_DISTANCES_BINARY); }

/* libhdf5 reads its files in a child process, which takes a thousand times as long as another field, and a
 * test of its own damages them: here one in 64 is read, and always the same ones. */
static bool skips_hdf5(const char *path) {
    char start[4096];
    FILE *f = fopen(path, "rb");
    size_t length = f ? fread(start, 1, sizeof start, f) : 0;
    if (f) fclose(f);
    return length >= 4 && !memcmp(start, "\x89HDF", 4) && digest(0, start, length) % 64 != 0;
}

static uint64_t read_field(const char *path) {
    error err = {0};
    io_grid f = {0};
    if (skips_hdf5(path)) return 0;
    glshape_status status = io_read_grid(&err, path, &(io_raw){.channel = 1}, &f);
    if (status) return FAILED(f);
    size_t count = 1;
    for (int k = 0; k < f.dims; k++) count *= f.shape[k];
    uint64_t h = digest(count, f.values, count * sizes[f.type]);
    io_grid_free(&f);
    return h;
}

/* A first line for what raw bytes mean, "3,4 f4" or "2,3,4 u2 big", then the bytes: as the options would say.
 */
static uint64_t read_raw(const char *path) {
    char shape[32] = "", type[8] = "", order[8] = "";
    FILE *f = fopen(path, "rb");
    bool said = f && fscanf(f, "%31s %7s %7[a-z]", shape, type, order) >= 2;
    if (f) fclose(f);
    if (!said) return 0;
    error err = {0};
    io_grid field = {0};
    glshape_status status =
        io_read_grid(&err, path, &(io_raw){.shape = shape, .type = type, .big = order[0] == 'b'}, &field);
    if (status) return FAILED(field);
    io_grid_free(&field);
    return 1;
}

/* Beside strtod; and what is printed reads back. */
static uint64_t read_number(const char *path) {
    char text[128] = "", printed[IO_NUMBER_ROOM];
    FILE *f = fopen(path, "rb");
    size_t length = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    double value, again;
    if (!io_number_parse(text, length, &value)) return 0;
    char *end;
    again = strtod(text, &end);
    FUZZ_CHECK(memchr(text, 'a', length) || memchr(text, 'A', length) || end == text + length);
    if (!isnan(value) && end == text + length) FUZZ_CHECK(!memcmp(&value, &again, sizeof value));
    size_t printed_length = io_number_print(printed, value);
    FUZZ_CHECK(printed_length < IO_NUMBER_ROOM && io_number_parse(printed, printed_length, &again));
    if (!isnan(value)) FUZZ_CHECK(!memcmp(&value, &again, sizeof value));
    float narrow = (float)value;
    printed_length = io_number_print_float(printed, narrow);
    FUZZ_CHECK(printed_length < IO_NUMBER_ROOM && io_number_parse(printed, printed_length, &again));
    if (!isnan(value)) FUZZ_CHECK((float)again == narrow);
    return digest(1, &value, sizeof value);
}

/* ---- all --------------------------------------------------------------------------------------- */

typedef struct reader {
    const char *name;
    uint64_t (*read)(const char *path);
    bool plain_only; /* what it does not read through gzip */
} reader;

static const reader readers[] = {{"npy", read_npy, false},
                                 {"matrix", read_matrix, false},
                                 {"csv", read_csv, false},
                                 {"text", read_text, false},
                                 {"columns", read_columns, false},
                                 {"cloud", read_cloud, false},
                                 {"tsplib", read_tsplib, false},
                                 {"labels", read_labels, false},
                                 {"sparse", read_sparse, false},
                                 {"graph", read_graph, false},
                                 {"distances", read_distances_auto, false},
                                 {"full", read_full, false},
                                 {"lower", read_lower, false},
                                 {"upper", read_upper, false},
                                 {"dipha", read_dipha, false},
                                 {"triangle", read_triangle, false},
                                 {"field", read_field, false},
                                 {"raw", read_raw, true},
                                 {"number", read_number, true}};

static const reader *chosen(void) {
    const char *name = getenv("FUZZ");
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (name && !strcmp(name, readers[i].name)) return &readers[i];
    fprintf(stderr, "FUZZ names no reader; there are:");
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) fprintf(stderr, " %s", readers[i].name);
    fprintf(stderr, "\n");
    exit(2);
}

static void put(int file, const void *data, size_t bytes) {
    FUZZ_CHECK(!ftruncate(file, 0));
    FUZZ_CHECK(pwrite(file, data, bytes, 0) == (ssize_t)bytes);
}

static void put_compressed(int file, const void *data, size_t bytes) {
    static unsigned char out[1 << 16];
    z_stream z = {
        .next_in = (unsigned char *)data, .avail_in = (uInt)bytes, .next_out = out, .avail_out = sizeof out};
    FUZZ_CHECK(deflateInit2(&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    FUZZ_CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
    put(file, out, z.total_out);
    deflateEnd(&z);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const reader *r;
    static int file;
    static char path[64];
    if (!r) {
        r = chosen();
        file = memfd_create("fuzz", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    put(file, data, size);
    uint64_t first = r->read(path);
    if (getenv("FUZZ_GZIP") && !r->plain_only && size && size < 1 << 14) {
        put_compressed(file, data, size);
        r->read(path);
    } else if (size % 8 == 0) {
        FUZZ_CHECK(r->read(path) == first);
    }
    return 0;
}
