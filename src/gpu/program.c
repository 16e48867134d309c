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
    return fail(&g->err, GLSHAPE_GPU_ERROR, "%s does not compile shader %s%s: %s (files:%s)", g->renderer,
                v->pass->shader, axes, log, files);
}

static bool compile(GLenum kind, const char *source, GLuint *out) {
    GLint done = 0;
    *out = glCreateShader(kind);
    glShaderSource(*out, 1, &source, NULL);
    glCompileShader(*out);
    glGetShaderiv(*out, GL_COMPILE_STATUS, &done);
    return done;
}

static bool link(GLuint id, const GLuint shaders[2]) {
    GLint done = 0;
    for (int i = 0; i < 2; i++)
        if (shaders[i]) glAttachShader(id, shaders[i]);
    glLinkProgram(id);
    glGetProgramiv(id, GL_LINK_STATUS, &done);
    return done;
}

static void free_kept(cache_program *p) { free(p->binary); }

/* ---- kept programs ------------------------------------------------------------------------------- */

/* Returns all that a linked program depends on, the caller's to free: the driver's words about itself, and
 * the source. NULL: programs are not kept. */
static char *key_of(const gpu *g, const shader_text *text) {
    const char *language = (const char *)glGetString(GL_SHADING_LANGUAGE_VERSION);
    size_t bytes = strlen(text->source) + sizeof g->vendor + sizeof g->renderer + sizeof g->version + 128;
    char *key = g->cache ? malloc(bytes) : NULL;
    if (key)
        snprintf(key, bytes, "%s\n%s\n%s\n%.64s\n%d\n%s", g->vendor, g->renderer, g->version,
                 language ? language : "", g->debug, text->source);
    return key;
}

/* Takes the program of a key from disk. Returns false if it is not there, or if the driver refuses it. */
static bool load(gpu *g, GLuint id, const char *key) {
    OWNED_BY(free_kept) cache_program kept = {0};
    GLint done = 0;
    if (!key || !cache_load(g->cache, key, &kept)) return false;
    glProgramBinary(id, kept.format, kept.binary, (GLsizei)kept.bytes);
    glGetProgramiv(id, GL_LINK_STATUS, &done);
    if (done) return true;
    while (glGetError()) continue; /* nor is a refusal an error */
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

/* Compiles and links the source of a variant into p->id. */
static glshape_status compile_and_link(gpu *g, program *p, const shader_text *text) {
    bool fragment = p->variant.stage == GPU_STAGE_FRAGMENT;
    GLuint shaders[2] = {0};
    glshape_status status = GLSHAPE_OK;
    if (!compile(fragment ? GL_FRAGMENT_SHADER : GL_COMPUTE_SHADER, text->source, &shaders[0]) ||
        (fragment && !compile(GL_VERTEX_SHADER, vertex_source, &shaders[1])))
        status = compile_failed(g, &p->variant, text, shaders[shaders[1] ? 1 : 0], false);
    else if (!link(p->id, shaders)) status = compile_failed(g, &p->variant, text, p->id, true);
    for (int i = 0; i < 2; i++)
        if (shaders[i]) glDeleteShader(shaders[i]);
    return status;
}

/* Makes the program of p's variant. After a failure p has no GL object. */
static glshape_status build(gpu *g, program *p) {
    OWNED_BY(shader_text_free) shader_text text = {0};
    /* zink (Mesa 22.3) now and then crashes when threads of its own compile two programs at once. A dispatch
     * waits for its program: after glFinish none is being compiled. */
    if (strstr(g->renderer, "zink")) glFinish();
    TRY(shader_assemble(&g->err, &p->variant, &text));
    OWNED char *key = key_of(g, &text);
    p->id = glCreateProgram();
    g->live++;
    p->kept = load(g, p->id, key);
    if (p->kept) return GLSHAPE_OK;
    if (key) glProgramParameteri(p->id, GL_PROGRAM_BINARY_RETRIEVABLE_HINT, GL_TRUE);
    glshape_status status = compile_and_link(g, p, &text);
    if (!status) {
        store(g, p->id, key);
        return GLSHAPE_OK;
    }
    g->complaint[0] = 0; /* the debug output says the same again */
    glDeleteProgram(p->id);
    g->live--;
    return status;
}

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

static program *find_program(const gpu *g, const shader_variant *v) {
    for (int i = 0; i < g->program_count; i++) {
        const shader_variant *w = &g->programs[i]->variant;
        if (w->pass == v->pass && w->stage == v->stage && !memcmp(w->axes, v->axes, sizeof v->axes))
            return g->programs[i];
    }
    return NULL;
}

glshape_status program_get(gpu *g, const gpu_pass *pass, const gpu_job *job, gpu_stage stage, program **out) {
    shader_variant v = {.pass = pass, .stage = stage};
    memcpy(v.axes, job->axes, sizeof v.axes);
    *out = find_program(g, &v);
    if (*out) return GLSHAPE_OK;
    TRY(shader_choose(&g->err, &v));
    v.loads = g->software && stage == GPU_STAGE_COMPUTE && v.textures <= g->limits.image_units;
    OWNED program *p = NULL;
    TRY(memory_resize(&g->err, &g->programs, (size_t)g->program_count + 1, sizeof *g->programs,
                      "the list of shader programs"));
    TRY(allocate(&g->err, &p, 1, sizeof *p, "a shader program"));
    p->variant = v;
    double since = wall_seconds();
    TRY(build(g, p));
    find_locations(p);
    p->compile_seconds = wall_seconds() - since;
    *out = g->programs[g->program_count++] = MOVE(p);
    return GLSHAPE_OK;
}

void programs_free(gpu *g, bool current) {
    for (int i = 0; i < g->program_count; i++) {
        if (current && g->programs[i]->id) glDeleteProgram(g->programs[i]->id), g->live--;
        free(g->programs[i]);
    }
    free(g->programs);
    g->programs = NULL;
    g->program_count = 0;
    if (g->cache_grew) cache_trim(g->cache, CACHE_MOST);
    free(MOVE(g->cache));
}
