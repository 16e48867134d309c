/* Pairs on the device become those of a dimension there: turned, without those of no length, and sorted. So
 * what comes down is what intervals are made of. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "cubical/passes.h"
#include "cubical/run.h"
#include "place/place.h"
#include "prim/passes.h"
#include "prim/prim.h"
#include "prim/sort.h"

enum { KEPT, OTHERS, WRONG, STATES }; /* what is counted (glsl/cubical/settle.glsl) */

/* Pairs on their way to those of a dimension. */
typedef struct settling {
    gpu_texture items[2], others, state, none;
    prim_radix_scratch radix;
    uint32_t counts[STATES], other[CUBICAL_OTHERS][2];
} settling;

static void settling_free(settling *s) {
    gpu_texture *const all[] = {&s->items[0], &s->items[1], &s->others, &s->state, &s->none};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    prim_radix_free(&s->radix);
}

/* The reversed side, and how pairs lie to it. */
typedef struct way {
    side side;
    bool turned;       /* they are pairs of it, and become those of the field */
    bool counts;       /* their ends are squares that cubes end */
    uint32_t vertices; /* of the side that they are pairs of */
} way;

static glshape_status new_textures(gpu *g, settling *s, uint32_t count) {
    const uint32_t zeros[STATES] = {0};
    TRY(gpu_texture_new(g, &s->items[1], "the pairs", GPU_RGBA32UI, count, 1));
    TRY(gpu_texture_new(g, &s->others, "other pairs", GPU_RG32UI, CUBICAL_OTHERS, 1));
    TRY(gpu_texture_new(g, &s->state, "counts of pairs", GPU_R32UI, STATES, 1));
    TRY(gpu_texture_new(g, &s->none, "no squares", GPU_R32UI, 1, 1));
    return gpu_upload(g, &s->state, 0, STATES, zeros);
}

/* Settles s->items[0]. ended: NULL if none are counted. */
static glshape_status run_settle(gpu *g, settling *s, const way *w, gpu_texture *ended, uint32_t count) {
    const uint32_t *extent = w->side.extent;
    TRY(gpu_run(g, cubical_settle, .pairs = &s->items[0], .ended = ended ? ended : &s->none,
                .others = &s->others, .state = &s->state, .nx = extent[0], .ny = extent[1], .nz = extent[2],
                .outside = w->side.outside, .turned = w->turned, .counts = w->counts,
                .unused = w->side.unused, .vertices = w->vertices, .count = count,
                .groups = (count - 1) / CUBICAL_LOCAL + 1));
    TRY(gpu_download(g, &s->state, 0, STATES, s->counts));
    if (s->counts[KEPT] > count) s->counts[WRONG]++;
    return gpu_download(g, &s->others, 0, CUBICAL_OTHERS, s->other);
}

/* By birth; what was dropped comes last. */
static glshape_status sort(gpu *g, settling *s, uint32_t count, uint32_t vertices) {
    uint32_t bits = s->counts[KEPT] < count ? 32 : prim_radix_bits(vertices);
    TRY(prim_radix(g, &s->radix, s->items, count, 32, 32 + bits));
    return prim_radix(g, &s->radix, s->items, count, 0, 32);
}

/* ---- whether that is right ----------------------------------------------------------------------- */

enum { WIDE = 19, HIGH = 23, DEEP = 3, INSIDE = WIDE * HIGH * DEEP, LINKED = 2000 };
enum { PADDED = (WIDE + 2) * (HIGH + 2) * (DEEP + 2) };

static uint32_t draw(uint32_t *state, uint32_t below) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

typedef struct expected {
    radix_item pairs[LINKED];
    uint32_t kept, others, wrong;
    uint8_t ended[4 * (PADDED / 4 + 1)];
} expected;

/* A vertex of the field, and where it is on the side; or of the outside: UINT32_MAX. */
static uint32_t field_vertex(const side *s, uint32_t v) {
    uint32_t p[3] = {v % s->extent[0], v / s->extent[0] % s->extent[1], v / s->extent[0] / s->extent[1]};
    const uint32_t own[3] = {WIDE, HIGH, DEEP};
    for (int axis = 0; axis < 3; axis++) {
        p[axis] -= s->outside >> axis & 1;
        if (p[axis] >= own[axis]) return UINT32_MAX;
    }
    return ((DEEP - 1 - p[2]) * HIGH + HIGH - 1 - p[1]) * WIDE + WIDE - 1 - p[0];
}

/* The key in the field. */
static uint32_t key_of(const side *s, uint32_t key) { return ~(key - (s->unused && key <= s->unused)); }

