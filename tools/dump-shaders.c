/* Writes the assembled source of every pass, variant and stage into a folder, for glslangValidator and
 * check-vendors. Those of NAME.loads.comp load from images what they read, as software renderers do. */
#include <stdlib.h>
#include <string.h>

#include "alpha/passes.h"
#include "compare/passes.h"
#include "cubical/passes.h"
#include "delaunay/passes.h"
#include "dist/passes.h"
#include "field/passes.h"
#include "gpu/gpu.h"
#include "hdbscan/passes.h"
#include "index/passes.h"
#include "mds/passes.h"
#include "mergetree/passes.h"
#include "neighbors/passes.h"
#include "plot/plot_passes.h"
#include "prim/passes.h"
#include "rips/passes.h"
#include "tree/passes.h"

extern const gpu_pass *const gpu_passes[];

static const char *folder;
static int serial;

static void dump(const gpu_pass *pass, const int32_t *axes, gpu_stage stage, bool loads) {
    char name[256], path[4096];
    snprintf(name, sizeof name, "%s", pass->shader);
    for (char *c = name; *c; c++)
        if (*c == '/') *c = '-';
    snprintf(path, sizeof path, "%s/%s-%03d.%s", folder, name, serial++,
             stage == GPU_STAGE_FRAGMENT ? "frag"
             : loads                     ? "loads.comp"
                                         : "comp");
    error err = {0};
    FILE *to = fopen(path, "w");
    if (!to || gpu_assemble(&err, pass, axes, stage, loads, to) || fclose(to)) {
        fprintf(stderr, "%s: %s\n", path, err.text);
        exit(1);
    }
}

static void dump_stages(const gpu_pass *pass, const int32_t *axes) {
    for (int loads = 0; loads < 2; loads++) dump(pass, axes, GPU_STAGE_COMPUTE, loads);
    if (pass->kernel == GPU_TEXEL) dump(pass, axes, GPU_STAGE_FRAGMENT, false);
}

/* Every product of the axes' values; of an axis that may have any value the examples in turn, and all at
 * least once. */
static void dump_variants(const gpu_pass *pass) {
    int product = 1, most = 1;
    for (const gpu_axis *a = pass->axes; a->name; a++)
        if (!a->any) product *= a->count;
        else if (a->count > most) most = a->count;
    for (int k = 0; k < (product > most ? product : most); k++) {
        int32_t axes[GPU_AXES] = {0};
        int left = k;
        for (int a = 0; pass->axes[a].name; a++) {
            const gpu_axis *axis = &pass->axes[a];
            axes[a] = axis->values[(axis->any ? k : left) % axis->count];
            if (!axis->any) left /= axis->count;
        }
        dump_stages(pass, axes);
    }
}

static void dump_passes(const gpu_pass *const *passes) {
    for (; *passes; passes++) dump_variants(*passes);
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    folder = argv[1];
    const gpu_pass *const *const rooms[] = {gpu_passes,      prim_passes,  dist_passes,      tree_passes,
                                            delaunay_passes, index_passes, knn_passes,       rips_passes,
                                            alpha_passes,    field_passes, mergetree_passes, cubical_passes,
                                            mds_passes,      plot_passes,  hdbscan_passes,   compare_passes};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) dump_passes(rooms[i]);
    return 0;
}
