/* Which exact programs a driver is trusted with. Some compilers emulate doubles, and large programs of these
 * take minutes and gigabytes; some drivers drop a program without an OpenGL error, and nothing runs
 * (Nouveau). The results would be late, or wrong. So doubles are measured before such a program is compiled,
 * large programs are compiled where that can be stopped, and each is first given a small problem.
 *
 * What is found is kept beside the programs, in one entry for each driver, by its own words. It is text:
 *     doubles SLOW TIMES                 once they are measured
 *     stage STAGE                        which is faster (gpu_get_stage), likewise
 *     right|wrong|late HASH PROGRAMS     HASH is that of the sources: a new source is tried anew
 *
 * The self-test is kept only if it found nothing wrong. Processes that write at the same time may lose one
 * another's lines; what is lost is found again. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "gpu/cache.h"
#include "gpu/internal.h"

static const char right[] = "right", wrong[] = "wrong", late[] = "late";

/* ---- what is kept -------------------------------------------------------------------------------- */

static void name_entry(const gpu *g, char out[DRIVER_WORDS + 16]) {
    char driver[DRIVER_WORDS];
    program_driver(g, driver);
    snprintf(out, DRIVER_WORDS + 16, "verdicts\n%s", driver);
}

/* Reads the verdicts of g's driver; g->verdicts stays NULL without memory. */
static const char *read_verdicts(gpu *g) {
    cache_program kept = {0};
    char key[DRIVER_WORDS + 16];
    if (g->verdicts) return g->verdicts;
    name_entry(g, key);
    if (!g->cache || !cache_load(g->cache, key, &kept)) return g->verdicts = calloc(1, 1);
    g->verdicts = kept.binary; /* it has room for one byte more */
    g->verdicts[kept.bytes] = 0;
    return g->verdicts;
}

/* What a line is about: what stands behind its second space. NULL: it is no such line. */
static const char *name_in(const char *line) {
    const char *space = strchr(line, ' ');
    space = space ? strchr(space + 1, ' ') : NULL;
    return space ? space + 1 : NULL;
}

static bool is_about(const char *line, const char *end, const char *name) {
    const char *its = name_in(line);
    return its && its < end && strlen(name) == (size_t)(end - its) && !memcmp(its, name, strlen(name));
}

/* Adds a line, in place of the one about the same. */
static void keep(gpu *g, const char *line, const char *name) {
    const char *old = read_verdicts(g);
    if (!old) return;
    size_t room = strlen(old) + strlen(line) + 1, used = 0;
    char *new = malloc(room), key[DRIVER_WORDS + 16];
    if (!new) return;
    for (const char *at = old, *end; (end = strchr(at, '\n')); at = end + 1)
        if (!is_about(at, end, name)) {
            memcpy(new + used, at, (size_t)(end + 1 - at));
            used += (size_t)(end + 1 - at);
        }
    strcpy(new + used, line);
    free(g->verdicts);
    g->verdicts = new;
    name_entry(g, key);
    if (g->cache) cache_store(g->cache, key, &(cache_program){.binary = new, .bytes = strlen(new)});
}

/* ---- doubles ------------------------------------------------------------------------------------- */

glshape_status doubles_measure(gpu *g, double *times, bool *slow) {
    const char *kept = read_verdicts(g), *at = kept ? strstr(kept, "doubles ") : NULL;
    int so;
    char line[64];
    if (at && sscanf(at, "doubles %d %lf", &so, times) == 2) {
        *slow = so;
        return GLSHAPE_OK;
    }
    size_t peak = g->peak, recent = g->recent, limit = g->memory_limit;
    char *cache = MOVE(g->cache); /* programs for once */
    g->memory_limit = 0;          /* of work, not of this */
    glshape_status status = doubles_time(g, times, slow);
    g->memory_limit = limit;
    g->cache = cache;
    g->peak = peak;
    g->recent = recent;
    if (status) return status;
    snprintf(line, sizeof line, "doubles %d %.4g\n", *slow, *times);
    keep(g, line, "");
    return GLSHAPE_OK;
}

