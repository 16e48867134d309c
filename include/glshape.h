/* glshape: the shape of data on any OpenGL 4.3 GPU.
 *
 * One header, plain C arrays in and out. A glshape_context is one open device. Use a context from one thread
 * at a time; several threads may each have their own. The library never prints, never exits and keeps no
 * global state but which process first used a driver.
 *
 * Errors: every call that can fail returns a glshape_status. glshape_last_error() then gives a sentence that
 * names the input, the limit and the remedy; it counts rows and columns from 1.
 *
 * Options: a struct of zeros means the defaults, and so does NULL in place of the struct. Where 0 is a value
 * that a caller may want, the field is a glshape_optional, which GLSHAPE_SET() fills.
 *
 * Ownership: the caller owns what it passes, and must keep it until the call returns. A result belongs to the
 * caller, who frees it with the call that ends in _free. A call that fails leaves its result empty; freeing
 * that is fine.
 *
 * Processes: after fork() the child may use a context whose device is not open, if no call was running on it,
 * and may open contexts. A driver does not work on both sides of fork(): if the parent had used one, the
 * child's calls that need a device, and all calls on a context whose device was open, fail with
 * GLSHAPE_NO_DEVICE.
 *
 * Threads: what is done on the CPU takes as many as the process may use processors, or the number that the
 * environment gives as GLSHAPE_THREADS. No answer depends on it.
 *
 * Arrays: n × m stands for n rows of m values, row after row (C order), without padding. Indices count from
 * 0. Seconds are wall-clock time.
 *
 * Names: an enumerator begins with the name of its method, or, if all methods share it, of its type:
 * GLSHAPE_ALPHA_RHO, GLSHAPE_METRIC_COSINE. Statuses (GLSHAPE_OK) and element types (GLSHAPE_F32) are short,
 * as they stand everywhere. */
#ifndef GLSHAPE_H
#define GLSHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GLSHAPE_VERSION "0.2.0"

#if defined(__GNUC__)
#define GLSHAPE_API __attribute__((visibility("default")))
#else
#define GLSHAPE_API
#endif

/* ---- version ----------------------------------------------------------------------------------- */

/* The version of the library: a static string. A program that loads the library while it runs compares it
 * with GLSHAPE_VERSION, the version of this header. */
GLSHAPE_API const char *glshape_version(void);

/* Sources, options and results end with so many words, which callers zero: {0} does. A later version gives
 * such words names; 0 means there what this version does, and the structure keeps its size. A word of a
 * source or of options that is not 0 is from a program that was compiled with a later header, or was not
 * zeroed: GLSHAPE_BAD_ARGUMENT. */
#define GLSHAPE_RESERVED 4

/* ---- statuses ---------------------------------------------------------------------------------- */

/* Every status and the words for it, in one table. */
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

/* The words of a status: a static string, never NULL. */
GLSHAPE_API const char *glshape_status_text(glshape_status status);

/* ---- data --------------------------------------------------------------------------------------- */

/* A number that may be left out: {0} leaves it out, GLSHAPE_SET(0) is the number 0. */
typedef struct glshape_optional {
    bool is_set;
    double value;
} glshape_optional;

#ifdef __cplusplus
#define GLSHAPE_SET(x) (glshape_optional{true, (double)(x)})
#else
#define GLSHAPE_SET(x) ((glshape_optional){true, (double)(x)})
#endif

/* Element types: name, C type, NumPy's code. Values are in native byte order. */
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

/* A dense matrix: rows × cols values. If points are integers beyond 2^53, such as nanoseconds since
 * 1970, methods subtract them exactly or refuse them; glshape_delaunay and _alpha refuse those that are no
 * doubles. */
typedef struct glshape_matrix {
    glshape_type type;
    size_t rows, cols;
    void *data;
} glshape_matrix;

/* Sparse rows (CSR). Row r has value[k] in column[k] for start[r] <= k < start[r + 1]; its columns ascend.
 * All other values are 0. */
typedef struct glshape_sparse {
    size_t rows, cols;
    const size_t *start; /* rows + 1, from 0 */
    const uint32_t *column;
    const float *value;
} glshape_sparse;

/* An undirected graph. The neighbors of node v are to[k] for start[v] <= k < start[v + 1], in any order. Each
 * edge is listed from both its ends, with the same length. Of several edges between two nodes the shortest
 * counts. An edge from a node to itself does not count. */
typedef struct glshape_graph {
    size_t nodes;        /* 1 to 2^32 - 2 */
    const size_t *start; /* nodes + 1, from 0 */
    const uint32_t *to;
    const float *weight; /* lengths, positive and finite, of linkage and hdbscan also 0; NULL: all are 1 */
} glshape_graph;

/* Edges {i[k], j[k]} with weight[k] for k < count, in any order. An edge from a node to itself does not
 * count. */
typedef struct glshape_edges {
    size_t nodes, count; /* below 2^32 - 1 */
    const uint32_t *i, *j;
    const float *weight; /* anything but NaN; NULL: all are 1 */
} glshape_edges;

/* A scalar field: one value for each vertex of a grid or of a graph. NaN is refused. */
typedef struct glshape_field {
    glshape_type type;
    const void *values;         /* of a grid in C order: the last extent is the fastest */
    const glshape_graph *graph; /* its weights do not matter; NULL: the field is on a grid */
    int dims;                   /* of a grid: 1, 2 or 3 */
    size_t shape[3];            /* extents of a grid: (x), (y, x) or (z, y, x) */
    bool periodic[3];           /* for each extent: its two ends are neighbors */
    /* How many neighbors an inner vertex of a grid has. 1-D: 2. 2-D: 4, 8 or 6 (Freudenthal's triangles).
     * 3-D: 6, 18, 26 or 14 (Freudenthal's tetrahedra). 0: the neighbors across a side, 2, 4 or 6; but for
     * glshape_contour and glshape_contour_and_join Freudenthal's, 2, 6 or 14. */
    int neighborhood;
} glshape_field;

/* ---- sources: where dissimilarities come from ---------------------------------------------------- */

/* The dissimilarity of two rows x, y. Cosine is 1 - x·y/(|x||y|). Correlation is the cosine after each row's
 * mean is taken from it. Chebyshev is the greatest |x[c] - y[c]|. Minkowski is (Σ|x[c] - y[c]|^p)^(1/p) for a
 * p from 1 to 64, or INFINITY; with p = 1, 2 and INFINITY it is Manhattan, Euclidean and Chebyshev, to the
 * last bit. All are as in scipy.spatial.distance.
 *
 * Rows are first multiplied by a power of two that brings their largest value to between 1/4 and 1, so no
 * power overflows. A difference may count as none if it is below 2^(-1022/p) of the largest value for
 * Minkowski, below 10^-154 of it for Euclidean, and below 2^-1074 of it for Manhattan and Chebyshev. A whole
 * p is a product of differences, the same on every machine; other powers are those of the C library's pow(),
 * on the CPU.
 *
 * Precision of cosine and correlation: they are computed as half the squared distance of the rows divided by
 * their lengths. This loses no digits at small angles. A power of two that multiplies a row changes no bit.
 * Cosine is exactly 0 between a row of doubles and its multiples. Double precision leaves an error of about
 * 2^-52 times the root of the number of columns in each angle. Rows at smaller angles (1 - cos below some
 * 1e-31 for a few columns) cannot be told apart: their order is the same on every device, but has no meaning.
 *
 * Layouts by Chebyshev and Minkowski distance take n²·columns steps of the CPU, which makes the matrix for
 * them.
 *
 * rips rounds distances to single precision. mds and the search for candidates compute in single precision
 * relative to the spread of the rows.
 */
typedef enum {
    GLSHAPE_METRIC_EUCLIDEAN,
    GLSHAPE_METRIC_MANHATTAN,
    GLSHAPE_METRIC_COSINE,
    GLSHAPE_METRIC_CORRELATION,
    GLSHAPE_METRIC_CHEBYSHEV,
    GLSHAPE_METRIC_MINKOWSKI,
    /* Along a sphere, of points of knn, linkage, hdbscan and rips: rows are latitude and longitude, in
     * radians, as those of scikit-learn. The index and the passes take points in space, as it grows with the
     * chord. */
    GLSHAPE_METRIC_HAVERSINE,
} glshape_metric;

/* A caller's function. It fills out with rows [first, first + count) of an n × n matrix of dissimilarities: n
 * values a row. mds: NaN where one is missing; knn, linkage, hdbscan and rips: infinity where two points are
 * never joined. The matrix is symmetric, not negative, and 0 on the diagonal; the caller sees to that. What
 * rounding leaves below 0 or on the diagonal, up to 1e-6 of the largest of the row, counts as 0. Several
 * threads call it at once. On failure it returns false and writes a sentence of at most size bytes into
 * message; the last byte does not count, so no NUL is needed. */
typedef bool (*glshape_row_reader)(void *user, uint32_t first, uint32_t count, float *out, char *message,
                                   size_t size);

/* The same in double precision. */
typedef bool (*glshape_double_reader)(void *user, uint32_t first, uint32_t count, double *out, char *message,
                                      size_t size);

/* A caller's function. It fills out[k] with the dissimilarity of points i[k] and j[k] for k < count, NaN
 * where it is missing. It is asked for each pair once if there are at most 3,000 points; else for those that
 * the layout needs, and where there are more than 8,192 it may be asked for a pair again. One thread at a
 * time calls it, which may be another than the caller's. On failure it does as a glshape_row_reader does. */
typedef bool (*glshape_feeder)(void *user, size_t count, const uint32_t *i, const uint32_t *j, float *out,
                               char *message, size_t size);

/* Where a matrix of dissimilarities is kept while it is used. */
typedef enum {
    GLSHAPE_KEEP_AUTO,     /* on the GPU if it fits into the memory limit and 1 GiB, else paged */
    GLSHAPE_KEEP_RESIDENT, /* on the GPU */
    GLSHAPE_KEEP_PAGED,    /* mds: in a file, in the order of use, and streamed to the GPU; linkage: nowhere,
                              it is read once, row by row */
} glshape_keep;

