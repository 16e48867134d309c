/* glshape: the shape of data on any OpenGL 4.3 GPU.
 *
 * One header, plain C arrays in and out. A glshape_context is one open device; use it from one thread
 * at a time (several contexts in several threads are fine). Option structs are zero-initialised and zero
 * is the documented default. Every call that can fail returns a glshape_status, and
 * glshape_last_error() then gives a sentence that names the input, the limit and the remedy.
 * The library never prints, never exits and keeps no global state. */
#ifndef GLSHAPE_H
#define GLSHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GLSHAPE_VERSION "0.1.0"

#if defined(__GNUC__)
#define GLSHAPE_API __attribute__((visibility("default")))
#else
#define GLSHAPE_API
#endif

/* Statuses and the words that go with them, in one table. */
#define GLSHAPE_STATUSES(X)                                    \
    X(GLSHAPE_OK, "done")                                      \
    X(GLSHAPE_BAD_ARGUMENT, "an argument is out of its range") \
    X(GLSHAPE_BAD_INPUT, "the input cannot be used")           \
    X(GLSHAPE_IO_ERROR, "a file could not be read or written") \
    X(GLSHAPE_NO_MEMORY, "not enough host memory")             \
    X(GLSHAPE_NO_GPU_MEMORY, "not enough GPU memory")          \
    X(GLSHAPE_NO_DEVICE, "no usable OpenGL 4.3 device")        \
    X(GLSHAPE_GPU_ERROR, "the OpenGL driver failed")           \
    X(GLSHAPE_CANCELLED, "cancelled")

#define GLSHAPE_STATUS_ENUM(name, text) name,
typedef enum { GLSHAPE_STATUSES(GLSHAPE_STATUS_ENUM) } glshape_status;
#undef GLSHAPE_STATUS_ENUM

/* The words of a status; never NULL. */
GLSHAPE_API const char *glshape_status_text(glshape_status status);

/* ---- data ------------------------------------------------------------------------------------- */

/* Element types of a matrix, in native byte order. */
#define GLSHAPE_TYPES(X)           \
    X(GLSHAPE_F32, float, "f4")    \
    X(GLSHAPE_F64, double, "f8")   \
    X(GLSHAPE_I8, int8_t, "i1")    \
    X(GLSHAPE_I16, int16_t, "i2")  \
    X(GLSHAPE_I32, int32_t, "i4")  \
    X(GLSHAPE_I64, int64_t, "i8")  \
    X(GLSHAPE_U8, uint8_t, "u1")   \
    X(GLSHAPE_U16, uint16_t, "u2") \
    X(GLSHAPE_U32, uint32_t, "u4") \
    X(GLSHAPE_U64, uint64_t, "u8")

#define GLSHAPE_TYPE_ENUM(name, ctype, code) name,
typedef enum { GLSHAPE_TYPES(GLSHAPE_TYPE_ENUM) } glshape_type;
#undef GLSHAPE_TYPE_ENUM

/* A dense matrix: rows × cols values, row after row (C order) without padding. Owned by whoever made it. */
typedef struct glshape_matrix {
    glshape_type type;
    size_t rows, cols;
    void *data;
} glshape_matrix;

/* ---- devices ---------------------------------------------------------------------------------- */

/* What a device allows. The core profile guarantees 16384, 8, 16, 8, 32768, 1024 and 65535. */
typedef struct glshape_limits {
    int texture_size; /* texels wide and high */
    int image_units, texture_units, colour_attachments;
    int shared_bytes, group_invocations, group_count;
} glshape_limits;

/* One EGL device. Rates are measured by glshape_devices when asked, else 0. */
typedef struct glshape_device {
    char renderer[128], vendor[64], version[96];
    bool usable;
    char why[256]; /* why not; empty if usable */
    bool software; /* runs on the CPU */
    glshape_limits limits;
    bool two_sum, two_product, multi_limb,
        doubles;          /* arithmetic self-test: exact? (doubles: rounded right) */
    double copy_rate[2];  /* bytes read and written per second, compute stage and fragment stage */
    double fetch_rate[2]; /* scattered 16-byte fetches per second, likewise */
} glshape_device;

/* Lists the EGL devices of this machine in EGL's order, at most max of them into out; *count is how many
 * there are (0 is an answer, not an error). measure: also calibrate the rates (about a second each). */
GLSHAPE_API glshape_status glshape_devices(glshape_device *out, int max, int *count, bool measure);

/* ---- contexts --------------------------------------------------------------------------------- */

typedef struct glshape_context glshape_context;

/* How texel kernels run. AUTO measures once and chooses; results agree within rounding. */
typedef enum { GLSHAPE_STAGE_AUTO, GLSHAPE_STAGE_COMPUTE, GLSHAPE_STAGE_FRAGMENT } glshape_stage;

/* Called now and then from inside long calls with the fraction done, 0..1. Return false to cancel: the call
 * then ends with GLSHAPE_CANCELLED. */
typedef bool (*glshape_progress)(void *user, double fraction);

typedef struct glshape_options {
    const char *device; /* index ("1") or part of the renderer's name; NULL: first hardware device, else
                           the software renderer */
    glshape_stage stage;
    size_t gpu_memory; /* most bytes of textures at a time; 0: what the device gives */
    bool debug;        /* OpenGL debug output on: any error it reports makes the call fail */
    bool timing;       /* time every pass (glshape_timings); slows software renderers a little */
    glshape_progress progress;
    void *user;
} glshape_options;

/* Opens a device. options may be NULL. *out is a context to be closed even when this fails (so that
 * glshape_last_error can be asked), except that it is NULL when there is no memory at all.
 * Errors: GLSHAPE_NO_DEVICE, GLSHAPE_GPU_ERROR, GLSHAPE_NO_MEMORY. */
