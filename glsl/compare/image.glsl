// Persistence images: of each diagram the sum of its pairs' products, a factor of the column times one of the row. An
// invocation has four columns of four rows. Sums are compensated: what rounding leaves is added to another sum.
//   first      where a diagram's pairs begin
//   factors    of a pair: its columns' in fours, then its rows' in fours
//   pixels     of each diagram four times `rows` rows of columns in fours
#include "lib/add.glsl"

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex, each = columns * rows, diagram = e / each;
    if (diagram >= diagrams) return;
    uint column = e % columns, row = e % each / columns, end = first(diagram + 1u);
    vec4 a = vec4(0.0), b = a, c = a, d = a, a_low = a, b_low = a, c_low = a, d_low = a;
    for (uint k = first(diagram); k < end; k++) {
        vec4 x = factors(k, column), y = factors(k, columns + row);
        precise vec4 xa = x * y.x, xb = x * y.y, xc = x * y.z, xd = x * y.w;
        add(a, a_low, xa);
        add(b, b_low, xb);
        add(c, c_low, xc);
        add(d, d_low, xd);
    }
    uint to = (diagram * rows + row) * 4u;
    pixels_store(to, column, a + a_low);
    pixels_store(to + 1u, column, b + b_low);
    pixels_store(to + 2u, column, c + c_low);
    pixels_store(to + 3u, column, d + d_low);
}
