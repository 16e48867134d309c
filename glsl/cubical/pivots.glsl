// Columns of squares, and which of them owns a pivot.
//
// columns[e]: (the place of its first entry, how many there are | SETTLED if it owns its pivot | PENDING within a round, if the
// round is to add to it what it flows to); NONE, 0: it is not known.
// An entry is the squares of one vertex: (vertex, their directions as bits | STAYS if they are critical). Entries come by
// vertex, those on their way before those that stay; the pivot is the lowest direction of the first one. slots is a hash
// table by open addressing: the column that owns a pivot, or NONE. All columns that a slot ever has have the same pivot.
#include "field/order.glsl"

const uint SETTLED = 0x80000000u, PENDING = 0x40000000u, COUNT = 0x3fffffffu;
const uint STAYS = 0x80000000u, DIRECTIONS = 0x7ffffffu;
// claimed: WAITS if the first squares of the column are on their way, ADDS if it is PENDING.
const uint WAITS = 0xfffffffeu, ADDS = 0xfffffffdu;
// counts: entries in use; columns that are long, in this round and the next; the columns at work in each round.
const uint USED = 0u, LONGS = 1u, LISTS = 2u, ROUNDS = 3u;
