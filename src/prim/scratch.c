#include "prim/scratch.h"

void prim_scratch_free(prim_scratch *s) {
    for (size_t i = 0; i < sizeof s->textures / sizeof *s->textures; i++) gpu_texture_free(&s->textures[i]);
}

glshape_status prim_scratch_ensure(gpu *g, gpu_texture *t, const char *label, gpu_format format,
                                   uint32_t elements) {
    if (t->id && t->format == format && t->elements >= elements) return GLSHAPE_OK;
    gpu_texture_free(t);
    return gpu_texture_new(g, t, label, format, elements, 1);
}

static const char *const format_names[GPU_FORMATS] = {
    [GPU_R32F] = "R32F",   [GPU_RG32F] = "RG32F",   [GPU_RGBA32F] = "RGBA32F",
    [GPU_R32UI] = "R32UI", [GPU_RG32UI] = "RG32UI", [GPU_RGBA32UI] = "RGBA32UI",
};

glshape_status prim_check(run *r, const char *who, const gpu_texture *t, gpu_format format,
                          uint64_t elements) {
    if (!t || !t->id) return fail(run_error(r), GLSHAPE_BAD_ARGUMENT, "%s is no texture", who);
    if (t->format != format || t->texels != 1)
        return fail(run_error(r), GLSHAPE_BAD_ARGUMENT, "%s (%s) is not a %s texture of one texel an element",
                    who, t->label, format_names[format]);
    if (t->elements < elements)
        return fail(run_error(r), GLSHAPE_BAD_ARGUMENT, "%s (%s) has %u elements where %llu are needed", who,
                    t->label, t->elements, (unsigned long long)elements);
    return GLSHAPE_OK;
}
