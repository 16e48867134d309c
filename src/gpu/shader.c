/* Makes GLSL 4.30 source of a pass's declaration and its .glsl file.
 *
 * The head is written from the declaration, so that the file holds only the mathematics. Core GLSL has no
 * includes: they are expanded here, once each, and so are lines that repeat ("#repeat"). #line makes a
 * compile error name the file and the line that a person would open. If GLSHAPE_GLSL_DIR is set, files are
 * read from there instead of the embedded copies. */
#include "gpu/shader.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"

typedef struct format_words {
    const char *type, *swizzle, *sampler, *image, *layout, *pad;
} format_words;

static const format_words words[GPU_FORMATS] = {
    [GPU_R32F] = {"float", ".x", "sampler2D", "image2D", "r32f", "vec4(%s, 0, 0, 0)"},
    [GPU_RG32F] = {"vec2", ".xy", "sampler2D", "image2D", "rg32f", "vec4(%s, 0, 0)"},
    [GPU_RGBA32F] = {"vec4", "", "sampler2D", "image2D", "rgba32f", "%s"},
    [GPU_R32UI] = {"uint", ".x", "usampler2D", "uimage2D", "r32ui", "uvec4(%s, 0u, 0u, 0u)"},
    [GPU_RG32UI] = {"uvec2", ".xy", "usampler2D", "uimage2D", "rg32ui", "uvec4(%s, 0u, 0u)"},
    [GPU_RGBA32UI] = {"uvec4", "", "usampler2D", "uimage2D", "rgba32ui", "%s"},
};

/* Returns which of the axis's values the variant has; -1: none of them. */
static int place_on_axis(const shader_variant *v, const char *axis) {
    for (int a = 0; a < GPU_AXES && v->pass->axes[a].name; a++)
        for (int i = 0; !strcmp(v->pass->axes[a].name, axis) && i < v->pass->axes[a].count; i++)
            if (v->pass->axes[a].values[i] == v->axes[a]) return i;
    return -1;
}

glshape_status shader_choose(error *err, shader_variant *v) {
    for (const gpu_axis *axis = v->pass->axes; axis->name; axis++)
        if (!axis->any && place_on_axis(v, axis->name) < 0)
            return fail(err, GLSHAPE_GPU_ERROR, "pass %s has no variant with %s = %d", v->pass->shader,
                        axis->name, (int)v->axes[axis - v->pass->axes]);
    for (v->ports = 0; v->pass->ports[v->ports].name; v->ports++) {
        gpu_port *p = &v->port[v->ports];
        *p = v->pass->ports[v->ports];
        if (p->by) p->format = p->formats[place_on_axis(v, p->by)];
        v->textures += p->format != GPU_NONE;
    }
    return GLSHAPE_OK;
}

int pass_uniforms(const char *declaration, void (*each)(void *, int, const char *, const char *),
                  void *user) {
    int count = 0;
    char type[16], name[48];
    for (const char *at = declaration; at && *at; count++) {
        int used = 0;
        if (sscanf(at, " %15[a-z0-9] %47[A-Za-z0-9_]%n", type, name, &used) != 2) return count;
        if (each) each(user, count, type, name);
        at += used;
        at += strspn(at, ", ");
    }
    return count;
}

/* ---- the head ---------------------------------------------------------------------------------- */

/* "STEP=1 WIDE=0" as #defines. */
static void write_constants(FILE *to, const char *constants) {
    while (constants && *(constants += strspn(constants, " "))) {
        size_t length = strcspn(constants, " "), name = strcspn(constants, "=");
        fprintf(to, "#define %.*s %.*s\n", (int)name, constants, (int)(length - name - 1),
                constants + name + 1);
        constants += length;
    }
}

/* Where element e's texel t lies: gpu_texture's addressing in GLSL. NAME_at_ = (log2 elements per row,
 * mask of that, log2 block width, mask of that); NAME_block_ = block size in texels. */
static void write_address(FILE *to, const char *name) {
    fprintf(to,
            "uniform uvec4 %s_at_; uniform ivec2 %s_block_;\n"
            "ivec2 %s_where(uint e, uint t) { return ivec2(e & %s_at_.y, e >> %s_at_.x) * %s_block_ + "
            "ivec2(t & %s_at_.w, t >> %s_at_.z); }\n"
            "ivec2 %s_where(uint e) { return ivec2(e & %s_at_.y, e >> %s_at_.x) * %s_block_; }\n",
            name, name, name, name, name, name, name, name, name, name, name, name);
}

