/* glshape COMMAND [OPTIONS] INPUT */
#define _XOPEN_SOURCE 700 /* SIGXFSZ */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/owned.h"
#include "base/threads.h"
#include "cli/command.h"
#include "glshape.h"
#include "ranks/ranks.h"

#define COMPILER_SOURCES ((size_t)1 << 22) /* bytes of sources, at most */
#define COMPILER_PROGRAMS 200              /* that they are at most */
#define COMPILER_BYTES ((rlim_t)1 << 30)   /* of memory that compiling may take */
#define COMPILER_SECONDS 60                /* of the processor, that a compiler which nobody watches takes */
#define COMPILER_WAITS 600                 /* seconds until it is over also if it only waits */
#define MOST_FILES 256                     /* that a process has open, in most cases */
#define END_TURNS 500                      /* hundredths of a second */

static void print_usage(FILE *to) {
    fprintf(to, "glshape " GLSHAPE_VERSION
                ": the shape of data on any OpenGL 4.3 GPU\n\n"
                "usage: glshape COMMAND [OPTIONS] INPUT\n\n");
    for (int i = 0; i < command_count; i++) fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].help);
    fprintf(to,
            "\n'glshape COMMAND --help' shows the options of a command.\n"
            "Exit status: 0 done; 1 could not be done; 2 bad usage; 130 interrupted\n"
            "(died of SIGINT, in the count of shells; 129 and 143 of SIGHUP and SIGTERM).\n");
}

/* Returns the arguments with a space between each two, the caller's to free; NULL if memory is short. */
static char *join_arguments(int argc, char **argv) {
    size_t length = 1;
    for (int i = 0; i < argc; i++) length += strlen(argv[i]) + 1;
    char *line = calloc(length, 1);
    for (int i = 0; line && i < argc; i++) {
        if (i) strcat(line, " ");
        strcat(line, argv[i]);
    }
    return line;
}

/* Returns code, or EXIT_FAILED if a command that succeeded could not write all that it printed. */
static int flush_output(int code) {
    bool failed = ferror(stdout);
    if ((!fflush(stdout) && !failed) || code) return code;
    fprintf(stderr, "glshape: cannot write standard output: %s\n", strerror(errno ? errno : EIO));
    return EXIT_FAILED;
}

static int run_command(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    for (int i = 0; i < command_count; i++)
        if (!strcmp(name, commands[i].name)) {
            OWNED char *line = join_arguments(argc, argv);
            return commands[i].run(argc - 1, argv + 1, line);
        }
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
        print_usage(stdout);
        return EXIT_DONE;
    }
    if (!strcmp(name, "--version")) {
        printf("glshape " GLSHAPE_VERSION "\n");
        return EXIT_DONE;
    }
    if (*name) fprintf(stderr, "glshape: there is no command '%s'\n\n", name);
    print_usage(stderr);
    return EXIT_USAGE;
}

/* Opens /dev/null in place of each standard stream that the caller had closed. Otherwise the first file or
 * device that the program opens would get that stream's number, and what is printed would go into it. */
static void reserve_standard_streams(void) {
    for (int fd = open("/dev/null", O_RDONLY); fd >= 0; fd = open("/dev/null", O_RDONLY))
        if (fd > STDERR_FILENO) {
            close(fd);
            return;
        }
}

/* Of many ranks, the first speaks for all: what it says others would repeat, and it says why another failed.
 */
static void silence(void) {
    int null = open("/dev/null", O_WRONLY);
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) dup2(null, fd);
    close(null);
}

/* Drivers keep compiled programs, too, in the user's folder of caches. Where GLSHAPE_CACHE names another, as
 * in a container without a home, they are to keep them there: NVIDIA's driver takes as long to load a program
 * that is linked as to link it with what it has kept. */
static void place_caches(void) {
    const char *folder = getenv("GLSHAPE_CACHE");
    if (!folder || !*folder || !strcmp(folder, "off")) return;
    setenv("__GL_SHADER_DISK_CACHE_PATH", folder, 0); /* NVIDIA's */
    setenv("MESA_SHADER_CACHE_DIR", folder, 0);
}

