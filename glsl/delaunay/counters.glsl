// src/delaunay/passes.h says what is counted.
#define ALIKE 0u
#define CROWDED 1u
#define COPIES 2u
#define LISTED 3u
#define OPEN 4u
#define SEAMS 5u
#define HUBS 6u
#define PENDING 7u
#define AGAIN 8u

#define NONE 0xffffffffu
#define NO_SITE 0xffffffffu // all words of a point that is none
#define MOST_ALIKE 256u     // points of one key before a point that are compared with it
#define LEAF_BITS 3u        // 8 sites are a leaf
#define TILE_LEAVES 3u      // as a power of two: a tile has 64 sites
#define FAN_BITS 2u         // 4 boxes are a box of the next level
