#include "cli/command.h"

const command commands[] = {
    {"devices", command_devices, "the GPUs of this machine, what they can do and how fast"},
    {"pack", command_pack, "a distance matrix of any form as one .npy file that can be paged"},
    {"knn", command_knn, "the nearest neighbors of every point"},
    {"delaunay", command_delaunay, "the Delaunay triangulation of points in the plane"},
    {"mst", command_mst, "the spanning forest of least (or greatest) weight of a graph"},
    {"linkage", command_linkage, "single-linkage clusters of points, distances, a graph or documents"},
    {"hdbscan", command_hdbscan, "clusters of varying density, and noise, by HDBSCAN*"},
    {"mergetree", command_mergetree,
     "merge trees of scalar fields: branches, persistence, segmentation, contours"},
    {"cubical", command_cubical, "persistence of images and volumes: components, loops, voids"},
    {"alpha", command_alpha, "alpha shapes of points in the plane: boundary, spectrum, persistence"},
    {"rips", command_rips, "persistence barcodes of distances or points"},
    {"compare", command_compare, "distances between persistence diagrams"},
    {"vectors", command_vectors, "persistence diagrams as rows of numbers: images, landscapes, curves"},
    {"atlas", command_atlas, "one map of many shapes: diagrams, their distances, a layout, clusters"},
    {"mds", command_mds, "a layout: points in few dimensions whose distances resemble those of the data"},
    {"pcoa", command_pcoa, "classical scaling: the same as mds --method classical"},
};
const int command_count = sizeof commands / sizeof *commands;
