#include "ranks/ranks.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "ranks/transport.h"

/* There is one MPI in a process, so there is one of these. */
static ranks world = {.size = 1, .locals = 1};
static bool joined;
static bool ended; /* all ranks know of a failure: */
static error why;
static double waited, exchanged;
static uint64_t heard; /* how many ranks have said that they failed, since the last agreement on a failure */

const ranks ranks_alone = {.size = 1, .locals = 1};
const ranks *ranks_world(void) { return &world; }

/* ---- from start to end ------------------------------------------------------------------------- */

static void start(bool self) {
    if (joined) return;
    transport_place at = {.size = 1, .locals = 1};
    transport_start(&at, self);
    world = (ranks){at.rank, at.size, at.local, at.locals};
    threads_divide(world.locals);
    joined = true;
}

void ranks_start(void) { start(true); }
void ranks_join(void) { start(false); }

int ranks_end(int code) {
    if (world.size > 1) code = (int)-transport_least(-code);
    transport_stop();
    return world.rank ? 0 : code;
}

/* ---- agreement --------------------------------------------------------------------------------- */

void ranks_begin(const ranks *r) {
    if (r != &world) return;
    ended = false;
    ranks_go_together(r);
}

bool ranks_go_alone(const ranks *r) {
    if (r == &world && !r->rank) threads_divide(1);
    return !r->rank;
}

void ranks_go_together(const ranks *r) {
    if (r == &world) threads_divide(world.locals);
}

static int64_t least_of_all(int64_t value) {
    double since = wall_seconds();
    value = transport_least(value);
    waited += clock_lap(&since);
    return value;
}

/* Lets ranks that are at work know that this one has failed. */
static void cry(const ranks *r) {
    for (int q = 0; q < r->size; q++)
        if (q != r->rank) transport_post(q, TRANSPORT_FAILED, (uint64_t[2]){0});
}

/* Takes all cries; crying: this rank's is one of them. */
static void quiet(bool crying) {
    uint64_t message[2], cries = transport_sum(crying);
    for (int from; heard + crying < cries;) heard += transport_take(&from, TRANSPORT_FAILED, message);
    heard = 0;
}

/* Tells all ranks why rank `first` failed. Where the input is at fault, it does not matter which rank has
 * seen it. */
static void tell(const ranks *r, const error *err, glshape_status status, int first) {
    if (r->rank == first && first && status != GLSHAPE_BAD_INPUT)
        fail(&why, status, "rank %d of %d: %.900s", first, r->size, err->text);
    else if (r->rank == first) fail(&why, status, "%s", err->text);
    transport_broadcast(&why, sizeof why, first);
    ended = true;
}

glshape_status ranks_agree(const ranks *r, error *err, glshape_status status) {
    if (r->size == 1 || (ended && status)) return status; /* err has the sentence, perhaps with more to it */
    if (!ended) {
        bool crying = status && !heard;
        if (crying) cry(r);
        int first = (int)least_of_all(crying ? r->rank : r->size);
        if (first == r->size) return GLSHAPE_OK;
        quiet(crying);
        tell(r, err, status, first);
    }
    return fail(err, why.status, "%s", why.text);
}

glshape_status ranks_hear(const ranks *r, error *err) {
    uint64_t message[2];
    int from;
    if (r->size == 1 || ended) return GLSHAPE_OK;
    heard += transport_take(&from, TRANSPORT_FAILED, message);
    return heard ? fail(err, GLSHAPE_CANCELLED, "another rank has failed") : GLSHAPE_OK;
}

/* ---- sharing ----------------------------------------------------------------------------------- */

/* As transport_broadcast and transport_exchange, with their time. Into pages that there are not yet, a
 * message between processes comes at a third of the speed, or less. */
static void broadcast(void *data, size_t bytes, int from) {
    double since = wall_seconds();
    if (world.rank != from) threads_touch(data, bytes);
    transport_broadcast(data, bytes, from);
    exchanged += clock_lap(&since);
}

static void exchange(const void *data, size_t bytes, int to, void *out, size_t out_bytes, int from) {
    double since = wall_seconds();
    threads_touch(out, out_bytes);
    transport_exchange(data, bytes, to, out, out_bytes, from);
    exchanged += clock_lap(&since);
}

