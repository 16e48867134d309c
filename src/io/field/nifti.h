/* NIfTI-1 and -2 (.nii, or .hdr with .img), as brain imaging writes it: a header of 348 or 540 bytes, then
 * extensions, then the values. Dimensions beyond the third have to be 1. */
#ifndef GLSHAPE_IO_FIELD_NIFTI_H
#define GLSHAPE_IO_FIELD_NIFTI_H

#include "io/field/values.h"

/* Whether s starts like one. */
bool io_nifti_starts(const io_stream *s);
/* Reads the header of path from the start of s. GLSHAPE_BAD_INPUT with what is wrong. */
glshape_status io_nifti_read_header(error *err, io_stream *s, const char *path, io_values *out);

#endif
