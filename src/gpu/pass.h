/* Passes by name. A pass is declared once, in its folder's passes.h. From the declaration come the table's
 * row, the head of the shader and the C struct of its arguments, so that host and shader agree on names,
 * formats and order.
 *
 *     #define RIPS_EDGES(P)                      what the pass is given, in any order:
 *         P(AXIS, SIDES, 1, 2)                   a constant with one of these values: one variant each
 *         P(SIZE, TEXELS, 1, 3)                  a constant with any value; `make lint` tries these
 *         P(READ, RGBA32F, dist)                 textures: READ, WRITE, UPDATE or ATOMIC (gpu_access)
 *         P(WRITE, RGBA32UI, columns)
 *         P(READ_BY, SIDES, weights, GPU_NONE, GPU_R32F)
 *                                                a texture whose format depends on an axis: a format for each
 *                                                of its values in order; GPU_NONE: there is no such texture
 *         P(UINT, n) P(FLOAT, threshold)         uniforms: UINT, INT or FLOAT
 *
 *     #define RIPS_PASSES(PASS) PASS(rips_edges, "rips/edges", GPU_GROUPS_OF(64), RIPS_EDGES) …
 *     GPU_DECLARE_PASSES(RIPS_PASSES, rips_passes)             in passes.h
 *     GPU_DEFINE_PASSES(RIPS_PASSES, rips_passes)              in passes.c
 *
 *     gpu_run(g, rips_edges, .SIDES = 2, .dist = &matrix, .columns = &found, .n = n, .threshold = t,
 *             .groups = n);
 *
 * The third argument of PASS says how the pass runs: GPU_EACH_ELEMENT and GPU_EACH_TEXEL are texel kernels,
 * GPU_GROUPS_OF(k) is a group kernel of k invocations. GPU_WITH("STEP=1 WIDE=0") after it gives constants
 * that the pass always has: so several passes can be made of one shader file. */
#ifndef GLSHAPE_GPU_PASS_H
#define GLSHAPE_GPU_PASS_H

#include "gpu/gpu.h"

#define GPU_EACH_ELEMENT .kernel = GPU_TEXEL
#define GPU_EACH_TEXEL .per_texel = true
#define GPU_GROUPS_OF(invocations) .kernel = GPU_GROUP, .local = (invocations)
#define GPU_WITH(text) , .constants = text

/* Declares the passes of a list, with the struct of arguments of each, and their table. */
#define GPU_DECLARE_PASSES(list, table) list(GPU_DECLARE_PASS) extern const gpu_pass *const table[];
#define GPU_DEFINE_PASSES(list, table) \
    list(GPU_DEFINE_PASS) const gpu_pass *const table[] = {list(GPU_ADDRESS_OF_PASS) NULL};

/* Runs pass NAME as gpu_execute does, with arguments by name. Its region is .groups groups or .elements
 * elements; it begins at .skip. An argument that is not named is 0. */
#define gpu_run(g, name, ...) gpu_execute((g), &name##_pass, &(name##_arguments){__VA_ARGS__}.job)

/* The same for gpu_expect. */
#define gpu_soon(g, name, ...) gpu_expect((g), &name##_pass, &(name##_arguments){__VA_ARGS__}.job)

/* The same for gpu_get_ready. */
#define gpu_load(g, name, ...) gpu_get_ready((g), &name##_pass, &(name##_arguments){__VA_ARGS__}.job)

