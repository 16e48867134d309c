#include "place/place.h"

#include <math.h>

#include "base/threads.h"

/* The least items that passes do: where the device is open, and where it is closed, as opening it takes some
 * 0.1 s. Most were measured on an H100 or H200 with 16 processors, once. */
static const struct {
    double open, closed;
} least[PLACE_STAGES] = {
    [PLACE_LAYOUT] = {101, 101}, /* as many as src/mds/few.h has room for */
    /* Threads are done before a pass is compiled. */
    [PLACE_PRODUCTS] = {2001, 2001},
    /* A distance is looked at some hundred times: 16 processors take 40 ns. */
    [PLACE_NEW_ROWS] = {5e5, 3e6},
    /* Some hundred layouts are looked at: 16 processors take 0.3 s for 500 points, passes 0.1. */
    [PLACE_RANKS] = {1e5, 1e5},
    /* Some ten milliseconds of threads. */
    [PLACE_SIMPLICES] = {(1u << 16) + 1, (1u << 18) + 1},
    /* 16 processors take some 1.3 µs an edge, passes some 40 ms for 234,000 edges (H100, 2026-11-27). */
    [PLACE_COLLAPSE] = {20000, 100000},
    [PLACE_LISTED_EDGES] = {1u << 21, 1u << 21}, /* not measured */
    [PLACE_MATRIX_FOREST] = {1025, 1025},
    [PLACE_MATRIX_TREE] = {513, 513}, /* about a millisecond */
    /* 16 processors take no longer for fewer than to ask for all the programs. */
    [PLACE_INDEX] = {500000, 500000},
    [PLACE_WALKS] = {20000, 20000},
    [PLACE_RESULTS] = {200000, 200000},
    [PLACE_POINT_TREE] = {200000, 200000},
    /* About a millisecond of threads. */
    [PLACE_PAIRS] = {2e6, 3e7},
    [PLACE_FOREST] = {(1u << 15) + 1, (1u << 20) + 1},
    [PLACE_TRIANGULATION] = {20000, 500000},
    /* Programs of integers of several limbs take longer to compile than all others of their methods. */
    [PLACE_EXACT_SIGNS] = {4097, 4097},
    [PLACE_CLOSE_RADII] = {257, 257},
    /* A pass takes as long as its longest flow. */
    [PLACE_FLOW] = {4096, 4096},
    /* A round takes as long as its longest column: 16 threads take 0.3 to 0.5 s for the last 512 of a smooth
     * field of 512³ vertices, 0.7 for the last 4,096 (H200, 2026-11-28). */
    [PLACE_COLUMNS] = {32, 32},
    /* Two processors take 9 ms for a million, 16 take 1.5 (H200's host, 2026-11-30); to send the pairs takes
     * half of what intervals take. */
    [PLACE_INTERVALS] = {1u << 20, INFINITY},
    /* Fewer are sorted before a program is loaded, all before a device is open. */
    [PLACE_ITEMS] = {1u << 20, INFINITY},
    [PLACE_IMAGE] = {1u << 20, 1u << 23},
    /* The processor has the tree of so many vertices in one or two milliseconds or, while the device is
     * closed, in about the time that opening it takes: 64 x 64 x 64 vertices with an outside, the critical
     * edges of cubical among them, in 0.1 s. A device would take 80 MB of memory more. */
    [PLACE_FIELD] = {(1u << 13) + 1, (5u << 16) + 1},
    /* One processor takes some 50 ns a vertex: 0.2 s where a device would still open, or its passes would
     * just begin. */
    [PLACE_FLAT_BRANCHES] = {(1u << 15) + 1, (5u << 20) + 1},
    [PLACE_MEMBERSHIPS] = {5e9, 3e10}, /* 5e10: passes 0.2 s, threads of 16 0.48 (H100) */
    [PLACE_SLICES] = {1e8, 1e9},       /* a processor merged 1e8 a second: H100's host, 2026-11-26 */
    [PLACE_VECTORS] = {1e8, 1e9},      /* not measured */
    [PLACE_SADDLES] = {50000, 50000},  /* not measured */
    /* A round asks the device some ten times whether pointers still move: about a millisecond of threads. */
    [PLACE_LEAVES] = {1u << 15, 1u << 15},
};

/* A caller who names the device, a test of passes and a check of passes insist on these, also for small work.
 */
static bool insists(const gpu *g) { return gpu_is_named(g) || gpu_is_eager(g) || gpu_is_checking(g); }

/* To name the device is not enough for a few columns: a round takes as long as its longest column, and there
 * may be a hundred. */
