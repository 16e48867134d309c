/* gpu: the only folder that knows OpenGL and EGL.
 *
 * Everything above it sees three things: a device (gpu), packed textures (gpu_texture) and passes
 * (gpu_pass, run by gpu_run). Data is a packed texture, work is a pass, a method is a list of passes.
 *
 * A packed texture holds N elements of P texels each. All texels of an element are in one row, unless one
 * element alone is wider than the device's textures (see gpu_texture). The number of elements in a row is a
 * power of two, so an address is a shift and a mask.
 *
 * A pass is data: its shader file, its axes (constants; a value for each makes a variant), its ports
 * (textures) and its uniforms. gpu/pass.h makes it from a declaration by name. From it the assembler writes
 * the head of the shader, so that host and shader cannot disagree about names, formats or order; and the
 * executor derives every memory barrier. Inside a shader:
 *   - a port NAME that is read gives   T NAME(uint e)  and  T NAME(uint e, uint t):
 *     texel 0 (or t) of element e, T being vec4, uvec4 … of the port's format (float and uint for R);
 *   - a texel kernel defines  void kernel(uint e)  (one texel per element) or, with .per_texel,
 *     void kernel(uint e, uint t); it assigns each written port like a variable: NAME = value;
 *     The executor runs it as compute (16×16 groups, imageStore) or as a fragment pass (one triangle,
 *     colour attachments), whichever is faster on the device. It writes only its own texel;
 *   - a group kernel defines  void kernel(uint group)  run by LOCAL invocations (gl_LocalInvocationIndex);
 *     written ports give  void NAME_store(uint e, uint t, T value);  GPU_ATOMIC ports (R32UI) also give
 *     uint NAME_load(uint e), NAME_atomic_add/min/max/exchange(uint e, uint v), NAME_cas(uint e, uint was,
 *     uint now). It may scatter and use shared memory, and always runs as compute;
 *   - uniforms and constants are there under their declared names. */
#ifndef GLSHAPE_GPU_H
#define GLSHAPE_GPU_H

#include <stdio.h>

#include "base/error.h"
#include "run/run.h"

typedef struct gpu gpu;

/* ---- devices ---------------------------------------------------------------------------------- */

typedef glshape_stage gpu_stage;
#define GPU_STAGE_AUTO GLSHAPE_STAGE_AUTO
#define GPU_STAGE_COMPUTE GLSHAPE_STAGE_COMPUTE
#define GPU_STAGE_FRAGMENT GLSHAPE_STAGE_FRAGMENT

/* Lists every EGL device of this machine, opening each in turn, as glshape_devices says. */
glshape_status gpu_devices(error *err, glshape_device *out, int max, int *count, bool measure);

/* Opens a device. *out is set on success; otherwise err has the sentence. */
glshape_status gpu_open(error *err, const glshape_options *options, gpu **out);
/* The same, but the device stays closed until gpu_need. A device that is not there is then missed only if it
 * is needed.
 */
glshape_status gpu_open_later(error *err, const glshape_options *options, gpu **out);
/* Opens the device if it is closed. Between gpu_enter and gpu_leave its context is then current. */
glshape_status gpu_need(gpu *g);
/* The same for work that the processors can do, too: *found says whether there is a device with so many bytes
 * free beside the textures in use. One that the caller named must be there, and is found however small. */
glshape_status gpu_find(gpu *g, uint64_t bytes, bool *found);
bool gpu_is_open(const gpu *g);
/* Returns true if another process, from which this one was forked, has opened the device, or has begun to. */
bool gpu_is_elsewhere(const gpu *g);
/* GLSHAPE_NO_DEVICE: so it is. */
glshape_status gpu_check_process(gpu *g);
/* As glshape_compile_programs. */
glshape_status gpu_compile(const glshape_options *options, const char *const *sources, int count);
/* Whether the caller named the device. Then small inputs are computed there, too; else on the processor. */
bool gpu_is_named(const gpu *g);
/* Closes it. Returns the number of GL objects that were still alive (0 in a correct program). */
int gpu_close(gpu *g);

/* Makes g's context current on this thread until gpu_leave, which restores what was current before. Every
 * call on a gpu belongs between the two; gpu_open and gpu_close do so themselves. Calls may nest. While the
 * device is closed, the run and gpu_recent_bytes are there. gpu_texture_new opens it, as
 * gpu_need does; what asks for properties of the device before, calls gpu_need itself. */
glshape_status gpu_enter(gpu *g);
void gpu_leave(gpu *g);

/* What concerns the call and not its device. Every call on g leaves its sentence in run_error(run_of(g)). */
run *run_of(const gpu *g);
const char *gpu_renderer(const gpu *g);
const char *gpu_version(const gpu *g);
bool gpu_is_software(const gpu *g);
/* Integers of several limbs, and doubles, pass the self-test, and doubles are not slow: the driver does not
 * emulate them. The first call makes the test, and on a hardware device measures that, unless it is kept. */
