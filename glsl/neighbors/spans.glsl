// The points nearest to each of a block of 128, among columns of points, in tiles of 128 × 128 pairs. Of
// a tile only the candidates are stored. Tiles come in ascending order: a sum that equals a limit has a greater index.
// points: a page of them, from quad `page` on; chosen: the rows, from quad chosen_page on.
#define SIDES 1
#define ROWS(q, c) chosen(q - chosen_page, c)
#define COLUMNS(q, c) points(q - page, c)
#include "neighbors/tile.glsl"
#include "neighbors/lists.glsl"

bool is_own(uint own, uint index) { return index == row_first + own; }
void raise(uint column, uint tx, uint ty) {}
uvec2 admitted(uint column, uint tx, uint ty) { return uvec2(0xffffffffu); }

int limit_of(uint i);
void offer(uint own, uint at, uint index, float value);
#include "neighbors/candidates.glsl"
#include "neighbors/sweep.glsl"
#include "neighbors/columns.glsl"

void kernel(uint group) { go_through_columns(group); }
