// The faces of the finished triangulation. The face of an edge is the one on its left.
#define NONE 0xffffffffu

// Sets the three edges of e's face and the rows of their origins. Returns false if e is not in use or the face is no
// triangle: the outer one, which has the edge `outer`, or one with more edges.
bool face_of(uint e, out uvec3 face, out uvec3 corner) {
    face = uvec3(e);
    corner = uvec3(origin(e));
    if (corner.x == NONE) return false;
    face.y = prev(e ^ 1u);
    face.z = prev(face.y ^ 1u);
    corner = uvec3(row(corner.x), row(origin(face.y)), row(origin(face.z)));
    return prev(face.z ^ 1u) == e && all(notEqual(face, uvec3(outer)));
}
