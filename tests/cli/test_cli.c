/* The command as a whole: points in, files out, exit codes, messages, files left behind. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "cli/plane.h"

/* ---- things that work -------------------------------------------------------------------------- */

START_TEST(layout_files) {
    ck_assert_int_eq(shell("$G mds --attempts 1 data/cancer.npy --labels data/cancer_labels.csv --seed 3 -o "
                           "$D/a.npy --picture $D/a.png "
                           "--report $D/a.json && $G mds --attempts 1 data/cancer.npy --seed 3 -o $D/b.npy "
                           "--picture $D/b.svg"),
                     0);
    shell_has(shell_out, "683 points in 2 dimensions: stress 0.0");
    ck_assert_int_eq(shell("cmp $D/a.npy $D/b.npy"), 0);
    ck_assert_int_eq(
        shell("$G mds --attempts 1 data/cancer.npy --seed 4 -o $D/b.npy && cmp -s $D/a.npy $D/b.npy"), 1);
    char report[1 << 14];
    shell_slurp("a.json", report, sizeof report);
    static const char *const keys[] = {"\"version\"",
                                       "\"renderer\"",
                                       "\"command\"",
                                       "\"rows\": 683",
                                       "\"stress\": 0.0",
                                       "\"stress_error\": 0",
                                       "\"pairs\": 232903",
                                       "\"missing\": 0",
                                       "\"facts\": {",
                                       "\"iterations\"",
                                       "\"levels\"",
                                       "\"points\": 683",
                                       "\"interpolation_iterations\": 0",
                                       "\"relaxation_iterations\"",
                                       "\"sparse_stress\"",
                                       "\"stages\": [",
                                       "\"place\"",
                                       "\"seconds\"",
                                       "\"transfers\"",
                                       "\"host\"",
                                       "\"bytes_up\"",
                                       "\"bytes_down\"",
                                       "\"total\"",
                                       "\"peak_gpu_bytes\"",
                                       "\"peak_host_bytes\"",
                                       "\"mds/sample\""};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) shell_has(report, keys[i]);
    shell_slurp("a.png", report, sizeof report);
    ck_assert(!memcmp(report, "\x89PNG", 4));
    shell_slurp("b.svg", report, sizeof report);
    shell_has(report, "<svg");
    ck_assert_int_eq(shell_count("*.tmp"), 0);
}
END_TEST

START_TEST(streams) {
    SHELL_TEXT("square.csv", "x,y\n0,0\n0,1\n1,1\n1,0\n");
    ck_assert_int_eq(shell("gzip -c $D/square.csv | $G mds - -o - --seed 7 --quiet"), 0);
    double x[8];
    ck_assert_int_eq(sscanf(shell_out, "%lf,%lf %lf,%lf %lf,%lf %lf,%lf", x, x + 1, x + 2, x + 3, x + 4,
                            x + 5, x + 6, x + 7),
                     8);
    double side = (x[0] - x[2]) * (x[0] - x[2]) + (x[1] - x[3]) * (x[1] - x[3]);
    ck_assert_msg(side > 0.99 && side < 1.01, "side %g of %s", side, shell_out);
    shell_has(shell_err, "4 points in 2 dimensions");
    ck_assert_int_eq(shell("$G mds $D/square.csv --dim 3 -o - -q | head -n 1 | tr -cd , | wc -c"), 0);
    ck_assert_int_eq(atoi(shell_out), 2);
}
END_TEST

START_TEST(spanning_forests) {
    SHELL_TEXT("g.txt", "a b 0.1\nb c -2\nc a 7\n\"d,e\" f 0\nf f 3\nb c 9\n");
    ck_assert_int_eq(shell("gzip -c $D/g.txt | $G mst - --device 0 -o - --quiet --report $D/r.json"), 0);
    ck_assert_str_eq(shell_out, "b,c,-2\n\"d,e\",f,0\na,b,0.1\n");
    shell_has(shell_err, "5 nodes, 4 edges: total weight -1.89999999");
    shell_has(shell_err, "2 components");
    char report[1 << 14];
    shell_slurp("r.json", report, sizeof report);
    static const char *const keys[] = {"\"total_weight\": -1.89999999", "\"components\": 2", "\"rounds\": 1",
                                       "\"loops_left_out\": 1",         "\"mst\"",           "\"tree/hook\""};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) shell_has(report, keys[i]);
    shell_do("grep -A 2 '\"stage\": \"forest\"' $D/r.json | tail -n 1");
    shell_has(shell_out, "\"why\": \"the device was named\"");
    shell_do("$G mst $D/g.txt -q --report $D/r.json && grep -A 2 '\"stage\": \"forest\"' $D/r.json");
    shell_has(shell_out, "\"place\": \"processors\"");
    shell_has(shell_out, "\"why\": \"the work is small\"");
    ck_assert_int_eq(shell("$G mst $D/g.txt --maximum -o $D/m.tsv && cat $D/m.tsv"), 0);
    shell_has(shell_out, "b\tc\t9\na\tc\t7\nd,e\tf\t0\n");
    SHELL_TEXT("n.gr", "p sp 3 4\na 1 2 5\na 2 1 5\na 2 3 1\na 3 2 1\n");
    ck_assert_int_eq(shell("$G mst $D/n.gr -o $D/n.npy && tail -c 48 $D/n.npy | od -An -v -w24 -tf8"), 0);
    double x[6];
    ck_assert_int_eq(
        sscanf(strchr(shell_out, '\n'), "%lf %lf %lf %lf %lf %lf", x, x + 1, x + 2, x + 3, x + 4, x + 5), 6);
    ck_assert(x[0] == 2 && x[1] == 3 && x[2] == 1 && x[3] == 1 && x[4] == 2 && x[5] == 5);
    ck_assert_int_eq(shell("$G mst $D/g.txt --picture $D/x.png"), 2);
    shell_has(shell_err, "--picture");
}
END_TEST

