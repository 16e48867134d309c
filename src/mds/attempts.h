/* How many layouts are tried: more where they differ. */
#ifndef GLSHAPE_MDS_ATTEMPTS_H
#define GLSHAPE_MDS_ATTEMPTS_H

#include <math.h>
#include <stdbool.h>

#define SAME_STRESS 1.01 /* of two layouts, more or less */

/* Layouts made from other random positions each. */
typedef struct mds_attempts {
    int most, made;
    bool all;             /* the caller says how many */
    double first, second; /* the two least stresses so far */
} mds_attempts;

static inline mds_attempts mds_attempts_of(int most, bool all) {
    return (mds_attempts){.most = most, .all = all, .first = INFINITY, .second = INFINITY};
}

static inline void mds_take_stress(mds_attempts *a, double stress) {
    a->second = fmin(a->second, fmax(a->first, stress));
    a->first = fmin(a->first, stress);
    a->made++;
}

#define UNLIKE 16 /* attempts at least where the first two are unlike */

/* Returns true if another attempt is worth while: none was perfect (stress beyond `none`), and the first two
 * were unlike. They are then local minima among many, as layouts of heavy tails and of far outliers are.
 * Later two that are alike end it. */
static inline bool mds_goes_on(const mds_attempts *a, double none) {
    if (!a->made || a->made == a->most) return !a->made;
    if (a->all || a->made == 1 || (a->made > 2 && a->made < UNLIKE)) return a->first > none;
    return a->first > none && a->second > SAME_STRESS * a->first;
}

#endif
