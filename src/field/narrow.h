/* Fields of bytes and of 16-bit integers on their way to the GPU: they go as they are, and a pass makes their
 * keys there. */
#ifndef GLSHAPE_FIELD_NARROW_H
#define GLSHAPE_FIELD_NARROW_H

#include "field/order.h"
#include "gpu/gpu.h"

/* Sets *so to whether a field is of such values, which the device widens rightly. A method asks before it
 * begins, so that the program is made with its others. */
glshape_status narrow_is_for_passes(gpu *g, const glshape_field *field, bool *so);

/* Sends the whole field, of which the order begins with the first vertex, and fills key. looks: NULL, or the
 * order, whose values are looked at on their way. Takes as many bytes of texture as the field has, for as
 * long as it runs. GLSHAPE_NO_GPU_MEMORY. */
glshape_status narrow_send(gpu *g, const order *o, order *looks, gpu_texture *key);

#endif
