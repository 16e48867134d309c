#include "mergetree/branches.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "tree/union.h"

#define BLOCK 65536u
#define SHORT_RUN 16 /* branches */
#define RUNS 256     /* branches of short runs that are sorted at a time */

static const char what[] = "the branches";

static uint32_t vertex(uint64_t at) { return (uint32_t)at; }

/* ---- the elder rule ---------------------------------------------------------------------------- */

/* A field with its branches so far. */
typedef struct elders {
    branches *b;
    uint64_t *birth;
    uint32_t *sets; /* the root of a set is its oldest branch */
} elders;

/* Sorts branches by birth; mostly there are one or two. */
static glshape_status sort_fallen(error *err, const elders *e, uint32_t *list, size_t count) {
    OWNED radix_item *items = NULL;
    if (count == 2 && e->birth[list[0]] > e->birth[list[1]]) {
        uint32_t first = list[1];
        list[1] = list[0];
        list[0] = first;
    }
    if (count <= 2) return GLSHAPE_OK;
    TRY(allocate(err, &items, count, 2 * sizeof *items, "the branches"));
    for (size_t k = 0; k < count; k++) items[k] = (radix_item){e->birth[list[k]], list[k], 0};
    radix_sort(items, items + count, count);
    for (size_t k = 0; k < count; k++) list[k] = items[k].a;
    return GLSHAPE_OK;
}

/* Applies the elder rule to the edges of one saddle. The branches that end here are stored before `end`;
 * returns where they begin. */
static uint32_t *merge_at_saddle(const elders *e, const radix_item *edges, size_t count, uint32_t *end) {
    uint32_t *fallen = end;
    for (size_t k = 0; k < count; k++) {
        uint32_t x = union_find(e->sets, edges[k].a), y = union_find(e->sets, edges[k].b);
        if (x == y) continue;
        uint32_t elder = e->birth[x] < e->birth[y] ? x : y, younger = elder == x ? y : x;
        e->sets[younger] = elder;
        e->b->death[younger] = edges[k].at;
        *--fallen = younger;
    }
    for (uint32_t *m = fallen; m < end; m++) e->b->parent[*m] = union_find(e->sets, *m);
    return fallen;
}

/* Applies the elder rule to all saddles; edges are sorted. They ascend, so falling is filled from its end. */
static glshape_status apply_elder_rule(error *err, const elders *e, const radix_item *edges, size_t count) {
    branches *b = e->b;
    uint32_t *fallen = b->falling + b->count;
    for (size_t first = 0, end; first < count; first = end) {
        uint32_t *before = fallen;
        for (end = first + 1; end < count && edges[end].at == edges[first].at;) end++;
        fallen = merge_at_saddle(e, edges + first, end - first, before);
        TRY(sort_fallen(err, e, fallen, (size_t)(before - fallen)));
    }
    for (uint32_t m = 0; m < b->count; m++)
        if (b->death[m] == BRANCH_ESSENTIAL) b->falling[b->essential++] = m;
    return sort_fallen(err, e, b->falling, b->essential);
}

/* ---- one order of all -------------------------------------------------------------------------- */

typedef struct sorting {
    branches *b;
    const order *order;
    radix_item *items, *spare; /* at: ~ death; a: the branch */
    uint8_t *same;             /* whether an item ends where the item before ends */
} sorting;

static uint32_t block_end(const sorting *s, uint32_t first) {
    return s->b->count - first < BLOCK ? s->b->count : first + BLOCK;
}

static void list_block(void *user, size_t item) {
    const sorting *s = user;
    uint32_t first = (uint32_t)item * BLOCK;
    for (uint32_t m = first; m < block_end(s, first); m++) s->items[m] = (radix_item){~s->b->death[m], m, 0};
}

static uint32_t minimum_of(const sorting *s, const radix_item *item) { return s->b->minimum[item->a]; }

/* Sorts items [first, end), which are branches that end at one saddle, or essential ones, by birth. */
static void sort_by_birth(const sorting *s, uint32_t first, uint32_t end) {
    uint64_t at = s->items[first].at;
    for (uint32_t k = first; k < end; k++) s->items[k].at = order_of(s->order, minimum_of(s, &s->items[k]));
    radix_sort(s->items + first, s->spare + first, end - first);
    for (uint32_t k = first; k < end; k++) s->items[k].at = at;
}

/* Short runs of items that end at one saddle, and their births: looked up one after another, so that the
 * processor need not wait for one before it asks for the next. */
typedef struct short_runs {
    uint32_t place[RUNS], minimum[RUNS]; /* of the items */
    uint64_t birth[RUNS];
    uint32_t count;
} short_runs;

