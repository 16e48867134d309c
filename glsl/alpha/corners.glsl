// Port vertex: the corners of triangles, counter-clockwise.
uvec3 corners(uint t) { return uvec3(vertex(t, 0u), vertex(t, 1u), vertex(t, 2u)); }