bool gpu_is_exact(gpu *g);
/* The same, but true where a driver that is known has not compiled the test yet and threads may do the work
 * meanwhile: then gpu_trusts says no to what is not compiled either, or makes the test. */
bool gpu_may_be_exact(gpu *g);
void gpu_set_exact(gpu *g, bool exact); /* for tests: as if they had passed it, or had not */
/* For tests: work that passes can do is done by passes, however little it is, and on a software renderer,
 * too. */
void gpu_set_eager(gpu *g, bool eager);
bool gpu_is_eager(const gpu *g);
void gpu_set_compile_seconds(gpu *g, double seconds); /* for tests: how long a program may take apart */
const glshape_limits *gpu_get_limits(const gpu *g);
gpu_stage gpu_get_stage(gpu *g); /* COMPUTE or FRAGMENT: resolves AUTO by measuring */
void gpu_set_stage(gpu *g, gpu_stage stage);
/* Whether the caller asked for the fragment stage; AUTO is not asking. */
bool gpu_asks_fragment(const gpu *g);
size_t gpu_memory_limit(const gpu *g); /* 0: none */
size_t gpu_memory_free(const gpu *g);  /* of the device now, in bytes, if its driver says; else 0 */
size_t gpu_memory_left(const gpu *g);  /* of both, the less, beside the textures alive; else SIZE_MAX */
size_t gpu_bytes(const gpu *g);        /* textures alive now */
size_t gpu_peak_bytes(const gpu *g);   /* most since open */
size_t gpu_recent_bytes(const gpu *g); /* most since gpu_begin_method */
int gpu_live_objects(const gpu *g);

/* ---- methods ------------------------------------------------------------------------------------ */

/* Every public method begins with this: the run forgets the method before (run_begin_method), and
 * gpu_recent_bytes counts from here. */
void gpu_begin_method(gpu *g);
/* Ends its last stage. A note then says if the fragment stage was asked for, and no pass ran there. */
void gpu_end_method(gpu *g);
/* As run_stages, with the seconds of all passes so far. */
int gpu_stages(gpu *g, glshape_stage_facts *out, int max);

/* ---- places of stages --------------------------------------------------------------------------- */

/* Why the device does what its passes can do. */
run_why gpu_why_passes(const gpu *g);
/* Why gpu_find has found no device. */
run_why gpu_why_absent(const gpu *g);

/* ---- packed textures -------------------------------------------------------------------------- */

typedef enum {
    GPU_NONE, /* no texture */
    GPU_R32F,
    GPU_RG32F,
    GPU_RGBA32F,
    GPU_R32UI,
    GPU_RG32UI,
    GPU_RGBA32UI,
    GPU_FORMATS
} gpu_format;

/* N elements of `texels` texels. Zero-initialised it is "no texture" and may be freed.
 * Element e starts at texel ((e & (per_row-1))·block_w, (e >> log2_per_row)·block_h); texel t of it lies
 * (t mod block_w, t / block_w) further. block_h is 1 unless one element is wider than a texture may be. */
typedef struct gpu_texture {
    gpu *g; /* whose it is */
    const char *label;
    gpu_format format;
    uint32_t elements, texels;
    int log2_per_row, block_w, block_h, width, height;
    int room_w, room_h; /* of the texture that it is in, which may be larger */
    unsigned id;
    size_t bytes;
    uint64_t stored, fetched; /* when an image store / a fetch last touched it (executor's clock) */
} gpu_texture;

size_t gpu_texel_bytes(gpu_format format);
/* Makes a texture (contents undefined). label: static string, names it in messages. 0 elements make a
 * 1-element texture. Fails with GLSHAPE_NO_GPU_MEMORY (memory limit: says how much is needed; or larger than
 * the device's textures); *out is then as it was. */
glshape_status gpu_texture_new(gpu *g, gpu_texture *out, const char *label, gpu_format format,
                               uint32_t elements, uint32_t texels);
void gpu_texture_free(gpu_texture *t);
/* Bytes that gpu_texture_new would take; SIZE_MAX if the device has no such texture. */
size_t gpu_texture_bytes(const gpu *g, gpu_format format, uint32_t elements, uint32_t texels);
void gpu_texture_swap(gpu_texture *a, gpu_texture *b);

/* A texture of a list, in which a stage names all that it needs. */
typedef struct gpu_wanted {
    gpu_texture *t;
    const char *label;
    gpu_format format;
    uint32_t elements, texels;
} gpu_wanted;

