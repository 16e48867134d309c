// Whether a node stays together where the merge `rank` above it is undone (condense.c). zeros: how many merges are at
// distance 0; they are the first.
bool stays(uint node, uint rank) { return rank >= zeros && node >= n && size(node - n) >= least; }

bool splits(uint rank) { return stays(child(rank, 0u), rank) && stays(child(rank, 1u), rank); }
