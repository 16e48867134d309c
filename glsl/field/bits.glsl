// Sets of the 27 vertices around and including v: (dx, dy, dz) is bit 13 + dx + 3 dy + 9 dz.
#define BIT(dx, dy, dz) (1u << uint(13 + (dx) + 3 * (dy) + 9 * (dz)))
const uint X = 0x1249249u, Y = 0x1C0E07u, Z = 0x1FFu; // those with dx = -1, dy = -1, dz = -1
