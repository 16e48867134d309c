/* Programs that are left for later runs: who compiles them, when they are asked for, and what stays of a
 * compiler that fails. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "alpha/passes.h"
#include "base/clock.h"
#include "base/random.h"
#include "glshape.h"
#include "gpu/cache.h"
#include "gpu/context.h"
#include "prim/bench.h"
#include "suites.h"

static char folder[64];
static char *outer; /* GLSHAPE_CACHE of all other tests */

static int shell(const char *format) {
    char line[400];
    snprintf(line, sizeof line, format, folder);
    return system(line);
}

static void make_folder(void) {
    char cache[80];
    strcpy(folder, "/tmp/glshape-later-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    outer = getenv("GLSHAPE_CACHE") ? strdup(getenv("GLSHAPE_CACHE")) : NULL;
    snprintf(cache, sizeof cache, "%s/cache", folder);
    setenv("GLSHAPE_CACHE", cache, 1);
    setenv("GLSHAPE_DEBUG", "1", 1); /* the command's devices are then like these, and so are the programs */
}

static void delete_folder(void) {
    shell("rm -rf %s");
    if (outer) setenv("GLSHAPE_CACHE", outer, 1);
    else unsetenv("GLSHAPE_CACHE");
    unsetenv("GLSHAPE_GLSL_DIR");
    unsetenv("GLSHAPE_DEBUG");
    free(outer);
    outer = NULL;
}

static const char *command(void) { return getenv("GLSHAPE") ? getenv("GLSHAPE") : "build/glshape"; }

/* A device of a new process, as far as programs and verdicts are concerned. */
static gpu *open_gpu(const char *compiler) {
    gpu *g;
    error err = {0};
    glshape_options options = {.debug = true, .device = test_device(), .compiler = compiler};
    OK(&err, gpu_open(&err, &options, &g));
    OK(run_error(run_of(g)), gpu_enter(g));
    gpu_set_patient(g, true);
    return g;
}

static void close_gpu(gpu *g) {
    gpu_leave(g);
    ck_assert_int_eq(gpu_close(g), 0);
}

static int calls;

static glshape_status check(gpu *g, const void *user, bool *right) {
    (void)g, (void)user;
    calls++;
    *right = true;
    return GLSHAPE_OK;
}

static void expect_more(gpu *g, const void *user) {
    (void)user;
    gpu_soon(g, alpha_keys, .LIMBS = 4);
}

/* Why a trial said no; RUN_FOR_PASSES: it said yes. */
static run_why answer(gpu *g, bool may_wait) {
    gpu_exact e = {.program = {gpu_program(alpha_keys, .LIMBS = 2)}, .check = check, .expect = expect_more};
    run_why why = RUN_FOR_PASSES;
    gpu_begin_method(g);
    gpu_may_wait(g, may_wait);
    OK(run_error(run_of(g)), gpu_trusts_for(g, &e, &why));
    return why;
}

static run_why ask(const char *compiler, bool may_wait) {
    gpu *g = open_gpu(compiler);
    run_why why = answer(g, may_wait);
    ck_assert_str_eq(run_notes(run_of(g)), "");
    close_gpu(g);
    return why;
}

static void sleep_a_little(void) { nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL); }

/* The first run leaves the program; a process that nobody waits for compiles it, and what goes with it; a
 * later run tries it. */
START_TEST(compiled_later) {
    static glshape_timing timings[64];
    int ends[2];
    char byte;
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(ask(command(), true), RUN_NOT_YET);
    double since = wall_seconds();
    close(ends[1]); /* the last end that is open: that process holds none */
    ck_assert_int_eq(read(ends[0], &byte, 1), 0);
    ck_assert_msg(wall_seconds() - since < 1, "%g seconds", wall_seconds() - since);
    close(ends[0]);
    ck_assert_int_eq(calls, 0);
    run_why why = RUN_NOT_YET;
    for (int k = 0; k < 300 && why == RUN_NOT_YET; k++) {
        sleep_a_little();
        why = ask(command(), true);
    }
    ck_assert_int_eq(why, RUN_FOR_PASSES);
    ck_assert_int_eq(calls, 1);
    bool more = false; /* the other program is there, and no mark of it */
    for (int k = 0; k < 300 && !more; k++, sleep_a_little())
        more = !shell("grep -a -l 'LIMBS 4' %s/cache/*.program | xargs -r grep -a -L begun | grep -q .");
    ck_assert(more);
    gpu *g = open_gpu(NULL);
    gpu_load(g, alpha_keys, .LIMBS = 4);
    int count = gpu_timings(g, timings, 64), kept = 0;
    for (int i = 0; i < count; i++) kept += !strcmp(timings[i].pass, "alpha/keys") ? timings[i].kept : 0;
    ck_assert_int_eq(kept, 1);
    close_gpu(g);
}
END_TEST

