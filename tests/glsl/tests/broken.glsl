// Line 3 uses a name that does not exist; the message must say so.
#include "tests/included.glsl"
void kernel(uint e) { target = nowhere; }
