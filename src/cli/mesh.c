#include "cli/mesh.h"

#include <string.h>
#include <strings.h>

#include "base/matrix.h"
#include "base/owned.h"
#include "io/npy.h"
#include "io/value.h"
#include "io/write.h"

static bool ends_in(const char *path, const char *extension) {
    size_t length = strlen(path), own = strlen(extension);
    return length > own && !strcasecmp(path + length - own, extension);
}

bool mesh_is(const char *path) { return ends_in(path, ".ply") || ends_in(path, ".off"); }

typedef struct mesh {
    const glshape_matrix *points;
    const uint32_t *corner;
} mesh;

/* ---- OFF ------------------------------------------------------------------------------------------ */

static size_t print_vertex(const void *user, uint64_t row, char *out) {
    const mesh *m = user;
    size_t used = io_value_print(out, m->points, 2 * row);
    out[used++] = ' ';
    used += io_value_print(out + used, m->points, 2 * row + 1);
    memcpy(out + used, " 0\n", 3);
    return used + 3;
}

static size_t print_triangle(const void *user, uint64_t t, char *out) {
    const uint32_t *c = ((const mesh *)user)->corner + 3 * t;
    return (size_t)snprintf(out, IO_NUMBER_ROOM * 2, "3 %u %u %u\n", c[0], c[1], c[2]);
}

static glshape_status write_off(error *err, FILE *to, const mesh *m, size_t triangles) {
    fprintf(to, "OFF\n%zu %zu 0\n", m->points->rows, triangles);
    TRY(io_write_lines(err, to, m->points->rows, 2 * IO_NUMBER_ROOM + 8, print_vertex, m));
    return io_write_lines(err, to, triangles, (size_t)2 * IO_NUMBER_ROOM, print_triangle, m);
}

/* ---- PLY ------------------------------------------------------------------------------------------ */

static size_t put_vertex(const void *user, uint64_t row, char *out) {
    double at[3] = {0};
    matrix_doubles(((const mesh *)user)->points, 2 * row, 2, at);
    memcpy(out, at, sizeof at);
    return sizeof at;
}

static size_t put_triangle(const void *user, uint64_t t, char *out) {
    *out = 3;
    memcpy(out + 1, ((const mesh *)user)->corner + 3 * t, 12);
    return 13;
}

static glshape_status write_ply(error *err, FILE *to, const mesh *m, size_t triangles) {
    fprintf(to,
            "ply\nformat binary_%s_endian 1.0\nelement vertex %zu\nproperty double x\nproperty double y\n"
            "property double z\nelement face %zu\nproperty list uchar int vertex_indices\nend_header\n",
            io_is_little_endian() ? "little" : "big", m->points->rows, triangles);
    TRY(io_write_lines(err, to, m->points->rows, 24, put_vertex, m));
    return io_write_lines(err, to, triangles, 13, put_triangle, m);
}

glshape_status mesh_write(error *err, const char *path, const glshape_matrix *points, size_t triangles,
                          const uint32_t *corner) {
    const mesh m = {points, corner};
    io_output out;
    TRY(io_output_open(err, path, &out));
    glshape_status status =
        (ends_in(path, ".ply") ? write_ply : write_off)(err, io_output_stream(&out), &m, triangles);
    return io_output_end(err, &out, status);
}
