/* Programs are compiled when they are first used, and kept until the device closes. Once linked they are also
 * kept on disk (gpu/cache.h), where later processes find them. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "gpu/cache.h"
#include "gpu/internal.h"
#include "gpu/shader.h"

static const char vertex_source[] =
    "#version 430 core\n"
    "void main() { gl_Position = vec4(gl_VertexID == 1 ? 3 : -1, gl_VertexID == 2 ? 3 : -1, 0, 1); }\n";

/* Fails with the first lines of the compiler's log, and says which file has which number there. */
static glshape_status compile_failed(gpu *g, const shader_variant *v, const shader_text *text, GLuint object,
                                     bool link) {
    char log[500] = "", files[300] = "", axes[200] = "";
    if (link) glGetProgramInfoLog(object, sizeof log, NULL, log);
    else glGetShaderInfoLog(object, sizeof log, NULL, log);
    for (int i = 0; i < text->file_count; i++) {
        size_t used = strlen(files);
        snprintf(files + used, sizeof files - used, " %d=%s", i, text->files[i]);
    }
    for (int a = 0; v->pass->axes[a].name; a++) {
        size_t used = strlen(axes);
        snprintf(axes + used, sizeof axes - used, " %s=%d", v->pass->axes[a].name, (int)v->axes[a]);
    }
    return fail(run_error(g->run), GLSHAPE_GPU_ERROR, "%s does not compile shader %s%s: %s (files:%s)",
                g->renderer, v->pass->shader, axes, log, files);
}

/* Does not wait: drivers that can compile on threads of their own go on with it. */
static GLuint begin_shader(GLenum kind, const char *source) {
    GLuint shader = glCreateShader(kind);
    glShaderSource(shader, 1, &source, NULL);
    glCompileShader(shader);
    return shader;
}

static void free_kept(cache_program *p) { free(p->binary); }

/* ---- kept programs ------------------------------------------------------------------------------- */

/* Returns all that a linked program depends on, the caller's to free: the driver's words about itself, and
 * the source. NULL: programs are not kept. */
static char *key_of(const gpu *g, const char *source) {
    size_t bytes = DRIVER_WORDS + strlen(source) + 8;
    char driver[DRIVER_WORDS], *key = g->cache && g->keeps_programs ? malloc(bytes) : NULL;
    program_driver(g, driver);
    if (key) snprintf(key, bytes, "%s%d\n%s", driver, g->debug, source);
    return key;
}

void program_driver(const gpu *g, char out[DRIVER_WORDS]) {
    snprintf(out, DRIVER_WORDS, "%s\n%s\n%s\n%s\n", g->vendor, g->renderer, g->version, g->language);
}

bool program_is_kept(const gpu *g, const char *source) {
    OWNED char *key = key_of(g, source);
    return key && cache_age(g->cache, key) >= 0;
}

/* The key of the mark that a compiler which nobody watches leaves while it works. */
static char *mark_of(const gpu *g, const char *source) {
    OWNED char *key = key_of(g, source);
    char *mark = key ? malloc(strlen(key) + 8) : NULL;
    if (mark) sprintf(mark, "begun\n%s", key);
    return mark;
}

double program_begun(const gpu *g, const char *source) {
    OWNED char *mark = mark_of(g, source);
    return mark ? cache_age(g->cache, mark) : -1;
}

/* The key of the mark of a program that is left for later runs. */
static void leaving_of(const char *key, char out[32]) {
    snprintf(out, 32, "left\n%016llx", (unsigned long long)cache_hash(1, key, strlen(key)));
}

double program_left(const gpu *g, const char *source) {
    OWNED char *key = key_of(g, source);
    char left[32];
    if (!key) return -1;
    leaving_of(key, left);
    return cache_age(g->cache, left);
}

void program_leave(const gpu *g, const char *source) {
    OWNED char *key = key_of(g, source);
    char left[32];
    if (!key) return;
    leaving_of(key, left);
    if (cache_age(g->cache, left) < 0) cache_store(g->cache, left, &(cache_program){0});
}

