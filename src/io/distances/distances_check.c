/* The check of a whole matrix in one pass over its rows, by several threads.
 *
 * Symmetry. Let b(i,j) be the bits of a_ij with the sign of -0 dropped and all NaN alike: 31 bits, as no
 * value is negative. With u_j uniform in the field of p = 2^61 - 1 elements, the fingerprint
 *     sum over i of u_i (sum over j < i of u_j b(i,j) - sum over j > i of u_j b(i,j))
 *       = sum over j < i of u_i u_j (b(i,j) - b(j,i))
 * is 0 if all b(i,j) = b(j,i). Else it is a polynomial of degree 2 in u that is not zero, as the differences
 * are below p, and is 0 with probability at most 2 / p (Schwartz and Zippel).
 * The inner sums are made exactly from limbs of u_j of 21, 21 and 19 bits: a product has at most 52. */
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/random.h"
#include "base/threads.h"
#include "io/distances/distances_internal.h"
#include "io/number.h"

enum { CHUNK = 512, LIMBS = 3, LIMB_BITS = 21, BLOCK_BYTES = 1 << 20, MOST_ROWS = 256, LANES = 8 };
enum { INFINITE_BITS = 0x7F800000, NAN_BITS = 0x7FC00000 };
/* Functions that are compiled once for each kind of processor. */
#if defined(__GNUC__)
#define INLINE inline __attribute__((always_inline))
#else
#define INLINE inline
#endif
#define PRIME ((UINT64_C(1) << 61) - 1)

/* u_j = limbs[0][j] + 2^21 limbs[1][j] + 2^42 limbs[2][j]. */
typedef struct weights {
    uint32_t *limbs[LIMBS]; /* one block; the length is a multiple of CHUNK */
} weights;

typedef struct row_sums {
    uint64_t fingerprint; /* the inner sum of the fingerprint, modulo p */
    double squares;
    uint32_t missing, largest; /* the bits of a value >= 0 have its order */
} row_sums;

typedef struct checker {
    io_distances *d;
    weights w;
    row_sums *rows; /* of row i; one thread fills it */
    uint32_t block; /* how many rows a block has */
} checker;

/* ---- arithmetic modulo p ---------------------------------------------------------------------------- */

static uint64_t reduce(uint64_t x) {
    x = (x & PRIME) + (x >> 61);
    return x >= PRIME ? x - PRIME : x;
}

static uint64_t add(uint64_t a, uint64_t b) { return reduce(a + b); }
static uint64_t negate(uint64_t a) { return a ? PRIME - a : 0; }

/* a 2^k, a < p. */
static uint64_t rotate(uint64_t a, int k) { return k ? (a << k & PRIME) | a >> (61 - k) : a; }

static uint64_t multiply(uint64_t a, uint64_t b) {
    uint64_t product = 0;
    for (int k = 0; k < 61; k++)
        if (b >> k & 1) product = add(product, rotate(a, k));
    return product;
}

/* ---- weights ---------------------------------------------------------------------------------------- */

static glshape_status make_weights(error *err, const io_distances *d, weights *w) {
    size_t n = ((size_t)d->n + CHUNK - 1) / CHUNK * CHUNK;
    random_state random = {d->n};
    TRY(allocate(err, &w->limbs[0], n, LIMBS * sizeof(uint32_t), d->name));
    for (int k = 1; k < LIMBS; k++) w->limbs[k] = w->limbs[0] + (size_t)k * n;
    for (size_t j = 0; j < d->n; j++) {
        uint64_t u = PRIME;
        while (u == PRIME) u = random_bits(&random) >> 3;
        for (int k = 0; k < LIMBS; k++)
            w->limbs[k][j] = (uint32_t)(u >> k * LIMB_BITS & ((1u << LIMB_BITS) - 1));
    }
    return GLSHAPE_OK;
}

static uint64_t weight(const weights *w, size_t j) {
    uint64_t u = 0;
    for (int k = LIMBS; k-- > 0;) u = u << LIMB_BITS | w->limbs[k][j];
    return u;
}

/* ---- a chunk of a row ------------------------------------------------------------------------------- */

typedef struct chunk_facts {
    int32_t largest, missing;
    bool faults, infinite;
    double squares;
    uint64_t dots[LIMBS]; /* of bits and limbs */
} chunk_facts;

