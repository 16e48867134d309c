/* What a method asks of its device as a whole: its begin and end, and why the device does a stage, or not. */
#include <string.h>

#include "gpu/internal.h"

void gpu_begin_method(gpu *g) {
    if (g->context) timers_collect(g);
    g->recent = g->bytes;
    g->instead = false;
    g->no_fragment = true;
    run_begin_method(g->run, g->depth != 1);
}

void gpu_end_method(gpu *g) {
    run_end_stage(g->run);
    if (g->context && g->depth == 1) textures_delete_spares(g);
    if (!g->fragment_asked || !g->no_fragment) return;
    g->no_fragment = false;
    run_note(g->run,
             "the fragment stage was asked for (--stage fragment) and changed nothing: this method has no "
             "passes that run in it, or the processors did the work");
}

int gpu_stages(gpu *g, glshape_stage_facts *out, int max) {
    if (g->context) timers_collect(g);
    return run_stages(g->run, out, max);
}

run_why gpu_why_passes(const gpu *g) { return gpu_is_named(g) ? RUN_FOR_NAME : RUN_FOR_PASSES; }
run_why gpu_why_absent(const gpu *g) { return g->context ? RUN_NOT_ROOM : RUN_NOT_THERE; }
