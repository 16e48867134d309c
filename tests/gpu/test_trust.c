/* Exact programs: which drivers are trusted with them, what is kept of that, and what happens else. The
 * driver of these tests computes rightly and compiles quickly, so shaders are spoiled in a folder of their
 * own (GLSHAPE_GLSL_DIR), and compilers are scripts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alpha/family.h"
#include "alpha/passes.h"
#include "base/clock.h"
#include "base/radix.h"
#include "delaunay/triangulation.h"
#include "glshape.h"
#include "gpu/cache.h"
#include "gpu/context.h"
#include "hdbscan/hdbscan.h"
#include "index/index.h"
#include "index/passes.h"
#include "neighbors/lists.h"
#include "prim/bench.h"
#include "suites.h"
#include "tree/passes.h"

static char folder[64], compiler[80];
static char *outer; /* GLSHAPE_CACHE of all other tests */

__attribute__((format(printf, 1, 2))) static int shell(const char *format, ...) {
    char line[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    return system(line);
}

static void make_folder(void) {
    char cache[80];
    strcpy(folder, "/tmp/glshape-trust-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    outer = getenv("GLSHAPE_CACHE") ? strdup(getenv("GLSHAPE_CACHE")) : NULL;
    snprintf(cache, sizeof cache, "%s/cache", folder);
    setenv("GLSHAPE_CACHE", cache, 1);
    snprintf(compiler, sizeof compiler, "%s/compiler", folder);
    ck_assert_int_eq(shell("cp -r glsl %s/glsl", folder), 0);
}

static void delete_folder(void) {
    shell("rm -rf %s", folder);
    if (outer) setenv("GLSHAPE_CACHE", outer, 1);
    else unsetenv("GLSHAPE_CACHE");
    unsetenv("GLSHAPE_GLSL_DIR");
    free(outer);
    outer = NULL;
}

/* Shaders that are spoiled one after another are in one folder, and so are the verdicts: a program is another
 * one once its text is, so it is judged anew, and what is not spoiled is judged once. */
static char spoiled_file[80]; /* what is spoiled now; empty: nothing */

static void spoil(const char *file, const char *from, const char *to) {
    char glsl[80];
    snprintf(spoiled_file, sizeof spoiled_file, "%s", file);
    ck_assert_int_eq(shell("sed -i 's/%s/%s/' %s/glsl/%s.glsl && ! cmp -s %s/glsl/%s.glsl glsl/%s.glsl", from,
                           to, folder, file, folder, file, file),
                     0);
    snprintf(glsl, sizeof glsl, "%s/glsl", folder);
    setenv("GLSHAPE_GLSL_DIR", glsl, 1);
}

static void repair(void) {
    if (*spoiled_file)
        ck_assert_int_eq(shell("cp glsl/%s.glsl %s/glsl/%s.glsl", spoiled_file, folder, spoiled_file), 0);
    *spoiled_file = 0;
    unsetenv("GLSHAPE_GLSL_DIR");
}

/* A device of a new process, as far as programs and verdicts are concerned. */
static gpu *open_gpu(const char *with_compiler) {
    gpu *g;
    error err = {0};
    glshape_options options = {.debug = true, .device = test_device(), .compiler = with_compiler};
    OK(&err, gpu_open(&err, &options, &g));
    OK(run_error(run_of(g)), gpu_enter(g));
    gpu_set_eager(g, true);
    return g;
}

static void close_gpu(gpu *g) {
    gpu_leave(g);
    ck_assert_int_eq(gpu_close(g), 0);
}

/* ---- verdicts -------------------------------------------------------------------------------------- */

typedef struct checking {
    glshape_status status;
    bool right;
    int calls;
    const gpu_exact *inside, *outside; /* NULL, or who is trusted meanwhile, and who is not */
} checking;

static glshape_status check(gpu *g, const void *user, bool *right) {
    checking *c = (checking *)user;
    bool so;
    c->calls++;
    *right = c->right;
    run_fact(run_of(g), 1, "of a check");
    if (c->inside) {
        OK(run_error(run_of(g)), gpu_trusts(g, c->inside, &so));
        ck_assert(so);
        OK(run_error(run_of(g)), gpu_trusts(g, c->outside, &so));
        ck_assert(!so);
    }
    return c->status ? fail(run_error(run_of(g)), c->status, "of a check") : GLSHAPE_OK;
}

static bool is_trusted(gpu *g, int limbs, checking *c) {
    bool so;
    gpu_exact e = {.program = {gpu_program(alpha_keys, .LIMBS = limbs)}, .check = check, .user = c};
    OK(run_error(run_of(g)), gpu_trusts(g, &e, &so));
    return so;
}

/* Each verdict is found once, and by later processes read; a program of another source is tried anew. */
START_TEST(kept) {
    checking good = {.right = true}, bad = {.right = false}, broken = {.status = GLSHAPE_GPU_ERROR};
    char glsl[80];
    for (int turn = 0; turn < 3; turn++) {
        gpu *g = open_gpu(NULL);
        for (int i = 0; i < 2; i++) {
            ck_assert(is_trusted(g, 2, &good) && !is_trusted(g, 4, &bad) && !is_trusted(g, 5, &broken));
            ck_assert_int_eq(good.calls + bad.calls + broken.calls, turn < 2 ? 3 : 6);
        }
        ck_assert_msg(strstr(run_notes(run_of(g)),
                             "computes something wrong: the processors do alpha/keys LIMBS=4\n") &&
                          strstr(run_notes(run_of(g)), "LIMBS=5\n") &&
                          !strstr(run_notes(run_of(g)), "LIMBS=2"),
                      "%s", run_notes(run_of(g)));
        ck_assert_str_eq(run_error(run_of(g))->text, "");
        glshape_fact facts[100];
        ck_assert_int_eq(run_facts(run_of(g), facts, 100), 0);
        close_gpu(g);
        snprintf(glsl, sizeof glsl, "%s/glsl", folder);
        if (turn != 1) continue;
        ck_assert_int_eq(shell("echo '// another' >>%s/alpha/keys.glsl", glsl), 0);
        setenv("GLSHAPE_GLSL_DIR", glsl, 1);
    }
}
END_TEST

/* A check that has no memory, as results that are wrong may ask for any size: the processors do the work, and
 * the next run tries again. */
START_TEST(without_memory) {
    checking all = {.status = GLSHAPE_NO_MEMORY}, good = {.right = true};
    gpu *g = open_gpu(NULL);
    ck_assert(!is_trusted(g, 2, &all));
    ck_assert_str_eq(run_error(run_of(g))->text, "");
    close_gpu(g);
    g = open_gpu(NULL);
    ck_assert(is_trusted(g, 2, &good));
    ck_assert_int_eq(all.calls + good.calls, 2);
    close_gpu(g);
}
END_TEST

/* glshape_devices tells of it. */
START_TEST(listed) {
    static glshape_device devices[16];
    checking bad = {.right = false};
    gpu *g = open_gpu(NULL);
    int count, found = 0;
    ck_assert(!is_trusted(g, 8, &bad));
    close_gpu(g);
    ck_assert_int_eq(glshape_devices(devices, 16, &count, true), GLSHAPE_OK);
    for (int i = 0; i < count && i < 16; i++) {
        found += strcmp(devices[i].left, "alpha/keys LIMBS=8 (it is wrong)") == 0;
        ck_assert(!devices[i].usable || (devices[i].double_times > 0 && !devices[i].slow_doubles));
    }
    ck_assert_int_eq(found, 1);
}
END_TEST

/* A compiler that takes long for doubles: they are slow, and no exact program is tried. */
START_TEST(slow_doubles) {
    static glshape_device devices[16];
    checking good = {.right = true};
    char glsl[80];
    int count, slow = 0;
    snprintf(glsl, sizeof glsl, "%s/glsl", folder);
    setenv("GLSHAPE_GLSL_DIR", glsl, 1);
    gpu *g = open_gpu(NULL);
    ck_assert(gpu_is_exact(g) && is_trusted(g, 2, &good));
    int repeats = gpu_is_software(g) ? 900 : 6000; /* cards and their compilers are fast */
    close_gpu(g);
    /* Drivers keep programs beside us: each process compiles another one. */
    ck_assert_int_eq(
        shell("rm -rf %s/cache && sed -i 's/#repeat 4 \\(.*\\)/#if DOUBLES\\n#repeat %d \\1\\n#endif/' "
              "%s/gpu/rate.glsl",
              folder, repeats + (int)(getpid() % 100), glsl),
        0);
    for (int turn = 0; turn < 2; turn++) {
        g = open_gpu(NULL);
        ck_assert(!gpu_is_exact(g) && !is_trusted(g, 2, &good));
        ck_assert_msg(strstr(run_notes(run_of(g)), "has no fast doubles: the processors do the exact work\n"),
                      "%s", run_notes(run_of(g)));
        close_gpu(g);
        /* the verdict is kept: what is measured now does not count */
        ck_assert_int_eq(shell("cp glsl/gpu/rate.glsl %s/gpu", glsl), 0);
    }
    ck_assert_int_eq(good.calls, 1);
    ck_assert_int_eq(glshape_devices(devices, 16, &count, true), GLSHAPE_OK);
    for (int i = 0; i < count && i < 16; i++) slow += devices[i].slow_doubles;
    ck_assert_int_eq(slow, 1);
}
END_TEST

/* Without a folder each process tries anew; a failure that is not the driver's is one, and no verdict. */
START_TEST(not_kept) {
    checking bad = {.right = false}, short_of = {.status = GLSHAPE_NO_GPU_MEMORY};
    bool so;
    gpu *g = open_gpu(NULL);
    gpu_exact e = {.program = {gpu_program(alpha_keys, .LIMBS = 2)}, .check = check, .user = &short_of};
    for (int i = 1; i < 3; i++) {
        ck_assert_int_eq(gpu_trusts(g, &e, &so), GLSHAPE_NO_GPU_MEMORY);
        ck_assert_int_eq(short_of.calls, i);
    }
    close_gpu(g);
    setenv("GLSHAPE_CACHE", "off", 1);
    for (int i = 1; i < 3; i++) {
        g = open_gpu(NULL);
        ck_assert(!is_trusted(g, 2, &bad) && !is_trusted(g, 2, &bad));
        ck_assert_int_eq(bad.calls, i);
        close_gpu(g);
    }
}
END_TEST

/* A driver that fails the self-test is not tried. */
START_TEST(not_exact) {
    checking good = {.right = true};
    gpu *g = open_gpu(NULL);
    gpu_set_exact(g, false);
    ck_assert(!is_trusted(g, 2, &good));
    ck_assert_int_eq(good.calls, 0);
    close_gpu(g);
}
END_TEST

START_TEST(in_a_check) {
    gpu_exact one = {.program = {gpu_program(alpha_keys, .LIMBS = 2)}, .check = check},
              other = {.program = {gpu_program(alpha_keys, .LIMBS = 4)}, .check = check};
    checking c = {.right = true, .inside = &one, .outside = &other};
    gpu *g = open_gpu(NULL);
    ck_assert(is_trusted(g, 2, &c));
    close_gpu(g);
}
END_TEST

/* A damaged entry is none. */
START_TEST(damaged) {
    checking bad = {.right = false};
    for (int i = 1; i < 3; i++) {
        gpu *g = open_gpu(NULL);
        ck_assert(!is_trusted(g, 2, &bad));
        ck_assert_int_eq(bad.calls, i);
        close_gpu(g);
        ck_assert_int_eq(shell("for f in %s/cache/*.program; do truncate -s -1 $f; done", folder), 0);
    }
}
END_TEST

/* ---- compilers ------------------------------------------------------------------------------------- */

static void write_compiler(const char *script) {
    FILE *f = fopen(compiler, "wb");
    ck_assert(f && fprintf(f, "#!/bin/sh\n%s\n", script) > 0 && !fclose(f) && !chmod(compiler, 0700));
}

static bool has_note(const gpu *g, const char *words) { return strstr(run_notes(run_of(g)), words) != NULL; }

/* One that does not come back is ended; that is noted, and no process tries again. */
START_TEST(hangs) {
    checking good = {.right = true};
    char script[200], mark[80], was[32] = "";
    gpu *g = open_gpu(compiler);
    snprintf(mark, sizeof mark, "%s/began", folder);
    snprintf(script, sizeof script, "echo $$ >>%s\nexec sleep 100", mark);
    write_compiler(script);
    gpu_set_compile_seconds(g, 0.5);
    double since = wall_seconds();
    ck_assert(!is_trusted(g, 2, &good));
    double seconds = wall_seconds() - since;
    ck_assert_msg(seconds >= 0.5 && seconds < 5, "%g seconds", seconds);
    ck_assert(has_note(g, "does not compile a program in time: the processors do alpha/keys LIMBS=2\n"));
    close_gpu(g);
    ck_assert_int_eq(shell("! kill -0 $(cat %s) 2>/dev/null", mark), 0);
    g = open_gpu(compiler);
    ck_assert(!is_trusted(g, 2, &good) && has_note(g, "in time"));
    close_gpu(g);
    FILE *f = fopen(mark, "r");
    ck_assert(fgets(was, sizeof was, f) && !fgets(was, sizeof was, f)); /* it began once */
    fclose(f);
    ck_assert_int_eq(good.calls, 0);
}
END_TEST

/* One that dies, as of memory, has tried; one that says no, or is not there, has not; one that is interrupted
 * may try again. */
START_TEST(dies) {
    static const struct {
        const char *script;
        bool trusted;
    } cases[] = {{"kill -SEGV $$", false},
                 {"kill -ABRT $$", false},
                 {"kill -KILL $$", false},
                 {"exit 1", true},
                 {"kill -INT $$", true},
                 {"kill -TERM $$", true},
                 {NULL, true}};
    static const int limbs[] = {2, 4, 5, 8};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        checking good = {.right = true};
        ck_assert_int_eq(shell("rm -rf %s/cache", folder), 0);
        gpu *g = open_gpu(compiler);
        if (cases[i].script) write_compiler(cases[i].script);
        else unlink(compiler);
        ck_assert_msg(is_trusted(g, limbs[i % 4], &good) == cases[i].trusted, "case %zu", i);
        ck_assert_int_eq(good.calls, cases[i].trusted);
        close_gpu(g);
    }
}
END_TEST

/* The command is one: it gets the source, and this process the program. */
START_TEST(command) {
    static glshape_timing timings[64];
    const char *command = getenv("GLSHAPE") ? getenv("GLSHAPE") : "build/glshape";
    setenv("GLSHAPE_DEBUG", "1", 1); /* as the devices of tests have it */
    gpu *g = open_gpu(command);
    bool so;
    double xy[][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 2}};
    exact_points points;
    OK(run_error(run_of(g)),
       exact_points_new(run_error(run_of(g)), &(glshape_matrix){GLSHAPE_F64, 4, 2, xy}, &points));
    const family f = {.g = g, .points = points};
    OK(run_error(run_of(g)), family_trusts_keys(&f, &so));
    ck_assert_msg(so, "%s", run_notes(run_of(g)));
    exact_points_free(&points);
    int count = gpu_timings(g, timings, 64), found = 0;
    for (int i = 0; i < count; i++) found += !strcmp(timings[i].pass, "alpha/keys") && timings[i].kept == 1;
    ck_assert_int_eq(found, 1);
    unsetenv("GLSHAPE_DEBUG");
    close_gpu(g);
}
END_TEST