/* Replaces all NaN by one NaN and -0 by 0 in bits; values are the same with 0 for NaN and infinity. Integers
 * are signed, because vector units compare only signed ones. */
static INLINE void normalise(uint32_t bits[CHUNK], uint32_t values[CHUNK], chunk_facts *f) {
    int32_t largest = 0, negative = 0, missing = 0, infinite = 0;
    for (int k = 0; k < CHUNK; k++) {
        int32_t magnitude = (int32_t)(bits[k] & 0x7FFFFFFFu), nan = -(magnitude > INFINITE_BITS),
                never = -(magnitude == INFINITE_BITS);
        int32_t value = magnitude & ~(nan | never);
        negative |= (int32_t)bits[k] & (-value | never); /* the sign bit of -value: value is not 0 */
        missing -= nan;
        infinite |= never;
        largest = value > largest ? value : largest;
        bits[k] = (uint32_t)(value | (never & INFINITE_BITS) | (nan & NAN_BITS));
        values[k] = (uint32_t)value;
    }
    f->largest = largest;
    f->missing = missing;
    f->infinite = infinite;
    f->faults = negative < 0;
}

/* Returns the sum of squares, added lane by lane so that the order is the same with vectors of any width. */
static INLINE double squares(const float distances[CHUNK]) {
    double sums[LANES] = {0}, sum = 0;
    for (int k = 0; k < CHUNK; k += LANES)
        for (int l = 0; l < LANES; l++) sums[l] += (double)distances[k + l] * distances[k + l];
    for (int l = 0; l < LANES; l++) sum += sums[l];
    return sum;
}

/* The products are below 2^52. One loop, so that each value is widened once. */
static INLINE void multiply_limbs(const uint32_t bits[CHUNK], const weights *w, size_t col,
                                  uint64_t dots[LIMBS]) {
    const uint32_t *low = w->limbs[0] + col, *middle = w->limbs[1] + col, *high = w->limbs[2] + col;
    uint64_t sums[LIMBS] = {0};
    for (int k = 0; k < CHUNK; k++) {
        sums[0] += (uint64_t)bits[k] * low[k];
        sums[1] += (uint64_t)bits[k] * middle[k];
        sums[2] += (uint64_t)bits[k] * high[k];
    }
    memcpy(dots, sums, sizeof sums);
}

static INLINE void scan_chunk(const weights *w, size_t col, uint32_t bits[CHUNK], chunk_facts *f) {
    union {
        uint32_t bits[CHUNK];
        float distances[CHUNK];
    } values;
    normalise(bits, values.bits, f);
    f->squares = squares(values.distances);
    multiply_limbs(bits, w, col, f->dots);
}

/* scan_chunk() for every processor and, if this one has them, for wider vectors. */
static void scan_any(const weights *w, size_t col, uint32_t bits[CHUNK], chunk_facts *f) {
    scan_chunk(w, col, bits, f);
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) static void scan_wide(const weights *w, size_t col, uint32_t bits[CHUNK],
                                                      chunk_facts *f) {
    scan_chunk(w, col, bits, f);
}

static void scan(const weights *w, size_t col, uint32_t bits[CHUNK], chunk_facts *f) {
    if (__builtin_cpu_supports("avx2")) scan_wide(w, col, bits, f);
    else scan_any(w, col, bits, f);
}
#else
static void scan(const weights *w, size_t col, uint32_t bits[CHUNK], chunk_facts *f) {
    scan_any(w, col, bits, f);
}
#endif

static uint64_t fingerprint(const uint64_t dots[LIMBS]) {
    uint64_t sum = 0;
    for (int k = 0; k < LIMBS; k++) sum = add(sum, rotate(reduce(dots[k]), k * LIMB_BITS));
    return sum;
}

/* Returns the part of the inner sum that comes from the chunk of row `row` at column col, whose values have
 * been scanned. */
static uint64_t signed_fingerprint(const weights *w, size_t row, size_t col, const uint32_t bits[CHUNK],
                                   const chunk_facts *f) {
    uint64_t all = fingerprint(f->dots);
    if (row >= col + CHUNK) return all;
    if (row < col) return negate(all);
    uint32_t before[CHUNK] = {0};
    chunk_facts of_before;
    memcpy(before, bits, (row - col) * sizeof *bits);
    scan(w, col, before, &of_before);
    uint64_t part = fingerprint(of_before.dots);
    return add(add(part, part), negate(all));
}

/* ---- a block of rows -------------------------------------------------------------------------------- */

