#include "mergetree/contour_vertices.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "mergetree/passes.h"
#include "prim/passes.h"

#define NONE CONTOUR_NONE
#define BLOCK 65536u /* vertices that a thread takes at a time */
#define PIECE 4096u
#define AHEAD 16u /* vertices whose nodes are asked for before they are needed */

static const char what[] = "the contour tree";

static uint32_t block_end(uint32_t n, uint32_t first) { return n - first < BLOCK ? n : first + BLOCK; }
static size_t blocks_of(uint32_t n) { return (n - 1) / BLOCK + 1; }
static uint32_t node_at(const contour_nodes *n, uint32_t v) { return n->number[v] - 1; }
static uint32_t vertices(const contour_vertices *v) { return v->nodes->n; }

/* A side that is being done. */
typedef struct placing {
    contour_vertices *v;
    const contour_slots *slots;
    int side;
    uint32_t *birth;
} placing;

/* ---- from the tree, and from the device -------------------------------------------------------- */

/* A vertex v and n - 1 - v; values: what they have is mirrored, too. */
typedef struct mirroring {
    uint32_t *on, n;
    bool values;
} mirroring;

static uint32_t mirrored(const mirroring *m, uint32_t value) { return m->values ? m->n - 1 - value : value; }

/* From both ends of the field to the middle. */
static void mirror_vertices(void *user, size_t first, size_t end) {
    const mirroring *m = user;
    uint32_t *on = m->on, last = m->n - 1;
    for (size_t v = first; v < end; v++) {
        uint32_t here = on[v];
        on[v] = mirrored(m, on[last - v]);
        on[last - v] = mirrored(m, here);
    }
}

static void mirror(uint32_t *on, uint32_t n, bool values) {
    mirroring m = {on, n, values};
    threads_ranges(n / 2, mirror_vertices, &m);
    if (n % 2) on[n / 2] = mirrored(&m, on[n / 2]);
}

void contour_vertices_take(contour_vertices *v, int side, uint32_t n, mergetree_on *on) {
    if (on->on && side == CONTOUR_SPLIT) mirror(on->on, n, true);
    v->place[side] = MOVE(on->on);
    gpu_texture_swap(&v->at[side], &on->on_gpu);
    if (side == CONTOUR_JOIN) gpu_texture_swap(&v->key, &on->key);
}

glshape_status contour_vertices_fetch(contour_vertices *v, uint32_t n) {
    gpu_texture_free(&v->key);
    gpu_texture_free(&v->number);
    for (int side = 0; side < 2; side++) {
        if (v->place[side]) continue;
        TRY(allocate(gpu_error(v->g), &v->place[side], n, sizeof *v->place[side],
                     "the branches of vertices"));
        threads_touch(v->place[side], n * sizeof *v->place[side]);
        TRY(gpu_download(v->g, &v->at[side], 0, n, v->place[side]));
        gpu_texture_free(&v->at[side]);
        if (side == CONTOUR_SPLIT) mirror(v->place[side], n, !v->placed[side]);
    }
    v->on_gpu = false;
    return GLSHAPE_OK;
}

/* After passes: *again says that threads have to do it, as the device lacks memory. */
static glshape_status end_passes(contour_vertices *v, glshape_status status, bool *again) {
    *again = status == GLSHAPE_NO_GPU_MEMORY;
    return *again ? contour_vertices_fetch(v, vertices(v)) : status;
}

/* ---- nodes beside vertices, by threads --------------------------------------------------------- */

/* Where a vertex lies on its branch: behind so many of its nodes. */
typedef struct finger {
    uint32_t low, high, slot; /* slots of the branch; that of the first node above */
} finger;

/* Returns true if a vertex of this branch lies where the finger points; mostly it lies beside the one before.
 */
static bool points_at(const contour_slots *s, const finger *f, uint32_t branch, uint64_t at) {
    return f->low == s->low[branch] && f->high == s->low[branch + 1] &&
           (f->slot == f->high || s->at[f->slot] > at) && (f->slot == f->low || s->at[f->slot - 1] < at);
}

/* A search among the slots from `low` on; which of the piece's vertices it is for. */
typedef struct search {
    uint64_t at;
    uint32_t low, count, k;
} search;

enum { SEARCHES = 16 };

/* The regular vertices of a piece, and searches that wait until there are enough. */
typedef struct piece {
    const contour_vertices *v;
    const contour_slots *s;
    int side;
    uint32_t *on;
    uint32_t branch[PIECE], keys[PIECE];
    search search[SEARCHES];
    int waiting;
    finger finger;
} piece;

static void store_slot(const piece *p, uint32_t k, uint32_t slot) {
    p->on[k] = p->s->node[p->side == CONTOUR_JOIN ? slot - 1 : slot];
}

/* Does the searches, all a step at a time: so memory is asked for several numbers at once. A step has no
 * branches: none would be foreseen. */