GLSHAPE_API glshape_status glshape_open(const glshape_options *options, glshape_context **out);
/* Closes it (NULL is fine). Returns the number of GL objects still alive then: 0 unless glshape is wrong. */
GLSHAPE_API int glshape_close(glshape_context *context);
/* The sentence of the last failed call; "" if none failed. Valid until the next call on the context. */
GLSHAPE_API const char *glshape_last_error(const glshape_context *context);
GLSHAPE_API const char *glshape_renderer(const glshape_context *context); /* OpenGL's name of the device */
GLSHAPE_API bool glshape_is_software(const glshape_context *context);
GLSHAPE_API size_t glshape_peak_gpu_bytes(const glshape_context *context); /* textures, since open */

/* Seconds spent per pass, when options.timing was set. pass: static string. */
typedef struct glshape_timing {
    const char *pass;
    double seconds;
    uint64_t runs; /* dispatches and draws */
} glshape_timing;
/* Stores at most max of them; returns how many. */
GLSHAPE_API int glshape_timings(glshape_context *context, glshape_timing *out, int max);

/* ---- mds: layouts ----------------------------------------------------------------------------- */

/* Dissimilarity of two rows x, y. Cosine is 1 - x·y/(|x||y|), correlation the same after each row's mean is
 * taken from it, as in scipy.spatial.distance. Both are evaluated as half the squared distance of the rows
 * divided by their lengths, so that no digits cancel, however small the angle. Rows of any size will do: a
 * power of two that multiplies a row changes no bit. Cosine is exactly 0 between a row and its multiples, if
 * their values are doubles. Double precision leaves an error in each angle: about 2^-52 times the root of the
 * number of columns. Smaller angles (1 - cos below some 1e-31 for a few columns) are not told apart: the
 * order of such rows is the same on every device, but has no meaning. (rips takes rows, divided by a power of
 * two and centred, in single precision; mds and the search for candidates compute in single precision
 * relative to the spread of the rows.) */
typedef enum {
    GLSHAPE_EUCLIDEAN,
    GLSHAPE_MANHATTAN,
    GLSHAPE_COSINE,
    GLSHAPE_CORRELATION,
} glshape_metric;

/* Sparse rows (CSR): row r has value[k] in column[k], start[r] <= k < start[r+1], columns ascending; all
 * other values are 0. Owned by whoever made it. */
typedef struct glshape_sparse {
    size_t rows, cols;
    const size_t *start; /* rows + 1 */
    const uint32_t *column;
    const float *value;
} glshape_sparse;

/* The neighbours of node v are to[k], start[v] <= k < start[v + 1], in any order; each edge is there from
 * both its ends, with the same length. Several edges between two nodes count as the shortest of them, edges
 * from a node to itself as none. */
typedef struct glshape_graph {
    size_t nodes;        /* 1 .. 2^32 - 2 */
    const size_t *start; /* nodes + 1, from 0 */
    const uint32_t *to;
    const float *weight; /* the lengths, positive and finite; NULL: all are 1 */
} glshape_graph;

/* Fills out with rows [first, first + count) of an n × n matrix of dissimilarities, n values each; NaN where
 * one is missing. Symmetric, 0 on the diagonal, not negative: the caller sees to that. Called from several
 * threads at once. On failure returns false and writes a sentence of at most size bytes into message. */
typedef bool (*glshape_row_reader)(void *user, uint32_t first, uint32_t count, float *out, char *message,
                                   size_t size);

/* Fills out[k] with the dissimilarity of i[k] and j[k], k < count; NaN where it is missing. Called from one
 * thread at a time, not the caller's. Failure as glshape_row_reader. */
typedef bool (*glshape_feeder)(void *user, size_t count, const uint32_t *i, const uint32_t *j, float *out,
                               char *message, size_t size);

/* Where a matrix of dissimilarities is kept while it is used. */
typedef enum {
    GLSHAPE_KEEP_AUTO, /* on the GPU if it fits the memory limit and 1 GiB, else paged */
    GLSHAPE_RESIDENT,  /* on the GPU */
    GLSHAPE_PAGED,     /* what each pass needs is arranged in order of access and streamed to the GPU */
} glshape_keep;

/* Where dissimilarities come from: one of points, sparse, graph, reader and feeder is set. */
typedef struct glshape_source {
    const glshape_matrix *points; /* dense rows, compared by metric */
    const glshape_sparse *sparse; /* sparse rows, likewise; not correlation */
    const glshape_graph *graph;   /* lengths of shortest paths; connected, but for options.components */
    glshape_row_reader reader;    /* a matrix, row by row */
    glshape_feeder feeder;        /* pairs, as they are needed (Ingram 2007, chapter 5) */
    void *user;                   /* of reader and feeder */
    size_t n;                     /* points of reader and feeder */
    glshape_metric metric;
    glshape_keep keep; /* of reader and graph */
    /* What each pair counts: n × n weights, symmetric, finite, not negative, not all 0 in a row beside the
     * diagonal (which is not looked at), kept on the GPU, 4 bytes each. A weight multiplies its pair's term
     * in forces and stresses; only proportions matter; 0: the pair is ignored. NULL: all pairs count alike.
     */
    glshape_row_reader weights;
    void *weights_user;
} glshape_source;

/* GLIMMER: multilevel, then a closing phase with decreasing steps that ends near SMACOF's stress.
 * GPU_SF: the paper's single-level stochastic force alone (Ingram 2007, chapter 4), the baseline. */
typedef enum { GLSHAPE_GLIMMER, GLSHAPE_GPU_SF } glshape_mds_method;