/* Returns a value as messages show it. */
static const char *value_text(char out[IO_NUMBER_ROOM], float value) {
    io_number_print_float(out, value);
    return out;
}

static glshape_status refuse_value(error *err, const io_distances *d, uint32_t row, uint32_t col,
                                   float value) {
    char text[IO_NUMBER_ROOM];
    bool mirrored = d->fortran || (isnan(value) && !d->weights && d->layout == DISTANCES_LOWER && row < col);
    unsigned long r = (mirrored ? col : row) + 1ul, c = (mirrored ? row : col) + 1ul;
    if (d->weights)
        return fail(
            err, GLSHAPE_BAD_INPUT,
            "%s: row %lu, column %lu is %s; weights are finite numbers, not negative; 0 leaves a pair "
            "out",
            d->name, r, c,
            isnan(value)   ? "missing"
            : isinf(value) ? "infinite"
                           : value_text(text, value));
    if (row == col)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s: row %lu, column %lu is %s; the diagonal of a distance matrix is 0; if it is "
                    "rounding, numpy.fill_diagonal(d, 0) clears it",
                    d->name, r, c, isnan(value) ? "missing" : value_text(text, value));
    if (isnan(value))
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s: row %lu, column %lu is nan; inf stands for two points that are never joined",
                    d->name, r, c);
    if (isinf(value) && d->infinite_allowed)
        return fail(
            err, GLSHAPE_BAD_INPUT,
            "%s: row %lu, column %lu is beyond %g, the largest float32, or -inf; inf stands for two points "
            "that are never joined",
            d->name, r, c, (double)FLT_MAX);
    if (isinf(value))
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s: row %lu, column %lu is infinite or beyond %g, the largest float32; nan stands for a "
                    "missing distance",
                    d->name, r, c, (double)FLT_MAX);
    return fail(err, GLSHAPE_BAD_INPUT, "%s: row %lu, column %lu is %s; distances are not negative", d->name,
                r, c, value_text(text, value));
}

static bool is_fault(const io_distances *d, bool diagonal, float value) {
    if (isnan(value)) return diagonal || d->weights || d->missing_refused;
    return (isinf(value) && !d->infinite_allowed) || value < 0 || (diagonal && !d->weights && value != 0);
}

/* Reports the first fault of a block that is known to have one. */
static glshape_status find_fault(error *err, const io_distances *d, uint32_t first, uint32_t rows,
                                 const float *values) {
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < d->n; c++) {
            float value = values[(size_t)r * d->n + c];
            if (is_fault(d, c == first + r, value)) return refuse_value(err, d, first + r, c, value);
        }
    return fail(err, GLSHAPE_IO_ERROR, "%s changed while it was being read", d->name);
}

/* Adds rows [first, first + rows) to k->rows; returns true if all values can be distances. Goes chunk by
 * chunk, so that the weights of a chunk are in the cache for all rows. */
static bool check_rows(checker *k, uint32_t first, uint32_t rows, const float *values) {
    bool faults = false;
    uint32_t n = k->d->n;
    for (size_t col = 0; col < n; col += CHUNK)
        for (uint32_t r = 0; r < rows; r++) {
            uint32_t bits[CHUNK];
            size_t some = n - col < CHUNK ? n - col : CHUNK;
            memcpy(bits, values + (size_t)r * n + col, some * sizeof *bits);
            memset(bits + some, 0, (CHUNK - some) * sizeof *bits);
            chunk_facts f;
            scan(&k->w, col, bits, &f);
            faults |= f.faults || ((k->d->weights || k->d->missing_refused) && f.missing) ||
                      (f.infinite && !k->d->infinite_allowed);
            row_sums *row = &k->rows[first + r];
            row->missing += (uint32_t)f.missing;
            if ((uint32_t)f.largest > row->largest) row->largest = (uint32_t)f.largest;
            row->squares += f.squares;
            row->fingerprint = add(row->fingerprint, signed_fingerprint(&k->w, first + r, col, bits, &f));
        }
    for (uint32_t r = 0; r < rows; r++) faults |= is_fault(k->d, true, values[(size_t)r * n + first + r]);
    return !faults;
}

static glshape_status check_block(error *err, void *user, uint64_t i, void *scratch) {
    checker *k = user;
    uint32_t first = (uint32_t)i * k->block, left = k->d->n - first, rows = left < k->block ? left : k->block;
    TRY(io_distances_rows(err, k->d, first, rows, scratch));
    if (check_rows(k, first, rows, scratch)) return GLSHAPE_OK;
    return find_fault(err, k->d, first, rows, scratch);
}

