/* Packed textures: layout, memory budget, copies in and out. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "gpu/internal.h"

#define POISON_BYTES (16u << 20)

typedef struct format_facts {
    GLenum internal, external, type;
    size_t bytes;
} format_facts;

static const format_facts facts[GPU_FORMATS] = {
    [GPU_R32F] = {GL_R32F, GL_RED, GL_FLOAT, 4},
    [GPU_RG32F] = {GL_RG32F, GL_RG, GL_FLOAT, 8},
    [GPU_RGBA32F] = {GL_RGBA32F, GL_RGBA, GL_FLOAT, 16},
    [GPU_R32UI] = {GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, 4},
    [GPU_RG32UI] = {GL_RG32UI, GL_RG_INTEGER, GL_UNSIGNED_INT, 8},
    [GPU_RGBA32UI] = {GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 16},
};

size_t gpu_texel_bytes(gpu_format format) { return facts[format].bytes; }

/* ---- layout ------------------------------------------------------------------------------------ */

static uint32_t floor_log2(uint64_t x) {
    uint32_t log = 0;
    while (x >>= 1) log++;
    return log;
}

/* Near square, elements per row a power of two (an address is then a shift and a mask; the model's
 * floor(R/P) would need an integer division per fetch). False if the device has no such texture. */
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
    return times(times((size_t)t.width, (size_t)t.height), facts[format].bytes);
}

/* In debug contexts new textures hold NaN and 2^32-1, so that whoever reads what nobody wrote is found out.
 */
static void poison(const gpu_texture *t) {
    void *memory = t->bytes <= POISON_BYTES ? malloc(t->bytes) : NULL;
    if (!memory) return;
    memset(memory, 0xff, t->bytes);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, t->width, t->height, facts[t->format].external,
                    facts[t->format].type, memory);
    free(memory);
}

glshape_status gpu_texture_new(gpu *g, gpu_texture *out, const char *label, gpu_format format,
                               uint32_t elements, uint32_t texels) {
    gpu_texture t = {.label = label, .format = format};
    if (!lay_out(g, elements, texels, &t))
        return fail(
            &g->err, GLSHAPE_BAD_ARGUMENT,
            "%u elements of %u texels (%s) do not fit a texture of %s, which may be %d texels wide and high",
            elements, texels, label, g->renderer, g->limits.texture_size);
    t.bytes = (size_t)t.width * (size_t)t.height * facts[format].bytes;
    if (g->memory_limit && g->bytes + t.bytes > g->memory_limit)
        return fail(&g->err, GLSHAPE_NO_GPU_MEMORY,
                    "%s needs %.2f MiB of textures beside the %.2f MiB in use, but the limit is %.2f MiB",
                    label, (double)t.bytes / (1 << 20), (double)g->bytes / (1 << 20),
                    (double)g->memory_limit / (1 << 20));
    glGenTextures(1, &t.id);
    glBindTexture(GL_TEXTURE_2D, t.id);
    glTexStorage2D(GL_TEXTURE_2D, 1, facts[format].internal, t.width, t.height);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    if (g->debug) poison(&t);
    g->live++;
    g->bytes += t.bytes;
    if (g->bytes > g->peak) g->peak = g->bytes;
    if (g->bytes > g->recent) g->recent = g->bytes;
    *out = t;
    return gpu_complaint(g);
}

void gpu_texture_free(gpu *g, gpu_texture *t) {
    if (t->id) {
        glDeleteTextures(1, &t->id);
        g->live--;
        g->bytes -= t->bytes;
    }
    *t = (gpu_texture){0};
}

void gpu_texture_swap(gpu_texture *a, gpu_texture *b) {
    gpu_texture was = *a;
    *a = *b;
    *b = was;
}

/* ---- copies ------------------------------------------------------------------------------------ */

void texture_walk(gpu *g, const gpu_texture *t, uint32_t first, uint32_t count, char *memory,
                  texture_rectangle each) {
    uint32_t row = 1u << t->log2_per_row;
    size_t bytes = facts[t->format].bytes;
    while (count) {
        uint32_t x = first & (row - 1), y = first >> t->log2_per_row, part;
        if (t->block_h > 1) { /* one element, a block of rows, the last of them short */
            part = 1;
            uint32_t full = t->texels / (uint32_t)t->block_w, rest = t->texels % (uint32_t)t->block_w;
            int left = (int)x * t->block_w, top = (int)y * t->block_h;
            each(g, t, left, top, t->block_w, (int)full, memory);
            if (rest)
                each(g, t, left, top + (int)full, (int)rest, 1, memory + full * (size_t)t->block_w * bytes);
        } else if (x || count < row) {
            part = count < row - x ? count : row - x;
            each(g, t, (int)x * t->block_w, (int)y, (int)part * t->block_w, 1, memory);
        } else {
            part = count & ~(row - 1);
            each(g, t, 0, (int)y, t->width, (int)(part >> t->log2_per_row), memory);
        }
        first += part;
        count -= part;
        memory += (size_t)part * t->texels * bytes;
    }
}

static void put(gpu *g, const gpu_texture *t, int x, int y, int w, int h, char *memory) {
    (void)g;
    glTexSubImage2D(GL_TEXTURE_2D, 0, x, y, w, h, facts[t->format].external, facts[t->format].type, memory);
}

