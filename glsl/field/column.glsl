// The keys around the vertices of a column in y. From one vertex to the next an invocation loads only the keys that are
// new. Vertices before order_start come after all others in the order.
const uint RUN = 16u; // vertices of a column that an invocation takes

uint k[27], xs[3], ys[3], zs[3]; // keys around the vertex; what coordinates add to an index
uint order_zs[3];                // zs for indices counted from order_start, as they are ordered

#define CELL(dx, dy, dz) (13 + (dx) + 3 * (dy) + 9 * (dz))
#define INDEX(dx, dy, dz) (xs[1 + (dx)] + ys[1 + (dy)] + zs[1 + (dz)])
#define PLACE(dx, dy, dz) (xs[1 + (dx)] + ys[1 + (dy)] + order_zs[1 + (dz)])

// The coordinates before x, x itself and the one after it, times `stride`. Beyond an end that is not periodic the
// coordinate is x again. The cell there then stands for a vertex that another cell stands for, too, or for the vertex
// itself, and so connects nothing that is not connected anyway.
uint[3] beside(uint x, uint extent, uint bit, uint stride) {
    bool around = (periodic & bit) != 0u;
    uint before = x > 0u ? x - 1u : around ? extent - 1u : x;
    uint after = x + 1u < extent ? x + 1u : around ? 0u : x;
    return uint[3](before * stride, x * stride, after * stride);
}

// clang-format off
#define LOAD(dx, dy, dz) k[CELL(dx, dy, dz)] = key(INDEX(dx, dy, dz));
#define LOAD_ROW(dy)                                                                                 \
    LOAD(-1, dy, -1) LOAD(0, dy, -1) LOAD(1, dy, -1) LOAD(-1, dy, 0) LOAD(0, dy, 0) LOAD(1, dy, 0)   \
    LOAD(-1, dy, 1) LOAD(0, dy, 1) LOAD(1, dy, 1)
#define SHIFT(dx, dz)                                                                                \
    k[CELL(dx, -1, dz)] = k[CELL(dx, 0, dz)];                                                        \
    k[CELL(dx, 0, dz)] = k[CELL(dx, 1, dz)];
// clang-format on

void begin_column(uint x, uint y, uint z) {
    xs = beside(x, nx, 1u, 1u);
    ys = beside(y, ny, 2u, nx);
    zs = beside(z, nz, 4u, nx * ny);
    order_zs = uint[3](zs[0] - order_start, zs[1] - order_start, zs[2] - order_start);
    LOAD_ROW(-1)
    LOAD_ROW(0)
    LOAD_ROW(1)
}

// Goes on to vertex y < ny.
void next_in_column(uint y) {
    // clang-format off
    SHIFT(-1, -1) SHIFT(0, -1) SHIFT(1, -1) SHIFT(-1, 0) SHIFT(0, 0) SHIFT(1, 0) SHIFT(-1, 1) SHIFT(0, 1) SHIFT(1, 1)
        // clang-format on
        ys = beside(y, ny, 2u, nx);
    LOAD_ROW(1)
}
