/* The textures of a layout, and the memory they take. */
#include <string.h>

#include "mds/state.h"

#define SPARE_BYTES (1u << 20) /* for the partial sums of reductions and of the stress */

typedef struct wanted_texture {
    gpu_texture *texture;
    const char *label;
    gpu_format format;
    uint32_t elements, texels;
} wanted_texture;

enum { TEXTURES = 13 + MDS_BATCH };

/* The textures of a layout of n points. All is made, counted and freed by this list. */
static void list_textures(mds_state *s, wanted_texture out[TEXTURES]) {
    uint32_t n = s->n, p = (s->dim + 3) / 4;
    const wanted_texture list[TEXTURES] = {
        {&s->perm, "the permutation", GPU_R32UI, n, 1},
        {&s->place[0], "the layout", GPU_RGBA32F, n, p},
        {&s->place[1], "the next layout", GPU_RGBA32F, n, p},
        {&s->velocity[0], "the velocities", GPU_RGBA32F, n, p},
        {&s->velocity[1], "the next velocities", GPU_RGBA32F, n, p},
        {&s->near[0], "the Near sets", GPU_RGBA32UI, n, 1},
        {&s->near[1], "the next Near sets", GPU_RGBA32UI, n, 1},
        {&s->near_high[0], "the Near distances", GPU_RGBA32F, n, 1},
        {&s->near_high[1], "the next Near distances", GPU_RGBA32F, n, 1},
        {&s->drawn, "the Random sets", GPU_RGBA32UI, n, 1},
        {&s->strain[0], "the Near strains", GPU_RGBA32F, n, 1},
        {&s->strain[1], "the Random strains", GPU_RGBA32F, n, 1},
        {&s->history, "the stress history", GPU_RG32F, MDS_BATCH, 1},
    };
    memcpy(out, list, sizeof list);
    for (uint32_t i = 0; i < MDS_BATCH; i++)
        out[13 + i] =
            (wanted_texture){&s->terms[i], "the stress terms", GPU_RG32F, !i || n <= MDS_FEW ? n : 0, 1};
}

size_t mds_weight_bytes(const mds_state *s) {
    return s->weight_reader.read ? gpu_texture_bytes(s->g, GPU_RGBA32F, s->n, (s->n + 3) / 4) : 0;
}

size_t mds_memory_needed(mds_state *s, size_t source_bytes) {
    wanted_texture list[TEXTURES];
    list_textures(s, list);
    size_t need = mds_plus(source_bytes, SPARE_BYTES);
    for (int i = 0; i < TEXTURES; i++)
        need = mds_plus(need, gpu_texture_bytes(s->g, list[i].format, list[i].elements, list[i].texels));
    return mds_plus(need, mds_weight_bytes(s));
}

glshape_status mds_check_memory(mds_state *s, size_t source_bytes) {
    size_t need = mds_memory_needed(s, source_bytes), limit = gpu_memory_limit(s->g);
    if (mds_weight_bytes(s) == SIZE_MAX)
        return fail(run_error(run_of(s->g)), GLSHAPE_NO_GPU_MEMORY,
                    "the weights of all pairs of %u points do not fit the textures of %s (%d × %d texels): "
                    "they are kept on the GPU, 4 bytes each",
                    s->n, gpu_renderer(s->g), gpu_get_limits(s->g)->texture_size,
                    gpu_get_limits(s->g)->texture_size);
    if (need == SIZE_MAX)
        return fail(run_error(run_of(s->g)), GLSHAPE_BAD_ARGUMENT,
                    "%u points in %u dimensions do not fit the textures of %s (%d × %d texels)", s->n, s->dim,
                    gpu_renderer(s->g), gpu_get_limits(s->g)->texture_size,
                    gpu_get_limits(s->g)->texture_size);
    if (!limit || need <= limit) return GLSHAPE_OK;
    return fail(run_error(run_of(s->g)), GLSHAPE_NO_GPU_MEMORY,
                "a layout of %u points in %u dimensions%s needs %zu MiB of GPU memory, but the limit is %.3g "
                "MiB; raise it to %zuM",
                s->n, s->dim, s->weight_reader.read ? ", with weights," : "", (need >> 20) + 1,
                (double)limit / (1 << 20), (need >> 20) + 1);
}

glshape_status mds_textures_new(mds_state *s) {
    wanted_texture list[TEXTURES];
    list_textures(s, list);
    for (int i = 0; i < TEXTURES; i++)
        TRY(gpu_texture_new(s->g, list[i].texture, list[i].label, list[i].format, list[i].elements,
                            list[i].texels));
    return GLSHAPE_OK;
}

void mds_textures_free(mds_state *s) {
    wanted_texture list[TEXTURES];
    list_textures(s, list);
    for (int i = 0; i < TEXTURES; i++) gpu_texture_free(list[i].texture);
}
