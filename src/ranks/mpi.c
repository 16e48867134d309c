/* Ranks over MPI. MPI's own errors end all ranks, as MPI does by default. */
#include <mpi.h>
#include <time.h>

#include "ranks/transport.h"

/* MPI counts in int; a message is cut into pieces of at most so many bytes. */
#define PIECE ((size_t)1 << 30)
/* MPI's blocking calls spin. A rank that waits looks so many times, then sleeps between looks: longer and
 * longer. */
#define LOOKS 200
#define DATA 0          /* a tag; others are of transport_subject */
#define SHORTEST 20000  /* nanoseconds */
#define LONGEST 1000000 /* nanoseconds */

static MPI_Comm all = MPI_COMM_NULL;
static bool started;
static int rank, size;
static uint64_t sent;

/* ---- from start to end ------------------------------------------------------------------------- */

static void find_local(transport_place *place) {
    MPI_Comm machine;
    MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &place->local);
    MPI_Comm_size(machine, &place->locals);
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
    find_local(place);
}

uint64_t transport_sent(void) { return sent; }

void transport_stop(void) {
    if (!started) return;
    MPI_Comm_free(&all);
    MPI_Finalize();
}

/* ---- messages ---------------------------------------------------------------------------------- */

/* Where a rank may come long before others it sleeps between looks. All else happens when all are there. */
int64_t transport_least(int64_t value) {
    int64_t least;
    int done = 0;
    long sleep = SHORTEST;
    MPI_Request request;
    MPI_Status status;
    MPI_Iallreduce(&value, &least, 1, MPI_INT64_T, MPI_MIN, all, &request);
    for (int looks = 0;; looks++) {
        MPI_Test(&request, &done, &status);
        if (done) return least;
        if (looks < LOOKS) continue;
        nanosleep(&(struct timespec){.tv_nsec = sleep}, NULL);
        sleep = 2 * sleep < LONGEST ? 2 * sleep : LONGEST;
    }
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
    for (size_t at = 0; at < bytes; at += PIECE)
        MPI_Bcast((char *)data + at, (int)piece_at(bytes, at), MPI_BYTE, from, all);
}

void transport_exchange(const void *data, size_t bytes, int to, void *out, size_t out_bytes, int from) {
    MPI_Status status;
    sent += bytes;
    for (size_t at = 0; at < bytes || at < out_bytes; at += PIECE)
        MPI_Sendrecv((const char *)data + at, (int)piece_at(bytes, at), MPI_BYTE,
                     at < bytes ? to : MPI_PROC_NULL, DATA, (char *)out + at, (int)piece_at(out_bytes, at),
                     MPI_BYTE, at < out_bytes ? from : MPI_PROC_NULL, DATA, all, &status);
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