/* gpu_texture_bytes of all together, gpu_texture_new of each, and gpu_texture_free. Those that were made
 * before one failed stay. */
size_t gpu_wanted_bytes(const gpu *g, const gpu_wanted *all, size_t count);
glshape_status gpu_wanted_new(gpu *g, const gpu_wanted *all, size_t count);
void gpu_wanted_free(const gpu_wanted *all, size_t count);

/* Copies elements [first, first+count) from / to host memory: count × texels texels, element by element,
 * texel by texel, no padding. Both wait for the GPU. */
glshape_status gpu_upload(gpu *g, gpu_texture *t, uint32_t first, uint32_t count, const void *from);
glshape_status gpu_download(gpu *g, gpu_texture *t, uint32_t first, uint32_t count, void *to);

/* Fills the first elements of a texture, in pieces: fill(g, user, first, count, memory) makes elements
 * first … first + count - 1 as gpu_upload has them, in memory whose contents are undefined, and which is slow
 * to read. Meanwhile the pieces before are on their way. Returns the first failure of fill. */
typedef glshape_status gpu_filler(gpu *g, void *user, uint32_t first, uint32_t count, void *memory);
glshape_status gpu_fill(gpu *g, gpu_texture *t, uint32_t elements, gpu_filler *fill, void *user);

/* A ring of pixel-buffer objects for streaming: a slot's memory is mapped, filled (by any thread), and sent
 * to elements [first, first+count) of a texture without waiting. Mapping a slot again waits until what was
 * sent from it has arrived. Zero-initialised it is empty and may be freed. */
#define GPU_RING 4 /* slots at most */
typedef struct gpu_ring {
    gpu *g; /* whose it is */
    int slots;
    unsigned buffers[GPU_RING];
    void *fences[GPU_RING];
    bool mapped[GPU_RING];
    size_t bytes;
} gpu_ring;
glshape_status gpu_ring_new(gpu *g, gpu_ring *out, int slots, size_t bytes);
glshape_status gpu_ring_map(gpu *g, gpu_ring *r, int slot, void **memory);
glshape_status gpu_ring_send(gpu *g, gpu_ring *r, int slot, gpu_texture *t, uint32_t first, uint32_t count);
void gpu_ring_free(gpu_ring *r);

/* ---- passes ----------------------------------------------------------------------------------- */

/* How a pass uses a texture.
 *   READ    fetched; in compute passes on software renderers loaded from an image, which is faster there
 *   WRITE   stored, never read
 *   UPDATE  group kernels only: loaded and stored, by NAME_load(e[, t]) and NAME_store(e[, t], v)
 *   ATOMIC  group kernels only: an R32UI texture that atomic operations change. It is coherent: an invocation
 * that sees what another stored after a memoryBarrierImage() also sees what that one stored before it */
typedef enum { GPU_READ, GPU_WRITE, GPU_UPDATE, GPU_ATOMIC } gpu_access;
typedef enum { GPU_TEXEL, GPU_GROUP } gpu_kernel;

/* How many turns all loops of one invocation may take together. Mesa's llvmpipe silently ends the loops of an
 * invocation after 65,535 turns in all; those of eight or sixteen neighbors count, too, where they go apart.
 * A kernel whose work grows with the data therefore bounds its turns by this: it does more in a turn, or
 * takes smaller pieces. A loop inside an `if` whose condition is false still takes one turn; inside another
 * loop this adds up. */
#define GPU_TURNS 60000u

#define GPU_PORTS 16
#define GPU_UNIFORMS 16
#define GPU_AXES 8
#define GPU_AXIS_VALUES 9

/* A constant of the shader, a #define. */
typedef struct gpu_axis {
    const char *name;
    bool any;  /* it may have any value; else it has one of these */
    int count; /* of the values, or of examples for `make lint` */
    int values[GPU_AXIS_VALUES];
} gpu_axis;

typedef struct gpu_port {
    const char *name;
    gpu_format format;
    gpu_access access;
    const char *by; /* the axis that the format depends on; NULL: none */
    gpu_format formats[GPU_AXIS_VALUES];
} gpu_port;

/* gpu/pass.h makes these from declarations. The core profile guarantees 8 written ports. */
typedef struct gpu_pass {
    const char *shader; /* "mds/move": the file glsl/mds/move.glsl; also its name in timings */
    gpu_kernel kernel;
    bool per_texel;        /* TEXEL: kernel(e, t), one run per texel of the written textures' elements */
    int local;             /* GROUP: invocations per group (LOCAL in the shader); 0 means 256 */
    const char *constants; /* #defines that are always there: "STEP=1 WIDE=0"; NULL: none */
    gpu_axis axes[GPU_AXES + 1];
    gpu_port ports[GPU_PORTS + 1];
    const char *uniforms; /* "uint n, float step, ", in the order of gpu_job.values */
} gpu_pass;

