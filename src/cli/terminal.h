/* What a command owes whoever is at the terminal: signals that end it cleanly, and a bar while it works. */
#ifndef GLSHAPE_CLI_TERMINAL_H
#define GLSHAPE_CLI_TERMINAL_H

#include <stdbool.h>

/* A bar on stderr, if that is a terminal; it shows itself once half a second has passed since started. */
typedef struct terminal_bar {
    double started; /* wall_seconds() */
    bool quiet, shown;
} terminal_bar;

/* From now on the first SIGINT or SIGTERM asks for a clean end, and the second one ends the process. */
void terminal_catch_signals(void);

/* Whether the user has asked for the end. */
bool terminal_interrupted(void);

/* Shows the fraction done; false if the user has asked for the end. */
bool terminal_progress(terminal_bar *bar, double fraction);
void terminal_hide(terminal_bar *bar);

#endif