static void sort_short_runs(const sorting *s, short_runs *r) {
    radix_item *items = s->items;
    for (uint32_t i = 0; i < r->count; i++) r->minimum[i] = minimum_of(s, &items[r->place[i]]);
    for (uint32_t i = 0; i < r->count; i++) r->birth[i] = order_of(s->order, r->minimum[i]);
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t k = r->place[i], at = k, from = i;
        radix_item item = items[k];
        uint64_t birth = r->birth[i];
        for (; s->same[at] && r->birth[from - 1] > birth; at--, from--) {
            items[at] = items[at - 1];
            r->birth[from] = r->birth[from - 1];
        }
        items[at] = item;
        r->birth[from] = birth;
    }
    r->count = 0;
}

static void mark_block(void *user, size_t item) {
    const sorting *s = user;
    uint32_t first = (uint32_t)item * BLOCK;
    for (uint32_t k = first; k < block_end(s, first); k++)
        s->same[k] = k && s->items[k].at == s->items[k - 1].at;
}

/* Sorts the runs that begin in a block. */
static void sort_block(void *user, size_t item) {
    const sorting *s = user;
    uint32_t first = (uint32_t)item * BLOCK, count = s->b->count;
    short_runs few = {.count = 0};
    for (uint32_t k = first, end; k < block_end(s, first); k = end) {
        for (end = k + 1; end < count && s->same[end];) end++;
        if (s->same[k] || end == k + 1) continue;
        if (end - k > SHORT_RUN) {
            sort_by_birth(s, k, end);
            continue;
        }
        for (uint32_t i = k; i < end; i++) few.place[few.count++] = i;
        if (few.count > RUNS - SHORT_RUN) sort_short_runs(s, &few);
    }
    sort_short_runs(s, &few);
}

static void take_block(void *user, size_t item) {
    const sorting *s = user;
    uint32_t first = (uint32_t)item * BLOCK;
    for (uint32_t k = first; k < block_end(s, first); k++) s->b->falling[k] = s->items[k].a;
}

/* Returns how many branches are essential: their items come first, with key 0. */
static uint32_t count_essential(const radix_item *items, uint32_t count) {
    uint32_t least = 0;
    for (uint32_t most = count; least < most;) {
        uint32_t middle = least + (most - least) / 2;
        if (items[middle].at) most = middle;
        else least = middle + 1;
    }
    return least;
}

/* Sorts the items, and sets essential. spare: as many. */
static glshape_status sort_items(error *err, branches *b, const order *o, radix_item *items,
                                 radix_item *spare) {
    OWNED uint8_t *same = NULL;
    size_t blocks = (b->count + BLOCK - 1) / BLOCK;
    TRY(allocate(err, &same, b->count, 1, what));
    sorting s = {b, o, items, spare, same};
    radix_sort(s.items, s.spare, b->count);
    threads_run(0, blocks, mark_block, &s);
    threads_run(0, blocks, sort_block, &s);
    b->essential = count_essential(s.items, b->count);
    return GLSHAPE_OK;
}

/* Fills falling and essential. items: room for two a branch. */
static glshape_status sort_branches(error *err, branches *b, const order *o, radix_item *items) {
    sorting s = {.b = b, .items = items};
    size_t blocks = (b->count + BLOCK - 1) / BLOCK;
    threads_run(0, blocks, list_block, &s);
    TRY(sort_items(err, b, o, items, items + b->count));
    threads_run(0, blocks, take_block, &s);
    return GLSHAPE_OK;
}

/* ---- jumps ------------------------------------------------------------------------------------- */

#define WINDOW (16 * BLOCK) /* branches that threads share at a time */

typedef struct jumping {
    const branches *b;
    uint32_t first;
    uint8_t *waits; /* of the branches from `first` on: the parent's jump is not known yet */
} jumping;

static uint32_t window_end(const jumping *j, uint32_t first, uint32_t size) {
    return j->b->count - first < size ? j->b->count : first + size;
}

/* Skew-binary jumps (Myers 1983): a branch jumps to the jump of its parent's jump if the parent's last two
 * jumps are equally long, else to its parent. Returns false if the parent's is not known yet. */
static bool find_jump(const branches *b, uint32_t k) {
    uint32_t m = b->falling[k], p = b->parent[m], jump = m, deep = 0;
    if (k >= b->essential) {
        deep = atomic_load_explicit(&b->depth[p], memory_order_acquire);
        if (!deep) return false;
        uint32_t one_jump = b->jump[p], two_jumps = b->jump[one_jump], middle = b->depth[one_jump];
        jump = deep - middle == middle - b->depth[two_jumps] ? two_jumps : p;
    }
    b->jump[m] = jump;
    atomic_store_explicit(&b->depth[m], deep + 1, memory_order_release);
    return true;
}

