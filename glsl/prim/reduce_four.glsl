// Element at + o folds the four elements that agree with o below `bit`: blocks of 4·2^bit become blocks
// of 2^bit.
#include "prim/reduce.glsl"

void kernel(uint e) {
    uint o = e - at, step = 1u << bit;
    uint from = ((o >> bit) << (bit + 2u)) | (o & (step - 1u));
    result = fold4(item(from), item(from + step), item(from + 2u * step), item(from + 3u * step));
}
