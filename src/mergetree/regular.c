#include "mergetree/regular.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "mergetree/passes.h"

#define BLOCK 262144u /* branches that are staged at a time */

static glshape_status upload_branches(gpu *g, gpu_texture *branch, const branches *t) {
    OWNED uint32_t(*staging)[4] = NULL;
    TRY(gpu_texture_new(g, branch, "branches", GPU_RGBA32UI, t->count, 1));
    TRY(allocate(run_error(run_of(g)), &staging, BLOCK, sizeof *staging, "staging of branches"));
    for (uint32_t first = 0; first < t->count; first += BLOCK) {
        uint32_t count = t->count - first < BLOCK ? t->count - first : BLOCK;
        for (uint32_t k = 0, m = first; k < count; k++, m++) {
            staging[k][0] = (uint32_t)(t->death[m] >> 32);
            staging[k][1] = (uint32_t)t->death[m];
            staging[k][2] = t->parent[m];
            staging[k][3] = t->jump[m];
        }
        TRY(gpu_upload(g, branch, first, count, staging));
    }
    return GLSHAPE_OK;
}

static glshape_status upload_names(gpu *g, gpu_texture *name, const branches *t) {
    OWNED uint32_t *names = NULL;
    TRY(gpu_texture_new(g, name, "names of branches", GPU_R32UI, t->count, 1));
    TRY(allocate(run_error(run_of(g)), &names, t->count, sizeof *names, "the names of branches"));
    for (uint32_t m = 0; m < t->count; m++) names[m] = t->minimum[t->survivor[m]];
    return gpu_upload(g, name, 0, t->count, names);
}

glshape_status basins_regular(gpu *g, basins *b, const branches *t, uint32_t *on) {
    if (!b->branch.id) TRY(upload_branches(g, &b->branch, t));
    if (t->survivor) TRY(upload_names(g, &b->name, t));
    TRY(gpu_run(g, mergetree_regular, .key = &b->field->key, .basin = &b->basin, .branch = &b->branch,
                .name = t->survivor ? &b->name : &b->minimum, .n = b->n, .groups = field_groups(b->n)));
    return on ? gpu_download(g, &b->basin, 0, b->n, on) : GLSHAPE_OK;
}
