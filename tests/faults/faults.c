/* Faults on demand, linked into the command in a build of its own (make faults): of every kind below,
 * FAULT=KIND:K makes the K-th call from glshape's own code fail as the system or the driver would have it
 * fail. Where fewer calls are made "no fault" is printed at the end. tools/faults runs through all of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <glshape.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *kind;
static long wanted;
static atomic_long seen;

/* Whether this call of a kind is the one that fails. */
static bool fault(const char *of) {
    if (!kind || strcmp(kind, of)) return false;
    return atomic_fetch_add(&seen, 1) + 1 == wanted;
}

/* ---- memory, files, threads -------------------------------------------------------------------- */

/* Result type, kind, errno and value of a failure, name, parameters, arguments. */
#define CALLS(X)                                                                                         \
    X(void *, "memory", ENOMEM, NULL, malloc, (size_t size), (size))                                     \
    X(void *, "memory", ENOMEM, NULL, calloc, (size_t count, size_t size), (count, size))                \
    X(void *, "memory", ENOMEM, NULL, realloc, (void *old, size_t size), (old, size))                    \
    X(FILE *, "memory", ENOMEM, NULL, open_memstream, (char **text, size_t *size), (text, size))         \
    X(FILE *, "open", EMFILE, NULL, fopen, (const char *path, const char *mode), (path, mode))           \
    X(FILE *, "open", ENOMEM, NULL, fdopen, (int fd, const char *mode), (fd, mode))                      \
    X(ssize_t, "read", EIO, -1, read, (int fd, void *to, size_t bytes), (fd, to, bytes))                 \
    X(ssize_t, "read", EIO, -1, pread, (int fd, void *to, size_t bytes, off_t at), (fd, to, bytes, at))  \
    X(ssize_t, "write", ENOSPC, -1, write, (int fd, const void *p, size_t bytes), (fd, p, bytes))        \
    X(ssize_t, "write", ENOSPC, -1, pwrite, (int fd, const void *p, size_t n, off_t at), (fd, p, n, at)) \
    X(int, "write", EIO, -1, ftruncate, (int fd, off_t size), (fd, size))                                \
    X(int, "sync", EIO, -1, fsync, (int fd), (fd))                                                       \
    X(int, "rename", EACCES, -1, rename, (const char *from, const char *to), (from, to))                 \
    X(int, "rename", EPERM, -1, link, (const char *from, const char *to), (from, to))                    \
    X(int, "open", EACCES, -1, mkstemp, (char *path), (path))                                            \
    X(void *, "map", ENOMEM, MAP_FAILED, mmap,                                                           \
      (void *at, size_t bytes, int how, int flags, int fd, off_t o), (at, bytes, how, flags, fd, o))

#define WRAP(type, of, error, value, name, parameters, arguments) \
    type __real_##name parameters;                                \
    type __wrap_##name parameters;                                \
    type __wrap_##name parameters {                               \
        if (!fault(of)) return __real_##name arguments;           \
        errno = error;                                            \
        return value;                                             \
    }
CALLS(WRAP)

/* A stream remembers its failure. */
static void spoil(FILE *f, int error) {
    f->_flags |= 0x20; /* what ferror looks at in glibc */
    errno = error;
}

size_t __real_fread(void *to, size_t size, size_t n, FILE *f);
size_t __wrap_fread(void *to, size_t size, size_t n, FILE *f);
size_t __wrap_fread(void *to, size_t size, size_t n, FILE *f) {
    return fault("read") ? spoil(f, EIO), 0 : __real_fread(to, size, n, f);
}

size_t __real_fwrite(const void *from, size_t size, size_t n, FILE *f);
size_t __wrap_fwrite(const void *from, size_t size, size_t n, FILE *f);
size_t __wrap_fwrite(const void *from, size_t size, size_t n, FILE *f) {
    return fault("write") ? spoil(f, ENOSPC), 0 : __real_fwrite(from, size, n, f);
}

int __real_fflush(FILE *f);
int __wrap_fflush(FILE *f);
int __wrap_fflush(FILE *f) { return fault("write") ? spoil(f, ENOSPC), EOF : __real_fflush(f); }

int __real_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (!fault("open")) return __real_open(path, flags, mode);
    return errno = EMFILE, -1;
}

int __real_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *), void *user);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *), void *user);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *), void *user) {
    return fault("thread") ? EAGAIN : __real_pthread_create(t, a, run, user);
}

/* ---- OpenGL -------------------------------------------------------------------------------------- */

/* libepoxy's functions are variables, which find the driver's when they are first called: ours take their
 * places, but while the driver's are called. */
#define CALL(name, ours, real, ...) (name = real, name(__VA_ARGS__), real = name, (void)(name = ours))
#define OUT_OF_MEMORY 0x0505
#define CONTEXT_LOST 0x0507
#define LINK_STATUS 0x8B82

