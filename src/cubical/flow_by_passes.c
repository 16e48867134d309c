/* The flow of edges to critical squares, by passes. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "cubical/flow.h"
#include "cubical/morse.h"
#include "cubical/passes.h"

#define CHUNK (1u << 21) /* edges that a pass takes */
#define SQUARES 5u       /* of an edge, about */
#define FAR 48           /* edges that a flow goes through on threads */
#define AROUND 0x7ffdfffu
#define SIDES 63u

_Static_assert(CHUNK % MORSE_BLOCK == 0, "chunks are blocks");

/* A chunk of edges, on the device and back. While threads take what the device has found, it is at work on
 * the next chunk. */
typedef struct chunk_flow {
    gpu *g;
    morse *out;
    grid_field field;
    gpu_texture edges, ends, squares, state;
    uint32_t turns, count, found, room; /* edges; squares */
    size_t first;                       /* edge */
    uint32_t next;                      /* edges of the chunk behind, which is on the device */
    uint32_t (*edge)[2], (*next_edge)[2], (*end)[2], (*square)[2];
    size_t square_room;
    flow *flows; /* of each thread */
    size_t threads;
    atomic_int status;
    _Atomic size_t lost; /* edges that passes leave */
} chunk_flow;

static void chunk_flow_free(chunk_flow *f) {
    grid_field_free(&f->field);
    gpu_texture_free(&f->edges);
    gpu_texture_free(&f->ends);
    gpu_texture_free(&f->squares);
    gpu_texture_free(&f->state);
    free(f->edge);
    free(f->next_edge);
    free(f->end);
    free(f->square);
    for (size_t k = 0; f->flows && k < f->threads; k++) flow_free(&f->flows[k]);
    free(f->flows);
}

/* Edges on their way to the device. */
typedef struct sending {
    const radix_item *from;
    uint32_t (*to)[2];
} sending;

static void list_edges(void *user, size_t first, size_t end) {
    const sending *s = user;
    for (size_t k = first; k < end; k++) {
        s->to[k][0] = (uint32_t)s->from[k].at;
        s->to[k][1] = s->from[k].b;
    }
}

static glshape_status run_flow(chunk_flow *f, uint32_t count) {
    const grid *d = &f->field.grid;
    TRY(gpu_upload(f->g, &f->state, 0, 1, &(uint32_t){0}));
    return gpu_run(f->g, cubical_flow, .key = &f->field.key, .edges = &f->edges, .ends = &f->ends,
                   .squares = &f->squares, .state = &f->state, .nx = d->extent[0], .ny = d->extent[1],
                   .nz = d->extent[2], .periodic = d->periodic, .count = count, .room = f->room,
                   .most = f->turns, .around = AROUND, .sides = SIDES,
                   .groups = (count - 1) / CUBICAL_FLOW_LOCAL + 1);
}

/* Begins with the chunk behind, which has no edges if there is none. */
static glshape_status begin_next(chunk_flow *f) {
    size_t first = f->first + f->count, rest = f->out->count - first;
    f->next = rest < CHUNK ? (uint32_t)rest : CHUNK;
    if (!f->next) return GLSHAPE_OK;
    threads_ranges(f->next, list_edges, &(sending){f->out->edges + first, f->next_edge});
    TRY(gpu_upload(f->g, &f->edges, 0, f->next, f->next_edge));
    TRY(run_flow(f, f->next));
    gpu_start(f->g);
    return GLSHAPE_OK;
}

/* Waits for the squares; runs the pass again if there are more than room for them. */
static glshape_status find_squares(chunk_flow *f) {
    TRY(gpu_download(f->g, &f->state, 0, 1, &f->found));
    if (f->found <= f->room) return GLSHAPE_OK;
    gpu_texture_free(&f->squares);
    f->room = f->found;
    TRY(gpu_texture_new(f->g, &f->squares, "squares of edges", GPU_RG32UI, f->room, 1));
    TRY(run_flow(f, f->count));
    TRY(gpu_download(f->g, &f->state, 0, 1, &f->found));
    if (f->found <= f->room) return GLSHAPE_OK;
    return fail(run_error(run_of(f->g)), GLSHAPE_GPU_ERROR,
                "one pass found %u squares of edges, the next one %u: this driver counts wrong", f->room,
                f->found);
}

/* Appends what the pass has found of an edge. False: it makes no sense, or there is not enough memory. */
static bool append_squares(chunk_flow *f, flow *room, const uint32_t end[2]) {
    const cubes *c = f->out->cubes;
    uint32_t n = f->field.n, critical = end[1] & 0xffff, count = critical + (end[1] >> 16);
    if (end[0] > f->found || count > f->found - end[0]) atomic_store(&f->status, GLSHAPE_GPU_ERROR);
    for (uint32_t k = 0; k < count && !atomic_load_explicit(&f->status, memory_order_relaxed); k++) {
        const uint32_t *s = f->square[end[0] + k];
        uint32_t set = s[1] & 0x7ffffff;
        bool stays = k < critical;
        if (s[0] >= n) atomic_store(&f->status, GLSHAPE_GPU_ERROR);
        else if (stays ? !flow_append_critical(c, room, s[0], set, (int)(s[1] >> 27))
                       : !flow_append(c, room, s[0], set))
            return false;
    }
    return !atomic_load(&f->status);
}