/* Where dissimilarities come from. Exactly one of points, sparse, graph, reader and feeder is set. */
typedef struct glshape_source {
    const glshape_matrix *points; /* n rows, compared by metric */
    const glshape_sparse *sparse; /* n sparse rows, compared by metric; not by correlation */
    /* Their values in double precision, as sparse->column has its entries, or NULL. knn, linkage and hdbscan
     * then compute with these. */
    const double *sparse_values;
    const glshape_graph *graph; /* mds: lengths of shortest paths; rips, linkage: lengths of edges */
    /* The graph's lengths in double precision, as graph->to has its edges, or NULL. linkage and hdbscan then
     * compute with these. */
    const double *graph_lengths;
    glshape_row_reader reader; /* an n × n matrix, row by row */
    glshape_feeder feeder;     /* mds: pairs, as they are needed (Ingram 2007, chapter 5) */
    /* The reader's matrix in double precision, or NULL. knn, linkage and hdbscan then compute with these
     * values as they are. They read such a matrix row by row and keep nothing of it on the GPU. */
    glshape_double_reader double_reader;
    void *user; /* of reader, double_reader and feeder */
    size_t n;   /* of reader and feeder: points */
    glshape_metric metric;
    double p; /* of GLSHAPE_METRIC_MINKOWSKI; 0: 2. If p is large, trees and neighbors take a difference as 0
                 that is below 2^(-1000/p) of the largest value: its power is no number of double precision.
                 Of GLSHAPE_METRIC_HAVERSINE: the radius of the sphere; 0: 1 */
    glshape_keep keep; /* of reader and graph */
    /* mds: how much each pair counts. The reader gives n × n weights: symmetric, finite, not negative, and in
     * each row not all 0. The diagonal does not matter. A weight multiplies its pair's term in forces and in
     * the stress, so only proportions matter; 0 ignores the pair. Weights take 4 n² bytes on the GPU. NULL:
     * all pairs count alike. */
    glshape_row_reader weights;
    void *weights_user;
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_source;

/* ---- devices ------------------------------------------------------------------------------------- */

/* What a device allows. OpenGL 4.3 guarantees 16384, 8, 16, 8, 32768, 1024 and 65535. */
typedef struct glshape_limits {
    int texture_size; /* texels wide and high */
    int image_units;
    int texture_units;
    int color_attachments;
    int shared_bytes;      /* memory that a work group shares */
    int group_invocations; /* invocations of a work group */
    int group_count;       /* work groups of a dispatch */
} glshape_limits;

/* One EGL device. */
typedef struct glshape_device {
    char renderer[128], vendor[64], version[96]; /* OpenGL's words; "" if the device is not usable */
    bool usable;
    char why[256]; /* why it is not usable; "" if it is */
    bool software; /* it runs on the CPU */
    glshape_limits limits;
    /* The arithmetic self-test: TwoSum, TwoProduct and integers of several words are exact; doubles are
     * rounded as IEEE 754 says. */
    bool two_sum, two_product, multi_limb, doubles;
    bool keeps_programs; /* its driver hands out linked programs, which glshape keeps (glshape_kept_programs)
                          */
    /* Rates of the compute stage and of the fragment stage; 0 if they were not measured. */
    double copy_rate[2];  /* bytes read and written per second */
    double fetch_rate[2]; /* scattered fetches of 16 bytes per second */
    /* How many times as long as floats doubles take; 0 if that was not measured. slow_doubles: too long, or
     * its compiler emulates them; then processors do the work of exact programs. */
    double double_times;
    bool slow_doubles;
    /* Programs whose work processors do instead, and why: what calls before have found of this driver. Commas
     * between them; "" if there are none. */
    char left[512];
} glshape_device;

/* Lists the EGL devices of this machine, in EGL's order. It stores at most max of them in out. *count gets
 * how many there are; 0 is no error. With measure it also measures the rates, about a second a device.
 * Errors: GLSHAPE_NO_MEMORY, GLSHAPE_NO_DEVICE (after fork() only, as said above). */
GLSHAPE_API glshape_status glshape_devices(glshape_device *out, int max, int *count, bool measure);

/* Linked programs that are kept on disk, so that a driver need not compile them in every process. They lie in
 * the folder that the environment names: GLSHAPE_CACHE, or glshape in XDG_CACHE_HOME, or .cache/glshape in
 * HOME; GLSHAPE_CACHE=off keeps none. What cannot be read or written there is compiled, silently. Contexts
 * that close see to it that all take at most most_bytes: those that were not used for the longest time are
 * deleted. */
typedef struct glshape_programs {
    char folder[4096]; /* "": none are kept */
    size_t count, bytes, most_bytes;
} glshape_programs;

/* Says where programs are kept, and how many there are. */
GLSHAPE_API void glshape_kept_programs(glshape_programs *out);

/* ---- contexts ------------------------------------------------------------------------------------ */

typedef struct glshape_context glshape_context;

/* How texel kernels run. AUTO measures once and takes the faster stage. Exact methods give the same result in
 * both stages; layouts agree within rounding. */
typedef enum { GLSHAPE_STAGE_AUTO, GLSHAPE_STAGE_COMPUTE, GLSHAPE_STAGE_FRAGMENT } glshape_stage;

/* A caller's function. Long calls call it now and then with the fraction done, 0 to 1. If it returns false,
 * the call ends with GLSHAPE_CANCELLED. */
typedef bool (*glshape_progress)(void *user, double fraction);

/* What a context has to do with the other processes of an MPI program, its ranks. Only a library that was
 * built with `make MPI=1` knows them; to any other, each process is the only rank.
 *
 * SHARE: all ranks open a context, and make the calls glshape_knn, _knn_source, _linkage, _hdbscan,
 * _mds and _mergetree together, in the same order, with the same input and the same options. They share the
 * work of dense points (but for _mds), of a reader whose rows are not kept on the GPU, and of a grid of at
 * most 32 bits a value; of other input rank 0 does all. Of a grid of p planes (the first extent) rank q of R
 * looks only at the values of planes floor(p·q/R) to floor(p·(q+1)/R) - 1, and of one plane more on either
 * side, around the end as well. The result is rank 0's, and has the same bytes as from one process; those of
 * the others are empty. If a rank fails, the call fails on all, with the sentence of the first rank that
 * failed. Other calls do as ever.
 *
 * MPI must be running, and only the thread that makes these calls may use it meanwhile. All ranks together
 * open their first context that is not APART. */
typedef enum {
    GLSHAPE_RANKS_APART,  /* nothing */
    GLSHAPE_RANKS_DEVICE, /* the default device: ranks on one machine take its hardware devices in turn */
    GLSHAPE_RANKS_SHARE,  /* the default device and the work */
} glshape_ranks;

typedef struct glshape_options {
    /* An index ("1") or a part of a renderer's name. Every stage that passes can do then runs there, however
     * small it is, and on a software renderer, too. NULL: the first hardware device, or the software renderer
     * if there is none; stages run where they are expected to be faster, small inputs on the processors.
     * glshape_stages says where each stage ran, and why. The results of exact methods are the same. */
    const char *device;
    glshape_stage stage;
    size_t gpu_memory; /* limit of texture memory in bytes; 0: what the device gives */
    bool debug;        /* turns OpenGL's debug output on: an error that it reports makes the call fail */
    bool timing;       /* times every pass, for glshape_timings; slows software renderers a little */
    bool when_needed;  /* the device is opened by the first call that needs it; if there is none, that call
                          fails, unless processors can do its work */
    glshape_progress progress; /* may be NULL */
    void *user;                /* of progress */
    glshape_ranks ranks;
    /* A program that compiles OpenGL's programs in a process of its own, which can be stopped: it is run as
     * `compiler compile-programs N`, N being the number of the device, reads their sources from its standard
     * input, each with a 0 at its end, and calls glshape_compile_programs. As `compiler compile-later N` it
     * returns at once, and compiles meanwhile. glshape_knn, _linkage and _hdbscan of points in up to four
     * columns, _delaunay and _alpha are then done by the processors where their programs were never compiled
     * on this machine and the processors are done sooner; glshape_close has the programs compiled, and does
     * not wait. The command `glshape` is such a program. It must be there as long as the context. NULL: there
     * is none, and a method waits for its programs. */
    const char *compiler;
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_options;

/* Opens a device. options may be NULL. *out gets a context even when the call fails, so that
 * glshape_last_error can be asked; only without any memory it is NULL. Close it in either case. Errors:
 * GLSHAPE_NO_DEVICE, GLSHAPE_GPU_ERROR, GLSHAPE_NO_MEMORY. */
GLSHAPE_API glshape_status glshape_open(const glshape_options *options, glshape_context **out);
/* Closes a context; NULL is fine. Returns how many OpenGL objects were left: 0, unless glshape has a bug. */
GLSHAPE_API int glshape_close(glshape_context *context);
/* The sentence of the last call, if it failed, else "". Valid until the next call on the context. */
GLSHAPE_API const char *glshape_last_error(const glshape_context *context);
/* OpenGL's name of the device; "" while it is not open. Valid until the context is closed. */
GLSHAPE_API const char *glshape_renderer(const glshape_context *context);
/* Whether the device is a software renderer. */
GLSHAPE_API bool glshape_is_software(const glshape_context *context);
/* The most texture memory in use at a time since the context was opened, in bytes. */
GLSHAPE_API size_t glshape_peak_gpu_bytes(const glshape_context *context);

/* Why work that the device could have done was left to the processors, with the same results: its driver
 * emulates doubles, does not finish compiling a program, or computes something wrong. Sentences, one a line,
 * since the context was opened; "" if there are none. Valid until the next call on the context. */
GLSHAPE_API const char *glshape_notes(const glshape_context *context);

/* For a program that is a compiler (glshape_options): compiles the sources of compute shaders, and keeps the
 * linked programs, where other processes find them. Errors: as glshape_open. */
GLSHAPE_API glshape_status glshape_compile_programs(const glshape_options *options,
                                                    const char *const *sources, int count);

/* The time that one pass took, since the context was opened. */
typedef struct glshape_timing {
    const char *pass; /* a static string */
    double seconds;
    uint64_t runs;           /* dispatches and draws */
    double compile_seconds;  /* until its programs could run: each variant of the pass is one */
    uint32_t programs, kept; /* how many there are; of these, taken from disk (glshape_kept_programs) */
} glshape_timing;
/* Stores at most max timings in out; returns how many it stored. There are none unless options.timing was
 * set. */
GLSHAPE_API int glshape_timings(glshape_context *context, glshape_timing *out, int max);

/* A stage of a method: where it ran, and why there. The seconds of passes and transfers are there if
 * options.timing was set; what is left of the stage's seconds is work of the processors. Passes may run while
 * the processors work, so that the sum may be more than the stage's seconds. */
typedef struct glshape_stage_facts {
    const char *stage;             /* a static string; "open": the opening of the device */
    bool on_device;                /* else the processors did it */
    const char *why;               /* a static string */
    double seconds;                /* by the clock */
    double passes, transfers;      /* seconds of these */
    uint64_t bytes_up, bytes_down; /* to the device, and from it */
} glshape_stage_facts;
/* Stores at most max stages of the last method in out, in the order in which they began; returns how many it
 * stored. A stage that went on after another is listed once. As with glshape_facts, names come and go. */
GLSHAPE_API int glshape_stages(glshape_context *context, glshape_stage_facts *out, int max);

/* What a method counted on its way: a name such as "rounds", and a number. */
typedef struct glshape_fact {
    char name[48];
    double value;
} glshape_fact;
/* Stores at most max facts of the last method in out; returns how many it stored. They say how the answer was
 * found, and no program should depend on them: names come and go with versions. The methods are glshape_mds,
 * _mds_transform, _knn, _linkage, _hdbscan, _mst, _rips, _mergetree, _cubical, _contour, _delaunay and
 * _alpha; other calls leave the facts as they are. */
GLSHAPE_API int glshape_facts(glshape_context *context, glshape_fact *out, int max);

/* ---- mds: layouts -------------------------------------------------------------------------------- */

/* GLIMMER: multilevel, then a closing phase of decreasing steps that ends near SMACOF's stress; up to 100
 * points, if no device is named, pairs with decreasing steps and SMACOF without a device. GPU_SF: the
 * single-level stochastic force alone (Ingram 2007, chapter 4), the baseline of that thesis. CLASSICAL:
 * classical scaling, also called principal coordinates analysis (PCoA): the leading eigenvectors of the
 * doubly centered squared distances B = -½ J D∘D J, J = I - 11ᵀ/n, each times the root of its eigenvalue.
 * ORDINAL: non-metric scaling (Kruskal 1964): only the order of the dissimilarities counts. */
typedef enum {
    GLSHAPE_MDS_GLIMMER,
    GLSHAPE_MDS_GPU_SF,
    GLSHAPE_MDS_CLASSICAL,
    GLSHAPE_MDS_ORDINAL
} glshape_mds_method;

/* Whether d̂ of pairs of equal dissimilarity may differ (PRIMARY) or not (SECONDARY). */
typedef enum { GLSHAPE_MDS_TIES_PRIMARY, GLSHAPE_MDS_TIES_SECONDARY } glshape_mds_ties;

/* What classical scaling adds to distances between different points, so that no eigenvalue is negative: the
 * least constant that does it. LINGOES: √(d² + 2·constant). CAILLIEZ: d + constant. */
typedef enum { GLSHAPE_MDS_UNCORRECTED, GLSHAPE_MDS_LINGOES, GLSHAPE_MDS_CAILLIEZ } glshape_mds_correction;

typedef struct glshape_mds_options {
    int dim; /* dimension of the layout, at least 1; 0: 2. Classical: at most n - 1 (of 2 points the default
                is 1), and at most 100 */
    glshape_mds_method method;
    uint64_t seed; /* the same seed, device and stage give the same bits; classical does not look at it */
    /* So many layouts are made, each from other random positions; the one of least stress is kept. After one
     * whose stress is next to 0 no more are made. 0: two, if their stresses are within 1 % of each other;
     * else at least 16, until two are as near to the least, but at most 24, and at most 16384 / n. 1 with
     * gpu-sf. Classical: must be 0. Ordinal: the first one starts from classical scaling, if no pair is
     * missing; 0: 4000 / n, but 1 to 24. */
    int attempts;
    /* For a graph, connected or not: lays out each component by itself. Then puts the components side by
     * side, the largest first, on shelves along the first coordinate. */
    bool components;
    glshape_mds_correction correction; /* classical */
    bool exact; /* classical: residuals are at most 1e-10 of the largest eigenvalue, where they are else at
                   most 1e-6; all products are the processors', in double precision */
    glshape_mds_ties ties; /* ordinal */
    /* Glimmer, ordinal: n × dim. The first attempt goes downhill from this layout, and attempts 0 is 1.
     * Glimmer: the result's stress is at most that of this layout. */
    const glshape_matrix *start;
    /* Glimmer, of more than 100 points: each level is `decimation` times as large as the one below it (the
     * paper's F: 2 to 32; 0: 8), and the coarsest has fewer than `coarsest` points (M: at least 64; 0: 1000).
     */
    int decimation, coarsest;
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_mds_options;

/* A connected component of a graph. */
typedef struct glshape_mds_component {
    size_t nodes, first; /* how many nodes, and the lowest of them */
    double stress, stress_error;
} glshape_mds_component;

/* One level of the hierarchy (Ingram 2007, section 3.2). */
typedef struct glshape_mds_level {
    size_t points;
    int interpolation, relaxation; /* iterations; the coarsest level has no interpolation */
    double sparse_stress;          /* after the last iteration of the relaxation (equation 4.1) */
} glshape_mds_level;

#define GLSHAPE_MDS_LEVELS 12

typedef struct glshape_mds_result {
    glshape_mds_method method;
    glshape_mds_ties ties; /* of an ordinal layout */
    size_t n;
    int dim;
    float *layout; /* n × dim, in the order and the unit of the input, centered on 0 */
    double stress; /* normalized: Σw(d-δ)² / Σwδ² over all pairs; 0 if all δ are 0. Classical: 0, it is
                      not computed. Ordinal: Kruskal's stress-1, √(Σw(d-d̂)² / Σwd²), d̂ being the numbers
                      nearest to d that ascend with δ */
    double stress_error; /* 0: the stress is exact; else the standard error of an estimate: of more than
                            100,000 points, or of a feeder's if they are more than 3,000 */
    int iterations;      /* of all phases together; classical: products with the matrix */
    int closing;         /* how many of these are in the closing phase */
    size_t gpu_bytes;    /* most texture memory in use at a time */
    uint64_t pairs;      /* n(n-1)/2; with components only pairs within one */
    uint64_t missing;    /* how many of these a reader gave as NaN */
    int level_count;
    glshape_mds_level levels[GLSHAPE_MDS_LEVELS]; /* coarsest first; with components those of the largest */
    size_t component_count;
    glshape_mds_component *components; /* if asked for: the largest first, then by the lowest node */
    /* Classical; else NULL and 0. Eigenvalues are in the squared unit of the distances. */
    double *eigenvalues; /* dim: of B, the largest first, without the 0 of the constant vector; where one is
                            negative, the coordinates are 0 */
    double *residuals; /* dim: ‖Bv - λv‖ of each; of points with Euclidean distances, XᵀX stands for B */
    double trace;      /* of B: the sum of all its eigenvalues, computed from the distances alone */
    glshape_mds_correction correction;
    double constant; /* of the correction; 0 if no eigenvalue was negative. Eigenvalues, trace and layout are
                        those of the corrected distances */
    double *mean_squares; /* n: of each row of (corrected by Cailliez) distances the mean of their squares */
    bool converged;       /* every residual is within the bound that is said below */
    double least_eigenvalue; /* the least that was met; the least there is, is not above it. Lingoes: of the
                                distances that were given. 0 for points with Euclidean distances, which have
                                none below 0 */
    struct {
        double upload, scan, glimmer, closing, stress; /* scan: arranging a paged matrix */
        double classical, ordinal;                     /* all of it */
    } seconds;
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_mds_result;

/* Lays out the points of source in dim dimensions. Distances in the layout come close to the dissimilarities.
 * Needs at least 2 points. Points, sparse rows, a reader, a feeder or a graph will do; a graph must be
 * connected, unless options.components is set. Free result with glshape_mds_free.
 *
 * Classical scaling reads the matrix once for each product if it is paged (GLSHAPE_KEEP_PAGED, or it has no
 * room), else once. Its residuals are at most 1e-6 of the largest eigenvalue (options.exact: 1e-10), or a
 * note says that they are not. Lingoes' correction takes a second search, Cailliez' about five, each of
 * another matrix. In each column of its layout the entry of largest magnitude is positive. A feeder is asked
 * for all pairs.
 *
 * Ordinal scaling has no unit: the layout gets the mean square of the dissimilarities, is centered, and lies
 * along its principal axes, with the signs of classical scaling. A dissimilarity of 0 is one, and not
 * missing. All pairs are in memory, 48 bytes each, of at most 65,535 points.
 *
 * Errors: GLSHAPE_BAD_ARGUMENT (dim, attempts, method, correction, ties, decimation, coarsest, or both if
 * they make more than GLSHAPE_MDS_LEVELS levels; classical with weights; classical or ordinal with
 * components), GLSHAPE_BAD_INPUT (fewer than 2 rows, no columns, NaN or infinity with its row and column, a
 * reader's or a feeder's value that is negative or infinite, points in pieces that no distance joins, with
 * classical any missing distance, a zero row with cosine, a constant row with correlation),
 * GLSHAPE_NO_GPU_MEMORY (says how much is needed), GLSHAPE_NO_MEMORY, GLSHAPE_IO_ERROR (the reader or the
 * feeder failed), GLSHAPE_CANCELLED.
 *
 * Sources: Ingram, "Multilevel Multidimensional Scaling on the GPU", 2007, chapters 3 and 4; the closing
 * phase follows Zheng, Pawar, Goodman, "Graph drawing by stochastic gradient descent", 2018. Classical:
 * Gower, "Some distance properties of latent root and vector methods used in multivariate analysis", 1966;
 * Halko, Martinsson, Tropp, "Finding structure with randomness", 2011; Musco, Musco, "Randomized block Krylov
 * methods for stronger and faster approximate singular value decomposition", 2015. */
GLSHAPE_API glshape_status glshape_mds(glshape_context *context, const glshape_source *source,
                                       const glshape_mds_options *options, glshape_mds_result *result);
/* Scores of variables for a biplot beside a layout of classical scaling. out[v · dim + k] becomes the slope
 * of variable v over coordinate k: the covariance of both, divided by the variance of the coordinate. This is
 * what scikit-bio's pcoa_biplot and ape's biplot.pcoa show; 0 where the eigenvalue is not positive.
 * variables: a row for each point, a column for each variable.
 *
 * Errors: GLSHAPE_BAD_ARGUMENT (a layout of another method), GLSHAPE_BAD_INPUT (another number of rows; NaN
 * or infinity with its row and column), GLSHAPE_NO_MEMORY. */
GLSHAPE_API glshape_status glshape_mds_biplot(glshape_context *context, const glshape_mds_result *result,
                                              const glshape_matrix *variables, double *out);
/* Moves a layout onto another, so that Σ|x - target|² over the points is least: rotated, reflected and
 * shifted, but not scaled, so that its distances stay (Procrustes analysis). target has a row for each point,
 * and at most dim columns; those that it lacks count as 0. The coordinates of classical scaling then no
 * longer belong to single eigenvalues: biplots and new rows are of the layout before.
 *
 * Errors: GLSHAPE_BAD_ARGUMENT (no layout), GLSHAPE_BAD_INPUT (another number of rows, more columns; NaN or
 * infinity with its row and column), GLSHAPE_NO_MEMORY.
 *
 * Source: Schönemann, "A generalized solution of the orthogonal Procrustes problem", 1966. */
GLSHAPE_API glshape_status glshape_mds_align(glshape_context *context, glshape_mds_result *result,
                                             const glshape_matrix *target);
/* What a Shepard diagram shows: of each pair of at most so many points, evenly taken from all, the
 * dissimilarity δ, the distance d in the layout, and what d should be: d̂ of an ordinal layout, by the pairs
 * shown, else δ. out has room for points(points - 1)/2 × 3 values; *count gets the number of pairs, in order
 * of δ. Missing pairs are not among them. source: where the layout is from.
 *
 * Errors: GLSHAPE_BAD_ARGUMENT (no layout, fewer than 2 points, a source of another number of points); as
 * glshape_mds. */
GLSHAPE_API glshape_status glshape_mds_shepard(glshape_context *context, const glshape_source *source,
                                               const glshape_mds_result *result, size_t points, double *out,
                                               size_t *count);
/* Places new rows in a layout, which stays as it is: out, rows × dim, gets their coordinates.
 *
 * source: where the layout is from. If it has points, rows are points, compared by source's metric.
 * Otherwise, and if source is NULL, a row has its distances to all points of the layout.
 *
 * Classical scaling: Gower's formula. A row that has the distances of point i gets the place of point i,
 * unless Cailliez' correction made its distance to itself one that counts. Layouts of stress: each row by
 * itself goes where Σ(d-δ)² over all points of the layout is least; a distance may be missing (NaN). By
 * passes, in single precision, if there are many rows; else by processors, in double precision.
 *
 * Errors: GLSHAPE_BAD_ARGUMENT (no layout, one of components, or an ordinal one, whose distances are only in
 * an order), GLSHAPE_BAD_INPUT (another number of columns or of points; a value that is no coordinate or no
 * distance, with row and column; a row without distances), GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED.
 *
 * Source of the formula: Gower, "Adding a point to vector diagrams in multivariate analysis", 1968. */
GLSHAPE_API glshape_status glshape_mds_transform(glshape_context *context, const glshape_source *source,
                                                 const glshape_mds_result *model, const glshape_matrix *rows,
                                                 float *out);
/* Frees what a result holds. */
GLSHAPE_API void glshape_mds_free(glshape_mds_result *result);

/* ---- knn: nearest neighbors ---------------------------------------------------------------------- */

#define GLSHAPE_KNN_MOST 1024

/* How neighbors of points are found. The answer is the same. */
typedef enum {
    GLSHAPE_SEARCH_AUTO,  /* through an index if a sample of the points shows that it pays, and where the
                             others cannot: for a radius, and for more than 128 neighbors */
    GLSHAPE_SEARCH_PAIRS, /* every point is compared with every other */
    GLSHAPE_SEARCH_INDEX, /* through a tree of boxes (a k-d tree), of at most 4096 columns */
} glshape_search;

typedef struct glshape_knn_options {
    int n_neighbors; /* of each query, itself not counted: 1 to GLSHAPE_KNN_MOST, at most as many as there
                        are; 0: 10 */
    glshape_metric metric;
    double p; /* as in glshape_source */
    glshape_search search;
    /* Rows, of as many columns, whose neighbors among the points are found. NULL: the points themselves, each
     * among the others. */
    const glshape_matrix *queries;
    const glshape_sparse *sparse_queries; /* the same, of sparse rows */
    const double *sparse_query_values;    /* their values in double precision, or NULL */
    /* The same, of a reader: it has so many rows, each with a query's distances to all points. 0: it has n,
     * those of the points themselves, and the diagonal does not count. */
    size_t reader_queries;
    glshape_optional radius; /* all points at most so far from each query; not with n_neighbors */
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_knn_options;

/* With n_neighbors, those of query q are index[q · n_neighbors] and the following; with a radius, index[k]
 * for start[q] <= k < start[q + 1]. */
typedef struct glshape_knn_result {
    size_t n;         /* queries */
    int n_neighbors;  /* 0 with a radius */
    uint64_t *start;  /* with a radius: n + 1, from 0; else NULL */
    uint32_t *index;  /* rows of the points, the nearest first */
    double *distance; /* as many */
    size_t gpu_bytes; /* most texture memory in use at a time */
    struct {
        double upload, find, decide; /* decide: in double, on the CPU */
    } seconds;
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_knn_result;

/* Finds the nearest neighbors of every query among the rows of points, or all within a radius, exactly.
 * Neighbors are in order of squared distance, of equals the smaller index first. A squared distance is the
 * sum over the columns in double precision, column after column (of unit rows for cosine and correlation;
 * Manhattan and Chebyshev: the distance itself; Minkowski: its p-th power). The answer is the same for every
 * way of searching. By pairs, a p that is no whole number has no part for the GPU.
 *
 * Through an index, the points are put into a k-d tree on the CPU, and every query walks through it, on the
 * GPU where the device's doubles are right (self-test), unless it is a software renderer that was not named.
 * By pairs, the GPU keeps more candidates than are asked for; the CPU then decides in double which of them
 * are nearest, and shows by the error bound of single precision that no other row can be; where it cannot
 * show this, it compares the query with all rows. Nothing of size rows × rows is kept. Points that the GPU
 * has no room for come to it in pages. Free result with glshape_knn_free.
 *
 * Errors: GLSHAPE_BAD_ARGUMENT (n_neighbors, metric, search, a radius that is negative or not a number),
 * GLSHAPE_BAD_INPUT as glshape_mds (also queries of another width; a radius that gives more than 2^32 pairs:
 * says how many), GLSHAPE_NO_GPU_MEMORY (says how much is needed), GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED. */
GLSHAPE_API glshape_status glshape_knn(glshape_context *context, const glshape_matrix *points,
                                       const glshape_knn_options *options, glshape_knn_result *result);
/* The same of points, of sparse rows or of a reader's matrix of distances, as source says; its metric and p
 * count, not those of the options. Sparse rows are compared in double, as the same rows in dense form are. A
 * matrix is read row by row, once (with a radius twice), and is never stored. It need not be symmetric:
 * neighbors of a point are those that its row says. Neither uses an index or the GPU. The radius is compared
 * with the distances as they are: a float 0.1f is more than 0.1; whoever gives floats rounds the radius to
 * one.
 *
 * Errors: as glshape_knn; GLSHAPE_BAD_ARGUMENT (another kind of source; queries of another kind than it;
 * correlation of sparse rows), GLSHAPE_BAD_INPUT (a distance that is negative or NaN, with its row
 * and column), GLSHAPE_IO_ERROR (the reader's). */
GLSHAPE_API glshape_status glshape_knn_source(glshape_context *context, const glshape_source *source,
                                              const glshape_knn_options *options, glshape_knn_result *result);
/* Frees what a result holds. */
GLSHAPE_API void glshape_knn_free(glshape_knn_result *result);

/* ---- linkage: single-linkage clustering ---------------------------------------------------------- */

typedef struct glshape_linkage_options {
    int n_neighbors; /* for points: how many neighbors of each are kept, 1 to GLSHAPE_KNN_MOST, below the
                        number of points; 0: 8, or as many as there are. Only the time depends on it */
    /* For points: only points with an edge between them may join, at their distance. The graph's lengths do
     * not count. Parts that are not connected join at INFINITY. NULL: all pairs may join. */
    const glshape_graph *connectivity;
    /* For points and a reader: also the cophenetic correlation, from all pairs, on the CPU. */
    bool cophenetic;
    glshape_search search; /* for points: only the time depends on it */
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_linkage_options;

typedef struct glshape_linkage_result {
    size_t n;
    /* (n - 1) × 4, scipy's linkage matrix. A row has the two clusters joined, the smaller first (point v is
     * cluster v, row k makes cluster n + k), their height, and the size of what they make. Rows are in order
     * of height, then of the smaller, then of the larger end of the edge that joins. Components of a graph
     * join last, at height INFINITY. */
    double *merges;
    /* (n - 1) × 2, the spanning tree: edge k, the smaller end first, is what joins the clusters of row k, at
     * the height of that row. (At height INFINITY there is no edge: the ends are points of the two
     * components.) */
    uint32_t *edges;
    size_t components; /* of a graph, a connectivity or infinite distances; else 1 */
    int n_neighbors;   /* how many were kept; 0 if none were */
    double cophenetic; /* if asked for; NaN if one of the two sides does not vary */
    size_t gpu_bytes;  /* most texture memory in use at a time */
    struct {
        double upload, neighbors, search, tree, cophenetic;
    } seconds;
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_linkage_result;

/* Clusters by single linkage, exactly. The tree is that of all pairs in order of squared distance in double,
 * then of the smaller, then of the larger index; so it is the same on every device. source has points (any
 * metric; one point is fine), a reader (in GPU memory, or read once, row by row, as one in double precision
 * always is; infinite distances join components), sparse rows (the CPU computes each distance once, in
 * double), or a graph (its edges are the only distances). Memory for points grows with n · n_neighbors: the
 * edges come from each point's nearest neighbors. An edge is taken only if they show that no other is
 * shorter; else the points in doubt are searched across components. Free result with glshape_linkage_free.
 *
 * Errors: GLSHAPE_BAD_ARGUMENT (n_neighbors), GLSHAPE_BAD_INPUT (as glshape_mds; a connectivity of another
 * size), GLSHAPE_NO_GPU_MEMORY (says how much is needed), GLSHAPE_NO_MEMORY, GLSHAPE_IO_ERROR (the reader's),
 * GLSHAPE_CANCELLED.
 *
 * Sources: Nolet et al., "cuSLINK: single-linkage agglomerative clustering on the GPU", 2023, made exact;
 * Sibson, "SLINK: an optimally efficient algorithm for the single-link cluster method", 1973. */
GLSHAPE_API glshape_status glshape_linkage(glshape_context *context, const glshape_source *source,
                                           const glshape_linkage_options *options,
                                           glshape_linkage_result *result);
/* Frees what a result holds. */
GLSHAPE_API void glshape_linkage_free(glshape_linkage_result *result);

/* Cuts the tree of n points into clusters, as scipy's fcluster. Exactly one of clusters and distance is
 * given. distance: all merges up to this height are made ('distance'); a matrix of floats has heights that
 * are floats, and 0.1f is more than 0.1: round the distance to a float, too. clusters, if not 0: all merges
 * up to the least height that leaves at most so many clusters ('maxclust'), fewer where heights are equal.
 * labels gets n cluster numbers, from 0 in order of first appearance; *count gets how many clusters there
 * are.
 *
 * Errors: GLSHAPE_BAD_ARGUMENT (both or neither are given; clusters beyond n, or fewer than there are
 * components; a distance that is negative or NaN; merges that are no linkage matrix, with the row),
 * GLSHAPE_NO_MEMORY. */
GLSHAPE_API glshape_status glshape_linkage_cut(glshape_context *context, const double *merges, size_t n,
                                               size_t clusters, glshape_optional distance, uint32_t *labels,
                                               size_t *count);
/* Fills leaves with the n points in the order of the drawn tree's leaves, as scipy's leaves_list. Errors:
 * GLSHAPE_BAD_ARGUMENT (merges that are no linkage matrix, with the row), GLSHAPE_NO_MEMORY. */
GLSHAPE_API glshape_status glshape_linkage_leaves(glshape_context *context, const double *merges, size_t n,
                                                  uint32_t *leaves);

/* ---- hdbscan: clusters of varying density ------------------------------------------------------------ */

/* EOM: the clusters of greatest total stability (excess of mass). LEAF: the leaves of the tree of clusters.
 */
typedef enum { GLSHAPE_HDBSCAN_EOM, GLSHAPE_HDBSCAN_LEAF } glshape_hdbscan_selection;

/* Names and defaults are those of scikit-learn's HDBSCAN and of the Python package hdbscan. */
typedef struct glshape_hdbscan_options {
    int min_cluster_size; /* smaller groups count as points that fall out of a cluster; at least 2; 0: 5 */
    /* The core distance of a point reaches so many points, itself counted as scikit-learn does: 1 to n. 0:
     * min_cluster_size. */
    int min_samples;
    glshape_hdbscan_selection selection;
    double epsilon;          /* clusters that split at a distance below this are one; at least 0 */
    double max_epsilon;      /* EOM: no cluster is chosen that forms at a distance above this; 0: no limit */
    size_t max_cluster_size; /* EOM: nor one that has more points; 0: no limit */
    bool allow_single_cluster; /* all points may be one cluster */
    double alpha;              /* distances are divided by this, core distances are not: 1e-6 to 1e6; 0: 1 */
    glshape_search search;     /* for points: only the time depends on it */
    bool spanning_tree;        /* also the edges of the spanning tree of mutual reachability */
    /* A split of the condensed tree is undone if one of its two clusters persists for less than this: from
     * the lambda of the split to the greatest lambda in it. The other one goes on; if both are equal, the
     * second. At least 0. As cluster_selection_persistence of the Python package hdbscan. */
    double persistence;
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_hdbscan_options;

/* A row of the condensed tree: child leaves cluster parent at lambda = 1 / distance. It is a point (below n),
 * or one of the two clusters that parent splits into. The root is cluster n. */
typedef struct glshape_hdbscan_row {
    uint32_t parent, child, size; /* size: points of child */
    double lambda;
} glshape_hdbscan_row;

/* A cluster of the condensed tree; entry c is cluster n + c. */
typedef struct glshape_hdbscan_cluster {
    uint32_t parent, size; /* parent: a cluster, n or more; the root's is the root */
    int32_t label;         /* of its points; -1: it was not chosen */
    double birth, death;   /* lambda: it appears; it splits, or its last points leave */
    double stability;      /* Σ (lambda - birth) over its points, lambda where each leaves it */
    double distance;       /* at which it appears, birth = 1 / distance; the root's: that of the last merge */
} glshape_hdbscan_cluster;

typedef struct glshape_hdbscan_result {
    glshape_hdbscan_options
        options;               /* as used: defaults in place of zeros, INFINITY and SIZE_MAX for no limit */
    size_t n, clusters, noise; /* points; clusters chosen; points in none */
    int32_t *labels;           /* n: from 0 in order of first appearance; -1: noise */
    double *probabilities;     /* n: how firmly a point is in its cluster, 0 to 1; noise: 0 */
    double *outlier_scores;    /* n: GLOSH, 0 to 1; high: an outlier */
    double *core;              /* n: core distances; INFINITY at a node with too few neighbors */
    double *merges;            /* (n - 1) × 4, the single-linkage tree, as glshape_linkage_result.merges */
    size_t row_count;
    /* The condensed tree: rows by the merges at which children leave, from the last to the first, so by
     * lambda; points that leave at the same merge by index. */
    glshape_hdbscan_row *rows;
    size_t tree_clusters;
    glshape_hdbscan_cluster *tree; /* its clusters, by birth; parents come before their children */
    size_t *exemplar_start;        /* clusters + 1 */
    uint32_t *exemplars;           /* points of cluster c, ascending: from exemplar_start[c] on */
    uint32_t *edges;   /* (n - 1) × 2, if asked for, else NULL: the points whose edge makes each merge */
    size_t components; /* of a graph or infinite distances; else 1 */
    size_t gpu_bytes;  /* most texture memory in use at a time */
    struct {
        double upload, cores, search, tree, clusters;
    } seconds;
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_hdbscan_result;

/* Clusters by HDBSCAN*: single linkage of mutual reachability, max(core(a), core(b), d(a, b) / alpha), where
 * core(a) is the distance from a to the min_samples-th nearest point, a itself being the first. The tree is
 * exact and the same on every device: pairs are in order of mutual reachability, then of the smaller, then of
 * the larger index. Many are equal; other programs may order those in other ways, and then find other
 * clusters. Points are compared as glshape_linkage does (in squared distances, in double), all else by
 * distances. epsilon and max_epsilon are compared with distances as they are (see glshape_linkage_cut). Of a
 * graph, edges that are not there are infinite: components share no cluster. Points at the same place are
 * never in different clusters.
 *
 * Exemplars are the points that leave the leaves below a chosen cluster last. Needs at least 2 points. Free
 * result with glshape_hdbscan_free.
 *
 * Errors: GLSHAPE_BAD_ARGUMENT (an option; min_samples above n), GLSHAPE_BAD_INPUT (fewer than 2 points; as
 * glshape_linkage), GLSHAPE_NO_GPU_MEMORY (says how much is needed), GLSHAPE_NO_MEMORY, GLSHAPE_IO_ERROR (the
 * reader's), GLSHAPE_CANCELLED.
 *
 * Sources: Campello, Moulavi, Zimek, Sander, "Hierarchical density estimates for data clustering,
 * visualization, and outlier detection", 2015; McInnes, Healy, "Accelerated hierarchical density based
 * clustering", 2017; Malzer, Baum, "A hybrid approach to hierarchical density-based cluster selection", 2020
 * (epsilon). */
GLSHAPE_API glshape_status glshape_hdbscan(glshape_context *context, const glshape_source *source,
                                           const glshape_hdbscan_options *options,
                                           glshape_hdbscan_result *result);
/* Frees what a result holds. */
GLSHAPE_API void glshape_hdbscan_free(glshape_hdbscan_result *result);

/* The clusters of DBSCAN* at distance epsilon: the merges of the single-linkage tree up to this height are
 * made, and what has fewer than min_cluster_size points is noise. labels gets n numbers, as those of
 * glshape_hdbscan_result; *clusters gets how many clusters there are. Errors: GLSHAPE_BAD_ARGUMENT (epsilon
 * is negative or NaN; min_cluster_size is 0; merges of result that are no linkage matrix), GLSHAPE_NO_MEMORY.
 */
GLSHAPE_API glshape_status glshape_hdbscan_dbscan(glshape_context *context,
                                                  const glshape_hdbscan_result *result, double epsilon,
                                                  size_t min_cluster_size, int32_t *labels, size_t *clusters);

/* Which clusters new points would be in, without changing the clusters: hdbscan's approximate_predict, but
 * with all points as neighbors. A new point joins the point that is least in mutual reachability (of equals
 * the smallest index), at the height of that; its own core distance is among the points. source: the points
 * that result is of, and their metric. labels and probabilities: one of each row of queries. On the CPU, in
 * double; many queries through an index, if a search looks at few points.
 *
 * Errors: GLSHAPE_BAD_ARGUMENT (source has no points, or another number of them than result; a condensed tree
 * of result whose rows name clusters that there are not),
 * GLSHAPE_BAD_INPUT (queries have another number of columns; a value as in glshape_mds), GLSHAPE_NO_MEMORY,
 * GLSHAPE_CANCELLED. */
GLSHAPE_API glshape_status glshape_hdbscan_predict(glshape_context *context, const glshape_source *source,
                                                   const glshape_hdbscan_result *result,
                                                   const glshape_matrix *queries, int32_t *labels,
                                                   double *probabilities);

typedef struct glshape_membership_options {
    const glshape_matrix *queries; /* new points; NULL: the points that the clusters are of */
    size_t top; /* only so many clusters of each point, those that it belongs to most; 0: all clusters */
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_membership_options;

typedef struct glshape_membership {
    size_t n, width;   /* points; clusters of each: all of them, or `top` if that is less */
    uint32_t *cluster; /* n × width, with top: the one that a point belongs to most first; else NULL: all,
                          in order */
    double *strength;  /* n × width, 0 to 1 */
    double *noise;     /* n: 1 less the strengths of all clusters, 0 to 1 */
    uint32_t *nearest; /* n: of each new point, the point that it joins; NULL without queries */
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_membership;

/* How much points belong to each cluster: hdbscan's all_points_membership_vectors and, of queries,
 * membership_vector. A point's strengths are in proportion to the product of two numbers a cluster, and their
 * sum is the probability that it is in some cluster:
 *
 * - the inverse of its distance d to the nearest exemplar of the cluster; for queries the root of that;
 * - exp(exp(-L / h)), where h is the lambda at which the cluster and the cluster C of the condensed tree that
 *   the point leaves join, or the point's own lambda if one is in the other, and L is the lambda at which C
 *   ends. For queries it is exp(2 L / (L - h)); C and the lambda are those of the point that a query joins
 *   (glshape_hdbscan_predict), or the lambda at which it does, if that is less;
 * - the sum is h / max(the lambda at which the cluster of greatest h ends, the point's own lambda).
 *
 * hdbscan adds 1e-8 to lambdas, which this does not: the strengths do not depend on the unit of the points.
 * source: the points that result is of, and their metric. Takes 8 bytes for each strength that is given, so
 * `top` is for many clusters. In double, the same bytes on every device. Passes do this for the points
 * themselves, with `top` up to 16, up to 20,000 clusters and 1,024 columns, and Euclidean, cosine or
 * correlation distances; threads do all else. Free out with glshape_membership_free.
 *
 * Errors: as glshape_hdbscan_predict; also GLSHAPE_BAD_ARGUMENT (exemplars of result that are no points).
 * Source: McInnes, Healy, Astels, "How soft clustering for HDBSCAN works", documentation of hdbscan 0.8. */
GLSHAPE_API glshape_status glshape_hdbscan_membership(glshape_context *context, const glshape_source *source,
                                                      const glshape_hdbscan_result *result,
                                                      const glshape_membership_options *options,
                                                      glshape_membership *out);
/* Frees what a membership holds. */
GLSHAPE_API void glshape_membership_free(glshape_membership *membership);

typedef struct glshape_validity_options {
    double dim; /* dimensions of the points, above 0; 0: their columns. Needed where distances are given */
    bool raw;   /* distances count as they are, not as mutual reachability */
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_validity_options;

typedef struct glshape_validity {
    double index;       /* DBCV, -1 to 1; high: dense clusters, far apart */
    size_t clusters;    /* the greatest label and one */
    double *cluster;    /* clusters: the index of each; 0 of those with fewer than 2 points */
    double *sparseness; /* clusters: the longest edge inside */
    double *separation; /* clusters: the least reachability of another cluster */
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_validity;

/* How good a clustering by density is: the index DBCV. The density of a point is that of all points of its
 * cluster; the tree of a cluster spans its mutual reachability by such densities. Points from which a tree
 * goes on are inner. A cluster's sparseness is its longest edge between inner points (if there is none, of
 * all), its separation the least reachability between its inner points and another cluster's. Its index is
 * (separation - sparseness) / the greater of both. The index of all is their sum, by part of all points,
 * noise among them. A cluster of one point counts as noise; both points of a cluster of two are inner.
 *
 * source: points, or a reader's matrix of distances. labels: each point's cluster, below the number of
 * points, or a negative number for noise. The same on every device: threads do it. It takes time n² of the
 * largest cluster, and memory n. Where edges are equal, the tree has that to the first point, as
 * hdbscan's validity_index. Free out with glshape_validity_free.
 *
 * Errors: GLSHAPE_BAD_ARGUMENT (a label; dim; dim is missing), GLSHAPE_BAD_INPUT (fewer than two clusters of
 * 2 points; a value as in glshape_hdbscan), GLSHAPE_NO_MEMORY, GLSHAPE_IO_ERROR (the reader's),
 * GLSHAPE_CANCELLED. Source: Moulavi, Jaskowiak, Campello, Zimek, Sander, "Density-based clustering
 * validation", 2014. */
GLSHAPE_API glshape_status glshape_hdbscan_validity(glshape_context *context, const glshape_source *source,
                                                    const int32_t *labels,
                                                    const glshape_validity_options *options,
                                                    glshape_validity *out);
/* Frees what a validity holds. */
GLSHAPE_API void glshape_validity_free(glshape_validity *validity);

/* ---- mst: spanning forests ----------------------------------------------------------------------- */

typedef struct glshape_mst_options {
    bool maximum; /* the forest of greatest weight, not of least */
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_mst_options;

/* The edges of the forest: i[k] < j[k]. The lightest comes first (with maximum the heaviest), of equals the
 * one with the smaller i, then with the smaller j. */
typedef struct glshape_mst_result {
    size_t count; /* nodes - components */
    uint32_t *i, *j;
    float *weight;
    double total; /* sum of the weights */
    size_t components;
    size_t gpu_bytes; /* most texture memory in use at a time */
    double seconds;
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_mst_result;

/* Finds the spanning forest of least weight. Edges are in order of weight, smaller end, larger end, so there
 * is only one such forest, on every device. Takes 40 bytes of GPU memory an edge and 32 a node. Free result
 * with glshape_mst_free. Errors: GLSHAPE_BAD_ARGUMENT (an end that is no node or NaN, with the number of the
 * edge; too many nodes or edges), GLSHAPE_NO_GPU_MEMORY (says how much is needed), GLSHAPE_NO_MEMORY,
 * GLSHAPE_CANCELLED. Source: Borůvka 1926. */
GLSHAPE_API glshape_status glshape_mst(glshape_context *context, const glshape_edges *edges,
                                       const glshape_mst_options *options, glshape_mst_result *result);
/* Frees what a result holds. */
GLSHAPE_API void glshape_mst_free(glshape_mst_result *result);

/* ---- diagrams: what vectors and compare take ------------------------------------------------------- */

/* Persistence diagrams. Diagram k has the pairs first[k] … first[k + 1] - 1. A pair is a birth and a death,
 * which may be infinite, or below the birth (superlevel sets). Pairs whose birth is their death count for
 * nothing. */
typedef struct glshape_diagrams {
    size_t count;        /* of diagrams, at least 1 */
    const size_t *first; /* count + 1, ascending */
    const double *pairs; /* 2 each: birth, death */
} glshape_diagrams;

/* ---- vectors: persistence diagrams as rows of numbers ---------------------------------------------- */

/* What a diagram becomes. A pair covers the values from its birth on to below its death; of superlevel sets
 * (death below birth), those from its birth down to above its death. Its lifetime is |death - birth|. */
typedef enum {
    /* A sum of Gaussians, one a pair, at (birth, lifetime), seen at the points of a grid: `resolution` births
     * a row, `resolution_y` rows of ascending lifetimes. Adams et al., "Persistence Images", 2017, section 4;
     * as GUDHI's PersistenceImage, values at points and not means over pixels. */
    GLSHAPE_VECTORS_IMAGE,
    /* The greatest, second greatest … of the pairs' tents, each a row of `resolution` samples. A tent rises
     * from birth and death with slope 1. Bubenik, "Statistical Topological Data Analysis using Persistence
     * Landscapes", 2015, section 2.3. */
    GLSHAPE_VECTORS_LANDSCAPE,
    /* The mean of the tents, weighted. Chazal et al., "Stochastic Convergence of Persistence Landscapes and
     * Silhouettes", 2014, section 4. */
    GLSHAPE_VECTORS_SILHOUETTE,
    /* How many pairs cover a sample: whole numbers. Those that never end are among them. */
    GLSHAPE_VECTORS_BETTI,
    /* One number: -Σ p log p, where p is a lifetime, divided by the sum of all. Chintakunta et al., "An
     * entropy-based persistence barcode", 2015. */
    GLSHAPE_VECTORS_ENTROPY,
    /* The same sum over the pairs that cover a sample, divided by the sum over all samples. Atienza et al.,
     * "On the stability of persistent entropy and new summary functions", 2020, section 4. */
    GLSHAPE_VECTORS_ENTROPY_CURVE
} glshape_vectors_kind;

typedef struct glshape_vectors_options {
    glshape_vectors_kind kind;
    int resolution;   /* samples of a curve, 1 to 65536, 0: 100; births of an image, 1 to 4096, 0: 20 */
    int resolution_y; /* lifetimes of an image, 1 to 4096; 0: as births */
    int landscapes;   /* 1 to 4096; 0: 5 */
    double bandwidth; /* standard deviation of an image's Gaussians, above 0, in the unit of births; 0: 1 */
    /* Images and silhouettes: a pair weighs its lifetime to this power, which is not negative; 0: 1. Or, if
     * weights is not NULL, what it has for the pair: a finite number for each of the diagrams' pairs. */
    double weight;
    const double *weights;
    /* The first and the last sample; of an image those of births, then of lifetimes. NULL, or NaN for any of
     * them: the least and the greatest value of the pairs that end; without such pairs, 0 and 1. Samples lie
     * evenly between them, and curves leave out ends that are found so, where all but few tents are 0, unless
     * keep_endpoints says otherwise: all as in GUDHI. */
    const double *range;
    bool keep_endpoints;
    const double *grid; /* curves: the samples themselves, `resolution` ascending numbers; NULL: from range */
    /* GUDHI multiplies landscapes and silhouettes by √2. The papers do not, nor does this unless it is set.
     */
    bool gudhi_scale;
    bool unnormalized; /* entropy curves are not divided */
    /* Pairs that never end count for nothing, but in Betti curves; or, if cut is set, they end at cut_at, and
     * count for nothing if they are born there or later. */
    bool cut;
    double cut_at;
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_vectors_options;

typedef struct glshape_vectors_result {
    size_t n, columns;
    float *values;  /* n rows, one a diagram, in their order: rounded to the nearest, beyond float infinite */
    double *grid;   /* curves: the samples; else NULL */
    size_t samples; /* of it */
    double range[4]; /* as in the options, without NaN: of curves two */
    size_t pairs;    /* that count */
    size_t left_out; /* that never end and count for nothing */
    size_t gpu_bytes;
    double seconds;
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_vectors_result;

/* Makes a vector of each diagram. Pairs whose birth is their death count for nothing; a diagram without pairs
 * becomes zeros. Free result with glshape_vectors_free. Images, landscapes and silhouettes are made by passes
 * if there are many; sums are compensated sums of singles in the order of pairs, so the bytes are the same on
 * every device. Weights, and a Gaussian along either axis, that are below 2^-50 of the greatest count as 0.
 * Positions of tents are rounded to 2^-48 of the greatest distance of a value or sample from the middle of
 * all. Errors: GLSHAPE_BAD_ARGUMENT (no diagrams; options), GLSHAPE_BAD_INPUT (as glshape_compare; a weight
 * that is not finite), GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED. */
GLSHAPE_API glshape_status glshape_vectors(glshape_context *context, const glshape_diagrams *diagrams,
                                           const glshape_vectors_options *options,
                                           glshape_vectors_result *result);
/* Frees what a result holds. */
GLSHAPE_API void glshape_vectors_free(glshape_vectors_result *result);

/* ---- compare: distances between persistence diagrams ----------------------------------------------- */

/* Pairs that never end are matched among themselves, in the order of births: their cost is that of their
 * births. Two diagrams that have another number of them are infinitely far from each other; deaths of ∞ and
 * of -∞ count apart. */
typedef enum {
    /* Sliced Wasserstein distance: the mean over directions of the 1-Wasserstein distance of the two diagrams
     * on a line, each with the points of the other on the diagonal. Carrière, Cuturi, Oudot, "Sliced
     * Wasserstein Kernel for Persistence Diagrams", 2017, Definition 3.1. Positions on a line are rounded to
     * 2^-29 of the greatest distance of a value from the middle of all; the sum is exact. */
    GLSHAPE_COMPARE_SLICED_WASSERSTEIN,
    /* Bottleneck distance: the least ε such that a matching moves no point farther than ε in the maximum
     * norm, to a point or to the diagonal. Exact. Efrat, Itai, Katz, 2001; Kerber, Morozov, Nigmetov, 2017.
     */
    GLSHAPE_COMPARE_BOTTLENECK,
    /* Wasserstein distance: the least sum, over matchings of points to points or to the diagonal, of
     * distances to the power `order`, and of that sum the root. Distances are of the norm internal_p, as in
     * GUDHI. To a tolerance, by auctions where there are many points: Bertsekas, 1979; Kerber, Morozov,
     * Nigmetov, 2017. Or exactly, by shortest augmenting paths: Jonker, Volgenant, 1987. Costs are doubles:
     * what is less than 1e-16 of the greatest lifetime's, to the power, is lost. */
    GLSHAPE_COMPARE_WASSERSTEIN,
    /* Euclidean distances between the vectors of glshape_vectors: images, landscapes. */
    GLSHAPE_COMPARE_IMAGE,
    GLSHAPE_COMPARE_LANDSCAPE
} glshape_compare_metric;

/* Takes rows first … first + count - 1 of the distances, n floats each. false: stop (GLSHAPE_CANCELLED). */
typedef bool (*glshape_compare_rows)(void *user, size_t first, size_t count, const float *distance);

typedef struct glshape_compare_options {
    glshape_compare_metric metric;
    int directions; /* of slices: 1 to 4096; 0: 50 */
    /* Wasserstein: the power, 1 to 64, 0: 1; the norm, 1 or above, or infinite, 0: infinite. */
    double order, internal_p;
    /* Wasserstein: a distance is at most 1 + tolerance times the least, 0: 0.01; or exact. */
    double tolerance;
    bool exact;
    /* Images and landscapes: what vectors are compared. Its kind counts for nothing; weights go without
     * `more`. */
    const glshape_vectors_options *vectors;
    /* Diagrams of the same things in other dimensions, as many: these are compared by themselves, and the
     * distances are added. */
    const glshape_diagrams *more;
    size_t more_count;
    glshape_compare_rows rows; /* takes the distances in place of the result, a few rows at a time */
    void *rows_user;
    /* Slices: the standard errors over directions are found, too, by the processors: of two diagrams, the
     * standard deviation of their distances on the lines, divided by the root of how many lines there are, at
     * least 2. Lines are spread evenly, so that the mean is nearer than that to the one over all directions.
     * Errors of several dimensions are added, as the distances are; what pairs that never end add has none.
     * error_rows: takes the errors in place of the result, before the distances; with rows only. */
    bool errors;
    glshape_compare_rows error_rows;
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_compare_options;

typedef struct glshape_compare_result {
    size_t n;        /* diagrams */
    float *distance; /* n × n, symmetric, 0 on the diagonal, rounded to the nearest; perhaps infinite. NULL if
                        rows took it */
    float *error;    /* the same of the standard errors; NULL without them, or if error_rows took it */
    double largest_error; /* of all errors; 0 without them */
    double gap;       /* Wasserstein: by how much a distance may exceed the least at most, divided by that */
    size_t pairs;     /* points off the diagonal that end, of all diagrams */
    size_t gpu_bytes; /* most texture memory in use at a time */
    double seconds;
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_compare_result;

/* Finds the distances between all diagrams. Free result with glshape_compare_free. Slices are added up on the
 * device, 8 bytes for each two diagrams, if there are many. Half of the matrix is kept, 2 n² bytes, until it
 * goes to the result or to rows. Errors: GLSHAPE_BAD_ARGUMENT (no diagrams; options; first descends),
 * GLSHAPE_BAD_INPUT (a NaN, or a birth that is infinite, with the number of the diagram and pair, from 1),
 * GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED. */
GLSHAPE_API glshape_status glshape_compare(glshape_context *context, const glshape_diagrams *diagrams,
                                           const glshape_compare_options *options,
                                           glshape_compare_result *result);
/* Frees what a result holds. */
GLSHAPE_API void glshape_compare_free(glshape_compare_result *result);

/* Distances between diagrams for a method that asks for some of them: what a glshape_source takes as reader
 * or feeder, with the comparison as their user, and the number of diagrams as n. They are the same floats as
 * those of glshape_compare. */
typedef struct glshape_comparison glshape_comparison;

/* Prepares them. keep says when they are found: GLSHAPE_KEEP_RESIDENT, now, and half of the matrix is kept, 2
 * n² bytes; GLSHAPE_KEEP_PAGED, when they are asked for, by threads, and nothing is kept but what each
 * diagram becomes: of slices 8 bytes for each pair and direction, of vectors their numbers;
 * GLSHAPE_KEEP_AUTO: now if half of the matrix takes at most 1 GiB, which is up to 23,170 diagrams. The
 * diagrams need not outlive the call. Options may not have rows or errors. Free *out with
 * glshape_comparison_free, which leaves NULL alone. Errors: as glshape_compare. */
GLSHAPE_API glshape_status glshape_comparison_new(glshape_context *context, const glshape_diagrams *diagrams,
                                                  const glshape_compare_options *options, glshape_keep keep,
                                                  glshape_comparison **out);
/* Whether they were found: a method may read them often. If not, a layout of many diagrams should ask the
 * feeder for the pairs that it needs. */
GLSHAPE_API bool glshape_comparison_is_kept(const glshape_comparison *comparison);
/* The glshape_row_reader; several threads may call it at once. */
GLSHAPE_API bool glshape_comparison_reader(void *comparison, uint32_t first, uint32_t count, float *out,
                                           char *message, size_t size);
/* The glshape_feeder. */
GLSHAPE_API bool glshape_comparison_feeder(void *comparison, size_t count, const uint32_t *i,
                                           const uint32_t *j, float *out, char *message, size_t size);
GLSHAPE_API void glshape_comparison_free(glshape_comparison *comparison);

/* ---- rips: persistence barcodes ------------------------------------------------------------------ */

/* Whether edges are taken away, or made to appear later, where that does not change the intervals: Glisse,
 * Pritam, "Swap, shift and trim to edge collapse a filtration", 2022. Births and deaths are the same.
 * Simplices and cocycles are those of the smaller complex, in which the diameter of a simplex may be greater.
 * It takes 32 bytes an edge, and of a matrix 3/8 byte for each entry, until it is done. */
typedef enum glshape_rips_collapse {
    GLSHAPE_RIPS_COLLAPSE_OFF, /* the default: the intervals of a result name simplices of the full complex */
    GLSHAPE_RIPS_COLLAPSE_AUTO, /* where it saves time: for dimensions above 1, if a sample of the edges says
                                   so. Never with cocycles */
    GLSHAPE_RIPS_COLLAPSE_ON
} glshape_rips_collapse;

typedef struct glshape_rips_options {
    glshape_optional dim; /* highest dimension of the intervals, 0 to GLSHAPE_RIPS_DIMS - 1; left out: 1 */
    /* The largest diameter of a simplex, rounded to single precision. Left out: of points and a reader the
     * enclosing radius, beyond which nothing changes; of a graph no limit. */
    glshape_optional threshold;
    double ratio;  /* only intervals with death > ratio · birth; at least 1; 0: 1 */
    int modulus;   /* coefficients are in Z/modulus, a prime below 32768; 0: 2 */
    int threads;   /* of the work on the CPU; 0: one a processor. The answer does not depend on it. (The
                      reduction for cocycles has one) */
    bool sparse;   /* points: keeps only distances up to the threshold, which it needs, not a matrix */
    bool dry_run;  /* only the forecast, no intervals; of a graph only `nodes` is looked at */
    bool cocycles; /* also glshape_rips_result.cocycles */
    /* Cocycles of intervals longer than this, and of those that never end. Left out: half the longest
     * interval of the dimension that ends. */
    glshape_optional cocycle_length;
    /* Points or a reader: only so many of the points, the first of the greedy permutation, of which every
     * next point is the farthest from those before it; 0: all. */
    size_t n_perm;
    /* Not NULL: the weighted Rips filtration of Anai et al., "DTM-based filtrations", 2020, with p = 1, and
     * all values doubled, as GUDHI has it. Of weights f >= 0, one for each row, point x appears at 2 f(x),
     * and the edge {x, y} at the greatest of d(x, y) + f(x) + f(y), 2 f(x) and 2 f(y), rounded to single
     * precision, which has to hold it unless it is beyond the threshold. */
    const double *weights;
    /* Not NULL, and without weights: the value at which each row appears as a point, any number that single
     * precision holds. An edge appears at the distance of its ends, but no sooner than they. Distances of a
     * reader and lengths of a graph may then be negative, and so may the threshold: lower-star filtrations
     * have such values. (With n_perm, distances are not negative.) */
    const double *births;
    /* Right for whoever wants births and deaths, but not simplices: GLSHAPE_RIPS_COLLAPSE_AUTO. */
    glshape_rips_collapse collapse;
    /* Also counts the simplices and pairs of each dimension from 1 on, for glshape_facts: "dimension 1:
     * simplices", and of its columns those "cleared", all "pairs", "apparent", "shortcut" and "emergent
     * pairs", each of which are among the next, and "other pairs", which are not emergent. Pairs of length 0
     * and classes that never end are among them. A collapsed complex has its own. Takes about a tenth
     * more time. Source: Zhang, Xiao, Wang (below), tables 1, 2, 5 and 6. */
    bool count_pairs;
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_rips_options;

/* The name of a simplex. With vertices v[0] > v[1] > … > v[d] it is Σ C(v[i], d + 1 - i), the combinatorial
 * number system. Source: Zhang, Xiao, Wang, "GPU-accelerated computation of Vietoris-Rips persistence
 * barcodes", 2020, section 3. */
typedef uint64_t glshape_simplex;
#define GLSHAPE_NO_SIMPLEX UINT64_MAX

/* An interval [birth, death) of persistent homology. */
typedef struct glshape_interval {
    int dim;
    double birth, death;           /* death INFINITY: it never ends. Of rips both are floats */
    glshape_simplex birth_simplex; /* dim + 1 vertices */
    glshape_simplex death_simplex; /* dim + 2 vertices; GLSHAPE_NO_SIMPLEX: none */
} glshape_interval;

typedef struct glshape_cocycle_term {
    glshape_simplex simplex;
    uint32_t coefficient; /* 1 to modulus - 1 */
} glshape_cocycle_term;

/* A cochain with coefficients in Z/modulus: `coefficient` on some simplices, oriented by descending vertices,
 * and 0 on all others. It represents the class of an interval [birth, death) in cohomology. Let K_t be the
 * complex of all simplices of diameter at most t, and leave out the terms of greater diameter. For t < birth
 * nothing is left. For birth <= t < death it is a cocycle of K_t and no coboundary. For t >= death it is no
 * cocycle: its coboundary is not 0 on the death simplex. If the interval never ends, it is a cocycle for all
 * t from birth to the threshold. */
typedef struct glshape_cocycle {
    size_t interval; /* its place in intervals */
    size_t count;
    glshape_cocycle_term *terms; /* each simplex once; the birth simplex is one of them */
} glshape_cocycle;

#define GLSHAPE_RIPS_DIMS 17

/* What a run may take, known before any work. The simplices of sparse distances are not known. */
typedef struct glshape_rips_forecast {
    uint64_t simplices[GLSHAPE_RIPS_DIMS]; /* of dimensions 1 to dim, at most; most are never looked at */
    size_t host_bytes, gpu_bytes;          /* without the columns of the reduction, which cannot be known */
} glshape_rips_forecast;

typedef struct glshape_rips_result {
    size_t n, count; /* points (n_perm of them, if set); intervals */
    int dim;
    float threshold;             /* in use */
    float least, greatest;       /* value of an edge: distance of two points, unless they have weights or
                                    births; of fewer than 2 points INFINITY and 0 */
    glshape_interval *intervals; /* by dimension; in dimension 0 by death, in others by descending birth */
    size_t cocycle_count;
    glshape_cocycle *cocycles; /* if asked for, of dimension 1 and above */
    glshape_rips_forecast forecast;
    size_t gpu_bytes; /* most texture memory in use at a time */
    struct {
        double distances, upload, tree;
    } seconds;
    /* If n_perm is set: the row of each of the n points, in the order of the permutation. Simplices are named
     * by the places of their vertices here. NULL: places are rows. */
    uint32_t *permutation;
    float cover_radius; /* no row is farther from those of the permutation; 0 without n_perm */
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_rips_result;

/* Computes the intervals of persistent homology of the Vietoris-Rips filtration of a finite metric space, in
 * dimensions 0 to dim. Intervals of length 0 are left out. The answer is exact and the same on every device:
 * simplices of equal diameter are in descending order of their names, which makes the pairs unique. source
 * has points (any metric; Euclidean distances of floats are added up in single precision, as Ripser does,
 * unless squares do not fit that; those of other numbers in double, and then rounded), a graph (its edges are
 * the only distances; a node without edges costs no more than its interval) or a reader (INFINITY: two points
 * are never joined). Free result with glshape_rips_free.
 *
 * n_perm: the greedy permutation begins with row 0; of equally far rows the one of the smallest index is
 * next, whatever the weights. If distances are a metric, intervals are off by at most twice the cover radius
 * (bottleneck distance). Source: Cavanna, Jahanseir, Sheehy, "A geometric perspective on sparse filtrations",
 * 2015.
 *
 * Errors: GLSHAPE_BAD_ARGUMENT (an option; more simplices than can be named or counted, with the dimension
 * that can be done), GLSHAPE_BAD_INPUT (NaN, a negative weight, or without births a negative distance, with
 * its place; points whose distance is beyond single precision, or all so small that this has few of their
 * digits), GLSHAPE_NO_GPU_MEMORY (says how much is needed), GLSHAPE_NO_MEMORY, GLSHAPE_IO_ERROR (the
 * reader's), GLSHAPE_CANCELLED.
 *
 * Sources: Zhang et al. 2020 (above); Bauer, "Ripser", 2021; Morozov, Nigmetov, "Towards lockfree persistent
 * homology", 2020. */
GLSHAPE_API glshape_status glshape_rips(glshape_context *context, const glshape_source *source,
                                        const glshape_rips_options *options, glshape_rips_result *result);
/* Frees what a result holds. */
GLSHAPE_API void glshape_rips_free(glshape_rips_result *result);
/* Fills out with the vertices of a simplex, in descending order. `vertices` is how many it has, n the number
 * of points. */
GLSHAPE_API void glshape_simplex_vertices(size_t n, glshape_simplex simplex, int vertices, uint32_t *out);

/* ---- mergetree: merge trees of scalar fields ------------------------------------------------------ */

/* How the tree is found; the result is the same. BASINS: by the minimum of each basin and the saddles between
 * basins. TRIPLET: by the triplet merge algorithm on all edges. TRIPLET is slow, up to quadratic, where very
 * many branches end one on the other, as the teeth of a comb do. */
typedef enum {
    GLSHAPE_MERGETREE_AUTO, /* BASINS; of a small field the processor does it all */
    GLSHAPE_MERGETREE_BASINS,
    GLSHAPE_MERGETREE_TRIPLET,
} glshape_mergetree_method;

typedef struct glshape_mergetree_options {
    glshape_mergetree_method method;
    bool superlevel; /* components of {values >= t} as t falls; else of {values <= t} as t rises */
    /* Cuts the branches whose persistence is below this; 0 cuts none. In a float field both are rounded to a
     * float before they are compared, as a decimal's float and its double differ. */
    double simplify;
    bool relative;           /* simplify is a fraction of the range of the values */
    uint64_t simplify_whole; /* for 64-bit integers, in place of simplify: a threshold that a double may not
                                hold; 0 cuts none */
    bool branches_only;      /* no triplets: quicker, and less host memory */
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_mergetree_options;

#define GLSHAPE_NO_VERTEX UINT32_MAX

/* A branch: a component, from the extremum where it is born to the saddle where it joins an older one. */
typedef struct glshape_branch {
    /* Vertices, or places in `vertices` of the result. death GLSHAPE_NO_VERTEX: it never ends. */
    uint32_t birth, death;
    uint32_t parent; /* birth of the branch that it joins, the oldest one there; if it never ends, its own */
    /* death_value INFINITY: it never ends, for superlevel too. Integers beyond 2^53 are rounded;
     * values[birth] is exact. */
    double birth_value, death_value;
} glshape_branch;

typedef struct glshape_mergetree_result {
    size_t n;           /* vertices */
    uint32_t *triplets; /* n × 3: (u, s, v) for u = 0 to n - 1; NULL if branches_only */
    size_t count;       /* branches */
    /* First the branches that never end, then the others by descending death: a parent comes before its
     * children. Branches of persistence 0 are there, unless simplify cuts them. */
    glshape_branch *branches;
    /* NULL; of a field of more than 2^32 - 2 vertices the vertices of 64 bits whose places here are birth,
     * death and parent of branches. */
    uint64_t *vertices;
    size_t components;                      /* branches that never end */
    size_t extrema;                         /* branches before simplification */
    double least, greatest;                 /* value */
    uint64_t least_vertex, greatest_vertex; /* where they are */
    size_t gpu_bytes;                       /* most texture memory in use at a time */
    struct {
        double upload, basins, branches, triplets;
    } seconds;
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_mergetree_result;

/* Computes the merge tree of a field: its branches, and a triplet (u, s, v) for each vertex u. The triplet
 * says that the component which u began joins at s the component of v, the oldest vertex there. If u began no
 * component, s is u, and u lies on the branch of v. The first vertex of a connected component has (u, u, u).
 * A branch that simplify cuts counts as raised to its saddle: its vertices have (u, u, v), where v is the
 * branch that is left.
 *
 * Vertices are in order of value (for superlevel of descending value), of equals the smaller index first. So
 * the triplets are the only ones possible, normalized and minimal (Nigmetov, Morozov, section 2.1). Values of
 * 64 bits are compared exactly, and so are differences of integers and thresholds for them; a fraction of the
 * range is rounded to double. A grid that does not fit into GPU memory is done by BASINS in slabs of planes,
 * with the same result. Free result with glshape_mergetree_free.
 *
 * A field of more than 2^32 - 2 vertices has to be shared by ranks, none of which takes more than that. It is
 * a grid of values of at most 32 bits, of two planes a rank or more, and branches_only is set.
 *
 * Errors: GLSHAPE_BAD_ARGUMENT (an option; a neighborhood that the dimension does not have; no vertices, or
 * more than can be numbered), GLSHAPE_BAD_INPUT (NaN, with its place), GLSHAPE_NO_GPU_MEMORY (says how much
 * is needed), GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED.
 *
 * Sources: Smirnov, Morozov, "Triplet merge trees", 2017; Nigmetov, Morozov, "GPU computation of triplet
 * merge trees"; Lukasczyk et al., "ExTreeM", 2023. */
GLSHAPE_API glshape_status glshape_mergetree(glshape_context *context, const glshape_field *field,
                                             const glshape_mergetree_options *options,
                                             glshape_mergetree_result *result);
/* Frees what a result holds. */
GLSHAPE_API void glshape_mergetree_free(glshape_mergetree_result *result);

/* ---- cubical: persistence of images and volumes ------------------------------------------------------- */

/* How cubes get the values of the array. */
typedef enum {
    GLSHAPE_CUBICAL_TOP_CELLS, /* each value is that of a cube of the highest dimension; faces have the least
                                  value of those cubes around them. Pixels touch at corners, too */
    GLSHAPE_CUBICAL_VERTICES,  /* each value is that of a vertex; cubes have the greatest value of their
                                  corners */
} glshape_cubical_construction;

typedef struct glshape_cubical_options {
    glshape_cubical_construction construction;
    bool superlevel;      /* the cubes of {values >= t} as t falls; else of {values <= t} as t rises */
    glshape_optional dim; /* only this dimension, 0 to that of the field; left out: all */
    /* Where the filtration ends: cubes beyond it are left out. Values are compared with it exactly; of a
     * float field it is first rounded to a float, as a decimal's float and its double differ. */
    glshape_optional threshold;
    /* For 64-bit integers, in place of threshold: a value of the field's type, cast to int64_t. */
    bool threshold_is_whole;
    int64_t threshold_whole;
    /* Shorter intervals are left out; 0: only those of length 0 are. In a float field lengths and this are
     * rounded to a float before they are compared. */
    double min_persistence;
    uint64_t min_persistence_whole; /* for 64-bit integers, in place of min_persistence, unless it is 0 */
    int modulus;                    /* coefficients are in Z/modulus, a prime below 32768; 0: 2 */
    int threads;                    /* of the reduction; 0: one a processor */
    bool dry_run;                   /* fill the forecast, refuse what can be refused, and do no more */
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_cubical_options;

/* An interval of persistent homology, from the value of one vertex (or top cell) to that of another. */
typedef struct glshape_cubical_interval {
    int dim;
    uint32_t birth_vertex, death_vertex; /* whose cubes begin and end it; GLSHAPE_NO_VERTEX: it never ends */
    double birth, death;                 /* their values; death INFINITY: it never ends, for superlevel too */
} glshape_cubical_interval;

/* What a run may take, known before any work. */
typedef struct glshape_cubical_forecast {
    uint64_t cells;               /* of the complex; most are never stored */
    size_t host_bytes, gpu_bytes; /* without what apparent pairs leave, which cannot be known */
} glshape_cubical_forecast;

typedef struct glshape_cubical_result {
    size_t n, count; /* values; intervals */
    int dims;        /* of the field */
    /* By dimension, then in the order of the vertices of birth, then of death. */
    glshape_cubical_interval *intervals;
    double least, greatest;                 /* value */
    uint32_t least_vertex, greatest_vertex; /* that have these */
    glshape_cubical_forecast forecast;
    size_t gpu_bytes; /* most texture memory in use at a time */
    struct {
        double upload, trees, edges, reduction;
    } seconds;
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_cubical_result;

/* Computes the persistent homology, in all dimensions, of the cubical complex of a field on a grid of 1
 * (shape[0] alone), 2 or 3 dimensions. Intervals of length 0 are left out. Values are compared exactly, of 64
 * bits, too. An infinite value is that of cubes which are never there: +INFINITY, for superlevel -INFINITY.
 * periodic[] makes the ends of an axis neighbors; such an axis has at least 2 values, and dimension `dims`
 * then may have an interval, too. neighborhood must be 0, and graph NULL.
 *
 * The pairs of vertices are those of the order by value, of equals the smaller index first (for superlevel,
 * too): each cube belongs to the last of its vertices, or to the first of its top cells. They are the same on
 * every device. Free result with glshape_cubical_free.
 *
 * Errors: GLSHAPE_BAD_ARGUMENT (an option; no values, or more than 2^32 - 2), GLSHAPE_BAD_INPUT (NaN, with
 * its place), GLSHAPE_NO_GPU_MEMORY (says how much is needed), GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED.
 *
 * Sources: Robins, Wood, Sheppard, "Theory and algorithms for constructing discrete Morse complexes from
 * grayscale digital images", 2011; Bleile, Garin, Heiss, Maggs, Robins, "The persistent homology of dual
 * digital image constructions", 2022; Bauer, "Ripser", 2021. */
GLSHAPE_API glshape_status glshape_cubical(glshape_context *context, const glshape_field *field,
                                           const glshape_cubical_options *options,
                                           glshape_cubical_result *result);
/* Frees what a result holds. */
GLSHAPE_API void glshape_cubical_free(glshape_cubical_result *result);

/* ---- contour: contour trees of scalar fields ------------------------------------------------------ */

/* An arc of a contour tree, between two nodes. */
typedef struct glshape_arc {
    uint32_t lower, upper; /* vertices */
    uint32_t regular;      /* how many vertices lie on it */
    double lower_value, upper_value;
} glshape_arc;

typedef struct glshape_contour_result {
    size_t n, count;   /* vertices; arcs */
    glshape_arc *arcs; /* by lower, then by upper vertex */
    uint32_t *arc;     /* n: the arc that a vertex lies on; GLSHAPE_NO_VERTEX at a node */
    double seconds;
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_contour_result;

/* Computes the contour tree of a field: what becomes of the connected parts of {value = t} as t rises. Its
 * nodes are the vertices where parts appear, join, split or vanish; all other vertices lie on its arcs. On a
 * graph that is not connected it is a forest. Vertices are in order of value, of equals the smaller index
 * first. It is the one tree whose join and split trees are the field's: the call compares the result with
 * both before it returns.
 *
 * Not every field has a contour tree. Without periodic axes every field has one with 8, 18 and 26 neighbors
 * and with Freudenthal's; with Freudenthal's it is the contour tree of the linear interpolation. A graph that
 * is a tree has one. With 4 and 6 neighbors, with periodic axes and on other graphs a field may have none,
 * which is an error. If it has one there, a level set that goes around an axis or a hole may have more parts
 * than the tree shows.
 *
 * method says how both merge trees are computed. Takes some 12 bytes of host memory a vertex and 80 a node.
 * Free result with glshape_contour_free.
 *
 * Errors: as glshape_mergetree, and GLSHAPE_BAD_INPUT (the field has no contour tree).
 *
 * Source: Carr, Snoeyink, Axen, "Computing contour trees in all dimensions", 2003. */
GLSHAPE_API glshape_status glshape_contour(glshape_context *context, const glshape_field *field,
                                           glshape_mergetree_method method, glshape_contour_result *result);
/* The same with the join tree, which is found on the way: *join becomes what glshape_mergetree makes of the
 * field, in the neighborhood of the contour tree, with branches_only. Free it with glshape_mergetree_free. */
GLSHAPE_API glshape_status glshape_contour_and_join(glshape_context *context, const glshape_field *field,
                                                    glshape_mergetree_method method,
                                                    glshape_contour_result *result,
                                                    glshape_mergetree_result *join);
/* Frees what a result holds. */
GLSHAPE_API void glshape_contour_free(glshape_contour_result *result);

/* ---- delaunay: triangulations in the plane -------------------------------------------------------- */

#define GLSHAPE_NO_TRIANGLE UINT32_MAX

typedef struct glshape_delaunay_result {
    size_t n, distinct; /* points; points at different places */
    uint32_t *same;     /* n: the first point at the same place, which may be the point itself */
    size_t count;       /* triangles */
    /* count × 3: corners, counter-clockwise, the smallest index first; triangles are in order of their first,
     * then second, then third corner. */
    uint32_t *triangles;
    uint32_t *neighbors; /* count × 3: the triangle across the edge opposite each corner, or
                            GLSHAPE_NO_TRIANGLE */
    uint32_t *chain;     /* if there are no triangles: the distinct points in order along their line, from the
                            end with the smaller index; else NULL */
    size_t gpu_bytes;    /* most texture memory in use at a time */
    struct {
        double upload, order, merge, collect; /* upload: conversion to integers */
    } seconds;
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_delaunay_result;

/* Computes the Delaunay triangulation of the rows (x, y) of points, of any type. It is exact for the numbers
 * as they are given, and the same on every device. Of points at the same place the first counts. Where more
 * than three points lie on one empty circle, the polygon that they span is cut into triangles from its corner
 * of smallest index. Fewer than three distinct points, and points on one line, have no triangles but a chain.
 * Takes up to 150 bytes of GPU memory a point. Threads do it where coordinates have a largest difference of
 * 2^126 times their last bit or more, where most points are on circles or lines, and where there are fewer
 * than 500,000 points (20,000, if the device is open). Free result with glshape_delaunay_free.
 *
 * Errors: GLSHAPE_BAD_INPUT (not two columns; NaN or infinity with its row and column; an integer beyond 2^53
 * that is no double; more than 715,827,882 points), GLSHAPE_NO_GPU_MEMORY (says how much is needed),
 * GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED.
 *
 * Sources: Brown, "Voronoi diagrams from convex hulls", 1979, and Shewchuk, "Star splaying", 2005: by passes;
 * Guibas, Stolfi, "Primitives for the manipulation of general subdivisions and the computation of Voronoi
 * diagrams", 1985; Dwyer, "A faster divide-and-conquer algorithm for constructing Delaunay
 * triangulations", 1987; Edelsbrunner, Mücke, "Simulation of simplicity", 1990. */
GLSHAPE_API glshape_status glshape_delaunay(glshape_context *context, const glshape_matrix *points,
                                            glshape_delaunay_result *result);
/* Frees what a result holds. */
GLSHAPE_API void glshape_delaunay_free(glshape_delaunay_result *result);

/* ---- alpha: alpha shapes of points in the plane ---------------------------------------------------- */

/* What a face of the Delaunay triangulation is in the alpha shape of radius α. A triangle is born at its
 * circumradius. An edge is born at half its length if the disc that it is the diameter of holds no point;
 * else it is attached, and born with its first triangle. A vertex is born at 0. The shape has the faces that
 * are born at a radius of at most α. As α grows, a face is first EXTERIOR (not in the shape), then SINGULAR
 * (it bounds no other face), then REGULAR (on the boundary, but it bounds another face), then INTERIOR; it
 * may skip each of these. CGAL's alpha is the square of this α; its general mode calls a vertex on edges but
 * on no triangle SINGULAR. */
typedef enum {
    GLSHAPE_ALPHA_EXTERIOR,
    GLSHAPE_ALPHA_SINGULAR,
    GLSHAPE_ALPHA_REGULAR,
    GLSHAPE_ALPHA_INTERIOR,
} glshape_alpha_class;

/* A threshold of a face: where it becomes SINGULAR (of a triangle INTERIOR), REGULAR, INTERIOR. */
typedef enum { GLSHAPE_ALPHA_RHO, GLSHAPE_ALPHA_MU_LOW, GLSHAPE_ALPHA_MU_HIGH } glshape_alpha_threshold;

typedef struct glshape_alpha_options {
    bool master; /* also the master list */
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_alpha_options;

/* An entry of the master list: a threshold of a face. */
typedef struct glshape_alpha_entry {
    uint32_t face;     /* a vertex, an edge or a triangle */
    uint8_t dim;       /* 0, 1 or 2 */
    uint8_t threshold; /* glshape_alpha_threshold */
} glshape_alpha_entry;

/* The alpha shapes for all α. The spectrum is the list of radii at which the shape changes, ascending. Rank
 * r = 1 to ranks stands for the r-th radius of the spectrum, rank 0 for α = 0, where the shape is only the
 * points. In the tables of ranks below, 0 stands for "never". */
typedef struct glshape_alpha_result {
    size_t n, vertices;    /* points; points at different places */
    size_t triangle_count; /* 0 if all points lie on one line */
    size_t edge_count;     /* then vertices - 1 */
    uint32_t *same;        /* n: the first point at the same place; a point is a vertex if that is itself */
    uint32_t *triangles;   /* triangle_count × 3: corners, counter-clockwise */
    uint32_t *neighbors;   /* triangle_count × 3: the triangle across the edge opposite each corner, or
                              GLSHAPE_NO_TRIANGLE */
    uint32_t *triangle_edges; /* triangle_count × 3: the edge opposite each corner */
    uint32_t *edges;          /* edge_count × 2: its ends, the smaller first */
    size_t ranks;             /* how many radii the spectrum has */
    double *radii; /* ranks + 1, not descending, from 0: each within 2 units in the last place. Ranks
                      are exact: two different radii may round to the same double */
    uint32_t *triangle_ranks; /* triangle_count: it becomes INTERIOR */

    /* edge_count × 3: the edge becomes SINGULAR (0: it is attached), REGULAR (0: it is in no triangle),
     * INTERIOR (0: it is on the hull). */
    uint32_t *edge_ranks;

    /* n × 3: the vertex becomes REGULAR (0: it is the only vertex), INTERIOR (0: it is on the hull), a corner
     * of a triangle in the shape (0: there is no triangle). */
    uint32_t *vertex_ranks;
    size_t master_count;
    glshape_alpha_entry *master; /* by rank, then by dimension, face and threshold; NULL if not asked for */
    size_t *master_start; /* ranks + 2: entries of rank r are master_start[r] to master_start[r + 1] - 1 */
    struct glshape_alpha_exact *exact; /* for exact comparisons with an α */
    size_t gpu_bytes;                  /* most texture memory in use at a time */
    struct {
        double triangulate, edges, keys, sort, compare, intervals, master;
    } seconds;
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_alpha_result;

/* Computes the alpha shapes, for all α, of n × 2 finite coordinates. The answer is that of rational
 * arithmetic on the coordinates as they are given, and the same on every device. Points at the same place are
 * one vertex. Points on one circle are triangulated as glshape_delaunay does. Free result with
 * glshape_alpha_free.
 *
 * Errors: GLSHAPE_BAD_INPUT (not two columns; NaN or infinity with its row and column; more than 715,827,882
 * points), GLSHAPE_NO_GPU_MEMORY (says how much is needed), GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED.
 *
 * Sources: Sridharan, Nanjappa, Tan, "Computing 2D alpha shapes using GPU", 2012; Edelsbrunner, Kirkpatrick,
 * Seidel, "On the shape of a set of points in the plane", 1983; Mücke, "Shapes and implementations in
 * three-dimensional geometry", 1993. */
GLSHAPE_API glshape_status glshape_alpha(glshape_context *context, const glshape_matrix *points,
                                         const glshape_alpha_options *options, glshape_alpha_result *result);
/* Frees what a result holds. */
GLSHAPE_API void glshape_alpha_free(glshape_alpha_result *result);

/* The rank of a radius: how many radii of the spectrum are at most alpha, exactly. INFINITY is fine. Errors:
 * GLSHAPE_BAD_ARGUMENT (alpha is negative or NaN). */
GLSHAPE_API glshape_status glshape_alpha_rank(glshape_context *context, const glshape_alpha_result *result,
                                              double alpha, uint32_t *rank);
/* The least rank at which every point is on a triangle and the triangles make at most `components` solid
 * components. A solid component is triangles joined across edges. Errors: GLSHAPE_BAD_ARGUMENT (components is
 * 0), GLSHAPE_BAD_INPUT (all points are on one line), GLSHAPE_NO_MEMORY. */
GLSHAPE_API glshape_status glshape_alpha_optimal(glshape_context *context, const glshape_alpha_result *result,
                                                 size_t components, uint32_t *rank);

/* A solid component of a shape. */
typedef struct glshape_alpha_component {
    size_t triangles, first_ring, rings;
    double area, perimeter; /* perimeter: of all rings */
} glshape_alpha_component;

/* The alpha shape of one radius. */
typedef struct glshape_alpha_shape {
    uint32_t rank;
    double radius;
    /* glshape_alpha_class of n points, edge_count edges and triangle_count triangles. A point that is no
     * vertex has the class of its vertex. */
    uint8_t *vertex, *edge, *triangle;
    size_t components;
    glshape_alpha_component *component; /* components: by their first triangle */
    uint32_t *component_of;             /* triangle_count; UINT32_MAX: the triangle is not in the shape */
    /* The rings of each component: the outer one, counter-clockwise, then its holes, clockwise, by their
     * least point. A ring visits no point twice and starts with its least; its last point is joined to the
     * first. */
    size_t rings;
    size_t *ring_start; /* rings + 1 */
    uint32_t *ring;     /* points */
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_alpha_shape;

/* Gives the shape at a rank. regularized: only triangles and what bounds them, no singular faces. Free shape
 * with glshape_alpha_shape_free. Errors: GLSHAPE_BAD_ARGUMENT (rank is beyond result->ranks),
 * GLSHAPE_NO_MEMORY. */
GLSHAPE_API glshape_status glshape_alpha_at(glshape_context *context, const glshape_alpha_result *result,
                                            uint32_t rank, bool regularized, glshape_alpha_shape *shape);
/* Frees what a shape holds. */
GLSHAPE_API void glshape_alpha_shape_free(glshape_alpha_shape *shape);

/* Which shape is wanted: that of a radius; or the one that glshape_alpha_optimal chooses; or that of a rank.
 */
typedef struct glshape_alpha_choice {
    glshape_optional alpha; /* a radius, which may be INFINITY */
    size_t optimal;         /* without alpha: solid components at most; 0: not this */
    uint32_t rank;          /* without both */
    bool regularized;       /* only triangles and what bounds them, no singular faces */
    bool boundary_only;     /* singular edges and points are not listed */
} glshape_alpha_choice;

/* One alpha shape: its boundary, and what does not bound a triangle. */
typedef struct glshape_alpha_outline {
    size_t n, vertices, edge_count, triangle_count, ranks; /* as in glshape_alpha_result */
    double least_radius, greatest_radius;                  /* of ranks 1 and `ranks`; 0: there is none */
    glshape_alpha_shape shape; /* vertex, edge, triangle and component_of are NULL */
    size_t singular_edges, singular_points;
    uint32_t (*singular_edge)[2]; /* its points, the smaller one first */
    uint32_t *singular_point;     /* vertices */
    size_t gpu_bytes;             /* most texture memory in use at a time */
    struct {
        double triangulate, edges, keys, sort, compare, intervals, shape;
    } seconds;
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_alpha_outline;

/* Computes one alpha shape: the same as that of glshape_alpha and glshape_alpha_at, in less time, as the rest
 * of the family stays on the device. Free *outline with glshape_alpha_outline_free. Errors: as glshape_alpha,
 * glshape_alpha_rank, glshape_alpha_optimal and glshape_alpha_at. */
GLSHAPE_API glshape_status glshape_alpha_outline_of(glshape_context *context, const glshape_matrix *points,
                                                    const glshape_alpha_choice *choice,
                                                    glshape_alpha_outline *outline);
/* Frees what an outline holds. */
GLSHAPE_API void glshape_alpha_outline_free(glshape_alpha_outline *outline);

/* Computes the intervals of persistent homology of the alpha filtration, in dimensions 0 and 1. Births and
 * deaths are radii, in double; intervals of length 0 are left out. Those of dimension 0 are in order of
 * death, then those of dimension 1 in descending order of birth. A simplex that 64 bits cannot name (beyond
 * some 4,800,000 points) is GLSHAPE_NO_SIMPLEX. Free *intervals with free(). Errors: GLSHAPE_NO_MEMORY. */
GLSHAPE_API glshape_status glshape_alpha_persistence(glshape_context *context,
                                                     const glshape_alpha_result *result,
                                                     glshape_interval **intervals, size_t *count);

/* ---- pictures -------------------------------------------------------------------------------------- */

/* What is drawn beneath the points of a scatter plot: the inside of rings (where an odd number of rings goes
 * around), the rings, and lines. Points are named by their rows. */
typedef struct glshape_chart_region {
    size_t rings;
    const size_t *ring_start; /* rings + 1: where each ring starts in `ring` */
    const uint32_t *ring;
    size_t lines;
    const uint32_t (*line)[2];
} glshape_chart_region;

/* Points as a scatter plot, with equal units on both axes: a layout, clusters, an alpha shape. */
typedef struct glshape_chart_scatter {
    size_t n, dim;                      /* dim 1: drawn along a line; above 2: the first two columns */
    const double *xy;                   /* n × dim, finite */
    const glshape_graph *edges;         /* of n nodes, drawn beneath the points; NULL: none */
    const glshape_chart_region *region; /* drawn beneath edges and points; NULL: none */
    const uint32_t *labels;             /* n classes, each below `classes`, as colors; NULL: no classes */
    uint32_t classes;
    const char *const *names;       /* the classes' names; NULL: "class 0", "class 1", … */
    const char *kind;               /* without names, what they are called instead of "class"; NULL: that */
    const char *const *point_names; /* n, UTF-8, of the points: a page shows them; NULL: their numbers */
    bool noise;                     /* the last class is noise, and gray */
} glshape_chart_scatter;

/* Intervals of persistent homology: a bar for each on the left, a dot for each on the right. */
typedef struct glshape_chart_barcode {
    size_t count;
    const glshape_interval *intervals; /* in any order; simplices do not matter */
    int dims;          /* 1 to GLSHAPE_RIPS_DIMS: the picture shows dimensions 0 to dims - 1 */
    bool falling;      /* intervals of superlevels, whose deaths lie below their births (or are INFINITY:
                          they never end): drawn with negated values */
    double end;        /* where the filtration ends, of which an interval may be the only one */
    const char *scale; /* what births and deaths are; NULL: "diameter" */
} glshape_chart_barcode;

/* The tree of a linkage matrix: leaves at the left, heights to the right. */
typedef struct glshape_chart_dendrogram {
    size_t n;                 /* points, 1 to 2^31 - 1 */
    const double *merges;     /* (n - 1) × 4, as glshape_linkage_result.merges */
    const uint32_t *labels;   /* n clusters, by which subtrees are colored; NULL: none */
    size_t leaves;            /* drawn at most: what was merged before is one leaf; 0: 60 */
    const char *const *names; /* of the points, UTF-8; NULL: their numbers */
} glshape_chart_dendrogram;

/* Clusters of varying density: the points in their clusters' colors, noise gray, and the condensed tree as
 * icicles, the chosen clusters in their colors. */
typedef struct glshape_chart_icicles {
    const glshape_hdbscan_result *of;
    const int32_t *labels;          /* of the points, from a cut; NULL: those of `of` */
    size_t clusters;                /* that labels has */
    glshape_optional cut;           /* the distance of the cut, drawn as a line; icicles are then gray */
    size_t dim;                     /* as glshape_chart_scatter */
    const double *xy;               /* points × dim, finite; NULL: the points are not drawn */
    const char *const *point_names; /* n, UTF-8: a page shows them; NULL: their numbers */
} glshape_chart_icicles;

/* A merge tree: its most persistent branches, the persistence diagram, and, if the tree has triplets and the
 * field is on a grid, the branch of each vertex as an image (of three dimensions, of the plane in the
 * middle). A branch of persistence 0 is shown as a part of its parent. */
typedef struct glshape_chart_branches {
    const glshape_mergetree_result *of;
    const glshape_field *field; /* that it is of; values are looked at if they are integers of 64 bits */
    bool superlevel;            /* as the tree was made */
    bool all;                   /* branches of persistence 0, too */
} glshape_chart_branches;

/* A field on a grid as an image in gray (of three dimensions the mean along the first), and on it births and
 * deaths of the 12 longest intervals of each dimension. */
typedef struct glshape_chart_located {
    const glshape_cubical_result *of;
    const glshape_field *field; /* that it is of */
} glshape_chart_located;

/* A map of many shapes: the places of shapes in the plane, in their clusters' colors, noise gray, and the
 * persistence of each. A page shows the barcode and the diagram of the shape that the pointer is at; other
 * pictures have the barcodes of the medoids of the six largest clusters. */
typedef struct glshape_chart_atlas {
    size_t n;
    const double *xy;      /* n × 2, finite */
    const int32_t *labels; /* n: a cluster each; -1: noise */
    size_t clusters;
    const uint32_t *medoids;  /* clusters: a shape each */
    const char *const *names; /* n, UTF-8; NULL: their numbers */
    const size_t *first;      /* n + 1: where the intervals of each shape begin */
    const glshape_interval *intervals;
    bool falling;      /* as glshape_chart_barcode */
    const char *scale; /* likewise */
} glshape_chart_atlas;

/* What a picture shows. Exactly one of these is set. */
typedef struct glshape_chart {
    const glshape_chart_scatter *scatter;
    const glshape_chart_barcode *barcode;
    const glshape_chart_dendrogram *dendrogram;
    const glshape_chart_icicles *icicles;
    const glshape_chart_branches *branches;
    const glshape_chart_located *located;
    const glshape_chart_atlas *atlas;
} glshape_chart;

/* PNG: 8-bit RGB. SVG: text. HTML: a page that a browser opens, without a network: it can be zoomed, shows
 * what the pointer is at, and its points or intervals can be selected and saved as CSV. */
typedef enum { GLSHAPE_PICTURE_PNG, GLSHAPE_PICTURE_SVG, GLSHAPE_PICTURE_HTML } glshape_picture_format;

typedef struct glshape_picture_options {
    glshape_picture_format format;
    const char *title; /* UTF-8, in Latin letters for a PNG; NULL: none */
    uint32_t width,
        height; /* pixels, at most 16384; 0: what suits the chart, 1200 to 1600; a page has none */
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_picture_options;

/* The content of a file. */
typedef struct glshape_picture {
    size_t size;
    void *bytes;
    uint64_t reserved[GLSHAPE_RESERVED];
} glshape_picture;

/* Draws a chart. The bytes are the same on every device. The GPU paints a PNG; others need no device. Free
 * picture with glshape_picture_free.
 *
 * Errors: GLSHAPE_BAD_ARGUMENT (no chart, or several; a value that is not finite, a label, a dimension or a
 * number of a point that is out of range, with its place; a picture too small to draw on, with the least
 * size), GLSHAPE_NO_DEVICE and GLSHAPE_GPU_ERROR (PNG), GLSHAPE_NO_GPU_MEMORY, GLSHAPE_NO_MEMORY. */
GLSHAPE_API glshape_status glshape_draw(glshape_context *context, const glshape_chart *chart,
                                        const glshape_picture_options *options, glshape_picture *picture);
/* Frees what a picture holds. */
GLSHAPE_API void glshape_picture_free(glshape_picture *picture);

#ifdef __cplusplus
}
#endif
#endif
