/* The executor: the only place that dispatches or draws. It binds what a pass declares, derives the memory
 * barriers from the declared access, cuts long regions into bands and times what runs. */
#include <math.h>
#include <string.h>

#include "gpu/internal.h"
#include "gpu/shader.h"

#define BAND_SECONDS 0.1       /* longest dispatch: watchdogs bite at 0.64 s and above (i915) */
#define SHORT_SECONDS 0.005    /* too short to measure: a region that took less is known to be short */
#define MEASURED_SECONDS 0.001 /* long enough: a timer that says much less is wrong */
#define TRIAL_ELEMENTS 16384u  /* the first region of a program of which nothing is known */
#define TRIAL_INVOCATIONS 8192u
#define TRIED_SECONDS 0.025   /* that the next region would take, if it took as long in proportion */
#define MOST_GROWTH 256       /* of a region that proved short, when the next one is tried */
#define DISPATCH_WIDTH 32768u /* groups per dispatch row; 65535 is what 4.3 guarantees */

/* ---- barriers ---------------------------------------------------------------------------------- */

static const GLbitfield barrier_flag[BARRIERS] = {
    [BARRIER_FETCH] = GL_TEXTURE_FETCH_BARRIER_BIT,       [BARRIER_LOAD] = GL_SHADER_IMAGE_ACCESS_BARRIER_BIT,
    [BARRIER_IMAGE] = GL_SHADER_IMAGE_ACCESS_BARRIER_BIT, [BARRIER_UPDATE] = GL_TEXTURE_UPDATE_BARRIER_BIT,
    [BARRIER_FRAMEBUFFER] = GL_FRAMEBUFFER_BARRIER_BIT,
};

unsigned barrier_bits(gpu *g, const gpu_texture *t, int kind) {
    bool stored = t->stored > g->issued[kind];
    /* A store must also wait for the fetches issued before it: incoherent access has no order by itself. */
    bool fetched = (kind == BARRIER_IMAGE || kind == BARRIER_FRAMEBUFFER) && t->fetched > g->issued[kind];
    return stored || fetched ? 1u << kind : 0;
}

void barrier_issue(gpu *g, unsigned bits) {
    GLbitfield flags = 0;
    for (int kind = 0; kind < BARRIERS; kind++) {
        if (!(bits & 1u << kind)) continue;
        flags |= barrier_flag[kind];
        g->issued[kind] = g->clock;
    }
    if (flags) glMemoryBarrier(flags);
}

/* ---- binding ----------------------------------------------------------------------------------- */

static const GLenum image_format[GPU_FORMATS] = {
    [GPU_R32F] = GL_R32F,   [GPU_RG32F] = GL_RG32F,   [GPU_RGBA32F] = GL_RGBA32F,
    [GPU_R32UI] = GL_R32UI, [GPU_RG32UI] = GL_RG32UI, [GPU_RGBA32UI] = GL_RGBA32UI,
};

static void set_address(GLint at, GLint block, const gpu_texture *t) {
    bool folded = t->block_h > 1;
    GLuint log_w = 0;
    while (folded && (1 << log_w) < t->block_w) log_w++;
    if (at >= 0)
        glUniform4ui(at, (GLuint)t->log2_per_row, (1u << t->log2_per_row) - 1, folded ? log_w : 31,
                     folded ? (GLuint)t->block_w - 1 : 0x7fffffffu);
    if (block >= 0) glUniform2i(block, t->block_w, t->block_h);
}

static glshape_status check_ports(gpu *g, const shader_variant *v, const gpu_job *job) {
    for (int i = 0; i < v->ports; i++) {
        const gpu_texture *t = job->textures[i];
        if (v->port[i].format != GPU_NONE && (!t || !t->id || t->format != v->port[i].format))
            return fail(run_error(g->run), GLSHAPE_GPU_ERROR, "pass %s: port %s was given %s",
                        v->pass->shader, v->port[i].name,
                        t && t->id ? "a texture of another format" : "no texture");
    }
    return GLSHAPE_OK;
}

