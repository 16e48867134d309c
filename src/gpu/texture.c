/* Packed textures: layout, memory budget. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "gpu/internal.h"

#define POISON_BYTES (16u << 20)
/* Smaller textures are made as wide and high, so that they can take each other's place; they count with what
 * they need. */
#define SMALL_EXTENT 64
#define LARGE_BYTES (16u << 20)
#define MOST_TIMES 4 /* the bytes that a texture needs: a spare one takes at most so much in its place */

const format_facts gpu_formats[GPU_FORMATS] = {
    [GPU_R32F] = {GL_R32F, GL_RED, GL_FLOAT, 4},
    [GPU_RG32F] = {GL_RG32F, GL_RG, GL_FLOAT, 8},
    [GPU_RGBA32F] = {GL_RGBA32F, GL_RGBA, GL_FLOAT, 16},
    [GPU_R32UI] = {GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, 4},
    [GPU_RG32UI] = {GL_RG32UI, GL_RG_INTEGER, GL_UNSIGNED_INT, 8},
    [GPU_RGBA32UI] = {GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 16},
};

size_t gpu_texel_bytes(gpu_format format) { return gpu_formats[format].bytes; }

/* ---- memory ------------------------------------------------------------------------------------ */

size_t gpu_memory_free(const gpu *g) {
    GLint kib[4] = {0};
    if (g->software) return 0;
    if (epoxy_has_gl_extension("GL_NVX_gpu_memory_info"))
        glGetIntegerv(GL_GPU_MEMORY_INFO_CURRENT_AVAILABLE_VIDMEM_NVX, kib);
    else if (epoxy_has_gl_extension("GL_ATI_meminfo")) glGetIntegerv(GL_TEXTURE_FREE_MEMORY_ATI, kib);
    return kib[0] > 0 ? (size_t)kib[0] << 10 : 0;
}

size_t gpu_memory_left(const gpu *g) {
    size_t free = gpu_memory_free(g), limit = g->memory_limit,
           left = !limit             ? SIZE_MAX
                  : limit > g->bytes ? limit - g->bytes
                                     : 0;
    return free && free + g->spare_bytes < left ? free + g->spare_bytes : left;
}

static bool is_small(int width, int height) { return width <= SMALL_EXTENT && height <= SMALL_EXTENT; }

/* ---- spare textures ---------------------------------------------------------------------------- */

/* A driver takes some 0.15 ms to make and to delete a texture, and a method has up to two hundred. So those
 * that are freed are kept for the next ones, as long as all together take no more memory than the method has
 * had in use at once. */
static void delete_spare(gpu *g, int k) {
    glDeleteTextures(1, &g->spare[k].id);
    g->spare_bytes -= g->spare[k].bytes;
    memmove(g->spare + k, g->spare + k + 1, (size_t)(--g->spares - k) * sizeof *g->spare);
}

void textures_delete_spares(gpu *g) {
    while (g->spares) delete_spare(g, g->spares - 1);
}

/* Leaves no more spare ones than there is memory for beside so many bytes. Small ones stay: they take as long
 * to make as others. */
static void make_room(gpu *g, size_t bytes) {
    for (int k = 0; k < g->spares && g->bytes + bytes + g->spare_bytes > g->recent;)
        if (is_small(g->spare[k].room_w, g->spare[k].room_h)) k++;
        else delete_spare(g, k);
}

/* Whether a spare texture can be t. With a limit it is exactly as large, as methods foresee it; so is a large
 * one: a tree of white noise, whose textures are up to 600 MB, took 5 ms more with others (H200, 2026-11-30).
 */
static bool serves(const gpu *g, const gpu_texture *spare, const gpu_texture *t) {
    int w = spare->room_w, h = spare->room_h;
    if (spare->format != t->format) return false;
    if (w == t->width && h == t->height) return true;
    bool fits = w >= t->width && h >= t->height, small = is_small(t->width, t->height);
    if (g->memory_limit || !fits || small != is_small(w, h)) return false;
    return small || (spare->bytes <= LARGE_BYTES && spare->bytes <= MOST_TIMES * t->bytes);
}

/* Gives t the smallest spare texture that serves. The executor still knows when it was last stored to. */
static bool take_spare(gpu *g, gpu_texture *t) {
    int best = -1;
    for (int k = g->spares - 1; k >= 0; k--)
        if (serves(g, &g->spare[k], t) && (best < 0 || g->spare[k].bytes < g->spare[best].bytes)) best = k;
    if (best < 0) return false;
    const gpu_texture s = g->spare[best];
    t->id = s.id;
    t->room_w = s.room_w;
    t->room_h = s.room_h;
    if (!is_small(s.room_w, s.room_h)) t->bytes = s.bytes;
    t->stored = s.stored;
    t->fetched = s.fetched;
    g->spare_bytes -= s.bytes;
    memmove(g->spare + best, g->spare + best + 1, (size_t)(--g->spares - best) * sizeof s);
    return true;
}