/* What the library would pass over in silence. */
static bool check_environment(void) {
    const char *threads = getenv("GLSHAPE_THREADS");
    char *end = NULL;
    long count = threads ? strtol(threads, &end, 10) : 0;
    if (!threads || !*threads || (!*end && count >= 1 && count <= THREADS_MOST)) return true;
    fprintf(stderr, "glshape: GLSHAPE_THREADS is '%s': give a whole number from 1 to %d, or unset it\n",
            threads, THREADS_MOST);
    return false;
}

/* ---- a compiler ---------------------------------------------------------------------------------- */

/* Compiles the sources in standard input (glshape_options). */
static int compile_programs(const char *device) {
    static char text[COMPILER_SOURCES];
    static const char *sources[COMPILER_PROGRAMS];
    struct rlimit memory = {COMPILER_BYTES, COMPILER_BYTES}, none = {0, 0};
    glshape_options options = {.device = device, .debug = getenv("GLSHAPE_DEBUG") != NULL};
    int count = 0;
    setrlimit(RLIMIT_DATA, &memory);
    setrlimit(RLIMIT_CORE, &none);
    size_t bytes = fread(text, 1, sizeof text - 1, stdin);
    for (size_t at = 0; at < bytes && count < COMPILER_PROGRAMS; at += strlen(text + at) + 1)
        sources[count++] = text + at;
    return !count || glshape_compile_programs(&options, sources, count) ? EXIT_FAILED : EXIT_DONE;
}

/* Nothing of the process that began this one stays open, so that nobody waits for its end. */
static void close_files(void) {
    for (int fd = 3; fd < MOST_FILES; fd++) close(fd);
}

/* Waits a while for the end of a process. What NVIDIA's driver keeps goes into a file of its own if another
 * process has it open, and later processes do not look there. */
static void await_end(pid_t process) {
    for (int k = 0; k < END_TURNS && !kill(process, 0); k++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/* Has an alarm end this process, whatever the one that began it does with alarms: signals that a process
 * ignores or holds back stay so in what it begins. */
static void obey_alarms(void) {
    sigset_t alarms;
    signal(SIGALRM, SIG_DFL);
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &alarms, NULL);
}

/* Compiles them in a process of its own; this one ends. On a busy machine a minute of the processor is longer
 * than a minute. The process begins anew when the files are closed, because libraries that were loaded may
 * have had some of them open. */
static int compile_later(char *self, char *device) {
    const struct rlimit seconds = {COMPILER_SECONDS, COMPILER_SECONDS};
    char *arguments[] = {self, "compile-programs", device, NULL};
    obey_alarms();
    setrlimit(RLIMIT_CPU, &seconds);
    pid_t caller = getppid(), process = fork();
    if (process) return process < 0 ? EXIT_FAILED : EXIT_DONE;
    setsid();
    close_files();
    alarm(COMPILER_WAITS);
    await_end(caller);
    (void)!nice(10);
    execvp(self, arguments);
    return EXIT_FAILED;
}

/* Leaves out what libraries do at the end of a process, for which NVIDIA's driver takes up to 0.2 s after it
 * has compiled. What it keeps is on disk before. Sanitizers look for leaks at the end. */
static int leave(int code) {
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    _exit(code);
#endif
    return code;
}

int main(int argc, char **argv) {
    reserve_standard_streams();
    /* With this set, zink (Mesa 22.3) can run a branch that it compiled for an earlier value of a uniform. */
    setenv("ZINK_INLINE_UNIFORMS", "0", 0);
    place_caches();
    /* A write beyond the limit of file size then fails as on a full disk, and does not end the process. */
    signal(SIGXFSZ, SIG_IGN);
    if (argc == 3 && !strcmp(argv[1], "compile-programs")) return compile_programs(argv[2]);
    if (argc == 3 && !strcmp(argv[1], "compile-later")) return compile_later(argv[0], argv[2]);
    ranks_start();
    if (ranks_world()->rank) silence();
    return leave(ranks_end(check_environment() ? flush_output(run_command(argc, argv)) : EXIT_USAGE));
}
