/* Many inputs in the order of the command line; the files of a folder come in the order of their names. */
#ifndef GLSHAPE_CLI_FILE_LIST_H
#define GLSHAPE_CLI_FILE_LIST_H

#include "cli/session.h"
#include "io/label_list.h"

/* Zeroed it is empty and may be freed. */
typedef struct file_list {
    char **at;
    size_t count, room;
} file_list;

/* Lists the inputs of the session. GLSHAPE_IO_ERROR, GLSHAPE_BAD_INPUT: a folder cannot be read, or is empty.
 */
glshape_status file_list_take(session *s, file_list *out);
/* session_check_outputs() for each of them: no output is an input. */
glshape_status file_list_check(session *s, const file_list *files);
/* Adds a file's name, without folder and extension, to a list. */
glshape_status file_list_name(error *err, const char *path, io_label_list *names);
void file_list_free(file_list *files);

#endif
