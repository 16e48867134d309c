/* Programs for later runs. The first time, a driver may take a second or more for the programs of a method,
 * and processors may be done with the work by then. So they do it, and when the device is closed a process of
 * its own compiles what was missing, for the runs that come. Nobody waits for it.
 *
 * A program that such a process has begun with is marked. If the mark is old and the program is not there,
 * the process did not come to an end; the next run compiles that program itself, as if there were no other
 * way. So it does if nobody has begun with it for long: such a process may not begin at
 * all, or open no device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/owned.h"
#include "gpu/cache.h"
#include "gpu/internal.h"

#define BEGUN_SECONDS 60 /* a program is compiled by then */
#define LEFT_SECONDS 600 /* and those of several methods by then, also on a busy machine */

void gpu_may_wait(gpu *g, bool so) {
    g->instead = so && run_ranks(g->run)->size == 1; /* ranks do the same as each other */
}

/* Whether programs could be compiled by a process that nobody waits for. */
static bool is_able(const gpu *g) {
    return !g->checked && g->compiler && g->cache && g->keeps_programs && cache_is_writable(g->cache) &&
           (g->patient || (!g->eager && !g->software && !gpu_is_named(g)));
}

bool gpu_can_wait(const gpu *g) { return run_ranks(g->run)->size == 1 && is_able(g); }

static bool is_patient(const gpu *g) { return g->instead && is_able(g); }

/* While such a process is at work its device is open, and then NVIDIA's driver does not let others see the
 * machine code that it keeps: each would make it again, also of programs that are there. */
bool later_is_busy(const gpu *g) { return is_patient(g) && cache_is_held(g->cache); }

static bool is_noted(const gpu *g, const char *source) {
    for (int i = 0; i < g->left_count; i++)
        if (!strcmp(g->left[i], source)) return true;
    return false;
}

static void leave(gpu *g, const char *source) {
    if (is_noted(g, source)) return;
    char **more = realloc(g->left, ((size_t)g->left_count + 1) * sizeof *more);
    if (!more) return;
    g->left = more;
    more[g->left_count] = strdup(source);
    g->left_count += more[g->left_count] != NULL;
}

bool later_leaves(gpu *g, const char *source) { return g->instead && later_could_leave(g, source); }

bool later_could_leave(gpu *g, const char *source) {
    if (!is_able(g) || program_is_kept(g, source)) return false;
    double begun = program_begun(g, source);
    if (begun > BEGUN_SECONDS || (begun < 0 && program_left(g, source) > LEFT_SECONDS)) return false;
    if (begun < 0) leave(g, source);
    return true;
}

static void close_stream(FILE **f) {
    if (*f) fclose(*f);
}

void later_begin(gpu *g) {
    OWNED_BY(close_stream) FILE *f = g->leaves && g->left_count ? tmpfile() : NULL;
    bool written = f != NULL;
    for (int i = 0; i < g->left_count; i++) {
        if (g->leaves) program_leave(g, g->left[i]);
        written = written && fwrite(g->left[i], strlen(g->left[i]) + 1, 1, f) == 1;
        free(g->left[i]);
    }
    free(MOVE(g->left));
    g->left_count = 0;
    if (!written || fflush(f)) return;
    rewind(f);
    compiler_begin(g, f);
}