static void keep_spare(gpu *g, const gpu_texture *t) {
    if (g->spares == SPARES) delete_spare(g, 0);
    g->spare[g->spares++] = *t;
    g->spare_bytes += t->bytes;
}

/* ---- layout ------------------------------------------------------------------------------------ */

static uint32_t floor_log2(uint64_t x) {
    uint32_t log = 0;
    while (x >>= 1) log++;
    return log;
}

/* Chooses a nearly square layout with a power of two elements in a row: an address is then a shift and a
 * mask, where the floor(R/P) of the paper would need an integer division for each fetch. Returns false if the
 * device has no such texture. */
static bool lay_out(const gpu *g, uint32_t elements, uint32_t texels, gpu_texture *t) {
    uint64_t max = (uint64_t)g->limits.texture_size, n = elements ? elements : 1;
    uint64_t widest = 1ull << floor_log2(max);
    t->elements = elements;
    t->texels = texels;
    t->block_w = (int)(texels <= widest ? texels : widest);
    t->block_h = (int)((texels + widest - 1) / widest);
    int log = 0;
    for (;; log++) {
        uint64_t width = ((uint64_t)t->block_w) << log;
        uint64_t height = ((n + (1ull << log) - 1) >> log) * (uint64_t)t->block_h;
        if (width > max) return false;
        t->log2_per_row = log;
        t->width = (int)width;
        t->height = height > max ? 0 : (int)height;
        if (height <= max && (width * 2 > height || width * 2 > max || (1ull << log) >= n)) return true;
    }
}

size_t gpu_texture_bytes(const gpu *g, gpu_format format, uint32_t elements, uint32_t texels) {
    gpu_texture t = {0};
    if (!lay_out(g, elements, texels, &t)) return SIZE_MAX;
    return times(times((size_t)t.width, (size_t)t.height), gpu_formats[format].bytes);
}

/* Fills a new texture with NaN and 2^32-1, in debug contexts: a pass that reads what no pass wrote is found
 * out. */
static void poison(const gpu_texture *t) {
    OWNED void *memory = t->bytes <= POISON_BYTES ? malloc(t->bytes) : NULL;
    if (!memory) return;
    memset(memory, 0xff, t->bytes);
    glBindTexture(GL_TEXTURE_2D, t->id);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, t->width, t->height, gpu_formats[t->format].external,
                    gpu_formats[t->format].type, memory);
}

/* A texture that is read back becomes part of a framebuffer. When it does so for the first time, NVIDIA's
 * driver copies it by way of the host, at 1.3 GB/s. So it does so here, while the texture is empty. */
