/* The input of glshape mds, linkage and hdbscan: points, distances, a graph, documents or
 * diagrams. */
#ifndef GLSHAPE_CLI_SOURCE_INPUT_H
#define GLSHAPE_CLI_SOURCE_INPUT_H

#include "cli/compare_options.h"
#include "cli/diagrams_input.h"
#include "io/distances/distances.h"
#include "io/graph/graph.h"
#include "io/graph/sparse.h"

enum { INPUT_POINTS, INPUT_DISTANCES, INPUT_GRAPH, INPUT_DOCUMENTS, INPUT_DIAGRAMS };
#define INPUT_FORMATS                                                    \
    "input format of points: auto, npy, csv, tsv, text, " SESSION_CLOUDS \
    "; of distances: auto, npy, distance, "                              \
    "lower-distance, upper-distance, dipha or binary"
#define INPUT_KINDS "points|distances|graph|documents|diagrams"
/* What INPUT is as diagrams, for the texts of commands. */
#define INPUT_DIAGRAMS_USAGE                                                                             \
    "  diagrams   persistence diagrams, many INPUTs or a folder, as glshape compare takes them: their\n" \
    "             distances are found as they are needed, by compare's options, and never written\n"

typedef struct source_input {
    /* As the options say. */
    int kind, keep;
    /* glshape_metric, or of diagrams glshape_compare_metric behind these; -1: euclidean, for documents
     * cosine, for diagrams sliced Wasserstein. */
    int metric;
    compare_texts how; /* of diagrams; its metric comes from the one above */
    int diagram_dim;   /* of them, the only dimension that counts; -1: all */
    const char *list;  /* unused: for a session of many inputs, which diagrams are */
    const char *p;
    bool tfidf, transpose, weighted, directed, symmetrize, components;
    bool precise; /* the method computes with distances in double precision, where the input has them */
    const char *weight_file; /* NULL: all pairs count alike */
    bool asks;               /* the method takes a feeder */
    bool joins; /* points are joined: edges of a graph may have length 0, distances be infinite */
    /* As read. source points to the others */
    glshape_source source;
    glshape_matrix points;
    io_distances *distances, *weights;
    io_distances_watch *watch;
    io_graph graph;
    io_sparse documents;
    glshape_sparse sparse; /* documents as the library sees them */
    diagrams_input diagrams;
    glshape_comparison *comparison;
    size_t rows, columns;
} source_input;

/* Rows of options. */
#define SOURCE_KIND(in) \
    "--input", NULL, OPTION_CHOICE, &(in).kind, INPUT_KINDS, "what INPUT is (default points)", 0
#define SOURCE_METRICS SESSION_METRICS "|" COMPARE_METRICS
#define SOURCE_METRIC(in)                                                                               \
    "--metric", NULL, OPTION_CHOICE, &(in).metric, SOURCE_METRICS,                                      \
        "points, documents: how two rows are compared; diagrams: sliced-wasserstein (default) and all " \
        "behind it",                                                                                    \
        0
#define SOURCE_DIAGRAMS(in)                                                    \
    {"--diagram-dim",                                                          \
     NULL,                                                                     \
     OPTION_INTEGER,                                                           \
     &(in).diagram_dim,                                                        \
     "K",                                                                      \
     "diagrams: compare intervals of this dimension only, as compare's --dim", \
     OPTION_RANGE(0, DIAGRAMS_DIMENSIONS - 1)},                                \
        COMPARE_OPTIONS((in).how)
/* What differs from zero at first in the source_input `in` of a command. */
#define SOURCE_START .in.metric = -1, .in.diagram_dim = -1
#define SOURCE_TFIDF(in) \
    "--tfidf", NULL, OPTION_FLAG, &(in).tfidf, NULL, "documents: weigh words by how rare they are (tf-idf)", 0
#define SOURCE_TRANSPOSE(in)                                 \
    "--transpose", NULL, OPTION_FLAG, &(in).transpose, NULL, \
        "documents: the columns are documents, not the rows", 0
#define SOURCE_WEIGHTED(in)                                \
    "--weighted", NULL, OPTION_FLAG, &(in).weighted, NULL, \
        "graph: its values are lengths (else every edge has length 1)", 0

/* Checks that options and format fit together, before any reading. GLSHAPE_BAD_ARGUMENT. */
glshape_status source_input_check(session *s, source_input *in);
/* Reads INPUT and the weights, and sets source, rows and columns. */
glshape_status source_input_read(session *s, source_input *in);
/* Compares diagrams, once the session is open; does nothing for other kinds. in->asks: the method asks for
 * the pairs that it needs, if it is left to find them when they are asked for. */
glshape_status source_input_compare(session *s, source_input *in);
/* A threshold in the type of the distances that were read: float32 has another 0.1 than double. */
double source_input_round(const source_input *in, double threshold);
/* Reads documents; transposed: the columns of the file are documents. */
glshape_status source_input_documents(session *s, const char *path, bool transposed, io_sparse *out);
/* Whether ranks can share a method's work on INPUT; what they share no more than one can read (standard
 * input) is none of it. */
bool source_input_can_share(const session *s, const source_input *in);
/* To be called after the library has read what it needed, whether or not it failed: reports what is wrong
 * with a matrix of distances, which is checked while it is being read. *again: the library has to be called
 * once more (io_distances_watch_end()). */
glshape_status source_input_verify(session *s, source_input *in, bool *again);
void source_input_free(source_input *in);

#endif
