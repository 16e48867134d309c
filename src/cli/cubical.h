/* What glshape cubical reads, computes and writes. */
#ifndef GLSHAPE_CLI_CUBICAL_H
#define GLSHAPE_CLI_CUBICAL_H

#include "cli/field_input.h"

typedef struct cubical_command {
    session s;
    const char *threshold, *min_persistence, *diagram, *locate;
    int construction, dim, modulus, threads; /* dim -1: all */
    bool superlevel, dry_run;
    glshape_cubical_options o;
    field_input in;
    glshape_cubical_result result;
} cubical_command;

/* Writes a row for each interval: dimension, birth, death, and the vertices of both. GLSHAPE_IO_ERROR;
 * GLSHAPE_BAD_ARGUMENT if a value is beyond what float64 holds exactly (.npy). */
glshape_status cubical_output_write(cubical_command *c, const char *path);
/* The same as text, to c->diagram, of longest life first in each dimension. */
glshape_status cubical_output_diagram(cubical_command *c);
glshape_status cubical_output_draw(cubical_command *c);
/* Draws the field with its longest intervals to c->locate. */
glshape_status cubical_output_locate(cubical_command *c);
glshape_status cubical_output_report(cubical_command *c);
size_t cubical_output_count(const glshape_cubical_result *r, int dim);

#endif
