/* What glshape alpha writes: a shape, its faces and components; the family's thresholds and persistence. */
#ifndef GLSHAPE_CLI_ALPHA_OUTPUT_H
#define GLSHAPE_CLI_ALPHA_OUTPUT_H

#include "cli/session.h"

typedef struct alpha_output {
    /* As the options say: file names or NULL. -o and --picture are the session's. */
    const char *faces, *components, *intervals, *spectrum, *master, *diagram, *barcode;
    bool regularized;
    double alpha; /* 0: not given, or the points */
    /* As computed. */
    const double *xy; /* n × 2 */
    glshape_alpha_result *family;
    glshape_alpha_shape *shape; /* NULL: none was asked for */
} alpha_output;

/* Whether all files have extensions that can be written, and can be written. */
glshape_status alpha_output_check(session *s, const alpha_output *out);
/* Whether something is to be written that needs a shape: its option, or NULL. */
const char *alpha_output_needs_shape(const session *s, const alpha_output *out);
glshape_status alpha_output_write(session *s, const alpha_output *out);
/* The "result" of the report. */
void alpha_output_report(json *j, const alpha_output *out);

#endif
