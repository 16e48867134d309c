/* Few items are sorted from the lowest digit to the highest. Many would go through memory at every digit:
 * they are put into buckets first, about equally many into each, and a thread sorts a bucket in its cache. */
#include "base/radix.h"

#include <stdbool.h>
#include <string.h>

#include "base/threads.h"

enum { KEY = 64, DIGIT = 11, BINS = 1 << DIGIT, SHARES = 16, LEAST_SHARE = 1 << 17 };
enum { SHORT = 64 };       /* items that are sorted by insertion */
enum { MANY = 1 << 17 };   /* items that are put into buckets first */
enum { BUCKET = 1 << 12 }; /* items of a bucket, at least */
enum { NEAR_DIGIT = 9 };   /* bits, within a bucket */

/* One round of a sort, by one digit: each share of the items has its own places in every bin. */
typedef struct sort_pass {
    const radix_item *from;
    radix_item *to;
    size_t count, share;
    int width, shift;        /* of the digit, in bits */
    uint64_t differ[SHARES]; /* bits in which a share's items differ from the first of all */
    bool falls[SHARES];      /* whether a share has an item less than the one before it */
    bool low_falls[SHARES];  /* the same, by the lower 32 bits */
    uint32_t bins[SHARES][BINS];
} sort_pass;

static unsigned digit(const sort_pass *p, uint64_t at) { return at >> p->shift & ((1u << p->width) - 1); }

static size_t share_end(const sort_pass *p, size_t share) {
    size_t end = (share + 1) * p->share;
    return end < p->count ? end : p->count;
}

