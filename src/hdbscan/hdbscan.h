/* hdbscan: clusters of varying density.
 *
 * In steps: points.c, matrix.c and graph.c find core distances and the tree of mutual reachability;
 * condense.c makes the condensed tree of it; select.c chooses clusters; label.c gives the points their labels
 * and scores. */
#ifndef GLSHAPE_HDBSCAN_HDBSCAN_H
#define GLSHAPE_HDBSCAN_HDBSCAN_H

#include "linkage/linkage.h"

/* Everywhere here r->options, and o, have no zeros that stand for defaults. */
typedef glshape_hdbscan_options hdbscan_options;

/* ---- the tree ---------------------------------------------------------------------------------- */

/* Each sets tree and r->core, adds to r->seconds, and needs at least 2 points. */
glshape_status hdbscan_points(gpu *g, const glshape_source *source, linkage_tree *tree,
                              glshape_hdbscan_result *r);
/* Of a reader or of sparse rows. */
glshape_status hdbscan_matrix(gpu *g, const glshape_source *source, linkage_tree *tree,
                              glshape_hdbscan_result *r);
/* Of a graph. Sets r->components. */
glshape_status hdbscan_graph(gpu *g, const glshape_source *source, linkage_tree *tree,
                             glshape_hdbscan_result *r);

/* ---- the clusters ------------------------------------------------------------------------------ */

/* Makes r->rows and r->tree of r->merges. */
glshape_status hdbscan_condense(error *err, glshape_hdbscan_result *r);
/* Sets chosen[c], of r->tree_clusters, to whether cluster c of r->tree is chosen. */
glshape_status hdbscan_select(error *err, const glshape_hdbscan_result *r, bool *chosen);
/* Sets r's labels, probabilities, outlier scores and exemplars. */
glshape_status hdbscan_label(error *err, const bool *chosen, glshape_hdbscan_result *r);

/* Where the root is chosen, only the points are in its cluster that stay in it up to this lambda: until it
 * splits or ends, or up to the distance epsilon. */
double hdbscan_root_lambda(const glshape_hdbscan_result *r);
/* lambda / most; 1 for a point that never leaves. */
double hdbscan_share(double lambda, double most);

/* Numbers the n points, where label[v] is any number below most or -1, by first appearance; *count becomes
 * how many numbers there are. number[l] becomes the new number of l; -1: it does not appear. */
void hdbscan_number(size_t n, size_t most, int32_t *label, int32_t *number, size_t *count);

#endif
