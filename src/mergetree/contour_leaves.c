/* In each round, all leaves of one direction are taken away at once, each with the chain behind it: nodes
 * with one child in the tree of the direction, which is taken away, too, and one in the other tree (Carr,
 * Rübel, Weber, Ahrens 2022). Directions take turns. Whether a chain leads to a
 * leaf is found by pointer jumping, and so is the way past what is taken out of the other tree. There, an
 * edge that is taken out goes on as that of the only child; what it ends as is found by pointer jumping once
 * all arcs are known.
 *
 * Noise has some rounds in the end that find few leaves, and then one that takes all: what is left is a path
 * that rises. A path that turns at every node would take as many rounds as there are nodes. So after some
 * rounds that find few, which together take less time than threads would, these take the rest. They follow
 * parents, so each is looked at first: it lies behind its node, so ways up end. */
#include "mergetree/contour_leaves.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "mergetree/passes.h"
#include "place/place.h"
#include "prim/passes.h"

#define NONE CONTOUR_NONE
#define FEW 8192u       /* nodes that threads take away in less time than a round takes */
#define SHARE 8u        /* one of so many nodes has to go in */
#define PATIENCE 16     /* rounds of both directions, or threads go on */
#define SOME 65536u     /* nodes */
#define LOOK 4          /* turns of pointer jumping, after which the host looks whether more are needed; */
#define LONG (1u << 20) /* after each, where a turn takes longer than to look */
#define MOST_TURNS 64   /* 2^32 nodes need 32 */

static const char what[] = "the contour tree";

typedef struct leaves {
    gpu *g;
    contour_kept *kept;
    uint32_t left;
    gpu_texture child[2], leaf, keep, next, state;
    prim_scratch scan;
} leaves;

static void leaves_free(leaves *l) {
    gpu_texture *const all[] = {&l->child[0], &l->child[1], &l->leaf, &l->keep, &l->next, &l->state};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    prim_scratch_free(&l->scan);
}

static glshape_status new_words(gpu *g, gpu_texture *t, const char *label, uint32_t count) {
    return gpu_texture_new(g, t, label, GPU_R32UI, count, 1);
}

static glshape_status fill(gpu *g, gpu_texture *t, uint32_t value) {
    return gpu_run(g, prim_fill, .filled = t, .value = value, .elements = t->elements);
}

/* ---- pointer jumping ----------------------------------------------------------------------------- */

/* What is followed: `leaf` or an edge, by STEP; or parents past leaves. */
typedef struct way {
    gpu_texture *to, *leaf; /* leaf NULL: the pointers themselves */
    gpu_texture *list;
    uint32_t count;
    bool every; /* all elements, not those of the list */
} way;

static glshape_status follow_once(leaves *l, const way *w) {
    if (w->leaf)
        return gpu_run(l->g, mergetree_contour_splice, .list = w->list, .leaf = w->leaf, .parent = w->to,
                       .state = &l->state, .count = w->count, .groups = field_groups(w->count));
    return gpu_run(l->g, mergetree_contour_follow, .list = w->list, .to = w->to, .state = &l->state,
                   .count = w->count, .every = w->every, .groups = field_groups(w->count));
}

static glshape_status follow(leaves *l, const way *w) {
    int look = w->count < LONG ? LOOK : 1;
    for (int turn = 1; turn <= MOST_TURNS; turn++) {
        uint32_t more;
        if (turn % look == 0) TRY(fill(l->g, &l->state, 0));
        TRY(follow_once(l, w));
        if (turn % look) continue;
        TRY(gpu_download(l->g, &l->state, 0, 1, &more));
        if (!more) return GLSHAPE_OK;
    }
    return contour_is_wrong(l->g);
}

/* ---- rounds ------------------------------------------------------------------------------------ */