/* ---- the whole -------------------------------------------------------------------------------------- */

static bool is_symmetric(const checker *k) {
    uint64_t sum = 0;
    for (size_t i = 0; i < k->d->n; i++) sum = add(sum, multiply(k->rows[i].fingerprint, weight(&k->w, i)));
    return sum == 0;
}

static void sum_rows(const checker *k, io_distances_facts *facts) {
    uint64_t missing = 0;
    uint32_t largest = 0;
    double sum = 0;
    for (size_t i = 0; i < k->d->n; i++) {
        missing += k->rows[i].missing;
        if (k->rows[i].largest > largest) largest = k->rows[i].largest;
        sum += k->rows[i].squares;
    }
    *facts = (io_distances_facts){.missing = missing / 2, .squares = sum / 2};
    memcpy(&facts->largest, &largest, sizeof largest);
}

/* Whether all distances are so small that single precision has few digits for them. */
static bool are_tiny(const checker *k, float largest) { return *k->d->lost && largest < FLT_MIN; }

static bool is_sound(const checker *k) {
    io_distances_facts facts;
    sum_rows(k, &facts);
    return !are_tiny(k, facts.largest) && is_symmetric(k);
}

static glshape_status prepare_checker(error *err, checker *k, uint64_t *blocks) {
    const io_distances *d = k->d;
    size_t rows = BLOCK_BYTES / (sizeof(float) * (size_t)d->n) + 1;
    k->block = rows < MOST_ROWS ? (uint32_t)rows : MOST_ROWS;
    *blocks = ((uint64_t)d->n + k->block - 1) / k->block;
    TRY(make_weights(err, d, &k->w));
    return allocate(err, &k->rows, d->n, sizeof *k->rows, d->name);
}

static void checker_free(checker *k) {
    free(k->w.limbs[0]);
    free(k->rows);
}

glshape_status io_distances_check(error *err, io_distances *d, int threads,
                                  bool (*progress)(void *user, double fraction), void *user,
                                  io_distances_facts *facts) {
    OWNED_BY(checker_free) checker k = {.d = d};
    io_distances_facts ignored;
    if (!facts) facts = &ignored;
    *facts = (io_distances_facts){.missing = 0};
    /* The last tenth of the progress bar is for the second pass, which is rare. */
    threads_job job = {.work = check_block,
                       .user = &k,
                       .name = d->name,
                       .threads = threads,
                       .progress = progress,
                       .progress_user = user,
                       .to = 0.9};
    TRY(prepare_checker(err, &k, &job.blocks));
    job.scratch_bytes = times(times(k.block, d->n), sizeof(float));
    TRY(threads_do(err, &job));
    sum_rows(&k, facts);
    if (are_tiny(&k, facts->largest))
        return fail(
            err, GLSHAPE_BAD_INPUT,
            "%s: all %s are below %g, where single precision has few digits; multiply them by one number",
            d->name, d->weights ? "weights" : "distances", (double)FLT_MIN);
    distances_tell_noise(err, d);
    facts->asymmetric = !is_symmetric(&k);
    if (!facts->asymmetric || d->asymmetry_allowed) return GLSHAPE_OK;
    TRY(distances_compare(err, d, threads, progress, user));
    facts->rounding_asymmetry = true;
    return GLSHAPE_OK;
}

/* ---- while somebody else reads ---------------------------------------------------------------------- */

struct io_distances_watch {
    checker k;
    pthread_mutex_t lock;
    bool *seen;    /* of row i: a thread checks it or has checked it */
    uint32_t left; /* rows that no thread has checked */
    bool suspect, passed;
};

glshape_status io_distances_watch_new(error *err, io_distances *d, io_distances_watch **out) {
    uint64_t blocks;
    TRY(allocate(err, out, 1, sizeof **out, d->name));
    io_distances_watch *w = *out;
    *w = (io_distances_watch){.k.d = d, .left = d->n};
    pthread_mutex_init(&w->lock, NULL);
    TRY(prepare_checker(err, &w->k, &blocks));
    return allocate(err, &w->seen, d->n, sizeof *w->seen, d->name);
}

