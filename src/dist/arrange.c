#define _GNU_SOURCE /* O_TMPFILE */
#include "dist/arrange.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/noise.h"
#include "base/owned.h"
#include "base/threads.h"

#define BLOCK_BYTES (4u << 20)
#define MOST_THREADS 16

size_t arrange_page_bytes(const dist_phase *p) { return (size_t)(p->n - p->first) * p->slots * 16; }

size_t arrange_offset(const dist_phase *phases, int phase) {
    size_t sum = 0;
    for (int i = 0; i < phase; i++) sum += arrange_page_bytes(&phases[i]) * phases[i].cycle;
    return sum;
}

/* ---- the file ---------------------------------------------------------------------------------- */

/* Opens a file without a name, which goes with the process. Where the file system cannot make one, it has the
 * name that path asks for, for a moment, in which a process that is killed leaves it behind, empty. */
static int open_nameless(const char *folder, char *path) {
#ifdef O_TMPFILE
    int nameless = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (nameless >= 0) return nameless;
#endif
    int fd = mkstemp(path);
    if (fd >= 0) unlink(path);
    return fd;
}

/* Room on the disk is reserved first: a full disk shall be a message, not a signal at the first write. */
glshape_status arrange_store(error *err, size_t bytes, float **out) {
    const char *folder = getenv("TMPDIR") && *getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    char path[4096];
    snprintf(path, sizeof path, "%.4000s/glshape-pages-XXXXXX", folder);
    int fd = open_nameless(folder, path);
    if (fd < 0)
        return fail(err, GLSHAPE_IO_ERROR, "%s: %s; set TMPDIR to a folder for temporary files", path,
                    strerror(errno));
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
    const uint32_t *element; /* of each row */
    uint32_t rows_at_a_time;
} scan;

static float scaled(const scan *s, float value) {
    return isnan(value) ? DIST_NONE : (float)(value / s->o->reader.unit);
}

/* Puts what element e needs in one phase into the store, from its row. */
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

static bool has(const dist_phase *p, uint32_t e) { return e >= p->first && e < p->n; }

static bool is_needed(const scan *s, uint32_t e) {
    for (int i = 0; i < s->o->phase_count; i++)
        if (has(&s->o->phases[i], e)) return true;
    return false;
}

static glshape_status take_rows(error *err, const scan *s, uint32_t first, uint32_t end, float *row) {
    const dist_phase *phases = s->o->phases;
    TRY(dist_read_raw(err, &s->o->reader, first, end - first, row));
    noise_clear(row, s->o->reader.n, first, end - first, NOISE_TOLERANCE);
    for (uint32_t r = first; r < end; r++, row += s->o->reader.n)
        for (int i = 0; i < s->o->phase_count; i++)
            if (has(&phases[i], s->element[r]))
                take_phase(s, &phases[i], arrange_offset(phases, i), s->element[r], row);
    return GLSHAPE_OK;
}

/* Reads, of a block of rows, those that are needed. */
static glshape_status scan_block(error *err, void *user, uint64_t block, void *scratch) {
    const scan *s = user;
    uint32_t r = (uint32_t)block * s->rows_at_a_time, left = s->o->reader.n - r;
    uint32_t end = r + (left < s->rows_at_a_time ? left : s->rows_at_a_time), first;
    while (r < end) {
        for (first = r; r < end && is_needed(s, s->element[r]);) r++;
        if (r > first) TRY(take_rows(err, s, first, r, scratch));
        r += r < end;
    }
    return GLSHAPE_OK;
}

glshape_status arrange(run *r, const dist_pager_options *o, float *store) {
    OWNED uint32_t *element = NULL;
    const dist_reader *reader = &o->reader;
    uint32_t n = reader->n;
    size_t rows = (o->block ? o->block : BLOCK_BYTES) / 4 / n;
    int threads = reader->alone ? 1 : threads_count(o->threads);
    TRY(allocate(run_error(r), &element, n, sizeof *element, "the places of the rows"));
    for (uint32_t e = 0; e < n; e++) element[o->order[e]] = e;
    scan s = {.o = o, .store = store, .element = element};
    s.rows_at_a_time = rows < 1 ? 1 : rows < n ? (uint32_t)rows : n;
    threads_job job = {.work = scan_block,
                       .user = &s,
                       .blocks = (n - 1) / s.rows_at_a_time + 1,
                       .scratch_bytes = times(s.rows_at_a_time, n * sizeof(float)),
                       .name = "rows of distances",
                       .threads = threads < MOST_THREADS ? threads : MOST_THREADS,
                       .progress = run_go_on,
                       .progress_user = r,
                       .to = 0.3};
    return threads_do(run_error(r), &job);
}
