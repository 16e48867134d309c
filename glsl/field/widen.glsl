// The keys of a field of bytes, or of integers of 16 bits, which came as they are: in words, the first in the lowest bits.
// shift: a word has 2^shift values; sign: the highest bit of a value if values have signs, else 0; flip: what keys are xored
// with (src/field/order.h)
void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex, bits = 32u >> shift, at = v & (1u << shift) - 1u;
    if (v >= n) return;
    uint value = words(v >> shift) >> at * bits & (1u << bits) - 1u;
    key_store(v, ((value ^ sign) + (sign != 0u ? 0x80000000u - sign : 0u)) ^ flip);
}
