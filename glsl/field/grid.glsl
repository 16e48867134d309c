// The neighbors of a vertex of a grid; an nz of 1 makes the grid two-dimensional. HOOD 6, 18 and 26: the neighbors that
// share a face; an edge, too; a corner, too. 14: Freudenthal's, along ±(1,0,0) … ±(1,1,1).
#if HOOD != 6 && HOOD != 14 && HOOD != 18 && HOOD != 26
#error HOOD must be 6, 14, 18 or 26
#endif
#include "field/order.glsl"

ivec3 place(uint v) {
    uint row = v / nx, z = row / ny;
    return ivec3(v - row * nx, row - z * ny, z);
}

// Returns true if p has all its neighbors without a step around a periodic axis.
bool inner(ivec3 p) {
    return p.x > 0 && p.y > 0 && p.x + 1 < int(nx) && p.y + 1 < int(ny) &&
           (nz == 1u ? false : p.z > 0 && p.z + 1 < int(nz));
}

// One step along one axis: false beyond an end. periodic: a bit an axis.
bool wrap(inout int x, uint extent, uint bit) {
    if (x >= 0 && x < int(extent)) return true;
    x = x < 0 ? int(extent) - 1 : 0;
    return (periodic & bit) != 0u;
}

// The vertex at v + (dx, dy, dz); NONE if the grid has none there. inside: inner(p).
uint neighbor(uint v, ivec3 p, bool inside, int dx, int dy, int dz) {
    if (inside) return v + uint(dx) + nx * uint(dy + int(ny) * dz);
    ivec3 q = p + ivec3(dx, dy, dz);
    bool there = wrap(q.x, nx, 1u) && wrap(q.y, ny, 2u) && wrap(q.z, nz, 4u);
    return there ? uint(q.x) + nx * (uint(q.y) + ny * uint(q.z)) : NONE;
}

#define FACES(LOOK, s) LOOK(s 1, 0, 0) LOOK(0, s 1, 0) LOOK(0, 0, s 1)
#define RISING(LOOK, s) LOOK(s 1, s 1, 0) LOOK(s 1, 0, s 1) LOOK(0, s 1, s 1)
#define FALLING(LOOK, s) LOOK(s 1, -(s 1), 0) LOOK(s 1, 0, -(s 1)) LOOK(0, s 1, -(s 1))
#define CORNER(LOOK, s) LOOK(s 1, s 1, s 1)
#define CORNERS(LOOK, s) LOOK(s 1, s 1, -(s 1)) LOOK(s 1, -(s 1), s 1) LOOK(-(s 1), s 1, s 1)

// HALF: LOOK(dx, dy, dz) for one of each pair of opposite neighbors. ALL: for every neighbor. AROUND: for every neighbor
// and, with HOOD 6, for the vertices between two of them, which connect them around the vertex.
#if HOOD == 6
#define SOME(LOOK, s) FACES(LOOK, s)
#elif HOOD == 14
#define SOME(LOOK, s) FACES(LOOK, s) RISING(LOOK, s) CORNER(LOOK, s)
#elif HOOD == 18
#define SOME(LOOK, s) FACES(LOOK, s) RISING(LOOK, s) FALLING(LOOK, s)
#else
#define SOME(LOOK, s) FACES(LOOK, s) RISING(LOOK, s) FALLING(LOOK, s) CORNER(LOOK, s) CORNERS(LOOK, s)
#endif
#define HALF(LOOK) SOME(LOOK, +)
#define ALL(LOOK) SOME(LOOK, +) SOME(LOOK, -)
#if HOOD == 6
#define AROUND(LOOK) ALL(LOOK) RISING(LOOK, +) FALLING(LOOK, +) RISING(LOOK, -) FALLING(LOOK, -)
#else
#define AROUND(LOOK) ALL(LOOK)
#endif