/* ---- the stage ----------------------------------------------------------------------------------- */

bool stage_find(gpu *g, gpu_stage *stage) {
    const char *kept = read_verdicts(g), *at = kept ? strstr(kept, "stage ") : NULL;
    int so;
    if (!at || sscanf(at, "stage %d", &so) != 1) return false;
    if (so != GPU_STAGE_COMPUTE && so != GPU_STAGE_FRAGMENT) return false;
    *stage = (gpu_stage)so;
    return true;
}

void stage_keep(gpu *g, gpu_stage stage) {
    char line[32];
    snprintf(line, sizeof line, "stage %d\n", (int)stage);
    keep(g, line, "");
}

/* ---- programs that are known --------------------------------------------------------------------- */

static void tell(gpu *g, const char *what, const char *why) {
    run_note(g->run, "%s %s: the processors do %s", g->renderer, why, what);
}

/* virgl translates programs for a driver of another machine, whichever that is. */
bool trust_knows(const gpu *g) {
    return (g->software || strstr(g->vendor, "NVIDIA")) && !strstr(g->renderer, "virgl") &&
           !getenv("GLSHAPE_GLSL_DIR");
}

bool gpu_is_exact(gpu *g) {
    double times;
    bool slow = false;
    if (!g->context) return false;
    self_test_once(g);
    if (!g->multi_limb || !g->doubles) return false;
    if (trust_knows(g) && g->software) return true; /* its doubles are the processor's */
    error before = *run_error(g->run);
    if (doubles_measure(g, &times, &slow)) *run_error(g->run) = before, slow = true;
    if (slow) tell(g, "the exact work", "has no fast doubles");
    return !slow;
}

bool gpu_may_be_exact(gpu *g) { return g->context && (self_test_could_wait(g) || gpu_is_exact(g)); }

/* ---- programs -------------------------------------------------------------------------------------- */

/* What verdicts call programs and by what they know their sources. */
typedef struct trial {
    const gpu_exact *e;
    char name[200];
    uint64_t hash;
    bool late, left;
} trial;

static void add_name(trial *t, const gpu_pass *pass, const gpu_job *job) {
    size_t room = sizeof t->name, used = strlen(t->name);
    snprintf(t->name + used, room - used, "%s%s%s%s", used ? " + " : "", pass->shader,
             pass->constants ? " " : "", pass->constants ? pass->constants : "");
    for (int a = 0; pass->axes[a].name; a++) {
        used = strlen(t->name);
        snprintf(t->name + used, room - used, " %s=%d", pass->axes[a].name, (int)job->axes[a]);
    }
}

/* A large program: all smaller ones compile in a second, whatever the driver. */
#define LARGE_SOURCE 8000u

bool trust_must_ask(const gpu *g, const char *source) {
    return strlen(source) > LARGE_SOURCE && (!trust_knows(g) || g->eager);
}

/* To watch a compiler takes as long as to open the device once more. */
static bool is_late(const gpu *g, const char *source) {
    return trust_must_ask(g, source) && g->compiler && g->cache && g->keeps_programs &&
           !program_is_kept(g, source) && compiler_gives_up(g, source);
}

/* Calls each with the source of each program. */
static glshape_status with_sources(gpu *g, trial *t, void (*each)(gpu *g, trial *t, const char *source)) {
    for (int i = 0; i < GPU_EXACT_PROGRAMS && t->e->program[i].pass; i++) {
        const char *source;
        TRY(program_source(g, t->e->program[i].pass, t->e->program[i].job, &source));
        each(g, t, source);
    }
    return GLSHAPE_OK;
}

static void add_hash(gpu *g, trial *t, const char *source) {
    (void)g;
    t->hash = cache_hash(t->hash, source, strlen(source));
}

static void leave(gpu *g, trial *t, const char *source) { t->left = later_leaves(g, source) || t->left; }

static void compile_apart(gpu *g, trial *t, const char *source) { t->late = t->late || is_late(g, source); }