static bool take_block(void *user, uint64_t item, int thread) {
    chunk_flow *f = user;
    morse *m = f->out;
    flow *room = &f->flows[thread];
    size_t first = item * MORSE_BLOCK, end = f->count - first < MORSE_BLOCK ? f->count : first + MORSE_BLOCK;
    bool made = true;
    room->term_count = 0;
    for (size_t k = first; k < end && made; k++) {
        if (f->end[k][0] != UINT32_MAX) made = append_squares(f, room, f->end[k]);
        else {
            made = flow_edge(m->cubes, room, f->edge[k][0], (int)f->edge[k][1], FAR);
            atomic_fetch_add(&f->lost, 1);
        }
        m->end[f->first + k] = (uint32_t)room->term_count;
    }
    made = made && morse_keep_block(m, f->first / MORSE_BLOCK + item, room->terms, room->term_count);
    int fine = 0;
    if (!made) atomic_compare_exchange_strong(&f->status, &fine, GLSHAPE_NO_MEMORY);
    return made;
}

/* What the device has begun with becomes the chunk. */
static glshape_status do_chunk(chunk_flow *f, int threads) {
    error *err = run_error(run_of(f->g));
    uint32_t(*spare)[2] = f->edge;
    f->edge = f->next_edge;
    f->next_edge = spare;
    f->first += f->count;
    f->count = f->next;
    TRY(find_squares(f));
    TRY(memory_reserve(err, &f->square, &f->square_room, f->found, sizeof *f->square,
                       "the critical squares"));
    TRY(gpu_download(f->g, &f->ends, 0, f->count, f->end));
    if (f->found) TRY(gpu_download(f->g, &f->squares, 0, f->found, f->square));
    TRY(begin_next(f));
    threads_share(threads, (f->count - 1) / MORSE_BLOCK + 1, take_block, f);
    int status = atomic_load(&f->status);
    if (status == GLSHAPE_GPU_ERROR)
        return fail(err, GLSHAPE_GPU_ERROR, "a pass lets edges flow to squares that are not there");
    return status ? fail(err, GLSHAPE_NO_MEMORY, "not enough memory for the critical squares of the field")
                  : GLSHAPE_OK;
}

static glshape_status begin(chunk_flow *f, const order *o, const grid *d) {
    uint32_t most = f->out->count < CHUNK ? (uint32_t)f->out->count : CHUNK;
    error *err = run_error(run_of(f->g));
    f->room = SQUARES * most;
    if (!f->field.n) TRY(grid_field_new(f->g, o, d, &f->field));
    TRY(gpu_texture_new(f->g, &f->edges, "edges", GPU_RG32UI, most, 1));
    TRY(gpu_texture_new(f->g, &f->ends, "ends of edges", GPU_RG32UI, most, 1));
    TRY(gpu_texture_new(f->g, &f->squares, "squares of edges", GPU_RG32UI, f->room, 1));
    TRY(gpu_texture_new(f->g, &f->state, "counter of squares", GPU_R32UI, 1, 1));
    TRY(allocate(err, &f->edge, most, sizeof *f->edge, "the critical edges"));
    TRY(allocate(err, &f->next_edge, most, sizeof *f->next_edge, "the critical edges"));
    TRY(allocate(err, &f->end, most, sizeof *f->end, "the critical edges"));
    return allocate(err, &f->flows, f->threads, sizeof *f->flows, "the critical squares");
}

static glshape_status do_all(chunk_flow *f, const order *o, const grid *d, int threads) {
    morse *m = f->out;
    TRY(begin(f, o, d));
    TRY(morse_begin(run_error(run_of(f->g)), m));
    TRY(begin_next(f));
    while (f->next) {
        TRY(do_chunk(f, threads));
        TRY(run_tick(run_of(f->g), (double)(f->first + f->count) / (double)m->count));
    }
    for (size_t k = 0; k < f->threads; k++) m->steps += f->flows[k].steps;
    morse_count(m);
    run_fact(run_of(f->g), (double)atomic_load(&f->lost), "edges that passes leave to threads");
    return GLSHAPE_OK;
}

/* llvmpipe counts the turns of up to 16 invocations together, and here a visit more than was counted on. */
uint32_t morse_turns(const gpu *g) { return gpu_is_software(g) ? GPU_TURNS / 32 : GPU_TURNS; }

glshape_status morse_fill_by_passes(gpu *g, const order *o, const grid *d, grid_field *field, uint32_t turns,
                                    morse *out, int threads) {
    OWNED_BY(chunk_flow_free)
    chunk_flow f = {.g = g, .out = out, .turns = turns, .threads = (size_t)threads_count(threads)};
    if (field) f.field = MOVE(*field);
    if (!out->count) return morse_begin(run_error(run_of(g)), out);
    glshape_status status = do_all(&f, o, d, threads);
    if (status) morse_drop(out);
    return status;
}
