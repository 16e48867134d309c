#include "field/forest.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"

#define WORDS 1024u /* of 64 vertices, that a thread takes at a time */

static const char what[] = "the basins";

static size_t words_of(uint32_t n) { return (n - 1) / 64 + (size_t)1; }

glshape_status forest_new(error *err, uint32_t n, forest *out) {
    *out = (forest){.n = n};
    TRY(allocate(err, &out->to, n, sizeof *out->to, what));
    TRY(allocate(err, &out->is_minimum, words_of(n), sizeof *out->is_minimum, what));
    return allocate(err, &out->number_from, words_of(n), sizeof *out->number_from, what);
}

/* Threads may be on one path: whatever another one stores, it leads to the same minimum. */
static void follow(forest *f, uint32_t v) {
    uint32_t end = v, next;
    while ((next = forest_minimum(f, end)) != end) end = next;
    for (; (next = forest_minimum(f, v)) != end; v = next)
        atomic_store_explicit(&f->to[v], end, memory_order_relaxed);
}

static size_t blocks_of(uint32_t n) { return (words_of(n) - 1) / WORDS + 1; }

static size_t block_end(uint32_t n, size_t block) {
    return words_of(n) - block * WORDS < WORDS ? words_of(n) : (block + 1) * WORDS;
}

static void follow_words(void *user, size_t block) {
    forest *f = user;
    for (size_t word = block * WORDS; word < block_end(f->n, block); word++) {
        uint32_t begin = (uint32_t)word * 64, count = f->n - begin < 64 ? f->n - begin : 64;
        for (uint32_t k = 0; k < count; k++) {
            follow(f, begin + k);
            f->is_minimum[word] |= (uint64_t)(forest_minimum(f, begin + k) == begin + k) << k;
        }
    }
}

void forest_follow(forest *f) {
    size_t words = words_of(f->n);
    threads_run(0, blocks_of(f->n), follow_words, f);
    f->count = 0;
    for (size_t word = 0; word < words; word++) {
        f->number_from[word] = f->count;
        f->count += (uint32_t)__builtin_popcountll(f->is_minimum[word]);
    }
}

typedef struct listing {
    const forest *forest;
    uint32_t *minima;
} listing;

static void list_words(void *user, size_t block) {
    const listing *l = user;
    for (size_t word = block * WORDS; word < block_end(l->forest->n, block); word++) {
        uint32_t *to = l->minima + l->forest->number_from[word];
        for (uint64_t rest = l->forest->is_minimum[word]; rest; rest &= rest - 1)
            *to++ = (uint32_t)word * 64 + (uint32_t)__builtin_ctzll(rest);
    }
}

glshape_status forest_list(error *err, const forest *f, uint32_t **minima) {
    TRY(allocate(err, minima, f->count, sizeof **minima, what));
    threads_run(0, blocks_of(f->n), list_words, &(listing){f, *minima});
    return GLSHAPE_OK;
}

void forest_free(forest *f) {
    free((void *)f->to);
    free(f->is_minimum);
    free(f->number_from);
    *f = (forest){0};
}
