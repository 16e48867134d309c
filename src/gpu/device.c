/* Devices: enumeration, choice, opening and closing, all through EGL and without a display server. */
#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/owned.h"
#include "gpu/cache.h"
#include "gpu/internal.h"

#define MAX_DEVICES 32

/* ---- finding ----------------------------------------------------------------------------------- */

/* Lists the EGL devices of this machine and returns their number. Where EGL cannot list them, the only one is
 * NULL, which means Mesa's surfaceless platform. */
static int egl_devices(EGLDeviceEXT out[MAX_DEVICES]) {
    EGLint count = 0;
    if (!epoxy_has_egl()) return 0;
    if ((epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_device_enumeration") ||
         epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_device_base")) &&
        epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_device") &&
        eglQueryDevicesEXT(MAX_DEVICES, out, &count) && count > 0)
        return count;
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")) return 0;
    out[0] = NULL;
    return 1;
}

int device_number(const gpu *g) {
    EGLDeviceEXT devices[MAX_DEVICES];
    int count = egl_devices(devices), at = 0;
    while (at < count && devices[at] != g->device) at++;
    return at;
}

/* What EGL says without opening it. */
static bool is_hardware(EGLDeviceEXT device) {
    const char *extensions = device ? eglQueryDeviceStringEXT(device, EGL_EXTENSIONS) : NULL;
    return !extensions || !strstr(extensions, "EGL_MESA_device_software");
}

/* Puts hardware first, from number `turn` on, modulo how many there are. */
static void take_turns(EGLDeviceEXT devices[MAX_DEVICES], int count, int turn) {
    EGLDeviceEXT of[2][MAX_DEVICES];
    int counts[2] = {0};
    for (int i = 0; i < count; i++) {
        int hard = is_hardware(devices[i]);
        of[hard][counts[hard]++] = devices[i];
    }
    for (int i = 0; i < counts[1]; i++) devices[i] = of[1][(i + turn) % counts[1]];
    memcpy(devices + counts[1], of[0], (size_t)counts[0] * sizeof *devices);
}

static bool is_software(const char *renderer) {
    static const char *const names[] = {
        "llvmpipe", "LLVMPIPE" /* virgl's */, "softpipe", "lavapipe", "SwiftShader", "swrast"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(renderer, names[i])) return true;
    return false;
}

/* ---- contexts ---------------------------------------------------------------------------------- */

static EGLConfig any_config(EGLDisplay display) {
    const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT,
                             EGL_NONE};
    EGLConfig config = NULL;
    EGLint count = 0;
    return eglChooseConfig(display, wanted, &config, 1, &count) && count ? config : NULL;
}

static glshape_status make_context(gpu *g) {
    bool no_config = epoxy_has_egl_extension(g->display, "EGL_KHR_no_config_context");
    bool surfaceless = epoxy_has_egl_extension(g->display, "EGL_KHR_surfaceless_context");
    EGLConfig config = no_config && surfaceless ? EGL_NO_CONFIG_KHR : any_config(g->display);
    EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION_KHR,
                       4,
                       EGL_CONTEXT_MINOR_VERSION_KHR,
                       3,
                       EGL_CONTEXT_OPENGL_PROFILE_MASK_KHR,
                       EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT_KHR,
                       EGL_CONTEXT_FLAGS_KHR,
                       g->debug ? EGL_CONTEXT_OPENGL_DEBUG_BIT_KHR : 0,
                       EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_KHR,
                       EGL_LOSE_CONTEXT_ON_RESET_KHR,
                       EGL_NONE};
    if (!eglBindAPI(EGL_OPENGL_API))
        return fail(run_error(g->run), GLSHAPE_NO_DEVICE, "EGL offers no OpenGL here");
    g->context = eglCreateContext(g->display, config, EGL_NO_CONTEXT, wanted);
    if (g->context == EGL_NO_CONTEXT) { /* not every driver can tell of a reset */
        wanted[sizeof wanted / sizeof *wanted - 3] = EGL_NONE;
        g->context = eglCreateContext(g->display, config, EGL_NO_CONTEXT, wanted);
    }
    if (g->context == EGL_NO_CONTEXT)
        return fail(run_error(g->run), GLSHAPE_NO_DEVICE, "no OpenGL 4.3 core context (EGL error 0x%x)",
                    (unsigned)eglGetError());
    if (!surfaceless)
        g->surface =
            eglCreatePbufferSurface(g->display, config, (EGLint[]){EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE});
    return GLSHAPE_OK;
}