typedef struct glshape_mds_options {
    int dim; /* target dimension, at least 1; 0: 2 */
    glshape_mds_method method;
    uint64_t seed; /* same seed, same device, same stage: same bits */
    /* Of a graph, connected or not: each component is laid out by itself, as if it were all; then they are
     * put side by side, the largest first, on shelves along the first coordinate. */
    bool components;
} glshape_mds_options;

/* A connected component of a graph. */
typedef struct glshape_mds_component {
    size_t nodes, first; /* how many, and the lowest */
    double stress, stress_error;
} glshape_mds_component;

/* One level of the hierarchy, coarsest first (Ingram 2007, section 3.2). */
typedef struct glshape_mds_level {
    size_t points;
    int interpolation, relaxation; /* iterations; the coarsest level has no interpolation */
    double sparse_stress;          /* of the last iteration of the relaxation (equation 4.1) */
} glshape_mds_level;

#define GLSHAPE_MDS_LEVELS 12

typedef struct glshape_mds_result {
    size_t n;
    int dim;
    float *layout;        /* n × dim, row after row, in the order and the unit of the input, centred on 0 */
    double stress;        /* normalized stress, Σw(d-δ)² / Σwδ² over all pairs; 0 when all δ are 0 */
    double stress_error;  /* 0: exact; else the standard error of the sampled estimate (n > 100,000) */
    int iterations;       /* of all phases together */
    int closing;          /* of these, in the closing phase */
    size_t gpu_bytes;     /* most texture memory in use at a time */
    uint64_t pairs;       /* n(n-1)/2; of components, those within one */
    uint64_t missing;     /* of these, NaN in the matrix of a reader */
    uint64_t pairs_fed;   /* dissimilarities that the feeder was asked for */
    uint64_t paged_bytes; /* streamed to the GPU; 0 if nothing is paged */
    double stalled;       /* seconds that the GPU's side waited for a page */
    double paging;        /* seconds that the pager's thread spent filling pages, or asking the feeder */
    double overlap; /* how much of that was hidden behind the GPU's work: 1 - stalled / paging, 0 at least */
    int level_count;
    glshape_mds_level levels[GLSHAPE_MDS_LEVELS]; /* of components, those of the largest */
    size_t component_count;
    glshape_mds_component *components; /* if asked for: the largest first, then by the lowest node */
    struct {
        double upload, scan, glimmer, closing, stress; /* wall clock; scan: arranging a paged matrix */
    } seconds;
} glshape_mds_result;

/* Lays out the points of source in dim dimensions so that distances in the layout come close to the
 * dissimilarities. Needs at least 2 points, of finite values. result is to be freed with glshape_mds_free.
 * Errors: GLSHAPE_BAD_ARGUMENT (dim), GLSHAPE_BAD_INPUT (fewer than 2 rows, no columns, NaN or infinity with
 * its row and column, a zero row with cosine or a constant row with correlation), GLSHAPE_NO_GPU_MEMORY (says
 * how much is needed), GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED. On failure result is zeroed.
 * Source: Ingram, "Multilevel Multidimensional Scaling on the GPU", 2007, chapters 3 and 4; the closing phase
 * follows Zheng, Pawar, Goodman, "Graph drawing by stochastic gradient descent", 2018. */
GLSHAPE_API glshape_status glshape_mds(glshape_context *context, const glshape_source *source,
                                       const glshape_mds_options *options, glshape_mds_result *result);
GLSHAPE_API void glshape_mds_free(glshape_mds_result *result);

/* ---- mst: spanning forests -------------------------------------------------------------------- */

/* Edges {i[k], j[k]} with weight[k], k < count, in any order. Loops count for nothing. */
typedef struct glshape_edges {
    size_t nodes, count; /* below 2^32 - 1 */
    const uint32_t *i, *j;
    const float *weight; /* any but NaN; NULL: all are 1 */
} glshape_edges;

typedef struct glshape_mst_options {
    bool maximum; /* the heaviest forest, not the lightest */
} glshape_mst_options;

/* The edges of the forest, the lightest first (the heaviest, if maximum), of equals the one with the smaller
 * end, then the smaller other end; i[k] < j[k]. */
typedef struct glshape_mst_result {
    size_t count; /* nodes - components */
    uint32_t *i, *j;
    float *weight;
    double total; /* of the weights */
    size_t components;
    int rounds;       /* of Borůvka's algorithm */
    size_t gpu_bytes; /* most texture memory in use at a time */
    double seconds;
} glshape_mst_result;

/* Finds the spanning forest of least weight: the only one, as edges are ordered by (weight, smaller end,
 * larger end), on any device. Takes 40 bytes of GPU memory an edge and 32 a node. result is to be freed with
 * glshape_mst_free. Errors: GLSHAPE_BAD_ARGUMENT (an end that is no node, NaN, with the number of the edge,
 * too many nodes or edges), GLSHAPE_NO_GPU_MEMORY (says how much is needed), GLSHAPE_NO_MEMORY,
 * GLSHAPE_CANCELLED. On failure result is zeroed. Source: Borůvka 1926. */
GLSHAPE_API glshape_status glshape_mst(glshape_context *context, const glshape_edges *edges,
                                       const glshape_mst_options *options, glshape_mst_result *result);
GLSHAPE_API void glshape_mst_free(glshape_mst_result *result);

/* ---- rips: persistence barcodes ---------------------------------------------------------------- */

typedef struct glshape_rips_options {
    int dim; /* highest dimension of the intervals; 0: 1; negative: 0 */
    float
        threshold; /* largest diameter of a simplex; 0: the enclosing radius, beyond which nothing changes */
    float ratio;   /* only intervals with death > ratio × birth, at least 1; 0: 1 */
    int modulus;   /* coefficients in Z/modulus, a prime below 32768; 0: 2 */
    int threads;   /* of all that is done on the CPU (the reduction for cocycles has one); 0: one a processor.
                      The answer is the same */
    bool sparse;   /* points: keep only distances up to the threshold, not a matrix: for many points */
    bool dry_run;  /* only the forecast: no intervals; of a graph no more than `nodes` is looked at */
    bool cocycles; /* also glshape_rips_result.cocycles */
    float cocycle_length; /* of intervals longer than this; 0: half the longest of the dimension that ends */
} glshape_rips_options;

