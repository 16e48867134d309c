/* Products of the doubly centered squares of a matrix of distances with thin matrices, by passes or by
 * threads. */
#ifndef GLSHAPE_MDS_PRODUCT_H
#define GLSHAPE_MDS_PRODUCT_H

#include "base/threads.h"
#include "dist/source.h"

/* B = -½ J D∘D J, J = I - 11ᵀ/n, of which only D is read, row by row. */
typedef struct mds_product {
    gpu *g;
    dist_reader reader;
    uint32_t n;
    bool precise;                     /* multiplies in double, by threads */
    bool on_device, resident, loaded; /* resident: all rows stay on the device, or in memory, once loaded */
    float *rows;                      /* by threads: n × n if resident */
    double *scale;                    /* of each row a power of two, above its largest distance */
    double *squares, *fourths;        /* of each row the sums of d² and d⁴ */
    double trace;                     /* known after a product, as is what rounding may leave in one */
    double noise;
    uint32_t readings;       /* of the whole matrix */
    uint32_t block;          /* rows of a page */
    gpu_texture given;       /* RGBA32F: rows, each divided by its scale */
    gpu_ring ring;           /* rows on their way there */
    uint32_t sent;           /* pages */
    double reading, sending; /* seconds: of threads that read rows; of waiting for room to send them */
    threads_team *team;
} mds_product;

/* Prepares products with the distances of a reader, which mds_check_reader has wrapped. Of few points they
 * are the threads' work, if no device is named. Precise products always are. mds_product_free(), also after a
 * failure. GLSHAPE_NO_MEMORY, GLSHAPE_NO_GPU_MEMORY. */
glshape_status mds_product_new(gpu *g, const dist_reader *reader, glshape_keep keep, bool precise,
                               mds_product *p);
void mds_product_free(mds_product *p);
/* y becomes B·x, as an mds_operator; user is an mds_product. x has count columns of mean 0, each n values
 * behind one another; so has y. GLSHAPE_BAD_INPUT: a distance is missing; GLSHAPE_IO_ERROR,
 * GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED. */
glshape_status mds_product_apply(void *user, uint32_t count, const double *x, double *y);

#endif