static void jump_block(void *user, size_t item) {
    const jumping *j = user;
    uint32_t first = j->first + (uint32_t)item * BLOCK;
    for (uint32_t k = first; k < window_end(j, first, BLOCK); k++)
        j->waits[k - j->first] = !find_jump(j->b, k);
}

/* Parents come before their branches. The few that are in the same window may be another thread's: what waits
 * for these is done afterwards, in order. */
glshape_status branches_find_jumps(error *err, branches *b) {
    OWNED uint8_t *waits = NULL;
    if (b->jump) return GLSHAPE_OK;
    TRY(allocate(err, &b->jump, b->count, sizeof *b->jump, what));
    TRY(allocate(err, &b->depth, b->count, sizeof *b->depth, what));
    TRY(allocate(err, &waits, WINDOW, 1, what));
    jumping j = {.b = b, .waits = waits};
    for (uint32_t end; j.first < b->count; j.first = end) {
        end = window_end(&j, j.first, WINDOW);
        threads_run(0, (end - j.first + BLOCK - 1) / BLOCK, jump_block, &j);
        for (uint32_t k = j.first; k < end; k++)
            if (waits[k - j.first]) find_jump(b, k);
    }
    return GLSHAPE_OK;
}

/* ---- all of it --------------------------------------------------------------------------------- */

static glshape_status new_arrays(error *err, branches *b) {
    TRY(allocate(err, &b->death, b->count, sizeof *b->death, what));
    TRY(allocate(err, &b->parent, b->count, sizeof *b->parent, what));
    return allocate(err, &b->falling, b->count, sizeof *b->falling, what);
}

static void elders_free(elders *e) {
    free(e->birth);
    free(e->sets);
}

glshape_status branches_of_sorted(error *err, const order *o, uint32_t *minimum, uint32_t count,
                                  const radix_item *edges, size_t edge_count, branches *out) {
    OWNED_BY(branches_free) branches b = {.count = count, .minimum = minimum};
    OWNED_BY(elders_free) elders e = {.b = &b};
    *out = (branches){0};
    TRY(new_arrays(err, &b));
    TRY(allocate(err, &e.birth, count, sizeof *e.birth, what));
    TRY(allocate(err, &e.sets, count, sizeof *e.sets, what));
    for (uint32_t m = 0; m < count; m++) {
        e.birth[m] = order_of(o, minimum[m]);
        b.death[m] = BRANCH_ESSENTIAL;
        b.parent[m] = e.sets[m] = m;
    }
    TRY(apply_elder_rule(err, &e, edges, edge_count));
    *out = MOVE(b);
    return GLSHAPE_OK;
}

static glshape_status sort_edges(error *err, radix_item *edges, size_t count) {
    OWNED radix_item *spare = NULL;
    TRY(allocate(err, &spare, count, sizeof *spare, what));
    radix_sort(edges, spare, count);
    return GLSHAPE_OK;
}

glshape_status branches_new(error *err, const order *o, uint32_t *minimum, uint32_t count, radix_item *edges,
                            size_t edge_count, branches *out) {
    OWNED uint32_t *minima = minimum;
    OWNED_BY(branches_free) branches b = {0};
    *out = (branches){0};
    TRY(sort_edges(err, edges, edge_count));
    TRY(branches_of_sorted(err, o, MOVE(minima), count, edges, edge_count, &b));
    TRY(branches_find_jumps(err, &b));
    *out = MOVE(b);
    return GLSHAPE_OK;
}

/* Takes deaths and parents out of the items, before sort_branches overwrites these. */
static void split_block(void *user, size_t item) {
    const sorting *s = user;
    const uint32_t *words = (const uint32_t *)(const void *)s->items;
    uint32_t first = (uint32_t)item * BLOCK;
    for (uint32_t m = first; m < block_end(s, first); m++) {
        s->b->death[m] = (uint64_t)words[4 * (size_t)m] << 32 | words[4 * (size_t)m + 1];
        s->b->parent[m] = words[4 * (size_t)m + 2];
    }
}

glshape_status branches_of_forest(error *err, const order *o, uint32_t *minimum, uint32_t count,
                                  radix_item *items, branches *out) {
    OWNED_BY(branches_free) branches b = {.count = count, .minimum = minimum};
    *out = (branches){0};
    TRY(new_arrays(err, &b));
    threads_run(0, (count + BLOCK - 1) / BLOCK, split_block, &(sorting){.b = &b, .items = items});
    TRY(sort_branches(err, &b, o, items));
    *out = MOVE(b);
    return GLSHAPE_OK;
}