START_TEST(neighbors) {
    SHELL_TEXT("line.csv", "0\n1\n3\n7\n0\n");
    ck_assert_int_eq(shell("$G knn $D/line.csv -k 2 --search pairs -o $D/i.csv --distances - -q --report "
                           "$D/r.json && cat $D/i.csv"),
                     0);
    ck_assert_str_eq(shell_out, "0,1\n1,1\n2,3\n4,6\n0,1\n4,1\n0,4\n1,0\n2,1\n0,1\n");
    shell_has(shell_err, "5 points, 2 neighbors each");
    char report[1 << 14];
    shell_slurp("r.json", report, sizeof report);
    shell_has(report, "\"points compared with all\": 0");
    shell_has(report, "\"neighbors/pairs\"");
    ck_assert_int_eq(
        shell("$G knn $D/line.csv -k 5 -o $D/none.npy; code=$?; ls $D/none.npy 2>/dev/null; exit $code"), 1);
    shell_has(shell_err, "of 5 rows each has 4 others");
    ck_assert_int_eq(shell_out[0], 0);
    ck_assert_int_eq(shell("$G knn data/cancer.npy --metric cosine -o $D/i.npy --distances $D/d.npy"), 0);
    SHELL_TEXT("plane.csv", "0,0\n3,4\n-6,1\n");
    shell_do("$G knn -q $D/plane.csv -k 2 --metric chebyshev -o - --distances $D/d.csv && cat $D/d.csv");
    ck_assert_str_eq(shell_out, "1,2\n0,2\n0,1\n4,6\n4,9\n6,9\n");
    shell_do("$G knn -q $D/plane.csv -k 1 --metric minkowski --p 3 -o $D/i.csv --distances -");
    ck_assert_int_eq(strncmp(shell_out, "4.497941445275", 14), 0); /* 91^(1/3) */
    shell_do(
        "$G knn -q $D/plane.csv -k 1 --metric minkowski --p inf -o - && "
        "$G mst -q $D/plane.csv --input points --metric minkowski --p 1 -o -");
    ck_assert_str_eq(shell_out, "1\n0\n0\n0,1,7\n0,2,7\n");
}
END_TEST

