/* The files that the options of a command name, in tables as options_parse() takes them. */
#ifndef GLSHAPE_CLI_FILES_H
#define GLSHAPE_CLI_FILES_H

#include "cli/options.h"

/* Whether each output can be written, and without harm: OPTION_MATRIX and OPTION_PICTURE have extensions that
 * are known, folders exist, no output is INPUT or another file that is read, and no two outputs are one file.
 * Only one of them may be standard output, and one of the inputs standard input. GLSHAPE_BAD_ARGUMENT or
 * GLSHAPE_IO_ERROR names the options. */
glshape_status files_check(error *err, const option_row *const *tables, const char *input);
/* Whether some output goes to standard output. */
bool files_take_stdout(const option_row *const *tables);

#endif
