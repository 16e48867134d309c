/* run: one call of the library, without its device. Its error, facts, stages, progress, notes and ranks.
 *
 * Whoever touches no device takes a `run *`: threads, feeders, checks of arguments. Whoever touches one takes
 * a `gpu *`, and has its run as run_of(g) (gpu/gpu.h). So a function has one of the two, never both, and each
 * question has one function: there is run_error(r), and no run_error(run_of(g)). A run knows nothing of its
 * device, because the device may be absent, or closed until it is needed; tests make runs that have none.
 *
 * A context has one run for all its calls: the facts and stages are those of its last method. Only the thread
 * that called may use it; threads that this one starts write to errors of their own. */
#ifndef GLSHAPE_RUN_H
#define GLSHAPE_RUN_H

#include "base/error.h"
#include "ranks/ranks.h"

typedef struct run run;

typedef struct run_options {
    glshape_progress progress; /* NULL: nobody asks */
    void *user;                /* the callback gets it */
    const ranks *ranks;        /* those that share the work; NULL: this process alone */
} run_options;

/* Returns NULL if there is no memory. */
run *run_new(run_options options);
void run_free(run *r); /* NULL is fine */

error *run_error(run *r);             /* where every call on r, or on its device, leaves its sentence */
const ranks *run_ranks(const run *r); /* those that share the work of r's methods */

/* Nobody sees the work that follows, until it is called with false: it adds no facts and begins no stages,
 * and the progress callback is not asked. Returns what was so before. */
bool run_hide(run *r, bool hidden);

/* ---- facts -------------------------------------------------------------------------------------- */

/* Forgets the facts and stages of the method before; the span is the whole (run_set_span). within: a method
 * within another leaves the stages of that one. gpu_begin_method calls it. */
void run_begin_method(run *r, bool within);
/* Adds value to the fact of this name, which printf formats; glshape_facts lists it. A new fact is 0 before.
 */
void run_fact(run *r, double value, const char *name, ...) __attribute__((format(printf, 3, 4)));
/* As glshape_facts. */
int run_facts(const run *r, glshape_fact *out, int max);

/* ---- notes -------------------------------------------------------------------------------------- */

/* Adds a printf-formatted sentence, without a newline, unless it is there; one that has no room is left out.
 */
void run_note(run *r, const char *sentence, ...) __attribute__((format(printf, 2, 3)));
/* Why work that the device could have done was left to the processors: sentences, one a line. */
const char *run_notes(const run *r);

/* ---- stages ------------------------------------------------------------------------------------ */

/* Why a stage of a method runs where it does. The first ones are of the device, the others of the processors.
 */
#define RUN_WHYS(X)                                                                                   \
    X(RUN_FOR_PASSES, "passes do this")                                                               \
    X(RUN_FOR_NAME, "the device was named")                                                           \
    X(RUN_FOR_OPTION, "an option asks for the device")                                                \
    X(RUN_NOT_BY_PASSES, "no passes do this")                                                         \
    X(RUN_NOT_SMALL, "the work is small")                                                             \
    X(RUN_NOT_FASTER, "the processors are faster")                                                    \
    X(RUN_NOT_SOFTWARE, "the device is a software renderer: the processors are faster")               \
    X(RUN_NOT_THERE, "there is no device")                                                            \
    X(RUN_NOT_ROOM, "the device has not the memory")                                                  \
    X(RUN_NOT_LIMITS, "these values, or so many, are more than its passes compute with")              \
    X(RUN_NOT_YET, "its programs are compiled for later runs: the processors are done sooner")        \
    X(RUN_NOT_EXACT, "the device's driver is slow, or not trusted, with the numbers that this takes") \
    X(RUN_NOT_FINISHED, "passes have left what takes them too long, or more room than they have")     \
    X(RUN_NOT_OPTION, "an option asks for the processors")
#define RUN_WHY_ENUM(name, text) name,
typedef enum { RUN_WHYS(RUN_WHY_ENUM) } run_why;
#undef RUN_WHY_ENUM
static inline bool run_why_device(run_why why) { return why < RUN_NOT_BY_PASSES; }

/* From now on the method is at the stage of this name, a static string, until another begins or the method
 * ends. A stage with this name and reason that was begun before goes on. */
void run_begin_stage(run *r, const char *name, run_why why);
/* The same for a stage that began at this time of wall_seconds(), before its reason was known. */
void run_begin_stage_since(run *r, const char *name, run_why why, double since);
void run_end_stage(run *r);
/* A stage within another, which goes on where the variable ends:
 * OWNED_BY(run_end_within) run_within stage = run_begin_within(r, name, why); */
typedef struct run_within {
    run *r;
    int outer;
} run_within;
run_within run_begin_within(run *r, const char *name, run_why why);
void run_end_within(run_within *stage);
/* As glshape_stages. */
int run_stages(const run *r, glshape_stage_facts *out, int max);

/* The number of the current stage, or of what is in no stage; run_resume_stage makes it the current one
 * again.
 */
int run_stage(const run *r);
void run_resume_stage(run *r, int stage);
/* The facts of this stage: the device adds the seconds of its passes, and what it transfers. */
glshape_stage_facts *run_stage_facts(run *r, int stage);

/* ---- progress ---------------------------------------------------------------------------------- */

void run_set_progress(run *r, glshape_progress progress, void *user);
/* From now on, until a method begins, fractions are those of a part of the method, from … to. */
void run_set_span(run *r, double from, double to);
/* Tells the progress callback how far the method is: fraction of the span, or what it was told before, if
 * that is more. GLSHAPE_CANCELLED if it says stop. */
glshape_status run_tick(run *r, double fraction);
/* Asks it whether to stop: the method is as far as it was at the last tick. */
glshape_status run_tick_again(run *r);
/* Does blocks of work by all threads, with progress from one fraction to another. GLSHAPE_CANCELLED. */
glshape_status run_by_threads(run *r, size_t blocks, void (*work)(void *user, size_t block), void *user,
                              double from, double to);
/* run_tick as a callback: r is a run; false says stop. */
static inline bool run_go_on(void *r, double fraction) { return run_tick(r, fraction) == GLSHAPE_OK; }

#endif
