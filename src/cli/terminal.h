/* What a user at a terminal expects: a command ends at once when interrupted, and shows progress. */
#ifndef GLSHAPE_CLI_TERMINAL_H
#define GLSHAPE_CLI_TERMINAL_H

#include <stdbool.h>

#include "base/error.h"

/* A progress bar on stderr, if that is a terminal. It appears half a second after `started`. */
typedef struct terminal_bar {
    double started; /* wall_seconds() */
    bool quiet, shown;
    double from, part; /* the work is this part of a command's, and begins there; part 0: it is all */
} terminal_bar;

/* From now on SIGINT, SIGTERM and SIGHUP (unless the process was started with SIGHUP ignored, as by nohup)
 * end the process at once: temporary files are removed, a line on stderr says so, and the process dies of
 * the signal, which a shell shows as 128 plus its number. To be called by the thread that writes files. */
void terminal_catch_signals(void);

/* Sets what that line says after "interrupted"; text is borrowed. NULL, the default: nothing. */
void terminal_when_interrupted(const char *text);

/* Shows the fraction done. */
void terminal_progress(terminal_bar *bar, double fraction);
void terminal_hide(terminal_bar *bar);

/* Prints the notes of err on stderr, unless the bar is quiet, and forgets them. */
void terminal_print_notes(terminal_bar *bar, error *err);

#endif