/* A port that is read: a sampler whose texels are fetched or, with loads, an image whose texels are loaded.
 */
static void write_read_port(FILE *to, const gpu_port *p, int unit, bool loads) {
    static const char *const signature[2] = {"uint e", "uint e, uint t"}, *const call[2] = {"e", "e, t"};
    const format_words *w = &words[p->format];
    const char *n = p->name;
    if (loads)
        fprintf(to, "layout(binding = %d, %s) readonly uniform %s %s_;\n", unit, w->layout, w->image, n);
    else fprintf(to, "layout(binding = %d) uniform %s %s_;\n", unit, w->sampler, n);
    write_address(to, n);
    for (int i = 0; i < 2; i++)
        fprintf(to, "%s %s(%s) { return %s(%s_, %s_where(%s)%s)%s; }\n", w->type, n, signature[i],
                loads ? "imageLoad" : "texelFetch", n, n, call[i], loads ? "" : ", 0", w->swizzle);
}

static void write_image(FILE *to, const gpu_port *p, int unit, bool incoherent) {
    const char *how = p->access == GPU_WRITE ? "writeonly " : incoherent ? "" : "coherent ";
    fprintf(to, "layout(binding = %d, %s) %suniform %s %s_;\n", unit, words[p->format].layout, how,
            words[p->format].image, p->name);
}

static void write_store(FILE *to, const gpu_port *p, const char *where, const char *value) {
    fprintf(to, "imageStore(%s_, %s, ", p->name, where);
    fprintf(to, words[p->format].pad, value);
    fprintf(to, ");");
}

static void write_scatter_port(FILE *to, const gpu_port *p, int unit, bool incoherent) {
    static const char *const signature[2] = {"uint e", "uint e, uint t"}, *const call[2] = {"e", "e, t"};
    const char *n = p->name, *type = words[p->format].type;
    char where[64];
    write_image(to, p, unit, incoherent);
    write_address(to, n);
    for (int i = 0; i < 2; i++) {
        snprintf(where, sizeof where, "%.40s_where(%s)", n, call[i]);
        fprintf(to, "void %s_store(%s, %s v) { ", n, signature[i], type);
        write_store(to, p, where, "v");
        fprintf(to, " }\n");
        if (p->access != GPU_WRITE)
            fprintf(to, "%s %s_load(%s) { return imageLoad(%s_, %s)%s; }\n", type, n, signature[i], n, where,
                    words[p->format].swizzle);
    }
    if (p->access != GPU_ATOMIC) return;
    static const char *const operations[][2] = {
        {"add", "Add"}, {"min", "Min"}, {"max", "Max"}, {"or", "Or"}, {"exchange", "Exchange"}};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        fprintf(to, "uint %s_atomic_%s(uint e, uint v) { return imageAtomic%s(%s_, %s_where(e), v); }\n", n,
                operations[i][0], operations[i][1], n, n);
    fprintf(to,
            "uint %s_cas(uint e, uint was, uint now) { return imageAtomicCompSwap(%s_, %s_where(e), was, "
            "now); }\n",
            n, n, n);
}

static void write_texel_port(FILE *to, const gpu_port *p, int unit, gpu_stage stage) {
    const char *type = words[p->format].type;
    if (stage == GPU_STAGE_FRAGMENT) {
        fprintf(to, "layout(location = %d) out %s %s;\n", unit, type, p->name);
        return;
    }
    write_image(to, p, unit, false);
    fprintf(to, "%s %s;\n", type, p->name);
}

static void write_ports(FILE *to, const shader_variant *v) {
    int units[2] = {0, 0};
    for (int i = 0; i < v->ports; i++) {
        const gpu_port *p = &v->port[i];
        if (p->format == GPU_NONE) continue;
        int unit = units[v->loads || p->access != GPU_READ]++;
        if (p->access == GPU_READ) write_read_port(to, p, unit, v->loads);
        else if (v->pass->kernel == GPU_GROUP) write_scatter_port(to, p, unit, v->incoherent);
        else write_texel_port(to, p, unit, v->stage);
    }
}

static void write_uniform(void *to, int index, const char *type, const char *name) {
    (void)index;
    fprintf(to, "uniform %s %s;\n", type, name);
}

