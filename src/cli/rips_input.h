/* The input of glshape rips: distances, sparse distances or points. */
#ifndef GLSHAPE_CLI_RIPS_INPUT_H
#define GLSHAPE_CLI_RIPS_INPUT_H

#include "cli/session.h"
#include "io/distances/distances.h"

enum { RIPS_DISTANCES, RIPS_POINTS, RIPS_SPARSE };
#define RIPS_INPUT_KINDS "distances|points"

typedef struct rips_input {
    /* As the options say. */
    int kind, metric; /* glshape_metric */
    const char *p_text;
    double p; /* of Minkowski */
    bool symmetrize;
    bool as_ripser; /* points are rounded as Ripser rounds them, unless they lie far from the origin */
    const char *weights_path; /* NULL: none */
    /* As read. source points into the others. */
    glshape_source source;
    glshape_matrix points; /* points, or rows of sparse distances: point, point, distance */
    io_distances *distances;
    double *weights;     /* of each point; NULL: none */
    glshape_graph graph; /* of sparse distances, from rips_input_list_neighbors() */
} rips_input;

/* Refuses options that do not fit the format. A format that implies a kind of input sets the kind. */
glshape_status rips_input_check(session *s, rips_input *in);
/* Reads and checks the input, and the weights. Of sparse distances it sets only the number of points in the
 * source, enough for a dry run: a single large number in the file can make the points, and the memory for
 * them, very many. */
glshape_status rips_input_read(session *s, rips_input *in);
/* Makes the lists of neighbors of sparse distances, after the dry run; nothing to do for other input. */
glshape_status rips_input_list_neighbors(session *s, rips_input *in);
/* How many points an input has that was read. */
size_t rips_input_count(const rips_input *in);
void rips_input_free(rips_input *in);

#endif