static bool insists_on(const gpu *g, place_stage stage) {
#ifdef PLACE_FOR_TESTS_OF_RANKS
    if (stage == PLACE_SADDLES) return true;
#endif
    return stage == PLACE_COLUMNS ? gpu_is_eager(g) || gpu_is_checking(g) : insists(g);
}

/* Coordinates that a processor compares before the device has the queries. */
#define ACROSS_A_THREAD 0x1p24

/* Coordinates that a processor compares in 2 ms: 15.4 million took 7 (6,000 × 128, 10 neighbors; one of 2
 * cores, 2026-11-29). The pass asks whether doubles are fast, and a first run compiles four programs for it:
 * alone 0.13 s, beside others some 0.02 (H200, the same day). */
#define CANDIDATES_A_THREAD 0x1p22

/* Terms times points of a long column for each thread. 16 threads take 0.05 s for 1,990 terms and 192 points,
 * passes 0.10 to 0.13; for 1,878 and 600 they take 0.5, passes 0.3 (H200, 2026-11-28). */
#define LONG_A_THREAD 0x1p15

/* Cofacets that a processor makes in some 2 ms, while a pass is begun and its answer comes down. */
#define FIRST_A_THREAD 0x1p17

/* Walks in lists: passes take 0.06 s for 3e9, 16 processors 1.4; for 8e7 these take 0.05 (H100, 2026-11-27),
 * two processors 0.19 and passes 0.03 (H200, 2026-11-30). */
#define WALKS_A_THREAD 6e6

/* Columns that a processor reduces in 0.3 ms or more, while textures are made and passes begun. */
#define SHORT_A_THREAD 64

/* Distances that are sent while a processor reduces a column, about: 16.8 million distances of 4,096
 * rotations took 20 ms, their 600,000 columns of three dimensions 0.4 s with 16 processors (H200,
 * 2026-11-28). */
#define SENT_A_COLUMN 8192

/* A matrix that the device makes of lists costs so much less than one that is sent. */
#define MADE_FOR_ONE_SENT 32

bool place_matrix_is_too_much(const gpu *g, double n, bool sent, double columns) {
    double cost = sent ? n * n : n * n / MADE_FOR_ONE_SENT;
    return !insists(g) && columns * SENT_A_COLUMN < cost * threads_count(0);
}

double place_least(const gpu *g, place_stage stage) {
    if (stage == PLACE_SHORT_COLUMNS) return SHORT_A_THREAD * threads_count(0);
    if (stage == PLACE_WALKS_IN_LISTS) return WALKS_A_THREAD * threads_count(0);
    if (stage == PLACE_FIRST_COFACETS) return FIRST_A_THREAD * threads_count(0);
    if (stage == PLACE_LONG_COLUMNS) return LONG_A_THREAD * threads_count(0);
    if (stage == PLACE_CANDIDATES) return CANDIDATES_A_THREAD * threads_count(0);
    if (stage == PLACE_PAIRS_ACROSS) return ACROSS_A_THREAD * threads_count(0);
    return gpu_is_open(g) ? least[stage].open : least[stage].closed;
}

bool place_is_little(const gpu *g, place_stage stage, double items) {
    return !insists_on(g, stage) && items < place_least(g, stage);
}

static run_why by_kind(const gpu *g, bool insisted) {
    return gpu_is_software(g) && !insisted ? RUN_NOT_SOFTWARE : gpu_why_passes(g);
}

run_why place_by_kind(const gpu *g) { return by_kind(g, insists(g)); }

run_why place_by_size(const gpu *g, place_stage stage, double items) {
    return place_is_little(g, stage, items) ? RUN_NOT_SMALL : by_kind(g, insists_on(g, stage));
}

run_why place_by_speed(const gpu *g, bool passes_are_faster) {
    return passes_are_faster || insists(g) ? gpu_why_passes(g) : RUN_NOT_FASTER;
}

glshape_status place_choose_any(gpu *g, uint64_t bytes, run_why *why) {
    bool found;
    TRY(gpu_find(g, bytes, &found));
    *why = found ? place_by_kind(g) : gpu_why_absent(g);
    return GLSHAPE_OK;
}

glshape_status place_choose(gpu *g, place_stage stage, double items, bool can, uint64_t bytes, run_why *why) {
    *why = !can ? RUN_NOT_LIMITS : place_by_size(g, stage, items);
    return run_why_device(*why) ? place_choose_any(g, bytes, why) : GLSHAPE_OK;
}

glshape_status place_find(gpu *g, uint64_t bytes, bool *found) { return gpu_find(g, bytes, found); }

bool place_is_tested(const gpu *g) { return gpu_is_eager(g); }

bool place_may_stay_closed(const gpu *g) { return !gpu_is_named(g); }