static bool has_run(gpu *g, const char *pass) {
    static glshape_timing timings[64];
    bool found = false;
    for (int i = gpu_timings(g, timings, 64); i-- > 0;) found = found || !strcmp(timings[i].pass, pass);
    return found;
}

/* The self-test waits for a later run, too, or for who needs to know; not of a driver that is not known. */
START_TEST(the_test_is_left) {
    gpu *g = open_gpu(command());
    bool known = !strstr(gpu_renderer(g), "virgl");
    ck_assert_int_eq(answer(g, true), RUN_NOT_YET);
    ck_assert(gpu_may_be_exact(g) && has_run(g, "gpu/arithmetic") == !known);
    ck_assert(gpu_is_exact(g) && has_run(g, "gpu/arithmetic"));
    close_gpu(g);
    g = open_gpu(NULL); /* what it found is kept */
    ck_assert(gpu_is_exact(g) && has_run(g, "gpu/arithmetic") == !known);
    close_gpu(g);
    shell("rm -rf %s/cache");
    g = open_gpu(NULL);
    ck_assert(gpu_may_be_exact(g) && has_run(g, "gpu/arithmetic"));
    close_gpu(g);
}
END_TEST

/* Without a compiler, without a folder, and for work that takes threads longer, it is tried at once. */
START_TEST(not_left) {
    ck_assert_int_eq(ask(NULL, true), RUN_FOR_PASSES);
    shell("rm -rf %s/cache");
    ck_assert_int_eq(ask(command(), false), RUN_FOR_PASSES);
    shell("rm -rf %s/cache");
    gpu *g = open_gpu(command());
    gpu_begin_method(g); /* which says nothing of threads */
    bool so;
    gpu_exact e = {.program = {gpu_program(alpha_keys, .LIMBS = 2)}, .check = check};
    OK(run_error(run_of(g)), gpu_trusts(g, &e, &so));
    ck_assert(so);
    close_gpu(g);
    static const char *const nowhere[] = {"off", "/proc/nothing", "/dev/null"};
    for (int i = 0; i < 3; i++) {
        setenv("GLSHAPE_CACHE", nowhere[i], 1);
        ck_assert_int_eq(ask(command(), true), RUN_FOR_PASSES);
    }
    ck_assert_int_eq(calls, 6);
}
END_TEST

/* A compiler that does not come to an end leaves its mark: for a minute somebody may be at it, then the next
 * run does not count on that. */
START_TEST(marked) {
    char glsl[80];
    snprintf(glsl, sizeof glsl, "%s/glsl", folder);
    ck_assert_int_eq(shell("cp -r glsl %s"), 0);
    ck_assert_int_eq(shell("echo nonsense >>%s/glsl/alpha/keys.glsl"), 0);
    setenv("GLSHAPE_GLSL_DIR", glsl, 1);
    ck_assert_int_eq(ask(command(), true), RUN_NOT_YET);
    int marks = 0;
    for (int k = 0; k < 300 && !marks; k++) {
        sleep_a_little();
        marks = !shell("grep -q -a begun %s/cache/*.program");
    }
    ck_assert(marks);
    ck_assert_int_eq(ask(command(), true), RUN_NOT_YET);
    ck_assert_int_eq(calls, 0);
    sleep_a_little();
    ck_assert_int_eq(shell("touch -d '2 minutes ago' %s/cache/*.program"), 0);
    ck_assert_int_eq(ask(command(), true), RUN_FOR_PASSES); /* this check compiles nothing */
    ck_assert_int_eq(calls, 1);
}
END_TEST