/* Binds every port; written textures go to image units (compute) or colour attachments (fragment). */
static void bind_ports(gpu *g, const program *p, const gpu_job *job) {
    const shader_variant *v = &p->variant;
    bool fragment = v->stage == GPU_STAGE_FRAGMENT;
    unsigned barriers = 0, reads = 0, writes = 0; /* reads: of texture units */
    for (int i = 0; i < v->ports; i++) {
        if (v->port[i].format == GPU_NONE) continue;
        gpu_access access = v->port[i].access;
        int reads_by = v->loads ? BARRIER_LOAD : BARRIER_FETCH;
        int kind = access == GPU_READ ? reads_by : fragment ? BARRIER_FRAMEBUFFER : BARRIER_IMAGE;
        barriers |= barrier_bits(g, job->textures[i], kind);
    }
    barrier_issue(g, barriers);
    g->clock++;
    if (fragment) glBindFramebuffer(GL_FRAMEBUFFER, g->framebuffer);
    for (int i = 0; i < v->ports; i++) {
        if (v->port[i].format == GPU_NONE) continue;
        gpu_texture *t = job->textures[i];
        gpu_access access = v->port[i].access;
        set_address(p->at[i], p->block[i], t);
        if (access == GPU_READ && v->loads) {
            glBindImageTexture(writes++, t->id, 0, GL_FALSE, 0, GL_READ_ONLY, image_format[t->format]);
            t->fetched = g->clock;
        } else if (access == GPU_READ) {
            glActiveTexture(GL_TEXTURE0 + reads++);
            glBindTexture(GL_TEXTURE_2D, t->id);
            t->fetched = g->clock;
        } else if (fragment) {
            glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + writes++, GL_TEXTURE_2D, t->id, 0);
        } else {
            GLenum mode = access == GPU_WRITE ? GL_WRITE_ONLY : GL_READ_WRITE;
            glBindImageTexture(writes++, t->id, 0, GL_FALSE, 0, mode, image_format[t->format]);
            t->stored = g->clock;
        }
    }
    glActiveTexture(GL_TEXTURE0);
    static const GLenum attachments[8] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_COLOR_ATTACHMENT2,
                                          GL_COLOR_ATTACHMENT3, GL_COLOR_ATTACHMENT4, GL_COLOR_ATTACHMENT5,
                                          GL_COLOR_ATTACHMENT6, GL_COLOR_ATTACHMENT7};
    if (fragment) glDrawBuffers((GLsizei)writes, attachments);
}

