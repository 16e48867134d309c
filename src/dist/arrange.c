#define _DEFAULT_SOURCE /* sysconf(_SC_NPROCESSORS_ONLN) */
#include "dist/arrange.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"

#define BLOCK_BYTES (4u << 20)
#define MOST_THREADS 16

size_t arrange_page_bytes(const dist_phase *p) { return (size_t)(p->n - p->first) * p->slots * 16; }

size_t arrange_offset(const dist_phase *phases, int phase) {
    size_t sum = 0;
    for (int i = 0; i < phase; i++) sum += arrange_page_bytes(&phases[i]) * phases[i].cycle;
    return sum;
}

/* ---- the file ---------------------------------------------------------------------------------- */

/* A file without a name, of the given size, mapped: its pages are the system's to keep or to write out. The
 * room is reserved first: a full disk must be a message, not a signal. */
glshape_status arrange_store(error *err, size_t bytes, float **out) {
    const char *folder = getenv("TMPDIR") && *getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    char path[4096];
    snprintf(path, sizeof path, "%.4000s/glshape-pages-XXXXXX", folder);
    int fd = mkstemp(path);
    if (fd < 0)
        return fail(err, GLSHAPE_IO_ERROR, "%s: %s; set TMPDIR to a folder for temporary files", path,
                    strerror(errno));
    unlink(path);
    int code = posix_fallocate(fd, 0, (off_t)bytes);
    void *map = code ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (!code && map == MAP_FAILED) code = errno;
    close(fd);
    if (code)
        return fail(err, GLSHAPE_IO_ERROR,
                    "%s: %.1f MiB for arranged distances: %s; set TMPDIR to a folder with more room", folder,
                    (double)bytes / (1 << 20), strerror(code));
    *out = map;
    return GLSHAPE_OK;
}

/* ---- the scan ---------------------------------------------------------------------------------- */

typedef struct scan {
    const dist_pager_options *o;
    float *store;
    uint32_t *element; /* of each row */
    uint32_t rows_at_a_time;
    pthread_mutex_t lock;
    uint32_t next, done; /* rows handed out, finished */
    bool stop;
    error err;
} scan;

static float scaled(const scan *s, float value) {
    return isnan(value) ? DIST_NONE : (float)(value / s->o->reader.unit);
}

/* What element e needs in one phase, from its row. */
static void take_phase(const scan *s, const dist_phase *p, size_t offset, uint32_t e, const float *row) {
    size_t page = arrange_page_bytes(p) / sizeof(float), per_element = 4ull * p->slots;
    float *to = s->store + offset / sizeof(float) + (e - p->first) * per_element;
    uint32_t at = p->perm[e % p->m];
    for (uint32_t t = 0; t < p->cycle; t++, to += page)
        for (size_t k = 0; k < per_element; k++) {
            to[k] = scaled(s, row[s->o->order[p->perm[at]]]);
            if (++at == p->m) at = 0;
        }
}

static void take_row(const scan *s, uint32_t r, const float *row) {
    uint32_t e = s->element[r];
    for (int i = 0; i < s->o->phase_count; i++) {
        const dist_phase *p = &s->o->phases[i];
        if (e >= p->first && e < p->n) take_phase(s, p, arrange_offset(s->o->phases, i), e, row);
    }
}

/* Takes the next block of rows; false if there is none, or the scan is to stop. */
static bool claim(scan *s, uint32_t *first, uint32_t *count) {
    pthread_mutex_lock(&s->lock);
    uint32_t left = s->o->reader.n - s->next;
    *first = s->next;
    *count = left < s->rows_at_a_time ? left : s->rows_at_a_time;
    s->next += *count;
    bool more = *count && !s->stop;
    pthread_mutex_unlock(&s->lock);
    return more;
}

static bool report(scan *s, uint32_t count, bool good, uint32_t first, const char *message) {
    pthread_mutex_lock(&s->lock);
    s->done += count;
    if (!good && !s->stop) {
        s->stop = true;
        fail(&s->err, GLSHAPE_IO_ERROR, "rows %u to %u could not be read: %s", first + 1, first + count,
             message[0] ? message : "the reader gives no reason");
    }
    bool stop = s->stop;
    pthread_mutex_unlock(&s->lock);
    return !stop;
}

static bool scan_block(scan *s, float *rows) {
    uint32_t first, count, n = s->o->reader.n;
    char message[512] = "";
    if (!claim(s, &first, &count)) return false;
    bool good = s->o->reader.read(s->o->reader.user, first, count, rows, message, sizeof message);
    for (uint32_t i = 0; good && i < count; i++) take_row(s, first + i, rows + (size_t)i * n);
    return report(s, count, good, first, message);
}

static void *scan_thread(void *user) {
    scan *s = user;
    float *rows = malloc((size_t)s->rows_at_a_time * s->o->reader.n * sizeof *rows);
    while (rows && scan_block(s, rows)) continue;
    free(rows);
    return NULL;
}

static void set_stop(scan *s) {
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_mutex_unlock(&s->lock);
}

/* This thread scans too, and asks between blocks whether to go on. */
static glshape_status run_scan(gpu *g, scan *s, int threads) {
    pthread_t others[MOST_THREADS];
    int count = 0;
    float *rows = NULL;
    glshape_status status =
        allocate(gpu_error(g), &rows, s->rows_at_a_time, s->o->reader.n * sizeof *rows, "rows of distances");
    while (!status && count < threads - 1 && !pthread_create(&others[count], NULL, scan_thread, s)) count++;
    while (!status && scan_block(s, rows)) status = gpu_tick(g, 0.3 * s->done / s->o->reader.n);
    if (status) set_stop(s);
    while (count) pthread_join(others[--count], NULL);
    free(rows);
    if (!status && s->err.status) status = fail(gpu_error(g), s->err.status, "%s", s->err.text);
    return status;
}

static int thread_count(int wanted) {
    long cores = wanted > 0 ? wanted : sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : (int)cores;
}

glshape_status arrange(gpu *g, const dist_pager_options *o, float *store) {
    scan s = {.o = o, .store = store, .lock = PTHREAD_MUTEX_INITIALIZER};
    uint32_t n = o->reader.n;
    size_t rows = (o->block ? o->block : BLOCK_BYTES) / 4 / n;
    s.rows_at_a_time = rows < 1 ? 1 : rows < n ? (uint32_t)rows : n;
    TRY(allocate(gpu_error(g), &s.element, n, sizeof *s.element, "the places of the rows"));
    for (uint32_t e = 0; e < n; e++) s.element[o->order[e]] = e;
    glshape_status status = run_scan(g, &s, o->reader.alone ? 1 : thread_count(o->threads));
    free(s.element);
    return status;
}