/* ---- drivers that compute something wrong ---------------------------------------------------------- */

#define POINTS 400u

/* What a method has found: words, and how many. */
typedef struct words {
    uint32_t at[400000];
    size_t count;
} words;

static void add(words *w, const void *data, size_t bytes) {
    ck_assert(w->count + bytes / 4 <= sizeof w->at / sizeof *w->at);
    memcpy(w->at + w->count, data, bytes);
    w->count += bytes / 4;
}

static uint32_t mixed(uint32_t k) {
    uint32_t state = (k + 1) * 2654435761u;
    state = (state ^ state >> 15) * 2246822519u;
    return state ^ state >> 13;
}

/* Half of the points are on a lattice. */
static double coordinate(uint32_t i, uint32_t c) {
    uint32_t state = (i * 3 + c + 1) * 2654435761u;
    return i % 2 ? 0.1 * (double)(i / (c ? 2 * 14 : 2) % 14) : (state ^ state >> 15) * 0x1p-32;
}

static glshape_matrix plane(double xy[POINTS][2]) {
    for (uint32_t i = 0; i < POINTS; i++)
        for (uint32_t c = 0; c < 2; c++) xy[i][c] = coordinate(i, c);
    return (glshape_matrix){GLSHAPE_F64, POINTS, 2, xy};
}

static glshape_status read_row(error *err, const void *user, uint32_t i, double *out) {
    (void)err, (void)user;
    for (uint32_t c = 0; c < 3; c++) out[c] = coordinate(i, c);
    return GLSHAPE_OK;
}

static void triangulate(gpu *g, const glshape_matrix *m, words *out) {
    exact_points points;
    delaunay_triangulation t;
    OK(run_error(run_of(g)), exact_points_new(run_error(run_of(g)), m, &points));
    OK(run_error(run_of(g)),
       delaunay_triangulate(g, &points, gpu_is_exact(g) ? DELAUNAY_ON_DEVICE : DELAUNAY_ON_CPU, &t, NULL));
    add(out, t.vertex, 12 * (size_t)t.count);
    add(out, t.neighbor, 12 * (size_t)t.count);
    delaunay_triangulation_free(&t);
    exact_points_free(&points);
}

static void run_delaunay(gpu *g, words *out) {
    static double xy[POINTS][2];
    glshape_matrix m = plane(xy);
    for (uint32_t i = 0; i < POINTS; i++) /* in whole numbers signs are certain */
        for (uint32_t c = 0; c < 2; c++) xy[i][c] = rint(xy[i][c] * 1e6);
    xy[1][0] = xy[2][0] = 1e9, xy[1][1] = 1e9, xy[3][1] = 2e9; /* far away: triangles of open sites */
    triangulate(g, &m, out);
}

static void run_alpha(gpu *g, words *out) {
    static double xy[POINTS][2];
    glshape_matrix m = plane(xy);
    glshape_alpha_result r = {0};
    OK(run_error(run_of(g)), family_find(g, &m, ALPHA_ON_DEVICE, false, &r));
    add(out, r.edge_ranks, 12 * r.edge_count);
    add(out, r.triangle_ranks, 4 * r.triangle_count);
    add(out, r.vertex_ranks, 12 * r.n);
    add(out, r.radii, 8 * (r.ranks + 1));
    glshape_alpha_free(&r);
}

static void run_outline(gpu *g, words *out) {
    static double xy[POINTS][2];
    glshape_matrix m = plane(xy);
    glshape_alpha_result r = {0};
    glshape_alpha_outline o = {0};
    const glshape_alpha_choice choice = {.alpha = GLSHAPE_SET(0.03)};
    bool done;
    OK(run_error(run_of(g)), alpha_outline_find(g, &m, ALPHA_ON_DEVICE, &choice, &r, &o, &done));
    if (!done) OK(run_error(run_of(g)), alpha_outline_of_family(run_error(run_of(g)), &r, &choice, &o));
    ck_assert(o.shape.rings > 3 && o.singular_edges && o.singular_points);
    add(out, o.shape.ring, 4 * o.shape.ring_start[o.shape.rings]);
    add(out, o.singular_edge, 8 * o.singular_edges);
    add(out, o.singular_point, 4 * o.singular_points);
    for (size_t c = 0; c < o.shape.components; c++) add(out, &o.shape.component[c].area, 8);
    glshape_alpha_outline_free(&o);
    glshape_alpha_free(&r);
}

static void run_nearest(gpu *g, words *out) {
    static uint32_t index[POINTS * 8];
    static double sum[POINTS * 8];
    spatial_index x;
    OK(run_error(run_of(g)), index_new(run_error(run_of(g)), POINTS, 3, norm_of(2), read_row, NULL, &x));
    OK(run_error(run_of(g)), index_nearest(g, &(index_task){.x = &x, .queries = &x, .k = 8}, index, sum));
    add(out, index, sizeof index);
    add(out, sum, sizeof sum);
    index_free(&x);
}

static void find_within(gpu *g, bool sums, words *out) {
    static uint64_t start[POINTS + 1];
    static uint32_t index[POINTS * POINTS];
    static double sum[POINTS * POINTS];
    spatial_index x;
    OK(run_error(run_of(g)), index_new(run_error(run_of(g)), POINTS, 3, norm_of(2), read_row, NULL, &x));
    const index_task task = {.x = &x, .queries = &x};
    OK(run_error(run_of(g)), index_within_count(g, &task, 0.1, start));
    OK(run_error(run_of(g)), index_within(g, &task, 0.1, start, index, sums ? sum : NULL));
    add(out, start, sizeof start);
    add(out, index, start[POINTS] * sizeof *index);
    if (sums) add(out, sum, start[POINTS] * sizeof *sum);
    index_free(&x);
}

static void solves_within(gpu *g, words *out) { find_within(g, true, out); }
static void sorts_within(gpu *g, words *out) { find_within(g, false, out); }

static void run_across(gpu *g, words *out) {
    static uint32_t label[POINTS], query[POINTS], found[POINTS], node_label[4 * POINTS];
    static double sum[POINTS];
    static atomic_uint_least64_t nearest[POINTS];
    spatial_index x;
    OK(run_error(run_of(g)), index_new(run_error(run_of(g)), POINTS, 3, norm_of(2), read_row, NULL, &x));
    for (uint32_t i = 0; i < POINTS; i++) {
        label[i] = query[i] = i; /* so each finds its nearest, whatever others have found */
        atomic_init(&nearest[i], UINT64_C(0x7ff0000000000000));
    }
    index_label_nodes(&x, label, node_label);
    const index_crossing task = {&x, label, node_label, nearest, POINTS, query, found, sum, NULL, NULL};
    OK(run_error(run_of(g)), index_across(g, &task));
    add(out, found, sizeof found);
    add(out, sum, sizeof sum);
    index_free(&x);
}

/* Half of the points are a row along which all join at once; lists of the others are soon used up. */
static glshape_status read_joined(error *err, const void *user, uint32_t i, double *out) {
    if (i >= POINTS / 2) return read_row(err, user, i, out);
    out[0] = -5 - i * (i + 1.0) / 2;
    out[1] = out[2] = 0;
    return GLSHAPE_OK;
}

static void run_joined(gpu *g, words *out) {
    static uint32_t i[POINTS], j[POINTS], list[2 * POINTS];
    static double sum[POINTS];
    static radix_item edges[2 * POINTS];
    tree_edges tree = {i, j, sum};
    tree_kept kept = {0};
    spatial_index x;
    run_why why;
    OK(run_error(run_of(g)), index_new(run_error(run_of(g)), POINTS, 3, norm_of(2), read_joined, NULL, &x));
    const index_task task = {.x = &x, .queries = &x, .k = 2};
    OK(run_error(run_of(g)), tree_points_place(g, &x, 2, &why));
    if (run_why_device(why)) {
        OK(run_error(run_of(g)), tree_points_kept(g, &x, 2, &kept));
        OK(run_error(run_of(g)), tree_kept_bring(g, &kept, &tree));
        tree_kept_free(&kept);
    } else {
        OK(run_error(run_of(g)), index_nearest_on_cpu(run_of(g), &task, list, NULL));
        OK(run_error(run_of(g)), tree_points(g, &x, &(tree_lists){.k = 2, .index = list}, NULL, &tree));
    }
    for (uint32_t k = 0; k + 1 < POINTS; k++) {
        edges[k] = (radix_item){0, i[k], j[k]};
        memcpy(&edges[k].at, &sum[k], sizeof edges[k].at);
    }
    radix_sort_all(edges, edges + POINTS, POINTS - 1);
    add(out, edges, (POINTS - 1) * sizeof *edges);
    index_free(&x);
}

/* Clusters by density of the same points. */
static void run_raised(gpu *g, words *out) {
    static double rows[POINTS][3];
    glshape_matrix m = {GLSHAPE_F64, POINTS, 3, rows};
    glshape_source source = {.points = &m};
    static uint32_t i[POINTS], j[POINTS];
    static double height[POINTS], core[POINTS], merges[4 * POINTS];
    linkage_tree tree = {.n = POINTS, .i = i, .j = j, .height = height};
    glshape_hdbscan_result r = {
        .n = POINTS, .core = core, .merges = NULL, .options = {.min_samples = 3, .alpha = 1}};
    r.options.search = GLSHAPE_SEARCH_INDEX;
    for (uint32_t v = 0; v < POINTS; v++) read_joined(NULL, NULL, v, rows[v]);
    hdbscan_way way = {.why = RUN_NOT_BY_PASSES};
    OK(run_error(run_of(g)), hdbscan_points(g, &source, &tree, &r, &way));
    OK(run_error(run_of(g)), linkage_rows(g, &tree, &r.merges, NULL));
    memcpy(merges, r.merges, 32 * (POINTS - 1));
    r.core = NULL;
    glshape_hdbscan_free(&r);
    hdbscan_way_free(&way);
    free(tree.part);
    tree_kept_free(&tree.kept);
    add(out, merges, 32 * (POINTS - 1));
    add(out, core, sizeof core);
}

