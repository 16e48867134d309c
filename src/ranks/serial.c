/* One rank: nobody to talk to. */
#include "ranks/transport.h"

void transport_start(transport_place *place, bool start) { (void)place, (void)start; }
void transport_stop(void) {}
int64_t transport_least(int64_t value) { return value; }
uint64_t transport_sum(uint64_t value) { return value; }
void transport_broadcast(void *data, size_t bytes, int from) { (void)data, (void)bytes, (void)from; }
void transport_post(int to, transport_subject about, const uint64_t message[2]) {
    (void)to, (void)about, (void)message;
}
bool transport_take(int *from, transport_subject about, uint64_t message[2]) {
    (void)from, (void)about, (void)message;
    return false;
}
uint64_t transport_sent(void) { return 0; }
void transport_nap(void) {}
void transport_exchange(const void *data, size_t bytes, int to, void *out, size_t out_bytes, int from) {
    (void)data, (void)bytes, (void)to, (void)out, (void)out_bytes, (void)from;
}
