/* Signals: a run ends at once, with files old or new and whole, and leaves nothing else. */
#define _XOPEN_SOURCE 700 /* W… of wait(2) */

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/shell.h"
#include "cli/terminal.h"
#include "io/write.h"

Suite *cli_terminal_suite(void);

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

/* ---- at known moments ---------------------------------------------------------------------------- */

typedef enum { WHILE_OPEN, ON_ANOTHER_THREAD, AFTER_COMMIT, MOMENTS } moment;

static void *raise_there(void *number) {
    pthread_kill(pthread_self(), *(const int *)number);
    return NULL;
}

/* What the child does: two files, one of them there before; the signal comes at the moment given. */
static void write_and_raise(int number, moment when) {
    io_output a, b;
    error err;
    pthread_t thread;
    if (!freopen("/dev/null", "w", stderr)) _exit(1);
    terminal_catch_signals();
    if (io_output_open(&err, shell_path("old"), &a) || io_output_open(&err, shell_path("new"), &b)) _exit(2);
    fputs("half of it", io_output_stream(&a));
    fflush(io_output_stream(&a));
    if (when == AFTER_COMMIT && io_output_commit(&err, &a)) _exit(3);
    if (when != ON_ANOTHER_THREAD) raise(number);
    else if (!pthread_create(&thread, NULL, raise_there, &number)) pthread_join(thread, NULL);
    pause();
}

static int signal_of(int number, moment when) {
    int status;
    fflush(NULL);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (!child) {
        write_and_raise(number, when);
        _exit(4);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

START_TEST(files_are_old_or_new) {
    char text[16];
    for (int k = 0; k < 3; k++)
        for (moment when = 0; when < MOMENTS; when++) {
            SHELL_TEXT("old", "old");
            ck_assert_int_eq(signal_of(numbers[k], when), numbers[k]);
            shell_slurp("old", text, sizeof text);
            ck_assert_str_eq(text, when == AFTER_COMMIT ? "half of it" : "old");
            ck_assert_int_eq(shell_count("new*") + shell_count("*.tmp"), 0);
        }
}
END_TEST

/* What is left by a run that could not clean up goes when the same file is written again; what another run is
 * writing, and names that only resemble, stay. */
START_TEST(what_was_left_is_removed) {
    io_output out, other;
    error err;
    SHELL_TEXT("old", "old");
    ck_assert_int_eq(signal_of(SIGKILL, WHILE_OPEN), SIGKILL);
    ck_assert_int_eq(shell_count("old.*-*.tmp") + shell_count("new.*-*.tmp"), 2);
    static const char *const names[] = {"old.1-x.tmp", "old.1.tmp", "older.1-0.tmp", "old.-1.tmp",
                                        "old.1-0.tmp.gz"};
    for (int i = 0; i < 5; i++) SHELL_TEXT(names[i], "kept");
    OK(&err, io_output_open(&err, shell_path("old"), &other));
    ck_assert_int_eq(shell_count("old.[0-9]*-[0-9]*.tmp"), 1);
    OK(&err, io_output_open(&err, shell_path("old"), &out));
    ck_assert_int_eq(shell_count("old.[0-9]*-[0-9]*.tmp"), 2);
    OK(&err, io_output_commit(&err, &other));
    OK(&err, io_output_commit(&err, &out));
    for (int i = 0; i < 5; i++) ck_assert_int_eq(shell_count(names[i]), 1);
    ck_assert_int_eq(shell_count("old.[0-9]*-[0-9].tmp"), 0);
    ck_assert_int_eq(shell_count("new.*-*.tmp"), 1); /* another file's */
}
END_TEST

/* ---- the command, where it waits ----------------------------------------------------------------- */

/* Reading and writing pipes that nobody fills or empties: the signal finds the run there. */
START_TEST(waiting_runs_end) {
    static const char *const words[] = {"INT", "TERM", "HUP"};
    shell_do("mkfifo $D/in $D/out.csv; seq 20000 | awk '{ print $1, $1 * $1 %% 1009 }' >$D/large.txt");
    for (int k = 0; k < 3; k++) {
        SHELL_TEXT("old.npy", "old");
        int code = shell("$G mds $D/in -o $D/old.npy & exec 3>$D/in; kill -%s $!; wait $!", words[k]);
        ck_assert_int_eq(code, 128 + numbers[k]);
        shell_has(shell_err, "interrupted");
        shell_do("printf old | cmp - $D/old.npy");
        /* Half a megabyte is more than a pipe holds, and nobody reads it. */
        code = shell("$G delaunay $D/large.txt -o $D/out.csv & exec 3<$D/out.csv; kill -%s $!; wait $!",
                     words[k]);
        ck_assert_int_eq(code, 128 + numbers[k]);
        ck_assert_int_eq(shell_count("*.tmp"), 0);
    }
}
END_TEST

/* At moments of chance, which may find the run anywhere, done or not begun: what may be is the same for all.
 * tools/check-signals does this to every command. */
START_TEST(files_are_whole_whenever_it_ends) {
    static const char *const words[] = {"INT", "TERM", "HUP", "KILL"};
    shell_do(
        "seq 20000 | awk '{ print $1, $1 * $1 %% 1009 }' >$D/p.txt; "
        "$G delaunay $D/p.txt -q -o $D/t.csv --neighbors $D/n.csv; cd $D; mv t.csv t; mv n.csv n");
    for (int k = 0; k < 16; k++) {
        int code = shell(
            "printf old >$D/old; cp $D/old $D/t.csv; cp $D/old $D/n.csv; "
            "$G delaunay $D/p.txt -o $D/t.csv --neighbors $D/n.csv & sleep 0.%02d; "
            "kill -%s $!; wait $!",
            1 + 3 * k, words[k % 4]);
        ck_assert_msg(code == 0 || code > 128, "exit %d: %s", code, shell_err);
        shell_do("cd $D; for f in t n; do cmp -s old $f.csv || cmp $f $f.csv || exit 1; done");
        if (k % 4 == 3) shell_do("$G delaunay $D/p.txt -o $D/t.csv --neighbors $D/n.csv");
        ck_assert_int_eq(shell_count("*.tmp"), 0);
    }
}
END_TEST

Suite *cli_terminal_suite(void) {
    Suite *s = suite_create("cli/terminal");
    TCase *t = shell_case(s, "terminal", 180);
    tcase_add_test(t, files_are_old_or_new);
    tcase_add_test(t, what_was_left_is_removed);
    tcase_add_test(t, waiting_runs_end);
    tcase_add_test(t, files_are_whole_whenever_it_ends);
    return s;
}
