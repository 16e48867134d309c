/* Names of rows, from the input to outputs and pictures; labels that are a column of the input. */
#include <string.h>

#include "cli/shell.h"

Suite *cli_names_suite(void);

static const char table[] =
    "name,x,y,kind\n"
    "alpha,0,0,a\n"
    "beta,0,1.5,a\n"
    "new york,10.25,0,b\n"
    "\"g,\"\"h\"\"\",10,1,b\n"
    "5,3,20,c\n";

static void file_is(const char *name, const char *want) {
    char text[1024];
    text[shell_slurp(name, text, sizeof text)] = 0;
    ck_assert_str_eq(text, want);
}

#define POINTS "$D/t.csv --index name --columns x,y -q "

START_TEST(of_a_table) {
    SHELL_TEXT("t.csv", table);
    shell_do("$G linkage " POINTS "-o $D/z.csv --distance 2 --labels-out $D/l.csv --leaves $D/o.tsv");
    file_is("l.csv", ",cluster\nalpha,0\nbeta,0\nnew york,1\n\"g,\"\"h\"\"\",1\n\"5\",2\n");
    file_is("o.tsv", "\tleaf\n\"5\"\t4\nnew york\t2\n\"g,\"\"h\"\"\"\t3\nalpha\t0\nbeta\t1\n");
    shell_do("$G hdbscan " POINTS
             "--min-cluster-size 2 -o $D/h.txt --probabilities $D/p.csv --exemplars $D/e.csv "
             "--predict $D/t.csv --predicted $D/q.tsv");
    file_is("h.txt", "cluster\n\"alpha\" 0\n\"beta\" 0\n\"new york\" 1\n\"g,\"\"h\"\"\" 1\n\"5\" -1\n");
    file_is("p.csv", ",probability\nalpha,1\nbeta,1\nnew york,1\n\"g,\"\"h\"\"\",1\n\"5\",0\n");
    file_is("e.csv", ",cluster,point\nalpha,0,0\nbeta,0,1\nnew york,1,2\n\"g,\"\"h\"\"\",1,3\n");
    shell_do("head -n 2 $D/q.tsv | tr '\\t' '|'");
    ck_assert_str_eq(shell_out, "|cluster|probability\nalpha|0|1\n");
    shell_do("$G knn " POINTS "-k 2 -o - --distances $D/d.csv");
    ck_assert_str_eq(
        shell_out,
        ",neighbor1,neighbor2\nalpha,1,3\nbeta,0,3\nnew york,3,0\n\"g,\"\"h\"\"\",2,1\n\"5\",1,0\n");
    shell_do("printf 'y,x,name\\n1,10,q1\\n0,0,q2\\n' >$D/q.csv && $G knn " POINTS
             "-k 1 -o - --queries $D/q.csv");
    ck_assert_str_eq(shell_out, ",neighbor\nq1,3\nq2,0\n");
    shell_do("$G mst --input points " POINTS "-o -");
    ck_assert_str_eq(shell_out,
                     "new york,\"g,\"\"h\"\"\",1.0307764064044151\nalpha,beta,1.5\n"
                     "beta,\"g,\"\"h\"\"\",10.012492197250394\nbeta,5,18.741664813991314\n");
    /* .npy has numbers only. */
    shell_do("$G hdbscan " POINTS
             "--min-cluster-size 2 -o $D/h.npy && $G hdbscan $D/t.csv --columns x,y -q "
             "--min-cluster-size 2 -o $D/i.npy && cmp $D/h.npy $D/i.npy");
}
END_TEST

/* Every output with names is an input. */
START_TEST(there_and_back) {
    static const char *const extensions[] = {"csv", "tsv", "txt"};
    const char *e = extensions[_i];
    SHELL_TEXT("t.csv", table);
    shell_do("$G mds " POINTS "-o $D/m.%s && $G mds $D/t.csv --columns x,y -q -o $D/m0.%s", e, e);
    shell_do(
        "$G linkage $D/m.%s -q -o $D/a.csv && $G linkage $D/m0.%s -q -o $D/b.csv && cmp $D/a.csv $D/b.csv", e,
        e);
    shell_do("$G mds $D/m.%s -q -o $D/n.%s && head -n 3 $D/n.%s | tail -n 1 | grep -q beta", e, e, e);
    shell_do("$G linkage " POINTS "--clusters 2 --picture $D/p.svg --layout $D/m.%s", e);
    shell_do("$G hdbscan " POINTS "--min-cluster-size 2 -o $D/h.%s", e);
    shell_do("$G mds " POINTS "--labels $D/h.%s --picture $D/p.svg && grep -c '>-1<' $D/p.svg", e);
}
END_TEST

/* Where names only count, or nobody gave any, outputs are as they were. */
START_TEST(counts_are_no_names) {
    static const char *const starts[] = {",x,y\n0,0,0\n1,0,1.5\n",
                                         "\"\",\"x\",\"y\"\n\"1\",0,0\n\"2\",0,1.5\n", "x,y\n0,0\n0,1.5\n"};
    SHELL_TEXT("t.csv", starts[_i]);
    shell_do("$G knn $D/t.csv -k 1 -q -o -");
    ck_assert_str_eq(shell_out, "1\n0\n");
    shell_do("$G knn $D/t.csv -k 1 -q -o - --columns x,y");
    ck_assert_str_eq(shell_out, "1\n0\n");
}
END_TEST