/* A path of rising heights, and bushes; of many heights, and of few. */
static void run_rows(gpu *g, words *out) {
    enum { LEAVES = 900 };
    static uint32_t i[LEAVES], j[LEAVES], edges[2 * LEAVES];
    static double height[LEAVES], rows[4 * LEAVES];
    for (uint32_t levels = 0; levels < 6; levels += 5) {
        for (uint32_t k = 0; k + 1 < LEAVES; k++) {
            i[k] = k + 1;
            j[k] = k < LEAVES / 2 ? k : (k * 2654435761u >> 8) % k;
            height[k] = levels           ? k % levels
                        : k < LEAVES / 2 ? k * 0x1p-10
                                         : floor(coordinate(k, 0) * 99) + coordinate(k, 1) * 0x1p-30;
        }
        run_why why;
        OK(run_error(run_of(g)), tree_dendrogram_place(g, LEAVES, true, &why));
        if (run_why_device(why))
            OK(run_error(run_of(g)), tree_dendrogram_by_passes(g, LEAVES, i, j, height, rows, edges, NULL));
        else
            OK(run_error(run_of(g)),
               tree_dendrogram(run_error(run_of(g)), LEAVES, i, j, height, NULL, rows, edges));
        add(out, rows, 32 * (LEAVES - 1));
        add(out, edges, 8 * (LEAVES - 1));
    }
}

/* Clusters of a path of rising heights, some 0, and of bushes. */
static void run_clusters(gpu *g, words *out) {
    enum { LEAVES = 900 };
    static uint32_t i[LEAVES], j[LEAVES];
    static double height[LEAVES], rows[4 * LEAVES];
    glshape_hdbscan_result r = {.n = LEAVES, .merges = rows};
    hdbscan_way way = {0};
    bool done = false;
    run_why why;
    r.options = (glshape_hdbscan_options){
        .min_cluster_size = 4, .max_epsilon = INFINITY, .max_cluster_size = SIZE_MAX};
    for (uint32_t k = 0; k + 1 < LEAVES; k++) {
        i[k] = k + 1;
        j[k] = k < LEAVES / 2 || k % 90 == 0 ? k : k - mixed(k) % (k % 90 + 1);
        height[k] = k < 20           ? 0
                    : k < LEAVES / 2 ? k * 0x1p-10
                                     : 0.1 + (k % 90 == 0 ? 3 : 0) + coordinate(k, 1);
    }
    OK(run_error(run_of(g)), hdbscan_clusters_place(g, LEAVES, &why));
    OK(run_error(run_of(g)), tree_dendrogram_by_passes(g, LEAVES, i, j, height, rows, NULL, &way.merges));
    if (run_why_device(why)) OK(run_error(run_of(g)), hdbscan_clusters_by_passes(g, &way, &r, &done));
    if (!done) OK(run_error(run_of(g)), hdbscan_clusters_by_threads(run_error(run_of(g)), &r));
    ck_assert(r.clusters > 3 && r.noise);
    add(out, r.labels, 4 * LEAVES);
    add(out, r.probabilities, 8 * LEAVES);
    add(out, r.outlier_scores, 8 * LEAVES);
    for (size_t c = 0; c < r.tree_clusters; c++) add(out, &r.tree[c].stability, 8);
    for (size_t k = 0; k < r.row_count; k++) add(out, &r.rows[k].child, 4), add(out, &r.rows[k].lambda, 8);
    add(out, r.exemplars, 4 * r.exemplar_start[r.clusters]);
    r.merges = NULL;
    hdbscan_way_free(&way);
    glshape_hdbscan_free(&r);
}

static void find_by_pairs(gpu *g, bool by_rows, uint32_t queries, words *out) {
    static float rows[POINTS][4];
    static uint32_t index[POINTS * 8];
    static double sum[POINTS * 8];
    glshape_matrix m = {GLSHAPE_F32, POINTS, 4, rows};
    knn_points p;
    knn_cost cost = {0};
    for (uint32_t i = 0; i < POINTS; i++)
        for (uint32_t c = 0; c < 4; c++) rows[i][c] = (float)coordinate(i, c);
    OK(run_error(run_of(g)), knn_points_new(run_of(g), &ranks_alone, &m, GLSHAPE_METRIC_EUCLIDEAN, 0, &p));
    p.search = GLSHAPE_SEARCH_PAIRS;
    p.by_rows = by_rows;
    p.queries = queries;
    OK(run_error(run_of(g)), knn_lists(g, &p, 8, index, sum, false, &cost));
    add(out, index, queries ? 8 * queries * sizeof *index : sizeof index);
    add(out, sum, queries ? 8 * queries * sizeof *sum : sizeof sum);
    knn_points_free(&p);
}

static void run_pairs(gpu *g, words *out) { find_by_pairs(g, false, 0, out); }
static void run_spans(gpu *g, words *out) { find_by_pairs(g, true, 0, out); }
static void run_queries(gpu *g, words *out) { find_by_pairs(g, false, POINTS / 3, out); }

static void run_made(gpu *g, words *out) {
    static float rows[POINTS][3];
    static uint32_t index[POINTS * 8];
    static double sum[POINTS * 8];
    glshape_matrix m = {GLSHAPE_F32, POINTS, 3, rows};
    knn_points p;
    knn_cost cost = {0};
    for (uint32_t i = 0; i < POINTS; i++)
        for (uint32_t c = 0; c < 3; c++) rows[i][c] = (float)coordinate(i, c);
    OK(run_error(run_of(g)), knn_points_new(run_of(g), &ranks_alone, &m, GLSHAPE_METRIC_EUCLIDEAN, 0, &p));
    p.search = GLSHAPE_SEARCH_INDEX;
    p.lists_only = true;
    OK(run_error(run_of(g)), knn_lists(g, &p, 8, index, sum, false, &cost));
    if (!p.distances) knn_distances(&p, sum, POINTS * 8);
    add(out, index, sizeof index);
    add(out, sum, sizeof sum);
    knn_points_free(&p);
}

/* On a device without fast doubles. */
static void run_whole(gpu *g, words *out) {
    gpu_set_exact(g, false);
    run_made(g, out);
}

/* Runs of a program in this context; none: the processors did its work. */
static uint64_t runs_of(gpu *g, const char *pass) {
    static glshape_timing timings[64];
    int count = gpu_timings(g, timings, 64);
    for (int i = 0; i < count; i++)
        if (!strcmp(timings[i].pass, pass)) return timings[i].runs;
    return 0;
}

#define STARS "delaunay/tiles + delaunay/stars EXACT=0"
#define SIGNS "delaunay/stars EXACT=1"
#define OF_OUTLINES "alpha/inside + alpha/sides FILL=0 + "
#define OF_LISTS "neighbors/pairs SHARED="
#define MADE "index/cut FLOATS=1 + index/descend FLOATS=1 + 7 more"
#define NEAR "index/near COLUMNS=3 PAIRS=0 KEEP=12 + index/decide KEEP=12 ROOT=1 WHOLE=0 + 4 more"
#define WHOLE "index/near COLUMNS=3 PAIRS=0 KEEP=12 + index/decide KEEP=12 ROOT=1 WHOLE=1 + 2 more"
#define ROWS "tree/contract + tree/place"
#define CLUSTERS "hdbscan/hang + hdbscan/mark"
#define HEIGHTS "tree/heights ROOT=1"
#define RAISED "tree/bridges POWER=2 CORES=1 + tree/cores ROOT=1"
#define JOINED "tree/bridges POWER=2 CORES=0 + tree/start"
#define DROPPED "void kernel(uint group) {", "void kernel(uint group) {\\n    if (true) return;"