/* The same for a program of a gpu_exact. */
#define gpu_program(name, ...) \
    { &name##_pass, &(name##_arguments){__VA_ARGS__}.job }
/* Of a pass without axes. */
#define gpu_soon_only(g, name) gpu_expect((g), &name##_pass, &(gpu_job){0})
#define gpu_only_program(name)         \
    {                                  \
        &name##_pass, &(gpu_job) { 0 } \
    }

/* ---- how this is done --------------------------------------------------------------------------- */

/* The members of a struct of arguments lie as those of gpu_job do: axes, textures and values one after the
 * other. */
#define GPU_DECLARE_PASS(name, file, how, declaration)                                            \
    typedef union {                                                                               \
        struct {                                                                                  \
            uint32_t skip;                                                                        \
            union {                                                                               \
                uint32_t elements, groups;                                                        \
            };                                                                                    \
            union {                                                                               \
                struct {                                                                          \
                    declaration(GPU_AXES_OF) int32_t no_axis_;                                    \
                };                                                                                \
                int32_t axes_[GPU_AXES];                                                          \
            };                                                                                    \
            union {                                                                               \
                struct {                                                                          \
                    declaration(GPU_TEXTURES_OF) gpu_texture *no_texture_;                        \
                };                                                                                \
                gpu_texture *textures_[GPU_PORTS];                                                \
            };                                                                                    \
            union {                                                                               \
                struct {                                                                          \
                    declaration(GPU_VALUES_OF) uint32_t no_value_;                                \
                };                                                                                \
                gpu_value values_[GPU_UNIFORMS];                                                  \
            };                                                                                    \
        };                                                                                        \
        gpu_job job;                                                                              \
    } name##_arguments;                                                                           \
    _Static_assert(sizeof(name##_arguments) == sizeof(gpu_job), #name " has too many arguments"); \
    extern const gpu_pass name##_pass;

#define GPU_DEFINE_PASS(name, file, how, declaration)                           \
    const gpu_pass name##_pass = {.shader = file,                               \
                                  .axes = {declaration(GPU_AXIS_ROWS){0}},      \
                                  .ports = {declaration(GPU_PORT_ROWS){0}},     \
                                  .uniforms = "" declaration(GPU_UNIFORM_TEXT), \
                                  how};
#define GPU_ADDRESS_OF_PASS(name, file, how, declaration) &name##_pass,

/* A line P(KIND, …) of a declaration, as what it is in each of the six places. */
#define GPU_AXES_OF(kind, ...) GPU_LINE_##kind(GPU_AXES_OF, __VA_ARGS__)
#define GPU_AXES_OF_AXIS(axis, ...) int32_t axis;
#define GPU_AXES_OF_PORT(...)
#define GPU_AXES_OF_VALUE(...)
#define GPU_TEXTURES_OF(kind, ...) GPU_LINE_##kind(GPU_TEXTURES_OF, __VA_ARGS__)
#define GPU_TEXTURES_OF_AXIS(...)
#define GPU_TEXTURES_OF_PORT(port, ...) gpu_texture *port;
#define GPU_TEXTURES_OF_VALUE(...)
#define GPU_VALUES_OF(kind, ...) GPU_LINE_##kind(GPU_VALUES_OF, __VA_ARGS__)
#define GPU_VALUES_OF_AXIS(...)
#define GPU_VALUES_OF_PORT(...)
#define GPU_VALUES_OF_VALUE(ctype, type, uniform) ctype uniform;
#define GPU_AXIS_ROWS(kind, ...) GPU_LINE_##kind(GPU_AXIS_ROWS, __VA_ARGS__)
#define GPU_AXIS_ROWS_AXIS(axis, any_value, ...)          \
    {.name = #axis,                                       \
     .any = any_value,                                    \
     .count = sizeof((int[]){__VA_ARGS__}) / sizeof(int), \
     .values = {__VA_ARGS__}},
#define GPU_AXIS_ROWS_PORT(...)
#define GPU_AXIS_ROWS_VALUE(...)
#define GPU_PORT_ROWS(kind, ...) GPU_LINE_##kind(GPU_PORT_ROWS, __VA_ARGS__)
#define GPU_PORT_ROWS_AXIS(...)
#define GPU_PORT_ROWS_PORT(port, how, ...) {.name = #port, .access = how, __VA_ARGS__},
#define GPU_PORT_ROWS_VALUE(...)
#define GPU_UNIFORM_TEXT(kind, ...) GPU_LINE_##kind(GPU_UNIFORM_TEXT, __VA_ARGS__)
#define GPU_UNIFORM_TEXT_AXIS(...)
#define GPU_UNIFORM_TEXT_PORT(...)
#define GPU_UNIFORM_TEXT_VALUE(ctype, type, uniform) #type " " #uniform ", "

/* The kinds of lines: each is an AXIS, a PORT or a VALUE. */
#define GPU_LINE_AXIS(place, axis, ...) place##_AXIS(axis, false, __VA_ARGS__)
#define GPU_LINE_SIZE(place, axis, ...) place##_AXIS(axis, true, __VA_ARGS__)
#define GPU_LINE_READ(place, texel, port) place##_PORT(port, GPU_READ, .format = GPU_##texel)
#define GPU_LINE_WRITE(place, texel, port) place##_PORT(port, GPU_WRITE, .format = GPU_##texel)
#define GPU_LINE_UPDATE(place, texel, port) place##_PORT(port, GPU_UPDATE, .format = GPU_##texel)
#define GPU_LINE_ATOMIC(place, texel, port) place##_PORT(port, GPU_ATOMIC, .format = GPU_##texel)
#define GPU_LINE_READ_BY(place, axis, port, ...) \
    place##_PORT(port, GPU_READ, .by = #axis, .formats = {__VA_ARGS__})
#define GPU_LINE_WRITE_BY(place, axis, port, ...) \
    place##_PORT(port, GPU_WRITE, .by = #axis, .formats = {__VA_ARGS__})
#define GPU_LINE_UINT(place, uniform) place##_VALUE(uint32_t, uint, uniform)
#define GPU_LINE_INT(place, uniform) place##_VALUE(int32_t, int, uniform)
#define GPU_LINE_FLOAT(place, uniform) place##_VALUE(float, float, uniform)

#endif
