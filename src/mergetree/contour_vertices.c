#include "mergetree/contour_vertices.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"

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
    gpu_texture_swap(&v->span[side], &on->span);
    if (side == CONTOUR_SPLIT) return;
    gpu_texture_swap(&v->key, &on->key);
    v->kind = on->kind;
    v->flip = on->flip;
}

static glshape_status fetch_branches(contour_vertices *v, int side, contour_branches *to) {
    if (!v->span[side].id) return GLSHAPE_OK;
    _Static_assert(sizeof(contour_branch) == 2 * sizeof(uint32_t), "a branch is a texel");
    TRY(allocate(run_error(run_of(v->g)), &to->branch, to->count, sizeof *to->branch, what));
    TRY(gpu_download(v->g, &v->span[side], 0, (uint32_t)to->count, to->branch));
    gpu_texture_free(&v->span[side]);
    return GLSHAPE_OK;
}

glshape_status contour_vertices_fetch(contour_vertices *v, uint32_t n, contour_branches sides[2]) {
    gpu_texture_free(&v->key);
    gpu_texture_free(&v->number);
    for (int side = 0; side < 2; side++) {
        TRY(fetch_branches(v, side, &sides[side]));
        if (v->place[side]) continue;
        TRY(allocate(run_error(run_of(v->g)), &v->place[side], n, sizeof *v->place[side],
                     "the branches of vertices"));
        threads_touch(v->place[side], n * sizeof *v->place[side]);
        TRY(gpu_download(v->g, &v->at[side], 0, n, v->place[side]));
        gpu_texture_free(&v->at[side]);
        if (side == CONTOUR_SPLIT) mirror(v->place[side], n, !v->placed[side]);
    }
    v->on_gpu = false;
    return GLSHAPE_OK;
}

/* ---- nodes beside vertices --------------------------------------------------------------------- */

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

/* In the split tree, what passes have placed comes down as numbers of nodes, which mirror() leaves as they
 * are; nodes still have vertices. */
static void find_births(void *user, size_t first, size_t end) {
    const placing *j = user;
    const contour_vertices *v = j->v;
    bool mirrored = j->side == CONTOUR_SPLIT && v->placed[CONTOUR_SPLIT];
    for (size_t k = first; k < end; k++) {
        uint32_t birth = v->place[j->side][v->nodes->vertex[k]];
        j->birth[k] = mirrored ? vertices(v) - 1 - birth : birth;
    }
}

/* ---- arcs of vertices -------------------------------------------------------------------------- */

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

/* ---- all of it --------------------------------------------------------------------------------- */

glshape_status contour_vertices_begin(contour_vertices *v, uint32_t *birth[2]) {
    for (int side = 0; side < 2; side++) {
        TRY(allocate(run_error(run_of(v->g)), &birth[side], v->nodes->count, sizeof *birth[side], what));
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
    naming j = {.v = v, .guide = guide};
    TRY(allocate(run_error(run_of(v->g)), regular, rows, sizeof **regular, "the arcs"));
    j.regular = (_Atomic uint32_t *)*regular;
    threads_ranges(v->nodes->count, unplace_nodes, &j);
    threads_run(0, blocks_of(vertices(v)), name_block, &j);
    *good = !atomic_load(&j.wrong);
    *arc = v->place[CONTOUR_JOIN];
    v->place[CONTOUR_JOIN] = NULL;
    return GLSHAPE_OK;
}

void contour_vertices_free(contour_vertices *v) {
    gpu_texture *const all[] = {&v->key, &v->at[0], &v->at[1], &v->number, &v->span[0], &v->span[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    for (int side = 0; side < 2; side++) {
        free(v->place[side]);
        v->place[side] = NULL;
    }
}
