/* glshape_context: a gpu and the last error, behind the public API. Every public call goes through
 * context_begin and context_end. */
#ifndef GLSHAPE_GPU_CONTEXT_H
#define GLSHAPE_GPU_CONTEXT_H

#include "gpu/gpu.h"

/* Makes the context's device current and clears its error. *g and its error are the context's own. A device
 * that is to be opened when it is needed is opened now. */
glshape_status context_begin(glshape_context *context, gpu **g);
/* The same for calls that may not need the device: gpu_need opens it. */
glshape_status context_begin_closed(glshape_context *context, gpu **g);
/* For a method whose work ranks share: the end of it for all of them. Returns what they agree on, for
 * context_end. */
glshape_status context_agree(glshape_context *context, glshape_status status);
/* Restores what was current before, and returns status. The error stays. */
glshape_status context_end(glshape_context *context, glshape_status status);
/* The gpu of an open context; NULL if it never opened. */
gpu *context_gpu(glshape_context *context);

#endif
