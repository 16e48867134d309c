// Floats to keys that sort as they do, and back (INVERSE 1).
#include "lib/ordered.glsl"

void kernel(uint e) {
#if INVERSE
    result = unordered(source(e));
#else
    result = ordered(source(e));
#endif
}