static void attach_once(const gpu *g, const gpu_texture *t) {
    if (g->software) return;
    glBindFramebuffer(GL_FRAMEBUFFER, g->framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t->id, 0);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, 0, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

enum { SIZE_ROOM = 32 };

static const char *size_text(char out[SIZE_ROOM], size_t bytes) {
    if (bytes < 1 << 10) snprintf(out, SIZE_ROOM, "%zu bytes", bytes);
    else if (bytes < 1 << 20) snprintf(out, SIZE_ROOM, "%.2f KiB", (double)bytes / (1 << 10));
    else snprintf(out, SIZE_ROOM, "%.2f MiB", (double)bytes / (1 << 20));
    return out;
}

static glshape_status refuse_bytes(gpu *g, const char *label, size_t bytes) {
    char need[SIZE_ROOM], used[SIZE_ROOM], limit[SIZE_ROOM];
    return fail(run_error(g->run), GLSHAPE_NO_GPU_MEMORY,
                "%s needs %s of textures beside the %s in use, but the limit is %s", label,
                size_text(need, bytes), size_text(used, g->bytes), size_text(limit, g->memory_limit));
}

static void make_texture(gpu *g, gpu_texture *t) {
    make_room(g, t->bytes);
    bool small = !g->memory_limit && is_small(t->width, t->height);
    t->room_w = small ? SMALL_EXTENT : t->width;
    t->room_h = small ? SMALL_EXTENT : t->height;
    glGenTextures(1, &t->id);
    glBindTexture(GL_TEXTURE_2D, t->id);
    glTexStorage2D(GL_TEXTURE_2D, 1, gpu_formats[t->format].internal, t->room_w, t->room_h);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    attach_once(g, t);
}

glshape_status gpu_texture_new(gpu *g, gpu_texture *out, const char *label, gpu_format format,
                               uint32_t elements, uint32_t texels) {
    TRY(gpu_need(g));
    OWNED_BY(gpu_texture_free) gpu_texture t = {.g = g, .label = label, .format = format};
    if (!lay_out(g, elements, texels, &t))
        return fail(
            run_error(g->run), GLSHAPE_NO_GPU_MEMORY, /* less at a time may fit */
            "%u elements of %u texels (%s) do not fit a texture of %s, which may be %d texels wide and high",
            elements, texels, label, g->renderer, g->limits.texture_size);
    t.bytes = (size_t)t.width * (size_t)t.height * gpu_formats[format].bytes;
    if (g->memory_limit && g->bytes + t.bytes > g->memory_limit) return refuse_bytes(g, label, t.bytes);
    if (!take_spare(g, &t)) make_texture(g, &t);
    if (g->debug) poison(&t);
    g->live++;
    g->bytes += t.bytes;
    if (g->bytes > g->peak) g->peak = g->bytes;
    if (g->bytes > g->recent) g->recent = g->bytes;
    glshape_status status = gpu_complaint(g);
    if (status == GLSHAPE_NO_GPU_MEMORY && g->spares) { /* they may take the memory that is wanted */
        glDeleteTextures(1, &t.id);
        textures_delete_spares(g);
        *run_error(g->run) = (error){0};
        make_texture(g, &t);
        status = gpu_complaint(g);
    }
    if (status) {
        gpu_texture_free(&t); /* which may be no texture: it is not kept */
        textures_delete_spares(g);
        return status;
    }
    *out = MOVE(t);
    return GLSHAPE_OK;
}

void gpu_texture_free(gpu_texture *t) {
    if (t->id) {
        t->g->live--;
        t->g->bytes -= t->bytes;
        keep_spare(t->g, t);
    }
    *t = (gpu_texture){0};
}

size_t gpu_wanted_bytes(const gpu *g, const gpu_wanted *all, size_t count) {
    size_t bytes = 0;
    for (const gpu_wanted *w = all; w < all + count; w++) {
        size_t more = gpu_texture_bytes(g, w->format, w->elements, w->texels);
        bytes = more < SIZE_MAX - bytes ? bytes + more : SIZE_MAX;
    }
    return bytes;
}

glshape_status gpu_wanted_new(gpu *g, const gpu_wanted *all, size_t count) {
    for (const gpu_wanted *w = all; w < all + count; w++)
        TRY(gpu_texture_new(g, w->t, w->label, w->format, w->elements, w->texels));
    return GLSHAPE_OK;
}

void gpu_wanted_free(const gpu_wanted *all, size_t count) {
    for (size_t i = 0; i < count; i++) gpu_texture_free(all[i].t);
}

void gpu_texture_swap(gpu_texture *a, gpu_texture *b) {
    gpu_texture was = *a;
    *a = *b;
    *b = was;
}

/* ---- rectangles -------------------------------------------------------------------------------- */

void texture_walk(gpu *g, const gpu_texture *t, uint32_t first, uint32_t count, char *memory,
                  texture_rectangle each) {
    uintptr_t at = (uintptr_t)memory; /* no pointer: of a pixel buffer it is an offset */
    uint32_t row = 1u << t->log2_per_row;
    size_t bytes = gpu_formats[t->format].bytes;
    while (count) {
        uint32_t x = first & (row - 1), y = first >> t->log2_per_row, part;
        if (t->block_h > 1) { /* one element, a block of rows, the last of them short */
            part = 1;
            uint32_t full = t->texels / (uint32_t)t->block_w, rest = t->texels % (uint32_t)t->block_w;
            int left = (int)x * t->block_w, top = (int)y * t->block_h;
            each(g, t, left, top, t->block_w, (int)full, (char *)at);
            if (rest)
                each(g, t, left, top + (int)full, (int)rest, 1,
                     (char *)(at + full * (size_t)t->block_w * bytes));
        } else if (x || count < row) {
            part = count < row - x ? count : row - x;
            each(g, t, (int)x * t->block_w, (int)y, (int)part * t->block_w, 1, (char *)at);
        } else {
            part = count & ~(row - 1);
            each(g, t, 0, (int)y, t->width, (int)(part >> t->log2_per_row), (char *)at);
        }
        first += part;
        count -= part;
        at += (size_t)part * t->texels * bytes;
    }
}