#define NAMED 2 /* programs by which verdicts call a trial */

static glshape_status trial_new(gpu *g, const gpu_exact *e, trial *out) {
    int count = 0;
    *out = (trial){.e = e};
    while (count < GPU_EXACT_PROGRAMS && e->program[count].pass) count++;
    for (int i = 0; i < count && i < NAMED; i++) add_name(out, e->program[i].pass, e->program[i].job);
    size_t used = strlen(out->name);
    if (count > NAMED) snprintf(out->name + used, sizeof out->name - used, " + %d more", count - NAMED);
    return with_sources(g, out, add_hash);
}

static bool has_line(const char *kept, const char *line) {
    const char *at = strstr(kept, line);
    return at && (at == kept || at[-1] == '\n');
}

/* Returns the verdict on a trial; NULL: there is none. */
static const char *find(gpu *g, const trial *t) {
    const char *const words[] = {right, wrong, late}, *kept = read_verdicts(g);
    char line[260];
    for (int i = 0; kept && i < 3; i++) {
        snprintf(line, sizeof line, "%s %016llx %s\n", words[i], (unsigned long long)t->hash, t->name);
        if (has_line(kept, line)) return words[i];
    }
    return NULL;
}

#define SELF_TEST "gpu/arithmetic"

static void print_self_test(char out[80], uint64_t hash) {
    snprintf(out, 80, "%s %016llx " SELF_TEST "\n", right, (unsigned long long)hash);
}

bool self_test_is_kept(gpu *g, uint64_t hash) {
    const char *kept = read_verdicts(g);
    char line[80];
    print_self_test(line, hash);
    return kept && has_line(kept, line);
}

void self_test_keep(gpu *g, uint64_t hash) {
    char line[80];
    print_self_test(line, hash);
    keep(g, line, SELF_TEST);
}

/* Solves the small problem as if it were not there: of facts, progress and memory nobody sees anything. Sets
 * *short_of_memory if it took more than there is: so it may be without an error of the driver, too. */
static glshape_status run_check(gpu *g, const gpu_exact *e, bool *so, bool *short_of_memory) {
    size_t peak = g->peak, recent = g->recent, limit = g->memory_limit;
    error before = *run_error(g->run);
    *so = false;
    g->checked = e;
    run_hide(g->run, true);
    g->memory_limit = 0;
    glshape_status status = e->check(g, e->user, so);
    g->checked = NULL;
    run_hide(g->run, false);
    g->memory_limit = limit;
    g->peak = peak;
    g->recent = recent;
    *short_of_memory = status == GLSHAPE_NO_MEMORY;
    /* A driver that fails is one that is wrong; so is one whose results of a good problem look like those of
     * a bad one, or like those of one that takes all memory. */
    if (status != GLSHAPE_GPU_ERROR && status != GLSHAPE_BAD_INPUT && status != GLSHAPE_BAD_ARGUMENT &&
        !*short_of_memory)
        return status;
    *run_error(g->run) = before;
    *so = false;
    return GLSHAPE_OK;
}

/* A check runs all of them: drivers that can compile on threads of their own do it side by side, and with
 * what the method runs beside. Some finish a program where it is waited for, one after another (NVIDIA 580:
 * two fifths of the work), so the first, which is the longest, is waited for last. */
static void begin_programs(gpu *g, const gpu_exact *e) {
    int count = 0;
    for (; count < GPU_EXACT_PROGRAMS && e->program[count].pass; count++)
        gpu_expect(g, e->program[count].pass, e->program[count].job);
    if (e->expect) e->expect(g, e->user);
    while (!g->software && --count > 0) gpu_get_ready(g, e->program[count].pass, e->program[count].job);
}