static void get(gpu *g, const gpu_texture *t, int x, int y, int w, int h, char *memory) {
    (void)g;
    glReadPixels(x, y, w, h, facts[t->format].external, facts[t->format].type, memory);
}

glshape_status gpu_upload(gpu *g, gpu_texture *t, uint32_t first, uint32_t count, const void *from) {
    barrier_issue(g, barrier_bits(g, t, BARRIER_UPDATE));
    glBindTexture(GL_TEXTURE_2D, t->id);
    texture_walk(g, t, first, count, (char *)from, put);
    return gpu_complaint(g);
}

static void attach(gpu *g, gpu_texture *t) {
    barrier_issue(g, barrier_bits(g, t, BARRIER_FRAMEBUFFER));
    glBindFramebuffer(GL_FRAMEBUFFER, g->framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t->id, 0);
    glReadBuffer(GL_COLOR_ATTACHMENT0);
}

static void detach(gpu *g) {
    (void)g;
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, 0, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

glshape_status gpu_download(gpu *g, gpu_texture *t, uint32_t first, uint32_t count, void *to) {
    attach(g, t);
    texture_walk(g, t, first, count, to, get);
    detach(g);
    return gpu_complaint(g);
}

glshape_status gpu_readback_begin(gpu *g, gpu_readback *r, gpu_texture *t, uint32_t first, uint32_t count) {
    size_t bytes = times(count, t->texels * facts[t->format].bytes);
    if (!r->buffer) glGenBuffers(1, &r->buffer), g->live++;
    glBindBuffer(GL_PIXEL_PACK_BUFFER, r->buffer);
    if (r->bytes != bytes) glBufferData(GL_PIXEL_PACK_BUFFER, (GLsizeiptr)bytes, NULL, GL_STREAM_READ);
    r->bytes = bytes;
    attach(g, t);
    texture_walk(g, t, first, count, NULL, get);
    detach(g);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    r->fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    glFlush();
    return gpu_complaint(g);
}

/* Waits for a fence, if there is one, and deletes it. */
static void await(void **fence) {
    if (!*fence) return;
    while (glClientWaitSync(*fence, GL_SYNC_FLUSH_COMMANDS_BIT, 1000000000) == GL_TIMEOUT_EXPIRED) continue;
    glDeleteSync(*fence);
    *fence = NULL;
}

glshape_status gpu_readback_end(gpu *g, gpu_readback *r, void *to) {
    await(&r->fence);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, r->buffer);
    glGetBufferSubData(GL_PIXEL_PACK_BUFFER, 0, (GLsizeiptr)r->bytes, to);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    return gpu_complaint(g);
}

void gpu_readback_free(gpu *g, gpu_readback *r) {
    if (r->fence) glDeleteSync(r->fence);
    if (r->buffer) glDeleteBuffers(1, &r->buffer), g->live--;
    *r = (gpu_readback){0};
}

/* ---- streaming --------------------------------------------------------------------------------- */

glshape_status gpu_ring_new(gpu *g, gpu_ring *out, int slots, size_t bytes) {
    *out = (gpu_ring){.slots = slots, .bytes = bytes};
    glGenBuffers(slots, out->buffers);
    g->live += slots;
    for (int i = 0; i < slots; i++) {
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, out->buffers[i]);
        glBufferData(GL_PIXEL_UNPACK_BUFFER, (GLsizeiptr)bytes, NULL, GL_STREAM_DRAW);
    }
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    return gpu_complaint(g);
}

glshape_status gpu_ring_map(gpu *g, gpu_ring *r, int slot, void **memory) {
    await(&r->fences[slot]);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, r->buffers[slot]);
    *memory = glMapBufferRange(GL_PIXEL_UNPACK_BUFFER, 0, (GLsizeiptr)r->bytes,
                               GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT | GL_MAP_UNSYNCHRONIZED_BIT);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    r->mapped[slot] = *memory != NULL;
    TRY(gpu_complaint(g));
    return *memory ? GLSHAPE_OK
                   : fail(&g->err, GLSHAPE_GPU_ERROR, "%s: a pixel buffer cannot be mapped", g->renderer);
}

glshape_status gpu_ring_send(gpu *g, gpu_ring *r, int slot, gpu_texture *t, uint32_t first, uint32_t count) {
    barrier_issue(g, barrier_bits(g, t, BARRIER_UPDATE));
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, r->buffers[slot]);
    glUnmapBuffer(GL_PIXEL_UNPACK_BUFFER);
    r->mapped[slot] = false;
    glBindTexture(GL_TEXTURE_2D, t->id);
    texture_walk(g, t, first, count, NULL, put);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    r->fences[slot] = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    return gpu_complaint(g);
}

void gpu_ring_free(gpu *g, gpu_ring *r) {
    if (!r->buffers[0]) return;
    for (int i = 0; i < r->slots; i++) {
        await(&r->fences[i]);
        if (!r->mapped[i]) continue;
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, r->buffers[i]);
        glUnmapBuffer(GL_PIXEL_UNPACK_BUFFER);
    }
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glDeleteBuffers(r->slots, r->buffers);
    g->live -= r->slots;
    *r = (gpu_ring){0};
}
