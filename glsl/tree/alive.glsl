// Whether an edge still joins two components.
void kernel(uint e) {
    uvec4 edge = edges(e);
    alive = label(edge.x) != label(edge.y) ? 1u : 0u;
}
