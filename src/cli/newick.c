#include "cli/newick.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "io/number.h"
#include "io/write.h"

typedef struct tree {
    size_t n;
    const double *merges;
    const io_label_list *names;
    FILE *to;
} tree;

static double height_of(const tree *t, size_t cluster) {
    return cluster < t->n ? 0 : t->merges[4 * (cluster - t->n) + 2];
}

static size_t child(const tree *t, size_t cluster, int side) {
    return (size_t)t->merges[4 * (cluster - t->n) + (size_t)side];
}

/* A quote is written twice; blanks, brackets and what separates branches are only allowed within quotes. */
static void write_name(const tree *t, size_t leaf) {
    if (!t->names->count) {
        fprintf(t->to, "%zu", leaf);
        return;
    }
    const char *name = io_label_at(t->names, leaf);
    bool quoted = !*name || strpbrk(name, " \t()[]{}':;,_\"") != NULL;
    if (quoted) fputc('\'', t->to);
    for (; *name; name++) {
        if (*name == '\'') fputc('\'', t->to);
        fputc(*name, t->to);
    }
    if (quoted) fputc('\'', t->to);
}

static void write_length(const tree *t, size_t cluster, size_t parent) {
    char text[IO_NUMBER_ROOM];
    double length = height_of(t, parent) - height_of(t, cluster);
    if (!isfinite(length)) return;
    io_number_print(text, length);
    fprintf(t->to, ":%s", text);
}

/* A cluster on the way down from the root, and how many of its children are written. */
typedef struct step {
    size_t cluster;
    int written;
} step;

static void write_tree(const tree *t, step *path) {
    size_t depth = 0;
    path[0] = (step){2 * t->n - 2, 0};
    for (;;) {
        step *at = &path[depth];
        bool leaf = at->cluster < t->n;
        if (!leaf && at->written < 2) {
            fputc(at->written ? ',' : '(', t->to);
            path[++depth] = (step){child(t, at->cluster, at->written++), 0};
            continue;
        }
        if (leaf) write_name(t, at->cluster);
        else fputc(')', t->to);
        if (!depth) break;
        depth--;
        write_length(t, at->cluster, path[depth].cluster);
    }
    fputs(";\n", t->to);
}

glshape_status newick_write(error *err, const char *path, size_t n, const double *merges,
                            const io_label_list *names) {
    OWNED step *steps = NULL;
    io_output out;
    TRY(allocate(err, &steps, n, sizeof *steps, "the tree"));
    TRY(io_output_open(err, path, &out));
    write_tree(&(tree){n, merges, names, io_output_stream(&out)}, steps);
    return io_output_commit(err, &out);
}
