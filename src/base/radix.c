#include "base/radix.h"

#include <string.h>

#include "base/threads.h"

enum { KEY = 64, DIGIT = 11, BINS = 1 << DIGIT, SHARES = 16, LEAST_SHARE = 1 << 17 };
enum { SHORT = 64 }; /* items that are sorted by insertion */

/* One round of a sort, by one digit: each share of the items has its own places in every bin. */
typedef struct sort_pass {
    const radix_item *from;
    radix_item *to;
    size_t count, share;
    int width, shift;        /* of the digit, in bits */
    uint64_t differ[SHARES]; /* bits in which a share's items differ from the first of all */
    uint32_t bins[SHARES][BINS];
} sort_pass;

static unsigned digit(const sort_pass *p, uint64_t at) { return at >> p->shift & ((1u << p->width) - 1); }

static size_t share_end(const sort_pass *p, size_t share) {
    size_t end = (share + 1) * p->share;
    return end < p->count ? end : p->count;
}

static void find_differing(void *user, size_t share) {
    sort_pass *p = user;
    uint64_t first = p->from[0].at, differ = 0;
    for (size_t k = share * p->share; k < share_end(p, share); k++) differ |= p->from[k].at ^ first;
    p->differ[share] = differ;
}

static void count_digits(void *user, size_t share) {
    sort_pass *p = user;
    uint32_t *bins = p->bins[share];
    memset(bins, 0, sizeof *bins << p->width);
    for (size_t k = share * p->share; k < share_end(p, share); k++) bins[digit(p, p->from[k].at)]++;
}

static void move_items(void *user, size_t share) {
    sort_pass *p = user;
    uint32_t *bins = p->bins[share];
    for (size_t k = share * p->share; k < share_end(p, share); k++)
        p->to[bins[digit(p, p->from[k].at)]++] = p->from[k];
}

static void copy_items(void *user, size_t share) {
    sort_pass *p = user;
    for (size_t k = share * p->share; k < share_end(p, share); k++) p->to[k] = p->from[k];
}

static void place_bins(sort_pass *p, size_t shares) {
    uint32_t sum = 0;
    for (int b = 0; b < 1 << p->width; b++)
        for (size_t share = 0; share < shares; share++) {
            uint32_t here = p->bins[share][b];
            p->bins[share][b] = sum;
            sum += here;
        }
}

/* The digits of so many bits, all of one width. Few items go faster by shorter digits, whose bins are few,
 * too. */
static int digit_width(int bits, size_t count) {
    int most = count < 1024 ? 8 : count < 8192 ? 10 : DIGIT, digits = (bits + most - 1) / most;
    return digits ? (bits + digits - 1) / digits : most;
}

/* How many bits the number has. */
static int bits_of(uint64_t number) {
    int bits = 0;
    while (bits < KEY && number >> bits) bits++;
    return bits;
}

static void sort_by_insertion(int bit, radix_item *items, size_t count) {
    for (size_t k = 1, at; k < count; k++) {
        radix_item item = items[k];
        for (at = k; at && items[at - 1].at >> bit > item.at >> bit; at--) items[at] = items[at - 1];
        items[at] = item;
    }
}

/* From the lowest digit to the highest; a digit that is the same in all items is skipped. */
static void sort_from(int bit, radix_item *items, radix_item *spare, size_t count) {
    sort_pass p;
    if (count <= SHORT) {
        sort_by_insertion(bit, items, count);
        return;
    }
    size_t shares = count / LEAST_SHARE + 1, most = (size_t)threads_count(0);
    uint64_t differ = 0;
    if (shares > most) shares = most;
    if (shares > SHARES) shares = SHARES;
    p.from = items, p.to = spare, p.count = count;
    p.share = (count - 1) / shares + 1;
    threads_run(0, shares, find_differing, &p);
    for (size_t k = 0; k < shares; k++) differ |= p.differ[k];
    p.width = digit_width(bits_of(differ >> bit), count);
    for (p.shift = bit; p.shift < KEY; p.shift += p.width) {
        if (!digit(&p, differ)) continue;
        threads_run(0, shares, count_digits, &p);
        place_bins(&p, shares);
        threads_run(0, shares, move_items, &p);
        radix_item *moved = p.to;
        p.to = p.from == items ? items : spare;
        p.from = moved;
    }
    p.to = items;
    if (p.from != items) threads_run(0, shares, copy_items, &p);
}

void radix_sort(radix_item *items, radix_item *spare, size_t count) { sort_from(0, items, spare, count); }
void radix_sort_upper(radix_item *items, radix_item *spare, size_t count) {
    sort_from(32, items, spare, count);
}

static uint64_t rest_of(const radix_item *item) { return (uint64_t)item->a << 32 | item->b; }

/* Sorts items of equal keys by (a, b). */
static void sort_equals(radix_item *items, radix_item *spare, size_t count) {
    uint64_t key = items->at;
    for (size_t k = 0; k < count; k++) items[k].at = rest_of(&items[k]);
    radix_sort(items, spare, count);
    for (size_t k = 0; k < count; k++) items[k].at = key;
}

void radix_sort_all(radix_item *items, radix_item *spare, size_t count) {
    radix_sort(items, spare, count);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && items[end].at == items[first].at; end++) {}
        if (end - first > 1) sort_equals(items + first, spare, end - first);
    }
}