static void write_head(FILE *to, const shader_variant *v) {
    const gpu_pass *pass = v->pass;
    fprintf(to, "#version 430 core\n#define STAGE_%s 1\n",
            v->stage == GPU_STAGE_FRAGMENT ? "FRAGMENT" : "COMPUTE");
    if (pass->kernel == GPU_GROUP)
        fprintf(to, "#define LOCAL %d\nlayout(local_size_x = LOCAL) in;\n", pass->local ? pass->local : 256);
    else if (v->stage == GPU_STAGE_COMPUTE) fprintf(to, "layout(local_size_x = 16, local_size_y = 16) in;\n");
    write_constants(to, pass->constants);
    for (int a = 0; pass->axes[a].name; a++)
        fprintf(to, "#define %s %d\n", pass->axes[a].name, (int)v->axes[a]);
    /* TEXEL: x first element, y end, z first texel row, w texels. GROUP: x first group, y end. */
    fprintf(to, "uniform uvec4 region_;\n");
    write_ports(to, v);
    pass_uniforms(pass->uniforms, write_uniform, to);
}

/* ---- main -------------------------------------------------------------------------------------- */

static void write_texel_main(FILE *to, const shader_variant *v) {
    bool fragment = v->stage == GPU_STAGE_FRAGMENT, per_texel = v->pass->per_texel;
    fprintf(to, "#line 1 99\nuniform uvec4 out_at_; uniform ivec2 out_block_;\nvoid main() {\n");
    fprintf(to, fragment ? "    uvec2 at = uvec2(gl_FragCoord.xy);\n"
                         : "    uvec2 at = gl_GlobalInvocationID.xy + uvec2(0u, region_.z);\n");
    const char *leave = fragment ? "discard" : "return";
    fprintf(to, "    if (at.x >= (out_at_.y + 1u) * uint(out_block_.x)) %s;\n", leave);
    if (per_texel)
        fprintf(to,
                "    uvec2 cell = at / uvec2(out_block_), inside = at - cell * uvec2(out_block_);\n"
                "    uint e = (cell.y << out_at_.x) + cell.x, t = (inside.y << out_at_.z) + inside.x;\n"
                "    if (t >= region_.w) %s;\n",
                leave);
    else fprintf(to, "    uint e = (at.y << out_at_.x) + at.x;\n");
    fprintf(to, "    if (e < region_.x || e >= region_.y) %s;\n    kernel(%s);\n", leave,
            per_texel ? "e, t" : "e");
    for (const gpu_port *p = v->port; !fragment && p < v->port + v->ports; p++) {
        if (p->access != GPU_WRITE || p->format == GPU_NONE) continue;
        fprintf(to, "    ");
        write_store(to, p, "ivec2(at)", p->name);
        fprintf(to, "\n");
    }
    fprintf(to, "}\n");
}

static void write_group_main(FILE *to) {
    fprintf(to,
            "#line 1 99\nvoid main() {\n"
            "    uint group = region_.x + gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;\n"
            "    if (group < region_.y) kernel(group);\n}\n");
}

/* ---- the body ---------------------------------------------------------------------------------- */

#define MOST_SOURCE ((size_t)1 << 18)

static void close_stream(FILE **f) {
    if (*f) fclose(*f);
}

/* *out is the caller's to free, after a failure, too. */
static glshape_status load_source(error *err, const char *name, char **out) {
    const char *folder = getenv("GLSHAPE_GLSL_DIR");
    if (folder) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, name);
        OWNED_BY(close_stream) FILE *f = fopen(path, "rb");
        if (!f) return fail(err, GLSHAPE_GPU_ERROR, "%s (from GLSHAPE_GLSL_DIR) cannot be opened", path);
        TRY(allocate(err, out, MOST_SOURCE, 1, path));
        for (size_t used = 0, got = 1; got > 0; used += got)
            got = fread(*out + used, 1, MOST_SOURCE - 1 - used, f);
        return GLSHAPE_OK;
    }
    for (const gpu_source *s = gpu_sources; s->name; s++)
        if (!strcmp(s->name, name)) {
            TRY(allocate(err, out, strlen(s->text) + 1, 1, name));
            strcpy(*out, s->text);
            return GLSHAPE_OK;
        }
    return fail(err, GLSHAPE_GPU_ERROR, "there is no shader %s", name);
}

