#include "rips/cocycles.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

void rips_cocycles_begin(rips_cocycles *k, const rips_columns *columns, const persistence_death *deaths) {
    k->columns = columns;
    k->deaths = deaths;
    k->interval = k->r->count;
    k->least = (float)k->length.value;
}

static float birth_of(const rips_cocycles *k, size_t j) {
    return rips_codes_value(k->codes, k->columns->items[j].value);
}
static float death_of(const rips_cocycles *k, size_t j) {
    return rips_codes_value(k->codes, k->deaths[j].value);
}

/* Half the longest interval that ends; of none 0. */
static float half_of_longest(const rips_cocycles *k) {
    float longest = 0;
    for (size_t j = 0; j < k->columns->count; j++) {
        float birth = birth_of(k, j), death = death_of(k, j);
        if (death < INFINITY && rips_is_interval(birth, death, k->ratio))
            longest = fmaxf(longest, death - birth);
    }
    return longest / 2;
}

/* Adds a cocycle to the result; false if there is no memory. */
static bool keep_cocycle(rips_cocycles *k, size_t interval, const cell *terms, size_t count) {
    glshape_rips_result *r = k->r;
    if (memory_reserve(NULL, &r->cocycles, &k->room, r->cocycle_count + 1, sizeof *r->cocycles, NULL))
        return false;
    glshape_cocycle *c = &r->cocycles[r->cocycle_count++];
    *c = (glshape_cocycle){.interval = interval, .terms = malloc(count * sizeof *c->terms)};
    if (!c->terms) return false;
    for (; c->count < count; c->count++)
        c->terms[c->count] = (glshape_cocycle_term){terms[c->count].index, terms[c->count].coefficient};
    return true;
}

void rips_cocycles_take(void *user, uint32_t j, const cell *terms, size_t count) {
    rips_cocycles *k = user;
    float birth = birth_of(k, j), death = death_of(k, j);
    if (j == 0 && !k->length.is_set) k->least = half_of_longest(k);
    if (k->failed || !rips_is_interval(birth, death, k->ratio)) return;
    size_t interval = k->interval++;
    if (death < INFINITY && !(death - birth > k->least)) return;
    k->failed = !keep_cocycle(k, interval, terms, count);
}
