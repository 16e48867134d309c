/* What glshape alpha writes: one shape with its faces and components; thresholds and persistence of the
 * whole family. */
#ifndef GLSHAPE_CLI_ALPHA_OUTPUT_H
#define GLSHAPE_CLI_ALPHA_OUTPUT_H

#include "cli/session.h"

typedef struct alpha_output {
    /* As the options say: names of files, or NULL. -o and --picture are in the session. */
    const char *faces, *components, *intervals, *spectrum, *master, *diagram, *barcode;
    bool regularized;
    double alpha; /* --alpha, if it is a radius; 0: not given, or the shape of the points alone */
    /* As computed. */
    const double *xy;               /* n × 2 */
    glshape_alpha_result *family;   /* if alpha_output_needs_family() */
    glshape_alpha_outline *outline; /* numbers of faces and radii, and the shape */
    bool shape;                     /* --alpha or --rank was given: there is one */
} alpha_output;

/* Checks, before any work, that all files have extensions that can be written, and that they can be
 * written. GLSHAPE_BAD_ARGUMENT or GLSHAPE_IO_ERROR names the option. */
glshape_status alpha_output_check(session *s, const alpha_output *out);
/* Returns the first option given that is about one shape, or NULL. */
const char *alpha_output_needs_shape(const session *s, const alpha_output *out);
/* Whether an option is about more than one shape's outline. */
bool alpha_output_needs_family(const session *s, const alpha_output *out);
/* Fills *out->outline, which has the family's shape, if there is one, with the rest. */
glshape_status alpha_output_take_family(session *s, const alpha_output *out);
/* Writes all files that the options name. */
glshape_status alpha_output_write(session *s, const alpha_output *out);
/* Writes the "result" of the report. */
void alpha_output_report(json *j, const alpha_output *out);

#endif