/* A compiler that begins with nothing is waited for, too, but not for ever. */
START_TEST(never_begun) {
    for (int k = 0; k < 2; k++) ck_assert_int_eq(ask("/bin/true", true), RUN_NOT_YET);
    ck_assert_int_eq(shell("touch -d '5 minutes ago' %s/cache/*.program"), 0);
    ck_assert_int_eq(ask("/bin/true", true), RUN_NOT_YET);
    ck_assert_int_eq(shell("touch -d '20 minutes ago' %s/cache/*.program"), 0);
    ck_assert_int_eq(ask("/bin/true", true), RUN_FOR_PASSES);
    ck_assert_int_eq(calls, 1);
}
END_TEST

/* Its alarm ends a compiler that nobody watches, also where the caller ignores alarms; and so does what it
 * may take of the processor. */
START_TEST(obeys_alarms) {
    char line[800];
    snprintf(
        line, sizeof line,
        "trap '' ALRM; echo void >%s/source; %s compile-later %s/none <%s/source; for p in "
        "/proc/[0-9]*; do case \"$(tr '\\0' ' ' <$p/cmdline 2>/dev/null)\" in *\" compile-later %s/none \") "
        "sed -n 's/^Sig[BI][lg][kn]://p' $p/status; sed -n 's/^Max cpu time *//p' $p/limits >%s/limit;; "
        "esac; done >%s/masks",
        folder, command(), folder, folder, folder, folder, folder);
    ck_assert_int_eq(system(line), 0);
    snprintf(line, sizeof line, "%s/masks", folder);
    FILE *f = fopen(line, "r");
    ck_assert_ptr_nonnull(f);
    int masks = 0;
    for (unsigned long long mask; fscanf(f, "%llx", &mask) == 1; masks++)
        ck_assert_msg(!(mask >> (SIGALRM - 1) & 1), "%llx", mask);
    fclose(f);
    ck_assert_int_eq(masks, 2); /* what is blocked, what is ignored */
    ck_assert_int_eq(shell("grep -q '^60 *60 *seconds' %s/limit"), 0);
}
END_TEST

/* Once programs of a method are trusted, passes do the work, and wait for the others. */
START_TEST(not_halfway) {
    gpu *g = open_gpu(command());
    gpu_exact other = {.program = {gpu_program(alpha_keys, .LIMBS = 5)}, .check = check};
    bool so;
    OK(run_error(run_of(g)), gpu_trusts(g, &other, &so)); /* a verdict */
    ck_assert(so);
    gpu_begin_method(g);
    gpu_may_wait(g, true);
    OK(run_error(run_of(g)), gpu_trusts(g, &other, &so));
    gpu_exact e = {.program = {gpu_program(alpha_keys, .LIMBS = 2)}, .check = check};
    OK(run_error(run_of(g)), gpu_trusts(g, &e, &so));
    ck_assert(so);
    close_gpu(g);
}
END_TEST

/* While another process compiles for later runs, threads do the work, also if all programs are there and
 * trusted; when it ends, however it ends, passes do. */
START_TEST(held) {
    char cache[80], byte;
    int ready[2];
    snprintf(cache, sizeof cache, "%s/cache", folder);
    gpu *g = open_gpu(NULL);
    ck_assert_int_eq(answer(g, false), RUN_FOR_PASSES); /* a verdict */
    close_gpu(g);
    ck_assert(!cache_is_held(cache));
    ck_assert_int_eq(pipe(ready), 0);
    pid_t other = fork();
    if (!other) {
        cache_hold(cache);
        if (write(ready[1], "", 1) == 1) pause();
        _exit(1);
    }
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    ck_assert(cache_is_held(cache));
    ck_assert_int_eq(ask(command(), true), RUN_NOT_YET);
    ck_assert_int_eq(ask(command(), false), RUN_FOR_PASSES); /* threads would take longer */
    ck_assert_int_eq(ask(NULL, true), RUN_FOR_PASSES);
    kill(other, SIGKILL);
    ck_assert_int_eq(waitpid(other, NULL, 0), other);
    ck_assert(!cache_is_held(cache));
    ck_assert_int_eq(ask(command(), true), RUN_FOR_PASSES);
    ck_assert_int_eq(calls, 1);
    close(ready[0]);
    close(ready[1]);
}
END_TEST

