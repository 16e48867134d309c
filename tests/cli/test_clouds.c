/* Clouds as input of every command that takes points; meshes as output. */
#include <stdlib.h>
#include <string.h>

#include "cli/shell.h"

Suite *cli_clouds_suite(void);

#define CLOUDS "tests/cloud/golden/"

START_TEST(every_command) {
    static const char *const lines[] = {
        "linkage %s -o $D/o.csv", "knn -k 3 %s -o $D/o.csv",           "hdbscan %s -o $D/o.csv",
        "mds %s -o $D/o.csv",     "mst --input points %s -o $D/o.csv", "rips --input points %s -o $D/o.csv"};
    char line[200];
    snprintf(line, sizeof line, lines[_i], CLOUDS "points.npy");
    shell_do("$G %s -q && mv $D/o.csv $D/want.csv", line);
    static const char *const inputs[] = {CLOUDS "meshio.ply", "--format ply - <" CLOUDS "meshio.ply",
                                         "- <" CLOUDS "packed.pcd"};
    for (int i = 0; i < 3; i++) {
        snprintf(line, sizeof line, lines[_i], inputs[i]);
        shell_do("$G %s -q && cmp $D/o.csv $D/want.csv", line);
    }
    snprintf(line, sizeof line, lines[_i], "$D/z.ply");
    shell_do("gzip -c " CLOUDS "meshio_text.ply >$D/z.ply && $G %s -q && cmp $D/o.csv $D/want.csv", line);
}
END_TEST

START_TEST(in_the_plane) {
    shell_do("$G delaunay " CLOUDS "flat.npy -q -o $D/a.csv && $G alpha " CLOUDS
             "flat.npy --rank 9 -q -o $D/a.wkt");
    static const char *const inputs[] = {"ogr.geojson", "shapely.wkt"};
    for (int i = 0; i < 2; i++) {
        shell_do("$G delaunay " CLOUDS "%s -q -o $D/b.csv && cmp $D/a.csv $D/b.csv", inputs[i]);
        shell_do("$G alpha " CLOUDS "%s --rank 9 -q -o $D/b.wkt && cmp $D/a.wkt $D/b.wkt", inputs[i]);
    }
    /* The remedy that the refusal names. */
    static const bad_line three[] = {
        {"$G delaunay " CLOUDS "meshio.ply", {"has 3 columns", "as --columns 1,2 does"}}};
    shell_expect(1, three, 1);
    shell_do("$G delaunay " CLOUDS
             "meshio.ply --columns 1,2 -q -o $D/a.csv && "
             "$G delaunay " CLOUDS "meshio.ply --columns x,y -q -o $D/b.csv && cmp $D/a.csv $D/b.csv");
}
END_TEST

/* Meshes are read again as the points, and by the program that reads meshes, if it is there. */
START_TEST(meshes) {
    static const char *const extensions[] = {"ply", "off"};
    const char *e = extensions[_i];
    shell_do("$G delaunay " CLOUDS "flat.npy -q -o $D/d.%s && $G delaunay " CLOUDS "flat.npy -q -o $D/t.csv",
             e);
    shell_do("$G delaunay $D/d.%s --columns x,y -q -o $D/u.csv && cmp $D/t.csv $D/u.csv", e);
    shell_do("$G alpha " CLOUDS "flat.npy --rank 9 -q -o $D/a.%s --faces $D/f.csv", e);
    shell_do("grep -c '^3,' $D/f.csv");
    int faces = atoi(shell_out);
    ck_assert_int_gt(faces, 0);
    if (_i)
        shell_do(
            "head -n 2 $D/a.off | grep -q '^30 %d 0$' && tail -n %d $D/a.off | grep -c '^3 ' | grep -qx %d",
            faces, faces, faces);
    else shell_do("grep -aq 'element face %d' $D/a.ply", faces);
    if (!shell("command -v assimp >$D/log"))
        shell_do("assimp info $D/d.%s | grep -q 'Faces: *'$(wc -l <$D/t.csv)", e);
    if (!shell("/usr/bin/python3 -c 'import meshio' 2>$D/log"))
        shell_do(
            "/usr/bin/python3 -c \"import meshio, numpy as np; m = meshio.read('$D/d.%s'); "
            "assert (m.points[:, :2] == np.load('" CLOUDS
            "flat.npy')).all(); "
            "assert (m.cells_dict['triangle'] == np.loadtxt('$D/t.csv', delimiter=',')).all()\"",
            e);
}
END_TEST

Suite *cli_clouds_suite(void) {
    Suite *s = suite_create("cli/clouds");
    TCase *all = shell_case(s, "all", 60);
    tcase_add_loop_test(all, every_command, 0, 6);
    tcase_add_test(all, in_the_plane);
    tcase_add_loop_test(all, meshes, 0, 2);
    return s;
}
