/* hdbscan: clusters of varying density.
 *
 * In steps: points.c, matrix.c and graph.c find core distances and the tree of mutual reachability;
 * condense.c makes the condensed tree of it, and simplify.c leaves short-lived clusters out; select.c chooses
 * clusters; label.c gives the points their labels and scores. clusters_by_passes.c does what the last three
 * do, but for the choice, on the device. predict.c, membership.c and validity.c take a result, or labels, and
 * say more of them. */
#ifndef GLSHAPE_HDBSCAN_HDBSCAN_H
#define GLSHAPE_HDBSCAN_HDBSCAN_H

#include "linkage/linkage.h"

/* Everywhere here r->options, and o, have no zeros that stand for defaults. */
typedef glshape_hdbscan_options hdbscan_options;

/* ---- the tree ---------------------------------------------------------------------------------- */

/* Where clusters are found: by passes of a tree that they leave on the device, or by the processors. */
typedef struct hdbscan_way {
    run_why why;
    bool on_sphere;             /* heights become distances once they are on the processors */
    tree_merges merges;         /* where it is by passes */
    threads_touching *touching; /* NULL, or of the memory of r's results */
    size_t row_room;            /* of r->rows */
} hdbscan_way;
void hdbscan_way_free(hdbscan_way *w);

/* Each sets tree and r->core, adds to r->seconds, and needs at least 2 points. */
glshape_status hdbscan_points(gpu *g, const glshape_source *source, linkage_tree *tree,
                              glshape_hdbscan_result *r, hdbscan_way *way);
/* Makes room for what is found of clusters, which gets its memory meanwhile; r->core, too. (hdbscan.c) */
glshape_status hdbscan_make_room(run *run, glshape_hdbscan_result *r, hdbscan_way *way);
/* The tree will be on the device: chooses where clusters are found, and makes room for them. (hdbscan.c) */
glshape_status hdbscan_choose_way(gpu *g, linkage_tree *tree, glshape_hdbscan_result *r, hdbscan_way *way);
/* Of a reader or of sparse rows. */
glshape_status hdbscan_matrix(gpu *g, const glshape_source *source, linkage_tree *tree,
                              glshape_hdbscan_result *r);
/* Of a graph. Sets r->components. */
glshape_status hdbscan_graph(gpu *g, const glshape_source *source, linkage_tree *tree,
                             glshape_hdbscan_result *r);

/* ---- the clusters ------------------------------------------------------------------------------ */

/* Makes r->rows and r->tree of r->merges. */
glshape_status hdbscan_condense(error *err, glshape_hdbscan_result *r);
/* Undoes splits of r->tree and r->rows, as options.persistence says. (simplify.c) */
glshape_status hdbscan_simplify(error *err, glshape_hdbscan_result *r);
/* Sums count ≥ 1 terms, which change: by sixty-fours, the sums of these by sixty-fours, and so on. So a
 * cluster's stability has one order, which passes can keep. */
double hdbscan_sum(size_t count, double *term);
/* Sets chosen[c], of r->tree_clusters, to whether cluster c of r->tree is chosen. */
glshape_status hdbscan_select(error *err, const glshape_hdbscan_result *r, bool *chosen);
/* Sets r's labels, probabilities, outlier scores and exemplars. */
glshape_status hdbscan_label(error *err, const bool *chosen, glshape_hdbscan_result *r);

/* All of this by the processors. */
glshape_status hdbscan_clusters_by_threads(error *err, glshape_hdbscan_result *r);
/* All of this by passes (clusters_by_passes.c): whether the clusters of n points are found there; and it, of
 * r->merges and the same merges on the device. *done: they are found;
 * else processors are to. */
glshape_status hdbscan_clusters_place(gpu *g, uint32_t n, run_why *why);
glshape_status hdbscan_clusters_by_passes(gpu *g, hdbscan_way *way, glshape_hdbscan_result *r, bool *done);

/* Has its programs compiled, or ready (gpu_expect, gpu_get_ready). */
void hdbscan_expect_clusters(gpu *g);
void hdbscan_load_clusters(gpu *g);

/* What labels are made of, of each cluster of r->tree. */
typedef struct hdbscan_marks {
    int32_t *around; /* the chosen one that it is or is in, by its entry of r->tree, later by its label; -1:
                        none */
    double *deepest; /* the greatest lambda in it and below */
    bool *is_leaf;
} hdbscan_marks;
glshape_status hdbscan_marks_new(error *err, const glshape_hdbscan_result *r, const bool *chosen,
                                 hdbscan_marks *m);
void hdbscan_marks_free(hdbscan_marks *m);
/* Gives each entry its label: number has it by entry, -1 for none. */
void hdbscan_number_marks(glshape_hdbscan_result *r, const int32_t *number, hdbscan_marks *m);
/* Makes room for labels, probabilities and outlier scores. */
glshape_status hdbscan_label_new(error *err, glshape_hdbscan_result *r);
/* Sets r's exemplars, of points in order. */
glshape_status hdbscan_group_exemplars(error *err, const uint32_t *points, size_t count,
                                       glshape_hdbscan_result *r);

/* Where the root is chosen, only the points are in its cluster that stay in it up to this lambda: until it
 * splits or ends, or up to the distance epsilon. */
double hdbscan_root_lambda(const glshape_hdbscan_result *r);
/* lambda / most; 1 for a point that never leaves. */
double hdbscan_share(double lambda, double most);

/* Numbers the n points, where label[v] is any number below most or -1, by first appearance; *count becomes
 * how many numbers there are. number[l] becomes the new number of l; -1: it does not appear. */
void hdbscan_number(size_t n, size_t most, int32_t *label, int32_t *number, size_t *count);

/* ---- new points (predict.c) -------------------------------------------------------------------- */

/* Finds the point that each new point joins, which is least in mutual reachability, and the lambda at which
 * it does. Errors as glshape_hdbscan_predict. */
glshape_status hdbscan_join(run *run, const glshape_source *source, const glshape_hdbscan_result *r,
                            const glshape_matrix *queries, uint32_t *nearest, double *lambda);

/* Whether two results have the same clusters, scores and condensed trees. (check.c) */
bool hdbscan_same(const glshape_hdbscan_result *a, const glshape_hdbscan_result *b);

#endif
