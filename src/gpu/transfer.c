/* Copies between host memory and textures.
 *
 * Large copies go in pieces through pixel buffers: to a texture that is part of a framebuffer, NVIDIA's
 * driver copies at 1.3 GB/s straight, and at 12 to 30 GB/s by way of a pixel buffer. On software renderers
 * they go straight, as a pixel buffer would only be a second copy. */
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "gpu/internal.h"

#define SMALL ((size_t)1 << 18) /* bytes that are copied straight */
/* What is copied goes in some so many pieces, if they are neither smaller nor larger than this. When a buffer
 * is mapped first, a driver takes half a millisecond for each MB; pieces of much are to be large. */
#define PIECES 16u
#define LEAST_PIECE ((size_t)1 << 19)
#define MOST_PIECE ((size_t)4 << 20)
#define DEBUG_PIECE ((size_t)1 << 16)
#define SHARE ((size_t)1 << 18) /* of a piece, copied by one thread */
#define COPIERS                                                                                 \
    8 /* threads at most: with four, ten million points are copied in 1.2 times the time (H200) \
       */

static void put(gpu *g, const gpu_texture *t, int x, int y, int w, int h, char *memory) {
    const format_facts *f = &gpu_formats[t->format];
    (void)g;
    glTexSubImage2D(GL_TEXTURE_2D, 0, x, y, w, h, f->external, f->type, memory);
}

static void get(gpu *g, const gpu_texture *t, int x, int y, int w, int h, char *memory) {
    const format_facts *f = &gpu_formats[t->format];
    (void)g;
    glReadPixels(x, y, w, h, f->external, f->type, memory);
}

/* ---- counting ---------------------------------------------------------------------------------- */

/* Begins what counts as a transfer, also within another. While passes are timed, it first waits for those
 * that it would wait for itself: their time is not the transfer's. */
static void transfer_begin(gpu *g, bool waits) {
    if (g->transferring++ || !g->timing) return;
    if (waits) glFinish();
    g->transfer_since = wall_seconds();
}

static void transfer_end(gpu *g) {
    if (!--g->transferring && g->timing) counted_stage(g)->transfers += wall_seconds() - g->transfer_since;
}

static uint64_t bytes_of(const gpu_texture *t, uint32_t count) {
    return (uint64_t)count * t->texels * gpu_formats[t->format].bytes;
}

/* ---- rings ------------------------------------------------------------------------------------- */

/* Waits for a fence, if there is one, and deletes it. */
static void await(void **fence) {
    if (!*fence) return;
    while (glClientWaitSync(*fence, GL_SYNC_FLUSH_COMMANDS_BIT, 1000000000) == GL_TIMEOUT_EXPIRED) continue;
    glDeleteSync(*fence);
    *fence = NULL;
}

glshape_status gpu_ring_new(gpu *g, gpu_ring *out, int slots, size_t bytes) {
    *out = (gpu_ring){.g = g, .slots = slots, .bytes = bytes};
    glGenBuffers(slots, out->buffers);
    g->live += slots;
    for (int i = 0; i < slots; i++) {
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, out->buffers[i]);
        glBufferData(GL_PIXEL_UNPACK_BUFFER, (GLsizeiptr)bytes, NULL, GL_STREAM_DRAW);
    }
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glshape_status status = gpu_complaint(g);
    if (status) gpu_ring_free(out);
    return status;
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
                   : fail(run_error(g->run), GLSHAPE_GPU_ERROR, "%s: a pixel buffer cannot be mapped",
                          g->renderer);
}

glshape_status gpu_ring_send(gpu *g, gpu_ring *r, int slot, gpu_texture *t, uint32_t first, uint32_t count) {
    counted_stage(g)->bytes_up += bytes_of(t, count);
    transfer_begin(g, false);
    barrier_issue(g, barrier_bits(g, t, BARRIER_UPDATE));
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, r->buffers[slot]);
    glUnmapBuffer(GL_PIXEL_UNPACK_BUFFER);
    r->mapped[slot] = false;
    glBindTexture(GL_TEXTURE_2D, t->id);
    texture_walk(g, t, first, count, NULL, put);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    r->fences[slot] = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    transfer_end(g);
    return gpu_complaint(g);
}

