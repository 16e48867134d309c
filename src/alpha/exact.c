#include "alpha/mesh.h"
glshape_status alpha_merge_on_cpu(gpu *g, const alpha_order *order, alpha_mesh *out, alpha_cost *cost) {
    (void)order, (void)out, (void)cost;
    return fail(gpu_error(g), GLSHAPE_GPU_ERROR, "not yet");
}
