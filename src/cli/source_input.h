/* What glshape mds lays out and linkage clusters: points, distances, a graph or documents, read and checked.
 */
#ifndef GLSHAPE_CLI_SOURCE_INPUT_H
#define GLSHAPE_CLI_SOURCE_INPUT_H

#include "cli/session.h"
#include "io/distances.h"
#include "io/graph.h"
#include "io/sparse.h"

enum { INPUT_POINTS, INPUT_DISTANCES, INPUT_GRAPH, INPUT_DOCUMENTS };
#define INPUT_FORMATS                                                                          \
    "input format of points: auto, npy, csv, tsv or text; of distances: auto, npy, distance, " \
    "lower-distance, upper-distance, dipha or binary"
#define INPUT_KINDS "points|distances|graph|documents"

typedef struct source_input {
    /* As the options say. */
    int kind, keep;
    int metric; /* glshape_metric; -1: euclidean, or cosine for documents */
    bool tfidf, transpose, weighted, directed, symmetrize, components;
    const char *weight_file; /* NULL: all pairs count alike */
    /* As read. source points into the others. */
    glshape_source source;
    glshape_matrix points;
    io_distances *distances, *weights;
    io_distances_watch *watch;
    io_graph graph;
    io_sparse documents;
    glshape_sparse sparse; /* documents as the library sees them */
    size_t rows, columns;
} source_input;

/* Whether options and format fit together: everything that can be refused before reading. */
glshape_status source_input_check(session *s, source_input *in);
glshape_status source_input_read(session *s, source_input *in);
/* After the library has read what it needed, whatever it said: what is wrong with a matrix, which is checked
 * while it is being read. *again: as io_distances_watch_end() says. */
glshape_status source_input_verify(session *s, source_input *in, bool *again);
void source_input_free(source_input *in);

#endif
