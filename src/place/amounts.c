/* How much of a stage's work a kind of device is given at once.
 *
 * A card has thousands of invocations, and loops as long as they are. A software renderer runs those of a
 * group on one processor, takes longer to begin a group than for a handful of items, and ends a loop after so
 * many turns of all invocations of a group together, without an error: it is given less at once, and more
 * often. */
#include "place/place.h"
#include "run/run.h"

#define ANY UINT32_MAX /* no limit */
#define MANY_TURNS (UINT32_C(1) << 31)

static const struct {
    uint64_t hardware, software;
} amounts[PLACE_AMOUNTS] = {
    [PLACE_AMOUNT_TERMS] = {1u << 20, 1u << 16},
    [PLACE_AMOUNT_CELLS] = {1u << 21, 1u << 15},
    [PLACE_AMOUNT_GROUPS] = {4096, 64},
    [PLACE_AMOUNT_LEAST_GROUPS] = {1024, 64},
    [PLACE_AMOUNT_CELL_GROUPS] = {1024, 8},
    [PLACE_AMOUNT_LEAST_CELL_GROUPS] = {64, 8},
    [PLACE_AMOUNT_GROUP_EDGES] = {64, 4}, /* 64: one for each invocation */
    [PLACE_AMOUNT_LIST_SPAN] = {4096, 1},
    [PLACE_AMOUNT_LIST] = {ANY, 2000},
    /* With 40 points a find takes 6 turns, an invocation has 4 finds for each of 40 candidates at each of up
     * to 41 values. */
    [PLACE_AMOUNT_COLLAPSE_LIST] = {ANY, 40},
    /* llvmpipe counts the turns of 16 invocations together, and here a visit more. */
    [PLACE_AMOUNT_FIRST_TURNS] = {48000, GPU_TURNS / 32},
    [PLACE_AMOUNT_ROUND_TURNS] = {20000, GPU_TURNS / 32},
    [PLACE_AMOUNT_ENTRIES] = {16384, 4096},
    [PLACE_AMOUNT_ROUNDS] = {1024, 128},
    [PLACE_AMOUNT_FLOWS] = {4, 1},
    /* A round of a software renderer takes as long as threads take for all. */
    [PLACE_AMOUNT_FEW_LEAVES] = {16, 1},
    [PLACE_AMOUNT_WALK_COLUMNS] = {ANY, 16}, /* of more a dispatch has turns for a few points */
    [PLACE_AMOUNT_SLICE] = {ANY, 4},         /* to compile more takes longer than it saves */
    [PLACE_AMOUNT_SHARED] = {1, 0},          /* which llvmpipe reads lane by lane */
    [PLACE_AMOUNT_ALL_LISTS] = {UINT64_C(1152) << 20, UINT64_C(256) << 20},
    [PLACE_AMOUNT_RANK_LISTS] = {UINT64_C(2304) << 20, UINT64_C(256) << 20},
    [PLACE_AMOUNT_ROW_LISTS] = {UINT64_C(256) << 20, UINT64_C(16) << 20},
    [PLACE_AMOUNT_SEARCHES] = {256, 32},
    [PLACE_AMOUNT_TILED_TEXELS] = {8192, 0}, /* turns of loops */
    [PLACE_AMOUNT_SETTLING] = {UINT64_C(1) << 31, UINT64_C(1) << 26},
};

uint64_t place_amount(const gpu *g, place_quantity quantity) {
#ifdef PLACE_FOR_TESTS_OF_RANKS
    if (quantity == PLACE_AMOUNT_RANK_LISTS && run_ranks(run_of(g))->rank % 2) return 0;
#endif
    if (quantity == PLACE_AMOUNT_WALK_COLUMNS && gpu_is_eager(g)) return ANY; /* a test asks for them */
    return gpu_is_software(g) ? amounts[quantity].software : amounts[quantity].hardware;
}

uint32_t place_count(const gpu *g, place_quantity quantity) { return (uint32_t)place_amount(g, quantity); }

uint32_t place_turns(const gpu *g) { return gpu_is_software(g) ? GPU_TURNS : MANY_TURNS; }

bool place_in_order(const gpu *g) { return gpu_is_software(g); }
