// The keys of a field of two dimensions in reversed order, with the outside around it, whose key is 0. nx, ny: of the reversed
// field; outside: a bit for x, y: whether there is an outside at either end. key: of the field, backwards.
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= nx * ny) return;
    uint px = outside & 1u, py = outside >> 1 & 1u, y = e / nx, x = e - y * nx, wide = nx - 2u * px,
         high = ny - 2u * py;
    bool inside = x - px < wide && y - py < high; // wraps below 0, too
    reversed_store(e, 0u, inside ? ~key((high - 1u - (y - py)) * wide + wide - 1u - (x - px)) : 0u);
}