START_TEST(of_a_matrix) {
    static const char *const matrices[] = {
        ",a,b,c\na,0,1,2\nb,1,0,1.5\nc,2,1.5,0\n", "\"a\",\"b\",\"c\"\n0,1,2\n1,0,1.5\n2,1.5,0\n",
        "3\na 0 1 2\nb 1 0 1.5\nc 2 1.5 0\n", "3\na\nb 1\nc 2 1.5\n", "a b 1\nb c 1.5\na c 2\n"};
    SHELL_TEXT("d.txt", matrices[_i]);
    const char *kind = _i == 4 ? "graph --weighted" : "distances";
    shell_do("$G linkage --input %s $D/d.txt -q -o $D/z.csv --distance 1 --labels-out - --newick $D/t.nwk",
             kind);
    ck_assert_str_eq(shell_out, ",cluster\na,0\nb,0\nc,1\n");
    file_is("t.nwk", "(c:1.5,(a:1,b:1):0.5);\n");
}
END_TEST

START_TEST(newick) {
    SHELL_TEXT("t.csv", table);
    shell_do("$G linkage " POINTS "--newick -");
    ck_assert_str_eq(shell_out,
                     "(5:18.741664813991314,(('new york':1.0307764064044151,'g,\"h\"':1.0307764064044151)"
                     ":8.981715790845978,(alpha:1.5,beta:1.5):8.512492197250394):8.72917261674092);\n");
    shell_do("printf '0\\n1\\n' | $G linkage - -q --newick -");
    ck_assert_str_eq(shell_out, "(0:1,1:1);\n");
    shell_do("printf 'x\\n7\\n' | $G linkage - -q --newick -");
    ck_assert_str_eq(shell_out, "0;\n");
    shell_do("printf 'a b 1\\nc_d e 2\\n' | $G linkage - --input graph --weighted -q --newick -");
    ck_assert_str_eq(shell_out, "((a:1,b:1),('c_d':2,e:2));\n");
}
END_TEST

/* Names of leaves in the picture, in the order of --leaves. */
START_TEST(picture) {
    SHELL_TEXT("t.csv", table);
    shell_do("$G linkage " POINTS
             "--picture $D/p.svg >$D/log && grep -o '>\\(alpha\\|beta\\|new york\\|g,[^<]*\\)<' "
             "$D/p.svg | sort");
    ck_assert_str_eq(shell_out, ">alpha<\n>beta<\n>g,&quot;h&quot;<\n>new york<\n");
}
END_TEST

START_TEST(labels) {
    SHELL_TEXT("t.csv", table);
    shell_do(
        "$G mds $D/t.csv --index name --labels kind -q -o $D/a.npy --picture $D/p.svg >$D/log && "
        "$G mds $D/t.csv --columns x,y -q -o $D/b.npy >$D/log && cmp $D/a.npy $D/b.npy && "
        "grep -o '>[abc]<' $D/p.svg | sort | tr '\\n' ' '");
    ck_assert_str_eq(shell_out, ">a< >b< >c< ");
    shell_do(
        "printf 'u\\nu\\nv\\nv\\nv\\n' >$D/kind && P=$PWD && cd $D && $P/$G mds t.csv --columns x,y --labels "
        "kind -q "
        "--picture p.svg >log && grep -o '>[abcuv]<' p.svg | sort | tr '\\n' ' '");
    ck_assert_str_eq(shell_out, ">u< >v< ");
    static const bad_line cases[] = {
        {"$G mds $D/t.csv --columns x,y --labels nope --picture $D/p.svg",
         {"--labels nope: there is no such file", "has no column 'nope'", "'kind'"}},
        {"$G mds $D/t.csv --columns x,y --labels y --picture $D/p.svg", {"--labels y", "by another option"}},
        {"$G mds data/cancer.npy --labels kind --picture $D/p.svg", {"no such file", "a table of points"}},
    };
    shell_expect(1, cases, 2);
    shell_expect(2, cases + 2, 1);
    static const bad_line offers[] = {{"$G mds $D/u.csv -o $D/m.npy", {"--index kind", "--labels kind"}}};
    SHELL_TEXT("u.csv", "x,y,kind\n0,0,a\n0,1,b\n3,1,a\n");
    shell_expect(1, offers, 1);
    shell_do(
        "$G mds $D/u.csv --labels kind -q --picture $D/p.svg >$D/log && $G mds $D/u.csv --index kind -q -o "
        "$D/m.csv");
}
END_TEST

Suite *cli_names_suite(void) {
    Suite *s = suite_create("cli/names");
    TCase *all = shell_case(s, "all", 60);
    tcase_add_test(all, of_a_table);
    tcase_add_loop_test(all, there_and_back, 0, 3);
    tcase_add_loop_test(all, counts_are_no_names, 0, 3);
    tcase_add_loop_test(all, of_a_matrix, 0, 5);
    tcase_add_test(all, newick);
    tcase_add_test(all, picture);
    tcase_add_test(all, labels);
    return s;
}