static glshape_status judge(gpu *g, trial *t, const char **verdict) {
    bool so = false, short_of_memory = false;
    char line[300];
    TRY(with_sources(g, t, compile_apart));
    TRY(run_tick_again(g->run)); /* the user may have stopped the compiler, and all */
    double since = wall_seconds();
    if (!t->late) begin_programs(g, t->e);
    if (!t->late) TRY(run_check(g, t->e, &so, &short_of_memory));
    *verdict = t->late ? late : so ? right : wrong;
    /* Where programs cannot be kept, each process would wait for them. */
    if (!g->keeps_programs && wall_seconds() - since > g->compile_seconds) *verdict = late;
    snprintf(line, sizeof line, "%s %016llx %s\n", *verdict, (unsigned long long)t->hash, t->name);
    if (!short_of_memory) keep(g, line, t->name);
    return GLSHAPE_OK;
}

bool gpu_is_checking(const gpu *g) { return g->checked != NULL; }

/* Whether the check that runs is of these programs. */
static bool is_checked(const gpu *g, const gpu_exact *e) {
    const gpu_pass *pass = e->program[0].pass;
    const gpu_job *job = e->program[0].job;
    return g->checked && g->checked->program[0].pass == pass &&
           !memcmp(g->checked->program[0].job->axes, job->axes, sizeof job->axes);
}

/* Whether the programs of a trial are left for later runs. */
static glshape_status leaves(gpu *g, trial *t) {
    if (!g->instead) return GLSHAPE_OK;
    for (int i = 0; i < GPU_EXACT_PROGRAMS && t->e->program[i].pass; i++)
        if (!program_is_compute(g, t->e->program[i].pass)) return GLSHAPE_OK;
    TRY(with_sources(g, t, leave));
    if (!t->left) return GLSHAPE_OK;
    g->leaves = true;
    g->untrusted = RUN_NOT_YET;
    if (t->e->expect) t->e->expect(g, t->e->user);
    return GLSHAPE_OK;
}

glshape_status gpu_trusts(gpu *g, const gpu_exact *e, bool *so) {
    trial t;
    const char *verdict;
    bool known = g->software && trust_knows(g) && !g->eager && !g->patient;
    *so = e->without_doubles || gpu_may_be_exact(g);
    g->untrusted = RUN_NOT_EXACT;
    /* llvmpipe compiles a program anew for textures of another shape: a check would cost as much as the work.
     */
    if (!*so || is_checked(g, e) || known) return GLSHAPE_OK;
    if (later_is_busy(g)) {
        g->untrusted = RUN_NOT_YET;
        *so = false;
        return GLSHAPE_OK;
    }
    TRY(trial_new(g, e, &t));
    verdict = find(g, &t);
    if (!verdict && !g->checked) TRY(leaves(g, &t));
    if (!verdict && !g->checked && !t.left) {
        *so = e->without_doubles || gpu_is_exact(g);
        if (*so) TRY(judge(g, &t, &verdict));
    }
    *so = verdict == right;
    if (*so && !g->checked) g->instead = false; /* passes do the work */
    if (verdict == wrong) tell(g, t.name, "computes something wrong");
    if (verdict == late) tell(g, t.name, "does not compile a program in time");
    return GLSHAPE_OK;
}

run_why gpu_why_untrusted(const gpu *g) { return g->untrusted; }

void trust_list(gpu *g, char *out, size_t size) {
    const char *kept = read_verdicts(g);
    *out = 0;
    for (const char *at = kept, *end; at && (end = strchr(at, '\n')); at = end + 1) {
        bool is_wrong = !strncmp(at, wrong, strlen(wrong)), is_late = !strncmp(at, late, strlen(late));
        size_t used = strlen(out);
        const char *name = name_in(at);
        if ((is_wrong || is_late) && name && name < end)
            snprintf(out + used, size - used, "%s%.*s (%s)", used ? ", " : "", (int)(end - name), name,
                     is_wrong ? "it is wrong" : "its compiler does not finish");
    }
}

glshape_status gpu_trusts_for(gpu *g, const gpu_exact *e, run_why *why) {
    bool so = true;
    if (run_why_device(*why)) TRY(gpu_trusts(g, e, &so));
    if (!so) *why = g->untrusted;
    return GLSHAPE_OK;
}