void gpu_ring_free(gpu_ring *r) {
    if (!r->buffers[0]) return;
    for (int i = 0; i < r->slots; i++) {
        await(&r->fences[i]);
        if (!r->mapped[i]) continue;
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, r->buffers[i]);
        glUnmapBuffer(GL_PIXEL_UNPACK_BUFFER);
    }
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glDeleteBuffers(r->slots, r->buffers);
    r->g->live -= r->slots;
    *r = (gpu_ring){0};
}

/* ---- pieces ------------------------------------------------------------------------------------ */

typedef struct copy {
    char *to;
    const char *from;
    size_t bytes;
} copy;

static void copy_share(void *user, size_t item) {
    const copy *c = user;
    size_t first = item * SHARE, left = c->bytes - first;
    memcpy(c->to + first, c->from + first, left < SHARE ? left : SHARE);
}

/* By threads that stay, as there are many pieces. */
static void copy_all(gpu *g, void *to, const void *from, size_t bytes) {
    if (!g->copiers) g->copiers = threads_team_for(COPIERS);
    threads_team_run(g->copiers, (bytes + SHARE - 1) / SHARE, copy_share, &(copy){to, from, bytes});
}

typedef struct pieces {
    size_t element;      /* bytes */
    uint32_t each, left; /* elements */
} pieces;

/* Returns true if a copy goes in pieces, and prepares these. In debug contexts all do, in small pieces. */
static bool cut_into_pieces(const gpu *g, const gpu_texture *t, uint32_t count, pieces *p) {
    p->element = t->texels * gpu_formats[t->format].bytes;
    size_t piece = LEAST_PIECE;
    while (piece < MOST_PIECE && piece * PIECES < p->element * count) piece *= 2;
    if (g->debug) piece = DEBUG_PIECE;
    p->each = p->element < piece ? (uint32_t)(piece / p->element) : 1;
    p->left = count;
    return g->debug ? count > p->each : !g->software && count > SMALL / p->element;
}

static uint32_t next_piece(pieces *p) {
    uint32_t count = p->left < p->each ? p->left : p->each;
    p->left -= count;
    return count;
}

static glshape_status send(gpu *g, gpu_texture *t, pieces p, uint32_t first, gpu_filler *fill, void *user) {
    size_t bytes = (p.left < p.each ? p.left : p.each) * p.element;
    if (g->sending.bytes < bytes) {
        gpu_ring_free(&g->sending);
        TRY(gpu_ring_new(g, &g->sending, GPU_RING, bytes));
    }
    void *memory;
    for (uint32_t slot = 0, count; (count = next_piece(&p)); slot = (slot + 1) % GPU_RING) {
        TRY(gpu_ring_map(g, &g->sending, (int)slot, &memory));
        glshape_status status = fill(g, user, first, count, memory);
        if (status) {
            gpu_ring_free(&g->sending); /* a slot of it is mapped */
            return status;
        }
        TRY(gpu_ring_send(g, &g->sending, (int)slot, t, first, count));
        first += count;
    }
    return GLSHAPE_OK;
}

/* What an upload copies from. */
typedef struct upload {
    const char *from;
    uint32_t first;
    size_t element;
} upload;

static glshape_status fill_by_copy(gpu *g, void *user, uint32_t first, uint32_t count, void *memory) {
    const upload *u = user;
    copy_all(g, memory, u->from + (first - u->first) * u->element, count * u->element);
    return GLSHAPE_OK;
}

static glshape_status begin_return(gpu *g, returning *r, gpu_texture *t, uint32_t first, uint32_t count,
                                   size_t bytes) {
    await(&r->fence);
    if (!r->buffer) glGenBuffers(1, &r->buffer), g->live++;
    glBindBuffer(GL_PIXEL_PACK_BUFFER, r->buffer);
    if (r->bytes < bytes) glBufferData(GL_PIXEL_PACK_BUFFER, (GLsizeiptr)bytes, NULL, GL_STREAM_READ);
    if (r->bytes < bytes) r->bytes = bytes;
    texture_walk(g, t, first, count, NULL, get);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    r->fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    glFlush();
    return gpu_complaint(g);
}