static void survey(void *user, size_t share) {
    sort_pass *p = user;
    size_t begin = share * p->share;
    uint64_t first = p->from[0].at, before = p->from[begin ? begin - 1 : 0].at, differ = 0;
    bool falls = false, low_falls = false;
    for (size_t k = begin; k < share_end(p, share); k++) {
        uint64_t at = p->from[k].at;
        differ |= at ^ first;
        falls |= at >> p->shift < before >> p->shift;
        low_falls |= (uint32_t)at < (uint32_t)before;
        before = at;
    }
    p->differ[share] = differ;
    p->falls[share] = falls;
    p->low_falls[share] = low_falls;
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

/* ---- from the lowest digit --------------------------------------------------------------------- */

static void move_by_digit(sort_pass *p, size_t shares) {
    threads_run(0, shares, count_digits, p);
    place_bins(p, shares);
    threads_run(0, shares, move_items, p);
}

/* A digit that is the same in all items is skipped. */
static void sort_all_digits(sort_pass *p, size_t shares, uint64_t differ, radix_item *items,
                            radix_item *spare) {
    int bit = p->shift;
    p->width = digit_width(bits_of(differ >> bit), p->count);
    for (; p->shift < KEY; p->shift += p->width) {
        if (!digit(p, differ)) continue;
        move_by_digit(p, shares);
        radix_item *moved = p->to;
        p->to = p->from == items ? items : spare;
        p->from = moved;
    }
    p->to = items;
    if (p->from != items) threads_run(0, shares, copy_items, p);
}

/* ---- by buckets -------------------------------------------------------------------------------- */

enum { FIRST_DIGIT = 16, FIRST_BINS = 1 << FIRST_DIGIT };

/* A bucket has some bins of the first digit, side by side. */
typedef struct bucket_sort {
    sort_pass *pass;
    radix_item *items, *spare;   /* the buckets are in spare */
    uint32_t *counts;            /* of each share, items in each bin; in the memory of spare */
    int bit, shift;              /* the keys begin at this bit, the first digit at that one */
    uint16_t bucket[FIRST_BINS]; /* of each bin */
    size_t buckets, start[BINS + 1];
    size_t most; /* items that one thread sorts */
} bucket_sort;

static size_t first_digit(const bucket_sort *b, uint64_t at) { return at >> b->shift & (FIRST_BINS - 1); }

static void count_bins(void *user, size_t share) {
    const bucket_sort *b = user;
    const sort_pass *p = b->pass;
    uint32_t *counts = b->counts + share * FIRST_BINS;
    memset(counts, 0, FIRST_BINS * sizeof *counts);
    for (size_t k = share * p->share; k < share_end(p, share); k++) counts[first_digit(b, p->from[k].at)]++;
}

/* Counts what a share has in each bucket. */
static void count_buckets(void *user, size_t share) {
    const bucket_sort *b = user;
    uint32_t *bins = b->pass->bins[share];
    memset(bins, 0, sizeof b->pass->bins[share]);
    for (size_t bin = 0; bin < FIRST_BINS; bin++) bins[b->bucket[bin]] += b->counts[share * FIRST_BINS + bin];
}

/* Makes buckets of the bins, and finds where the items of each share go. A bucket has no more than `room`
 * items, or one bin: so all items never are in one, whatever number of threads shares them. */
static void make_buckets(bucket_sort *b, size_t shares) {
    sort_pass *p = b->pass;
    size_t room = 2 * p->count / BINS + 1, in_bucket = 0;
    if (room < BUCKET) room = BUCKET;
    for (size_t bin = 0; bin < FIRST_BINS; bin++) {
        size_t here = 0;
        for (size_t share = 0; share < shares; share++) here += b->counts[share * FIRST_BINS + bin];
        if (in_bucket && in_bucket + here > room) {
            b->buckets++;
            in_bucket = 0;
        }
        b->bucket[bin] = (uint16_t)b->buckets;
        in_bucket += here;
    }
    b->buckets++;
    threads_run(0, shares, count_buckets, b);
    place_bins(p, shares);
}

static void move_to_buckets(void *user, size_t share) {
    const bucket_sort *b = user;
    sort_pass *p = b->pass;
    uint32_t *bins = p->bins[share];
    for (size_t k = share * p->share; k < share_end(p, share); k++)
        p->to[bins[b->bucket[first_digit(b, p->from[k].at)]]++] = p->from[k];
}

/* Sorts a bucket, which is in `from`; the outcome is in one of both. */
static radix_item *sort_near(int bit, radix_item *from, radix_item *to, size_t count) {
    uint64_t differ = 0, first = from->at;
    for (size_t k = 0; k < count; k++) differ |= from[k].at ^ first;
    for (differ = differ >> bit << bit; differ;) {
        int shift = __builtin_ctzll(differ);
        uint32_t bins[1 << NEAR_DIGIT] = {0}, sum = 0, mask = (1u << NEAR_DIGIT) - 1;
        for (size_t k = 0; k < count; k++) bins[from[k].at >> shift & mask]++;
        for (uint32_t d = 0; d <= mask; d++) {
            uint32_t here = bins[d];
            bins[d] = sum;
            sum += here;
        }
        for (size_t k = 0; k < count; k++) to[bins[from[k].at >> shift & mask]++] = from[k];
        radix_item *moved = to;
        to = from;
        from = moved;
        differ &= ~((uint64_t)mask << shift);
    }
    return from;
}

static void sort_bucket(void *user, size_t k) {
    const bucket_sort *b = user;
    size_t start = b->start[k], count = b->start[k + 1] - start;
    radix_item *at = b->spare + start;
    if (!count || count > b->most) return;
    if (count <= SHORT) sort_by_insertion(b->bit, at, count);
    else at = sort_near(b->bit, at, b->items + start, count);
    if (at != b->items + start) memcpy(b->items + start, at, count * sizeof *at);
}

static void sort_from(int bit, radix_item *items, radix_item *spare, size_t count);

static void sort_buckets(sort_pass *p, size_t shares, uint64_t differ, radix_item *items, radix_item *spare) {
    bucket_sort b = {
        .pass = p, .items = items, .spare = spare, .bit = p->shift, .most = 2 * p->count / shares};
    b.counts = (uint32_t *)(void *)spare;
    b.shift = bits_of(differ) - FIRST_DIGIT;
    p->width = DIGIT;
    threads_run(0, shares, count_bins, &b);
    make_buckets(&b, shares);
    threads_run(0, shares, move_to_buckets, &b);
    for (size_t k = 0; k < b.buckets; k++) b.start[k + 1] = p->bins[shares - 1][k];
    threads_run(0, b.buckets, sort_bucket, &b);
    for (size_t k = 0; k < b.buckets; k++) {
        size_t start = b.start[k], bucket = b.start[k + 1] - start;
        if (bucket <= b.most) continue;
        sort_from(b.bit, spare + start, items + start, bucket);
        memcpy(items + start, spare + start, bucket * sizeof *items);
    }
}

/* ---- both -------------------------------------------------------------------------------------- */

/* By the bits from this one on. Items that come by their lower 32 bits, as those listed by vertex do, need
 * only the others. */
static void sort_from(int bit, radix_item *items, radix_item *spare, size_t count) {
    sort_pass p;
    if (count <= SHORT) {
        sort_by_insertion(bit, items, count);
        return;
    }
    size_t shares = count / LEAST_SHARE + 1, most = (size_t)threads_count(0);
    uint64_t differ = 0;
    bool falls = false, low_falls = false;
    if (shares > most) shares = most;
    if (shares > SHARES) shares = SHARES;
    p.from = items, p.to = spare, p.count = count;
    p.share = (count - 1) / shares + 1;
    p.shift = bit;
    threads_run(0, shares, survey, &p);
    for (size_t k = 0; k < shares; k++) {
        differ |= p.differ[k];
        falls |= p.falls[k];
        low_falls |= p.low_falls[k];
    }
    if (!falls) return;
    if (!low_falls) p.shift = 32;
    if (count >= MANY && bits_of(differ) >= p.shift + FIRST_DIGIT)
        sort_buckets(&p, shares, differ, items, spare);
    else sort_all_digits(&p, shares, differ, items, spare);
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
