#include "rips/first.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "place/place.h"
#include "rips/passes.h"

#define NEGATIVE (UINT32_C(1) << 31) /* glsl/rips/first.glsl */

static error *error_of(const rips_enumeration *e) { return run_error(run_of(e->g)); }

void rips_pack_column(const cell *from, uint32_t to[4]) {
    to[0] = (uint32_t)(from->index >> 32);
    to[1] = (uint32_t)from->index;
    memcpy(&to[2], &from->value, sizeof to[2]);
    to[3] = 0;
}

bool rips_unpack_first(const rips_space *s, int dim, const cell *column, const uint32_t from[4],
                       persistence_first *to) {
    *to = (persistence_first){.cofacets = from[3] & ~NEGATIVE};
    if (!to->cofacets) return true;
    to->cell.index = (uint64_t)from[0] << 32 | from[1];
    memcpy(&to->cell.value, &from[2], sizeof to->cell.value);
    to->cell.coefficient = from[3] & NEGATIVE ? s->modulus - 1 : 1;
    return to->cofacets <= s->n && to->cell.index < rips_choose(s, s->n, dim + 2) &&
           to->cell.value >= column->value && to->cell.value <= s->threshold;
}

static glshape_status find_some(rips_enumeration *e, int dim, const cell *columns, uint32_t count,
                                uint32_t (*words)[4], persistence_first *out) {
    for (uint32_t k = 0; k < count; k++) rips_pack_column(&columns[k], words[k]);
    TRY(gpu_upload(e->g, &e->columns, 0, count, words));
    TRY(gpu_run(e->g, rips_first, .KEPT = 0, .LISTS = RIPS_OF_MATRIX, .dist = &e->dist,
                .binomial = &e->binomial, .columns = &e->columns, .n = e->s->n, .vertices = (uint32_t)dim + 1,
                .threshold = e->s->threshold, .modulus = e->s->modulus, .groups = count));
    TRY(gpu_download(e->g, &e->columns, 0, count, words));
    for (uint32_t k = 0; k < count; k++)
        if (!rips_unpack_first(e->s, dim, &columns[k], words[k], &out[k]))
            return fail(error_of(e), GLSHAPE_GPU_ERROR,
                        "%s finds cofacets wrongly; take another device, or none", gpu_renderer(e->g));
    return GLSHAPE_OK;
}

glshape_status rips_find_first(rips_enumeration *e, int dim, const rips_columns *c, persistence_first *out) {
    OWNED uint32_t(*words)[4] = NULL;
    size_t most = c->count < RIPS_ROOM_OF_COLUMNS ? c->count : RIPS_ROOM_OF_COLUMNS;
    TRY(allocate(error_of(e), &words, most, sizeof *words, "the first cofacets"));
    for (size_t at = 0, some; at < c->count; at += some) {
        some = c->count - at < most ? c->count - at : most;
        TRY(find_some(e, dim, c->items + at, (uint32_t)some, words, out + at));
        TRY(run_tick_again(run_of(e->g)));
    }
    return GLSHAPE_OK;
}

glshape_status rips_first_cofacets(rips_enumeration *e, int dim, const rips_columns *c,
                                   persistence_first **out) {
    run_why why;
    if (!e->dist.id) return GLSHAPE_OK;
    double cofacets = (double)c->count * e->s->n;
    TRY(place_choose(e->g, PLACE_FIRST_COFACETS, cofacets, true, 0, &why));
    if (!run_why_device(why)) return GLSHAPE_OK;
    place_may_wait(e->g, PLACE_WORK_FIRST, cofacets);
    TRY(rips_is_for_first(e->g, &why));
    if (!run_why_device(why)) return GLSHAPE_OK;
    run_begin_stage(run_of(e->g), "first cofacets", why);
    TRY(allocate(error_of(e), out, c->count, sizeof **out, "the first cofacets"));
    return rips_find_first(e, dim, c, *out);
}