typedef union gpu_value {
    int32_t i;
    uint32_t u;
    float f;
} gpu_value;

/* The arguments of a pass, each list in the order of the declaration. The region is elements (TEXEL) or
 * groups (GROUP) [first, first+count). */
typedef struct gpu_job {
    uint32_t first, count;
    int32_t axes[GPU_AXES];
    gpu_texture *textures[GPU_PORTS];
    gpu_value values[GPU_UNIFORMS];
} gpu_job;

/* Runs a pass over its region. Asynchronous: it returns when the work is queued, except that long regions
 * are cut into bands of at most about 100 ms, with progress and cancellation between them. All written
 * textures of a texel kernel must have the same layout (same elements and texels), and none may be read by
 * the same pass. A count of 0 does nothing. */
glshape_status gpu_execute(gpu *g, const gpu_pass *pass, const gpu_job *job);

/* Programs that must be right to the bit and whose work processors can do, too, and a small problem that
 * shows whether they are right: check solves it by these programs and by the processors. It does not assume
 * that what the programs write is sensible. Only the axes of a job count. */
#define GPU_EXACT_PROGRAMS 32
typedef glshape_status gpu_check(gpu *g, const void *user, bool *right);
typedef struct gpu_exact {
    struct {
        const gpu_pass *pass; /* NULL: none */
        const gpu_job *job;
    } program[GPU_EXACT_PROGRAMS];
    gpu_check *check;
    const void *user;
    bool without_doubles; /* so they are right where doubles are wrong or slow (gpu_is_exact), too */
    void (*expect)(gpu *g, const void *user); /* NULL, or names by gpu_expect what else their method runs */
} gpu_exact;

/* Sets *so to whether the device is to run these programs; if not, processors are to do their work, and
 * run_notes says why. The first time with a driver it compiles them, within bounds where it can, and runs the
 * check, in which these programs are trusted and others that were not tried are not. The verdict is kept with
 * the programs. Software renderers are trusted with the shaders of this build, unless gpu_set_eager. */
glshape_status gpu_trusts(gpu *g, const gpu_exact *e, bool *so);
/* The same where *why says the device is to run them: if not, it becomes gpu_why_untrusted. */
glshape_status gpu_trusts_for(gpu *g, const gpu_exact *e, run_why *why);
/* Why gpu_trusts last said no: RUN_NOT_EXACT or RUN_NOT_YET. */
run_why gpu_why_untrusted(const gpu *g);

/* so: threads do what the method that runs has begun sooner than a driver compiles its programs. Then
 * gpu_trusts says no to programs that no process has compiled yet, and a process that nobody waits for
 * compiles them when the device is closed (gpu/later.c). So it is while nothing of the method was trusted.
 * Not of a device that the caller named, of several ranks, without glshape_options.compiler, or without a
 * folder in which programs are kept. */
void gpu_may_wait(gpu *g, bool so);
/* Whether that makes a difference with the device that is open. */
bool gpu_can_wait(const gpu *g);
void gpu_set_patient(gpu *g, bool patient); /* for tests: a software renderer is waited for, too */
/* Whether a check runs. */
bool gpu_is_checking(const gpu *g);

/* Begins to compile the program that gpu_execute needs for such a job, of which only the axes count. Drivers
 * that compile on threads of their own do so beside other programs and other work. This is for passes that
 * will surely run: the end of the process waits for one that does not, and keeps it. Errors wait for
 * gpu_execute. Does nothing while the device is closed, for texel kernels, for a program that is kept on
 * disk, and for a large one where the compiler might not finish. A program that is left for later runs
 * (gpu_may_wait) is noted. */
void gpu_expect(gpu *g, const gpu_pass *pass, const gpu_job *job);
/* Has this program ready, while the device does what is queued. Errors wait for gpu_execute. */
void gpu_get_ready(gpu *g, const gpu_pass *pass, const gpu_job *job);

/* Has the device begin with what is queued, while the caller does other work. */
void gpu_start(gpu *g);
/* Waits for everything queued; fails if the debug output complained. */
glshape_status gpu_finish(gpu *g);
/* Seconds per pass since open, when options.timing is set. */
int gpu_timings(gpu *g, glshape_timing *out, int max);

/* Writes the assembled source of a variant of a pass to a stream, as `make lint` validates it; axes: a value
 * for each; stage: COMPUTE or FRAGMENT (group kernels: COMPUTE only); loads: textures that are read are
 * images (COMPUTE only). Needs no device. */
glshape_status gpu_assemble(error *err, const gpu_pass *pass, const int32_t *axes, gpu_stage stage,
                            bool loads, FILE *to);

#endif
