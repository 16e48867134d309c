// A pixel is the mean of its SAMPLES x SAMPLES samples in linear light, rounded to 8-bit sRGB: all in integers,
// with the curve as a table, so that every driver writes the same picture. Colours are 0xRRGGBB.
#ifndef SAMPLES
#error "resolve needs SAMPLES"
#endif

uint colour_of(uint rank) { return rank == 0u ? background : colour(rank - 1u); }

uvec3 linear_of(uint rgb) { return uvec3(curve(rgb >> 16).x, curve((rgb >> 8) & 255u).x, curve(rgb & 255u).x); }

// The greatest value whose least sum is not above sum.
uint encode(uint sum) {
    uint value = 0u;
    for (uint step = 128u; step > 0u; step >>= 1)
        if (curve(value + step).y <= sum) value += step;
    return value;
}

void kernel(uint e) {
    uint stride = width * uint(SAMPLES), rows = uint(SAMPLES), columns = uint(SAMPLES);
    uint corner = (e / width) * rows * stride + (e % width) * columns;
    uint rank = top(corner), rgb = colour_of(rank), first = rgb;
    uvec3 linear = linear_of(rgb), sum = uvec3(0u);
    bool even = true;
    for (uint y = 0u; y < rows; y++)
        for (uint x = 0u; x < columns; x++) {
            uint now = top(corner + y * stride + x);
            if (now != rank) {
                rank = now;
                rgb = colour_of(rank);
                linear = linear_of(rgb);
                even = even && rgb == first;
            }
            sum += linear;
        }
    picture = even ? first : encode(sum.r) << 16 | encode(sum.g) << 8 | encode(sum.b);
}
