/* The options that say how two diagrams are compared: of glshape compare, and of commands that take diagrams
 * with --input. */
#ifndef GLSHAPE_CLI_COMPARE_OPTIONS_H
#define GLSHAPE_CLI_COMPARE_OPTIONS_H

#include "cli/vectors_options.h"

#define COMPARE_METRICS "sliced-wasserstein|bottleneck|wasserstein|image|landscape" /* by the enumeration */

typedef struct compare_texts {
    int metric, directions;
    const char *order, *internal_p, *tolerance;
    vectors_texts vectors;
    glshape_compare_options o; /* once they are read; it points to the vectors' */
} compare_texts;

/* Rows of a table of options, for compare_texts c; --metric is the command's own. */
#define COMPARE_OPTIONS(c)                                                                         \
    {"--directions",       NULL, OPTION_INTEGER,                                                   \
     &(c).directions,      "K",  "slices of sliced-wasserstein (default 50)",                      \
     OPTION_RANGE(1, 4096)},                                                                       \
        {"--order",  NULL, OPTION_TEXT,                                                            \
         &(c).order, "Q",  "wasserstein: costs are distances to the power Q, 1 to 64 (default 1)", \
         0},                                                                                       \
        {"--internal-p",                                                                           \
         NULL,                                                                                     \
         OPTION_TEXT,                                                                              \
         &(c).internal_p,                                                                          \
         "P",                                                                                      \
         "wasserstein: of two points, the norm: 1 or above, or inf (default inf)",                 \
         0},                                                                                       \
        {"--tolerance",                                                                            \
         NULL,                                                                                     \
         OPTION_TEXT,                                                                              \
         &(c).tolerance,                                                                           \
         "T",                                                                                      \
         "wasserstein: at most 1 + T times the least (default 0.01); 0: exact",                    \
         0},                                                                                       \
        VECTORS_OPTIONS((c).vectors)

/* Reads the texts, by c->metric. GLSHAPE_BAD_ARGUMENT with what they take, also for those that the metric has
 * no use for. */
glshape_status compare_options_read(error *err, compare_texts *c);
/* The name of an option that was given; NULL: none. */
const char *compare_options_given(const compare_texts *c);

#endif