static void expect(const way *w, const uint32_t (*texel)[4], expected *out) {
    const side *s = &w->side;
    uint32_t side_of[INSIDE];
    for (uint32_t v = 0; v < s->n; v++)
        if (field_vertex(s, v) != UINT32_MAX) side_of[field_vertex(s, v)] = v;
    for (uint32_t k = 0; k < LINKED; k++) {
        const uint32_t *t = texel[k];
        bool ends = t[3] != UINT32_MAX;
        uint32_t birth = w->turned ? field_vertex(s, t[0]) : t[0];
        uint32_t death = ends && w->turned ? field_vertex(s, t[3]) : t[3];
        bool other = w->turned && (!ends || birth == UINT32_MAX);
        bool wrong = t[0] >= w->vertices || (ends && (t[3] >= w->vertices || t[2] < t[1]));
        wrong = wrong || (ends && t[2] == t[1] && t[3] < t[0]);
        wrong = wrong || (w->turned && !other && death == UINT32_MAX);
        out->others += other;
        out->wrong += wrong;
        if (w->counts && ends && !other && !wrong) out->ended[w->turned ? death : side_of[death]]++;
        if (other || (ends && t[1] == t[2])) continue;
        radix_item *pair = &out->pairs[out->kept++];
        if (w->turned) *pair = (radix_item){(uint64_t)key_of(s, t[2]) << 32 | death, key_of(s, t[1]), birth};
        else *pair = (radix_item){(uint64_t)t[1] << 32 | birth, t[2], t[3]};
    }
}

/* Keys differ, so that the order by birth is one; some pairs have no length, no end, or begin where nothing
 * is. */
static void draw_pairs(const way *w, uint32_t (*texel)[4]) {
    uint32_t state = 5, n = w->vertices;
    for (uint32_t k = 0; k < LINKED; k++) {
        uint32_t birth = 8 * k + 8, length = draw(&state, 4) ? 8 * draw(&state, 900) + 4 : 0;
        texel[k][0] = draw(&state, n);
        texel[k][1] = birth;
        texel[k][2] = birth + length;
        texel[k][3] =
            length || texel[k][0] + 1 == n ? draw(&state, n) : texel[k][0] + draw(&state, n - texel[k][0]);
        if (k % 400 == 7) texel[k][2] = texel[k][3] = UINT32_MAX;
        if (k % 400 == 9) texel[k][0] = n + k;
    }
}

static int compare_births(const void *x, const void *y) {
    const radix_item *a = x, *b = y;
    return (a->at > b->at) - (a->at < b->at);
}

static glshape_status check_way(gpu *g, const way *w, bool *right) {
    OWNED_BY(settling_free) settling s = {0};
    OWNED_BY(gpu_texture_free) gpu_texture ended = {0};
    OWNED expected *want = NULL;
    uint32_t texel[LINKED][4], elements = PADDED / 4 + 1;
    uint8_t got[4 * (PADDED / 4 + 1)] = {0};
    radix_item pairs[LINKED];
    TRY(allocate(run_error(run_of(g)), &want, 1, sizeof *want, "a few pairs"));
    draw_pairs(w, texel);
    expect(w, (const uint32_t(*)[4])texel, want);
    qsort(want->pairs, want->kept, sizeof *want->pairs, compare_births);
    TRY(gpu_texture_new(g, &s.items[0], "a few pairs", GPU_RGBA32UI, LINKED, 1));
    TRY(gpu_upload(g, &s.items[0], 0, LINKED, texel));
    TRY(gpu_texture_new(g, &ended, "a few squares", GPU_R32UI, elements, 1));
    TRY(gpu_upload(g, &ended, 0, elements, got));
    TRY(new_textures(g, &s, LINKED));
    TRY(run_settle(g, &s, w, &ended, LINKED));
    *right = *right && s.counts[KEPT] == want->kept && s.counts[OTHERS] == want->others &&
             s.counts[WRONG] == want->wrong;
    if (!*right) return GLSHAPE_OK;
    TRY(sort(g, &s, LINKED, INSIDE));
    TRY(gpu_download(g, &s.items[0], 0, want->kept, pairs));
    TRY(gpu_download(g, &ended, 0, elements, got));
    *right = !memcmp(pairs, want->pairs, want->kept * sizeof *pairs) && !memcmp(got, want->ended, sizeof got);
    return GLSHAPE_OK;
}

static glshape_status check_settle(gpu *g, const void *user, bool *right) {
    (void)user;
    *right = true;
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t outside = k & 2 ? 7 : 5, px = outside & 1, py = outside >> 1 & 1, pz = outside >> 2;
        way w = {
            {.extent = {WIDE + 2 * px, HIGH + 2 * py, DEEP + 2 * pz}, .outside = outside}, k & 1, true, 0};
        w.side.n = w.side.extent[0] * w.side.extent[1] * w.side.extent[2];
        w.side.unused = k & 2 ? 9000 : 0; /* above some of the keys */
        w.vertices = w.turned ? w.side.n : INSIDE;
        TRY(check_way(g, &w, right));
    }
    return GLSHAPE_OK;
}

/* Whether so many pairs are settled by passes. */
static glshape_status place_settle(cubical_run *run, cubical_lot lot, uint32_t count, run_why *why) {
    const gpu_exact e = {
        .program = {gpu_only_program(cubical_settle)}, .check = check_settle, .without_doubles = true};
    bool can = !run->balance && !run->dims[cubical_dim_of(run, lot)].count;
    TRY(place_choose(run->g, PLACE_SADDLES, count, can, 0, why));
    TRY(prim_sorts_there(run->g, count, why));
    return run_why_device(*why) ? gpu_trusts_for(run->g, &e, why) : GLSHAPE_OK;
}