/* ---- programs that are compiled for later runs ---------------------------------------------------- */

/* Seconds that a driver takes for the programs of the work, none of which it has compiled before: NVIDIA's
 * 580 takes 0.5 to 1.2 for those of a method (knn, mergetree, delaunay, alpha; 2026-11-25). */
#define COMPILING 1.0
static double compiling(place_work work) {
    if (work == PLACE_WORK_BRANCHES) return 0.6; /* some 0.5 with an H200, 2026-11-30 */
    /* 0.21 those of the collapse, some 0.4 those of lists (O(3), H200, 2026-11-30). */
    if (work == PLACE_WORK_COLLAPSE || work == PLACE_WORK_WALKS) return 0.3;
    if (work == PLACE_WORK_SIMPLICES)
        return 0.35; /* 0.38 for three dimensions of a matrix, H200, 2026-11-30 */
    return COMPILING;
}

/* Processor seconds that threads take for an item; all share the work. Measured, if nothing else is said,
 * with 16 and 2 processors of an H100's host, 2026-11-25 and 26, of 1 M and 10 M uniform points. Nothing is
 * gained where they do more than passes would: knn of 12,650 points with 128 columns took 1.6 s in place
 * of 1.0. */
static const double processor[PLACE_WORKS] = {
    [PLACE_WORK_DELAUNAY] = 2.2e-6,
    [PLACE_WORK_ALPHA] = 3.3e-6,
    [PLACE_WORK_INDEX] = 1.1e-6,
    [PLACE_WORK_BRANCHES] = 0.17e-6,
    [PLACE_WORK_CONTOUR] = 0.65e-6,
    [PLACE_WORK_VOLUME] = 0.56e-6,
    /* 234,000 edges of O(3): 2.1 processor seconds (two cores, 2026-11-30); 16 threads take 0.21 s (H200's
       host). */
    [PLACE_WORK_COLLAPSE] = 15e-6,
    /* 54.5 million of three dimensions: 0.44 s by two threads (two cores, 2026-11-30). */
    [PLACE_WORK_SIMPLICES] = 16e-9,
    [PLACE_WORK_WALKS] = 8e-9, /* see WALKS_A_THREAD */
    /* 20 million cofacets of a 3-sphere: 0.36 s by one thread (two cores, 2026-11-28). */
    [PLACE_WORK_FIRST] = 17e-9,
    /* 600,000 columns of 4,096 rotations: 1.8 s by two threads (H200's host, 2026-11-28). */
    [PLACE_WORK_SHORT] = 5e-6,
    /* 277,649 columns of a million points in the plane: 3.9 to 4.9 s by two threads, 0.54 to 0.66 by 16 (the
     * same kind of host, 2026-11-29). */
    [PLACE_WORK_SHORT_OF_LISTS] = 30e-6,
    /* 0.7 and 4 µs for two columns of a projective plane (H200's host, two processors, 2026-11-28). */
    [PLACE_WORK_LONG] = 2.5e-6,
};

/* The same that threads take more for a vertex that is an extreme. 256³ vertices, 16 threads (H200's host,
 * 2026-11-30): noise, of which 29 % are extremes, branches and triplets 0.78 s, contour tree 1.7, intervals
 * 2.4; smoothed once, 8 %: 0.36, 1.1, 1.4; three times, 1 %: 0.21, 0.73, 0.67. 400³ take three to four times
 * as long. A contour tree of two dimensions takes as long; intervals of two are done as soon as branches. */
static const double extreme[PLACE_WORKS] = {
    [PLACE_WORK_BRANCHES] = 2.0e-6,
    [PLACE_WORK_CONTOUR] = 3.3e-6,
    [PLACE_WORK_VOLUME] = 6.2e-6,
};

void place_may_wait_for_field(gpu *g, place_work work, double vertices, double extremes) {
    double seconds = (processor[work] + extreme[work] * extremes) * vertices / threads_count(0);
    gpu_may_wait(g, vertices > 0 && seconds < compiling(work));
}

void place_may_wait(gpu *g, place_work work, double items) { place_may_wait_for_field(g, work, items, 0); }

/* ---- an index or pairs ---------------------------------------------------------------------------- */

/* Where both ways took the same time: NVIDIA H200, NVIDIA H100, llvmpipe on 2 cores. */
place_price place_index_price(const gpu *g, bool wide, bool found, bool by_passes) {
    if (!found || gpu_is_software(g)) return wide ? (place_price){4, 250} : (place_price){4, 0};
    if (!wide) return (place_price){100, 0};
    return by_passes ? (place_price){400, 700} : (place_price){1700, 200};
}
