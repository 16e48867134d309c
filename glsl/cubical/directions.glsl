// The directions of edges in their order, which are their numbers; the squares that two of them make, the later one
// first; and all cells of a lower star that edges and squares end in.
// clang-format off
#define DIRECTIONS(LOOK) \
    LOOK(0, 0, 0, -1) LOOK(1, 0, -1, 0) LOOK(2, -1, 0, 0) LOOK(3, 1, 0, 0) LOOK(4, 0, 1, 0) LOOK(5, 0, 0, 1)
#define SQUARES(LOOK)                                                                                \
    LOOK(1, 0, 0, -1, -1) LOOK(2, 0, -1, 0, -1) LOOK(2, 1, -1, -1, 0) LOOK(3, 0, 1, 0, -1)           \
    LOOK(3, 1, 1, -1, 0) LOOK(4, 0, 0, 1, -1) LOOK(4, 2, -1, 1, 0) LOOK(4, 3, 1, 1, 0)               \
    LOOK(5, 1, 0, -1, 1) LOOK(5, 2, -1, 0, 1) LOOK(5, 3, 1, 0, 1) LOOK(5, 4, 0, 1, 1)
#define STAR(LOOK)                                                                                   \
    LOOK(0, 0, -1) LOOK(0, -1, 0) LOOK(-1, 0, 0) LOOK(1, 0, 0) LOOK(0, 1, 0) LOOK(0, 0, 1)           \
    LOOK(0, -1, -1) LOOK(-1, 0, -1) LOOK(-1, -1, 0) LOOK(1, 0, -1) LOOK(1, -1, 0) LOOK(0, 1, -1)     \
    LOOK(-1, 1, 0) LOOK(1, 1, 0) LOOK(0, -1, 1) LOOK(-1, 0, 1) LOOK(1, 0, 1) LOOK(0, 1, 1)
// clang-format on
