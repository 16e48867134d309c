/* The command as a user meets it: shell lines in a folder of each test's own. GLSHAPE names the binary. */
#ifndef GLSHAPE_TESTS_CLI_SHELL_H
#define GLSHAPE_TESTS_CLI_SHELL_H

#include "suites.h"

/* What the last line printed. */
extern char shell_out[1 << 16], shell_err[1 << 16];

/* A test case whose tests have a folder; seconds for each. */
TCase *shell_case(Suite *s, const char *name, double seconds);

/* Runs a shell line with $G the program and $D the folder; returns the exit code, 128 + N after signal N. */
int shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same; fails the test, with what was printed, unless the exit code is 0. */
void shell_do(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Starts the last command of a line, waits until the shell condition `when` holds (NULL: until the program
 * catches SIGINT) and `delay` seconds more, does what `act` says (to process $!) and returns the command's
 * exit code. If that is 0 the run may have ended first: it is repeated, the whole line, with half the delay,
 * so that the outcome does not depend on who is faster. */
int shell_while(const char *act, const char *when, double delay, const char *line);

const char *shell_path(const char *name); /* in the folder; the text is reused after four calls */
void shell_write(const char *name, const void *bytes, size_t length);
#define SHELL_TEXT(name, text) shell_write(name, text, strlen(text))
/* Reads up to size - 1 bytes, and puts a NUL after them; nothing if there is no such file. */
size_t shell_slurp(const char *name, void *to, size_t size);
/* How many files of the folder match a shell pattern. */
int shell_count(const char *pattern);

void shell_has(const char *text, const char *part);

/* Whether the driver works under a limit on the size of files. Lavapipe (Mesa 25.0) does not: its memory is a
 * file, and a fallocate() that fails ends in SIGBUS. */
bool shell_driver_bears_limits(void);

/* A line, and what it must say on stderr. */
typedef struct bad_line {
    const char *line;
    const char *parts[5];
} bad_line;
void shell_expect(int code, const bad_line *cases, size_t count);

#endif
