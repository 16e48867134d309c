#define _XOPEN_SOURCE 700 /* SA_RESTART */
#include "cli/terminal.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/temporary.h"

/* ---- signals ------------------------------------------------------------------------------------- */

static pthread_t writer;
static const char *volatile interrupted_note;
static volatile sig_atomic_t bar_shown;

static void write_stderr(const char *text) { (void)!write(STDERR_FILENO, text, strlen(text)); }

static void say_interrupted(void) {
    if (bar_shown) write_stderr("\r                                                  \r");
    write_stderr("glshape: interrupted");
    if (interrupted_note) write_stderr(interrupted_note);
    write_stderr("\n");
}

/* Dies of the signal rather than with an exit status, so that a loop in a shell ends too. */
static void die(int number) {
    sigset_t just;
    sigemptyset(&just);
    sigaddset(&just, number);
    signal(number, SIG_DFL);
    raise(number);
    pthread_sigmask(SIG_UNBLOCK, &just, NULL);
    _exit(128 + number); /* the first process of a container is not killed by its own signals */
}

/* The thread that writes files does all of this, so that it cannot make a file meanwhile. */
static void on_signal(int number) {
    if (!pthread_equal(pthread_self(), writer)) {
        pthread_kill(writer, number);
        return;
    }
    io_temporary_remove_all();
    say_interrupted();
    die(number);
}

void terminal_catch_signals(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, old;
    writer = pthread_self();
    for (int i = 0; i < 3; i++) sigaddset(&action.sa_mask, numbers[i]);
    for (int i = 0; i < 3; i++) {
        bool ignored = !sigaction(numbers[i], NULL, &old) && old.sa_handler == SIG_IGN;
        if (numbers[i] != SIGHUP || !ignored) sigaction(numbers[i], &action, NULL);
    }
}

void terminal_when_interrupted(const char *text) { interrupted_note = text; }

/* ---- the bar ------------------------------------------------------------------------------------- */

static void draw_bar(terminal_bar *bar, double fraction) {
    int filled = (int)(fraction * 40);
    bar->shown = true;
    bar_shown = 1;
    fprintf(stderr, "\r[%.*s%*s] %3d%%", filled, "########################################", 40 - filled, "",
            (int)(fraction * 100));
}

void terminal_progress(terminal_bar *bar, double fraction) {
    if (bar->part > 0) fraction = bar->from + bar->part * fraction;
    if (!bar->quiet && isatty(2) && wall_seconds() - bar->started > 0.5) draw_bar(bar, fraction);
}

void terminal_hide(terminal_bar *bar) {
    if (bar->shown) fprintf(stderr, "\r%50s\r", "");
    bar->shown = false;
    bar_shown = 0;
}

/* ---- notes --------------------------------------------------------------------------------------- */

void terminal_print_notes(terminal_bar *bar, error *err) {
    if (*err->notes && !bar->quiet) terminal_hide(bar);
    for (char *at = err->notes, *end; *at && !bar->quiet; at = end + 1) {
        end = strchr(at, '\n');
        fprintf(stderr, "glshape: note: %.*s\n", (int)(end - at), at);
    }
    *err->notes = 0;
}
