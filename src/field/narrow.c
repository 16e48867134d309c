#include "field/narrow.h"

#include <string.h>

#include "base/matrix.h"
#include "base/owned.h"
#include "base/threads.h"
#include "field/passes.h"

#define BLOCK 4194304u /* values on their way at a time */
#define SLOTS 2

/* How many values are in a word is 2^this. */
static uint32_t shift_of(const glshape_field *f) { return matrix_value_size(f->type) == 1 ? 2 : 1; }

static uint32_t sign_of(const glshape_field *f) {
    return f->type == GLSHAPE_I8 ? 0x80 : f->type == GLSHAPE_I16 ? 0x8000 : 0;
}

static uint32_t words_of(uint32_t count, uint32_t shift) { return (count - 1) / (1u << shift) + 1; }

/* ---- sending ----------------------------------------------------------------------------------- */

typedef struct sender {
    const order *order;
    struct order *looks;
    uint32_t first, count;
    char *to;
} sender;

static bool send_piece(void *user, uint64_t item, int thread) {
    const sender *s = user;
    const glshape_field *f = s->order->field;
    uint32_t at = (uint32_t)item * ORDER_BLOCK, left = s->count - at;
    size_t bytes = matrix_value_size(f->type);
    (void)thread;
    memcpy(s->to + at * bytes, (const char *)f->values + (s->first + at) * bytes,
           (left < ORDER_BLOCK ? left : ORDER_BLOCK) * bytes);
    if (s->looks) order_look(s->looks, (s->first + at) / ORDER_BLOCK, NULL);
    return true;
}

/* Threads copy a block while the block before is on its way. */
static glshape_status send_words(gpu *g, const order *o, order *looks, gpu_texture *words) {
    OWNED_BY(gpu_ring_free) gpu_ring ring = {0};
    uint32_t most = o->n < BLOCK ? o->n : BLOCK, shift = shift_of(o->field), slot = 0;
    OWNED_BY(threads_team_end) threads_team *team = threads_team_for((most - 1) / ORDER_BLOCK + 1);
    if (!team) return fail(run_error(run_of(g)), GLSHAPE_NO_MEMORY, "not enough memory for threads");
    TRY(gpu_ring_new(g, &ring, SLOTS, words_of(most, shift) * sizeof(uint32_t)));
    for (uint32_t first = 0, count; first < o->n; first += count, slot = (slot + 1) % SLOTS) {
        void *memory;
        count = o->n - first < BLOCK ? o->n - first : BLOCK;
        TRY(gpu_ring_map(g, &ring, (int)slot, &memory));
        sender s = {o, looks, first, count, memory};
        threads_team_share(team, (count - 1) / ORDER_BLOCK + 1, send_piece, &s);
        TRY(gpu_ring_send(g, &ring, (int)slot, words, first >> shift, words_of(count, shift)));
    }
    return GLSHAPE_OK;
}

glshape_status narrow_send(gpu *g, const order *o, order *looks, gpu_texture *key) {
    OWNED_BY(gpu_texture_free) gpu_texture words = {0};
    uint32_t shift = shift_of(o->field);
    TRY(gpu_texture_new(g, &words, "the field as it is", GPU_R32UI, words_of(o->n, shift), 1));
    TRY(send_words(g, o, looks, &words));
    return gpu_run(g, field_widen, .words = &words, .key = key, .n = o->n, .shift = shift,
                   .sign = sign_of(o->field), .flip = o->flip, .groups = field_groups(o->n));
}

/* ---- whether ----------------------------------------------------------------------------------- */

#define FEW 1003u /* values, of all bytes, that do not fill the last word */

static glshape_status check_type(gpu *g, glshape_type type, bool superlevel, bool *right) {
    OWNED_BY(gpu_texture_free) gpu_texture key = {0};
    OWNED_BY(order_free) order o = {0};
    uint16_t values[FEW];
    uint32_t keys[FEW], got[FEW];
    for (uint32_t v = 0; v < FEW; v++) values[v] = (uint16_t)(v * 40503u);
    const glshape_field f = {.type = type, .values = values, .dims = 1, .shape = {FEW}};
    TRY(order_new(run_error(run_of(g)), &f, FEW, superlevel, &o));
    TRY(gpu_texture_new(g, &key, "keys of a few values", GPU_R32UI, FEW, 1));
    TRY(narrow_send(g, &o, NULL, &key));
    TRY(gpu_download(g, &key, 0, FEW, got));
    order_keys(&o, 0, FEW, keys);
    *right = *right && !memcmp(keys, got, sizeof keys);
    return GLSHAPE_OK;
}

static glshape_status check(gpu *g, const void *user, bool *right) {
    static const glshape_type types[] = {GLSHAPE_U8, GLSHAPE_I8, GLSHAPE_U16, GLSHAPE_I16};
    (void)user;
    *right = true;
    for (int k = 0; k < 8; k++) TRY(check_type(g, types[k / 2], k % 2, right));
    return GLSHAPE_OK;
}

glshape_status narrow_is_for_passes(gpu *g, const glshape_field *field, bool *so) {
    gpu_exact e = {.program = {gpu_only_program(field_widen)}, .check = check, .without_doubles = true};
    *so = matrix_value_size(field->type) < sizeof(uint32_t);
    return *so ? gpu_trusts(g, &e, so) : GLSHAPE_OK;
}