/* The name of a simplex: with vertices v[0] > v[1] > … > v[d] it is Σ C(v[i], d + 1 - i).
 * Source: Zhang, Xiao, Wang, "GPU-accelerated computation of Vietoris-Rips persistence barcodes", section 3.
 */
typedef uint64_t glshape_simplex;
#define GLSHAPE_NO_SIMPLEX UINT64_MAX

typedef struct glshape_interval {
    int dim;
    double birth, death;                          /* death INFINITY: it never ends. Of rips: floats */
    glshape_simplex birth_simplex, death_simplex; /* dim + 1 and dim + 2 vertices; GLSHAPE_NO_SIMPLEX: none */
} glshape_interval;

/* The cochain, with coefficients in Z/modulus, that is `coefficient` (1 … modulus - 1) on some simplices,
 * oriented by descending vertices, and 0 on all others. It stands for the class of an interval [birth, death)
 * in the cohomology of the complex K_t of all simplices of diameter at most t, thus: restricted to K_t (terms
 * of greater diameter left out) it is 0 for t < birth, since no term's diameter is below birth; a cocycle
 * that is no coboundary for birth <= t < death; no cocycle for t >= death: its coboundary is not 0 on the
 * death simplex. If the class never ends it is a cocycle for all t from birth to the threshold in use. */
typedef struct glshape_cocycle_term {
    glshape_simplex simplex;
    uint32_t coefficient;
} glshape_cocycle_term;
typedef struct glshape_cocycle {
    size_t interval; /* its place in intervals */
    size_t count;
    glshape_cocycle_term *terms; /* each simplex once; the birth simplex is one of them */
} glshape_cocycle;

#define GLSHAPE_RIPS_DIMS 17

/* What a run may take, known before any work; of sparse distances simplices are not known. */
typedef struct glshape_rips_forecast {
    uint64_t simplices[GLSHAPE_RIPS_DIMS]; /* of dimensions 1 … dim, at most; most are never looked at */
    size_t host_bytes, gpu_bytes;          /* before columns, which nobody can foresee */
} glshape_rips_forecast;

/* What one dimension took. */
typedef struct glshape_rips_dim {
    uint64_t examined; /* simplices that the GPU looked at one by one; the others are known to be paired */
    uint64_t left;     /* of these, in no apparent pair */
    uint64_t columns;  /* of these, not cleared by the dimension below: what was reduced */
    uint64_t additions, cofacets; /* columns added to columns; cofacets made for it */
    size_t bytes;                 /* host memory of the reduction */
    double enumerate, reduce;     /* seconds */
} glshape_rips_dim;

typedef struct glshape_rips_result {
    size_t n, count;
    int dim;
    float threshold;             /* in use */
    float least, greatest;       /* distance between two points; of fewer than 2 points INFINITY, 0 */
    glshape_interval *intervals; /* in order of dimension; dimension 0 by death, others by descending birth */
    size_t cocycle_count;
    glshape_cocycle *cocycles; /* if asked for, of dimension 1 on, of long intervals and those without end */
    glshape_rips_forecast forecast;
    size_t gpu_bytes;                         /* most texture memory in use at a time */
    glshape_rips_dim dims[GLSHAPE_RIPS_DIMS]; /* from 1 on */
    struct {
        double distances, upload, tree; /* wall clock */
    } seconds;
} glshape_rips_result;

/* The intervals of persistent homology, of non-zero length, of the Vietoris-Rips filtration of a finite
 * metric space in dimensions 0 … dim: exact, the same on every device. source has points (any metric;
 * Euclidean distances are added up in single precision as Ripser does), a graph (its edges are the distances
 * there are; no paths; a node without edges costs no more than its interval) or a reader (symmetric, 0 on the
 * diagonal, not negative; INFINITY: never joined). result is to be freed with glshape_rips_free. Simplices of
 * equal diameter come in descending order of their names; with that the pairs are unique. Errors:
 * GLSHAPE_BAD_ARGUMENT (an option; more simplices than can be named or counted, with the dimension that can
 * be done), GLSHAPE_BAD_INPUT (NaN, negative distances, with row and column), GLSHAPE_NO_GPU_MEMORY (says how
 * much is needed), GLSHAPE_NO_MEMORY, GLSHAPE_IO_ERROR (the reader's), GLSHAPE_CANCELLED. On failure result
 * is zeroed. Sources: Zhang et al. 2020 (above); Bauer, "Ripser", 2021; Morozov, Nigmetov, "Towards lockfree
 * persistent homology", 2020. */
GLSHAPE_API glshape_status glshape_rips(glshape_context *context, const glshape_source *source,
                                        const glshape_rips_options *options, glshape_rips_result *result);
GLSHAPE_API void glshape_rips_free(glshape_rips_result *result);
/* The vertices of a simplex with `vertices` of them among n points, descending. */
GLSHAPE_API void glshape_simplex_vertices(size_t n, glshape_simplex simplex, int vertices, uint32_t *out);

/* ---- knn: nearest neighbors -------------------------------------------------------------------- */

#define GLSHAPE_KNN_MOST 128

typedef struct glshape_knn_options {
    int neighbors; /* of each point, itself not counted: 1 .. GLSHAPE_KNN_MOST, below the number of rows; 0:
                      10 */
    glshape_metric metric;
} glshape_knn_options;

