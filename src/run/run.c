#include "run/run.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/threads.h"

#define FACTS 160   /* more are left out */
#define NO_STAGE 32 /* as many stages are there at most */

struct run {
    error err;
    run_options o;
    bool hidden;
    glshape_fact facts[FACTS]; /* of the last method */
    int fact_count;
    glshape_stage_facts stages[NO_STAGE + 1]; /* of the last method; the last takes what is in no stage */
    int stage_count, at_stage;                /* at_stage: the current one, or NO_STAGE */
    double stage_since;
    char notes[1200];
    double fraction, span[2], told; /* told: the most that the progress callback has heard */
};

run *run_new(run_options options) {
    run *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->o = options;
    if (!r->o.ranks) r->o.ranks = &ranks_alone;
    r->at_stage = NO_STAGE;
    run_set_span(r, 0, 1);
    return r;
}

void run_free(run *r) { free(r); }

error *run_error(run *r) { return &r->err; }
const ranks *run_ranks(const run *r) { return r->o.ranks; }

bool run_hide(run *r, bool hidden) {
    bool before = r->hidden;
    r->hidden = hidden;
    return before;
}

/* ---- facts -------------------------------------------------------------------------------------- */

void run_begin_method(run *r, bool within) {
    r->fact_count = 0;
    if (!within) r->stage_count = 0, r->at_stage = NO_STAGE;
    run_set_span(r, 0, 1);
    r->told = 0;
    ranks_begin(r->o.ranks);
}

void run_fact(run *r, double value, const char *name, ...) {
    glshape_fact new = {.value = 0};
    if (r->hidden) return;
    va_list arguments;
    va_start(arguments, name);
    vsnprintf(new.name, sizeof new.name, name, arguments);
    va_end(arguments);
    int at = 0;
    while (at < r->fact_count && strcmp(r->facts[at].name, new.name)) at++;
    if (at == FACTS) return;
    if (at == r->fact_count) r->facts[r->fact_count++] = new;
    r->facts[at].value += value;
}

int run_facts(const run *r, glshape_fact *out, int max) {
    int count = r->fact_count < max ? r->fact_count : max;
    memcpy(out, r->facts, (size_t)count * sizeof *out);
    return count;
}

/* ---- notes -------------------------------------------------------------------------------------- */

void run_note(run *r, const char *sentence, ...) {
    char line[400];
    size_t used = strlen(r->notes);
    va_list arguments;
    va_start(arguments, sentence);
    vsnprintf(line, sizeof line - 1, sentence, arguments);
    va_end(arguments);
    strcat(line, "\n");
    if (!strstr(r->notes, line) && used + strlen(line) < sizeof r->notes) strcpy(r->notes + used, line);
}

const char *run_notes(const run *r) { return r->notes; }

/* ---- stages ------------------------------------------------------------------------------------ */

#define WHY(name, text) text,
static const char *const whys[] = {RUN_WHYS(WHY)};
#undef WHY

int run_stage(const run *r) { return r->at_stage; }
glshape_stage_facts *run_stage_facts(run *r, int stage) { return &r->stages[stage]; }

void run_end_stage(run *r) {
    if (r->at_stage != NO_STAGE) r->stages[r->at_stage].seconds += wall_seconds() - r->stage_since;
    r->at_stage = NO_STAGE;
}

void run_resume_stage(run *r, int stage) {
    run_end_stage(r);
    r->at_stage = stage;
    r->stage_since = wall_seconds();
}

void run_begin_stage(run *r, const char *name, run_why why) {
    int at = 0;
    if (r->hidden) return;
    while (at < r->stage_count && (r->stages[at].why != whys[why] || strcmp(r->stages[at].stage, name))) at++;
    if (at == NO_STAGE) return;
    if (at == r->stage_count)
        r->stages[r->stage_count++] =
            (glshape_stage_facts){.stage = name, .on_device = run_why_device(why), .why = whys[why]};
    if (at != r->at_stage) run_resume_stage(r, at);
}

void run_begin_stage_since(run *r, const char *name, run_why why, double since) {
    run_begin_stage(r, name, why);
    r->stage_since = since;
}

run_within run_begin_within(run *r, const char *name, run_why why) {
    int outer = r->at_stage;
    run_begin_stage(r, name, why);
    return (run_within){r, outer};
}

void run_end_within(run_within *stage) {
    if (!stage->r->hidden) run_resume_stage(stage->r, stage->outer);
}

int run_stages(const run *r, glshape_stage_facts *out, int max) {
    int count = r->stage_count < max ? r->stage_count : max;
    memcpy(out, r->stages, (size_t)count * sizeof *out);
    return count;
}

/* ---- progress ---------------------------------------------------------------------------------- */

void run_set_progress(run *r, glshape_progress progress, void *user) {
    r->o.progress = progress;
    r->o.user = user;
}

void run_set_span(run *r, double from, double to) {
    if (r->hidden) return;
    r->span[0] = from;
    r->span[1] = to;
    r->fraction = 0;
}

glshape_status run_tick(run *r, double fraction) {
    if (r->hidden) return GLSHAPE_OK; /* too short to be seen */
    r->fraction = fraction;
    r->told = fmax(r->told, fraction * r->span[1] + (1 - fraction) * r->span[0]);
    TRY(ranks_hear(r->o.ranks, &r->err));
    if (!r->o.progress || r->o.progress(r->o.user, r->told)) return GLSHAPE_OK;
    return fail(&r->err, GLSHAPE_CANCELLED, "cancelled");
}

glshape_status run_tick_again(run *r) { return run_tick(r, r->fraction); }

typedef struct blocks_work {
    void (*work)(void *user, size_t block);
    void *user;
} blocks_work;

static glshape_status do_block(error *err, void *user, uint64_t block, void *scratch) {
    const blocks_work *w = user;
    (void)err, (void)scratch;
    w->work(w->user, (size_t)block);
    return GLSHAPE_OK;
}

glshape_status run_by_threads(run *r, size_t blocks, void (*work)(void *user, size_t block), void *user,
                              double from, double to) {
    blocks_work w = {work, user};
    return threads_do(run_error(r), &(threads_job){.work = do_block,
                                                   .user = &w,
                                                   .blocks = blocks,
                                                   .name = "the work of a thread",
                                                   .progress = run_go_on,
                                                   .progress_user = r,
                                                   .from = from,
                                                   .to = to});
}
