#include "gpu/context.h"

#include <stdlib.h>
#include <string.h>

#include "base/owned.h"
#include "gpu/cache.h"

struct glshape_context {
    gpu *g;       /* NULL: the opening failed */
    error failed; /* then: why */
};

const char *glshape_version(void) { return GLSHAPE_VERSION; }

glshape_status glshape_open(const glshape_options *options, glshape_context **out) {
    glshape_context *c = *out = calloc(1, sizeof *c);
    if (!c) return GLSHAPE_NO_MEMORY;
    const glshape_options none = {0}, *o = options ? options : &none;
    TRY(error_check_reserved(&c->failed, "options", o->reserved));
    TRY(error_check_choice(&c->failed, (int)o->stage, GLSHAPE_STAGE_FRAGMENT, "stage"));
    TRY(error_check_choice(&c->failed, (int)o->ranks, GLSHAPE_RANKS_SHARE, "way of ranks"));
    return o->when_needed ? gpu_open_later(&c->failed, o, &c->g) : gpu_open(&c->failed, o, &c->g);
}

int glshape_close(glshape_context *c) {
    int live = c ? gpu_close(c->g) : 0;
    free(c);
    return live;
}

const char *glshape_last_error(const glshape_context *c) {
    return c->g ? run_error(run_of(c->g))->text : c->failed.text;
}
const char *glshape_renderer(const glshape_context *c) { return c->g ? gpu_renderer(c->g) : ""; }
bool glshape_is_software(const glshape_context *c) { return c->g && gpu_is_software(c->g); }
size_t glshape_peak_gpu_bytes(const glshape_context *c) { return c->g ? gpu_peak_bytes(c->g) : 0; }
const char *glshape_notes(const glshape_context *c) { return c->g ? run_notes(run_of(c->g)) : ""; }
gpu *context_gpu(glshape_context *c) { return c->g; }

glshape_status glshape_devices(glshape_device *out, int max, int *count, bool measure) {
    return gpu_devices(NULL, out, max, count, measure);
}

glshape_status glshape_compile_programs(const glshape_options *options, const char *const *sources,
                                        int count) {
    if (options) TRY(error_check_reserved(NULL, "options", options->reserved));
    return gpu_compile(options, sources, count);
}

void glshape_kept_programs(glshape_programs *out) {
    OWNED char *folder = cache_folder();
    *out = (glshape_programs){.most_bytes = CACHE_MOST};
    if (!folder || strlen(folder) >= sizeof out->folder) return;
    strcpy(out->folder, folder);
    cache_measure(folder, &out->count, &out->bytes);
}

glshape_status context_begin_closed(glshape_context *c, gpu **g) {
    if (!c->g) return fail(&c->failed, GLSHAPE_BAD_ARGUMENT, "this context has no device: opening it failed");
    *g = c->g;
    run_error(run_of(c->g))->text[0] = 0;
    TRY(gpu_check_process(c->g));
    return gpu_enter(c->g);
}

glshape_status context_begin_method(glshape_context *c, const uint64_t *reserved, gpu **g) {
    TRY(context_begin_closed(c, g));
    gpu_begin_method(*g);
    glshape_status status = error_check_reserved(run_error(run_of(*g)), "options", reserved);
    return status ? context_end(c, status) : GLSHAPE_OK;
}

glshape_status context_begin_run(glshape_context *c, run **r) {
    gpu *g;
    TRY(context_begin_closed(c, &g));
    *r = run_of(g);
    return GLSHAPE_OK;
}

glshape_status context_agree(glshape_context *c, glshape_status status) {
    return ranks_agree(run_ranks(run_of(c->g)), run_error(run_of(c->g)), status);
}

glshape_status context_end(glshape_context *c, glshape_status status) {
    gpu_end_method(c->g);
    gpu_leave(c->g);
    return status;
}

int glshape_stages(glshape_context *c, glshape_stage_facts *out, int max) {
    gpu *g = NULL;
    if (context_begin_closed(c, &g)) return 0;
    int count = gpu_stages(g, out, max);
    context_end(c, GLSHAPE_OK);
    return count;
}

int glshape_facts(glshape_context *c, glshape_fact *out, int max) {
    return c->g ? run_facts(run_of(c->g), out, max) : 0;
}

int glshape_timings(glshape_context *c, glshape_timing *out, int max) {
    gpu *g = NULL;
    if (context_begin_closed(c, &g)) return 0;
    int count = gpu_timings(g, out, max);
    context_end(c, GLSHAPE_OK);
    return count;
}