static glshape_status begin(leaves *l) {
    contour_kept *k = l->kept;
    gpu *g = l->g;
    for (int side = 0; side < 2; side++) {
        TRY(new_words(g, &l->child[side], "children of nodes", k->count));
        TRY(new_words(g, &k->edge[side], "edges of nodes", k->count));
        TRY(fill(g, &k->edge[side], NONE));
    }
    TRY(new_words(g, &l->leaf, "leaves", k->count));
    TRY(new_words(g, &l->keep, "who is no leaf", k->count));
    TRY(new_words(g, &l->next, "nodes that are left", k->count));
    TRY(new_words(g, &l->state, "a counter of leaves", 1));
    TRY(new_words(g, &k->toward, "ends of arcs", k->count));
    TRY(fill(g, &k->toward, NONE));
    TRY(new_words(g, &k->list, "nodes that are left", k->count));
    return gpu_run(g, prim_fill, .filled = &k->list, .value = 0, .step = 1, .elements = k->count);
}

static glshape_status do_round(leaves *l, int side) {
    contour_kept *k = l->kept;
    gpu *g = l->g;
    int other = side == CONTOUR_JOIN ? CONTOUR_SPLIT : CONTOUR_JOIN;
    uint32_t groups = field_groups(l->left), left;
    TRY(gpu_run(g, mergetree_contour_children, .list = &k->list, .parent = &k->parent[side],
                .other_parent = &k->parent[other], .child = &l->child[side], .other_child = &l->child[other],
                .count = l->left, .groups = groups));
    TRY(gpu_run(g, mergetree_contour_chains, .list = &k->list, .parent = &k->parent[side],
                .children = &k->children[side], .others = &k->children[other], .child = &l->child[side],
                .leaf = &l->leaf, .count = l->left, .groups = groups));
    TRY(follow(l, &(way){.to = &l->leaf, .list = &k->list, .count = l->left}));
    TRY(gpu_run(g, mergetree_contour_take, .list = &k->list, .leaf = &l->leaf, .parent = &k->parent[side],
                .other_child = &l->child[other], .keep = &l->keep, .toward = &k->toward,
                .edge = &k->edge[side], .other_edge = &k->edge[other], .children = &k->children[side],
                .count = l->left, .groups = groups));
    TRY(follow(l, &(way){.to = &k->parent[other], .leaf = &l->leaf, .list = &k->list, .count = l->left}));
    TRY(prim_compact(g, &l->scan, &l->keep, &k->list, l->left, &l->next, &l->state, 0));
    TRY(gpu_download(g, &l->state, 0, 1, &left));
    gpu_texture_swap(&k->list, &l->next);
    if (!left || left > l->left) return contour_is_wrong(g);
    l->left = left;
    return GLSHAPE_OK;
}

/* ---- what is left ------------------------------------------------------------------------------ */

typedef struct looking {
    const contour_tree *tree;
    atomic_bool wrong;
} looking;

static void look_at_parents(void *user, size_t first, size_t end) {
    looking *l = user;
    for (size_t k = first; k < end; k++) {
        const uint32_t *parent = l->tree->node[k].parent;
        uint32_t join = parent[CONTOUR_JOIN], split = parent[CONTOUR_SPLIT];
        if ((join == NONE || (join > k && join < l->tree->count)) && (split == NONE || split < k)) continue;
        atomic_store_explicit(&l->wrong, true, memory_order_relaxed);
    }
}

static glshape_status bring_rest(leaves *l, contour_tree *rest) {
    OWNED_BY(gpu_texture_free) gpu_texture node = {0};
    contour_kept *k = l->kept;
    gpu *g = l->g;
    uint32_t groups = field_groups(l->left);
    looking look = {.tree = rest};
    _Static_assert(sizeof(contour_node) == 8 * sizeof(uint32_t), "a node fills two texels");
    TRY(gpu_texture_new(g, &node, "nodes that are left", GPU_RGBA32UI, l->left, 2));
    TRY(gpu_run(g, mergetree_contour_place, .list = &k->list, .place = &l->leaf, .count = l->left,
                .groups = groups));
    TRY(gpu_run(g, mergetree_contour_record, .list = &k->list, .place = &l->leaf,
                .low_parent = &k->parent[CONTOUR_JOIN], .high_parent = &k->parent[CONTOUR_SPLIT],
                .low_children = &k->children[CONTOUR_JOIN], .high_children = &k->children[CONTOUR_SPLIT],
                .node = &node, .count = l->left, .groups = groups));
    TRY(allocate(run_error(run_of(g)), &rest->node, l->left, sizeof *rest->node, what));
    threads_touch(rest->node, l->left * sizeof *rest->node);
    rest->count = l->left;
    TRY(gpu_download(g, &node, 0, l->left, rest->node));
    threads_ranges(rest->count, look_at_parents, &look);
    return atomic_load(&look.wrong) ? contour_is_wrong(g) : GLSHAPE_OK;
}

