/* Compiles, links and runs shaders on the first device that EGL has, each within bounds, and prints a line
 * for each. tools/check-vendors runs it on drivers of cards that are not there, so what is run computes
 * nothing. It needs no more than EGL, so that it runs in a folder of another system.
 *
 *     compile SECONDS MEGABYTES [-doubles] SHADER.comp SHADER.frag …
 *     compile -warnings SHADER.comp SHADER.frag …
 *
 * A worker compiles; if a program takes it five times the seconds or three times the memory, it is ended, and
 * another one goes on behind that program. The first line is the driver; the others are, with tabs between,
 *     NAME VERDICT SECONDS MEGABYTES REGISTERS SPILLS SCRATCH WORDS
 * of processor seconds, megabytes that were needed in addition, and what the driver tells of the program. A
 * driver that tells something of a small program has dropped another of which it tells nothing. With
 * -doubles, programs that have doubles are refused.
 *
 * With -warnings, Mesa's software renderer compiles the shaders and links none, and those of which it warns
 * are printed: all drivers of Mesa read GLSL by the same code, and so warn of the same. */
#define _GNU_SOURCE /* strcasestr */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>
#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FUNCTIONS(X)                                         \
    X(PFNGLGETSTRINGPROC, GetString)                         \
    X(PFNGLCREATESHADERPROC, CreateShader)                   \
    X(PFNGLSHADERSOURCEPROC, ShaderSource)                   \
    X(PFNGLCOMPILESHADERPROC, CompileShader)                 \
    X(PFNGLGETSHADERINFOLOGPROC, GetShaderInfoLog)           \
    X(PFNGLDELETESHADERPROC, DeleteShader)                   \
    X(PFNGLCREATEPROGRAMPROC, CreateProgram)                 \
    X(PFNGLATTACHSHADERPROC, AttachShader)                   \
    X(PFNGLLINKPROGRAMPROC, LinkProgram)                     \
    X(PFNGLGETPROGRAMIVPROC, GetProgramiv)                   \
    X(PFNGLGETPROGRAMINFOLOGPROC, GetProgramInfoLog)         \
    X(PFNGLDELETEPROGRAMPROC, DeleteProgram)                 \
    X(PFNGLUSEPROGRAMPROC, UseProgram)                       \
    X(PFNGLDISPATCHCOMPUTEPROC, DispatchCompute)             \
    X(PFNGLDRAWARRAYSPROC, DrawArrays)                       \
    X(PFNGLGENVERTEXARRAYSPROC, GenVertexArrays)             \
    X(PFNGLBINDVERTEXARRAYPROC, BindVertexArray)             \
    X(PFNGLGENFRAMEBUFFERSPROC, GenFramebuffers)             \
    X(PFNGLBINDFRAMEBUFFERPROC, BindFramebuffer)             \
    X(PFNGLFRAMEBUFFERPARAMETERIPROC, FramebufferParameteri) \
    X(PFNGLENABLEPROC, Enable)                               \
    X(PFNGLDEBUGMESSAGECALLBACKPROC, DebugMessageCallback)   \
    X(PFNGLDEBUGMESSAGECONTROLPROC, DebugMessageControl)     \
    X(PFNGLGETERRORPROC, GetError)                           \
    X(PFNGLFINISHPROC, Finish)
#define DECLARE(type, name) static type gl##name;
FUNCTIONS(DECLARE)

#define WORDS 300

/* What is found out about a program. */
typedef struct finding {
    const char *verdict;
    double seconds, megabytes;
    long registers, spills, scratch; /* as far as the driver tells */
    bool told;
    char words[WORDS]; /* of the driver: a complaint */
} finding;

static finding now;          /* of the program at hand: the driver calls back */
static char usual[8][WORDS]; /* complaints about a program of which there is nothing to complain */
static int usuals;
static bool learns; /* what is usual */

/* How bad a verdict of a worker is. */
static int badness(const char *verdict) {
    static const char *const all[] = {"right", "warning", "large", "slow", "message", "dropped", "link"};
    int i = 0;
    while (strcmp(all[i], verdict)) i++;
    return i;
}

/* Keeps the first of the worst. Numbers do not make a complaint another one. */
static void complain(const char *verdict, const char *words) {
    for (int i = 0; i < usuals; i++)
        if (words[0] && !strncmp(usual[i], words, strcspn(words, "0123456789"))) return;
    if (learns && usuals < 8) snprintf(usual[usuals++], WORDS, "%s", words);
    if (learns || badness(verdict) <= badness(now.verdict)) return;
    now.verdict = verdict;
    if (words != now.words) snprintf(now.words, sizeof now.words, "%s", words);
    for (char *c = now.words; *c; c++)
        if (iscntrl((unsigned char)*c)) *c = ' ';
}