static void unbind_attachments(const program *p) {
    GLenum attachment = GL_COLOR_ATTACHMENT0;
    for (int i = 0; i < p->variant.ports; i++)
        if (p->variant.port[i].access != GPU_READ && p->variant.port[i].format != GPU_NONE)
            glFramebufferTexture2D(GL_FRAMEBUFFER, attachment++, GL_TEXTURE_2D, 0, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

static void set_values(const program *p, const gpu_job *job) {
    for (int i = 0; p->value_type[i]; i++) {
        if (p->value_type[i] == 'f') glUniform1f(p->values[i], job->values[i].f);
        if (p->value_type[i] == 'u') glUniform1ui(p->values[i], job->values[i].u);
        if (p->value_type[i] == 'i') glUniform1i(p->values[i], job->values[i].i);
    }
}

/* ---- issuing ----------------------------------------------------------------------------------- */

static const gpu_texture *first_written(const program *p, const gpu_job *job) {
    for (int i = 0; i < p->variant.ports; i++)
        if (p->variant.port[i].access != GPU_READ && p->variant.port[i].format != GPU_NONE)
            return job->textures[i];
    return NULL;
}

static void issue_texels(const program *p, const gpu_texture *out, uint32_t first, uint32_t end) {
    int row = (int)(first >> out->log2_per_row) * out->block_h;
    int rows = (int)(((end - 1) >> out->log2_per_row) + 1) * out->block_h - row;
    glUniform4ui(p->region, first, end, (GLuint)row, out->texels);
    set_address(p->out_at, p->out_block, out);
    if (p->variant.stage == GPU_STAGE_FRAGMENT) {
        glViewport(0, row, out->width, rows);
        glDrawArrays(GL_TRIANGLES, 0, 3);
    } else {
        glDispatchCompute((GLuint)(out->width + 15) / 16, (GLuint)(rows + 15) / 16, 1);
    }
}

static void issue(const program *p, const gpu_job *job, uint32_t first, uint32_t end) {
    if (p->variant.pass->kernel == GPU_GROUP) {
        uint32_t count = end - first, width = count < DISPATCH_WIDTH ? count : DISPATCH_WIDTH;
        glUniform4ui(p->region, first, end, 0, 0);
        glDispatchCompute(width, (count + width - 1) / width, 1);
    } else issue_texels(p, first_written(p, job), first, end);
}

/* ---- learning --------------------------------------------------------------------------------- */

/* A band that was measured while the machine stood still is not to make all that follow short. */
static void learn(program *p, uint32_t band, double seconds) {
    if (seconds > SHORT_SECONDS) p->unit_seconds = seconds / band;
    else if (p->unit_seconds > 0) p->unit_seconds = fmin(p->unit_seconds, SHORT_SECONDS / band);
    else if (band >= p->trial) {
        double fits = seconds > 0 ? TRIED_SECONDS / seconds : MOST_GROWTH;
        p->trial = (uint64_t)band * (uint64_t)(fits < 4 ? 4 : fits > MOST_GROWTH ? MOST_GROWTH : fits);
    }
}

/* ---- timing ------------------------------------------------------------------------------------ */

/* Whether a timer says less than one part of so many of what is known of such jobs. A few groups of one take
 * longer, each, than all. */
static bool says_less(const timed *t, double seconds, double parts) {
    double expected = (double)t->like.seconds * t->count;
    return expected > MEASURED_SECONDS && t->like.measured >= t->count / 2 && seconds * parts < expected;
}

/* The program learns from a job that nobody waited for. What was known may be wrong, as the machine stood
 * still then: the next such job is waited for. */
static void learn_later(gpu *g, const timed *t, double seconds) {
    const pace now = {.shape = t->like.shape, .seconds = (float)(seconds / t->count), .measured = t->count};
    g->outstanding = fmax(0, g->outstanding - (double)t->like.seconds * t->count);
    if (seconds <= 0 || says_less(t, seconds, 1000)) timers_doubt(g);
    else if (says_less(t, seconds, 8)) pace_forget(g, now.shape);
    else learn(t->p, t->count, seconds), pace_keep(g, now);
}

/* Adds what a timer measured to the passes of its stage, if that is asked for. */
static void timer_collect(gpu *g, unsigned number) {
    timed *at = &g->timed[number % TIMERS], t = *at;
    GLuint64 nanoseconds = 0;
    if (!t.p) return;
    glGetQueryObjectui64v(g->timers[number % TIMERS], GL_QUERY_RESULT, &nanoseconds);
    at->p = NULL;
    double seconds = 1e-9 * (double)nanoseconds;
    if (t.timing) t.p->seconds += seconds, run_stage_facts(g->run, t.stage)->passes += seconds;
    if (t.count) learn_later(g, &t, seconds);
}

void timers_collect(gpu *g) {
    if (!g->timers[0] || g->reset) return;
    for (; g->timer_oldest != g->timer_next; g->timer_oldest++) timer_collect(g, g->timer_oldest);
}

/* Those that are done, so that a job which took longer than expected is known soon. */
static void timers_collect_done(gpu *g) {
    for (; g->timer_oldest != g->timer_next; g->timer_oldest++) {
        GLuint done = GL_FALSE;
        glGetQueryObjectuiv(g->timers[g->timer_oldest % TIMERS], GL_QUERY_RESULT_AVAILABLE, &done);
        if (!done) return;
        timer_collect(g, g->timer_oldest);
    }
}

/* Whether the driver has timers that move. Those of software renderers tell little; tests have them used. */
static bool has_timers(gpu *g) {
    GLint bits = 0;
    if ((g->software && !g->patient) || g->no_timers) return false;
    if (g->knows_timers) return true;
    g->knows_timers = true;
    glGetQueryiv(GL_TIME_ELAPSED, GL_QUERY_COUNTER_BITS, &bits);
    g->no_timers = bits < 30 || timers_are_doubted(g);
    return !g->no_timers;
}

/* count, like: of a whole job; else 0. */
static void timer_begin(gpu *g, program *p, uint32_t count, pace like) {
    if (!g->timers[0]) glGenQueries(TIMERS, g->timers), g->live += TIMERS;
    if (g->timer_next - g->timer_oldest == TIMERS) timer_collect(g, g->timer_oldest++);
    unsigned slot = g->timer_next++ % TIMERS;
    glBeginQuery(GL_TIME_ELAPSED, g->timers[slot]);
    g->timed[slot] =
        (timed){.p = p, .stage = run_stage(g->run), .timing = g->timing, .count = count, .like = like};
}

/* Runs p over nothing. Some drivers compile a program when it first runs, or send it: so this belongs to its
 * compiling. */
static void issue_nothing(program *p) {
    double start = wall_seconds();
    glUniform4ui(p->region, 0, 0, 0, 0);
    if (p->variant.stage == GPU_STAGE_FRAGMENT) glViewport(0, 0, 1, 1), glDrawArrays(GL_TRIANGLES, 0, 3);
    else glDispatchCompute(1, 1, 1);
    p->compile_seconds += wall_seconds() - start;
}

/* Issues one band and, if asked to, times it: by GL_TIME_ELAPSED on hardware; in software, where that is
 * wrong, by the wall clock. */
static void issue_timed(gpu *g, program *p, const gpu_job *job, uint32_t first, uint32_t end) {
    if (!g->timing) {
        issue(p, job, first, end);
    } else if (g->software) {
        glFinish();
        double start = wall_seconds();
        issue(p, job, first, end);
        glFinish();
        double seconds = wall_seconds() - start;
        p->seconds += seconds;
        counted_stage(g)->passes += seconds;
    } else {
        timer_begin(g, p, 0, (pace){.shape = 0});
        issue(p, job, first, end);
        glEndQuery(GL_TIME_ELAPSED);
    }
}

int gpu_timings(gpu *g, glshape_timing *out, int max) {
    int count = 0;
    timers_collect(g);
    for (int i = 0; i < g->program_count; i++) {
        const program *p = g->programs[i];
        int at = 0;
        while (at < count && strcmp(out[at].pass, p->variant.pass->shader)) at++;
        if (at == max) continue;
        if (at == count) out[count++] = (glshape_timing){.pass = p->variant.pass->shader};
        out[at].seconds += p->seconds;
        out[at].compile_seconds += p->compile_seconds;
        out[at].programs++;
        out[at].kept += p->kept;
        out[at].runs += p->runs;
    }
    return count;
}

/* ---- bands ------------------------------------------------------------------------------------- */

static uint64_t trial_size(const program *p, const gpu_job *job) {
    const gpu_pass *pass = p->variant.pass;
    if (pass->kernel == GPU_GROUP)
        return (TRIAL_INVOCATIONS - 1) / (pass->local ? (uint32_t)pass->local : 256) + 1;
    uint32_t texels = pass->per_texel ? first_written(p, job)->texels : 1;
    return TRIAL_ELEMENTS / texels + 1;
}

/* Returns how much of the remaining region the next band takes. Sets *measure if it is to be waited for and
 * timed. */
static uint32_t next_band(const program *p, uint32_t left, bool *measure) {
    double fits = p->unit_seconds > 0 ? BAND_SECONDS / p->unit_seconds : (double)p->trial;
    if (fits < 1) fits = 1;
    uint32_t band = fits < (double)left ? (uint32_t)fits : left;
    *measure = band < left || (p->unit_seconds > 0 && fits < 2.0 * left);
    return band;
}

/* Issues bands, and waits for those that are to be measured: a first one of so many, if that is not 0.
 * Sets now->seconds and now->measured to what these were. */
static glshape_status execute_bands(gpu *g, program *p, const gpu_job *job, uint32_t first, pace *now) {
    double spent = 0;
    now->measured = 0;
    for (uint32_t done = 0; done < job->count;) {
        bool measure;
        uint32_t band = next_band(p, job->count - done, &measure);
        if (!done && first > band) band = first;
        if (!done && first) measure = true;
        if (measure) glFinish();
        double start = measure ? wall_seconds() : 0;
        issue_timed(g, p, job, job->first + done, job->first + done + band);
        if (measure) {
            glFinish();
            double seconds = wall_seconds() - start;
            learn(p, band, seconds);
            spent += seconds;
            now->measured += band;
            now->seconds = (float)(spent / now->measured);
        }
        done += band;
        p->runs++;
        if (done < job->count) TRY(run_tick_again(g->run));
    }
    return GLSHAPE_OK;
}

/* Issues a whole job, like one whose pace is known, and measures it without waiting for it. */
static void execute_whole(gpu *g, program *p, const gpu_job *job, pace like) {
    double expected = (double)like.seconds * job->count;
    timers_collect_done(g);
    if (g->outstanding + expected > BAND_SECONDS) timers_collect(g);
    timer_begin(g, p, job->count, like);
    issue(p, job, job->first, job->first + job->count);
    glEndQuery(GL_TIME_ELAPSED);
    g->outstanding += expected;
    g->unflushed += expected;
    if (g->unflushed > SHORT_SECONDS) glFlush(), g->unflushed = 0;
    p->runs++;
}

glshape_status gpu_execute(gpu *g, const gpu_pass *pass, const gpu_job *job) {
    if (!job->count) return GLSHAPE_OK;
    program *p;
    pace like;
    TRY(program_get(g, pass, job, &p));
    TRY(check_ports(g, &p->variant, job));
    glUseProgram(p->id);
    bind_ports(g, p, job);
    set_values(p, job);
    if (!p->trial) p->trial = trial_size(p, job);
    bool tried = job->count > p->trial;
    uint32_t first = tried ? pace_first(g, p, job, &like) : 0;
    if (p->unit_seconds > 0) first = 0;
    /* What is measured is not to have a part of compiling. */
    if (!p->runs && (g->timing || tried)) issue_nothing(p);
    glshape_status status = GLSHAPE_OK;
    if (first == job->count && has_timers(g)) { /* then like is known */
        execute_whole(g, p, job, like);
    } else {
        status = execute_bands(g, p, job, first, &like);
        if (tried) pace_keep(g, like);
    }
    if (p->variant.stage == GPU_STAGE_FRAGMENT) unbind_attachments(p), g->no_fragment = false;
    return status ? status : gpu_complaint(g);
}

void gpu_start(gpu *g) {
    (void)g;
    glFlush();
}

glshape_status gpu_finish(gpu *g) {
    glFinish();
    TRY(gpu_complaint(g));
    return gpu_check_reset(g);
}