typedef struct glshape_knn_result {
    size_t n;
    int neighbors;
    uint32_t *index;  /* n × neighbors: rows of the input from 0, the nearest first */
    double *distance; /* n × neighbors */
    size_t scanned;   /* points whose neighbors float32 did not settle: compared with all rows in double */
    size_t gpu_bytes; /* most texture memory in use at a time */
    struct {
        double upload, find, settle; /* wall clock; settle: in double, on the CPU */
    } seconds;
} glshape_knn_result;

/* Finds the nearest neighbors of every row of points among the other rows, by comparing all pairs; nothing of
 * size rows × rows is kept. Exact: neighbors are ordered by (squared distance, index), where a
 * distance is what double precision gives, column after column (of unit rows for cosine and correlation). The
 * GPU keeps more candidates than are asked for; which of them are nearest, and that nobody else can be, is
 * settled in double with the error bound of float32. result is to be freed with glshape_knn_free. Errors:
 * GLSHAPE_BAD_ARGUMENT (neighbors), GLSHAPE_BAD_INPUT as glshape_mds, GLSHAPE_NO_GPU_MEMORY (says how much is
 * needed), GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED. On failure result is zeroed. */
GLSHAPE_API glshape_status glshape_knn(glshape_context *context, const glshape_matrix *points,
                                       const glshape_knn_options *options, glshape_knn_result *result);
GLSHAPE_API void glshape_knn_free(glshape_knn_result *result);

/* ---- linkage: single-linkage clustering --------------------------------------------------------- */

typedef struct glshape_linkage_options {
    int neighbors; /* points: kept of each, 1 .. GLSHAPE_KNN_MOST, below the number of points; 0: 8, or as
                      many as there are. The answer does not depend on it */
    /* Points: only those with an edge between them may join, at their distance; the graph's lengths do not
     * count. What is not connected is joined at INFINITY. NULL: all pairs. */
    const glshape_graph *connectivity;
    bool cophenetic; /* points and reader: also the cophenetic correlation, from all pairs, on the CPU */
} glshape_linkage_options;

typedef struct glshape_linkage_result {
    size_t n;
    /* scipy's linkage matrix: n-1 rows of 4: the two clusters joined, smaller id first (point v is cluster v,
     * row k makes cluster n + k), height, size. Rows go by (height, then the smaller, then the larger index
     * of the edge that joins). Components of a graph are joined last, at height INFINITY. */
    double *merges;
    size_t components; /* of a graph or a connectivity; else 1 */
    int neighbors;     /* in use; 0 if not of points */
    size_t certified;  /* of points: edges that the lists of neighbors show to be right */
    size_t searched;   /* and edges found by searching across components */
    size_t queries;    /* points searched for, of one or several searches */
    size_t scanned;    /* points compared with all others in double: float32 did not settle them, or a
                          search was so small that the CPU did it */
    int rounds;        /* of Borůvka's algorithm; 0: a matrix, read once, row by row */
    double cophenetic; /* if asked for; NaN where one of the two sides does not vary */
    size_t gpu_bytes;  /* most texture memory in use at a time */
    struct {
        double upload, neighbors, search, tree, cophenetic; /* wall clock */
    } seconds;
} glshape_linkage_result;

/* Single-linkage clustering, exactly: that of all pairs, ordered by (squared distance, smaller index,
 * larger index) in double, so that the answer is the same on every device; near-ties are decided on the CPU.
 * source has points (any metric; 1 point is fine), a reader (distances in single precision, ordered likewise;
 * in GPU memory, or read once, row by row), sparse rows (likewise; each distance is evaluated once, by the
 * CPU, in double) or a graph (its edges are the distances there are; no paths). Memory of points goes with n
 * · neighbors. Instead of all pairs, each point's nearest neighbors give the edges; an edge is taken only if
 * they show that there is no better one, else the points in doubt are searched across components. result is
 * to be freed with glshape_linkage_free. Errors: GLSHAPE_BAD_ARGUMENT (neighbors), GLSHAPE_BAD_INPUT as
 * glshape_mds, and a connectivity of another size, GLSHAPE_NO_GPU_MEMORY (says how much is needed),
 * GLSHAPE_NO_MEMORY, GLSHAPE_IO_ERROR (the reader's), GLSHAPE_CANCELLED. On failure result is zeroed.
 * Sources: Nolet et al., "cuSLINK: single-linkage agglomerative clustering on the GPU", 2023, made exact;
 * Sibson, "SLINK: an optimally efficient algorithm for the single-link cluster method", 1973. */
GLSHAPE_API glshape_status glshape_linkage(glshape_context *context, const glshape_source *source,
                                           const glshape_linkage_options *options,
                                           glshape_linkage_result *result);
GLSHAPE_API void glshape_linkage_free(glshape_linkage_result *result);

/* Cuts a tree of n points: merges up to the height `distance` are made; or, if clusters is not 0, those up to
 * the least height that leaves at most so many clusters (fewer where heights are equal), as scipy's fcluster
 * with 'distance' and 'maxclust'. labels gets n cluster numbers, from 0 by first appearance; *count: of
 * clusters. GLSHAPE_BAD_ARGUMENT: clusters beyond n, or fewer than there are components; a negative distance,
 * or NaN. GLSHAPE_NO_MEMORY. */
GLSHAPE_API glshape_status glshape_linkage_cut(glshape_context *context, const double *merges, size_t n,
                                               size_t clusters, double distance, uint32_t *labels,
                                               size_t *count);
/* The points in the order of the drawn tree's leaves, as scipy's leaves_list. GLSHAPE_NO_MEMORY. */
GLSHAPE_API glshape_status glshape_linkage_leaves(glshape_context *context, const double *merges, size_t n,
                                                  uint32_t *leaves);

/* ---- mergetree: merge trees of scalar fields ---------------------------------------------------- */