/* Where rounds began that have found few leaves by now. */
typedef struct stretch {
    uint32_t left; /* nodes, then */
    int rounds;
} stretch;

static int patience(const leaves *l) {
    return l->left > SOME ? (int)place_count(l->g, PLACE_AMOUNT_FEW_LEAVES) : PATIENCE;
}

static bool is_worth(const leaves *l, stretch *s) {
    if ((uint64_t)SHARE * (s->left - l->left) >= s->left) *s = (stretch){.left = l->left};
    return s->rounds++ < patience(l) && l->left > 1 && !place_is_little(l->g, PLACE_LEAVES, l->left);
}

glshape_status contour_leaves_take(gpu *g, contour_kept *kept, uint32_t rounds, contour_tree *rest) {
    OWNED_BY(leaves_free) leaves l = {.g = g, .kept = kept, .left = kept->count};
    TRY(begin(&l));
    stretch few = {.left = kept->count};
    for (; rounds && is_worth(&l, &few); rounds--) {
        TRY(do_round(&l, CONTOUR_SPLIT));
        TRY(do_round(&l, CONTOUR_JOIN));
    }
    kept->left = l.left;
    TRY(bring_rest(&l, rest));
    for (int side = 0; side < 2; side++) {
        gpu_texture_free(&kept->parent[side]);
        gpu_texture_free(&kept->children[side]);
    }
    return GLSHAPE_OK;
}

/* ---- afterwards ---------------------------------------------------------------------------------- */

typedef struct sending {
    const contour_tree *rest;
    _Atomic uint32_t without; /* nodes that have no arc */
} sending;

typedef struct piece {
    sending *all;
    uint32_t first, (*to)[4];
} piece;

static void send_range(void *user, size_t first, size_t end) {
    const piece *p = user;
    uint32_t without = 0;
    for (size_t k = first; k < end; k++) {
        const contour_node *node = &p->all->rest->node[p->first + k];
        for (int side = 0; side < 2; side++)
            p->to[k][side] = atomic_load_explicit(&node->edge[side], memory_order_relaxed);
        p->to[k][2] = node->toward;
        p->to[k][3] = 0;
        without += node->toward == NONE;
    }
    atomic_fetch_add_explicit(&p->all->without, without, memory_order_relaxed);
}

static glshape_status send_nodes(gpu *g, void *user, uint32_t first, uint32_t count, void *memory) {
    (void)g;
    threads_ranges(count, send_range, &(piece){user, first, memory});
    return GLSHAPE_OK;
}

glshape_status contour_leaves_end(gpu *g, contour_kept *kept, const contour_tree *rest) {
    OWNED_BY(leaves_free) leaves l = {.g = g, .kept = kept};
    OWNED_BY(gpu_texture_free) gpu_texture node = {0};
    sending s = {.rest = rest};
    TRY(gpu_texture_new(g, &node, "arcs of the nodes that were left", GPU_RGBA32UI, rest->count, 1));
    TRY(gpu_fill(g, &node, rest->count, send_nodes, &s));
    kept->arcs = kept->count - atomic_load(&s.without);
    TRY(gpu_run(g, mergetree_contour_apply, .list = &kept->list, .node = &node,
                .low_edge = &kept->edge[CONTOUR_JOIN], .high_edge = &kept->edge[CONTOUR_SPLIT],
                .toward = &kept->toward, .count = rest->count, .groups = field_groups(rest->count)));
    TRY(new_words(g, &l.state, "a counter of leaves", 1));
    for (int side = 0; side < 2 && kept->left < kept->count; side++)
        TRY(follow(
            &l, &(way){.to = &kept->edge[side], .list = &kept->list, .count = kept->count, .every = true}));
    gpu_texture_free(&kept->list);
    return GLSHAPE_OK;
}