uint64_t ranks_first(const ranks *r, uint64_t count, uint64_t unit, int q) {
    uint64_t units = (count + unit - 1) / unit, size = (uint64_t)r->size, rank = (uint64_t)q;
    uint64_t first = (units / size * rank + units % size * rank / size) * unit;
    return first < count ? first : count;
}

void ranks_share(const ranks *r, uint64_t count, uint64_t unit, uint64_t *first, uint64_t *end) {
    *first = ranks_first(r, count, unit, r->rank);
    *end = ranks_first(r, count, unit, r->rank + 1);
}

glshape_status ranks_broadcast_from(const ranks *r, error *err, void *data, size_t bytes, int from) {
    if (r->size == 1) return GLSHAPE_OK;
    TRY(ranks_agree(r, err, GLSHAPE_OK));
    broadcast(data, bytes, from);
    return GLSHAPE_OK;
}

glshape_status ranks_broadcast(const ranks *r, error *err, void *data, size_t bytes) {
    return ranks_broadcast_from(r, err, data, bytes, 0);
}

/* Around a ring: in each step a rank passes on what it got in the step before. */
glshape_status ranks_gather_parts(const ranks *r, error *err, void *data, size_t size,
                                  const uint64_t *first) {
    if (r->size == 1) return GLSHAPE_OK;
    TRY(ranks_agree(r, err, GLSHAPE_OK));
    char *at = data;
    int next = (r->rank + 1) % r->size, before = (r->rank + r->size - 1) % r->size;
    for (int step = 0, own = r->rank, other; step + 1 < r->size; step++, own = other) {
        other = (own + r->size - 1) % r->size;
        exchange(at + first[own] * size, (first[own + 1] - first[own]) * size, next, at + first[other] * size,
                 (first[other + 1] - first[other]) * size, before);
    }
    return GLSHAPE_OK;
}

glshape_status ranks_bring_parts(const ranks *r, error *err, void *data, size_t size, const uint64_t *first) {
    if (r->size == 1) return GLSHAPE_OK;
    TRY(ranks_agree(r, err, GLSHAPE_OK));
    for (int q = 1; q < r->size; q++) {
        char *part = (char *)data + first[q] * size;
        size_t bytes = (first[q + 1] - first[q]) * size;
        if (!r->rank) exchange(NULL, 0, 0, part, bytes, q);
        else if (q == r->rank) exchange(part, bytes, 0, NULL, 0, 0);
    }
    return GLSHAPE_OK;
}

static glshape_status list_shares(const ranks *r, error *err, uint64_t count, uint64_t unit,
                                  uint64_t **first) {
    TRY(allocate(err, first, (size_t)r->size + 1, sizeof **first, "the shares of ranks"));
    for (int q = 0; q <= r->size; q++) (*first)[q] = ranks_first(r, count, unit, q);
    return GLSHAPE_OK;
}

glshape_status ranks_gather(const ranks *r, error *err, void *data, size_t size, uint64_t count,
                            uint64_t unit) {
    OWNED uint64_t *first = NULL;
    if (r->size == 1) return GLSHAPE_OK;
    TRY(list_shares(r, err, count, unit, &first));
    return ranks_gather_parts(r, err, data, size, first);
}

glshape_status ranks_bring(const ranks *r, error *err, void *data, size_t size, uint64_t count,
                           uint64_t unit) {
    OWNED uint64_t *first = NULL;
    if (r->size == 1) return GLSHAPE_OK;
    TRY(list_shares(r, err, count, unit, &first));
    return ranks_bring_parts(r, err, data, size, first);
}

glshape_status ranks_scatter(const ranks *r, error *err, const void *data, void *out, size_t size,
                             uint64_t count, uint64_t unit) {
    uint64_t own, own_end;
    char *at = out;
    if (r->size == 1) return GLSHAPE_OK;
    TRY(ranks_agree(r, err, GLSHAPE_OK));
    ranks_share(r, count, unit, &own, &own_end);
    for (int step = 1; step < r->size; step++, at += (own_end - own) * size) {
        int to = (r->rank + r->size - step) % r->size, from = (r->rank + step) % r->size;
        uint64_t first = ranks_first(r, count, unit, to), end = ranks_first(r, count, unit, to + 1);
        exchange((const char *)data + first * size, (end - first) * size, to, at, (own_end - own) * size,
                 from);
    }
    return GLSHAPE_OK;
}

