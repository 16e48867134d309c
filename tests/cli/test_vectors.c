/* glshape vectors as a user meets it: names, columns of dimensions, the report, refusals. */
#include <string.h>

#include "cli/shell.h"

Suite *cli_vectors_suite(void);

#define VECTORS "$G vectors --quiet "

static void make_diagrams(void) {
    SHELL_TEXT("a.csv", "dim,birth,death\n0,0,4\n1,0,2\n0,1,inf\n");
    SHELL_TEXT("tree.csv", "birth,death,x\n0,2,7\n");
    SHELL_TEXT("none.csv", "dim,birth,death\n");
}

START_TEST(columns) {
    make_diagrams();
    shell_do(VECTORS "--kind betti --resolution 3 --range 0,2 $D/a.csv $D/tree.csv $D/none.csv -o -");
    shell_has(shell_out,
              ",dim0_1,dim0_2,dim0_3,dim1_1,dim1_2,dim1_3\n"
              "a,1,2,2,1,1,0\ntree,1,1,0,0,0,0\nnone,0,0,0,0,0,0\n");
    shell_do(VECTORS
             "--kind landscape --landscapes 2 --dim 0 --resolution 3 --range 1,3 --cut 3 $D/a.csv -o -");
    shell_has(shell_out, ",dim0_1,dim0_2,dim0_3,dim0_4,dim0_5,dim0_6\na,1,2,1,0,1,0\n");
    shell_do(VECTORS "--kind entropy $D/none.csv -o -");
    shell_has(shell_out, "none,0\n");
    shell_do(VECTORS "--resolution 2,1 --range 0,2,2,auto --weight 1 --dim 1 $D/a.csv -o -");
    shell_has(shell_out, "a,0.31830987,0.043078");
}
END_TEST

START_TEST(reports) {
    make_diagrams();
    shell_do("$G vectors $D/a.csv --kind silhouette --report $D/r.json --resolution 9 -o $D/out.npy");
    shell_has(shell_out, "1 diagram, 2 pairs: 18 numbers each");
    shell_do("cat $D/r.json");
    shell_has(shell_out, "\"left_out\": 1");
    shell_has(shell_out, "\"range\": [0.4, 3.6]");
}
END_TEST

START_TEST(refusals) {
    make_diagrams();
    static const bad_line cases[] = {
        {VECTORS "$D/a.csv --resolution 0", {"--resolution 0: it takes how many births"}},
        {VECTORS "$D/a.csv --resolution 3,4,5", {"--resolution 3,4,5: it takes how many births"}},
        {VECTORS "$D/a.csv --kind betti --resolution 3,4", {"--resolution 3,4: it takes a whole number"}},
        {VECTORS "$D/a.csv --range 1,2", {"--range 1,2: it takes four numbers"}},
        {VECTORS "$D/a.csv --kind betti --range 1,x", {"--range 1,x: it takes two numbers"}},
        {VECTORS "$D/a.csv --bandwidth -1", {"--bandwidth -1: it takes a number, 0 or above"}},
        {VECTORS "$D/a.csv --kind betti --weight 1", {"--weight does not go with this --kind"}},
        {VECTORS "$D/a.csv -o $D/a.csv", {"a.csv is the same file as INPUT"}},
        {VECTORS "$D/a.csv --cut inf", {"--cut inf: it takes a number"}},
    };
    shell_expect(2, cases, sizeof cases / sizeof *cases);
    static const bad_line others[] = {
        {VECTORS "$D/a.csv --range 2,1,0,1 -o -", {"the range of births is 2 to 1"}},
    };
    shell_expect(1, others, sizeof others / sizeof *others);
}
END_TEST

Suite *cli_vectors_suite(void) {
    Suite *s = suite_create("cli/vectors");
    TCase *t = shell_case(s, "all", 60);
    tcase_add_test(t, columns);
    tcase_add_test(t, reports);
    tcase_add_test(t, refusals);
    return s;
}
