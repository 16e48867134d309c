// A very long column, the cofacets of many simplices, by passes (src/rips/wide.h).
#include "lib/reserve.glsl"
#include "rips/packed.glsl"

// sums[k] is the sum of what has been added to cell k, and has these bits:
const uint LISTED = 1u << 31;  // it is among those that the next round looks at
const uint SETTLED = 1u << 30; // it is in no apparent pair, and in the list of such cells
const uint FIRST = 1u << 29;   // of terms: it stands for all that are equal
// state says how many cells there are, how many terms, settled cells, those of them that were listed; whether a cell (1) or a
// term (2) found no place; where the new cells of a round begin; how many cells a round looks at; how many are left in each part of the range.
const uint CELLS = 0u, TERMS = 1u, SETTLES = 2u, LISTED_LEFT = 3u, FULL = 4u, BEGINS = 5u, ROUNDS = 7u,
           ROUND_LISTS = 3u;
const uint PARTS = 10u, ALL_PARTS = 64u;
