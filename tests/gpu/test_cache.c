/* Linked programs on disk: what is kept, what is refused, and that nothing fails for want of it. */
#define _XOPEN_SOURCE 700 /* nftw */

#include "gpu/cache.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gpu/pass.h"
#include "suites.h"

/* ---- files --------------------------------------------------------------------------------------- */

static char folder[64];
static char *outer; /* GLSHAPE_CACHE of all other tests */

static void make_folder(void) {
    strcpy(folder, "/tmp/glshape-cache-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    outer = getenv("GLSHAPE_CACHE") ? strdup(getenv("GLSHAPE_CACHE")) : NULL;
}

static int delete_one(const char *path, const struct stat *facts, int kind, struct FTW *at) {
    (void)facts, (void)kind, (void)at;
    return remove(path);
}

static void delete_folder(void) {
    nftw(folder, delete_one, 8, FTW_DEPTH | FTW_PHYS);
    if (outer) setenv("GLSHAPE_CACHE", outer, 1);
    else unsetenv("GLSHAPE_CACHE");
    free(outer);
    outer = NULL;
}

static const char key[] = "driver\nsource";
static char binary[] = "binary";
static const cache_program program = {.binary = binary, .bytes = sizeof binary, .format = 0x875f};

static bool loads(const char *of, const cache_program *wanted) {
    cache_program got = {0};
    if (!cache_load(folder, of, &got)) return false;
    ck_assert_uint_eq(got.bytes, wanted->bytes);
    ck_assert_uint_eq(got.format, wanted->format);
    ck_assert_mem_eq(got.binary, wanted->binary, got.bytes);
    free(got.binary);
    return true;
}

/* Sets out to the path of the only entry; returns its bytes. */
static size_t only_entry(char out[512]) {
    size_t count, bytes;
    cache_measure(folder, &count, &bytes);
    ck_assert_uint_eq(count, 1);
    char command[256];
    snprintf(command, sizeof command, "ls -d %s/*.program", folder);
    FILE *list = popen(command, "r");
    ck_assert(fgets(out, 512, list) != NULL);
    pclose(list);
    out[strcspn(out, "\n")] = 0;
    return bytes;
}

static void write_file(const char *path, const void *data, size_t bytes) {
    FILE *f = fopen(path, "wb");
    ck_assert(f && fwrite(data, 1, bytes, f) == bytes && !fclose(f));
}

static size_t read_file(const char *path, unsigned char *out, size_t room) {
    FILE *f = fopen(path, "rb");
    size_t bytes = fread(out, 1, room, f);
    fclose(f);
    return bytes;
}

/* ---- entries ------------------------------------------------------------------------------------- */

START_TEST(keeps) {
    char other[] = "another", none[] = "";
    const cache_program second = {other, sizeof other, 7}, empty = {none, 0, 7};
    ck_assert(!loads(key, &program));
    cache_store(folder, key, &program);
    ck_assert(loads(key, &program));
    ck_assert(!loads("driver\nsourcf", &program));
    ck_assert(!loads("", &program));
    cache_store(folder, key, &second);
    ck_assert(loads(key, &second));
    cache_store(folder, "", &empty);
    ck_assert(loads("", &empty) && loads(key, &second));
}
END_TEST

/* No damaged entry is taken, whatever the damage; each is replaced. */
START_TEST(damaged) {
    char path[512];
    unsigned char good[512], bad[512];
    cache_store(folder, key, &program);
    size_t bytes = only_entry(path);
    ck_assert_uint_eq(read_file(path, good, sizeof good), bytes);
    for (size_t at = 0; at < bytes; at++)
        for (int bit = 0; bit < 8; bit++) {
            memcpy(bad, good, bytes);
            bad[at] ^= (unsigned char)(1 << bit);
            write_file(path, bad, bytes);
            ck_assert_msg(!loads(key, &program), "bit %d of byte %zu", bit, at);
        }
    for (size_t length = 0; length < bytes; length++) {
        write_file(path, good, length);
        ck_assert_msg(!loads(key, &program), "the first %zu bytes", length);
    }
    memcpy(bad, good, bytes);
    memset(bad + bytes, 0, sizeof bad - bytes);
    write_file(path, bad, bytes + 1);
    ck_assert(!loads(key, &program));
    cache_store(folder, key, &program);
    ck_assert(loads(key, &program));
}
END_TEST

/* Another key's entry under this key's name: what two keys of one hash would do. */
START_TEST(mistaken) {
    char path[600], other[512];
    cache_store(folder, "other", &program);
    only_entry(other);
    snprintf(path, sizeof path, "%s.kept", other);
    rename(other, path);
    cache_store(folder, key, &program);
    only_entry(other);
    rename(path, other);
    ck_assert(!loads(key, &program));
}
END_TEST

START_TEST(not_writable) {
    char path[512];
    cache_store(folder, key, &program);
    only_entry(path);
    unlink(path);
    ck_assert(!mkdir(path, 0700));
    ck_assert(!loads(key, &program));
    cache_store(folder, key, &program); /* a folder cannot be replaced */
    ck_assert(!loads(key, &program));
    cache_program got;
    static const char *const nowhere[] = {"/dev/null/cache", "/proc/glshape/cache"};
    for (size_t k = 0; k < sizeof nowhere / sizeof *nowhere; k++) {
        size_t count, bytes;
        cache_store(nowhere[k], key, &program);
        ck_assert(!cache_load(nowhere[k], key, &got));
        cache_measure(nowhere[k], &count, &bytes);
        ck_assert(!count && !bytes);
        cache_trim(nowhere[k], 0);
    }
    if (!geteuid()) return; /* to root all is writable */
    chmod(folder, 0500);
    cache_store(folder, "other", &program);
    ck_assert(!loads("other", &program));
    chmod(folder, 0700);
}
END_TEST

START_TEST(makes_folders) {
    char deep[128];
    snprintf(deep, sizeof deep, "%s/a/b/c", folder);
    cache_store(deep, key, &program);
    strcpy(folder + strlen(folder), "/a/b/c");
    ck_assert(loads(key, &program));
    folder[strlen(folder) - strlen("/a/b/c")] = 0;
}
END_TEST

/* ---- the bound ----------------------------------------------------------------------------------- */

static void set_age(const char *path, time_t seconds) {
    struct timespec times[2] = {{.tv_sec = time(NULL) - seconds}, {.tv_sec = time(NULL) - seconds}};
    ck_assert(!utimensat(AT_FDCWD, path, times, 0));
}

static void set_age_of_all(time_t seconds) {
    char command[256];
    snprintf(command, sizeof command, "touch -d '%ld seconds ago' %s/*", (long)seconds, folder);
    ck_assert_int_eq(system(command), 0);
}

/* What was not used for the longest time goes first; to load is to use. */
START_TEST(bounded) {
    enum { N = 12 };
    char name[N][8];
    size_t count, bytes;
    for (int i = 0; i < N; i++) {
        snprintf(name[i], sizeof name[i], "key %d", i % 10);
        if (i < 10) cache_store(folder, name[i], &program);
        set_age_of_all(1000 - 10 * i);
    }
    cache_measure(folder, &count, &bytes);
    ck_assert_uint_eq(count, 10);
    size_t each = bytes / 10;
    cache_trim(folder, bytes);
    cache_measure(folder, &count, &bytes);
    ck_assert_uint_eq(count, 10);
    for (int i = 0; i < 4; i++) ck_assert(loads(name[2 * i], &program)); /* 0, 2, 4, 6 */
    cache_trim(folder, 4 * each);
    for (int i = 0; i < 10; i++) ck_assert_int_eq(loads(name[i], &program), i < 8 && i % 2 == 0);
    cache_trim(folder, 0);
    cache_measure(folder, &count, &bytes);
    ck_assert_uint_eq(count, 0);
}
END_TEST

START_TEST(tidies) {
    char old[128], new[128], foreign[128];
    snprintf(old, sizeof old, "%s/unfinished.AAAAAA", folder);
    snprintf(new, sizeof new, "%s/unfinished.BBBBBB", folder);
    snprintf(foreign, sizeof foreign, "%s/README", folder);
    const char *const all[] = {old, new, foreign};
    for (int i = 0; i < 3; i++) write_file(all[i], "x", 1);
    set_age(old, 7200);
    set_age(foreign, 7200);
    cache_trim(folder, 0);
    ck_assert(access(old, F_OK) && !access(new, F_OK) && !access(foreign, F_OK));
}
END_TEST

/* ---- many at once ---------------------------------------------------------------------------------- */

/* Processes that store, load and trim in one folder: whatever is loaded is whole. */
START_TEST(at_once) {
    enum { PROCESSES = 4, ROUNDS = 300, BYTES = 20000 };
    static char data[BYTES];
    pid_t pids[PROCESSES];
    for (int p = 0; p < PROCESSES; p++) {
        pids[p] = fork();
        if (pids[p]) continue;
        int wrong = 0;
        for (int round = 0; round < ROUNDS; round++) {
            cache_program got = {0};
            memset(data, 'a' + (p + round) % 26, sizeof data);
            cache_store(folder, key, &(cache_program){data, sizeof data, 1});
            if (round % 50 == 49) cache_trim(folder, 0);
            if (!cache_load(folder, key, &got)) continue;
            for (size_t i = 0; i < got.bytes; i++) wrong += ((char *)got.binary)[i] != *(char *)got.binary;
            wrong += got.bytes != BYTES;
            free(got.binary);
        }
        _exit(wrong != 0);
    }
    for (int p = 0; p < PROCESSES; p++) {
        int status;
        waitpid(pids[p], &status, 0);
        ck_assert(WIFEXITED(status) && !WEXITSTATUS(status));
    }
    char path[512];
    cache_store(folder, key, &program);
    only_entry(path);
    char command[256];
    snprintf(command, sizeof command, "test $(ls -A %s | wc -l) -eq 1", folder);
    ck_assert_int_eq(system(command), 0); /* nothing is left half written */
}
END_TEST

/* ---- where ------------------------------------------------------------------------------------------ */

static void is_in(const char *own, const char *xdg, const char *home, const char *wanted) {
    const char *const names[] = {"GLSHAPE_CACHE", "XDG_CACHE_HOME", "HOME"}, *const values[] = {own, xdg,
                                                                                                home};
    char *was[3];
    for (int i = 0; i < 3; i++) {
        was[i] = getenv(names[i]) ? strdup(getenv(names[i])) : NULL;
        if (values[i]) setenv(names[i], values[i], 1);
        else unsetenv(names[i]);
    }
    char *got = cache_folder();
    for (int i = 0; i < 3; i++) {
        if (was[i]) setenv(names[i], was[i], 1);
        else unsetenv(names[i]);
        free(was[i]);
    }
    ck_assert_msg(got && wanted ? !strcmp(got, wanted) : got == wanted, "%s, not %s", got ? got : "none",
                  wanted ? wanted : "none");
    free(got);
}

START_TEST(where) {
    is_in("/a/b", "/x", "/home/me", "/a/b");
    is_in("here", "/x", "/home/me", "here");
    is_in("off", "/x", "/home/me", NULL);
    is_in("", "/x", "/home/me", "/x/glshape");
    is_in(NULL, "x", "/home/me", "/home/me/.cache/glshape");
    is_in(NULL, "", "/home/me", "/home/me/.cache/glshape");
    is_in(NULL, NULL, "", NULL);
    is_in(NULL, NULL, NULL, NULL);
}
END_TEST

/* ---- on the device --------------------------------------------------------------------------------- */

/* clang-format off */
#define TEST_ADD(P) P(READ, R32UI, source) P(WRITE, R32UI, target) P(UINT, amount)
#define TEST_PASSES(PASS) PASS(test_kept, "tests/add", GPU_EACH_ELEMENT, TEST_ADD)
/* clang-format on */
GPU_DECLARE_PASSES(TEST_PASSES, test_kept_passes)
GPU_DEFINE_PASSES(TEST_PASSES, test_kept_passes)

/* A context of its own runs a pass in both stages. Returns whether its driver hands out programs. */
static bool run_passes(void) {
    enum { N = 100 };
    error err = {0};
    gpu *g;
    gpu_texture t[2];
    uint32_t values[N];
    glshape_options options = {.debug = true, .device = getenv("GLSHAPE_TEST_NAME")};
    OK(&err, gpu_open(&err, &options, &g));
    OK(run_error(run_of(g)), gpu_enter(g));
    for (int i = 0; i < 2; i++) OK(run_error(run_of(g)), gpu_texture_new(g, &t[i], "test", GPU_R32UI, N, 1));
    for (int stage = 0; stage < 2; stage++) {
        for (uint32_t i = 0; i < N; i++) values[i] = i;
        OK(run_error(run_of(g)), gpu_upload(g, &t[0], 0, N, values));
        gpu_set_stage(g, stage ? GPU_STAGE_FRAGMENT : GPU_STAGE_COMPUTE);
        OK(run_error(run_of(g)),
           gpu_run(g, test_kept, .source = &t[0], .target = &t[1], .amount = 5, .elements = N));
        OK(run_error(run_of(g)), gpu_download(g, &t[1], 0, N, values));
        for (uint32_t i = 0; i < N; i++) ck_assert_uint_eq(values[i], i + 5);
    }
    for (int i = 0; i < 2; i++) gpu_texture_free(&t[i]);
    gpu_leave(g);
    ck_assert_int_eq(gpu_close(g), 0);
    size_t count, bytes;
    cache_measure(folder, &count, &bytes);
    return count > 0;
}

/* Entries that are sound but hold what the driver cannot have made, or nothing readable: programs are
 * compiled, and the entries replaced. */
START_TEST(on_device) {
    setenv("GLSHAPE_CACHE", folder, 1);
    if (!run_passes()) return;
    size_t count, bytes, now, more;
    cache_measure(folder, &count, &bytes);
    ck_assert_uint_ge(count, 2); /* a pass in two stages */
    for (int i = 0; i < 2; i++) {
        run_passes();
        cache_measure(folder, &now, &more);
        ck_assert(now == count && more == bytes);
        char command[256];
        snprintf(command, sizeof command, "for f in %s/*; do truncate -s 100 $f; done", folder);
        if (!i) ck_assert_int_eq(system(command), 0);
    }
    setenv("GLSHAPE_CACHE", "off", 1);
    run_passes();
    setenv("GLSHAPE_CACHE", "/dev/null/cache", 1);
    run_passes();
}
END_TEST

/* What a driver refuses although the entry is sound: another format, other bytes. */
START_TEST(refused) {
    setenv("GLSHAPE_CACHE", folder, 1);
    if (!run_passes()) return;
    size_t count, bytes, now, more;
    cache_measure(folder, &count, &bytes);
    char path[512], list[256];
    snprintf(list, sizeof list, "ls -d %s/*.program", folder);
    for (int kind = 0; kind < 2; kind++) {
        FILE *names = popen(list, "r");
        while (fgets(path, sizeof path, names)) {
            path[strcspn(path, "\n")] = 0;
            unsigned char *entry = malloc(1 << 20);
            size_t length = read_file(path, entry, 1 << 20);
            uint64_t key_bytes;
            memcpy(&key_bytes, entry + 24, sizeof key_bytes);
            char *text = strndup((char *)entry + 40, key_bytes);
            cache_program odd = {
                .binary = entry + 40 + key_bytes, .bytes = length - 40 - key_bytes, .format = 0x875f};
            if (kind) odd.format = 0x1234;
            else memset(odd.binary, 0x55, odd.bytes);
            cache_store(folder, text, &odd);
            free(text);
            free(entry);
        }
        pclose(names);
        run_passes();
        cache_measure(folder, &now, &more);
        ck_assert(now == count && more == bytes);
    }
}
END_TEST

/* In how many dispatches a context of its own runs a pass over n elements. */
static uint64_t dispatches(uint32_t n) {
    static glshape_timing timings[8];
    error err = {0};
    gpu *g;
    gpu_texture t[2];
    uint32_t last;
    OK(&err, gpu_open(&err, &(glshape_options){.device = getenv("GLSHAPE_TEST_NAME")}, &g));
    gpu_set_patient(g, true);
    OK(run_error(run_of(g)), gpu_enter(g));
    for (int i = 0; i < 2; i++) OK(run_error(run_of(g)), gpu_texture_new(g, &t[i], "test", GPU_R32UI, n, 1));
    OK(run_error(run_of(g)), gpu_upload(g, &t[0], n - 1, 1, &(uint32_t){7}));
    gpu_set_stage(g, GPU_STAGE_COMPUTE);
    OK(run_error(run_of(g)),
       gpu_run(g, test_kept, .source = &t[0], .target = &t[1], .amount = 5, .elements = n));
    OK(run_error(run_of(g)), gpu_download(g, &t[1], n - 1, 1, &last));
    ck_assert_uint_eq(last, 12);
    int count = gpu_timings(g, timings, 8);
    uint64_t runs = 0;
    for (int i = 0; i < count; i++) runs += !strcmp(timings[i].pass, "tests/add") ? timings[i].runs : 0;
    for (int i = 0; i < 2; i++) gpu_texture_free(&t[i]);
    gpu_leave(g);
    ck_assert_int_eq(gpu_close(g), 0);
    return runs;
}

/* A job like one that was measured is not tried on a part of it. Another one is; so is all, once the entry is
 * damaged. */
START_TEST(paces) {
    setenv("GLSHAPE_CACHE", folder, 1);
    const uint32_t n = 2000000;
    uint64_t first = dispatches(n);
    size_t count, bytes;
    cache_measure(folder, &count, &bytes);
    if (!count) return; /* the driver hands out no programs */
    ck_assert_uint_gt(first, 1);
    uint64_t later = 0;
    for (int k = 0; k < 30 && later != 1; k++)
        later = dispatches(n); /* the machine may stand still while one is measured */
    ck_assert_uint_eq(later, 1);
    ck_assert_uint_eq(dispatches(n + n / 100), 1);
    ck_assert_uint_gt(dispatches(n / 8), 1);
    char command[256];
    snprintf(command, sizeof command, "for f in %s/*; do truncate -s 100 $f; done", folder);
    ck_assert_int_eq(system(command), 0);
    ck_assert_uint_gt(dispatches(n), 1);
}
END_TEST

Suite *gpu_cache_suite(void) {
    Suite *s = suite_create("gpu/cache");
    TCase *t = tcase_create("cache");
    tcase_add_checked_fixture(t, make_folder, delete_folder);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, keeps);
    tcase_add_test(t, damaged);
    tcase_add_test(t, mistaken);
    tcase_add_test(t, not_writable);
    tcase_add_test(t, makes_folders);
    tcase_add_test(t, bounded);
    tcase_add_test(t, tidies);
    tcase_add_test(t, at_once);
    tcase_add_test(t, where);
    tcase_add_test(t, on_device);
    tcase_add_test(t, refused);
    tcase_add_test(t, paces);
    suite_add_tcase(s, t);
    return s;
}