static glshape_status end_return(gpu *g, returning *r, void *to, size_t bytes) {
    await(&r->fence);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, r->buffer);
    const void *from = glMapBufferRange(GL_PIXEL_PACK_BUFFER, 0, (GLsizeiptr)bytes, GL_MAP_READ_BIT);
    if (from) copy_all(g, to, from, bytes);
    glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    TRY(gpu_complaint(g));
    return from ? GLSHAPE_OK
                : fail(run_error(g->run), GLSHAPE_GPU_ERROR, "%s: a pixel buffer cannot be mapped",
                       g->renderer);
}

/* Downloads in pieces: while one is taken, the next ones are on their way. */
static glshape_status take(gpu *g, gpu_texture *t, pieces p, uint32_t first, char *to) {
    pieces taken = p;
    for (uint32_t k = 0, count; taken.left; k++) {
        if ((count = next_piece(&p)))
            TRY(begin_return(g, &g->returns[k % RETURNS], t, first, count, p.each * p.element));
        first += count;
        if (k + 1 < RETURNS) continue;
        count = next_piece(&taken);
        TRY(end_return(g, &g->returns[(k + 1) % RETURNS], to, count * p.element));
        to += count * p.element;
    }
    return GLSHAPE_OK;
}

/* ---- whole ------------------------------------------------------------------------------------- */

static glshape_status upload_straight(gpu *g, gpu_texture *t, uint32_t first, uint32_t count,
                                      const void *from) {
    counted_stage(g)->bytes_up += bytes_of(t, count);
    barrier_issue(g, barrier_bits(g, t, BARRIER_UPDATE));
    glBindTexture(GL_TEXTURE_2D, t->id);
    texture_walk(g, t, first, count, (char *)from, put);
    return gpu_complaint(g);
}

glshape_status gpu_upload(gpu *g, gpu_texture *t, uint32_t first, uint32_t count, const void *from) {
    pieces p;
    bool cut = cut_into_pieces(g, t, count, &p);
    transfer_begin(g, cut);
    glshape_status status = cut ? send(g, t, p, first, fill_by_copy, &(upload){from, first, p.element})
                                : upload_straight(g, t, first, count, from);
    transfer_end(g);
    return status;
}

glshape_status gpu_fill(gpu *g, gpu_texture *t, uint32_t elements, gpu_filler *fill, void *user) {
    pieces p;
    cut_into_pieces(g, t, elements, &p);
    return send(g, t, p, 0, fill, user);
}

glshape_status gpu_download(gpu *g, gpu_texture *t, uint32_t first, uint32_t count, void *to) {
    pieces p;
    glshape_status status = GLSHAPE_OK;
    counted_stage(g)->bytes_down += bytes_of(t, count);
    transfer_begin(g, true);
    barrier_issue(g, barrier_bits(g, t, BARRIER_FRAMEBUFFER));
    glBindFramebuffer(GL_FRAMEBUFFER, g->framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t->id, 0);
    glReadBuffer(GL_COLOR_ATTACHMENT0);
    if (cut_into_pieces(g, t, count, &p)) status = take(g, t, p, first, to);
    else texture_walk(g, t, first, count, to, get);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, 0, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    transfer_end(g);
    if (!status) status = gpu_complaint(g);
    return status ? status : gpu_check_reset(g); /* what came down may be of a device that began anew */
}

void transfers_free(gpu *g) {
    gpu_ring_free(&g->sending);
    for (int i = 0; i < RETURNS; i++) {
        await(&g->returns[i].fence);
        if (g->returns[i].buffer) glDeleteBuffers(1, &g->returns[i].buffer), g->live--;
        g->returns[i] = (returning){0};
    }
}
