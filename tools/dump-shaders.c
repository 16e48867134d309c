/* Writes the assembled source of every pass, variant and stage into a folder, for glslangValidator. */
#include <stdlib.h>
#include <string.h>

#include "alpha/passes.h"
#include "alpha/spectrum_passes.h"
#include "dist/passes.h"
#include "gpu/gpu.h"
#include "knn/passes.h"
#include "mds/passes.h"
#include "mergetree/passes.h"
#include "plot/plot_passes.h"
#include "prim/passes.h"
#include "rips/passes.h"
#include "tree/passes.h"

extern const gpu_pass gpu_passes[];
extern const int gpu_pass_count;

static const char *folder;
static int serial;

static void dump(const gpu_pass *pass, const char *defines, gpu_stage stage, bool loads) {
    char name[256], path[4096];
    snprintf(name, sizeof name, "%s", pass->shader);
    for (char *c = name; *c; c++)
        if (*c == '/') *c = '-';
    snprintf(path, sizeof path, "%s/%s-%03d.%s", folder, name, serial++,
             stage == GPU_STAGE_FRAGMENT ? "frag" : "comp");
    error err = {0};
    FILE *to = fopen(path, "w");
    if (!to || gpu_assemble(&err, pass, defines, stage, loads, to) || fclose(to)) {
        fprintf(stderr, "%s: %s\n", path, err.text);
        exit(1);
    }
}

static void dump_table(const gpu_pass *passes, int count) {
    for (int i = 0; i < count; i++)
        for (int v = 0; passes[i].shader && (v == 0 || passes[i].variants[v]); v++) {
            const gpu_pass *pass = &passes[i];
            for (int loads = 0; loads < 2; loads++) dump(pass, pass->variants[v], GPU_STAGE_COMPUTE, loads);
            if (pass->kernel == GPU_TEXEL) dump(pass, pass->variants[v], GPU_STAGE_FRAGMENT, false);
        }
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    folder = argv[1];
    dump_table(gpu_passes, gpu_pass_count);
    dump_table(prim_passes, prim_pass_count);
    dump_table(dist_passes, dist_pass_count);
    dump_table(alpha_passes, alpha_pass_count);
    dump_table(spectrum_passes, spectrum_pass_count);
    dump_table(tree_passes, tree_pass_count);
    dump_table(knn_passes, knn_pass_count);
    dump_table(mergetree_passes, mergetree_pass_count);
    dump_table(rips_passes, rips_pass_count);
    dump_table(mds_passes, MDS_PASS_COUNT);
    dump_table(mds_sparse_passes, MDS_PASS_COUNT);
    dump_table(mds_weighted_passes, MDS_PASS_COUNT);
    dump_table(mds_weighted_sparse_passes, MDS_PASS_COUNT);
    dump_table(plot_passes, plot_pass_count);
    return 0;
}
