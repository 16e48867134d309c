// A side of a shape: an edge of a triangle inside, with no such triangle across. Ports neighbor and label, as of
// alpha/inside.
const uint NONE = 0xffffffffu;

bool is_side(uint t, uint k) {
    uint other = neighbor(t, k);
    return other == NONE || label(other) == NONE;
}