/* A program, and what of its text becomes what. */
static const struct {
    const char *pass;
    void (*run)(gpu *g, words *out);
    const char *from, *to;
    const char *note; /* whose verdict it is */
} faults[] = {
    {"delaunay/sites", run_delaunay, DROPPED, STARS},
    {"delaunay/boxes", run_delaunay, DROPPED, STARS},
    {"delaunay/tiles", run_delaunay, DROPPED, STARS},
    {"delaunay/tiles", run_delaunay, "c < sites; c++) {", "c + 9u < sites; c++) {", STARS},
    {"delaunay/stars", run_delaunay, DROPPED, STARS},
    {"delaunay/stars", run_delaunay, "sign == 1 ||", "sign == -1 ||", SIGNS},
    {"delaunay/stars", run_delaunay, "return least == own", "return least != own", SIGNS},
    {"delaunay/faces", run_delaunay, DROPPED, STARS},
    {"delaunay/more_faces", run_delaunay, DROPPED, STARS},
    {"delaunay/triangles", run_delaunay, DROPPED, STARS},
    {"delaunay/triangles", run_delaunay, ".x < rest.x", ".x > rest.x", STARS},
    {"delaunay/mates", run_delaunay, DROPPED, STARS},
    {"alpha/keys", run_alpha, DROPPED, "alpha/keys LIMBS=5"},
    {"alpha/keys", run_alpha, "m.y << 22 |", "m.y << 21 |", "alpha/keys LIMBS=5"},
    {"alpha/compare", run_alpha, DROPPED, "alpha/compare LIMBS=5"},
    {"alpha/compare", run_alpha, ": left < right", ": left > right", "alpha/compare LIMBS=5"},
    {"alpha/compare", run_alpha, "order == 0 ? 1u", "order != 0 ? 1u", "alpha/compare LIMBS=5"},
    {"alpha/inside", run_outline, DROPPED, OF_OUTLINES},
    {"alpha/inside", run_outline, "label_atomic_min(own, least)", "label_atomic_min(own, own)", OF_OUTLINES},
    {"alpha/sides", run_outline, DROPPED, OF_OUTLINES},
    {"alpha/turn", run_outline, DROPPED, OF_OUTLINES},
    {"alpha/turn", run_outline, "turn < 64u", "turn < 0u", OF_OUTLINES},
    {"alpha/sample", run_outline, "e \\* stride", "e", OF_OUTLINES},
    {"alpha/greatest", run_outline, DROPPED, OF_OUTLINES},
    {"alpha/greatest", run_outline, "a.y > b.y ||", "a.y < b.y ||", OF_OUTLINES},
    {"alpha/singular", run_outline, DROPPED, OF_OUTLINES},
    {"alpha/singular", run_outline, "low(i) > limit", "low(i) < limit", OF_OUTLINES},
    {"index/nearest", run_nearest, DROPPED, "index/nearest POWER=2 COLUMNS=3 KEEP=8"},
    {"index/nearest", run_nearest, "a, who\\[KEEP - 1\\])", "a, who[KEEP - 1] ^ 1u)",
     "index/nearest POWER=2 COLUMNS=3 KEEP=8"},
    {"index/nearest", run_nearest, "0xbff00000u", "0x7fe00000u", "index/nearest POWER=2 COLUMNS=3 KEEP=8"},
    {"index/within", solves_within, DROPPED, "index/within FILL=0 POWER=2 COLUMNS=3 + index/within FILL=1"},
    {"index/sort", sorts_within, DROPPED, "index/sort"},
    {"index/sort", sorts_within, "< own)", "> own)", "index/sort"},
    {"index/sort", sorts_within, "falls = (low \\& run) != 0u", "falls = (low \\& run) == 0u", "index/sort"},
    {"index/within", solves_within, "max(below, above)", "min(below, above)", "index/within FILL=0"},
    {"index/within", solves_within, "void take(double s, uint position, uint p) {$",
     "void take(double s, uint position, uint p) {\\n    s += 1e-15lf;", "index/within FILL=0"},
    {"index/across", run_across, DROPPED, "index/across POWER=2 COLUMNS=3 CORES=0"},
    {"index/across", run_across, "reach_position = position;", "reach_position = position ^ 1u;",
     "index/across"},
    {"neighbors/pairs", run_pairs, DROPPED, OF_LISTS},
    {"neighbors/trim", run_pairs, DROPPED, OF_LISTS},
    {"neighbors/trim", run_pairs, "at, counts\\[me\\])", "at, counts[me] - 1u)", OF_LISTS},
    {"neighbors/spans", run_spans, DROPPED, "neighbors/spans SHARED="},
    {"neighbors/across", run_queries, DROPPED, "neighbors/across SHARED="},
    {"neighbors/gather", run_queries, "point & 3u", "point & 2u", "neighbors/across SHARED="},
    {"neighbors/take", run_queries, "list(e, t)", "list(e, t ^ 1u)", "neighbors/across SHARED="},
    {"neighbors/compare", run_pairs, DROPPED, "neighbors/compare POWER=2"},
    {"neighbors/compare", run_pairs, "a.y < b.y", "a.y > b.y", "neighbors/compare POWER=2"},
    {"index/descend", run_made, DROPPED, MADE},
    {"index/descend", run_made, "comes_first(value, at)", "comes_first(at, value)", MADE},
    {"index/firsts", run_made, DROPPED, MADE},
    {"index/firsts", run_made, "y < bucket", "y <= bucket", MADE},
    {"index/cut", run_made, DROPPED, MADE},
    {"index/cut", run_made, "start = before_part(count, segment, level);", "start = 0u;", MADE},
    {"index/cut", run_made, "if (sorts) column =", "if (false) column =", MADE},
    {"index/rows", run_made, DROPPED, MADE},
    {"index/rows", run_made, "2u \\* t + 1u", "2u * t", MADE},
    {"index/boxes", run_made, DROPPED, MADE},
    {"index/boxes", run_made, "is_less(high, x)", "is_less(x, high)", MADE},
    {"index/finish", run_made, DROPPED, NEAR},
    {"index/finish", run_made, "sums(e, a)", "sums(e, 0u)", NEAR},
    {"index/halve", run_made, DROPPED, NEAR},
    {"index/halve", run_made, "vec4(low.x, high.x", "vec4(high.x, low.x", NEAR},
    {"index/near", run_made, DROPPED, NEAR},
    {"index/near", run_made, "best\\[KEEP - 1\\] \\&\\& position", "best[KEEP - 1] * 0.5 \\&\\& position",
     NEAR},
    {"index/decide", run_made, DROPPED, NEAR},
    {"index/decide", run_made, "s == b \\&\\& p < i", "s == b \\&\\& p > i", NEAR},
    {"index/decide", run_made, "if (!is_certain(e))", "if (false)", NEAR},
    {"index/pick", run_made, DROPPED, NEAR},
    {"index/pick", run_made, "list(e)", "list(0u)", NEAR},
    {"index/near", run_whole, DROPPED, WHOLE},
    {"index/decide", run_whole, DROPPED, WHOLE},
    {"index/decide", run_whole, "plus(s, times(d, d))", "times(d, d)", WHOLE},
    {"index/decide", run_whole, "if (!is_certain(e))", "if (false)", WHOLE},
    {"index/labels", run_joined, DROPPED, JOINED},
    {"index/labels", run_joined, "a == b ? a : SEVERAL", "a", JOINED},
    {"index/labels", run_joined, "both(here.at., here.at + apart.)", "here[at]", JOINED},
    {"index/labels", run_joined, "several ? SEVERAL : own", "own", JOINED},
    {"tree/start", run_joined, DROPPED, JOINED},
    {"tree/candidates", run_joined, DROPPED, JOINED},
    {"tree/candidates", run_joined, "label(other) != own", "true", JOINED},
    {"tree/candidates", run_joined, "at) : NONE", "0u) : NONE", JOINED},
    {"tree/bridges", run_joined, "a.xy : a.zw", "a.zw : a.xy", JOINED},
    {"tree/bridges", run_raised, "s = max(s, max(", "s = min(s, max(", RAISED},
    {"tree/cores", run_raised, DROPPED, RAISED},
    {"tree/cores", run_raised, "within - 1u", "within - 2u", RAISED},
    {"tree/choose", run_joined, DROPPED, JOINED},
    {"tree/answers", run_joined, DROPPED, JOINED},
    {"tree/answers", run_joined, "found(e)", "found(e) ^ 1u", JOINED},
    {"tree/leaders", run_joined, DROPPED, JOINED},
    {"tree/leaders", run_joined, "sum(v).x < best_low_load", "sum(v).x > best_low_load", JOINED},
    {"tree/leaders", run_joined, "max(a, b))", "least)", JOINED},
    {"tree/join", run_joined, DROPPED, JOINED},
    {"tree/join", run_joined, "own < other", "false", JOINED},
    {"tree/jump", run_joined, "turn < 64u", "turn < 0u", JOINED},
    {"tree/relabel", run_joined, DROPPED, JOINED},
    {"tree/relabel", run_joined, "counts_load(3u, 0u) == 0u", "false", JOINED},
    {"tree/relabel", run_rows, DROPPED, ROWS},
    {"tree/heights", run_raised, DROPPED, HEIGHTS},
    {"tree/heights", run_raised, "edge.yx", "edge.xy", HEIGHTS},
    {"tree/ties", run_rows, DROPPED, ROWS},
    {"tree/ties", run_rows, "a.y < b.y", "a.y > b.y", ROWS},
    {"tree/turn", run_rows, DROPPED, ROWS},
    {"tree/lightest", run_rows, DROPPED, ROWS},
    {"tree/place", run_rows, DROPPED, ROWS},
    {"tree/place", run_rows, "!= component ? 1u", "== component ? 1u", ROWS},
    {"tree/contract", run_rows, DROPPED, ROWS},
    {"tree/contract", run_rows, "a_picks \\&\\& b < a", "false", ROWS},
    {"tree/link", run_rows, DROPPED, ROWS},
    {"tree/link", run_rows, "n + before.z", "n + own.z", ROWS},
    {"tree/weights", run_rows, DROPPED, ROWS},
    {"tree/rows", run_rows, DROPPED, ROWS},
    {"tree/rows", run_rows, "as_double(size(e))", "as_double(size(e) + 1u)", ROWS},
    {"tree/sizes", run_rows, DROPPED, ROWS},
    {"tree/sizes", run_rows, "e == 0u ||", "", ROWS},
    {"hdbscan/hang", run_clusters, DROPPED, CLUSTERS},
    {"hdbscan/mark", run_clusters, DROPPED, CLUSTERS},
    {"hdbscan/mark", run_clusters, "key.y, key.x", "key.x, key.y", CLUSTERS},
    {"hdbscan/mark", run_clusters, "!is_large || splits", "!is_large || !splits", CLUSTERS},
    {"hdbscan/jump", run_clusters, DROPPED, CLUSTERS},
    {"hdbscan/jump", run_clusters, "turn < 16u", "turn < 0u", CLUSTERS},
    {"hdbscan/number", run_clusters, DROPPED, CLUSTERS},
    {"hdbscan/number", run_clusters, "1u + 2u", "1u + 1u", CLUSTERS},
    {"hdbscan/terms", run_clusters, DROPPED, CLUSTERS},
    {"hdbscan/terms", run_clusters, " - birth", "", CLUSTERS},
    {"hdbscan/sum", run_clusters, DROPPED, CLUSTERS},
    {"hdbscan/sum", run_clusters, "k \\* stride < end - e", "k * stride + 1u < end - e", CLUSTERS},
    {"hdbscan/clusters", run_clusters, DROPPED, CLUSTERS},
    {"hdbscan/clusters", run_clusters, "lasts(c)", "first", CLUSTERS},
    {"hdbscan/rows", run_clusters, DROPPED, CLUSTERS},
    {"hdbscan/rows", run_clusters, "node < n ? 1u", "node < n ? 2u", CLUSTERS},
    {"hdbscan/appear", run_clusters, DROPPED, CLUSTERS},
    {"hdbscan/appear", run_clusters, "v < appears_load", "v > appears_load", CLUSTERS},
    {"hdbscan/score", run_clusters, DROPPED, CLUSTERS},
    {"hdbscan/score", run_clusters, "scale.xy", "scale.zw", CLUSTERS},
    {"hdbscan/score", run_clusters, "mark.z != 0u", "mark.z == 0u", CLUSTERS},
    {"tree/singletons", run_rows, DROPPED, ROWS},
};

/* Both notice, and the processors give the answer: after the check nothing of the program is run. */
START_TEST(wrong_programs) {
    static words got, want;
    static void (*found)(gpu * g, words * out); /* whose answer `want` is */
    char note[160];
    gpu *g;
    if (found != faults[_i].run) {
        g = open_gpu(NULL);
        found = NULL;
        want.count = 0;
        gpu_set_exact(g, false);
        faults[_i].run(g, &want);
        close_gpu(g);
        found = faults[_i].run;
    }
    spoil(faults[_i].pass, faults[_i].from, faults[_i].to);
    for (int turn = 0; turn < 2; turn++) {
        g = open_gpu(NULL);
        got.count = 0;
        faults[_i].run(g, &got);
        ck_assert(got.count == want.count && !memcmp(got.at, want.at, 4 * got.count));
        snprintf(note, sizeof note, "computes something wrong: the processors do %s", faults[_i].note);
        ck_assert_msg(has_note(g, note), "%s: '%s'", faults[_i].pass, run_notes(run_of(g)));
        if (turn && strcmp(faults[_i].note, SIGNS) != 0) ck_assert_int_eq(runs_of(g, faults[_i].pass), 0);
        close_gpu(g);
    }
}
END_TEST

/* A check runs what it is of although its problem is small, and on hardware nobody asks for passes. */
START_TEST(small_checks) {
    bool so;
    spatial_index x;
    gpu *g;
    error err = {0};
    OK(&err, gpu_open(&err, &(glshape_options){.debug = true}, &g)); /* which is not named */
    OK(run_error(run_of(g)), gpu_enter(g));
    gpu_set_patient(g, true);
    OK(run_error(run_of(g)), index_new(run_error(run_of(g)), POINTS, 3, norm_of(2), read_row, NULL, &x));
    const index_task task = {.x = &x, .queries = &x, .k = 8};
    gpu_begin_method(g);
    OK(run_error(run_of(g)), index_finish_trusted(g, &task, true, &so));
    ck_assert(so && runs_of(g, "index/near") && runs_of(g, "index/decide") && runs_of(g, "index/finish"));
    index_free(&x);
    close_gpu(g);
}
END_TEST

/* And where nothing is spoiled each is run. */
START_TEST(right_programs) {
    static words got, want;
    const size_t count = sizeof faults / sizeof *faults;
    for (size_t i = 0; i < count; i++) {
        if (i && faults[i].run == faults[i - 1].run) continue;
        gpu *g = open_gpu(NULL);
        got.count = want.count = 0;
        faults[i].run(g, &got);
        ck_assert_str_eq(run_notes(run_of(g)), "");
        for (size_t k = 0; k < count; k++)
            ck_assert_msg(faults[k].run != faults[i].run || runs_of(g, faults[k].pass) > 0, "%s",
                          faults[k].pass);
        gpu_set_exact(g, false);
        faults[i].run(g, &want);
        ck_assert(got.count && got.count == want.count && !memcmp(got.at, want.at, 4 * got.count));
        close_gpu(g);
    }
}
END_TEST

/* ---- the same of methods whose passes need no doubles ---------------------------------------------- */

#define NODES 500u
#define EDGES 2000u
#define FEW_POINTS 34u
#define EXTENT 16u
#define VOXELS (EXTENT * EXTENT * EXTENT)
#define SLABS 60000u /* bytes, with which these are done in slabs */

static bool by_passes; /* else a method is asked for the least that a device would do */

#define DONE(call) ck_assert_msg((call) == GLSHAPE_OK, "%s", glshape_last_error(c))

static void run_mst(glshape_context *c, words *out) {
    static uint32_t i[EDGES], j[EDGES];
    static float weight[EDGES];
    glshape_mst_result r;
    for (uint32_t k = 0; k < EDGES; k++) {
        i[k] = mixed(k) % NODES;
        j[k] = mixed(~k) % NODES;
        weight[k] = (float)(mixed(k) >> 28);
    }
    DONE(glshape_mst(c, &(glshape_edges){.nodes = NODES, .count = EDGES, .i = i, .j = j, .weight = weight},
                     NULL, &r));
    add(out, r.i, 4 * r.count);
    add(out, r.j, 4 * r.count);
    add(out, r.weight, 4 * r.count);
    glshape_mst_free(&r);
}

static bool read_matrix(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    const uint32_t n = *(const uint32_t *)user;
    (void)message, (void)size;
    for (uint32_t i = first; i < first + count; i++)
        for (uint32_t k = 0; k < n; k++, out++)
            *out = i == k ? 0 : 1 + (float)(mixed(i < k ? i * n + k : k * n + i) >> 27);
    return true;
}

static glshape_source matrix_of(uint32_t *n) {
    return (glshape_source){.reader = read_matrix, .user = n, .n = *n};
}

static void run_matrix(glshape_context *c, words *out) {
    uint32_t n = 300;
    glshape_linkage_result r;
    glshape_source s = matrix_of(&n);
    s.keep = by_passes ? GLSHAPE_KEEP_RESIDENT : GLSHAPE_KEEP_AUTO;
    DONE(glshape_linkage(c, &s, NULL, &r));
    add(out, r.merges, 32 * (n - 1));
    glshape_linkage_free(&r);
}

static void run_rips(glshape_context *c, words *out) {
    uint32_t n = FEW_POINTS;
    glshape_rips_result r;
    glshape_source s = matrix_of(&n);
    DONE(glshape_rips(c, &s, &(glshape_rips_options){.dim = GLSHAPE_SET(3)}, &r));
    ck_assert_uint_gt(r.count, n);
    for (size_t k = 0; k < r.count; k++) {
        add(out, &r.intervals[k].birth, 8);
        add(out, &r.intervals[k].death, 8);
        add(out, &r.intervals[k].birth_simplex, 8);
        add(out, &r.intervals[k].death_simplex, 8);
    }
    glshape_rips_free(&r);
}