/* ---- and settling -------------------------------------------------------------------------------- */

/* The texture in which squares that cubes end are counted. */
static glshape_status new_ended(cubical_run *run, const side *s) {
    uint32_t elements = s->n / 4 + 1;
    if (run->o.construction == GLSHAPE_CUBICAL_VERTICES) elements = (uint32_t)(run->r->n / 4 + 1);
    TRY(gpu_texture_new(run->g, &run->ended_on_gpu, "squares that cubes end", GPU_R32UI, elements, 1));
    return gpu_run(run->g, prim_fill, .filled = &run->ended_on_gpu, .value = 0, .elements = elements);
}

/* Without the sort, if there is no memory for it; nothing of what nobody asked for. */
static glshape_status bring(cubical_run *run, cubical_lot lot, settling *s, uint32_t count) {
    OWNED radix_item *pairs = NULL;
    error before = *err_of(run);
    const uint32_t(*others)[2] = (const uint32_t(*)[2])s->other;
    uint32_t all = s->counts[KEPT];
    if (!cubical_wants(run, cubical_dim_of(run, lot)))
        return cubical_add_settled(run, lot, NULL, 0, true, others, s->counts[OTHERS]);
    glshape_status status = sort(run->g, s, count, (uint32_t)run->r->n);
    bool is_sorted = status != GLSHAPE_NO_GPU_MEMORY;
    if (is_sorted) TRY(status);
    else {
        *err_of(run) = before;
        all = count;
    }
    bool stays = false;
    bool own = cubical_dim_of(run, lot) || !cubical_is_turned(run, lot); /* else the field itself has them */
    bool last = run->given->dims < 3 || lot == CUBICAL_EDGES; /* the reduction is to have all room */
    if (is_sorted && own && last) TRY(cubical_keep(run, cubical_dim_of(run, lot), &s->items[0], all, &stays));
    if (stays) return cubical_add_settled(run, lot, NULL, 0, true, others, s->counts[OTHERS]);
    TRY(allocate(err_of(run), &pairs, all, sizeof *pairs, "the intervals"));
    threads_touch(pairs, all * sizeof *pairs);
    if (all) TRY(gpu_download(run->g, &s->items[0], 0, all, pairs));
    uint32_t kept = is_sorted ? all : 0;
    for (uint32_t k = 0; k < all && !is_sorted; k++)
        if (pairs[k].at != UINT64_MAX) pairs[kept++] = pairs[k];
    return cubical_add_settled(run, lot, MOVE(pairs), kept, is_sorted, others, s->counts[OTHERS]);
}

static glshape_status settle_by_passes(cubical_run *run, cubical_lot lot, settling *s, uint32_t count) {
    way w = {.turned = cubical_is_turned(run, lot), .counts = cubical_ends_squares(run, lot)};
    TRY(cubical_shape_of(run, true, &w.side));
    w.side.unused = run->side.unused;
    w.vertices = w.turned ? w.side.n : (uint32_t)run->r->n;
    TRY(new_textures(run->g, s, count));
    if (w.counts) TRY(new_ended(run, &w.side));
    TRY(run_settle(run->g, s, &w, w.counts ? &run->ended_on_gpu : NULL, count));
    if (s->counts[WRONG])
        return fail(err_of(run), GLSHAPE_GPU_ERROR,
                    "a pass ends %u classes where there is nothing: this driver computes something wrong",
                    s->counts[WRONG]);
    return GLSHAPE_OK;
}

static glshape_status settle_by_threads(cubical_run *run, cubical_lot lot, gpu_texture *items,
                                        uint32_t count) {
    OWNED radix_item *pairs = NULL;
    TRY(allocate(err_of(run), &pairs, count, sizeof *pairs, "the intervals"));
    threads_touch(pairs, count * sizeof *pairs);
    if (count) TRY(gpu_download(run->g, items, 0, count, pairs));
    return cubical_take_pairs(run, lot, MOVE(pairs), count);
}

glshape_status cubical_settle(cubical_run *run, cubical_lot lot, gpu_texture *pairs, uint32_t count) {
    OWNED_BY(settling_free) settling s = {.items = {MOVE(*pairs)}};
    error before = *err_of(run);
    run_why why;
    TRY(place_settle(run, lot, count, &why));
    run_begin_stage(run_of(run->g), lot == CUBICAL_EDGES ? "pairs of edges" : "pairs of vertices", why);
    if (!run_why_device(why) || !count) return settle_by_threads(run, lot, &s.items[0], count);
    glshape_status status = settle_by_passes(run, lot, &s, count);
    if (!status) return bring(run, lot, &s, count);
    if (status != GLSHAPE_NO_GPU_MEMORY) return status;
    *err_of(run) = before;
    gpu_texture_free(&run->ended_on_gpu); /* nothing was counted */
    return settle_by_threads(run, lot, &s.items[0], count);
}
