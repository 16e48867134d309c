/* Ranks over MPI. MPI's own errors end all ranks, as MPI does by default.
 *
 * Between processes of one machine MPI copies a message by one thread of one of them, at some 4 GB/s. Here
 * the receiver's threads fetch a large one from the sender's memory (fetch.h), where the system allows that;
 * where it does not, the message goes through MPI. */
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "ranks/fetch.h"
#include "ranks/transport.h"

/* MPI counts in int; a message is cut into pieces of at most so many bytes. */
#define PIECE ((size_t)1 << 30)
/* MPI's blocking calls spin. A rank that waits looks so many times, then sleeps between looks, each time for
 * a part of the time that it has waited. But a message between processes of one machine moves while both
 * look, a few KB at a look: as long as it may take at SLOW bytes a second, a rank only lets others have the
 * processor. */
#define LOOKS 200
#define PART 8
#define SLOW 1e8
#define DATA 0 /* tags; others are of transport_subject */
#define PLACE 10
#define FETCHED 11
#ifndef FETCH_LEAST
#define FETCH_LEAST ((size_t)1 << 20) /* bytes of a message that is fetched, at least */
#define FETCH_FORBIDDEN (-1)          /* for tests: a rank that the system does not allow it */
#endif
#define SHORTEST 20000  /* nanoseconds */
#define LONGEST 1000000 /* nanoseconds */

static MPI_Comm all = MPI_COMM_NULL;
static bool started;
static int rank, size;
static uint64_t sent;

/* Whether this rank may fetch from another's memory, and that one from this one's. Both know of either. */
typedef struct peer {
    bool fetches, fetched;
} peer;
static peer *peers; /* of each rank; NULL: there is no memory for them */

/* ---- from start to end ------------------------------------------------------------------------- */

static void find_local(transport_place *place) {
    MPI_Comm machine;
    MPI_Group here, everywhere;
    MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &place->local);
    MPI_Comm_size(machine, &place->locals);
    MPI_Comm_group(machine, &here);
    MPI_Comm_group(all, &everywhere);
    for (int q = 0, other; peers && q < place->locals; q++) {
        MPI_Group_translate_ranks(here, 1, &q, everywhere, &other);
        peers[other] = (peer){true, true};
    }
    MPI_Group_free(&here);
    MPI_Group_free(&everywhere);
    MPI_Comm_free(&machine);
}

void transport_start(transport_place *place, bool start) {
    int running, provided;
    MPI_Initialized(&running);
    if (!running && !start) return;
    if (!running) MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    started = !running;
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    MPI_Comm_rank(all, &place->rank);
    MPI_Comm_size(all, &place->size);
    rank = place->rank;
    size = place->size;
    free(peers);
    peers = calloc((size_t)size, sizeof *peers);
    int64_t everywhere = transport_least(peers != NULL);
    if (!everywhere) free(peers), peers = NULL;
    find_local(place);
}

uint64_t transport_sent(void) { return sent; }

void transport_stop(void) {
    if (!started) return;
    free(peers);
    peers = NULL;
    MPI_Comm_free(&all);
    MPI_Finalize();
}

/* ---- messages ---------------------------------------------------------------------------------- */

/* Waits for a request that moves so many bytes. */
static void wait_for(MPI_Request *request, size_t bytes) {
    int done = 0;
    double since = wall_seconds();
    MPI_Status status;
    for (int looks = 0;; looks++) {
        MPI_Test(request, &done, &status);
        if (done) return;
        if (looks < LOOKS) continue;
        double waited = wall_seconds() - since, sleep = waited * 1e9 / PART;
        long most = sleep < LONGEST ? (long)sleep : LONGEST;
        if (waited < (double)bytes / SLOW) sched_yield();
        else nanosleep(&(struct timespec){.tv_nsec = most < SHORTEST ? SHORTEST : most}, NULL);
    }
}

int64_t transport_least(int64_t value) {
    int64_t least;
    MPI_Request request;
    MPI_Iallreduce(&value, &least, 1, MPI_INT64_T, MPI_MIN, all, &request);
    wait_for(&request, 0);
    return least;
}