/* Takes the program of a key from disk. Returns false if it is not there, or if the driver refuses it. */
static bool load(gpu *g, GLuint id, const char *key) {
    OWNED_BY(free_kept) cache_program kept = {0};
    GLint done = 0;
    if (!key || !cache_load(g->cache, key, &kept)) return false;
    glProgramBinary(id, kept.format, kept.binary, (GLsizei)kept.bytes);
    glGetProgramiv(id, GL_LINK_STATUS, &done);
    if (done) return true;
    for (int flag = 0; flag < 8 && glGetError(); flag++) continue; /* nor is a refusal an error */
    g->complaint[0] = 0;
    return false;
}

static void store(gpu *g, GLuint id, const char *key) {
    OWNED_BY(free_kept) cache_program kept = {0};
    GLint bytes = 0;
    GLenum format = 0;
    GLsizei got = 0;
    if (!key) return;
    glGetProgramiv(id, GL_PROGRAM_BINARY_LENGTH, &bytes);
    if (bytes <= 0 || !(kept.binary = malloc((size_t)bytes))) return;
    glGetProgramBinary(id, bytes, &got, &format, kept.binary);
    if (glGetError() || got <= 0) return;
    kept.bytes = (size_t)got;
    kept.format = format;
    cache_store(g->cache, key, &kept);
    g->cache_grew = true;
}

/* ---- programs -------------------------------------------------------------------------------------- */

static void find_uniform(void *user, int index, const char *type, const char *name) {
    program *p = user;
    p->values[index] = glGetUniformLocation(p->id, name);
    p->value_type[index] = type[0]; /* int, uint, float */
}

static GLint location(const program *p, const char *name, const char *suffix) {
    char whole[80];
    snprintf(whole, sizeof whole, "%s%s", name, suffix);
    return glGetUniformLocation(p->id, whole);
}

static void find_locations(program *p) {
    p->region = glGetUniformLocation(p->id, "region_");
    p->out_at = glGetUniformLocation(p->id, "out_at_");
    p->out_block = glGetUniformLocation(p->id, "out_block_");
    for (int i = 0; i < p->variant.ports; i++) {
        p->at[i] = location(p, p->variant.port[i].name, "_at_");
        p->block[i] = location(p, p->variant.port[i].name, "_block_");
    }
    pass_uniforms(p->variant.pass->uniforms, find_uniform, p);
}

/* Whether these are the same pass, axes and stage. */
static bool is_of(const program_text *t, const shader_variant *v) {
    return t->pass == v->pass && t->stage == v->stage && !memcmp(t->axes, v->axes, sizeof t->axes);
}

static glshape_status source_of(gpu *g, const shader_variant *v, const char **out) {
    for (int i = 0; i < g->text_count; i++)
        if (is_of(&g->texts[i], v)) {
            *out = g->texts[i].source;
            return GLSHAPE_OK;
        }
    OWNED_BY(shader_text_free) shader_text text = {0};
    TRY(shader_assemble(run_error(g->run), v, &text));
    TRY(memory_resize(run_error(g->run), &g->texts, (size_t)g->text_count + 1, sizeof *g->texts,
                      "sources of shaders"));
    program_text *own = &g->texts[g->text_count++];
    *own = (program_text){.pass = v->pass, .stage = v->stage, .source = MOVE(text.source)};
    memcpy(own->axes, v->axes, sizeof own->axes);
    *out = own->source;
    return GLSHAPE_OK;
}

/* Begins to make the program of p's variant, or takes it from disk. */
static glshape_status begin(gpu *g, program *p) {
    const char *source;
    bool fragment = p->variant.stage == GPU_STAGE_FRAGMENT;
    /* zink (Mesa 22.3) now and then crashes when threads of its own compile two programs at once. A dispatch
     * waits for its program: after glFinish none is being compiled. */
    if (g->zink) glFinish();
    TRY(source_of(g, &p->variant, &source));
    p->source_hash = cache_hash(0, source, strlen(source));
    OWNED char *key = key_of(g, source);
    p->id = glCreateProgram();
    g->live++;
    p->kept = load(g, p->id, key);
    if (p->kept) return GLSHAPE_OK;
    if (key) glProgramParameteri(p->id, GL_PROGRAM_BINARY_RETRIEVABLE_HINT, GL_TRUE);
    p->shaders[0] = begin_shader(fragment ? GL_FRAGMENT_SHADER : GL_COMPUTE_SHADER, source);
    if (fragment) p->shaders[1] = begin_shader(GL_VERTEX_SHADER, vertex_source);
    for (int i = 0; i < 2; i++)
        if (p->shaders[i]) glAttachShader(p->id, p->shaders[i]);
    glLinkProgram(p->id);
    p->key = MOVE(key);
    return GLSHAPE_OK;
}