/* Points on a ring, few of which are near one another. */
static bool read_ring(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    const uint32_t n = *(const uint32_t *)user;
    (void)message, (void)size;
    for (uint32_t i = first; i < first + count; i++)
        for (uint32_t k = 0; k < n; k++, out++) {
            uint32_t low = i < k ? i : k, high = i < k ? k : i, way = high - low;
            *out = i == k ? 0 : (float)(way < n - way ? way : n - way) + (float)(mixed(low * n + high) % 16);
        }
    return true;
}

static void run_ring(glshape_context *c, words *out) {
    uint32_t n = 600;
    glshape_rips_result r;
    glshape_source s = {.reader = read_ring, .user = &n, .n = n};
    DONE(glshape_rips(
        c, &s,
        &(glshape_rips_options){
            .dim = GLSHAPE_SET(2), .threshold = GLSHAPE_SET(18), .collapse = GLSHAPE_RIPS_COLLAPSE_OFF},
        &r));
    ck_assert_uint_gt(r.count, n);
    for (size_t k = 0; k < r.count; k++) {
        add(out, &r.intervals[k].death, 8);
        add(out, &r.intervals[k].death_simplex, 8);
    }
    glshape_rips_free(&r);
}

/* Distances of lines through the origin: points of a projective plane, one column of which is long. */
static bool read_lines(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    const uint32_t n = *(const uint32_t *)user;
    (void)message, (void)size;
    for (uint32_t i = first; i < first + count; i++)
        for (uint32_t k = 0; k < n; k++, out++) {
            double a[3], b[3], dot = 0, aa = 0, bb = 0;
            for (uint32_t c = 0; c < 3; c++) {
                a[c] = mixed(3 * i + c) * 0x1p-31 - 1;
                b[c] = mixed(3 * k + c) * 0x1p-31 - 1;
                dot += a[c] * b[c], aa += a[c] * a[c], bb += b[c] * b[c];
            }
            *out = i == k ? 0 : (float)acos(fmin(fabs(dot) / sqrt(aa * bb), 1));
        }
    return true;
}

static void run_lines(glshape_context *c, words *out) {
    uint32_t n = 220;
    glshape_rips_result r;
    glshape_source s = {.reader = read_lines, .user = &n, .n = n};
    DONE(glshape_rips(c, &s, &(glshape_rips_options){.dim = GLSHAPE_SET(1)}, &r));
    ck_assert_uint_gt(r.count, n);
    for (size_t k = 0; k < r.count; k++) add(out, &r.intervals[k].death, 8);
    glshape_rips_free(&r);
}

/* A graph of n points, each of which has `reach` neighbors before and after it. */
static void take_rips(glshape_context *c, uint32_t n, uint32_t reach, glshape_rips_collapse collapse,
                      words *out) {
    enum { MOST = 1300, PLACES = 2400 };
    static size_t start[MOST + 1];
    static uint32_t to[2 * PLACES];
    static float weight[2 * PLACES];
    size_t at = 0;
    for (uint32_t v = 0; v < n; start[++v] = at)
        for (uint32_t w = v < reach ? 0 : v - reach; w < n && w <= v + reach; w++)
            if (w != v) {
                to[at] = w;
                weight[at++] = 1 + (float)(mixed(v < w ? v * n + w : w * n + v) >> 28);
            }
    glshape_rips_result r;
    glshape_graph graph = {n, start, to, weight};
    DONE(glshape_rips(c, &(glshape_source){.graph = &graph},
                      &(glshape_rips_options){.dim = GLSHAPE_SET(2), .collapse = collapse}, &r));
    for (size_t k = 0; k < r.count; k++) {
        add(out, &r.intervals[k].birth, 8);
        add(out, &r.intervals[k].death, 8);
        add(out, &r.intervals[k].birth_simplex, 8);
    }
    glshape_rips_free(&r);
}

static void run_rips_graph(glshape_context *c, words *out) {
    take_rips(c, 120, 9, GLSHAPE_RIPS_COLLAPSE_OFF, out);
}

/* Of 120 points a matrix is made. Of 1,200 with 4 neighbors none is: the neighbors are less than a 256th of
 * it. */
static void run_collapse(glshape_context *c, words *out) {
    take_rips(c, 120, 9, GLSHAPE_RIPS_COLLAPSE_ON, out);
}
static void run_collapse_lists(glshape_context *c, words *out) {
    take_rips(c, 1200, 2, GLSHAPE_RIPS_COLLAPSE_ON, out);
}

/* What of that is in a file of its own. */
static void run_lune(glshape_context *c, words *out) { run_rips_graph(c, out); }

static const uint32_t *voxels(void) {
    static uint32_t values[VOXELS];
    for (uint32_t v = 0; v < VOXELS; v++) values[v] = mixed(v) >> 24;
    return values;
}

static void take_tree(glshape_context *c, const glshape_field *f, glshape_mergetree_options o, words *out) {
    glshape_mergetree_result r;
    DONE(glshape_mergetree(c, f, &o, &r));
    for (size_t k = 0; k < r.count; k++) {
        add(out, &r.branches[k].birth, 4);
        add(out, &r.branches[k].death, 4);
        add(out, &r.branches[k].parent, 4);
    }
    if (r.triplets) add(out, r.triplets, 12 * r.n);
    glshape_mergetree_free(&r);
}

static glshape_field cube(int neighborhood) {
    return (glshape_field){.type = GLSHAPE_U32,
                           .values = voxels(),
                           .dims = 3,
                           .shape = {EXTENT, EXTENT, EXTENT},
                           .neighborhood = neighborhood};
}

static void run_tree(glshape_context *c, words *out) {
    glshape_field f = cube(14);
    take_tree(c, &f, (glshape_mergetree_options){0}, out);
}

/* With a device that has room for some planes only. */
static void run_slabs(glshape_context *c, words *out) {
    glshape_fact facts[16];
    run_tree(c, out);
    int count = glshape_facts(c, facts, 16), planes = 0;
    for (int k = 0; k < count && k < 16; k++)
        if (!strcmp(facts[k].name, "planes in a slab")) planes = (int)facts[k].value;
    ck_assert_msg(!by_passes || (planes > 2 && planes < (int)EXTENT), "slabs of %d planes", planes);
}

static void run_branches(glshape_context *c, words *out) {
    glshape_field f = cube(6);
    take_tree(c, &f, (glshape_mergetree_options){.branches_only = true}, out);
}

static void run_triplets(glshape_context *c, words *out) {
    glshape_field f = cube(18);
    take_tree(
        c, &f,
        (glshape_mergetree_options){.method = by_passes ? GLSHAPE_MERGETREE_TRIPLET : GLSHAPE_MERGETREE_AUTO},
        out);
}

/* A ring with chords. */
static void take_graph(glshape_context *c, glshape_mergetree_method method, words *out) {
    static size_t start[VOXELS + 1];
    static uint32_t to[4 * VOXELS];
    const uint32_t steps[] = {1, 40, VOXELS - 40, VOXELS - 1};
    for (uint32_t v = 0; v < VOXELS; v++) {
        start[v + 1] = 4 * (v + 1);
        for (uint32_t k = 0; k < 4; k++) to[4 * v + k] = (v + steps[k]) % VOXELS;
    }
    glshape_graph graph = {.nodes = VOXELS, .start = start, .to = to};
    glshape_field f = {.type = GLSHAPE_U32, .values = voxels(), .graph = &graph};
    take_tree(c, &f, (glshape_mergetree_options){.method = method}, out);
}

static void run_graph(glshape_context *c, words *out) { take_graph(c, GLSHAPE_MERGETREE_AUTO, out); }
static void run_graph_triplets(glshape_context *c, words *out) {
    take_graph(c, by_passes ? GLSHAPE_MERGETREE_TRIPLET : GLSHAPE_MERGETREE_AUTO, out);
}

static void run_contour(glshape_context *c, words *out) {
    glshape_contour_result r;
    glshape_field f = cube(14);
    DONE(glshape_contour(c, &f, GLSHAPE_MERGETREE_AUTO, &r));
    for (size_t k = 0; k < r.count; k++) {
        add(out, &r.arcs[k].lower, 4);
        add(out, &r.arcs[k].upper, 4);
        add(out, &r.arcs[k].regular, 4);
        add(out, &r.arcs[k].lower_value, 8);
        add(out, &r.arcs[k].upper_value, 8);
    }
    add(out, r.arc, 4 * r.n);
    glshape_contour_free(&r);
}

static void run_bytes(glshape_context *c, words *out) {
    glshape_field f = cube(14);
    f.type = GLSHAPE_I8; /* of its values the first bytes */
    take_tree(c, &f, (glshape_mergetree_options){0}, out);
}

static void run_cubical(glshape_context *c, words *out) {
    glshape_cubical_result r;
    glshape_field f = cube(0);
    DONE(glshape_cubical(c, &f, NULL, &r));
    ck_assert_uint_gt(r.count, 100);
    for (size_t k = 0; k < r.count; k++) {
        add(out, &r.intervals[k].birth, 8);
        add(out, &r.intervals[k].death, 8);
    }
    glshape_cubical_free(&r);
}

static void run_compare(glshape_context *c, words *out) {
    enum { DIAGRAMS = 40, PAIRS = 9 };
    static double pairs[2 * DIAGRAMS * PAIRS];
    size_t first[DIAGRAMS + 1];
    glshape_compare_result r;
    for (size_t k = 0; k <= DIAGRAMS; k++) first[k] = k * PAIRS;
    for (size_t k = 0; k < DIAGRAMS * PAIRS; k++) {
        pairs[2 * k] = (double)(k * 37 % 101);
        pairs[2 * k + 1] = pairs[2 * k] + 1 + (double)(k * 53 % 17);
    }
    const glshape_diagrams in = {DIAGRAMS, first, pairs};
    DONE(glshape_compare(c, &in, NULL, &r));
    add(out, r.distance, sizeof(float) * r.n * r.n);
    glshape_compare_free(&r);
}

static void take_vectors(glshape_context *c, glshape_vectors_kind kind, words *out) {
    enum { DIAGRAMS = 40, PAIRS = 9 };
    static double pairs[2 * DIAGRAMS * PAIRS];
    size_t first[DIAGRAMS + 1];
    glshape_vectors_result r;
    for (size_t k = 0; k <= DIAGRAMS; k++) first[k] = k * PAIRS;
    for (size_t k = 0; k < DIAGRAMS * PAIRS; k++) {
        pairs[2 * k] = (double)(k * 37 % 101) / 7;
        pairs[2 * k + 1] = pairs[2 * k] + 1 + (double)(k * 53 % 17);
    }
    const glshape_diagrams in = {DIAGRAMS, first, pairs};
    DONE(
        glshape_vectors(c, &in, &(glshape_vectors_options){.kind = kind, .resolution = 21, .weight = 1}, &r));
    add(out, r.values, sizeof(float) * r.n * r.columns);
    glshape_vectors_free(&r);
}

static void run_vector_image(glshape_context *c, words *out) { take_vectors(c, GLSHAPE_VECTORS_IMAGE, out); }
static void run_landscape(glshape_context *c, words *out) { take_vectors(c, GLSHAPE_VECTORS_LANDSCAPE, out); }
static void run_silhouette(glshape_context *c, words *out) {
    take_vectors(c, GLSHAPE_VECTORS_SILHOUETTE, out);
}

static void run_membership(glshape_context *c, words *out) {
    enum { N = 400, TOP = 3 };
    double x[2 * N];
    glshape_hdbscan_result r;
    glshape_membership m;
    glshape_context *threads;
    uint32_t state = 5;
    for (uint32_t k = 0; k < 2 * N; k++) {
        state = state * 1664525u + 1013904223u;
        x[k] = (double)(k / 2 % 5) * 20 + (double)(state >> 8) * 0x1p-22;
    }
    const glshape_matrix points = {GLSHAPE_F64, N, 2, x};
    const glshape_source source = {.points = &points};
    ck_assert_int_eq(glshape_open(&(glshape_options){.when_needed = true}, &threads), GLSHAPE_OK);
    ck_assert_int_eq(glshape_hdbscan(threads, &source, &(glshape_hdbscan_options){.min_cluster_size = 8}, &r),
                     GLSHAPE_OK);
    ck_assert_uint_ge(r.clusters, 5);
    DONE(glshape_hdbscan_membership(c, &source, &r, &(glshape_membership_options){.top = TOP}, &m));
    add(out, m.strength, sizeof(double) * N * TOP);
    add(out, m.cluster, sizeof(uint32_t) * N * TOP);
    add(out, m.noise, sizeof(double) * N);
    glshape_membership_free(&m);
    glshape_hdbscan_free(&r);
    glshape_close(threads);
}

static void run_image(glshape_context *c, words *out) {
    glshape_cubical_result r;
    glshape_field f = {
        .type = GLSHAPE_U32, .values = voxels(), .dims = 2, .shape = {EXTENT, EXTENT * EXTENT}};
    DONE(glshape_cubical(c, &f, NULL, &r));
    for (size_t k = 0; k < r.count; k++) {
        add(out, &r.intervals[k].birth, 8);
        add(out, &r.intervals[k].death, 8);
    }
    glshape_cubical_free(&r);
}

