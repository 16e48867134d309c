#include "cli/terminal.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

static volatile sig_atomic_t interrupted;

static void on_signal(int number) {
    (void)number;
    interrupted = 1;
}

void terminal_catch_signals(void) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool terminal_interrupted(void) { return interrupted; }

static void show(terminal_bar *bar, double fraction) {
    int filled = (int)(fraction * 40);
    bar->shown = true;
    fprintf(stderr, "\r[%.*s%*s] %3d%%", filled, "########################################", 40 - filled, "",
            (int)(fraction * 100));
}

bool terminal_progress(terminal_bar *bar, double fraction) {
    if (!bar->quiet && isatty(2) && wall_seconds() - bar->started > 0.5) show(bar, fraction);
    return !interrupted;
}

void terminal_hide(terminal_bar *bar) {
    if (bar->shown) fprintf(stderr, "\r%50s\r", "");
    bar->shown = false;
}
