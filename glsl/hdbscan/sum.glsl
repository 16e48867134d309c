// A step of the sums of each cluster's terms (hdbscan_sum): every 64 · stride places of a cluster the sum of 64 of its
// terms, stride places apart, takes the place of the first.
#define TOGETHER 64u

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= large_count) return;
    uint cluster = chains(e).y, place = e - starts(cluster), width = TOGETHER * stride;
    if (place % width != 0u) return;
    uint end = cluster + 1u < clusters ? starts(cluster + 1u) : large_count;
    if (end - e <= stride) return;
    precise double sum = packDouble2x32(terms_load(e, 0u));
    for (uint k = 1u; k < TOGETHER && k * stride < end - e; k++) sum += packDouble2x32(terms_load(e + k * stride, 0u));
    terms_store(e, 0u, unpackDouble2x32(sum));
}