/* ---- what drivers say ---------------------------------------------------------------------------- */

static long number_behind(const char *text, const char *word) {
    const char *at = strcasestr(text, word);
    return at ? strtol(at + strlen(word), NULL, 10) : -1;
}

static long number_before(const char *text, const char *word) {
    const char *at = strstr(text, word);
    while (at && at > text && isdigit((unsigned char)at[-1])) at--;
    return at ? strtol(at, NULL, 10) : -1;
}

static void most(long *of, long value) {
    if (value > *of) *of = value;
}

/* radeonsi: "SGPRS: 16 VGPRS: 12 Code Size: 40 … Scratch: 0 … Spilled VGPRs: 0"; Intel: "73 inst, … 0:0
 * spills:fills"; Nouveau: "local: 0, shared: 0, gpr: 10, inst: 30"; Asahi: "5 instrs, … 15 gprs, … 0 scratch,
 * … 0:0 spills:fills"; r600: "50 dw, 4 gprs, 6 alu_groups". */
static bool tells(const char *text) {
    if (!strstr(text, " inst") && !strcasestr(text, "code size") && !strstr(text, " alu_groups"))
        return false;
    most(&now.registers, number_behind(text, " VGPRS: "));
    most(&now.registers, number_behind(text, "gpr: "));
    most(&now.registers, number_before(text, " gprs"));
    most(&now.spills, number_behind(text, "Spilled VGPRs: "));
    most(&now.spills, number_behind(text, "Spilled SGPRs: "));
    const char *colon = strstr(text, " spills:fills");
    if (colon) {
        while (colon > text && colon[-1] != ' ') colon--;
        most(&now.spills, strtol(colon, NULL, 10));
    }
    most(&now.scratch, number_behind(text, "Scratch: "));
    most(&now.scratch, number_before(text, " scratch"));
    most(&now.scratch, number_behind(text, "local: "));
    return true;
}

/* Intel's compiler tries a program in several widths, and some fail: it is in doubt whether all do. */
static char doubt[WORDS];

static bool is_failure(const char *text) {
    static const char *const words[] = {"fail",        "error",         "assert",
                                        "unsupported", "out of memory", "unhandled"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(text, words[i])) return true;
    return false;
}

static void APIENTRY hear(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length,
                          const GLchar *text, const void *user) {
    (void)source, (void)id, (void)severity, (void)length, (void)user;
    if (tells(text)) now.told = true;
    else if (type == GL_DEBUG_TYPE_ERROR) complain("message", text);
    else if (is_failure(text)) snprintf(doubt, sizeof doubt, "%s", text);
}

/* Standard error goes into a file; what came since the last time is a complaint if it says so. */
static void hear_errors(FILE *file) {
    char line[WORDS];
    fflush(stderr);
    while (fgets(line, sizeof line, file))
        if (is_failure(line)) complain("message", line);
    clearerr(file);
}

/* ---- the device ---------------------------------------------------------------------------------- */

static bool open_device(bool software) {
    static const EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION,
                                    4,
                                    EGL_CONTEXT_MINOR_VERSION,
                                    3,
                                    EGL_CONTEXT_OPENGL_DEBUG,
                                    EGL_TRUE,
                                    EGL_NONE};
    PFNEGLQUERYDEVICESEXTPROC query = (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
    PFNEGLGETPLATFORMDISPLAYEXTPROC get =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    EGLDeviceEXT device;
    EGLint count = 0;
    if (!query || !get || (!software && (!query(1, &device, &count) || !count))) return false;
    EGLDisplay display = software ? get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL)
                                  : get(EGL_PLATFORM_DEVICE_EXT, device, NULL);
    if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API)) return false;
    EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, wanted);
    if (!context || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) return false;
#define FIND(type, name) \
    if (!(gl##name = (type)eglGetProcAddress("gl" #name))) return false;
    FUNCTIONS(FIND)
    GLuint object;
    glGenVertexArrays(1, &object);
    glBindVertexArray(object);
    glGenFramebuffers(1, &object);
    glBindFramebuffer(GL_FRAMEBUFFER, object); /* of one pixel that nothing is stored in */
    glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_WIDTH, 1);
    glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_HEIGHT, 1);
    glEnable(GL_DEBUG_OUTPUT);
    glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    glDebugMessageControl(GL_DONT_CARE, GL_DONT_CARE, GL_DONT_CARE, 0, NULL, GL_TRUE);
    glDebugMessageCallback(hear, NULL);
    return true;
}

/* ---- a program ----------------------------------------------------------------------------------- */