/* Values on the vertices of a grid, or of a graph. Any but NaN. */
typedef struct glshape_field {
    glshape_type type;
    const void *values;         /* one a vertex; of a grid in C order, the last extent fastest */
    const glshape_graph *graph; /* its weights do not matter; NULL: a grid */
    int dims;                   /* of a grid: 2 or 3 */
    size_t shape[3];            /* its extents: (y, x) or (z, y, x) */
    bool periodic[3];           /* of each extent: its ends are neighbours */
    int neighbours; /* of an inner vertex: 4, 8 or 6 (Freudenthal's triangles) in 2-D; 6, 18, 26 or
                       14 (Freudenthal's tetrahedra) in 3-D; 0: 4 or 6, those across a side, but
                       Freudenthal's for glshape_contour */
} glshape_field;

/* How. The result is the same. BASINS: the minimum of each basin, and the saddles between basins. TRIPLET:
 * the triplet merge algorithm on all edges; slow, up to quadratic, where very many branches end one on the
 * other, as the teeth of a comb do. */
typedef enum {
    GLSHAPE_MERGETREE_AUTO, /* BASINS */
    GLSHAPE_MERGETREE_BASINS,
    GLSHAPE_MERGETREE_TRIPLET,
} glshape_mergetree_method;

typedef struct glshape_mergetree_options {
    glshape_mergetree_method method;
    bool superlevel;         /* components of {values >= t} as t falls; else of {values <= t} as it rises */
    double simplify;         /* branches that persist less are cut; 0: none */
    bool relative;           /* simplify is a fraction of the range of the values */
    uint64_t simplify_whole; /* in place of both, for 64-bit integers: a threshold that a double may not hold;
                                0: none */
    bool branches_only;      /* no triplets: quicker, and less host memory */
} glshape_mergetree_options;

#define GLSHAPE_NO_VERTEX UINT32_MAX

/* A component, from the extremum where it is born to the saddle where it meets an older one. */
typedef struct glshape_branch {
    uint32_t birth, death; /* vertices; death GLSHAPE_NO_VERTEX: it never ends */
    uint32_t parent; /* the birth of the branch that it joins, the oldest there; its own if it never ends */
    double birth_value, death_value; /* death_value INFINITY, for superlevel too: it never ends. Integers
                                        beyond 2^53 are rounded; values[birth] is exact */
} glshape_branch;

typedef struct glshape_mergetree_result {
    size_t n;
    uint32_t *triplets;       /* n × 3: (u, s, v) for u = 0 … n-1; NULL if branches_only */
    glshape_branch *branches; /* those that never end, then by descending death: a parent comes before its
                                 children. One of no persistence is there unless simplify > 0 */
    size_t count, components; /* branches; of these, those that never end */
    size_t extrema;           /* branches before simplification */
    size_t saddle_edges;      /* BASINS: edges between basins that the GPU found */
    double least, greatest;   /* value */
    uint32_t least_vertex, greatest_vertex; /* which have them */
    size_t slab_planes;                     /* 0: the GPU had the field in one piece */
    size_t gpu_bytes;                       /* most texture memory in use at a time */
    struct {
        double upload, basins, branches, triplets; /* wall clock */
    } seconds;
} glshape_mergetree_result;

/* The merge tree of a field: its branches, and for each vertex u the triplet (u, s, v): at s the component
 * that u began joins that of v, the oldest vertex there. A vertex that begins nothing has s = u: it lies on
 * v's branch. The first vertex of a connected component has (u, u, u). Vertices are ordered by value, of
 * equals the smaller index first (for superlevel by descending value, of equals again the smaller index
 * first), so the triplets are the only ones possible, normalized and minimal (Nigmetov, Morozov,
 * section 2.1). With simplify, a branch cut counts as raised to its saddle: its vertices have (u, u, v), v
 * being the branch that is left. A grid that the GPU does not hold is done by BASINS in slabs of planes, with
 * the same result. Values of 64 bits are compared exactly, and of integers so are differences
 * and thresholds (a fraction of the range is rounded to double); returned as doubles. result is to be freed
 * with glshape_mergetree_free. Errors: GLSHAPE_BAD_ARGUMENT (an option, a neighbourhood that the dimension
 * does not have, no or more than 2^32 - 1 vertices), GLSHAPE_BAD_INPUT (NaN, with its place),
 * GLSHAPE_NO_GPU_MEMORY (says how much is needed), GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED. On failure result is
 * zeroed. Sources: Smirnov, Morozov, "Triplet merge trees", 2017; Nigmetov, Morozov, "GPU computation of
 * triplet merge trees"; Lukasczyk et al., "ExTreeM", 2023. */
GLSHAPE_API glshape_status glshape_mergetree(glshape_context *context, const glshape_field *field,
                                             const glshape_mergetree_options *options,
                                             glshape_mergetree_result *result);
GLSHAPE_API void glshape_mergetree_free(glshape_mergetree_result *result);

/* An arc of a contour tree, between two nodes. */
typedef struct glshape_arc {
    uint32_t lower, upper; /* vertices */
    uint32_t regular;      /* vertices that lie on it */
    double lower_value, upper_value;
} glshape_arc;

typedef struct glshape_contour_result {
    size_t n, count;   /* vertices; arcs */
    glshape_arc *arcs; /* by lower, then upper vertex */
    uint32_t *arc;     /* n: the arc that a vertex lies on; GLSHAPE_NO_VERTEX at a node */
    double seconds;
} glshape_contour_result;