/* Matrices, documents, and an .npz file (which scipy reads in tests/python). */
START_TEST(neighbors_of_other_inputs) {
    SHELL_TEXT("square.csv", "0,1,5\n1,0,2\n5,2,0\n");
    SHELL_TEXT("asked.csv", "4,1,1\n0,0,9\n");
    SHELL_TEXT("odd.csv", "0,1,5\n1,0,2\n5,3,0\n");
    SHELL_TEXT("words.txt", "4\n3\n8\n1 1 1\n1 2 1\n2 1 2\n2 2 2\n3 2 1\n3 3 1\n4 1 1\n4 3 2\n");
    shell_do("$G knn -q --input distances $D/square.csv -k 1 -o - --distances $D/d.csv && cat $D/d.csv");
    ck_assert_str_eq(shell_out, "1\n0\n1\n1\n1\n2\n");
    shell_do("$G knn -q --input query-distances $D/asked.csv -k 2 -o -");
    ck_assert_str_eq(shell_out, "1,2\n0,1\n");
    shell_do("$G knn -q --input query-distances $D/asked.csv -r 1 -o - --indptr $D/p.csv && cat $D/p.csv");
    ck_assert_str_eq(shell_out, "1\n2\n0\n1\n0\n2\n4\n");
    shell_do(
        "$G knn -q --input documents $D/words.txt -k 1 -o - && "
        "$G knn -q --input documents $D/words.txt --metric euclidean -k 1 -o - --distances $D/d.csv && "
        "$G knn -q --input documents $D/words.txt --queries $D/words.txt -k 1 -o -");
    ck_assert_str_eq(shell_out, "1\n0\n3\n2\n1\n0\n0\n2\n0\n0\n2\n3\n");
    shell_do("$G knn -q $D/asked.csv --radius 100 -o $D/near.npz && head -c 4 $D/near.npz | od -An -tx1");
    shell_has(shell_out, " 50 4b 03 04\n");
    static const bad_line bad[] = {
        {"$G knn --input distances $D/odd.csv -k 1", {"odd.csv", "row 3, column 2"}},
        {"$G knn --input distances $D/asked.csv -k 1", {"asked.csv"}},
        {"$G knn --input distances $D/square.csv --queries $D/asked.csv", {"--input query-distances"}},
        {"$G knn --input distances $D/square.csv --metric cosine", {"--metric goes with"}},
        {"$G knn --input documents $D/words.txt --search index", {"--search index goes with --input points"}},
        {"$G knn --input documents $D/words.txt --tfidf --queries $D/words.txt", {"--tfidf and --queries"}},
        {"$G knn --input query-distances $D/asked.csv -k 4", {"asked.csv", "but there are 3 points"}},
        {"$G knn $D/asked.csv -k 1 -o $D/o.npz", {".npz", "--radius"}},
        {"$G knn $D/asked.csv -k 1 -o $D/o.doc", {"o.doc", "extension"}},
        {"$G knn $D/asked.csv --radius 1 --distances $D/o.npz", {"o.npz", "extension"}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_int_ne(shell("%s", bad[i].line), 0);
        for (int part = 0; bad[i].parts[part]; part++) shell_has(shell_err, bad[i].parts[part]);
    }
}
END_TEST

/* Neighbors of other rows, and all within a distance. */
START_TEST(queries_and_radius) {
    SHELL_TEXT("line.csv", "0\n1\n3\n7\n");
    SHELL_TEXT("asked.csv", "2\n8\n");
    SHELL_TEXT("wide.csv", "2,1\n");
    shell_do("$G knn -q $D/line.csv --queries $D/asked.csv -k 2 -o - --distances $D/d.csv && cat $D/d.csv");
    ck_assert_str_eq(shell_out, "1,2\n3,2\n1,1\n1,5\n");
    shell_do(
        "$G knn $D/line.csv --radius 3 -o $D/i.csv --distances $D/d.csv --indptr $D/p.csv && "
        "paste -sd, $D/i.csv && paste -sd, $D/d.csv && paste -sd, $D/p.csv");
    shell_has(shell_out, "1,2,0,2,1,0\n1,3,1,2,2,3\n0,2,4,6,6\n");
    shell_has(shell_out, "4 points, 6 neighbors in all");
    static const struct {
        const char *command, *says;
    } bad[] = {
        {"$G knn $D/line.csv --radius -1", "--radius wants a number, 0 or more, not '-1'"},
        {"$G knn $D/line.csv --radius nan", "--radius wants a number"},
        {"$G knn $D/line.csv --radius 1 -k 2", "--radius and --neighbors do not go together"},
        {"$G knn $D/line.csv --indptr $D/p.csv", "--indptr goes with --radius"},
        {"$G knn $D/line.csv --queries $D/wide.csv -k 1",
         "the queries have 2 columns, but the points have 1"},
        {"$G knn $D/line.csv --queries $D/asked.csv -k 5",
         "5 neighbors were asked for, but there are 4 points"},
        {"$G knn $D/line.csv --queries $D/none.csv -k 1", "none.csv"},
        {"$G knn $D/line.csv --p 3", "--p goes with --metric minkowski"},
        {"$G knn $D/line.csv --metric minkowski --p 0.5",
         "--p wants a number from 1 to 64, or inf, not '0.5'"},
        {"$G linkage $D/line.csv --metric minkowski --p nan", "--p wants a number from 1 to 64"},
        {"$G rips --input points $D/line.csv --metric chebyshev --p 2", "--p goes with"},
        {"$G mst $D/line.csv --metric cosine", "--metric and --search go with --input points"},
        {"$G mst $D/line.csv --input points --maximum", "--maximum goes with --input graph"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_int_ne(shell("%s", bad[i].command), 0);
        shell_has(shell_err, bad[i].says);
    }
}
END_TEST

START_TEST(tree_of_points) {
    SHELL_TEXT("line.csv", "0\n1\n3\n7\n");
    shell_do("$G mst --input points $D/line.csv -o - --report $D/r.json");
    ck_assert_str_eq(shell_out, "0,1,1\n1,2,2\n2,3,4\n");
    shell_has(shell_err, "4 points: total weight 7, ");
    shell_do("$G mst -q --input points $D/line.csv --search index -o $D/t.npy && grep -aq '(3, 3)' $D/t.npy");
}
END_TEST

START_TEST(stages_and_methods) {
    for (int i = 0; i < 4; i++) {
        static const char *const options[] = {"--stage fragment", "--stage compute", "--method gpu-sf",
                                              "--metric=manhattan"};
        ck_assert_int_eq(shell("$G mds --attempts 1 data/cancer.npy %s", options[i]), 0);
        shell_has(shell_out, "stress 0.0");
    }
    /* What has no texel passes says that nothing changed. */
    shell_do("$G mds --attempts 1 data/cancer.npy --stage fragment");
    ck_assert(!strstr(shell_err, "changed nothing"));
    shell_do("$G mst --input points data/cancer.npy --stage fragment");
    shell_has(shell_err, "the fragment stage was asked for (--stage fragment) and changed nothing");
    shell_do("$G mst --input points data/cancer.npy --stage compute");
    ck_assert(!strstr(shell_err, "changed nothing"));
    /* One measure of the tumours is 1 in some rows: cosine and correlation are defined for all the same. */
    ck_assert_int_eq(shell("$G mds --attempts 1 data/cancer.npy --metric cosine"), 0);
}
END_TEST

START_TEST(devices) {
    ck_assert_int_eq(shell("$G devices"), 0);
    shell_has(shell_out, "TwoSum exact");
    shell_has(shell_out, "fragment  copy");
    ck_assert_int_eq(shell("$G devices --json"), 0);
    shell_has(shell_out, "\"multi_limb\": true");
    if (shell_driver_bears_limits()) { /* a list that the limit cuts off ends no command by a signal */
        int code = shell("(ulimit -f 0; $G devices >$D/list.txt)");
        ck_assert_msg(code < 128, "exit %d", code);
    }
    ck_assert_int_eq(shell("$G mds --attempts 1 data/cancer.npy --device 0"), 0);
    ck_assert_int_eq(shell("$G mds --attempts 1 data/cancer.npy --device 99"), 1);
    shell_has(shell_err, "'99'");
}
END_TEST

START_TEST(help) {
    ck_assert_int_eq(shell("$G --help && $G mds --help && $G mst --help && $G knn --help && $G devices "
                           "--help && $G --version"),
                     0);
    shell_has(shell_out, "--gpu-memory SIZE");
    ck_assert_int_eq(shell_err[0], 0);
}
END_TEST

/* What cannot be printed was not done. */
/* Where GLSHAPE_CACHE names a folder, drivers keep their programs there, too, unless the user says otherwise.
 */
START_TEST(drivers_caches) {
    if (!gpu_is_software(test_gpu())) return; /* other drivers may keep none */
    SHELL_TEXT("p.csv", "0,0\n0,1\n1,1\n1,0\n3,1\n");
    static const char *const users[] = {"-u MESA_SHADER_CACHE_DIR", "MESA_SHADER_CACHE_DIR=$D/user"};
    for (int i = 0; i < 2; i++) {
        shell_do(
            "env %s GLSHAPE_CACHE=$D/own%d HOME=/nonexistent $G knn $D/p.csv -k 1 -q --device '%s' -o "
            "$D/k.csv",
            users[i], i, test_device());
        shell_do("test -d $D/%s/mesa_shader_cache -a -d $D/own%d", i ? "user" : "own0", i);
    }
    shell_do("test ! -e $D/own1/mesa_shader_cache");
}
END_TEST

#define SIDE 400

/* Inputs that threads share in the ways of many: equal radii, a key that most faces have; plateaus. */
static void write_many(void) {
    double *values = malloc(2 * SIDE * SIDE * sizeof *values);
    ck_assert_ptr_nonnull(values);
    for (int k = 0; k < SIDE * SIDE; k++) values[2 * k] = k % SIDE * 0.1, values[2 * k + 1] = k / SIDE * 0.1;
    plane_npy("grid.npy", "f8", "(160000, 2)", values, 2 * SIDE * SIDE);
    for (int k = 0; k < 2 * SIDE * SIDE; k++) values[k] = (k * 2654435761u >> 20) % 500 ? 1 : k % 7 - 9;
    plane_npy("field.npy", "f4", "(80, 80, 50)", values, 2 * SIDE * SIDE);
    free(values);
}

START_TEST(threads) {
    static const char *const lines[] = {"alpha $D/grid.npy --spectrum", "delaunay $D/grid.npy -o",
                                        "mergetree $D/field.npy -o"};
    write_many();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        shell_do("GLSHAPE_THREADS=1 $G %s $D/one.npy", lines[i]);
        for (int count = 2; count <= 32; count *= 4) {
            shell_do("GLSHAPE_THREADS=%d $G %s $D/many.npy", count, lines[i]);
            shell_do("cmp $D/one.npy $D/many.npy");
        }
    }
    ck_assert_int_eq(shell("GLSHAPE_THREADS=0 $G --version"), 2);
    shell_has(shell_err, "GLSHAPE_THREADS is '0': give a whole number from 1 to 256, or unset it");
    ck_assert_int_eq(shell("GLSHAPE_THREADS=4x $G --version"), 2);
    shell_do("GLSHAPE_THREADS= $G --version");
}
END_TEST

START_TEST(unwritable_output) {
    static const bad_line cases[] = {
        {"$G --help >/dev/full", {"standard output: No space left"}},
        {"$G --version >/dev/full", {"standard output: No space left"}},
        {"$G mds --help >/dev/full", {"standard output: No space left"}},
        {"$G devices >/dev/full", {"standard output: No space left"}},
        {"$G mds --attempts 1 data/cancer.npy >/dev/full", {"standard output: No space left"}},
        {"$G mds --attempts 1 data/cancer.npy -o - >/dev/full", {"standard output: No space left"}},
        {"$G rips --input points data/cancer.npy --threshold 1 --dim 0 >/dev/full", {"standard output"}},
        {"$G knn data/cancer.npy >&-", {"standard output: Bad file"}},
    };
    shell_expect(1, cases, sizeof cases / sizeof *cases);
}
END_TEST

/* ---- bad usage --------------------------------------------------------------------------------- */

START_TEST(bad_usage) {
    static const bad_line cases[] = {
        {"$G", {"usage"}},
        {"$G layout x", {"no command 'layout'"}},
        {"$G mds", {"which input"}},
        {"$G mds --attempts 1 data/cancer.npy --colour red", {"--colour", "--help"}},
        {"$G mds --attempts 1 data/cancer.npy --dim", {"--dim needs a value"}},
        {"$G mds --attempts 1 data/cancer.npy --dim 0", {"--dim", "'0'", "from 1"}},
        {"$G mds --attempts 1 data/cancer.npy --dim -3", {"--dim", "'-3'"}},
        {"$G mds --attempts 1 data/cancer.npy --dim two", {"--dim", "'two'"}},
        {"$G mds --attempts 1 data/cancer.npy --metric hamming",
         {"--metric", "euclidean|manhattan|cosine|correlation"}},
        {"$G mds --attempts 1 data/cancer.npy --stage geometry", {"auto|compute|fragment"}},
        {"$G mds --attempts 1 data/cancer.npy --gpu-memory lots", {"--gpu-memory", "64M"}},
        {"$G mds --attempts 1 data/cancer.npy --seed -1", {"--seed", "'-1'"}},
        {"$G mds --attempts 1 data/cancer.npy --quiet=yes", {"--quiet takes no value"}},
        {"$G mds --attempts 1 data/cancer.npy other.npy", {"one input", "other.npy"}},
        {"$G devices data/cancer.npy", {"takes no input"}},
    };
    shell_expect(2, cases, sizeof cases / sizeof *cases);
}
END_TEST

/* ---- bad input --------------------------------------------------------------------------------- */

static void make_bad_files(void) {
    SHELL_TEXT("empty.csv", "");
    SHELL_TEXT("header.csv", "a,b\n");
    SHELL_TEXT("ragged.csv", "1,2,3\n4,5,6\n7,8\n");
    SHELL_TEXT("text.csv", "x,y\n1,2\n3,four\n");
    SHELL_TEXT("nan.csv", "1,2\n3,nan\n5,6\n");
    SHELL_TEXT("inf.csv", "1,2\n3,4\n-inf,6\n");
    SHELL_TEXT("one.csv", "1,2,3\n");
    SHELL_TEXT("zero.csv", "1,2\n0,0\n3,4\n");
    SHELL_TEXT("constant.csv", "1,2\n5,5\n3,4\n");
    SHELL_TEXT("labels.csv", "a\nb\nc\n");
    SHELL_TEXT("good.csv", "1,2\n3,4\n5,7\n");
    static const char object[] =
        "\x93NUMPY\x01\x00\x76\x00{'descr': '|O', 'fortran_order': False, 'shape': (3,), }"
        "                                                            \nxxxxxxxxxx";
    shell_write("object.npy", object, sizeof object - 1);
    shell(
        "head -c 2000 data/cancer.npy >$D/short.npy; mkdir -p $D/folder.npy; mkfifo $D/x 2>/dev/null; "
        "ln -sf /dev/full $D/full.csv; true");
}

START_TEST(bad_input) {
    make_bad_files();
    static const bad_line cases[] = {
        {"$G mds $D/nowhere.npy", {"nowhere.npy", "No such file"}},
        {"$G mds $D/folder.npy", {"folder.npy"}},
        {"$G mds $D/empty.csv", {"empty.csv", "empty"}},
        {"$G mds $D/header.csv", {"header.csv"}},
        {"$G mds $D/ragged.csv", {"ragged.csv", "line 3", "2", "3"}},
        {"$G mds $D/text.csv", {"text.csv", "line 3", "column 2", "four"}},
        {"$G mds $D/nan.csv", {"nan.csv", "row 2", "column 2", "NaN"}},
        {"$G mds $D/inf.csv", {"inf.csv", "row 3", "column 1", "inf"}},
        {"$G mds $D/one.csv", {"one.csv", "1 row", "at least 2"}},
        {"$G mds $D/short.npy", {"short.npy", "bytes"}},
        {"$G mds $D/object.npy", {"object.npy", "object"}},
        {"$G mds $D/zero.csv --metric cosine", {"zero.csv", "row 2", "zero"}},
        {"$G mds $D/constant.csv --metric correlation", {"constant.csv", "row 2", "constant"}},
        {"$G mds --attempts 1 data/cancer.npy --labels $D/labels.csv", {"labels.csv", "3", "683"}},
        {"$G mds --attempts 1 data/cancer.npy --gpu-memory 64K",
         {"cancer.npy", "needs 2 MiB", "raise it to 2M"}},
        {"$G mds --attempts 1 data/cancer.npy -o $D/nowhere/l.npy", {"nowhere"}},
        {"$G mds --attempts 1 data/cancer.npy -o $D/folder.npy", {"folder.npy"}},
        {"$G mds --attempts 1 data/cancer.npy -o $D/full.csv", {"full.csv", "No space left"}},
    };
    shell_expect(1, cases, sizeof cases / sizeof *cases);
    static const bad_line usage[] = {
        {"$G mds $D/good.csv --dim 2000000000", {"--dim", "at most 8192", "2000000000"}},
        {"$G mds --attempts 1 data/cancer.npy --format xml", {"xml", "npy"}},
        {"$G mds --attempts 1 data/cancer.npy -o $D/l.xls", {"l.xls", ".npy", ".csv"}},
        {"$G mds --attempts 1 data/cancer.npy --picture $D/l.gif", {"l.gif", ".png", ".svg"}},
    };
    shell_expect(2, usage, sizeof usage / sizeof *usage);
    ck_assert_int_eq(shell_count("l.*"), 0);
    ck_assert_int_eq(shell_count("*.tmp"), 0);
    ck_assert_int_eq(shell("$G mds --attempts 1 data/cancer.npy --gpu-memory 2M"), 0);
}
END_TEST

/* Weights in whatever form distances have; what is wrong with them is said before any work. */
START_TEST(weights) {
    SHELL_TEXT("d.txt", "0 1 2 9\n1 0 2 9\n2 2 0 9\n9 9 9 0\n");
    SHELL_TEXT("full.txt", "7 1 2 3\n1 7 4 .5\n2 4 7 0\n3 .5 0 7\n");
    SHELL_TEXT("lower.txt", "1\n2 4\n3 .5 0\n");
    SHELL_TEXT("three.txt", "1\n2 4\n");
    SHELL_TEXT("negative.txt", "1\n2 -4\n3 .5 0\n");
    SHELL_TEXT("nan.txt", "1\n2 4\nnan .5 0\n");
    SHELL_TEXT("inf.txt", "1\n2 inf\n3 .5 0\n");
    SHELL_TEXT("crooked.txt", "0 1 2 3\n1 0 4 .5\n2 4 0 0\n3 .75 0 0\n");
    SHELL_TEXT("alone.txt", "1\n0 0\n3 .5 0\n");
    ck_assert_int_eq(shell("$G mds --input distances $D/d.txt --weights $D/full.txt -o $D/a.npy && "
                           "$G mds --input distances $D/d.txt --weights $D/lower.txt -o $D/b.npy"),
                     0);
    ck_assert_int_eq(shell("cmp $D/a.npy $D/b.npy"), 0);
    ck_assert_int_eq(shell("$G mds --input distances $D/d.txt -o $D/b.npy && cmp -s $D/a.npy $D/b.npy"), 1);
    ck_assert_int_eq(shell("$G mds --input distances - --weights $D/full.txt < $D/d.txt"), 0);
#define WEIGHTED "$G mds --input distances $D/d.txt -o $D/l.npy --weights "
    static const bad_line cases[] = {
        {WEIGHTED "$D/three.txt", {"three.txt has the weights of 3 points", "d.txt has 4"}},
        {WEIGHTED "$D/negative.txt", {"negative.txt", "row 2, column 3 is -4"}},
        {WEIGHTED "$D/nan.txt", {"nan.txt", "row 1, column 4 is missing", "weights are finite"}},
        {WEIGHTED "$D/inf.txt", {"inf.txt", "row 2, column 3 is infinite"}},
        {WEIGHTED "$D/crooked.txt", {"crooked.txt", "row 2, column 4", "a matrix of weights is symmetric"}},
        {WEIGHTED "$D/alone.txt", {"row 3 of the weights is all zeros"}},
        {WEIGHTED "$D/nowhere.txt", {"nowhere.txt", "No such file"}},
    };
    shell_expect(1, cases, sizeof cases / sizeof *cases);
    ck_assert_int_eq(shell_count("l.*"), 0);
}
END_TEST

/* Two rings of 3 and 4 nodes and a node by itself. */
START_TEST(components) {
    SHELL_TEXT("g.mtx",
               "%%MatrixMarket matrix coordinate pattern symmetric\n8 8 7\n3 1\n4 1\n4 3\n"
               "5 2\n6 5\n7 6\n7 2\n");
    ck_assert_int_eq(shell("$G mds --input graph --components $D/g.mtx -o $D/g.csv --picture $D/g.svg "
                           "--report $D/g.json && wc -l <$D/g.csv"),
                     0);
    shell_has(shell_out, "8 points in 3 components in 2 dimensions");
    shell_has(shell_out, "\n8\n");
    char report[1 << 14];
    shell_slurp("g.json", report, sizeof report);
    shell_has(report,
              "\"component_count\": 3,\n    \"isolated_nodes\": 1,\n    \"components\": [\n      {\n"
              "        \"nodes\": 4,\n        \"first_node\": 1,");
    shell_has(report, "\"nodes\": 3,\n        \"first_node\": 0,");
    shell_has(report, "\"pairs\": 9,");
    SHELL_TEXT("path.txt", "1 2\n2 3\n3 4\n");
    ck_assert_int_eq(
        shell("$G mds --input graph $D/path.txt -o $D/a.npy && "
              "$G mds --input graph --components $D/path.txt -o $D/b.npy && cmp $D/a.npy $D/b.npy"),
        0);
    static const bad_line cases[] = {
        {"$G mds --input graph $D/g.mtx -o $D/l.npy", {"g.mtx", "in 3 pieces", "--components"}},
    };
    shell_expect(1, cases, sizeof cases / sizeof *cases);
    static const bad_line usage[] = {
        {"$G mds --attempts 1 data/cancer.npy --components", {"--components goes with --input graph"}},
        {"$G mds --input graph --components --weights $D/a.npy $D/g.mtx", {"do not go together"}},
    };
    shell_expect(2, usage, sizeof usage / sizeof *usage);
    ck_assert_int_eq(shell_count("l.*"), 0);
}
END_TEST

/* Mesa with too old a version or a driver that it lacks, and EGL without any vendor. */
START_TEST(no_device) {
    if (is_second_driver()) return;
    static const bad_line mesa[] = {
        {"MESA_GL_VERSION_OVERRIDE=3.3 $G mds --attempts 1 data/cancer.npy -o $D/l.npy",
         {"no OpenGL 4.3 core context", "glshape devices"}},
        {"MESA_GL_VERSION_OVERRIDE=3.3 $G devices", {"no usable OpenGL 4.3 device"}},
        {"GALLIUM_DRIVER=none $G mds --attempts 1 data/cancer.npy -o $D/l.npy", {"EGL", "glshape devices"}},
        {"GALLIUM_DRIVER=none $G devices", {"no usable OpenGL 4.3 device"}},
    };
    static const bad_line none[] = {
        {"__EGL_VENDOR_LIBRARY_FILENAMES=/nowhere $G mds --attempts 1 data/cancer.npy -o $D/l.npy",
         {"no OpenGL device", "EGL lists none"}},
        {"__EGL_VENDOR_LIBRARY_FILENAMES=/nowhere $G devices", {"no usable OpenGL 4.3 device"}},
        {"__EGL_VENDOR_LIBRARY_FILENAMES=/nowhere $G alpha $D/few.txt --rank 5 --device 0 -o $D/l.wkt",
         {"no OpenGL device", "EGL lists none"}},
    };
    shell_do("seq 1 50 | awk '{print $1 * 7919 %% 9001, $1 * $1 %% 997}' >$D/few.txt");
    if (gpu_is_software(test_gpu())) shell_expect(1, mesa, sizeof mesa / sizeof *mesa);
    shell_expect(1, none, sizeof none / sizeof *none);
    ck_assert_int_eq(shell_count("l.*"), 0);
    shell_do("head -c 120 $D/few.txt >$D/field.raw");
    static const char *const small[] = {
        "rips --input points $D/few.txt",
        "linkage $D/few.txt",
        "knn $D/few.txt",
        "alpha --rank 5 $D/few.txt",
        "delaunay $D/few.txt",
        "mst $D/few.txt",
        "mergetree --shape 10,12 --type u1 $D/field.raw --contour $D/arcs.csv",
        "cubical --shape 4,5,6 --type u1 $D/field.raw",
        "hdbscan $D/few.txt"};
    for (size_t k = 0; k < sizeof small / sizeof *small; k++) {
        shell_do("__EGL_VENDOR_LIBRARY_FILENAMES=/nowhere $G %s -o $D/l.csv --report $D/r.json", small[k]);
        shell_do("grep -q '\"renderer\": \"none\"' $D/r.json");
        ck_assert_str_eq(shell_err, "");
        shell_do("$G %s -o $D/device.csv --device '%s' && cmp $D/l.csv $D/device.csv", small[k],
                 test_device());
    }
    /* What a device would do faster. */
    shell_do(
        "seq 1 1100000 | awk '{x = $1 * 7919 %% 1000003; print x, ($1 * 104729 + x * x) %% 1000033}' "
        ">$D/many.txt && head -n 200000 $D/many.txt >$D/some.txt && "
        "head -n 120 $D/many.txt >$D/hundred.txt && head -n 3000 $D/many.txt >$D/thousands.txt");
    shell_do("head -c 343000 $D/many.txt >$D/solid.raw && head -c 5500000 $D/many.txt >$D/image.raw");
    shell_do(
        "seq 2 600 | awk '{for (k = 1; k < $1; k++) printf \"%%d \", 1 + k * $1 * 7919 %% 9001; print \"\"}' "
        ">$D/lower.txt");
    static const char *const large[] = {"alpha --rank 5 $D/some.txt",
                                        "delaunay $D/some.txt",
                                        "mst $D/many.txt",
                                        "knn $D/some.txt",
                                        "linkage $D/some.txt",
                                        "hdbscan $D/some.txt",
                                        "linkage --input distances $D/lower.txt",
                                        "rips --dim 2 --threshold 700 --format lower-distance $D/lower.txt",
                                        "rips --dim 3 --input points $D/hundred.txt",
                                        "rips --dim 0 --input points $D/thousands.txt",
                                        "cubical --shape 70,70,70 --type u1 $D/solid.raw",
                                        "mergetree --shape 70,70,70 --type u1 $D/solid.raw",
                                        "mergetree --shape 2200,2500 --type u1 $D/image.raw"};
    for (size_t k = 0; k < sizeof large / sizeof *large; k++) {
        shell_do("__EGL_VENDOR_LIBRARY_FILENAMES=/nowhere $G %s -o $D/l.csv", large[k]);
        shell_do("$G %s -o $D/device.csv && cmp $D/l.csv $D/device.csv", large[k]);
        if (strncmp(large[k], "rips", 4)) continue; /* where a device that is not named is not for it */
        shell_do("$G %s -o $D/device.csv --device '%s' && cmp $D/l.csv $D/device.csv", large[k],
                 test_device());
    }
    /* 12 bytes for each pair: its distance, and threads' lists of neighbors. Components need no lists. */
    static const char *const forecast[][2] = {{"1", "host memory: 108."}, {"0", "host memory: 36."}};
    for (size_t k = 0; k < 2; k++) {
        shell_do(
            "__EGL_VENDOR_LIBRARY_FILENAMES=/nowhere $G rips --dim %s --input points $D/thousands.txt "
            "--dry-run",
            forecast[k][0]);
        shell_has(shell_out, forecast[k][1]);
    }
}
END_TEST

/* One is no plural, a limit is a number, and a refusal is about what was asked. */
START_TEST(words) {
    static const struct {
        const char *line, *says;
    } done[] = {
        {"$G delaunay $D/one.csv", "1 point, no triangles"},
        {"$G mst --input points $D/one.csv", "1 point: total weight 0"},
        {"$G mst $D/edge.txt", "2 nodes, 1 edge: total weight 5"},
        {"$G knn $D/two.csv -r 9", "2 points, 2 neighbors in all"},
        {"$G knn $D/one.csv --queries $D/one.csv -k 1", "1 point, 1 neighbor each"},
        {"$G knn $D/one.csv --queries $D/one.csv -r 1", "1 point, 1 neighbor in all"},
        {"$G hdbscan --input graph --min-samples 3 $D/star.txt", "; 3 points have fewer than 2 neighbors"},
        {"$G hdbscan --input graph --min-samples 2 $D/star.txt",
         "4 points: 0 clusters, 4 points of noise, "}};
    static const bad_line usage[] = {
        {"$G knn $D/two.csv -k 0", {"--neighbors takes a whole number from 1 to 1024, not '0'"}},
        {"$G mds $D/two.csv --dim 0", {"--dim takes a whole number from 1 to 8192, not '0'"}},
        {"$G rips $D/two.csv --dim -1", {"--dim takes a whole number from 0 to 16, not '-1'"}},
        {"$G rips $D/two.csv --threads 0", {"--threads takes a whole number of at least 1, not '0'"}},
        {"$G knn $D/two.csv -r 1 --search pairs", {"--search pairs goes with --neighbors"}}};
    static const bad_line bad[] = {
        {"$G knn $D/one.csv -r 1", {"one.csv: the input has 1 row, and no others that may be near"}},
        {"$G rips $D/three.csv", {"3 lines of 2 values", "rows of coordinates are --input points"}}};
    SHELL_TEXT("one.csv", "1,2\n");
    SHELL_TEXT("two.csv", "1,2\n3,4\n");
    SHELL_TEXT("three.csv", "1,2\n3,4\n5,6\n");
    SHELL_TEXT("edge.txt", "a b 5\n");
    SHELL_TEXT("star.txt", "0 1\n0 2\n0 3\n");
    for (size_t i = 0; i < sizeof done / sizeof *done; i++) {
        shell_do("%s", done[i].line);
        shell_has(shell_out, done[i].says);
    }
    shell_expect(2, usage, sizeof usage / sizeof *usage);
    shell_expect(1, bad, sizeof bad / sizeof *bad);
}
END_TEST

/* A failure leaves the old file as it was. */
START_TEST(old_file_survives) {
    make_bad_files();
    SHELL_TEXT("kept.csv", "precious\n");
    ck_assert_int_eq(shell("$G mds $D/nan.csv -o $D/kept.csv"), 1);
    char text[64];
    shell_slurp("kept.csv", text, sizeof text);
    ck_assert_str_eq(text, "precious\n");
}
END_TEST

/* What passes do of small inputs on a device that is named, a software renderer, too: every stage that has
 * any, of every command. The device does them, and the report says that it was named. */
START_TEST(stages_of_a_named_device) {
    if (is_second_driver()) return;
    static const struct {
        const char *words, *stages;
    } cases[] = {{"mds data/cancer.npy --attempts 1", "closing glimmer stress upload"},
                 {"mds $D/square.npy --method classical --input distances", "products"},
                 {"mds $D/wide.npy --method ordinal --attempts 1", "ordinal products"},
                 {"knn $D/plane.npy", "index walks"},
                 {"knn $D/wide.npy", "pairs"},
                 {"linkage $D/plane.npy", "dendrogram index tree"},
                 {"linkage $D/wide.npy", "pairs"},
                 {"linkage $D/square.npy --input distances", "tree"},
                 {"hdbscan $D/plane.npy", "clusters dendrogram index tree"},
                 {"hdbscan $D/square.npy --input distances", "tree"},
                 {"mst tests/io/golden/graphs/graph.mtx", "forest"},
                 {"rips tests/rips/golden/ties25.lower_distance_matrix", "columns short columns tree"},
                 {"rips tests/rips/golden/ties25.lower_distance_matrix --dim 3 --collapse off",
                  "columns short columns tree"},
                 {"rips $D/plane.npy --input points --dim 2 --sparse --threshold 0.03",
                  "collapse columns index short columns tree walks"},
                 {"mergetree $D/volume.npy", "basins pairs"},
                 {"mergetree $D/image.npy", "basins pairs"},
                 {"cubical $D/volume.npy",
                  "edges flow intervals pairs of edges pairs of vertices reduction trees upload"},
                 {"cubical $D/image.npy", "intervals pairs of vertices trees upload"},
                 {"delaunay $D/plane.npy", "triangulate"},
                 {"alpha $D/plane.npy --rank 10", "compare edges keys ranks shape sort triangulate"},
                 {"alpha $D/plane.npy --alpha optimal:1 --master $D/m.npy",
                  "compare edges intervals keys master ranks sort triangulate"}};
    enum { MOST = 3000 * 2 };
    static double x[MOST];
    random_state dice = {46};
    for (size_t k = 0; k < MOST; k++) x[k] = random_unit(&dice);
    plane_npy("plane.npy", "f8", "(3000, 2)", x, MOST);
    plane_npy("wide.npy", "f4", "(150, 40)", x, MOST);
    plane_npy("volume.npy", "f4", "(15, 20, 20)", x, MOST);
    plane_npy("image.npy", "f4", "(60, 100)", x, MOST);
    plane p = plane_new(80, 46);
    plane_square("square.npy", "f4", &p);
    plane_free(&p);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        shell_do("$G %s -q --device 0 --report $D/r.json >$D/printed.txt", cases[i].words);
        shell_do(
            "grep -B 2 '\"why\": \"the device was named\"' $D/r.json | sed -n 's/.*\"stage\": "
            "\"\\(.*\\)\",/\\1/p' | "
            "LC_ALL=C sort -u | paste -sd ' ' | tr -d '\\n'");
        ck_assert_msg(!strcmp(shell_out, cases[i].stages), "%s: on the device %s", cases[i].words, shell_out);
    }
}
END_TEST

Suite *cli_suite(void) {
    Suite *s = suite_create("cli");
    TCase *t = shell_case(s, "cli", 180);
    tcase_add_test(t, layout_files);
    tcase_add_test(t, streams);
    tcase_add_test(t, spanning_forests);
    tcase_add_test(t, neighbors);
    tcase_add_test(t, queries_and_radius);
    tcase_add_test(t, neighbors_of_other_inputs);
    tcase_add_test(t, tree_of_points);
    tcase_add_test(t, stages_and_methods);
    tcase_add_test(t, devices);
    tcase_add_test(t, help);
    tcase_add_test(t, drivers_caches);
    tcase_add_test(t, threads);
    tcase_add_test(t, unwritable_output);
    tcase_add_test(t, bad_usage);
    tcase_add_test(t, bad_input);
    tcase_add_test(t, weights);
    tcase_add_test(t, components);
    tcase_add_test(t, no_device);
    tcase_add_test(t, words);
    tcase_add_test(t, old_file_survives);
    tcase_add_test(t, stages_of_a_named_device);
    return s;
}