static void delete_shaders(program *p) {
    for (int i = 0; i < 2; i++) {
        if (p->shaders[i]) glDeleteShader(p->shaders[i]);
        p->shaders[i] = 0;
    }
}

/* Why a program was not linked. */
static glshape_status link_failed(gpu *g, const program *p) {
    OWNED_BY(shader_text_free) shader_text text = {0};
    TRY(shader_assemble(run_error(g->run), &p->variant, &text));
    for (int i = 0; i < 2; i++) {
        GLint done = GL_TRUE;
        if (p->shaders[i]) glGetShaderiv(p->shaders[i], GL_COMPILE_STATUS, &done);
        if (!done) return compile_failed(g, &p->variant, &text, p->shaders[i], false);
    }
    return compile_failed(g, &p->variant, &text, p->id, true);
}

/* Waits for the program. */
static glshape_status finish(gpu *g, program *p) {
    GLint done = p->kept;
    if (!done) glGetProgramiv(p->id, GL_LINK_STATUS, &done);
    if (!done) {
        glshape_status status = link_failed(g, p);
        g->complaint[0] = 0; /* the debug output says the same again */
        return status;
    }
    if (!p->kept) store(g, p->id, p->key);
    delete_shaders(p);
    free(MOVE(p->key));
    find_locations(p);
    p->ready = true;
    return GLSHAPE_OK;
}

static void release(gpu *g, program *p) {
    delete_shaders(p);
    if (p->id) glDeleteProgram(p->id), g->live--;
}

static void free_program(program **p) {
    if (*p) free((*p)->key);
    free(*p);
}

/* A driver need not say which limit a program exceeds, and one that has more than is guaranteed says nothing.
 */
static glshape_status check_limits(gpu *g, const shader_variant *v) {
    const glshape_limits *l = &g->limits;
    bool fragment = v->stage == GPU_STAGE_FRAGMENT;
    int written = 0, read = 0, most = fragment ? l->color_attachments : l->image_units;
    for (int i = 0; i < v->ports; i++) {
        if (v->port[i].format == GPU_NONE) continue;
        *(v->port[i].access == GPU_READ && !v->loads ? &read : &written) += 1;
    }
    if (written <= most && read <= l->texture_units) return GLSHAPE_OK;
    return fail(run_error(g->run), GLSHAPE_GPU_ERROR,
                "%s has %d images and %d textures for a shader; %s takes %d and %d", g->renderer, most,
                l->texture_units, v->pass->shader, written, read);
}

static glshape_status choose(gpu *g, const gpu_pass *pass, const gpu_job *job, gpu_stage stage,
                             shader_variant *v) {
    *v = (shader_variant){.pass = pass, .stage = stage};
    memcpy(v->axes, job->axes, sizeof v->axes);
    TRY(shader_choose(run_error(g->run), v));
    v->incoherent = g->virgl_of_software;
    v->loads = g->software && stage == GPU_STAGE_COMPUTE && v->textures <= g->limits.image_units;
    return check_limits(g, v);
}

/* Finds the program of a job's variant, or begins it. */
static glshape_status find_program(gpu *g, const gpu_pass *pass, const gpu_job *job, gpu_stage stage,
                                   program **out) {
    shader_variant v;
    for (int i = 0; i < g->program_count; i++) {
        const shader_variant *w = &g->programs[i]->variant;
        *out = g->programs[i];
        if (w->pass == pass && w->stage == stage && !memcmp(w->axes, job->axes, sizeof w->axes))
            return GLSHAPE_OK;
    }
    TRY(choose(g, pass, job, stage, &v));
    OWNED_BY(free_program) program *p = NULL;
    TRY(memory_resize(run_error(g->run), &g->programs, (size_t)g->program_count + 1, sizeof *g->programs,
                      "the list of shader programs"));
    TRY(allocate(run_error(g->run), &p, 1, sizeof *p, "a shader program"));
    p->variant = v;
    double since = wall_seconds();
    TRY(begin(g, p));
    p->compile_seconds = wall_seconds() - since;
    *out = g->programs[g->program_count++] = MOVE(p);
    return GLSHAPE_OK;
}

/* Takes a program that failed out of the list. */
static void drop(gpu *g, program *p) {
    int at = 0;
    while (g->programs[at] != p) at++;
    g->programs[at] = g->programs[--g->program_count];
    release(g, p);
    free_program(&p);
}