#define OF_EDGES "tree/nearest STEP=0 + tree/nearest STEP=1 + 7 more"
#define OF_NEIGHBORS "tree/dense PACKED=2 + tree/least STEP=0 + 4 more"
#define OF_MATRIX "tree/dense PACKED=1 + tree/least STEP=0 + 4 more"
#define OF_COLUMNS "rips/columns LISTS=0 WORDS=8 ROOM=256 EXTRA=1 + rips/candidates LISTS=0 WORDS=8 ROOM=256"
#define OF_COLLAPSE "rips/collapse MATRIX=1 ROOM=64 + rips/collapse_list + 1 more"
#define OF_COLLAPSE_LISTS "rips/collapse MATRIX=0 ROOM=64 + rips/collapse_list"
#define OF_SHORT "rips/short LARGE=0 LISTS=0 + rips/first KEPT=1 LISTS=0 + 1 more"
#define OF_SHORT_LISTS "rips/short LARGE=0 LISTS=1 + rips/first KEPT=1 LISTS=1 + 2 more"
#define OF_SHORT_ALONE "rips/short LARGE=0 LISTS=2 + rips/first KEPT=1 LISTS=2 + 2 more"
#define OF_WIDE "rips/wide_cancel + rips/wide_make SUMMED=0 + 4 more"
#define OF_LUNES "rips/columns LISTS=1 WORDS=2 ROOM=64 EXTRA=1 + rips/candidates LISTS=1 WORDS=2 ROOM=64"
#define OF_BASINS "field/steepest HOOD=14 + field/saddles HOOD=14 + 2 more"
#define OF_LINKS "field/links STEP=0 + field/links STEP=1 + 4 more"
#define OF_ELDERS "tree/pick + tree/along STEP=1 + 22 more"
#define OF_PAIRS "mergetree/hang + mergetree/ancestors + 4 more"
#define OF_SLABS "mergetree/outside BACK=0 + mergetree/outside BACK=1 + 9 more"
#define OF_LIST "mergetree/records + mergetree/births"
#define OF_SPANS "mergetree/spans + mergetree/births"
#define OF_TURNED "field/turn + mergetree/spans"
#define OF_ITEMS "mergetree/items + mergetree/births"
#define OF_TRIPLETS "mergetree/descend HOOD=18 + mergetree/merge BEGIN=1 HOOD=18 IN_ORDER="
#define OF_LINK_TRIPLETS "mergetree/descend HOOD=0 + mergetree/merge BEGIN=0 HOOD=6 IN_ORDER="
#define OF_CONTOURS "mergetree/contour_mark + mergetree/contour_items + 26 more"
#define OF_SORT "prim/radix MOVE=0 + prim/radix MOVE=1 + 2 more"
#define OF_MEMBERSHIPS "hdbscan/closest + hdbscan/apart POWER=2 + 1 more"
#define OF_FLOW "cubical/stars + cubical/flow + 7 more"
#define OF_SLICES "compare/steps + compare/slices"
#define OF_CUBES "cubical/edges + cubical/joins HOOD=6 KEYS=0 + 2 more"
#define OF_JOINED "cubical/joins HOOD=6 KEYS=1 + cubical/joined HOOD=6 + 2 more"