uint64_t transport_sum(uint64_t value) {
    uint64_t sum;
    MPI_Allreduce(&value, &sum, 1, MPI_UINT64_T, MPI_SUM, all);
    return sum;
}

static size_t piece_at(size_t bytes, size_t at) {
    return at > bytes ? 0 : bytes - at < PIECE ? bytes - at : PIECE;
}

void transport_broadcast(void *data, size_t bytes, int from) {
    if (rank == from) sent += bytes * (size_t)(size - 1);
    for (size_t at = 0; at < bytes; at += PIECE) {
        MPI_Request request;
        MPI_Ibcast((char *)data + at, (int)piece_at(bytes, at), MPI_BYTE, from, all, &request);
        wait_for(&request, piece_at(bytes, at));
    }
}

/* ---- fetching ---------------------------------------------------------------------------------- */

/* Has the rank `to` fetch a message from this one, and fetches one of the rank `from`; NULL: not. Afterwards
 * both know of each whether it can be. */
static void fetch_from_each_other(const void *data, peer *to, int to_rank, void *out, size_t out_bytes,
                                  peer *from, int from_rank) {
    int receiver = to ? to_rank : MPI_PROC_NULL, sender = from ? from_rank : MPI_PROC_NULL;
    fetch_place own = fetch_place_of(data), other;
    MPI_Request receiving, sending;
    uint64_t fetched = 0, was_fetched = 0;
    MPI_Irecv(&other, sizeof other, MPI_BYTE, sender, PLACE, all, &receiving);
    MPI_Isend(&own, sizeof own, MPI_BYTE, receiver, PLACE, all, &sending);
    wait_for(&receiving, 0);
    wait_for(&sending, 0);
    if (from) fetched = from->fetches = rank != FETCH_FORBIDDEN && fetch_from(&other, out, out_bytes);
    MPI_Irecv(&was_fetched, 1, MPI_UINT64_T, receiver, FETCHED, all, &receiving);
    MPI_Isend(&fetched, 1, MPI_UINT64_T, sender, FETCHED, all, &sending);
    wait_for(&receiving, 0);
    wait_for(&sending, 0);
    if (to) to->fetched = was_fetched;
}

/* ---- messages, more ---------------------------------------------------------------------------- */

void transport_exchange(const void *data, size_t bytes, int to, void *out, size_t out_bytes, int from) {
    MPI_Request sending, receiving;
    peer *receiver = peers && bytes >= FETCH_LEAST && peers[to].fetched ? &peers[to] : NULL;
    peer *sender = peers && out_bytes >= FETCH_LEAST && peers[from].fetches ? &peers[from] : NULL;
    sent += bytes;
    if (receiver || sender) fetch_from_each_other(data, receiver, to, out, out_bytes, sender, from);
    if (receiver && receiver->fetched) bytes = 0;
    if (sender && sender->fetches) out_bytes = 0;
    for (size_t at = 0; at < bytes || at < out_bytes; at += PIECE) {
        MPI_Irecv((char *)out + at, (int)piece_at(out_bytes, at), MPI_BYTE,
                  at < out_bytes ? from : MPI_PROC_NULL, DATA, all, &receiving);
        MPI_Isend((const char *)data + at, (int)piece_at(bytes, at), MPI_BYTE,
                  at < bytes ? to : MPI_PROC_NULL, DATA, all, &sending);
        wait_for(&receiving, piece_at(out_bytes, at));
        wait_for(&sending, piece_at(bytes, at));
    }
}

void transport_post(int to, transport_subject about, const uint64_t message[2]) {
    MPI_Send(message, 2, MPI_UINT64_T, to, (int)about, all);
}

bool transport_take(int *from, transport_subject about, uint64_t message[2]) {
    MPI_Status status;
    int there;
    MPI_Iprobe(MPI_ANY_SOURCE, (int)about, all, &there, &status);
    if (!there) return false;
    *from = status.MPI_SOURCE;
    MPI_Recv(message, 2, MPI_UINT64_T, *from, (int)about, all, &status);
    return true;
}

void transport_nap(void) { nanosleep(&(struct timespec){.tv_nsec = LONGEST}, NULL); }