static void do_searches(piece *p) {
    const uint64_t *at = p->s->at;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < p->waiting; i++) {
            search *s = &p->search[i];
            uint32_t half = s->count / 2;
            if (!half) continue;
            s->low += half * (at[s->low + half - 1] < s->at);
            s->count -= half;
            __builtin_prefetch(&at[s->low + s->count / 2]);
            more |= s->count > 1;
        }
    }
    for (int i = 0; i < p->waiting; i++) {
        const search *s = &p->search[i];
        uint32_t branch = p->branch[s->k], slot = s->low + (at[s->low] < s->at);
        p->finger = (finger){p->s->low[branch], p->s->low[branch + 1], slot};
        store_slot(p, s->k, slot);
    }
    p->waiting = 0;
}

/* Vertices beside one another are mostly on one edge, or hardly ever: in the latter case, many are searched
 * for at a time. Returns whether they are. */
static bool place_piece(piece *p, uint32_t first, uint32_t count, bool together) {
    const contour_slots *s = p->s;
    const uint32_t *number = p->v->nodes->number + first;
    uint32_t hits = 0, regular = 0;
    p->on = p->v->place[p->side] + first;
    order_keys(p->v->nodes->order, first, count, p->keys);
    for (uint32_t k = 0; k < count; k++) p->branch[k] = number[k] ? NONE : node_at(p->v->nodes, p->on[k]);
    for (uint32_t k = 0; k < count; k++)
        if (!number[k]) p->branch[k] = s->branch[p->branch[k]];
    for (uint32_t k = 0; k < count; k++) {
        if (number[k]) continue;
        uint32_t branch = p->branch[k], low = s->low[branch];
        uint64_t at = (uint64_t)p->keys[k] << 32 | (first + k);
        regular++;
        if (points_at(s, &p->finger, branch, at)) {
            hits++;
            store_slot(p, k, p->finger.slot);
            continue;
        }
        p->search[p->waiting++] = (search){at, low, s->low[branch + 1] - low, k};
        if (!together || p->waiting == SEARCHES) do_searches(p);
    }
    do_searches(p);
    return hits < regular / 4;
}

/* Finds the node beside each regular vertex. */
static void place_block(void *user, size_t block) {
    const placing *j = user;
    piece p = {.v = j->v, .s = j->slots, .side = j->side};
    bool together = false;
    uint32_t n = vertices(j->v), first = (uint32_t)block * BLOCK, end = block_end(n, first);
    for (uint32_t at = first; at < end; at += PIECE)
        together = place_piece(&p, at, end - at < PIECE ? end - at : PIECE, together);
}

static void find_births(void *user, size_t first, size_t end) {
    const placing *j = user;
    for (size_t k = first; k < end; k++) j->birth[k] = j->v->place[j->side][j->v->nodes->vertex[k]];
}

/* ---- arcs of vertices, by threads -------------------------------------------------------------- */

/* How many vertices a thread has found on some arcs. All threads would wait for one another at each vertex of
 * a long arc. */
enum { TALLIES = 256 };
typedef struct tally {
    uint32_t row[TALLIES], count[TALLIES];
} tally;

typedef struct naming {
    const contour_vertices *v;
    const contour_guide *guide;
    _Atomic uint32_t *regular;
    atomic_bool wrong;
} naming;

static void end_tally(const naming *j, tally *t, uint32_t slot) {
    if (t->count[slot])
        atomic_fetch_add_explicit(&j->regular[t->row[slot]], t->count[slot], memory_order_relaxed);
    t->count[slot] = 0;
}

static void count_vertex(const naming *j, tally *t, uint32_t row) {
    uint32_t slot = row % TALLIES;
    if (t->row[slot] != row) end_tally(j, t, slot);
    t->row[slot] = row;
    t->count[slot]++;
}

/* Returns the row of the arc that a regular vertex is on, between these nodes; NONE: there is none. */
static uint32_t row_between(const contour_guide *below, const contour_guide *above) {
    uint32_t rising = below->side[CONTOUR_JOIN].row, falling = above->side[CONTOUR_SPLIT].row;
    if (rising != NONE &&
        contour_is_within(above->side[CONTOUR_SPLIT].reach, below->side[CONTOUR_JOIN].branch))
        return rising;
    if (falling != NONE &&
        contour_is_within(below->side[CONTOUR_JOIN].reach, above->side[CONTOUR_SPLIT].branch))
        return falling;
    return NONE;
}

static void unplace_nodes(void *user, size_t first, size_t end) {
    const naming *j = user;
    for (size_t k = first; k < end; k++) j->v->place[CONTOUR_JOIN][j->v->nodes->vertex[k]] = NONE;
}

