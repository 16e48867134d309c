/* glshape_context: a gpu and the last error, behind the public API. Every public call goes through
 * context_begin and context_end. */
#ifndef GLSHAPE_GPU_CONTEXT_H
#define GLSHAPE_GPU_CONTEXT_H

#include "gpu/gpu.h"

/* Makes the context's device current and clears its error. *g and its error are the context's own. */
glshape_status context_begin(glshape_context *context, gpu **g);
/* Restores what was current before, and returns status. The error stays. */
glshape_status context_end(glshape_context *context, glshape_status status);
/* The gpu of an open context; NULL if it never opened. */
gpu *context_gpu(glshape_context *context);

#endif
