/* What a command owes whoever is at the terminal: an end as soon as they ask for it, and a bar while it
 * works.
 */
#ifndef GLSHAPE_CLI_TERMINAL_H
#define GLSHAPE_CLI_TERMINAL_H

#include <stdbool.h>

/* A bar on stderr, if that is a terminal; it shows itself once half a second has passed since started. */
typedef struct terminal_bar {
    double started; /* wall_seconds() */
    bool quiet, shown;
} terminal_bar;

/* From now on SIGINT, SIGTERM and SIGHUP (unless the process was started without it, as nohup does) end the
 * process at once, whatever it does: temporary files are removed, a line on stderr says so, and the process
 * dies of the signal, which a shell shows as 128 and its number. Called by the thread that writes files. */
void terminal_catch_signals(void);

/* What the line says after "interrupted"; borrowed. NULL, as at first: nothing. */
void terminal_when_interrupted(const char *text);

/* Shows the fraction done. */
void terminal_progress(terminal_bar *bar, double fraction);
void terminal_hide(terminal_bar *bar);

#endif
