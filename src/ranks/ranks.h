/* ranks: the processes that do one command together. The only folder that knows MPI; without MPI there is one
 * rank, and every call here does nothing at once.
 *
 * All ranks run the same program on the same options. Where a method shares its work, every rank does its
 * part and gets the parts of all. So all ranks hold the same numbers, take the same turns, and make the same
 * calls of this folder in the same order.
 *
 * A failure of one rank is one of all. Each call below that takes an error begins with an agreement: if a
 * rank has failed since the last one, the call returns its failure, on every rank. The rank that failed is
 * there, too: a failure travels up its callers, and whoever began the common work ends it with ranks_agree().
 * After that no rank waits for another until ranks_begin().
 *
 * Waiting ranks sleep: a rank that does not take part takes no processor from those that do. */
#ifndef GLSHAPE_RANKS_H
#define GLSHAPE_RANKS_H

#include "base/error.h"

typedef struct ranks {
    int rank, size;    /* this process, counted from 0, and how many there are */
    int local, locals; /* the same among those on this machine */
} ranks;

/* ---- from start to end ------------------------------------------------------------------------- */

/* Starts MPI, unless the program has; every rank calls it, once, before any other call. It returns no status:
 * a rank that cannot start is ended by MPI. */
void ranks_start(void);
/* Ends what ranks_start() began, once all ranks have come here. Returns the greatest code
 * of any rank on the first, 0 on the others: some mpiruns kill what is left once a rank has returned another.
 */
int ranks_end(int code);
/* For a program that uses MPI itself: joins its ranks, if MPI is running. Every rank calls it. */
void ranks_join(void);
/* All ranks; one before ranks_start(). */
const ranks *ranks_world(void);
/* One rank, for work that is not shared. */
extern const ranks ranks_alone;

/* ---- agreement --------------------------------------------------------------------------------- */

/* Forgets the last failure. From now on all work: each has its part of the processors of its machine. */
void ranks_begin(const ranks *r);
/* From now on the first rank works alone, and has all processors of its machine. Returns whether this is the
 * first; the others return to whoever began the common work, or to where all work again, and wait. */
bool ranks_go_alone(const ranks *r);
/* From now on all work again, as after ranks_begin(). */
void ranks_go_together(const ranks *r);
/* Returns GLSHAPE_OK if all ranks come here with that. Else returns the failure of the first rank that
 * failed, with its sentence in err, on every rank. */
glshape_status ranks_agree(const ranks *r, error *err, glshape_status status);
/* For long work between agreements, now and then: fails if another rank has failed meanwhile. This rank then
 * goes to the agreement, as if it had failed. */
glshape_status ranks_hear(const ranks *r, error *err);

/* ---- sharing ----------------------------------------------------------------------------------- */

/* Where rank q's share of `count` items begins; that of rank `size` is count. Shares but the last are
 * multiples of unit. */
uint64_t ranks_first(const ranks *r, uint64_t count, uint64_t unit, int q);
/* The same for this rank: its share is *first … *end - 1. */
void ranks_share(const ranks *r, uint64_t count, uint64_t unit, uint64_t *first, uint64_t *end);

/* The bytes of rank 0, or of rank `from`, become those of all. */
glshape_status ranks_broadcast(const ranks *r, error *err, void *data, size_t bytes);
glshape_status ranks_broadcast_from(const ranks *r, error *err, void *data, size_t bytes, int from);
/* Each rank has its share of count items of `size` bytes in their places in data; afterwards every rank has
 * all. */
glshape_status ranks_gather(const ranks *r, error *err, void *data, size_t size, uint64_t count,
                            uint64_t unit);
/* The same with shares of other sizes: rank q's is first[q] … first[q + 1] - 1. */
glshape_status ranks_gather_parts(const ranks *r, error *err, void *data, size_t size, const uint64_t *first);
/* The same two, but only the first rank gets all. */
glshape_status ranks_bring(const ranks *r, error *err, void *data, size_t size, uint64_t count,
                           uint64_t unit);
glshape_status ranks_bring_parts(const ranks *r, error *err, void *data, size_t size, const uint64_t *first);
/* Each rank has count items. Rank q gets its share of every other rank's: out has size-of-share items of rank
 * q + 1, then of rank q + 2, and so on, around. */
glshape_status ranks_scatter(const ranks *r, error *err, const void *data, void *out, size_t size,
                             uint64_t count, uint64_t unit);
/* value becomes the sum of all ranks' values; the least of them. */
glshape_status ranks_sum(const ranks *r, error *err, size_t *value);
glshape_status ranks_least(const ranks *r, error *err, uint64_t *value);
/* The first rank gets the bytes of all ranks, one behind the other, in *all, which it frees; *length is their
 * number. The others get none. */
glshape_status ranks_collect(const ranks *r, error *err, const void *data, size_t bytes, void *all,
                             size_t *length);

/* The bytes that this rank has sent so far; of a broadcast, once for each rank that got them. */
uint64_t ranks_sent(void);
/* The seconds that it has waited for others in agreements, and those that its part of all exchanges took. */
double ranks_waited(void);
double ranks_exchanged(void);

/* ---- handing out ------------------------------------------------------------------------------- */

/* Items 0 … count - 1, which the first rank hands out to those that ask. Nothing here waits, but for the end.
 */
typedef struct ranks_queue {
    const ranks *r;
    uint64_t next, count; /* handed out; all. On the first rank */
    int told;             /* ranks that know that nothing is left. On the first rank */
    bool asked;           /* a rank that waits for an answer */
} ranks_queue;
/* All ranks make the same queue, and call ranks_queue_ask() again and again, every millisecond or so. */
ranks_queue ranks_queue_new(const ranks *r, uint64_t count);
/* Asks for up to `want` items; 0: asks for none. Returns true if items have come: *first … *first + *count
 * - 1. After a count of 0 none will come. */
bool ranks_queue_ask(ranks_queue *q, uint64_t want, uint64_t *first, uint64_t *count);
/* Waits until every rank knows that nothing is left. */
void ranks_queue_end(ranks_queue *q);

#endif
