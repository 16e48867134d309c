/* The facts of a method: what it counts on its way, by name. */
#include <stdarg.h>
#include <string.h>

#include "gpu/internal.h"

void gpu_begin_method(gpu *g) {
    g->recent = g->bytes;
    g->fact_count = 0;
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
