/* Bytes from the memory of another process. */
#define _GNU_SOURCE /* process_vm_readv() */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "prim/bench.h"
#include "ranks/fetch.h"
#include "suites.h"

#define BYTES ((size_t)3000001) /* some parts, and one that is not whole */

/* A process that has numbers of its own at a place, until it is told to end. */
typedef struct other {
    pid_t process;
    int end; /* written to: it ends */
    fetch_place place;
} other;

static other start(unsigned char *memory) {
    int there[2], back[2];
    other o = {0};
    ck_assert(!pipe(there) && !pipe(back));
    o.process = fork();
    if (!o.process) {
        for (size_t i = 0; i < BYTES; i++) memory[i] = (unsigned char)(i * 7 % 251 + 1);
        fetch_place place = fetch_place_of(memory);
        char byte;
        bool told = write(back[1], &place, sizeof place) == sizeof place && read(there[0], &byte, 1) >= 0;
        _exit(!told);
    }
    ck_assert_int_eq(read(back[0], &o.place, sizeof o.place), sizeof o.place);
    o.end = there[1];
    close(there[0]);
    close(back[0]);
    close(back[1]);
    return o;
}

static void end(const other *o) {
    int status;
    ck_assert_int_eq(write(o->end, "", 1), 1);
    ck_assert_int_eq(waitpid(o->process, &status, 0), o->process);
    ck_assert_int_eq(status, 0);
    close(o->end);
}

/* Whether the system lets a process read its child's memory. */
static bool is_allowed(const other *o) {
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)o->place.address, 1};
    return process_vm_readv(o->process, &here, 1, &there, 1, 0) == 1 || (errno != EPERM && errno != ENOSYS);
}

START_TEST(test_fetch) {
    unsigned char *memory = bench_memory(BYTES, 1), *out = bench_memory(BYTES, 1);
    memset(memory, 0, BYTES);
    other o = start(memory);
    fetch_place wrong[] = {o.place, o.place, o.place};
    wrong[0].token++;
    wrong[1].address = 8;
    wrong[2].process = (uint64_t)getpid(); /* its token, if it has one, is another */
    ck_assert(fetch_place_of(memory).token != o.place.token);
    bool allowed = is_allowed(&o);
    ck_assert(fetch_from(&o.place, out, BYTES) == allowed);
    for (size_t i = 0; i < BYTES && allowed; i++) ck_assert_uint_eq(out[i], i * 7 % 251 + 1);
    for (size_t k = 0; k < 3; k++) ck_assert(!fetch_from(&wrong[k], out, BYTES));
    end(&o);
    ck_assert(!fetch_from(&o.place, out, BYTES));
    bench_clear();
}
END_TEST

Suite *ranks_fetch_suite(void) {
    Suite *s = suite_create("ranks/fetch");
    TCase *t = tcase_create("fetch");
    tcase_add_test(t, test_fetch);
    suite_add_tcase(s, t);
    return s;
}
