/* The outputs of glshape rips: the listing on the screen, files of intervals and cocycles, the picture, the
 * report. */
#ifndef GLSHAPE_CLI_RIPS_OUTPUT_H
#define GLSHAPE_CLI_RIPS_OUTPUT_H

#include "cli/rips_input.h"

/* Writes the intervals to path, by its extension. */
glshape_status rips_output_write(error *err, const char *path, const glshape_rips_result *r);
/* Writes the cocycles to path, as JSON. */
glshape_status rips_output_cocycles(session *s, const glshape_rips_result *r, const char *path);
/* Draws the intervals for --picture. */
glshape_status rips_output_draw(session *s, const glshape_rips_result *r);
/* Writes the "result" of the report; of a dry run, the forecast. */
void rips_output_report(json *j, const glshape_rips_result *r, bool dry_run);

/* Prints the intervals as Ripser does. enclosing: the threshold is the enclosing radius. */
glshape_status rips_print_intervals(error *err, const rips_input *in, const glshape_rips_result *r,
                                    bool enclosing, FILE *to);
void rips_print_forecast(const glshape_rips_result *r, FILE *to);

#endif
