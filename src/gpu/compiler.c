/* Compiling in a process of its own. glLinkProgram cannot be interrupted, and a compiler may take minutes and
 * all memory; a process can be ended. It is a fresh one, as a copy of this process could not use its context.
 * It has this process's environment, so it finds the same devices and keeps its program in the same folder.
 */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/owned.h"
#include "gpu/internal.h"

extern char **environ;

static void close_stream(FILE **f) {
    if (*f) fclose(*f);
}

/* A file without a name that holds the source. */
static FILE *file_of(const char *source) {
    OWNED_BY(close_stream) FILE *f = tmpfile();
    if (!f || fputs(source, f) == EOF || fflush(f)) return NULL;
    rewind(f);
    return MOVE(f);
}

static bool begin(const gpu *g, const char *how, FILE *source, pid_t *out) {
    char number[16];
    snprintf(number, sizeof number, "%d", device_number(g));
    char *arguments[] = {(char *)g->compiler, (char *)how, number, NULL};
    posix_spawn_file_actions_t files;
    if (posix_spawn_file_actions_init(&files)) return false;
    bool begun = !posix_spawn_file_actions_adddup2(&files, fileno(source), STDIN_FILENO) &&
                 !posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", 1 /* O_WRONLY */, 0) &&
                 !posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", 1, 0) &&
                 !posix_spawn(out, g->compiler, &files, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    return begun;
}

/* Whether a process ended by itself, or by a signal to it and to this process. */
static bool ended(int status) {
    static const int ours[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    if (WIFEXITED(status)) return true;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (WTERMSIG(status) == ours[i]) return true;
    return false;
}

/* Waits for a process, and ends it when its time is over. Returns false if it did not end by itself: it took
 * too long, or more memory than it may. */
static bool await(pid_t process, double seconds) {
    const struct timespec pause = {.tv_nsec = 2000000};
    int status = 0;
    for (double since = wall_seconds(); wall_seconds() - since < seconds; nanosleep(&pause, NULL)) {
        pid_t got = waitpid(process, &status, WNOHANG);
        if (got) return got < 0 || ended(status); /* < 0: somebody else has waited for it */
    }
    kill(process, SIGKILL);
    waitpid(process, &status, 0);
    return false;
}

bool compiler_gives_up(const gpu *g, const char *source) {
    OWNED_BY(close_stream) FILE *f = file_of(source);
    pid_t process;
    return f && begin(g, "compile-programs", f, &process) && !await(process, g->compile_seconds);
}

bool compiler_begin(const gpu *g, FILE *sources) {
    pid_t process;
    int status;
    /* It goes on in a process of its own, and ends at once. */
    if (!begin(g, "compile-later", sources, &process)) return false;
    pid_t got;
    do got = waitpid(process, &status, 0);
    while (got < 0 && errno == EINTR);
    return got == process;
}