glshape_status ranks_sum(const ranks *r, error *err, size_t *value) {
    if (r->size == 1) return GLSHAPE_OK;
    TRY(ranks_agree(r, err, GLSHAPE_OK));
    *value = (size_t)transport_sum(*value);
    return GLSHAPE_OK;
}

/* Signed and unsigned numbers are in one order once the first bit is turned. */
glshape_status ranks_least(const ranks *r, error *err, uint64_t *value) {
    if (r->size == 1) return GLSHAPE_OK;
    TRY(ranks_agree(r, err, GLSHAPE_OK));
    *value = (uint64_t)transport_least((int64_t)(*value ^ 1ull << 63)) ^ 1ull << 63;
    return GLSHAPE_OK;
}

glshape_status ranks_collect(const ranks *r, error *err, const void *data, size_t bytes, void *all,
                             size_t *length) {
    OWNED char *out = NULL;
    OWNED size_t *sizes = NULL;
    TRY(allocate(err, &sizes, (size_t)r->size, sizeof *sizes, "what ranks say"));
    sizes[r->rank] = *length = bytes;
    TRY(ranks_gather(r, err, sizes, sizeof *sizes, (uint64_t)r->size, 1));
    for (int q = 1; q < r->size && !r->rank; q++) *length += sizes[q];
    TRY(allocate(err, &out, *length, 1, "what ranks say"));
    if (bytes) memcpy(out, data, bytes);
    TRY(ranks_agree(r, err, GLSHAPE_OK));
    if (r->rank) exchange(data, bytes, 0, NULL, 0, 0);
    for (int q = 1; q < r->size && !r->rank; q++) {
        exchange(NULL, 0, 0, out + bytes, sizes[q], q);
        bytes += sizes[q];
    }
    if (!r->rank) *(char **)all = MOVE(out);
    return GLSHAPE_OK;
}

uint64_t ranks_sent(void) { return transport_sent(); }
double ranks_waited(void) { return waited; }
double ranks_exchanged(void) { return exchanged; }

/* ---- handing out ------------------------------------------------------------------------------- */

ranks_queue ranks_queue_new(const ranks *r, uint64_t count) { return (ranks_queue){.r = r, .count = count}; }

/* Hands out at most `want` items, and fewer at a time towards the end: all ranks then end at the same time.
 */
static void hand_out(ranks_queue *q, uint64_t want, uint64_t *first, uint64_t *count) {
    uint64_t left = q->count - q->next, fair = left / (2 * (uint64_t)q->r->size) + (left > 0);
    *first = q->next;
    *count = q->r->size == 1 ? left : want < fair ? want : fair;
    q->next += *count;
}

static void answer_all(ranks_queue *q) {
    uint64_t message[2];
    for (int from; transport_take(&from, TRANSPORT_QUEUE, message);) {
        hand_out(q, message[0], &message[0], &message[1]);
        q->told += message[1] == 0;
        transport_post(from, TRANSPORT_QUEUE, message);
    }
}

bool ranks_queue_ask(ranks_queue *q, uint64_t want, uint64_t *first, uint64_t *count) {
    uint64_t message[2] = {want};
    int from;
    if (!q->r->rank) {
        answer_all(q);
        if (want) hand_out(q, want, first, count);
        return want > 0;
    }
    if (want && !q->asked) transport_post(0, TRANSPORT_QUEUE, message), q->asked = true;
    if (!q->asked || !transport_take(&from, TRANSPORT_QUEUE, message)) return false;
    q->asked = false;
    *first = message[0];
    *count = message[1];
    return true;
}

void ranks_queue_end(ranks_queue *q) {
    for (; !q->r->rank && q->told + 1 < q->r->size; transport_nap()) answer_all(q);
}
