/* glshape COMMAND [OPTIONS] INPUT */
#define _XOPEN_SOURCE 700 /* SIGXFSZ */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "glshape.h"

static void help(FILE *to) {
    fprintf(to, "glshape " GLSHAPE_VERSION
                ": the shape of data on any OpenGL 4.3 GPU\n\n"
                "usage: glshape COMMAND [OPTIONS] INPUT\n\n");
    for (int i = 0; i < command_count; i++) fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].help);
    fprintf(to,
            "\n'glshape COMMAND --help' shows the options of a command.\n"
            "Exit status: 0 done; 1 could not be done; 2 bad usage; 130 interrupted\n"
            "(died of SIGINT, in the count of shells; 129 and 143 of SIGHUP and SIGTERM).\n");
}

/* The arguments joined by spaces; NULL without memory. */
static char *join(int argc, char **argv) {
    size_t length = 1;
    for (int i = 0; i < argc; i++) length += strlen(argv[i]) + 1;
    char *line = calloc(length, 1);
    for (int i = 0; line && i < argc; i++) {
        if (i) strcat(line, " ");
        strcat(line, argv[i]);
    }
    return line;
}

/* What was printed is part of what was asked for. */
static int flush_output(int code) {
    bool failed = ferror(stdout);
    if ((!fflush(stdout) && !failed) || code) return code;
    fprintf(stderr, "glshape: cannot write standard output: %s\n", strerror(errno ? errno : EIO));
    return EXIT_FAILED;
}

static int run(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    for (int i = 0; i < command_count; i++)
        if (!strcmp(name, commands[i].name)) {
            char *line = join(argc, argv);
            int code = commands[i].run(argc - 1, argv + 1, line);
            free(line);
            return code;
        }
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help"))
        return help(stdout), EXIT_DONE;
    if (!strcmp(name, "--version")) return printf("glshape " GLSHAPE_VERSION "\n"), EXIT_DONE;
    if (*name) fprintf(stderr, "glshape: there is no command '%s'\n\n", name);
    help(stderr);
    return EXIT_USAGE;
}

/* A standard stream that was closed is made one that cannot be used: else the first file or device that is
 * opened takes its number, and what is printed goes there. */
static void hold_streams(void) {
    for (int fd = open("/dev/null", O_RDONLY); fd >= 0; fd = open("/dev/null", O_RDONLY))
        if (fd > STDERR_FILENO) {
            close(fd);
            return;
        }
}

int main(int argc, char **argv) {
    hold_streams();
    /* zink (Mesa 22.3) can keep a branch that it specialised for an earlier value of a uniform. */
    setenv("ZINK_INLINE_UNIFORMS", "0", 0);
    /* A file that grows beyond a limit is a failure to write like a full disk, not the end. */
    signal(SIGXFSZ, SIG_IGN);
    return flush_output(run(argc, argv));
}