static gpu_stage stage_of(gpu *g, const gpu_pass *pass) {
    return pass->kernel == GPU_GROUP ? GPU_STAGE_COMPUTE : gpu_get_stage(g);
}

glshape_status program_get(gpu *g, const gpu_pass *pass, const gpu_job *job, program **out) {
    TRY(find_program(g, pass, job, stage_of(g, pass), out));
    program *p = *out;
    if (p->ready) return GLSHAPE_OK;
    double since = wall_seconds();
    glshape_status status = finish(g, p);
    p->compile_seconds += wall_seconds() - since;
    if (status) drop(g, p);
    return status;
}

bool program_is_compute(gpu *g, const gpu_pass *pass) { return stage_of(g, pass) == GPU_STAGE_COMPUTE; }

/* A large program waits for its method, which asks first whether a compiler that is not known finishes it
 * (gpu/trust.c). */
static bool is_wanted(gpu *g, const gpu_pass *pass, const char *source) {
    return !program_is_kept(g, source) && !(program_is_compute(g, pass) && later_leaves(g, source)) &&
           !g->zink && !trust_must_ask(g, source);
}

void gpu_expect(gpu *g, const gpu_pass *pass, const gpu_job *job) {
    const char *source;
    program *p;
    error before = *run_error(g->run);
    if (!g->context) return;
    bool failed = program_source(g, pass, job, &source) ||
                  (is_wanted(g, pass, source) && find_program(g, pass, job, stage_of(g, pass), &p));
    if (failed) *run_error(g->run) = before; /* who runs it hears of it */
}

void gpu_get_ready(gpu *g, const gpu_pass *pass, const gpu_job *job) {
    program *p;
    error before = *run_error(g->run);
    gpu_start(g);
    if (program_get(g, pass, job, &p)) *run_error(g->run) = before;
}

glshape_status program_source(gpu *g, const gpu_pass *pass, const gpu_job *job, const char **out) {
    shader_variant v;
    TRY(choose(g, pass, job, stage_of(g, pass), &v));
    return source_of(g, &v, out);
}

glshape_status program_keep(gpu *g, const char *source) {
    GLint done = GL_FALSE;
    OWNED char *key = key_of(g, source), *mark = mark_of(g, source);
    char left[32];
    if (mark) cache_store(g->cache, mark, &(cache_program){0});
    GLuint id = glCreateProgram(), shader = begin_shader(GL_COMPUTE_SHADER, source);
    glProgramParameteri(id, GL_PROGRAM_BINARY_RETRIEVABLE_HINT, GL_TRUE);
    glAttachShader(id, shader);
    glLinkProgram(id);
    glGetProgramiv(id, GL_LINK_STATUS, &done);
    if (done) { /* to run it over nothing belongs to its compiling (execute.c) */
        store(g, id, key);
        glUseProgram(id);
        glDispatchCompute(1, 1, 1);
        glFinish();
    }
    if (mark && done) {
        leaving_of(key, left);
        cache_remove(g->cache, mark);
        cache_remove(g->cache, left);
    }
    glDeleteShader(shader);
    glDeleteProgram(id);
    return done ? GLSHAPE_OK
                : fail(run_error(g->run), GLSHAPE_GPU_ERROR, "%s does not compile a shader", g->renderer);
}

/* One that was expected and did not run is kept, too: else each process would compile it. After a failure or
 * an interruption nobody waits for it. */
static void keep_expected(gpu *g, program *p) {
    error before = *run_error(g->run);
    if (before.text[0] || p->ready || !p->key) return;
    if (finish(g, p)) *run_error(g->run) = before;
}

void programs_free(gpu *g, bool current) {
    later_begin(g);
    if (current) timers_collect(g);
    paces_free(g);
    for (int i = 0; i < g->program_count; i++) {
        if (current) keep_expected(g, g->programs[i]);
        if (current) release(g, g->programs[i]);
        free_program(&g->programs[i]);
    }
    for (int i = 0; i < g->text_count; i++) free(g->texts[i].source);
    free(MOVE(g->programs));
    free(MOVE(g->texts));
    g->program_count = g->text_count = 0;
    if (g->cache_grew) cache_trim(g->cache, CACHE_MOST);
    free(MOVE(g->cache));
}