static bool already_included(const shader_text *text, const char *name) {
    for (int i = 0; i < text->file_count; i++)
        if (!strcmp(text->files[i], name)) return true;
    return false;
}

static glshape_status write_file(error *err, FILE *to, const shader_variant *v, shader_text *text,
                                 const char *name);

/* Returns the COUNT of a #repeat: a number, or the value of an axis; -1: it is neither. */
static int repeats(const shader_variant *v, const char *count) {
    for (int a = 0; v->pass->axes[a].name; a++)
        if (!strcmp(v->pass->axes[a].name, count)) return v->axes[a];
    char *end;
    long number = strtol(count, &end, 10);
    return *end ? -1 : (int)number;
}

/* Writes what "#repeat COUNT TEXT" stands for: TEXT COUNT times, with 0, 1, … COUNT - 1 for @, in one line,
 * without a comment, which would go on to its end. Returns false if the line is no #repeat. */
static bool write_repeat(FILE *to, const shader_variant *v, const char *line) {
    char count[32];
    int text = 0;
    if (sscanf(line, " #repeat %31s %n", count, &text) != 1) return false;
    const char *comment = strstr(line, "//"), *end = comment ? comment : line + strlen(line);
    for (int i = 0; i < repeats(v, count); i++) {
        for (const char *c = line + text; c < end; c++)
            if (*c == '@') fprintf(to, "%d", i);
            else fputc(*c, to);
        fputc(' ', to);
    }
    fputc('\n', to);
    return true;
}

static glshape_status write_lines(error *err, FILE *to, const shader_variant *v, shader_text *text,
                                  char *source, int file) {
    int number = 1;
    char include[64];
    fprintf(to, "#line 1 %d\n", file);
    for (char *line = source, *end; *line; line = end, number++) {
        end = line + strcspn(line, "\n");
        if (*end) *end++ = 0;
        if (sscanf(line, "#include \"%63[^\"]\"", include) == 1) {
            TRY(write_file(err, to, v, text, include));
            fprintf(to, "#line %d %d\n", number + 1, file);
        } else if (!write_repeat(to, v, line)) fprintf(to, "%s\n", line);
    }
    return GLSHAPE_OK;
}

static glshape_status write_file(error *err, FILE *to, const shader_variant *v, shader_text *text,
                                 const char *name) {
    if (already_included(text, name)) return GLSHAPE_OK;
    if (text->file_count == SHADER_FILES) return fail(err, GLSHAPE_GPU_ERROR, "%s: too many includes", name);
    OWNED char *source = NULL;
    TRY(load_source(err, name, &source));
    int file = text->file_count++;
    snprintf(text->files[file], sizeof text->files[file], "%s", name);
    return write_lines(err, to, v, text, source, file);
}

/* ---- whole ------------------------------------------------------------------------------------- */

glshape_status shader_assemble(error *err, const shader_variant *v, shader_text *out) {
    char name[64];
    size_t size;
    *out = (shader_text){0};
    OWNED_BY(close_stream) FILE *to = open_memstream(&out->source, &size);
    if (!to) return fail(err, GLSHAPE_NO_MEMORY, "no memory to assemble shader %s", v->pass->shader);
    snprintf(name, sizeof name, "%.50s.glsl", v->pass->shader);
    write_head(to, v);
    TRY(write_file(err, to, v, out, name));
    if (v->pass->kernel == GPU_GROUP) write_group_main(to);
    else write_texel_main(to, v);
    return fflush(to) || ferror(to)
               ? fail(err, GLSHAPE_NO_MEMORY, "no memory to assemble shader %s", v->pass->shader)
               : GLSHAPE_OK;
}

void shader_text_free(shader_text *text) {
    free(text->source);
    text->source = NULL;
}

glshape_status gpu_assemble(error *err, const gpu_pass *pass, const int32_t *axes, gpu_stage stage,
                            bool loads, FILE *to) {
    shader_variant v = {.pass = pass, .stage = stage, .loads = loads};
    memcpy(v.axes, axes, sizeof v.axes);
    TRY(shader_choose(err, &v));
    OWNED_BY(shader_text_free) shader_text text = {0};
    TRY(shader_assemble(err, &v, &text));
    fputs(text.source, to);
    return GLSHAPE_OK;
}
