/* The options that say how a diagram becomes a vector: of glshape vectors, and of compare's image and
 * landscape. */
#ifndef GLSHAPE_CLI_VECTORS_OPTIONS_H
#define GLSHAPE_CLI_VECTORS_OPTIONS_H

#include "cli/options.h"

typedef struct vectors_texts {
    const char *resolution, *bandwidth, *weight, *range, *cut;
    double ends[4];            /* of the range */
    glshape_vectors_options o; /* once they are read; it points to the ends */
} vectors_texts;

/* Rows of a table of options, for vectors_texts c. */
#define VECTORS_OPTIONS(c)                                                                                   \
    {"--resolution",                                                                                         \
     NULL,                                                                                                   \
     OPTION_TEXT,                                                                                            \
     &(c).resolution,                                                                                        \
     "N",                                                                                                    \
     "samples of a curve (default 100), or births of an image, or births and lifetimes: 20,10 (default 20)", \
     0},                                                                                                     \
        {"--range",                                                                                          \
         NULL,                                                                                               \
         OPTION_TEXT,                                                                                        \
         &(c).range,                                                                                         \
         "A,B",                                                                                              \
         "the first and the last sample; of an image A,B,C,D: births, then lifetimes; auto stands for any",  \
         0},                                                                                                 \
        {"--keep-endpoints",                                                                                 \
         NULL,                                                                                               \
         OPTION_FLAG,                                                                                        \
         &(c).o.keep_endpoints,                                                                              \
         NULL,                                                                                               \
         "curves: the least and greatest values are samples, too; else they lie between them",               \
         0},                                                                                                 \
        {"--bandwidth",                                                                                      \
         NULL,                                                                                               \
         OPTION_TEXT,                                                                                        \
         &(c).bandwidth,                                                                                     \
         "S",                                                                                                \
         "images: the standard deviation of the Gaussians, in the unit of births (default 1)",               \
         0},                                                                                                 \
        {"--weight",                                                                                         \
         NULL,                                                                                               \
         OPTION_TEXT,                                                                                        \
         &(c).weight,                                                                                        \
         "P",                                                                                                \
         "images and silhouettes: an interval weighs its lifetime to the power P (default 0: all the same)", \
         0},                                                                                                 \
        {"--landscapes",       NULL, OPTION_INTEGER,                                                         \
         &(c).o.landscapes,    "K",  "how many landscapes (default 5)",                                      \
         OPTION_RANGE(1, 4096)},                                                                             \
        {"--gudhi-scale",                                                                                    \
         NULL,                                                                                               \
         OPTION_FLAG,                                                                                        \
         &(c).o.gudhi_scale,                                                                                 \
         NULL,                                                                                               \
         "landscapes and silhouettes: times the root of 2, as GUDHI has them; the papers have not",          \
         0},                                                                                                 \
    {                                                                                                        \
        "--cut", NULL, OPTION_TEXT, &(c).cut, "T", "intervals that never end do so at T", 0                  \
    }

/* Reads the texts; GLSHAPE_BAD_ARGUMENT with what they take, also for those that the kind has no use for. */
glshape_status vectors_options_read(error *err, vectors_texts *c, glshape_vectors_kind kind);

#endif
