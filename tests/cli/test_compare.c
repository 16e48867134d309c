/* glshape compare as a user meets it: diagrams of each kind, names, refusals that name the file and the row.
 */
#include <string.h>

#include "cli/shell.h"

Suite *cli_compare_suite(void);

#define COMPARE "$G compare --quiet --metric bottleneck "

static void make_diagrams(void) {
    SHELL_TEXT("a.csv", "dim,birth,death\n0,0,1\n1,0,2\n");
    SHELL_TEXT("tree.csv", "birth,death,x\n0,1,7\n");
    SHELL_TEXT("none.csv", "dim,birth,death\n");
}

/* A table of mergetree's has no dimension; an array without rows is a diagram, too. */
START_TEST(kinds) {
    make_diagrams();
    shell_do(COMPARE "$D/a.csv - -o - <$D/tree.csv");
    shell_has(shell_out, "a,0,1\n-,1,0\n");
    shell_do(COMPARE "$D/a.csv $D/tree.csv $D/none.csv --dim 0 -o -");
    shell_has(shell_out, ",a,tree,none\na,0,0,0.5\ntree,0,0,0.5\nnone,0.5,0.5,0\n");
    shell_do(
        "for s in '(0, 3)' '(0, 2)' '(0,)'; do printf '\\223NUMPY\\001\\000\\166\\000%%-117s\\n' "
        "\"{'descr': '<f8', 'fortran_order': False, 'shape': $s, }\" >$D/none.npy; " COMPARE
        "$D/a.csv $D/none.npy -o - || exit 1; done");
    shell_has(shell_out, ",a,none\na,0,1.5\nnone,1.5,0\n");
}
END_TEST

START_TEST(refusals) {
    make_diagrams();
    shell_do("mkdir $D/all; cp $D/a.csv $D/tree.csv $D/all");
    SHELL_TEXT("nan.csv", "dim,birth,death\n0,0,1\n1,3,nan\n");
    SHELL_TEXT("inf.csv", "birth,death\n# one\n3,4\ninf,4\n");
    SHELL_TEXT("word.csv", "birth,death\n3,4\n3,x\n");
    SHELL_TEXT("dim.csv", "dim,birth,death\n17,3,4\n");
    SHELL_TEXT("other.csv", "u,v\n3,4\n");
    static const bad_line cases[] = {
        {COMPARE "$D/a.csv $D/nan.csv -o -", {"nan.csv: row 2 has birth 3, death nan"}},
        {COMPARE "$D/a.csv $D/inf.csv -o -", {"inf.csv: row 2 has birth inf, death 4"}},
        {COMPARE "$D/a.csv $D/word.csv -o -", {"word.csv: line 3, column 'death': 'x' is not a number"}},
        {COMPARE "$D/a.csv $D/dim.csv -o -", {"dim.csv: row 1 has the dimension 17"}},
        {COMPARE "$D/a.csv $D/other.csv -o -", {"other.csv has no column 'dim'"}},
        {COMPARE "$D/a.csv $D/tree.csv -o $D/tree.csv", {"tree.csv is the same file as INPUT"}},
        {COMPARE "$D/all -o $D/all/tree.csv", {"tree.csv is the same file as INPUT"}},
    };
    shell_expect(1, cases, sizeof cases / sizeof *cases);
    shell_do(COMPARE "$D/a.csv $D/nan.csv --dim 0 -o -");
}
END_TEST

Suite *cli_compare_suite(void) {
    Suite *s = suite_create("cli/compare");
    TCase *t = shell_case(s, "all", 60);
    tcase_add_test(t, kinds);
    tcase_add_test(t, refusals);
    return s;
}
