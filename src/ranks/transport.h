/* What mpi.c and serial.c both give: bytes from rank to rank. Nothing here fails: MPI ends all ranks if it
 * cannot go on. */
#ifndef GLSHAPE_RANKS_TRANSPORT_H
#define GLSHAPE_RANKS_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* This rank among all, and among those on this machine. */
typedef struct transport_place {
    int rank, size, local, locals;
} transport_place;

/* Starts MPI, or joins the one that is running, and fills *place. start: false if only to join. */
void transport_start(transport_place *place, bool start);
/* Stops MPI if transport_start() started it. */
void transport_stop(void);
/* The least of all ranks' values. */
int64_t transport_least(int64_t value);
/* The sum of all ranks' values. */
uint64_t transport_sum(uint64_t value);
/* The bytes of rank `from` become those of all. */
void transport_broadcast(void *data, size_t bytes, int from);
/* Sends bytes to a rank and receives others from a rank, at the same time. */
void transport_exchange(const void *data, size_t bytes, int to, void *out, size_t out_bytes, int from);
/* What two numbers are about. */
typedef enum { TRANSPORT_QUEUE = 1, TRANSPORT_FAILED } transport_subject;
/* Sends two numbers to a rank. */
void transport_post(int to, transport_subject about, const uint64_t message[2]);
/* Takes two numbers that a rank has sent, if there are any, and says which; returns at once. */
bool transport_take(int *from, transport_subject about, uint64_t message[2]);
/* The bytes that this rank has sent; of a broadcast, once for each rank that gets them. */
uint64_t transport_sent(void);
/* Sleeps a little. */
void transport_nap(void);

#endif
