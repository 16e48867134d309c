/* The inside of a gpu, for the files of src/gpu alone. */
#ifndef GLSHAPE_GPU_INTERNAL_H
#define GLSHAPE_GPU_INTERNAL_H

#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/threads.h"
#include "gpu/gpu.h"
#include "gpu/shader.h"

#define TIMERS 64
#define SPARES 128           /* textures */
#define COMPILE_SECONDS 10.0 /* that a large program may take, where it can be stopped */

typedef struct format_facts {
    GLenum internal, external, type;
    size_t bytes;
} format_facts;
extern const format_facts gpu_formats[GPU_FORMATS];

/* A pixel buffer to which part of a texture is copied; fence is signalled when the copy has arrived. */
#define RETURNS 3
typedef struct returning {
    GLuint buffer;
    void *fence;
    size_t bytes;
} returning;

/* A variant of a pass that is compiled, or being compiled: then it has shaders and, if it is to be kept, a
 * key. */
typedef struct program {
    shader_variant variant;
    GLuint id, shaders[2];
    char *key;
    bool ready;
    GLint region, out_at, out_block, at[GPU_PORTS], block[GPU_PORTS], values[GPU_UNIFORMS];
    char value_type[GPU_UNIFORMS]; /* 'i', 'u' or 'f' */
    uint64_t trial;                /* largest region known to be short */
    double unit_seconds;           /* per element or group; 0: not long enough to measure */
    uint64_t source_hash;
    double seconds, compile_seconds; /* that a thread waited */
    uint64_t runs;
    bool kept; /* it was taken from disk */
} program;

/* How long a job took, for each element or group. (pace.c) */
typedef struct pace {
    uint64_t shape; /* a hash: of the program, and of what the job is like */
    float seconds;
    uint32_t measured; /* elements or groups */
} pace;

/* What a timer is at work for. */
typedef struct timed {
    program *p; /* NULL: nothing */
    int stage;
    bool timing;    /* it is asked for */
    uint32_t count; /* of a whole job that nobody waited for; 0: it is none */
    pace like;      /* what was known of such jobs */
} timed;

/* The source of a variant: to assemble it takes a tenth of the time in which a driver loads its program, and
 * several ask for it. */
typedef struct program_text {
    const gpu_pass *pass;
    int32_t axes[GPU_AXES];
    gpu_stage stage;
    char *source;
} program_text;

/* What a bit of glMemoryBarrier orders. The executor keeps of each kind when it was last issued. */
enum { BARRIER_FETCH, BARRIER_LOAD, BARRIER_IMAGE, BARRIER_UPDATE, BARRIER_FRAMEBUFFER, BARRIERS };

struct gpu {
    run *run;
    pid_t process; /* that began to open it; 0: none did */
    EGLDeviceEXT device;
    EGLDisplay display;
    EGLContext context;
    EGLSurface surface;
    EGLDisplay outer_display; /* what was current when the outermost gpu_enter came */
    EGLContext outer_context;
    EGLSurface outer_draw, outer_read;
    int depth;
    char *wanted; /* the device that the caller named; NULL: none */
    char renderer[128], vendor[64], version[96], language[64]; /* of shaders */
    bool none;                                                 /* gpu_find() has found no device */
    bool software, timing, debug;
    bool zink;
    bool virgl_of_software; /* it needs no coherent image, and virglrenderer 0.10 may crash of one */
    glshape_limits limits;
    bool two_sum, two_product, multi_limb, doubles; /* what the self-test found, once it was made */
    bool tested;
    bool eager; /* gpu_set_eager */
    gpu_stage stage;
    /* The caller wants the fragment stage; a method is at work, and none of its passes has run there yet. */
    bool fragment_asked, no_fragment;
    size_t memory_limit, bytes, peak, recent;
    int live;
    gpu_texture spare[SPARES]; /* texture.c */
    int spares;
    size_t spare_bytes;
    uint64_t clock, issued[BARRIERS];
    GLuint vertex_array, framebuffer;
    gpu_ring sending; /* what large copies go through; made when first needed */
    returning returns[RETURNS];
    threads_team *copiers; /* NULL until large copies are made */
    program **programs;
    int program_count;
    program_text *texts; /* of programs that were asked for */
    int text_count;
    char *cache; /* the folder of linked programs and of verdicts; NULL: none are kept */
    bool keeps_programs, cache_grew;
    pace *paces; /* NULL until one is asked for */
    int pace_count;
    bool paces_grew;
    GLuint timers[TIMERS];
    timed timed[TIMERS];
    unsigned timer_next, timer_oldest; /* numbers of those that were begun */
    bool knows_timers, no_timers;      /* the driver has none, or they are wrong */
    double outstanding;                /* seconds that the jobs which nobody waited for will take ... */
    double unflushed;                  /* ... and those that the driver may keep to itself */
    int transferring;                  /* calls of transfer_begin without their end */
    double transfer_since;
    char complaint[600];                                 /* from the debug output; empty: none */
    enum { TELLS_NOTHING, TELLS_CORE, TELLS_ARB } tells; /* how the driver says that it reset the device */
    GLenum reset;                                        /* what it said; 0: nothing */
    /* trust.c */
    const char *compiler;     /* as in glshape_options */
    double compile_seconds;   /* that it may take */
    char *verdicts;           /* see there; NULL: not read yet */
    const gpu_exact *checked; /* whose check runs; NULL: none */
    run_why untrusted;        /* gpu_why_untrusted */
    /* later.c */
    bool instead; /* threads are a choice in place of the method's passes (gpu_may_wait) */
    bool patient; /* gpu_set_patient */
    bool leaves;  /* programs were left for later runs */
    char **left;  /* their sources, and those of programs that go with them */
    int left_count;
    glshape_ranks sharing;
};

