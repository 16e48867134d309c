/* What the files of src/prim share: working textures, and the check of arguments. */
#ifndef GLSHAPE_PRIM_SCRATCH_H
#define GLSHAPE_PRIM_SCRATCH_H

#include "prim/prim.h"

/* Makes *t a texture of this format with at least `elements` elements, unless it is one. */
glshape_status prim_scratch_ensure(gpu *g, gpu_texture *t, const char *label, gpu_format format,
                                   uint32_t elements);

/* Fails with GLSHAPE_BAD_ARGUMENT unless t is a texture of this format with at least `elements` elements of
 * one texel. who: the function and its argument, "prim_scan: in". */
glshape_status prim_check(run *r, const char *who, const gpu_texture *t, gpu_format format,
                          uint64_t elements);

#endif