static glshape_status make_display(gpu *g, EGLDeviceEXT device) {
    EGLenum platform = device ? EGL_PLATFORM_DEVICE_EXT : EGL_PLATFORM_SURFACELESS_MESA;
    g->display = eglGetPlatformDisplayEXT(platform, device, NULL);
    if (g->display == EGL_NO_DISPLAY)
        return fail(run_error(g->run), GLSHAPE_NO_DEVICE, "EGL gives it no display");
    EGLint major, minor;
    if (!eglInitialize(g->display, &major, &minor))
        return fail(run_error(g->run), GLSHAPE_NO_DEVICE, "EGL cannot initialize it (EGL error 0x%x)",
                    (unsigned)eglGetError());
    return GLSHAPE_OK;
}

glshape_status gpu_enter(gpu *g) {
    if (g->reset) return gpu_check_reset(g);
    if (g->depth++ || !g->context) return GLSHAPE_OK;
    g->outer_display = eglGetCurrentDisplay();
    g->outer_context = eglGetCurrentContext();
    g->outer_draw = eglGetCurrentSurface(EGL_DRAW);
    g->outer_read = eglGetCurrentSurface(EGL_READ);
    eglBindAPI(EGL_OPENGL_API);
    if (eglMakeCurrent(g->display, g->surface, g->surface, g->context)) return GLSHAPE_OK;
    g->depth--;
    return fail(run_error(g->run), GLSHAPE_NO_DEVICE,
                "the OpenGL context cannot be made current (EGL error 0x%x)", (unsigned)eglGetError());
}