typedef struct splitting {
    branches *b;
    const radix_item *forest;
} splitting;

static void split_words(void *user, size_t first, size_t end) {
    const splitting *s = user;
    for (size_t m = first; m < end; m++) {
        uint32_t words[4];
        memcpy(words, &s->forest[m], sizeof words);
        s->b->death[m] = (uint64_t)words[0] << 32 | words[1];
        s->b->parent[m] = words[2];
        s->b->falling[m] = (uint32_t)m;
    }
}

glshape_status branches_in_order(error *err, uint32_t *minimum, uint32_t count, uint32_t essential,
                                 const radix_item *forest, branches *out) {
    OWNED_BY(branches_free) branches b = {.count = count, .essential = essential, .minimum = minimum};
    *out = (branches){0};
    TRY(new_arrays(err, &b));
    threads_ranges(count, split_words, &(splitting){&b, forest});
    *out = MOVE(b);
    return GLSHAPE_OK;
}

static bool is_extremum(const uint32_t *saddle, uint32_t u) { return saddle[u] != u; }

/* Numbers the extrema. *number, for n vertices, receives their numbers; free() it. */
static glshape_status find_extrema(error *err, uint32_t n, const uint32_t *saddle, branches *b,
                                   uint32_t **number) {
    for (uint32_t u = 0; u < n; u++) b->count += is_extremum(saddle, u);
    TRY(allocate(err, number, n, sizeof **number, "the extrema"));
    TRY(allocate(err, &b->minimum, b->count, sizeof *b->minimum, "the extrema"));
    for (uint32_t u = 0, m = 0; u < n; u++)
        if (is_extremum(saddle, u)) b->minimum[m] = u, (*number)[u] = m++;
    return GLSHAPE_OK;
}

glshape_status branches_of_triplets(error *err, const order *o, const uint32_t *saddle, uint32_t *other,
                                    branches *out) {
    OWNED_BY(branches_free) branches b = {0};
    OWNED uint32_t *number = NULL;
    OWNED radix_item *items = NULL;
    *out = (branches){0};
    TRY(find_extrema(err, o->n, saddle, &b, &number));
    TRY(new_arrays(err, &b));
    TRY(allocate(err, &items, b.count, 2 * sizeof *items, "the branches"));
    for (uint32_t u = 0; u < o->n; u++) other[u] = number[other[u]];
    for (uint32_t m = 0; m < b.count; m++) {
        uint32_t u = b.minimum[m];
        b.death[m] = saddle[u] == UINT32_MAX ? BRANCH_ESSENTIAL : order_of(o, saddle[u]);
        b.parent[m] = other[u];
    }
    TRY(sort_branches(err, &b, o, items));
    *out = MOVE(b);
    return GLSHAPE_OK;
}

/* Returns true if branch m, which ends, persists at least `least`. */
static bool persists(const branches *b, const glshape_field *field, const glshape_field *deaths, uint32_t m,
                     branches_least least) {
    uint32_t from = deaths ? m : b->minimum[m], to = deaths ? m : vertex(b->death[m]);
    if (whole_is(field)) {
        uint64_t gap = whole_gap(field, from, to);
        if (least.whole) return gap >= least.whole;
        return least.real < 0x1p64 && gap >= (uint64_t)ceil(least.real);
    }
    double birth = order_value(field, from), death = order_value(deaths ? deaths : field, to);
    return order_reaches(field, birth == death ? 0 : fabs(death - birth), least.real);
}

/* A parent persists no less than its children and comes before them in falling: its survivor is known. */
glshape_status branches_simplify(error *err, branches *b, const glshape_field *field,
                                 const glshape_field *deaths, branches_least least) {
    TRY(allocate(err, &b->survivor, b->count, sizeof *b->survivor, what));
    for (uint32_t k = 0; k < b->count; k++) {
        uint32_t m = b->falling[k];
        bool stays = b->death[m] == BRANCH_ESSENTIAL || persists(b, field, deaths, m, least);
        b->survivor[m] = stays ? m : b->survivor[b->parent[m]];
    }
    return GLSHAPE_OK;
}

void branches_free(branches *b) {
    void *const all[] = {b->minimum, b->death,    b->parent, b->falling, b->jump,
                         b->depth,   b->survivor, b->list,   b->pairs};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    *b = (branches){0};
}
