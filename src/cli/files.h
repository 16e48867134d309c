/* Checks of the files that the options of a command name. Tables are as options_parse() takes them. */
#ifndef GLSHAPE_CLI_FILES_H
#define GLSHAPE_CLI_FILES_H

#include "cli/options.h"

/* Checks that each output can be written without harm. Outputs of kinds OPTION_MATRIX and OPTION_PICTURE
 * have known extensions; folders exist; no output is INPUT or another file that is read; no two outputs are
 * one file; at most one output is standard output and at most one input standard input.
 * GLSHAPE_BAD_ARGUMENT or GLSHAPE_IO_ERROR names the options. */
glshape_status files_check(error *err, const option_row *const *tables, const char *input);
/* Returns true if an output goes to standard output. */
bool files_take_stdout(const option_row *const *tables);

#endif