void io_distances_watch_free(io_distances_watch *w) {
    if (!w) return;
    pthread_mutex_destroy(&w->lock);
    checker_free(&w->k);
    free(w->seen);
    free(w);
}

/* Returns true if no other thread checks row r, which is then the caller's to check. */
static bool claim_row(io_distances_watch *w, uint32_t r) {
    pthread_mutex_lock(&w->lock);
    bool mine = !w->seen[r] && !w->passed;
    w->seen[r] = true;
    pthread_mutex_unlock(&w->lock);
    return mine;
}

/* Notes that the caller has checked rows. Returns true if no fault of the matrix is known so far. */
static bool note_rows(io_distances_watch *w, uint32_t rows, bool good) {
    pthread_mutex_lock(&w->lock);
    w->left -= rows;
    if (!good || (rows && !w->left && !is_sound(&w->k))) w->suspect = true;
    bool no_fault = !w->suspect;
    pthread_mutex_unlock(&w->lock);
    return no_fault;
}

/* Checks those of the rows that no thread has checked. */
static glshape_status watch_rows(error *err, io_distances_watch *w, uint32_t first, uint32_t count,
                                 const float *rows) {
    bool good = true;
    uint32_t mine = 0, n = w->k.d->n;
    for (uint32_t r = 0, end; r < count; r = end + (end < count)) {
        for (end = r; end < count && claim_row(w, first + end);) end++;
        if (end > r) good &= check_rows(&w->k, first + r, end - r, rows + (size_t)r * n);
        mine += end - r;
    }
    if (note_rows(w, mine, good)) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "%s is not a matrix of distances", w->k.d->name);
}

glshape_status io_distances_watch_rows(error *err, io_distances_watch *w, uint32_t first, uint32_t count,
                                       float *out) {
    TRY(io_distances_rows(err, w->k.d, first, count, out));
    return watch_rows(err, w, first, count, out);
}

glshape_status io_distances_watch_double_rows(error *err, io_distances_watch *w, uint32_t first,
                                              uint32_t count, double *out) {
    OWNED float *rows = NULL;
    size_t values = times(count, w->k.d->n);
    TRY(io_distances_double_rows(err, w->k.d, first, count, out));
    TRY(allocate(err, &rows, values, sizeof *rows, w->k.d->name));
    for (size_t k = 0; k < values; k++) rows[k] = distances_rounded(out[k]);
    return watch_rows(err, w, first, count, rows);
}

/* A row that was checked; row n: the watch has found a fault; row n + 1: a value has lost digits. */
typedef struct seen_row {
    uint32_t row;
    row_sums sums;
} seen_row;

glshape_status io_distances_watch_report(error *err, const io_distances_watch *w, void *out, size_t *bytes) {
    OWNED seen_row *seen = NULL;
    size_t count = 0;
    uint32_t n = w->k.d->n;
    TRY(allocate(err, &seen, (size_t)n + 2, sizeof *seen, w->k.d->name));
    for (uint32_t r = 0; r < n; r++)
        if (w->seen[r]) seen[count++] = (seen_row){r, w->k.rows[r]};
    if (w->suspect) seen[count++].row = n;
    if (*w->k.d->lost) seen[count++].row = n + 1;
    *bytes = count * sizeof *seen;
    *(seen_row **)out = MOVE(seen);
    return GLSHAPE_OK;
}

void io_distances_watch_add(io_distances_watch *w, const void *report, size_t bytes) {
    const seen_row *seen = report;
    for (size_t k = 0; k < bytes / sizeof *seen; k++) {
        uint32_t r = seen[k].row;
        if (r == w->k.d->n) w->suspect = true;
        if (r == w->k.d->n + 1) *w->k.d->lost = true;
        if (r >= w->k.d->n || w->seen[r]) continue;
        w->seen[r] = true;
        w->k.rows[r] = seen[k].sums;
        w->left--;
    }
    if (!w->left && !is_sound(&w->k)) w->suspect = true;
}

glshape_status io_distances_watch_end(error *err, io_distances_watch *w,
                                      bool (*progress)(void *user, double fraction), void *user,
                                      bool *again) {
    *again = w->suspect;
    distances_tell_noise(err, w->k.d);
    if (w->passed || (!w->left && !w->suspect)) return GLSHAPE_OK;
    TRY(io_distances_check(err, w->k.d, 0, progress, user, NULL));
    w->passed = true;
    w->suspect = false;
    return GLSHAPE_OK;
}