/* The contour tree of a field: what becomes of the connected parts of {value = t} as t rises. Its nodes are
 * the vertices where parts appear, join, split or vanish; with the regular vertices of its arcs these are
 * all. Vertices are ordered by value, of equals the smaller index first. It is the one tree whose join and
 * split trees are the field's (Carr, Snoeyink, Axen, "Computing contour trees in all dimensions", 2003); the
 * call computes the two trees of its result and compares them before it returns. Without periodic axes every
 * field has one with 8, 18, 26 and Freudenthal's neighbours, and on a graph that is a tree; with
 * Freudenthal's it is the contour tree of the linear interpolation. With 4 and 6 neighbours, periodic axes
 * and other graphs a field may have none, which is an error; where there is one, a level set that goes around
 * an axis or a hole may have more parts than the tree shows. A forest, if the graph is not connected. Both
 * trees are computed by `method`. result is to be freed with glshape_contour_free. Errors: as
 * glshape_mergetree, and GLSHAPE_BAD_INPUT (the field has no contour tree); some 80 bytes of host memory a
 * vertex. */
GLSHAPE_API glshape_status glshape_contour(glshape_context *context, const glshape_field *field,
                                           glshape_mergetree_method method, glshape_contour_result *result);
GLSHAPE_API void glshape_contour_free(glshape_contour_result *result);

/* ---- delaunay: triangulations in the plane ------------------------------------------------------ */

#define GLSHAPE_NO_TRIANGLE UINT32_MAX

typedef struct glshape_delaunay_result {
    size_t n, distinct; /* points; of these, with coordinates of their own */
    uint32_t *same;     /* n: the first point with the same coordinates; its own index, if it is that */
    size_t count;       /* triangles */
    /* count × 3: corners, counter-clockwise, the smallest index first; in order of (first, second, third).
     * neighbours[3t + k] is the triangle across the edge opposite corner k, or GLSHAPE_NO_TRIANGLE. */
    uint32_t *triangles, *neighbours;
    uint32_t *chain;  /* no triangles: the distinct points in order along their line, from the end with the
                         smaller index; else NULL */
    int rounds;       /* dispatches that merged blocks */
    uint64_t tests;   /* turns of the mergers; on the CPU, predicates */
    uint64_t limbs;   /* predicates decided in integers of several words on the GPU */
    uint64_t cpu;     /* and in big integers on the CPU */
    size_t gpu_bytes; /* most texture memory in use at a time */
    struct {
        double upload, order, merge, collect; /* wall clock; upload: to integers */
    } seconds;
} glshape_delaunay_result;

/* The Delaunay triangulation of the rows (x, y) of points, of any type: exact for the numbers as they are
 * given, and the same on every device. Of equal points the first counts. Where more than three points lie on
 * one empty circle, the polygon that they span is cut into triangles from its corner of smallest index. Fewer
 * than three distinct points, or points on one line, have no triangles but a chain. Takes up to 190 bytes of
 * GPU memory a point. Coordinates of which the largest difference is 2^126 times the last bit of any, or
 * more, are done on the CPU, by one thread. result is to be freed with glshape_delaunay_free. Errors:
 * GLSHAPE_BAD_INPUT (not two columns, NaN or infinity with its row and column, an integer beyond 2^53 that is
 * no double, more than 715,827,882 points), GLSHAPE_NO_GPU_MEMORY (says how much is needed),
 * GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED. On failure result is zeroed. Sources: Guibas, Stolfi, "Primitives for
 * the manipulation of general subdivisions and the computation of Voronoi diagrams", 1985; Dwyer, "A faster
 * divide-and-conquer algorithm for constructing Delaunay triangulations", 1987; Edelsbrunner, Mücke,
 * "Simulation of simplicity", 1990. */
GLSHAPE_API glshape_status glshape_delaunay(glshape_context *context, const glshape_matrix *points,
                                            glshape_delaunay_result *result);
GLSHAPE_API void glshape_delaunay_free(glshape_delaunay_result *result);

/* ---- alpha: alpha shapes of points in the plane --------------------------------------------------- */

/* The alpha complex at radius α has the faces of the Delaunay triangulation that are born by then: a triangle
 * at its circumradius; an edge at half its length if the disc that it is the diameter of holds no point (else
 * it is attached, and born with its first triangle); a vertex at 0. Radii equal to α count as born. As α
 * grows, a face is first EXTERIOR, then SINGULAR (it bounds no other face), REGULAR (on the boundary, but
 * bounds another) and INTERIOR; each of these may be left out. (CGAL's alpha is the square of this α. Its
 * general mode calls a vertex on edges but no triangle SINGULAR.) */
typedef enum { GLSHAPE_EXTERIOR, GLSHAPE_SINGULAR, GLSHAPE_REGULAR, GLSHAPE_INTERIOR } glshape_alpha_class;

typedef struct glshape_alpha_options {
    bool master; /* also the master list */
} glshape_alpha_options;

/* Which threshold of a face: birth as SINGULAR, as REGULAR, as INTERIOR (of a triangle: RHO). */
typedef enum { GLSHAPE_RHO, GLSHAPE_MU_LOW, GLSHAPE_MU_HIGH } glshape_alpha_threshold;

typedef struct glshape_alpha_entry {
    uint32_t face;          /* a vertex, an edge or a triangle */
    uint8_t dim, threshold; /* 0 … 2; glshape_alpha_threshold */
} glshape_alpha_entry;

/* The whole family. A rank r = 1 … ranks stands for a radius, the r-th of the spectrum; rank 0 for α = 0,
 * where there are but the points, and in the tables below for "never". */