/* A process that compiles, and then does other work, is in nobody's way. */
START_TEST(let_go) {
    static const char *const sources[] = {"", ""};
    char cache[80];
    int status;
    snprintf(cache, sizeof cache, "%s/cache", folder);
    ck_assert_int_ne(glshape_compile_programs(&(glshape_options){.device = "none of this name"}, sources, 2),
                     GLSHAPE_OK);
    pid_t other = fork(); /* a process does not see its own locks */
    if (!other) _exit(cache_is_held(cache));
    ck_assert_int_eq(waitpid(other, &status, 0), other);
    ck_assert_int_eq(status, 0);
}
END_TEST

enum { POINTS = 70 };

/* A barcode in a new process; *left: stages whose programs are left for later runs. */
static glshape_rips_result barcode(const char *compiler, const glshape_rips_options *o, int *left) {
    static double x[POINTS][3];
    glshape_context *c;
    glshape_rips_result r;
    glshape_stage_facts stages[32];
    random_state dice = {7};
    const glshape_options options = {.debug = true, .device = test_device(), .compiler = compiler};
    for (int k = 0; k < 3 * POINTS; k++) x[k / 3][k % 3] = random_unit(&dice);
    const glshape_matrix m = {GLSHAPE_F64, POINTS, 3, x};
    ck_assert_int_eq(glshape_open(&options, &c), GLSHAPE_OK);
    gpu_set_patient(context_gpu(c), true);
    ck_assert_int_eq(glshape_rips(c, &(glshape_source){.points = &m}, o, &r), GLSHAPE_OK);
    *left = 0;
    for (int k = glshape_stages(c, stages, 32); k--;)
        *left += !stages[k].on_device && strstr(stages[k].why, "later runs");
    ck_assert_int_eq(glshape_close(c), GLSHAPE_OK);
    return r;
}

/* A first run of rips by threads has the intervals that passes find: of a matrix, of collapsed edges, of
 * lists of neighbors. */
START_TEST(barcodes) {
    const glshape_optional far = {true, 0.6};
    const glshape_rips_options all[] = {
        {.dim = {true, 2}, .collapse = GLSHAPE_RIPS_COLLAPSE_OFF},
        {.dim = {true, 2}, .collapse = GLSHAPE_RIPS_COLLAPSE_ON},
        {.dim = {true, 2}, .collapse = GLSHAPE_RIPS_COLLAPSE_OFF, .sparse = true, .threshold = far},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        int left, none;
        shell("rm -rf %s/cache");
        glshape_rips_result first = barcode("/bin/true", &all[k], &left);
        shell("rm -rf %s/cache");
        glshape_rips_result later = barcode(NULL, &all[k], &none);
        ck_assert_int_gt(left, 0);
        ck_assert_int_eq(none, 0);
        ck_assert_uint_gt(first.count, POINTS);
        ck_assert_uint_eq(first.count, later.count);
        for (size_t i = 0; i < first.count; i++) {
            const glshape_interval *a = &first.intervals[i], *b = &later.intervals[i];
            ck_assert(a->dim == b->dim && a->birth_simplex == b->birth_simplex);
            ck_assert(a->death_simplex == b->death_simplex);
            ck_assert(!memcmp(&a->birth, &b->birth, sizeof a->birth));
            ck_assert(!memcmp(&a->death, &b->death, sizeof a->death));
        }
        glshape_rips_free(&first);
        glshape_rips_free(&later);
    }
}
END_TEST

static void begin(void) {
    calls = 0;
    make_folder();
}

Suite *gpu_later_suite(void) {
    Suite *s = suite_create("gpu/later");
    TCase *t = tcase_create("later");
    tcase_add_checked_fixture(t, begin, delete_folder);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, compiled_later);
    tcase_add_test(t, the_test_is_left);
    tcase_add_test(t, not_left);
    tcase_add_test(t, marked);
    tcase_add_test(t, never_begun);
    tcase_add_test(t, obeys_alarms);
    tcase_add_test(t, not_halfway);
    tcase_add_test(t, held);
    tcase_add_test(t, let_go);
    tcase_add_test(t, barcodes);
    suite_add_tcase(s, t);
    return s;
}
