// Where the invocations of a group wait for one another; each then sees what the others wrote to shared memory.
void group_barrier() {
    memoryBarrierShared();
    barrier();
}