/* The rows come to where the nodes below the vertices were. */
static void name_block(void *user, size_t block) {
    naming *j = user;
    tally t = {{0}, {0}};
    uint32_t *below = j->v->place[CONTOUR_JOIN], *above = j->v->place[CONTOUR_SPLIT];
    uint32_t first = (uint32_t)block * BLOCK, end = block_end(vertices(j->v), first);
    for (uint32_t v = first; v < end; v++) {
        uint32_t next = v + AHEAD < end ? v + AHEAD : v;
        if (below[next] != NONE) {
            __builtin_prefetch(&j->guide[below[next]]);
            __builtin_prefetch(&j->guide[above[next]]);
        }
        if (below[v] == NONE) continue;
        below[v] = row_between(&j->guide[below[v]], &j->guide[above[v]]);
        if (below[v] != NONE) count_vertex(j, &t, below[v]);
        else atomic_store_explicit(&j->wrong, true, memory_order_relaxed);
    }
    for (uint32_t slot = 0; slot < TALLIES; slot++) end_tally(j, &t, slot);
}

static glshape_status name_by_threads(contour_vertices *v, const contour_guide *guide, uint32_t rows,
                                      uint32_t **arc, uint32_t **regular, bool *good) {
    naming j = {.v = v, .guide = guide};
    TRY(allocate(gpu_error(v->g), regular, rows, sizeof **regular, "the arcs"));
    j.regular = (_Atomic uint32_t *)*regular;
    threads_ranges(v->nodes->count, unplace_nodes, &j);
    threads_run(0, blocks_of(vertices(v)), name_block, &j);
    *good = !atomic_load(&j.wrong);
    *arc = v->place[CONTOUR_JOIN];
    v->place[CONTOUR_JOIN] = NULL;
    return GLSHAPE_OK;
}

/* ---- by passes --------------------------------------------------------------------------------- */

static glshape_status name_by_passes(contour_vertices *v, const contour_guide *guide, uint32_t rows,
                                     uint32_t **arc, uint32_t **regular, bool *good) {
    OWNED_BY(gpu_texture_free) gpu_texture guides = {0};
    OWNED_BY(gpu_texture_free) gpu_texture counts = {0};
    OWNED_BY(gpu_texture_free) gpu_texture state = {0};
    gpu *g = v->g;
    uint32_t count = v->nodes->count, n = vertices(v), wrong;
    gpu_texture_free(&v->key);
    TRY(gpu_texture_new(g, &guides, "guides to arcs", GPU_RGBA32UI, count, 2));
    TRY(gpu_texture_new(g, &counts, "regular vertices", GPU_R32UI, rows, 1));
    TRY(gpu_texture_new(g, &state, "whether arcs are wrong", GPU_R32UI, 1, 1));
    TRY(gpu_upload(g, &guides, 0, count, guide));
    TRY(gpu_upload(g, &state, 0, 1, &(uint32_t){0}));
    if (rows) TRY(gpu_run(g, prim_fill, .filled = &counts, .value = 0, .elements = rows));
    TRY(gpu_run(g, mergetree_rows, .number = &v->number, .guide = &guides, .above = &v->at[CONTOUR_SPLIT],
                .below = &v->at[CONTOUR_JOIN], .regular = &counts, .state = &state, .n = n,
                .groups = mergetree_groups((n - 1) / MERGETREE_ROW_RUN + 1)));
    TRY(gpu_download(g, &state, 0, 1, &wrong));
    *good = !wrong;
    if (wrong) return GLSHAPE_OK;
    TRY(allocate(gpu_error(g), arc, n, sizeof **arc, "the arcs of vertices"));
    TRY(allocate(gpu_error(g), regular, rows, sizeof **regular, "the arcs"));
    threads_touch(*arc, n * sizeof **arc);
    if (rows) TRY(gpu_download(g, &counts, 0, rows, *regular));
    return gpu_download(g, &v->at[CONTOUR_JOIN], 0, n, *arc);
}

/* ---- either ------------------------------------------------------------------------------------ */

glshape_status contour_vertices_begin(contour_vertices *v, uint32_t *birth[2]) {
    for (int side = 0; side < 2; side++) {
        TRY(allocate(gpu_error(v->g), &birth[side], v->nodes->count, sizeof *birth[side], what));
        threads_ranges(v->nodes->count, find_births, &(placing){v, NULL, side, birth[side]});
    }
    return GLSHAPE_OK;
}

void contour_vertices_place(contour_vertices *v, int side, const contour_slots *s) {
    if (!v->placed[side]) threads_run(0, blocks_of(vertices(v)), place_block, &(placing){v, s, side, NULL});
    v->placed[side] = true;
}

glshape_status contour_vertices_name(contour_vertices *v, const contour_guide *guide, uint32_t rows,
                                     uint32_t **arc, uint32_t **regular, bool *good) {
    bool again = true;
    if (v->on_gpu) TRY(end_passes(v, name_by_passes(v, guide, rows, arc, regular, good), &again));
    return again ? name_by_threads(v, guide, rows, arc, regular, good) : GLSHAPE_OK;
}

void contour_vertices_free(contour_vertices *v) {
    gpu_texture *const all[] = {&v->key, &v->at[0], &v->at[1], &v->number};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    for (int side = 0; side < 2; side++) {
        free(v->place[side]);
        v->place[side] = NULL;
    }
}