/* Megabytes: those in use (VmRSS), or the most since the last call with reset (VmHWM). */
static double memory(const char *process, const char *which) {
    char path[40], line[100];
    double kilobytes = 0;
    snprintf(path, sizeof path, "/proc/%s/status", process);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, which, strlen(which))) kilobytes = strtod(line + strlen(which) + 1, NULL);
    if (f) fclose(f);
    return kilobytes / 1000;
}

static void forget_peak(void) {
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f) fputs("5", f), fclose(f);
}

static double processor_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static void attach(GLuint program, GLenum kind, const char *source) {
    GLuint shader = glCreateShader(kind);
    char log[WORDS] = "";
    glShaderSource(shader, 1, &source, NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    if (strstr(log, "uninitialized")) complain("warning", log);
    glDeleteShader(shader);
}

static void run(bool fragment) {
    if (fragment) glDrawArrays(GL_TRIANGLES, 0, 3);
    else glDispatchCompute(1, 1, 1);
    glFinish();
}

static void try(const char *source, bool fragment, FILE *errors) {
    static const char vertex[] =
        "#version 430 core\n"
        "void main() { gl_Position = vec4(gl_VertexID == 1 ? 3 : -1, gl_VertexID == 2 ? 3 : -1, 0, 1); }\n";
    GLint linked = GL_FALSE;
    char log[WORDS] = "";
    now = (finding){.verdict = "right", .registers = -1, .spills = -1, .scratch = -1};
    doubt[0] = 0;
    forget_peak();
    double before = memory("self", "VmRSS"), since = processor_seconds();
    GLuint program = glCreateProgram();
    attach(program, fragment ? GL_FRAGMENT_SHADER : GL_COMPUTE_SHADER, source);
    if (fragment) attach(program, GL_VERTEX_SHADER, vertex);
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    glGetProgramInfoLog(program, sizeof log, NULL, log);
    if (linked) glUseProgram(program), run(fragment);
    else complain("link", log);
    while (glGetError()) continue; /* textures are not bound, which no driver looks at before it compiles */
    now.seconds = processor_seconds() - since;
    now.megabytes = memory("self", "VmHWM") - before;
    glUseProgram(0);
    glDeleteProgram(program);
    hear_errors(errors);
    if (doubt[0] && !now.told) complain("message", doubt);
}

static char *read_file(const char *path) {
    FILE *f = fopen(path, "rb");
    char *text = calloc(1 << 20, 1);
    if (!f || !text || !fread(text, 1, (1 << 20) - 1, f)) return NULL;
    fclose(f);
    return text;
}

static const char *name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void print_finding(const char *path) {
    printf("%s\t%s\t%.3f\t%.0f\t%ld\t%ld\t%ld\t%s\n", name_of(path), now.verdict, now.seconds, now.megabytes,
           now.registers, now.spills, now.scratch, now.words);
    fflush(stdout);
}

/* A type, or a function that takes doubles apart; words of comments and names of other things are none. */
static bool is_of_doubles(const char *word, size_t length) {
    static const char *const all[] = {"double", "dvec2",          "dvec3",
                                      "dvec4",  "packDouble2x32", "unpackDouble2x32"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (length == strlen(all[i]) && !strncmp(word, all[i], length)) return true;
    return false;
}

/* But for programs that measure what a driver does with doubles. */
static bool has_doubles(const char *path, const char *source) {
    if (!strncmp(name_of(path), "gpu-", 4)) return false;
    for (const char *at = source; *at;) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_') length++;
        if (is_of_doubles(at, length)) return true;
        if (!strncmp(at, "//", 2)) length = strcspn(at, "\n");
        at += length ? length : 1;
    }
    return false;
}

/* Compiles from a program on. Writes the number of each into `at` when it begins. */
static int work(char **paths, int first, int count, bool doubles, double seconds, double megabytes, int at,
                bool greets) {
    char path[] = "/tmp/compile-XXXXXX";
    int file = mkstemp(path);
    FILE *errors = fopen(path, "r");
    if (file < 0 || !errors) return 1;
    unlink(path);
    dup2(file, STDERR_FILENO);
    if (!open_device(false)) return fputs("there is no device\n", stdout), 2;
    const char *renderer = (const char *)glGetString(GL_RENDERER);
    if (greets) printf("%s, %s\n", renderer, (const char *)glGetString(GL_VERSION)), fflush(stdout);
    if (strstr(renderer, "llvmpipe")) return 2;
    while (fgets((char[WORDS]){0}, WORDS, errors)) continue; /* what shims say when they are loaded */
    clearerr(errors);
    learns = true;
    try("#version 430 core\nlayout(local_size_x = 64) in; layout(r32ui) uniform uimage2D i;\n"
        "void main() { imageStore(i, ivec2(gl_LocalInvocationID.xy), uvec4(7u)); }\n",
        false, errors);
    bool tells_all = now.told;
    learns = false;
    for (int i = first; i < count; i++) {
        char *source = read_file(paths[i]);
        bool fragment = strstr(paths[i], ".frag") != NULL;
        if (!source || write(at, &i, sizeof i) != sizeof i) return 1;
        if (!doubles && has_doubles(paths[i], source)) {
            now = (finding){.verdict = "refused", .registers = -1, .spills = -1, .scratch = -1};
        } else {
            try(source, fragment, errors);
            if (tells_all && !now.told)
                complain("dropped", now.words[0] ? now.words : "nothing was translated");
            if (now.seconds > seconds) complain("slow", "");
            if (now.megabytes > megabytes) complain("large", "");
        }
        print_finding(paths[i]);
        free(source);
    }
    return 0;
}

/* Returns 1 if there is a warning, 2 without a device. */
static int warn(char **paths, int count) {
    if (!open_device(true)) return fputs("there is no software renderer of Mesa\n", stdout), 2;
    int warnings = 0;
    for (int i = 0; i < count; i++) {
        char *source = read_file(paths[i]);
        if (!source) return fprintf(stdout, "cannot read %s\n", paths[i]), 2;
        GLuint program = glCreateProgram();
        now = (finding){.verdict = "right"};
        attach(program, strstr(paths[i], ".frag") ? GL_FRAGMENT_SHADER : GL_COMPUTE_SHADER, source);
        glDeleteProgram(program);
        free(source);
        if (!strcmp(now.verdict, "right")) continue;
        printf("%s: %s\n", name_of(paths[i]), now.words);
        warnings++;
    }
    return warnings != 0;
}

/* ---- the watch ----------------------------------------------------------------------------------- */

static double seconds_of(pid_t process) {
    char path[40], text[1000] = "";
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *f = fopen(path, "r");
    if (f && fgets(text, sizeof text, f) && strrchr(text, ')'))
        sscanf(strrchr(text, ')') + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
               &system);
    if (f) fclose(f);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

#define SECONDS_TIMES 5
#define MEGABYTES_TIMES 3
#define IDLE_TURNS 6000 /* hundredths of a second that a worker only waits */

/* Watches a worker. Returns its exit status; -1: it was ended, or ended itself, in program *at. */
static int watch(pid_t worker, int from, double seconds, double megabytes, int *at) {
    double since = 0, last = 0;
    int status = 0, idle = 0;
    char number[16];
    snprintf(number, sizeof number, "%d", (int)worker);
    now = (finding){.verdict = "crashed", .registers = -1, .spills = -1, .scratch = -1};
    for (;; usleep(10000)) {
        int next;
        double used = seconds_of(worker), needs = memory(number, "VmRSS");
        bool begins = false;
        while (read(from, &next, sizeof next) == sizeof next) *at = next, begins = true;
        if (begins) since = used;
        idle = used > last || begins ? 0 : idle + 1;
        last = used;
        now.seconds = used - since;
        now.megabytes = needs;
        if (waitpid(worker, &status, WNOHANG) == worker) return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        bool late = used - since > SECONDS_TIMES * seconds, waits = idle > IDLE_TURNS;
        if (!late && !waits && needs < MEGABYTES_TIMES * megabytes) continue;
        kill(worker, SIGKILL);
        waitpid(worker, &status, 0);
        now.verdict = late ? "late" : waits ? "hung" : "huge";
        return -1;
    }
}

int main(int argc, char **argv) {
    if (argc > 2 && !strcmp(argv[1], "-warnings")) return warn(argv + 2, argc - 2);
    if (argc < 4) return 2;
    double seconds = strtod(argv[1], NULL), megabytes = strtod(argv[2], NULL);
    bool doubles = strcmp(argv[3], "-doubles") != 0;
    char **paths = argv + (doubles ? 3 : 4);
    int count = argc - (doubles ? 3 : 4);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int first = 0; first < count;) {
        int at[2], program = first - 1;
        if (pipe(at)) return 1;
        fflush(stdout);
        pid_t worker = fork();
        if (worker < 0) return 1;
        if (!worker) {
            close(at[0]);
            int code = work(paths, first, count, doubles, seconds, megabytes, at[1], !first);
            fflush(stdout);
            _exit(code); /* a driver's end is not looked at */
        }
        close(at[1]);
        fcntl(at[0], F_SETFL, O_NONBLOCK);
        int code = watch(worker, at[0], seconds, megabytes, &program);
        close(at[0]);
        if (!code) return 0;
        if (code > 0 || program < first) return 2; /* no driver, or one that does not even begin */
        print_finding(paths[program]);
        first = program + 1;
    }
    return 0;
}
