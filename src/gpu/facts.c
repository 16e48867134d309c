/* The facts of a method: what it counts on its way, by name. Its stages: where each ran, why, and what took
 * the time. */
#include <stdarg.h>
#include <string.h>

#include "base/clock.h"
#include "gpu/internal.h"

void gpu_begin_method(gpu *g) {
    if (g->context) timers_collect(g);
    g->recent = g->bytes;
    g->instead = false;
    g->no_fragment = true;
    g->fact_count = 0;
    if (g->depth == 1) g->stage_count = 0, g->at_stage = NO_STAGE; /* not of a method within another */
    gpu_set_span(g, 0, 1);
    g->told = 0;
    ranks_begin(g->ranks);
}

void gpu_fact(gpu *g, double value, const char *name, ...) {
    glshape_fact new = {.value = 0};
    if (g->checked) return;
    va_list arguments;
    va_start(arguments, name);
    vsnprintf(new.name, sizeof new.name, name, arguments);
    va_end(arguments);
    int at = 0;
    while (at < g->fact_count && strcmp(g->facts[at].name, new.name)) at++;
    if (at == FACTS) return;
    if (at == g->fact_count) g->facts[g->fact_count++] = new;
    g->facts[at].value += value;
}

int gpu_facts(const gpu *g, glshape_fact *out, int max) {
    int count = g->fact_count < max ? g->fact_count : max;
    memcpy(out, g->facts, (size_t)count * sizeof *out);
    return count;
}

/* ---- stages ------------------------------------------------------------------------------------ */

#define WHY(name, text) text,
static const char *const whys[] = {GPU_WHYS(WHY)};
#undef WHY

gpu_why gpu_why_passes(const gpu *g) { return gpu_is_named(g) ? GPU_FOR_NAME : GPU_FOR_PASSES; }
gpu_why gpu_why_absent(const gpu *g) { return g->context ? GPU_NOT_ROOM : GPU_NOT_THERE; }

bool gpu_insists(const gpu *g) { return gpu_is_named(g) || gpu_is_eager(g) || gpu_is_checking(g); }

glshape_status gpu_choose(gpu *g, uint64_t bytes, gpu_why *why) {
    bool found;
    TRY(gpu_find(g, bytes, &found));
    *why = !found ? gpu_why_absent(g) : g->software && !gpu_insists(g) ? GPU_NOT_SOFTWARE : gpu_why_passes(g);
    return GLSHAPE_OK;
}

void gpu_end_method(gpu *g) {
    static const char sentence[] =
        "the fragment stage was asked for (--stage fragment) and changed nothing: this method has no passes "
        "that run "
        "in it, or the processors did the work\n";
    size_t used = strlen(g->notes);
    gpu_end_stage(g);
    if (!g->fragment_asked || !g->no_fragment) return;
    g->no_fragment = false;
    if (!strstr(g->notes, sentence) && used + sizeof sentence <= sizeof g->notes)
        memcpy(g->notes + used, sentence, sizeof sentence);
}

void gpu_end_stage(gpu *g) {
    if (g->at_stage != NO_STAGE) g->stages[g->at_stage].seconds += wall_seconds() - g->stage_since;
    g->at_stage = NO_STAGE;
}

void stage_resume(gpu *g, int stage) {
    gpu_end_stage(g);
    g->at_stage = stage;
    g->stage_since = wall_seconds();
}

void gpu_begin_stage(gpu *g, const char *name, gpu_why why) {
    int at = 0;
    if (g->checked) return;
    while (at < g->stage_count && (g->stages[at].why != whys[why] || strcmp(g->stages[at].stage, name))) at++;
    if (at == NO_STAGE) return;
    if (at == g->stage_count)
        g->stages[g->stage_count++] =
            (glshape_stage_facts){.stage = name, .on_device = gpu_why_device(why), .why = whys[why]};
    if (at != g->at_stage) stage_resume(g, at);
}

gpu_within gpu_begin_within(gpu *g, const char *name, gpu_why why) {
    int outer = g->at_stage;
    gpu_begin_stage(g, name, why);
    return (gpu_within){g, outer};
}

void gpu_end_within(gpu_within *stage) {
    if (!stage->g->checked) stage_resume(stage->g, stage->outer);
}

int gpu_stages(gpu *g, glshape_stage_facts *out, int max) {
    int count = g->stage_count < max ? g->stage_count : max;
    if (g->context) timers_collect(g);
    memcpy(out, g->stages, (size_t)count * sizeof *out);
    return count;
}
