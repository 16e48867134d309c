#include "cli/shell.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

char shell_out[1 << 16], shell_err[1 << 16];
static char folder[64];

/* ---- files ----------------------------------------------------------------------------------------- */

const char *shell_path(const char *name) {
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

size_t shell_slurp(const char *name, void *to, size_t size) {
    FILE *f = fopen(shell_path(name), "rb");
    size_t got = f ? fread(to, 1, size - 1, f) : 0;
    ((char *)to)[got] = 0;
    if (f) fclose(f);
    return got;
}

void shell_write(const char *name, const void *bytes, size_t length) {
    FILE *f = fopen(shell_path(name), "wb");
    ck_assert(f && fwrite(bytes, 1, length, f) == length && !fclose(f));
}

int shell_count(const char *pattern) {
    shell("ls -d $D/%s 2>/dev/null | wc -l", pattern);
    return atoi(shell_out);
}

/* ---- lines ----------------------------------------------------------------------------------------- */

static int run_line(const char *line) {
    char whole[8192];
    snprintf(whole, sizeof whole, "G=${GLSHAPE:-build/glshape}; D=%s; { %s\n} >%s/stdout 2>%s/stderr", folder,
             line, folder, folder);
    int status = system(whole);
    shell_slurp("stdout", shell_out, sizeof shell_out);
    shell_slurp("stderr", shell_err, sizeof shell_err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static char line[4096];
#define FORMAT_LINE                             \
    va_list args;                               \
    va_start(args, format);                     \
    vsnprintf(line, sizeof line, format, args); \
    va_end(args)

int shell(const char *format, ...) {
    FORMAT_LINE;
    return run_line(line);
}

void shell_do(const char *format, ...) {
    FORMAT_LINE;
    int code = run_line(line);
    ck_assert_msg(code == 0, "%s: exit %d: %s", line, code, shell_err);
}

/* A process has been started if it is the program, not the shell that forked, and catches SIGINT. */
#define STARTED "[ /proc/$!/exe -ef $G ] && grep -qs '^SigCgt:.*[2367abef]$' /proc/$!/status"

int shell_while(const char *act, const char *when, double delay, const char *line) {
    int code = 0;
    for (int tries = 0; tries < 20 && code == 0; tries++, delay /= 2)
        code = shell("%s & until %s; do kill -0 $! || break; done; sleep %f; %s; wait $!", line,
                     when ? when : STARTED, delay, act);
    return code;
}

void shell_has(const char *text, const char *part) {
    ck_assert_msg(strstr(text, part) != NULL, "'%s' lacks '%s'", text, part);
}

void shell_expect(int code, const bad_line *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        int got = shell("%s", cases[i].line);
        ck_assert_msg(got == code, "%s: exit %d, not %d: %s", cases[i].line, got, code, shell_err);
        for (int k = 0; k < 5 && cases[i].parts[k]; k++) shell_has(shell_err, cases[i].parts[k]);
    }
}

bool shell_driver_bears_limits(void) { return !strstr(gpu_renderer(test_gpu()), "zink"); }

/* ---- cases ----------------------------------------------------------------------------------------- */

static void set_up(void) {
    strcpy(folder, "/tmp/glshape-test-XXXXXX");
    ck_assert(mkdtemp(folder) != NULL);
}

static void tear_down(void) { shell("rm -rf %s", folder); }

TCase *shell_case(Suite *s, const char *name, double seconds) {
    TCase *t = tcase_create(name);
    tcase_set_timeout(t, seconds);
    tcase_add_checked_fixture(t, set_up, tear_down);
    suite_add_tcase(s, t);
    return t;
}
