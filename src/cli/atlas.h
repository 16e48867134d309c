/* What glshape atlas reads, computes and writes. */
#ifndef GLSHAPE_CLI_ATLAS_H
#define GLSHAPE_CLI_ATLAS_H

#include "cli/file_list.h"
#include "io/field/grid.h"

enum { ATLAS_RIPS, ATLAS_CUBICAL, ATLAS_ALPHA };
#define ATLAS_SHAPES "rips|cubical|alpha"
enum { ATLAS_DIMS = GLSHAPE_RIPS_DIMS };

/* The intervals of an input, by dimension. */
typedef struct atlas_diagram {
    bool done;
    size_t count;
    glshape_interval *intervals;
} atlas_diagram;

typedef struct atlas_command {
    session s;        /* first: it is a batch's item */
    const char *list; /* unused: the inputs are many */
    int shape, dim, directions, min_cluster_size;
    bool superlevel;
    const char *threshold_text;
    glshape_optional threshold;
    struct atlas_command *owner; /* of an item: the command */
    /* Inputs: files, or the slices of one array. */
    file_list files;
    io_grid slices;
    char *array;         /* the name of their file */
    io_label_list names; /* of all inputs, then of those that are on the map */
    atlas_diagram *diagrams;
    size_t count;  /* of inputs; after atlas_inputs_read(), of those on the map */
    char **failed; /* inputs that are not */
    size_t failed_count;
    /* The map. */
    glshape_comparison *distances;
    glshape_source source; /* them */
    size_t pairs;
    glshape_mds_result layout;
    glshape_hdbscan_result clusters;
    uint32_t *medoids; /* of each cluster: its input whose distances to the others have the least sum */
} atlas_command;

/* Lists the inputs. A single .npy of three dimensions is many: its slices. */
glshape_status atlas_inputs_list(atlas_command *c);
/* Reads them and finds their diagrams, a few at a time. Those that fail are said and left out; if all do, the
 * status is GLSHAPE_BAD_INPUT. */
glshape_status atlas_inputs_read(atlas_command *c);
void atlas_inputs_free(atlas_command *c);

#endif
