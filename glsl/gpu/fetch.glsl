// Calibration: eight fetches at scattered addresses; n is a power of two.
void kernel(uint e) {
    uint h = e * 2654435761u;
    vec4 sum = vec4(0);
    for (int k = 0; k < 8; k++) {
        h = h * 1664525u + 1013904223u;
        sum += source((h >> 7) & (n - 1u));
    }
    target = sum;
}