static const struct {
    const char *pass;
    void (*run)(glshape_context *c, words *out);
    const char *from, *to, *note;
} spoiled[] = {
    {"tree/nearest", run_mst, DROPPED, OF_EDGES},
    {"tree/nearest", run_mst, "to_atomic_min(v, other)", "to_atomic_min(v, other ^ 1u)", OF_EDGES},
    {"tree/least", run_mst, DROPPED, OF_EDGES},
    {"tree/least", run_mst, "min(u, v), hi = max(u, v)", "max(u, v), hi = min(u, v)", OF_EDGES},
    {"tree/hook", run_mst, DROPPED, OF_EDGES},
    {"tree/hook", run_mst, "mutual \\&\\& v < other", "mutual", OF_EDGES},
    {"tree/compress", run_mst, DROPPED, OF_EDGES},
    {"tree/compress", run_mst, "step < 64u", "step < 0u", OF_EDGES},
    {"tree/alive", run_mst, "? 1u : 0u", "? 0u : 1u", OF_EDGES},
    {"tree/gather", run_mst, "kept(e)", "e", OF_EDGES},
    {"tree/dense", run_matrix, "void kernel(uint v) {", "void kernel(uint v) {\\n    if (true) return;",
     OF_MATRIX},
    {"tree/dense", run_matrix, "b.y < a.y", "b.y > a.y", OF_MATRIX},
    {"tree/least", run_matrix, DROPPED, OF_MATRIX},
    {"tree/dense", run_rips_graph, "void kernel(uint v) {", "void kernel(uint v) {\\n    if (true) return;",
     OF_NEIGHBORS},
    {"tree/dense", run_rips_graph, "n - 1u - v", "v", OF_NEIGHBORS},
    {"tree/dense", run_rips_graph, "n - 1u - neighbors(t)", "neighbors(t)", OF_NEIGHBORS},
    {"rips/edges", run_rips, DROPPED, "rips/edges"},
    {"rips/edges", run_rips, "(w > ends.x ||", "(w < ends.x ||", "rips/edges"},
    {"rips/candidates", run_rips, DROPPED, OF_COLUMNS},
    {"rips/candidates", run_rips, "uvec4(of, counts)", "uvec4(of, counts.yx)", OF_COLUMNS},
    {"rips/columns", run_rips, DROPPED, OF_COLUMNS},
    {"rips/first", run_rips, DROPPED, "rips/first"},
    {"rips/first", run_rips, "bits <= first.x", "bits < first.x", "rips/first"},
    {"rips/first", run_rips, "(below \\& 1u) != 0u", "(below \\& 1u) == 0u", "rips/first"},
    {"rips/first", run_rips, "q += LOCAL", "q += 2u * LOCAL", "rips/first"},
    {"rips/first", run_rips, "most\\[c\\] > threshold", "most[c] >= threshold", "rips/first"},
    {"rips/short", run_rips, DROPPED, OF_SHORT},
    {"rips/short", run_rips, "a.y > b.y", "a.y < b.y", OF_SHORT},
    {"rips/short", run_rips, "head.x >= column", "head.x < column", OF_SHORT},
    {"rips/short", run_rips, "(was + coefficient)", "coefficient", OF_SHORT},
    {"rips/short", run_rips, "? coefficient : negative(coefficient)", "? negative(coefficient) : coefficient",
     OF_SHORT},
    {"rips/short", run_rips, "slots_cas(slot, owner, mine)", "slots_load(slot)", OF_SHORT},
    {"rips/first", run_rips, "k < above ? k : k + 1u", "k", OF_SHORT},
    {"rips/short_ends", run_rips, DROPPED, OF_SHORT},
    {"rips/short", run_ring, DROPPED, OF_SHORT_LISTS},
    {"rips/short", run_ring, "all.first + q", "all.first", OF_SHORT_LISTS},
    {"rips/rows", run_ring, DROPPED, OF_SHORT_LISTS},
    {"rips/rows", run_ring, "edge_length(group, 4u", "edge_length(t, 4u", OF_SHORT_LISTS},
    {"rips/short", run_rips_graph, DROPPED, OF_SHORT_ALONE},
    {"rips/short", run_rips_graph, ": edge_length(v, neighbors(k))", ": lengths(k)", OF_SHORT_ALONE},
    {"rips/short", run_rips_graph, "high << (32u - shift)", "high << (31u - shift)", OF_SHORT_ALONE},
    {"rips/short", run_rips_graph, "reduce(begun \\& ~LEFT)", "finish(ZERO)", OF_SHORT_ALONE},
    {"rips/first", run_rips_graph, "start(v) == all.first", "true", OF_SHORT_ALONE},
    {"rips/short_ends", run_rips_graph, DROPPED, OF_SHORT_ALONE},
    {"rips/wide_make", run_lines, DROPPED, OF_WIDE},
    {"rips/wide_make", run_lines, "? sum \\& COEFFICIENT", "? 1u", OF_WIDE},
    {"rips/wide_make", run_lines, "bit \\/ 4u \\* LOCAL", "bit \\/ 4u", OF_WIDE},
    {"rips/wide_make", run_lines, "most\\[c\\] <= bound", "most[c] < bound", OF_WIDE},
    {"rips/wide_make", run_lines, "w != without", "true", OF_WIDE},
    {"rips/wide_make", run_lines, "vertices - 1u - above", "vertices - above", OF_WIDE},
    {"rips/wide_cancel", run_lines, DROPPED, OF_WIDE},
    {"rips/wide_cancel", run_lines, "x > w", "x < w", OF_WIDE},
    {"rips/wide_cancel", run_lines, "? sum : negative(sum)", "? negative(sum) : sum", OF_WIDE},
    {"rips/wide_insert", run_lines, DROPPED, OF_WIDE},
    {"rips/wide_insert", run_lines, "% modulus;", "% (modulus + 1u);", OF_WIDE},
    {"rips/wide_insert", run_lines, "if (stands) now", "if (!stands) now", OF_WIDE},
    {"rips/wide_left", run_lines, DROPPED, OF_WIDE},
    {"rips/wide_left", run_lines, "part < end_part", "part <= end_part", OF_WIDE},
    {"rips/list_edges", run_rips_graph, DROPPED, "rips/list_edges"},
    {"rips/list_edges", run_rips_graph, "(w > of.x ||", "(w < of.x ||", "rips/list_edges"},
    {"rips/list_edges", run_rips_graph, "w = greatest", "w = 1u", "rips/list_edges"},
    {"rips/list_edges", run_rips_graph, "atomicMax(greatest", "atomicMin(greatest", "rips/list_edges"},
    {"rips/candidates", run_rips_graph, DROPPED, OF_LUNES},
    {"rips/candidates", run_lune, "? size : size + first", "? 0u : first", OF_LUNES},
    {"rips/candidates", run_lune, "\\&\\& is_near", "|| is_near", OF_LUNES},
    {"rips/columns", run_rips_graph, DROPPED, OF_LUNES},
    {"rips/columns", run_rips_graph, "if (in_w) {", "if (!in_w) {", OF_LUNES},
    {"rips/collapse_list", run_collapse, DROPPED, OF_COLLAPSE},
    {"rips/collapse_list", run_collapse, "find_place(start(of.y), start(of.y + 1u), of.x)", "k", OF_COLLAPSE},
    {"rips/collapse_rows", run_collapse, DROPPED, OF_COLLAPSE},
    {"rips/collapse_rows", run_collapse, "now_store(group, j", "now_store(j, j", OF_COLLAPSE},
    {"rips/collapse", run_collapse, DROPPED, OF_COLLAPSE},
    {"rips/collapse", run_collapse_lists, DROPPED, OF_COLLAPSE_LISTS},
    {"rips/collapse", run_collapse_lists, "values_store(item.w, value)", "{}", OF_COLLAPSE_LISTS},
    {"rips/collapse", run_collapse_lists, "? values_load(k) :", "? value :", OF_COLLAPSE_LISTS},
    {"rips/collapse", run_collapse, "now_store(e.b, e.a", "now_store(e.b, e.b", OF_COLLAPSE},
    {"rips/collapse", run_collapse, "value > e.value ||", "value < e.value ||", OF_COLLAPSE},
    {"rips/collapse", run_collapse, "high < e.a", "high > e.a", OF_COLLAPSE},
    {"rips/collapse", run_collapse, "atomicMin(least", "atomicMax(least", OF_COLLAPSE},
    {"field/steepest", run_tree, DROPPED, OF_BASINS},
    {"field/saddles", run_tree, DROPPED, OF_BASINS},
    {"field/compress", run_tree, DROPPED, OF_BASINS},
    {"field/compress", run_tree, "state_atomic_max(1u, 1u)", "{}", OF_BASINS},
    {"field/compress", run_tree, "basin_store(v, at)", "basin_store(v, v)", OF_BASINS},
    {"mergetree/regular", run_tree, DROPPED, OF_BASINS},
    {"field/links", run_graph, DROPPED, OF_LINKS},
    {"field/number", run_graph, DROPPED, OF_LINKS},
    {"tree/offer", run_tree, DROPPED, OF_ELDERS},
    {"tree/offer", run_tree, "lower(edge.z, edge.x)", "{}", OF_ELDERS},
    {"tree/pick", run_tree, DROPPED, OF_ELDERS},
    {"tree/pick", run_tree, "joins \\&\\& !picks", "!picks \\&\\& a < b", OF_ELDERS},
    {"tree/along", run_tree, DROPPED, OF_ELDERS},
    {"tree/along", run_tree, "part\\[me - 1u\\] : NOBODY", "NOBODY : NOBODY", OF_ELDERS},
    {"tree/along", run_tree, "before(group - 1u)", "before(group)", OF_ELDERS},
    {"tree/sides", run_tree, DROPPED, OF_ELDERS},
    {"tree/sides", run_tree, "first_is ? other.z : one.z", "one.z", OF_ELDERS},
    {"tree/falls", run_tree, DROPPED, OF_ELDERS},
    {"tree/falls", run_tree, "? other.z : one.z", "? one.z : other.z", OF_ELDERS},
    {"tree/oldest", run_tree, DROPPED, OF_ELDERS},
    {"tree/endless", run_tree, "? 1u : 0u", "? 0u : 1u", OF_ELDERS},
    {"tree/ends", run_tree, DROPPED, OF_ELDERS},
    {"tree/gather", run_tree, "kept(e)", "e", OF_ELDERS},
    {"tree/singletons", run_tree, DROPPED, OF_ELDERS},
    {"tree/ties", run_tree, DROPPED, OF_ELDERS},
    {"tree/ties", run_tree, "BY == 1 ?", "BY == 3 ?", OF_ELDERS},
    {"tree/ties", run_tree, "a.z < b.z", "a.z > b.z", OF_ELDERS},
    {"mergetree/births", run_tree, DROPPED, OF_PAIRS},
    {"mergetree/hang", run_tree, DROPPED, OF_PAIRS},
    {"mergetree/ancestors", run_tree, DROPPED, OF_PAIRS},
    {"mergetree/places", run_tree, DROPPED, OF_PAIRS},
    {"mergetree/rename", run_tree, DROPPED, OF_PAIRS},
    {"mergetree/records", run_branches, DROPPED, OF_LIST},
    {"mergetree/spans", run_contour, DROPPED, OF_SPANS},
    {"mergetree/spans", run_contour, "vertices - 1u - span", "vertices - span", OF_TURNED},
    {"mergetree/spans", run_contour, "p < essential", "p > essential", OF_SPANS},
    {"field/turn", run_contour, DROPPED, OF_TURNED},
    {"field/turn", run_contour, "~key", "key", OF_TURNED},
    {"field/turn", run_contour, "n - 1u - v", "v", OF_TURNED},
    {"field/widen", run_bytes, DROPPED, "field/widen"},
    {"field/widen", run_bytes, "32u >> shift", "16u >> shift", "field/widen"},
    {"field/widen", run_bytes, "0x80000000u - sign", "0x80000000u", "field/widen"},
    {"field/widen", run_bytes, ") ^ flip", ")", "field/widen"},
    {"mergetree/records", run_tree, DROPPED, OF_LIST},
    {"mergetree/items", run_cubical, DROPPED, OF_ITEMS},
    {"cubical/reverse", run_image, DROPPED, "cubical/reverse"},
    {"cubical/reverse", run_cubical, "outside >> 2", "outside >> 1", "cubical/reverse"},
    {"cubical/reverse", run_cubical, "k + 1u", "k", "cubical/reverse"},
    {"mergetree/records", run_branches, "power + 896u", "power + 895u", OF_LIST},
    {"mergetree/records", run_branches, "149u << 20", "148u << 20", OF_LIST},
    {"mergetree/records", run_branches, "int(one) < 0", "int(one) > 0", OF_LIST},
    {"mergetree/components", run_slabs, DROPPED, OF_SLABS},
    {"mergetree/lowest_edge", run_slabs, DROPPED, OF_SLABS},
    {"mergetree/hook", run_slabs, DROPPED, OF_SLABS},
    {"mergetree/arrive", run_slabs, DROPPED, OF_SLABS},
    {"mergetree/relabel", run_slabs, DROPPED, OF_SLABS},
    {"mergetree/move", run_slabs, DROPPED, OF_SLABS},
    {"mergetree/parents", run_slabs, DROPPED, OF_SLABS},
    {"mergetree/descend", run_triplets, DROPPED, OF_TRIPLETS},
    {"mergetree/merge", run_triplets, DROPPED, OF_TRIPLETS},
    {"mergetree/free_records", run_triplets, DROPPED, OF_TRIPLETS},
    {"mergetree/repair", run_triplets, DROPPED, OF_TRIPLETS},
    {"mergetree/descend", run_graph_triplets, DROPPED, OF_LINK_TRIPLETS},
    {"mergetree/merge", run_graph_triplets, DROPPED, OF_LINK_TRIPLETS},
    {"mergetree/outside", run_slabs, DROPPED, OF_SLABS},
    {"mergetree/seen", run_slabs, DROPPED, OF_SLABS},
    {"mergetree/contour_mark", run_contour, DROPPED, OF_CONTOURS},
    {"mergetree/contour_items", run_contour, DROPPED, OF_CONTOURS},
    {"mergetree/contour_number", run_contour, DROPPED, OF_CONTOURS},
    {"mergetree/contour_branch", run_contour, DROPPED, OF_CONTOURS},
    {"mergetree/contour_slots", run_contour, DROPPED, OF_CONTOURS},
    {"mergetree/contour_ends", run_contour, DROPPED, OF_CONTOURS},
    {"mergetree/contour_up", run_contour, DROPPED, OF_CONTOURS},
    {"mergetree/contour_tour", run_contour, DROPPED, OF_CONTOURS},
    {"mergetree/contour_jump", run_contour, DROPPED, OF_CONTOURS},
    {"mergetree/contour_reach", run_contour, DROPPED, OF_CONTOURS},
    {"mergetree/contour_record", run_contour, DROPPED, OF_CONTOURS},
    {"mergetree/contour_number", run_contour, "k + 1u", "k + 2u", OF_CONTOURS},
    {"mergetree/contour_items", run_contour, "uvec4(key(v), v", "uvec4(v, v", OF_CONTOURS},
    {"mergetree/contour_branch", run_contour, "mirror(place(mirror(v)))", "place(v)", OF_CONTOURS},
    {"mergetree/contour_slots", run_contour, "s + 1u);", "s);", OF_CONTOURS},
    {"mergetree/contour_ends", run_contour, "number(own.y) - 1u", "number(own.x) - 1u", OF_CONTOURS},
    {"mergetree/contour_up", run_contour, "children++", "{}", OF_CONTOURS},
    {"mergetree/contour_up", run_contour, "to = behind.z", "to = own.z", OF_CONTOURS},
    {"mergetree/contour_tour", run_contour, "from, before(", "from, 1u + before(", OF_CONTOURS},
    {"mergetree/contour_tour", run_contour, "branches + before", "before", OF_CONTOURS},
    {"mergetree/contour_jump", run_contour, "own.y + ahead.y", "own.y", OF_CONTOURS},
    {"mergetree/contour_reach", run_contour, "before(t) + forks(t)", "before(t)", OF_CONTOURS},
    {"mergetree/contour_record", run_contour, "place_of(low_parent(k)), place_of(high_parent(k))",
     "place_of(high_parent(k)), place_of(low_parent(k))", OF_CONTOURS},
    {"mergetree/contour_chains", run_contour, "children(k) < 2u", "children(k) < 3u", OF_CONTOURS},
    {"mergetree/contour_chains", run_contour, "children(k) == 0u ? k : child(k)", "k", OF_CONTOURS},
    {"mergetree/contour_follow", run_contour, "to_store(k, next)", "to_store(k, NONE)", OF_CONTOURS},
    {"mergetree/contour_follow", run_contour, "wanted_here = 1u", "wanted_here = 0u", OF_CONTOURS},
    {"mergetree/contour_take", run_contour, "leaf(up) == NONE", "leaf(up) != NONE", OF_CONTOURS},
    {"mergetree/contour_take", run_contour, "other_child(k));", "k);", OF_CONTOURS},
    {"mergetree/contour_splice", run_contour, "parent_store(k, parent_load(up))", "parent_store(k, up)",
     OF_CONTOURS},
    {"mergetree/contour_apply", run_contour, "node_of(own.z)", "own.z", OF_CONTOURS},
    {"mergetree/contour_chains", run_contour, DROPPED, OF_CONTOURS},
    {"mergetree/contour_follow", run_contour, DROPPED, OF_CONTOURS},
    {"mergetree/contour_take", run_contour, DROPPED, OF_CONTOURS},
    {"mergetree/contour_splice", run_contour, DROPPED, OF_CONTOURS},
    {"mergetree/contour_apply", run_contour, DROPPED, OF_CONTOURS},
    {"mergetree/contour_arcs", run_contour, "branch < reach.x", "branch == reach.x", OF_CONTOURS},
    {"mergetree/contour_arcs", run_contour, "uvec4(vertex(min(k, far)), vertex(max",
     "uvec4(vertex(max(k, far)), vertex(min", OF_CONTOURS},
    {"mergetree/contour_ways", run_contour, "above(own.w).x : below", "below(own.w).x : above", OF_CONTOURS},
    {"mergetree/contour_guide", run_contour, "high_edge(k)", "low_edge(k)", OF_CONTOURS},
    {"mergetree/contour_list", run_contour, "regular(r)", "0u", OF_CONTOURS},
    {"mergetree/contour_list", run_contour, "value_of(key(own.x))", "value_of(key(own.y))", OF_CONTOURS},
    {"mergetree/contour_arcs", run_contour, DROPPED, OF_CONTOURS},
    {"mergetree/contour_ways", run_contour, DROPPED, OF_CONTOURS},
    {"mergetree/contour_guide", run_contour, DROPPED, OF_CONTOURS},
    {"mergetree/contour_list", run_contour, DROPPED, OF_CONTOURS},
    {"mergetree/beside", run_contour, DROPPED, OF_CONTOURS},
    {"mergetree/beside", run_contour, "split == 0u", "split != 0u", OF_CONTOURS},
    {"mergetree/rows", run_contour, DROPPED, OF_CONTOURS},
    {"mergetree/rows", run_contour, "within(rising, falling.y)", "false", OF_CONTOURS},
    {"mergetree/rows", run_contour, "same = row", "same = v", OF_CONTOURS},
    {"cubical/edges", run_cubical, DROPPED, OF_CUBES},
    {"cubical/edges", run_cubical, "uvec4(start + nx", "uvec4(start + 1u + nx", OF_CUBES},
    {"cubical/joins", run_cubical, DROPPED, OF_CUBES},
    {"cubical/joins", run_cubical, "uvec2(e, i)", "uvec2(e, i ^ 1u)", OF_CUBES},
    {"cubical/joined", run_cubical, DROPPED, OF_JOINED},
    {"cubical/joined", run_cubical, "own.z ^= taken", "own.z ^= taken << 1", OF_JOINED},
    {"cubical/joined", run_cubical, "\\& 63u", "\\& 31u", OF_JOINED},
    {"cubical/spread", run_cubical, DROPPED, OF_JOINED},
    {"cubical/spread", run_cubical, "\\& 63u", "\\& 31u", OF_JOINED},
    {"cubical/spread", run_cubical, "at++", "at", OF_JOINED},
    {"compare/steps", run_compare, DROPPED, OF_SLICES},
    {"compare/steps", run_compare, "turns(from + line)", "turns(line)", OF_SLICES},
    {"compare/steps", run_compare, "<< 1 | 1u", "<< 1", OF_SLICES},
    {"compare/steps", run_compare, "high += carry + ", "high += ", OF_SLICES},
    {"compare/slices", run_compare, DROPPED, OF_SLICES},
    {"compare/slices", run_compare, "high += parts + carry", "high += parts", OF_SLICES},
    {"compare/slices", run_compare, "step ^ 1u", "step", OF_SLICES},
    {"compare/slices", run_compare, "tile = from + group", "tile = group", OF_SLICES},
    {"compare/slices", run_compare, "begun != 0u", "begun == 0u", OF_SLICES},
    {"compare/slices", run_compare, "+= low;", "+= WINDOW;", OF_SLICES},
    {"compare/image", run_vector_image, DROPPED, "compare/image"},
    {"compare/image", run_vector_image, "d_low, xd", "c_low, xd", "compare/image"},
    {"compare/image", run_vector_image, "a + a_low", "a", "compare/image"},
    {"compare/image", run_vector_image, "columns + row", "columns", "compare/image"},
    {"compare/landscape", run_landscape, DROPPED, "compare/landscape"},
    {"compare/landscape", run_landscape, "k > before", "false", "compare/landscape"},
    {"compare/landscape", run_landscape, "t > best", "t >= best", "compare/landscape"},
    {"compare/landscape", run_landscape, "levels + level", "levels", "compare/landscape"},
    {"compare/silhouette", run_silhouette, DROPPED, "compare/silhouette"},
    {"compare/silhouette", run_silhouette, "weight(k) \\*", "1.0 *", "compare/silhouette"},
    {"compare/silhouette", run_silhouette, "sum.x + low.x", "sum.x", "compare/silhouette"},
    {"hdbscan/closest", run_membership, DROPPED, OF_MEMBERSHIPS},
    {"hdbscan/closest", run_membership, "next - least > constant", "next > constant", OF_MEMBERSHIPS},
    {"hdbscan/closest", run_membership, "low | high << 16", "low", OF_MEMBERSHIPS},
    {"hdbscan/closest", run_membership, "begin + 16u, quads", "16u, quads", OF_MEMBERSHIPS},
    {"hdbscan/apart", run_membership, DROPPED, OF_MEMBERSHIPS},
    {"hdbscan/apart", run_membership, "add(add(sum, d), e)", "add(sum, d)", OF_MEMBERSHIPS},
    {"hdbscan/apart", run_membership, ": piece.y;", ": from + 1u;", OF_MEMBERSHIPS},
    {"hdbscan/strongest", run_membership, DROPPED, OF_MEMBERSHIPS},
    {"hdbscan/strongest", run_membership, "weight = own.zw", "weight.y \\&= 0x7fffffffu", OF_MEMBERSHIPS},
    {"hdbscan/strongest", run_membership, "is_less(a.xy, strength)", "is_less(strength, a.xy)",
     OF_MEMBERSHIPS},
    {"cubical/stars", run_cubical, DROPPED, OF_FLOW},
    {"cubical/stars", run_cubical, "~0u : ~cube_bit(i)", "~0u : ~0u", OF_FLOW},
    {"cubical/stars", run_cubical, "y + 1u == ny ?", "false ?", OF_FLOW},
    {"cubical/flow", run_cubical, DROPPED, OF_FLOW},
    {"cubical/flow", run_cubical, "uvec2(at, criticals", "uvec2(at ^ 1u, criticals", OF_FLOW},
    {"cubical/flow", run_cubical, "to_far ? far : near", "to_far ? near : far", OF_FLOW},
    {"cubical/flow", run_cubical, "critical |= 1u << q", "critical |= 2u << q", OF_FLOW},
    {"cubical/flow", run_cubical, "edges ^= same", "edges \\|= same", OF_FLOW},
    {"cubical/flow", run_cubical, "by_cubes != uint", "by_cubes == uint", OF_FLOW},
    {"cubical/flow_on", run_cubical, DROPPED, OF_FLOW},
    {"cubical/flow_on", run_cubical, "lower_star, next.y, 0u", "lower_star, 0u, 0u", OF_FLOW},
    {"cubical/flow_on", run_cubical, "column.y - at) | PENDING", "column.y) | PENDING", OF_FLOW},
    {"cubical/claim", run_cubical, DROPPED, OF_FLOW},
    {"cubical/claim", run_cubical, "lower(key(w), w, key(v), v)", "lower(key(v), v, key(w), w)", OF_FLOW},
    {"cubical/claim", run_cubical, "displace(owner);", "", OF_FLOW},
    {"cubical/add", run_cubical, DROPPED, OF_FLOW},
    {"cubical/add", run_cubical, "entry.y = ((x.y ^ y.y)", "entry.y = ((x.y | y.y)", OF_FLOW},
    {"cubical/add", run_cubical, "sum(column, other, to)", "sum(column, column, to)", OF_FLOW},
    {"cubical/add_long", run_cubical, DROPPED, OF_FLOW},
    {"cubical/add_long", run_cubical, "sums.lane. += before", "sums[lane] = before", OF_FLOW},
    {"cubical/add_long", run_cubical, "same(entries_load(a + i", "!same(entries_load(a + i", OF_FLOW},
    {"cubical/pack", run_cubical, DROPPED, OF_FLOW},
    {"cubical/pack", run_cubical, "entries(column.x + k, 0u)", "entries(column.x, 0u)", OF_FLOW},
    {"cubical/patch", run_cubical, DROPPED, OF_FLOW},
    {"cubical/patch", run_cubical, "key(patch_.y), patch_.y", "key(patch_.x), patch_.y", OF_FLOW},
    {"cubical/intervals", run_cubical, DROPPED, "cubical/intervals"},
    {"cubical/intervals", run_cubical, "to--", "to++", "cubical/intervals"},
    {"cubical/intervals", run_cubical, "to++", "to--", "cubical/intervals"},
    {"cubical/intervals", run_cubical, "own.x, own.w", "own.w, own.x", "cubical/intervals"},
    {"cubical/intervals", run_cubical, "own.z, own.w", "own.w, own.w", "cubical/intervals"},
    {"cubical/intervals", run_cubical, "other.xy != own.xy", "other.y != own.y", "cubical/intervals"},
    {"cubical/intervals", run_cubical, "own.x, own.w, 0u", "own.x, own.w \\& 0xffffu, 0u",
     "cubical/intervals"},
    {"cubical/intervals", run_cubical, "own.w == NONE", "own.w != NONE", "cubical/intervals"},
    {"cubical/intervals", run_cubical, "power + 896u", "power + 895u", "cubical/intervals"},
    {"cubical/intervals", run_cubical, "149u << 20", "148u << 20", "cubical/intervals"},
    {"cubical/intervals", run_cubical, "int(one) < 0", "int(one) > 0", "cubical/intervals"},
    {"cubical/intervals", run_cubical, "ordered ^ flip", "ordered", "cubical/intervals"},
    {"cubical/settle", run_cubical, DROPPED, "cubical/settle"},
    {"cubical/settle", run_cubical, "own - 1u - p", "own - 2u - p", "cubical/settle"},
    {"cubical/settle", run_cubical, "own - 1u - place", "own - 2u - place", "cubical/settle"},
    {"cubical/settle", run_cubical, "key_of(p.z), key_of(p.y)", "key_of(p.y), key_of(p.z)", "cubical/settle"},
    {"cubical/settle", run_cubical, "k <= unused", "k < unused", "cubical/settle"},
    {"cubical/settle", run_cubical, "p.x >= vertices", "false", "cubical/settle"},
    {"cubical/settle", run_cubical, "8u \\* (square", "4u * (square", "cubical/settle"},
    {"cubical/settle", run_cubical, "drops || other", "drops", "cubical/settle"},
    {"cubical/pairs", run_cubical, DROPPED, OF_FLOW},
    {"cubical/pairs", run_cubical, "entries(column.x, 0u).x", "entries(column.x, 0u).y", OF_FLOW},
    {"cubical/pairs", run_cubical, "NONE : key(w)", "NONE : key(v)", OF_FLOW},
    {"prim/radix", run_cubical, DROPPED, OF_SORT},
    {"prim/radix", run_cubical, "\\& 15u;", "\\& 7u;", OF_SORT},
    {"prim/scan", run_cubical, DROPPED, OF_SORT},
    {"prim/reduce_group", run_cubical, DROPPED, OF_SORT},
    {"field/steepest", run_cubical, DROPPED, OF_CUBES},
    {"field/compress", run_cubical, DROPPED, OF_CUBES},
    {"field/compress", run_cubical, "state_atomic_max(1u, 1u)", "{}", OF_CUBES},
};