typedef unsigned (*get_error)(void);
typedef void (*storage)(unsigned target, int levels, unsigned format, int width, int height);
typedef void (*dispatch)(unsigned x, unsigned y, unsigned z);
typedef void (*draw)(unsigned mode, int first, int count);
typedef void (*program)(unsigned program, unsigned what, int *out);
typedef void *(*map)(unsigned target, long at, long bytes, unsigned how);
typedef unsigned (*make_current)(void *display, void *draw, void *read, void *context);
extern get_error epoxy_glGetError;
extern storage epoxy_glTexStorage2D;
extern dispatch epoxy_glDispatchCompute;
extern draw epoxy_glDrawArrays;
extern program epoxy_glGetProgramiv;
extern map epoxy_glMapBufferRange;
extern make_current epoxy_eglMakeCurrent;

static get_error real_error;
static storage real_storage;
static dispatch real_dispatch;
static draw real_draw;
static program real_program;
static map real_map;
static make_current real_make_current;
static unsigned pending; /* an error that the driver has to tell */
static bool lost;

static unsigned wrap_error(void) {
    unsigned error = lost ? CONTEXT_LOST : pending;
    pending = 0;
    if (error) return error;
    epoxy_glGetError = real_error;
    error = epoxy_glGetError();
    real_error = epoxy_glGetError;
    epoxy_glGetError = wrap_error;
    return error;
}

static void wrap_storage(unsigned target, int levels, unsigned format, int width, int height) {
    if (fault("texture")) pending = OUT_OF_MEMORY;
    else CALL(epoxy_glTexStorage2D, wrap_storage, real_storage, target, levels, format, width, height);
}

static void wrap_dispatch(unsigned x, unsigned y, unsigned z) {
    if (fault("lost")) lost = true;
    if (fault("dispatch")) pending = OUT_OF_MEMORY;
    else if (!lost) CALL(epoxy_glDispatchCompute, wrap_dispatch, real_dispatch, x, y, z);
}

static void wrap_draw(unsigned mode, int first, int count) {
    if (fault("dispatch")) pending = OUT_OF_MEMORY;
    else CALL(epoxy_glDrawArrays, wrap_draw, real_draw, mode, first, count);
}

static void wrap_program(unsigned program, unsigned what, int *out) {
    CALL(epoxy_glGetProgramiv, wrap_program, real_program, program, what, out);
    if (what == LINK_STATUS && fault("program")) *out = 0;
}

static void *wrap_map(unsigned target, long at, long bytes, unsigned how) {
    if (fault("map")) return pending = OUT_OF_MEMORY, NULL;
    epoxy_glMapBufferRange = real_map;
    void *memory = epoxy_glMapBufferRange(target, at, bytes, how);
    real_map = epoxy_glMapBufferRange;
    epoxy_glMapBufferRange = wrap_map;
    return memory;
}

static unsigned wrap_make_current(void *display, void *to_draw, void *to_read, void *context) {
    if (fault("current")) return 0;
    epoxy_eglMakeCurrent = real_make_current;
    unsigned made = epoxy_eglMakeCurrent(display, to_draw, to_read, context);
    real_make_current = epoxy_eglMakeCurrent;
    epoxy_eglMakeCurrent = wrap_make_current;
    return made;
}

#define TAKE(name, ours, real) real = name, name = ours

static void __attribute__((constructor)) begin(void) {
    static char text[32];
    const char *said = getenv("FAULT");
    if (!said || !strchr(said, ':')) return;
    snprintf(text, sizeof text, "%s", said);
    wanted = atol(strchr(text, ':') + 1);
    *strchr(text, ':') = '\0';
    kind = text;
    TAKE(epoxy_glGetError, wrap_error, real_error);
    TAKE(epoxy_glTexStorage2D, wrap_storage, real_storage);
    TAKE(epoxy_glDispatchCompute, wrap_dispatch, real_dispatch);
    TAKE(epoxy_glDrawArrays, wrap_draw, real_draw);
    TAKE(epoxy_glGetProgramiv, wrap_program, real_program);
    TAKE(epoxy_glMapBufferRange, wrap_map, real_map);
    TAKE(epoxy_eglMakeCurrent, wrap_make_current, real_make_current);
}

static void __attribute__((destructor)) end(void) {
    if (kind && atomic_load(&seen) < wanted) dprintf(STDERR_FILENO, "no fault\n");
}

/* What a context leaves behind is a finding too. */
int __real_glshape_close(glshape_context *context);
int __wrap_glshape_close(glshape_context *context);
int __wrap_glshape_close(glshape_context *context) {
    int alive = __real_glshape_close(context);
    if (alive && !lost) dprintf(STDERR_FILENO, "objects alive: %d\n", alive);
    return alive;
}