void gpu_leave(gpu *g) {
    if (--g->depth || !g->context) return;
    if (g->outer_context != EGL_NO_CONTEXT)
        eglMakeCurrent(g->outer_display, g->outer_draw, g->outer_read, g->outer_context);
    else eglMakeCurrent(g->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
}

/* ---- debug output ------------------------------------------------------------------------------ */

static void APIENTRY on_message(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length,
                                const GLchar *message, const void *user) {
    gpu *g = (gpu *)user;
    (void)source, (void)id, (void)severity, (void)length;
    if (type != GL_DEBUG_TYPE_ERROR && type != GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR) return;
    if (!g->complaint[0]) snprintf(g->complaint, sizeof g->complaint, "%s", message);
}

/* ---- resets ------------------------------------------------------------------------------------ */

/* Sets g->tells to how the driver says that it had to reset the device. */
static void ask_for_resets(gpu *g) {
    GLint strategy = 0;
    bool core = epoxy_gl_version() >= 45 || epoxy_has_gl_extension("GL_KHR_robustness");
    if (!core && !epoxy_has_gl_extension("GL_ARB_robustness")) return;
    glGetIntegerv(GL_RESET_NOTIFICATION_STRATEGY, &strategy);
    if (strategy == GL_LOSE_CONTEXT_ON_RESET) g->tells = core ? TELLS_CORE : TELLS_ARB;
}

static GLenum reset_of(const gpu *g) {
    return g->tells == TELLS_CORE  ? glGetGraphicsResetStatus()
           : g->tells == TELLS_ARB ? glGetGraphicsResetStatusARB()
                                   : GL_NO_ERROR;
}

glshape_status gpu_check_reset(gpu *g) {
    if (!g->reset) g->reset = reset_of(g);
    if (!g->reset) return GLSHAPE_OK;
    return fail(run_error(g->run), GLSHAPE_GPU_ERROR,
                "%s: the driver has reset the device%s, and all that lay there is lost; open another "
                "context, or run the command again, on another device of 'glshape devices' if need be",
                g->renderer,
                g->reset == GL_GUILTY_CONTEXT_RESET     ? ", as a pass of this process did not end"
                : g->reset == GL_INNOCENT_CONTEXT_RESET ? ", as another process made it hang"
                                                        : "");
}

glshape_status gpu_complaint(gpu *g) {
    GLenum code =
        glGetError(); /* the debug output of some drivers leaves errors out; nor may one be left over */
    if (!g->complaint[0]) {
        if (code == GL_NO_ERROR) return GLSHAPE_OK;
        snprintf(g->complaint, sizeof g->complaint, "OpenGL error 0x%x", code);
    }
    TRY(gpu_check_reset(g));
    glshape_status status = strstr(g->complaint, "OUT_OF_MEMORY") || strstr(g->complaint, "0x505")
                                ? GLSHAPE_NO_GPU_MEMORY
                                : GLSHAPE_GPU_ERROR;
    fail(run_error(g->run), status, "%s: %s", g->renderer, g->complaint);
    g->complaint[0] = 0;
    return status;
}

/* ---- opening ----------------------------------------------------------------------------------- */

static int integer(GLenum name) {
    GLint value = 0;
    glGetIntegerv(name, &value);
    return value;
}

static void read_limits(glshape_limits *l) {
    l->texture_size = integer(GL_MAX_TEXTURE_SIZE);
    l->image_units = integer(GL_MAX_COMPUTE_IMAGE_UNIFORMS);
    l->texture_units = integer(GL_MAX_COMPUTE_TEXTURE_IMAGE_UNITS);
    l->color_attachments = integer(GL_MAX_COLOR_ATTACHMENTS);
    l->shared_bytes = integer(GL_MAX_COMPUTE_SHARED_MEMORY_SIZE);
    l->group_invocations = integer(GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS);
    GLint groups = 0;
    glGetIntegeri_v(GL_MAX_COMPUTE_WORK_GROUP_COUNT, 0, &groups);
    l->group_count = groups;
#ifdef GPU_LEAST
    /* A build that has no more than OpenGL 4.3 guarantees: make check-least. */
    *l = (glshape_limits){.texture_size = 16384,
                          .image_units = 8,
                          .texture_units = 16,
                          .color_attachments = 8,
                          .shared_bytes = 32768,
                          .group_invocations = 1024,
                          .group_count = 65535};
#endif
}

static void copy_string(char *to, size_t size, GLenum name) {
    const GLubyte *text = glGetString(name);
    snprintf(to, size, "%s", text ? (const char *)text : "unknown");
}

static glshape_status set_up(gpu *g) {
    copy_string(g->renderer, sizeof g->renderer, GL_RENDERER);
    copy_string(g->vendor, sizeof g->vendor, GL_VENDOR);
    copy_string(g->version, sizeof g->version, GL_VERSION);
    copy_string(g->language, sizeof g->language, GL_SHADING_LANGUAGE_VERSION);
    g->software = is_software(g->renderer);
    g->zink = strstr(g->renderer, "zink") != NULL;
    g->virgl_of_software = g->software && strstr(g->renderer, "virgl") != NULL;
    read_limits(&g->limits);
    g->keeps_programs = integer(GL_NUM_PROGRAM_BINARY_FORMATS) > 0;
    g->cache = cache_folder();
    if (!g->zink && epoxy_has_gl_extension("GL_KHR_parallel_shader_compile"))
        glMaxShaderCompilerThreadsKHR((GLuint)threads_count(0));
    if (g->debug) {
        glEnable(GL_DEBUG_OUTPUT);
        glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
        glDebugMessageCallback(on_message, g);
    }
    glGenVertexArrays(1, &g->vertex_array);
    glBindVertexArray(g->vertex_array);
    glGenFramebuffers(1, &g->framebuffer);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    ask_for_resets(g);
    g->live = 2;
    /* A device whose compiler is not known is not opened before it has computed something. */
    return trust_knows(g) ? GLSHAPE_OK : self_test(g);
}

/* ---- processes --------------------------------------------------------------------------------- */

/* The first process that used a driver. A driver's threads do not survive fork(): a child whose parent had
 * used it would wait for them for ever. */
static _Atomic pid_t used_by;

static bool driver_is_elsewhere(void) { return used_by && used_by != getpid(); }

static glshape_status use_driver(error *err) {
    pid_t none = 0;
    atomic_compare_exchange_strong(&used_by, &none, getpid());
    if (!driver_is_elsewhere()) return GLSHAPE_OK;
    return fail(
        err, GLSHAPE_NO_DEVICE,
        "this process was forked from one that had used the OpenGL driver, which does not work in both; "
        "start it afresh (exec; in Python multiprocessing.get_context('spawn')), or fork first");
}

bool gpu_is_elsewhere(const gpu *g) { return g->process && g->process != getpid(); }

glshape_status gpu_check_process(gpu *g) {
    return gpu_is_elsewhere(g) ? use_driver(run_error(g->run)) : GLSHAPE_OK;
}

/* ---- one device ---------------------------------------------------------------------------------- */

/* Opens and enters one EGL device. After a failure g has the reason, and gpu_close releases what was made. */
static glshape_status open_device(gpu *g, EGLDeviceEXT device) {
    g->device = device;
    TRY(make_display(g, device));
    TRY(make_context(g));
    TRY(gpu_enter(g));
    return set_up(g);
}

/* Deletes the objects of the gpu itself. Returns how many others are alive. */
static int delete_objects(gpu *g) {
    transfers_free(g);
    textures_delete_spares(g);
    if (g->timers[0]) glDeleteQueries(TIMERS, g->timers), g->live -= TIMERS;
    if (g->vertex_array) glDeleteVertexArrays(1, &g->vertex_array), g->live--;
    if (g->framebuffer) glDeleteFramebuffers(1, &g->framebuffer), g->live--;
    return g->live;
}

/* Nothing that the driver of another process made can be given back. */
static int forget(gpu *g) {
    run_free(g->run);
    free(g->wanted);
    free(g);
    return 0;
}

int gpu_close(gpu *g) {
    if (!g) return 0;
    if (gpu_is_elsewhere(g)) return forget(g);
    int live = 0;
    if (g->context) {
        bool current = g->depth || !gpu_enter(g); /* if it is not, all objects end with the context */
        programs_free(g, current);
        if (current) {
            live = delete_objects(g);
            g->depth = 1;
            gpu_leave(g);
        }
        eglDestroyContext(g->display, g->context);
    }
    if (g->surface) eglDestroySurface(g->display, g->surface);
    /* No eglTerminate: a display belongs to the process, and another context may be using it. */
    threads_team_free(g->copiers);
    run_free(g->run);
    free(g->wanted);
    free(g->verdicts);
    free(g);
    return live;
}

static gpu *new_gpu(const glshape_options *o) {
    gpu *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    gpu_set_stage(g, o->stage);
    g->debug = o->debug;
    g->timing = o->timing;
    g->sharing = o->ranks;
    g->compiler = o->compiler;
    g->compile_seconds = COMPILE_SECONDS;
    g->run = run_new((run_options){.progress = o->progress,
                                   .user = o->user,
                                   .ranks = o->ranks == GLSHAPE_RANKS_SHARE ? ranks_world() : &ranks_alone});
    if (g->run && (!o->device || (g->wanted = strdup(o->device)))) return g;
    forget(g);
    return NULL;
}

/* ---- choosing ---------------------------------------------------------------------------------- */

static bool contains(const char *text, const char *part) {
    for (size_t n = strlen(part); *text; text++)
        if (!strncasecmp(text, part, n)) return true;
    return false;
}

static bool is_number(const char *text) {
    for (const char *c = text; *c; c++)
        if (!isdigit((unsigned char)*c)) return false;
    return *text != 0;
}

/* Returns 2: take it at once; 1: take it if no better one comes; 0: it is not wanted. */
static int rank_device(const gpu *g, int index, const char *wanted) {
    if (!wanted) return g->software ? 1 : 2;
    if (is_number(wanted)) return atoi(wanted) == index ? 2 : 0;
    return contains(g->renderer, wanted) ? 2 : 0;
}

static glshape_status no_device(error *err, const char *wanted, int count, const char *last) {
    if (!count)
        return fail(
            err, GLSHAPE_NO_DEVICE,
            "no OpenGL device: EGL lists none. Install a driver (Mesa's software renderer is the package "
            "libgl1-mesa-dri); in a container, check that the vendor's EGL JSON file is there");
    if (wanted)
        return fail(err, GLSHAPE_NO_DEVICE,
                    "no usable OpenGL 4.3 device is called '%s' (%d listed by EGL%s%s); "
                    "'glshape devices' lists them",
                    wanted, count, *last ? "; last: " : "", last);
    return fail(err, GLSHAPE_NO_DEVICE,
                "none of the %d EGL devices can be used for OpenGL 4.3 (last: %s); "
                "'glshape devices' lists them with the reasons",
                count, last);
}

/* Opens the best device for options into *out. */
static glshape_status open_best(error *err, const glshape_options *options, gpu **out) {
    TRY(use_driver(err));
    EGLDeviceEXT devices[MAX_DEVICES];
    int count = egl_devices(devices), best_rank = 0;
    gpu *best = NULL;
    char last[sizeof err->text / 2] = "";
    const char *wanted = options->device;
    cache_make();
    if (options->ranks) ranks_join();
    if (options->ranks && !wanted) take_turns(devices, count, ranks_world()->local);
    for (int i = 0; i < count && best_rank < 2; i++) {
        if (wanted && is_number(wanted) && atoi(wanted) != i) continue;
        gpu *g = new_gpu(options);
        if (!g) {
            gpu_close(best);
            return fail(err, GLSHAPE_NO_MEMORY, "no memory for a device");
        }
        glshape_status status = open_device(g, devices[i]);
        int rank = status ? 0 : rank_device(g, i, wanted);
        if (status) snprintf(last, sizeof last, "%.400s", run_error(g->run)->text);
        if (g->depth) gpu_leave(g);
        gpu *worse = rank > best_rank ? best : g;
        if (rank > best_rank) best = g, best_rank = rank;
        gpu_close(worse);
    }
    if (!best) return no_device(err, wanted, count, last);
    best->memory_limit = options->gpu_memory; /* of work, not of the self-test */
    *out = best;
    return GLSHAPE_OK;
}

/* Makes of g the open device `from`, and keeps of g its run and what concerns the caller. */
static void take_over(gpu *g, gpu *from) {
    gpu was = *g;
    free(from->wanted);
    run_free(from->run);
    *g = *from;
    free(from);
    g->run = was.run;
    g->wanted = was.wanted;
    g->instead = was.instead;
    g->process = getpid();
}

/* ---- when needed ------------------------------------------------------------------------------- */

static glshape_options options_of(const gpu *g) {
    return (glshape_options){.device = g->wanted,
                             .stage = g->stage,
                             .gpu_memory = g->memory_limit,
                             .debug = g->debug,
                             .timing = g->timing,
                             .compiler = g->compiler,
                             .ranks = g->sharing};
}

/* An opening that took the method that runs from its stage. */
static void note_opening(gpu *g, double since, int stage, bool opened) {
    run_begin_stage_since(g->run, "open", opened ? gpu_why_passes(g) : RUN_NOT_THERE, since);
    run_resume_stage(g->run, stage);
}

/* Makes g the device that was found, which is current where calls are between gpu_enter and gpu_leave. */
static glshape_status enter_found(gpu *g, gpu *found) {
    int depth = g->depth;
    take_over(g, found);
    glshape_status status = gpu_enter(g);
    if (!status && g->debug) glDebugMessageCallback(on_message, g);
    if (!status && !depth) gpu_leave(g);
    g->depth = depth;
    return status;
}

glshape_status gpu_need(gpu *g) {
    if (g->context) return GLSHAPE_OK;
    gpu *found;
    int stage = run_stage(g->run);
    double since = wall_seconds();
    run_end_stage(g->run);
    const glshape_options options = options_of(g);
    glshape_status status = open_best(run_error(g->run), &options, &found);
    if (!status) status = enter_found(g, found);
    if (!g->depth) return status;
    note_opening(g, since, stage, !status);
    if (!status) run_fact(g->run, wall_seconds() - since, "seconds of opening the device");
    return status;
}

glshape_status gpu_find(gpu *g, uint64_t bytes, bool *found) {
    *found = false;
    if (g->none && !g->context) return GLSHAPE_OK;
    glshape_status status = gpu_need(g);
    *found = !status && (gpu_is_named(g) || bytes <= gpu_memory_left(g));
    if (status != GLSHAPE_NO_DEVICE || gpu_is_named(g)) return status;
    *run_error(g->run) = (error){0};
    g->none = true;
    return GLSHAPE_OK;
}

glshape_status gpu_open_later(error *err, const glshape_options *options, gpu **out) {
    *out = new_gpu(options);
    if (!*out) return fail(err, GLSHAPE_NO_MEMORY, "no memory for a device");
    (*out)->memory_limit = options->gpu_memory;
    return GLSHAPE_OK;
}

glshape_status gpu_open(error *err, const glshape_options *options, gpu **out) {
    gpu *g;
    TRY(gpu_open_later(err, options, &g));
    glshape_status status = gpu_need(g);
    if (status && err) *err = *run_error(g->run);
    if (status) gpu_close(g);
    else *out = g;
    return status;
}

glshape_status gpu_compile(const glshape_options *options, const char *const *sources, int count) {
    gpu *g;
    OWNED char *folder = cache_folder(); /* one program is what its caller waits for */
    OWNED_BY(cache_let_go) int held = folder && count > 1 ? cache_hold(folder) : -1;
    TRY(gpu_open(NULL, options, &g));
    glshape_status status = gpu_enter(g);
    for (int i = 0; i < count && g->depth; i++) { /* one of many may be another process's work */
        bool done = program_is_kept(g, sources[i]) || (count > 1 && program_begun(g, sources[i]) >= 0);
        glshape_status failed = done ? GLSHAPE_OK : program_keep(g, sources[i]);
        if (!status) status = failed;
    }
    if (g->depth) gpu_leave(g);
    gpu_close(g);
    (void)held;
    return status;
}

bool gpu_is_open(const gpu *g) { return g->context != NULL; }
bool gpu_is_named(const gpu *g) { return g->wanted != NULL; }

static void describe(const gpu *g, glshape_status status, glshape_device *d) {
    memcpy(d->renderer, g->renderer, sizeof d->renderer);
    memcpy(d->vendor, g->vendor, sizeof d->vendor);
    memcpy(d->version, g->version, sizeof d->version);
    d->usable = status == GLSHAPE_OK;
    if (status) snprintf(d->why, sizeof d->why, "%.250s", run_error(g->run)->text);
    d->software = g->software;
    d->limits = g->limits;
    d->two_sum = g->two_sum;
    d->two_product = g->two_product;
    d->multi_limb = g->multi_limb;
    d->doubles = g->doubles;
    d->keeps_programs = g->keeps_programs;
}

glshape_status gpu_devices(error *err, glshape_device *out, int max, int *count, bool measure) {
    EGLDeviceEXT devices[MAX_DEVICES];
    *count = 0;
    TRY(use_driver(err));
    *count = egl_devices(devices);
    for (int i = 0; i < *count && i < max; i++) {
        gpu *g = new_gpu(&(glshape_options){0});
        if (!g) return fail(err, GLSHAPE_NO_MEMORY, "no memory to open device %d", i);
        out[i] = (glshape_device){0};
        glshape_status status = open_device(g, devices[i]);
        if (!status && !g->tested) status = self_test(g);
        if (!status && measure) status = calibrate(g, &out[i]);
        if (!status && measure) status = doubles_measure(g, &out[i].double_times, &out[i].slow_doubles);
        if (!status) trust_list(g, out[i].left, sizeof out[i].left);
        describe(g, status, &out[i]);
        if (g->depth) gpu_leave(g);
        gpu_close(g);
    }
    return GLSHAPE_OK;
}

/* ---- small answers ----------------------------------------------------------------------------- */

run *run_of(const gpu *g) { return g->run; }
const char *gpu_renderer(const gpu *g) { return g->renderer; }
const char *gpu_version(const gpu *g) { return g->version; }
bool gpu_is_software(const gpu *g) { return g->software; }
void gpu_set_exact(gpu *g, bool exact) {
    g->multi_limb = g->doubles = exact;
    g->tested = true;
}
void gpu_set_patient(gpu *g, bool patient) { g->patient = patient; }
void gpu_set_eager(gpu *g, bool eager) { g->eager = eager; }
void gpu_set_compile_seconds(gpu *g, double seconds) { g->compile_seconds = seconds; }
bool gpu_is_eager(const gpu *g) { return g->eager; }
const glshape_limits *gpu_get_limits(const gpu *g) { return &g->limits; }
void gpu_set_stage(gpu *g, gpu_stage stage) {
    g->stage = stage;
    g->fragment_asked = stage == GPU_STAGE_FRAGMENT;
}
bool gpu_asks_fragment(const gpu *g) { return g->fragment_asked; }
size_t gpu_memory_limit(const gpu *g) { return g->memory_limit; }
size_t gpu_bytes(const gpu *g) { return g->bytes; }
size_t gpu_peak_bytes(const gpu *g) { return g->peak; }
size_t gpu_recent_bytes(const gpu *g) { return g->recent; }
int gpu_live_objects(const gpu *g) { return g->live; }