#define SPOILED (sizeof spoiled / sizeof *spoiled)

/* On the processors, of which no device is asked for so little; or by passes, of a device of a new process.
 * runs: of each spoiled program. */
static void run_method(size_t k, bool passes, char *notes, uint64_t runs[SPOILED], words *out) {
    glshape_context *c;
    glshape_options options = {.debug = passes, .device = passes ? test_device() : NULL};
    if (passes && spoiled[k].run == run_slabs) options.gpu_memory = SLABS;
    by_passes = passes;
    ck_assert_int_eq(glshape_open(&options, &c), GLSHAPE_OK);
    gpu_set_eager(context_gpu(c), passes);
    out->count = 0;
    spoiled[k].run(c, out);
    snprintf(notes, 1200, "%s", glshape_notes(c));
    for (size_t j = 0; j < SPOILED; j++) runs[j] = runs_of(context_gpu(c), spoiled[j].pass);
    glshape_close(c);
}

static bool same_words(const words *a, const words *b) {
    return a->count && a->count == b->count && !memcmp(a->at, b->at, 4 * a->count);
}

/* What is spoiled of lists of branches, unless all is dropped, is what they have in common with other lists,
 * intervals among these;
 * of the flow of edges what it has in common with that of columns. */
static const char *file_of(size_t k) {
    if (strstr(spoiled[k].from, "wanted_here")) return "lib/raise";
    bool common = !strstr(spoiled[k].from, "kernel") && !strstr(spoiled[k].from, "criticals");
    if (common && !strcmp(spoiled[k].pass, "cubical/flow")) return "cubical/visit";
    if (strstr(spoiled[k].from, "- above") && spoiled[k].run == run_lines) return "rips/cofacet";
    if (strstr(spoiled[k].from, "x > w") && spoiled[k].run == run_lines) return "rips/apparent";
    if (strstr(spoiled[k].from, "all.first") || strstr(spoiled[k].from, "neighbors(k)")) return "rips/around";
    if (strstr(spoiled[k].from, "- shift")) return "rips/packed";
    bool cofacets = !strstr(spoiled[k].from, "kernel") && !strstr(spoiled[k].from, "sum");
    if (cofacets && !strcmp(spoiled[k].pass, "rips/wide_make")) return "rips/wide_cofacets";
    bool value = spoiled[k].run == run_branches && !strstr(spoiled[k].from, "kernel");
    if (!strcmp(spoiled[k].pass, "cubical/intervals"))
        value = strstr(spoiled[k].from, "power") || strstr(spoiled[k].from, "149u") ||
                strstr(spoiled[k].from, "int(one)") || strstr(spoiled[k].from, "ordered");
    return value ? "field/value" : spoiled[k].run == run_lune ? "rips/lune_of_lists" : spoiled[k].pass;
}

/* Whether no row before has this note. */
static bool is_first_of_note(size_t k) {
    for (size_t j = 0; j < k; j++)
        if (!strcmp(spoiled[j].note, spoiled[k].note)) return false;
    return true;
}

START_TEST(wrong_methods) {
    static words got, want;
    char note[240], notes[1200];
    const char *pass = spoiled[_i].pass;
    uint64_t runs[SPOILED];
    run_method((size_t)_i, false, notes, runs, &want);
    ck_assert_uint_eq(runs[_i], 0);
    spoil(file_of((size_t)_i), spoiled[_i].from, spoiled[_i].to);
    snprintf(note, sizeof note, "computes something wrong: the processors do %s", spoiled[_i].note);
    for (int turn = 0; turn < (is_first_of_note((size_t)_i) ? 2 : 1); turn++) {
        run_method((size_t)_i, true, notes, runs, &got);
        ck_assert_msg(strstr(notes, note) != NULL, "%s: '%s'", pass, notes);
        ck_assert_msg(same_words(&got, &want), "%s", pass);
        if (turn) ck_assert_uint_eq(runs[_i], 0); /* the verdict is kept */
    }
}
END_TEST

/* And where nothing is spoiled each program of a method is run, and says nothing. */
START_TEST(right_methods) {
    static words got, want;
    char notes[1200];
    uint64_t runs[SPOILED];
    for (int k = 0; k < _i; k++)
        if (spoiled[k].run == spoiled[_i].run) return; /* its method is done */
    run_method((size_t)_i, false, notes, runs, &want);
    run_method((size_t)_i, true, notes, runs, &got);
    ck_assert_str_eq(notes, "");
    ck_assert_msg(same_words(&got, &want), "%s", spoiled[_i].pass);
    for (size_t k = 0; k < SPOILED; k++)
        ck_assert_msg(spoiled[k].run != spoiled[_i].run || runs[k] > 0, "%s", spoiled[k].pass);
}
END_TEST

Suite *gpu_trust_suite(void) {
    Suite *s = suite_create("gpu/trust");
    TCase *t = tcase_create("trust");
    tcase_add_checked_fixture(t, make_folder, delete_folder);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, kept);
    tcase_add_test(t, without_memory);
    tcase_add_test(t, listed);
    tcase_add_test(t, slow_doubles);
    tcase_add_test(t, not_kept);
    tcase_add_test(t, not_exact);
    tcase_add_test(t, in_a_check);
    tcase_add_test(t, damaged);
    tcase_add_test(t, hangs);
    tcase_add_test(t, dies);
    tcase_add_test(t, command);
    tcase_add_test(t, small_checks);
    tcase_add_test(t, right_programs);
    suite_add_tcase(s, t);
    t = tcase_create("programs");
    tcase_add_unchecked_fixture(t, make_folder, delete_folder);
    tcase_add_checked_fixture(t, NULL, repair);
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, wrong_programs, 0, sizeof faults / sizeof *faults);
    suite_add_tcase(s, t);
    t = tcase_create("methods");
    tcase_add_unchecked_fixture(t, make_folder, delete_folder);
    tcase_add_checked_fixture(t, NULL, repair);
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, right_methods, 0, SPOILED);
    tcase_add_loop_test(t, wrong_methods, 0, SPOILED);
    suite_add_tcase(s, t);
    return s;
}