typedef struct glshape_alpha_result {
    size_t n, vertices;                /* points; of these, different ones */
    size_t triangle_count, edge_count; /* none and vertices - 1 if all points lie on one line */
    uint32_t *same;                    /* n: the first point with the same place; a vertex if it is itself */
    uint32_t *triangles;               /* × 3: counter-clockwise */
    uint32_t *neighbours;              /* × 3: the triangle across the edge opposite each corner, or
                                          GLSHAPE_NO_TRIANGLE */
    uint32_t *triangle_edges;          /* × 3: the edge opposite each corner */
    uint32_t *edges;                   /* × 2: its ends, the smaller first */
    size_t ranks;                      /* different radii of triangles and of edges not attached */
    double *radii;            /* ranks + 1, from 0 on, not falling: each within 2 units in the last place.
                                 Ranks are exact: different radii may round to the same double */
    uint32_t *triangle_ranks; /* triangle_count: of ρ, from when on it is INTERIOR */
    uint32_t *edge_ranks;     /* × 3: of ρ (0: attached, never SINGULAR), from when on REGULAR (0: in no
                                 triangle), from when on INTERIOR (0: on the hull) */
    uint32_t *vertex_ranks;   /* n × 3: from when on REGULAR (0: the only vertex), from when on INTERIOR (0:
                                 on the hull), from when on a corner of a triangle (0: of none) */
    size_t master_count;
    glshape_alpha_entry
        *master;          /* by rank, of a rank by dimension, face and threshold; NULL if not asked for */
    size_t *master_start; /* ranks + 2: the entries of rank r are master_start[r] … master_start[r+1] - 1 */
    struct glshape_alpha_exact *exact; /* what comparisons with an α are made on */
    uint64_t near;                     /* neighbours in the sorted spectrum that float64 cannot tell apart, */
    uint64_t compared[2];              /* and the exact comparisons this took on the GPU and on the CPU */
    int rounds;                        /* of odd-even transposition */
    size_t gpu_bytes;                  /* most texture memory in use at a time */
    struct {
        double triangulate, edges, keys, sort, compare, intervals, master; /* wall clock */
    } seconds;
} glshape_alpha_result;

/* The alpha shapes, for all α, of n × 2 finite coordinates, exactly: the answer is that of rational
 * arithmetic on the coordinates as they are given, the same on every device. Points at the same place are one
 * vertex. Of points on one circle the triangulation is one of several, chosen by their numbers. result is to
 * be freed with glshape_alpha_free. Errors: GLSHAPE_BAD_INPUT (not two columns; NaN and infinities, with
 * row and column; more than 715,827,882 points), GLSHAPE_NO_GPU_MEMORY (says how much is needed),
 * GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED. On failure result is zeroed. Sources: Sridharan, Nanjappa, Tan,
 * "Computing 2D alpha shapes using GPU", 2012; Edelsbrunner, Kirkpatrick, Seidel, "On the shape of a set of
 * points in the plane", 1983; Mücke, "Shapes and implementations in three-dimensional geometry", 1993. */
GLSHAPE_API glshape_status glshape_alpha(glshape_context *context, const glshape_matrix *points,
                                         const glshape_alpha_options *options, glshape_alpha_result *result);
GLSHAPE_API void glshape_alpha_free(glshape_alpha_result *result);

/* The rank of a radius α > 0: how many radii of the spectrum are at most α, exactly. GLSHAPE_BAD_ARGUMENT: α
 * is not above 0; INFINITY is fine. */
GLSHAPE_API glshape_status glshape_alpha_rank(glshape_context *context, const glshape_alpha_result *result,
                                              double alpha, uint32_t *rank);
/* The least rank at which every point is on a triangle and the triangles make at most `components` (at least
 * 1) solid components, joined across edges. GLSHAPE_BAD_INPUT: all points are on one line. GLSHAPE_NO_MEMORY.
 */
GLSHAPE_API glshape_status glshape_alpha_optimal(glshape_context *context, const glshape_alpha_result *result,
                                                 size_t components, uint32_t *rank);

typedef struct glshape_alpha_component {
    size_t triangles, first_ring, rings;
    double area, perimeter; /* perimeter: of all rings */
} glshape_alpha_component;

typedef struct glshape_alpha_shape {
    uint32_t rank;
    double radius;
    uint8_t *vertex, *edge, *triangle;  /* glshape_alpha_class of n, edge_count, triangle_count; a point that
                                           is  no vertex has the class of its vertex */
    size_t components;                  /* solid ones: triangles joined across edges */
    glshape_alpha_component *component; /* by the first triangle */
    uint32_t *component_of;             /* triangle_count; UINT32_MAX: exterior */
    /* Of each component the outer ring, counter-clockwise, then its holes, clockwise; a ring visits no point
     * twice, has the least first, and its last is joined to the first. Holes go by their least point. */
    size_t rings;
    size_t *ring_start; /* rings + 1 */
    uint32_t *ring;     /* points */
} glshape_alpha_shape;

/* The shape at a rank. regularized: only triangles and what bounds them; no singular faces. shape is to be
 * freed with glshape_alpha_shape_free. GLSHAPE_BAD_ARGUMENT: a rank beyond result->ranks. GLSHAPE_NO_MEMORY.
 */
GLSHAPE_API glshape_status glshape_alpha_at(glshape_context *context, const glshape_alpha_result *result,
                                            uint32_t rank, bool regularized, glshape_alpha_shape *shape);
GLSHAPE_API void glshape_alpha_shape_free(glshape_alpha_shape *shape);

/* The intervals of persistent homology, of non-zero length, of the alpha filtration in dimensions 0 and 1:
 * births and deaths are radii, and differ as doubles. Those of dimension 0 come by death, of dimension 1 by
 * descending birth. Of a simplex that 64 bits cannot name (beyond some 4,800,000 points) GLSHAPE_NO_SIMPLEX.
 * free(*intervals). GLSHAPE_NO_MEMORY. */
GLSHAPE_API glshape_status glshape_alpha_persistence(glshape_context *context,
                                                     const glshape_alpha_result *result,
                                                     glshape_interval **intervals, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