/* Returns the bit of a kind of barrier if t needs one: if it was stored to since the last of this kind. */
unsigned barrier_bits(gpu *g, const gpu_texture *t, int kind);
/* Issues one barrier for all these bits. */
void barrier_issue(gpu *g, unsigned bits);

void textures_delete_spares(gpu *g);
void transfers_free(gpu *g);

/* Calls each with the rectangles of t that hold elements [first, first+count), in order, and with where in
 * memory, which has these elements without padding, the texels of the rectangle begin. */
typedef void (*texture_rectangle)(gpu *g, const gpu_texture *t, int x, int y, int w, int h, char *memory);
void texture_walk(gpu *g, const gpu_texture *t, uint32_t first, uint32_t count, char *memory,
                  texture_rectangle each);

/* Sets *out to the program of a job's variant, which is compiled if this is its first job. */
glshape_status program_get(gpu *g, const gpu_pass *pass, const gpu_job *job, program **out);
void programs_free(gpu *g, bool current);
/* The source of a job's variant, until the device is closed. */
glshape_status program_source(gpu *g, const gpu_pass *pass, const gpu_job *job, const char **out);
bool program_is_kept(const gpu *g, const char *source);
bool program_is_compute(gpu *g, const gpu_pass *pass); /* else it is drawn */
/* Seconds since a process began to compile a program that is not kept: -1 if none did. */
double program_begun(const gpu *g, const char *source);
/* Marks a program that is left to such a compiler, unless it is marked; how old that mark is, or -1. */
void program_leave(const gpu *g, const char *source);
double program_left(const gpu *g, const char *source);
/* Compiles the source of a compute shader, and keeps the program. */
glshape_status program_keep(gpu *g, const char *source);
/* What the driver says of itself, in one text: all that kept programs and verdicts depend on beside sources.
 */
#define DRIVER_WORDS 400
void program_driver(const gpu *g, char out[DRIVER_WORDS]);

/* Lists in out, as one sentence, what the verdicts that are kept say is left to the processors. */
void trust_list(gpu *g, char *out, size_t size);
/* Whether a program is so large that a compiler which is not known may not finish it. */
bool trust_must_ask(const gpu *g, const char *source);
/* The stage that gpu_get_stage chose before, if that is kept; and to keep it. */
bool stage_find(gpu *g, gpu_stage *stage);
void stage_keep(gpu *g, gpu_stage stage);
/* Whether it is kept that the self-test whose source has this hash found nothing wrong; and to keep it. */
bool self_test_is_kept(gpu *g, uint64_t hash);
void self_test_keep(gpu *g, uint64_t hash);
/* Whether the compiler is known to finish each shader of this build in a second. */
bool trust_knows(const gpu *g);
/* Measures doubles, unless that is kept: how many times as long as floats they take, and whether they are
 * slow. */
glshape_status doubles_measure(gpu *g, double *times, bool *slow);
/* The same, not kept. (selftest.c) */
glshape_status doubles_time(gpu *g, double *times, bool *slow);

/* pace.c. How many elements or groups of a job may come first, by those that were like it, whose pace is
 * *like; 0: there was none. */
uint32_t pace_first(gpu *g, const program *p, const gpu_job *job, pace *like);
/* Keeps what so many elements or groups, now.measured, took: now.seconds each. */
void pace_keep(gpu *g, pace now);
/* The next job of this shape is tried on a part. */
void pace_forget(gpu *g, uint64_t shape);
/* Keeps that the driver's timers are wrong; whether that is kept. */
void timers_doubt(gpu *g);
bool timers_are_doubted(gpu *g);
/* Writes them down, and frees them. */
void paces_free(gpu *g);

/* compiler.c: compiles a source with g's device in a process of its own, which keeps the program. Returns
 * whether that took more than it may. Another failure is left to who compiles it next. */
bool compiler_gives_up(const gpu *g, const char *source);
int device_number(const gpu *g); /* in EGL's list */

/* later.c. Whether this program is left for a later run, as it is not kept; then it is noted. */
bool later_leaves(gpu *g, const char *source);
/* The same of a program that is waited for if it turns out that a method has no other way. */
bool later_could_leave(gpu *g, const char *source);
/* Whether the program of the self-test is one. */
bool self_test_could_wait(gpu *g);
/* Whether a process is at work that compiles programs for later runs, which the passes of this one would be
 * in the way of. */
bool later_is_busy(const gpu *g);
/* Begins to compile what was left, in a process of its own, and forgets it. */
void later_begin(gpu *g);
/* compiler.c: the same for one file of sources, each with a 0 at its end. Returns false if that is not
 * possible. */
bool compiler_begin(const gpu *g, FILE *sources);

/* The stage that passes and transfers are counted for: the current one. */
static inline glshape_stage_facts *counted_stage(gpu *g) {
    return run_stage_facts(g->run, run_stage(g->run));
}

/* Waits for all timers, and adds what they measured to their programs. */
void timers_collect(gpu *g);

/* GLSHAPE_GPU_ERROR with what the debug output said, if it said anything. */
glshape_status gpu_complaint(gpu *g);
/* GLSHAPE_GPU_ERROR if the driver has reset the device since it was opened. It costs a call of the driver. */
glshape_status gpu_check_reset(gpu *g);

glshape_status self_test(gpu *g);
/* Has the self-test made, unless it was. A device that fails it computes nothing right. */
void self_test_once(gpu *g);
/* Measures the rates of both stages into d. */
glshape_status calibrate(gpu *g, glshape_device *d);

#endif
