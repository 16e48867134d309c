/* Man pages and completions from the tables of options that --help shows. The tables live in the commands'
 * functions: each command is called with --help, and options_help() of this program, in place of src/cli's,
 * hands them to a writer. */
#ifndef GLSHAPE_TOOLS_MANUAL_H
#define GLSHAPE_TOOLS_MANUAL_H

#include <stdio.h>

#include "cli/command.h"
#include "cli/options.h"

/* What a writer is given of a command: usage begins with the line "usage: …", tables are as options_help()'s.
 */
typedef struct manual_command {
    const command *command;
    const char *usage;
    const option_row *const *tables;
} manual_command;

/* Writes one file for all commands, or, with `each`, one a command. */
typedef struct manual_writer {
    const char *file; /* below the folder; with `each` without the end, which is -COMMAND.1 */
    bool each;
    void (*begin)(FILE *to); /* may be NULL */
    void (*command)(FILE *to, const manual_command *c);
    void (*end)(FILE *to); /* may be NULL */
} manual_writer;

extern const manual_writer man_overview, man_pages, bash_completion, zsh_completion, fish_completion;

/* As --date says: the date of the man pages, 2026-12-31. */
extern const char *manual_date;

/* The next option that help shows: from *row on, which starts as the table's first; NULL after the last. */
const option_row *manual_next(const option_row **row);
bool manual_takes_file(const option_row *row);
bool manual_has_input(const manual_command *c);
/* Returns true if it takes many inputs. */
bool manual_has_inputs(const manual_command *c);
/* Writes text; each character of `special` is written as what stands for it in `escapes`. */
void manual_escape(FILE *to, const char *text, const char *special, const char *const *escapes);
/* Writes the values of a CHOICE with spaces between them. */
void manual_choices(FILE *to, const option_row *row);

#endif
