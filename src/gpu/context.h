/* glshape_context: a gpu and the last error, behind the public API. Every public call goes through
 * context_begin_closed and context_end. */
#ifndef GLSHAPE_GPU_CONTEXT_H
#define GLSHAPE_GPU_CONTEXT_H

#include "gpu/gpu.h"

/* Clears the context's error and, if its device is open, makes that current; gpu_need opens one that is
 * closed. *g and its error are the context's own. */
glshape_status context_begin_closed(glshape_context *context, gpu **g);
/* The same for a method with options (or NULL), and for what gpu_begin_method does. GLSHAPE_BAD_ARGUMENT: a
 * reserved word of the options is not 0. Methods whose work ranks share look at these words themselves, where
 * the ranks agree on failures. */
glshape_status context_begin_method(glshape_context *context, const uint64_t *reserved, gpu **g);
#define CONTEXT_BEGIN_METHOD(context, options, g) \
    context_begin_method(context, (options) ? (options)->reserved : NULL, g)
/* context_begin_closed for a call that touches no device. */
glshape_status context_begin_run(glshape_context *context, run **r);
/* For a method whose work ranks share: the end of it for all of them. Returns what they agree on, for
 * context_end. */
glshape_status context_agree(glshape_context *context, glshape_status status);
/* Restores what was current before, and returns status. The error stays. */
glshape_status context_end(glshape_context *context, glshape_status status);
/* The gpu of an open context; NULL if it never opened. */
gpu *context_gpu(glshape_context *context);

#endif
