/* What people bring, as it is: read, or refused with a remedy, which is then done. */
#include <stdlib.h>
#include <string.h>

#include "cli/shell.h"

Suite *cli_doors_suite(void);

#define PYTHON "/usr/bin/python3"
#define TREE "2,3,1.0307764064044151,2\n0,1,1.5,2\n5,6,10.012492197250394,4\n4,7,18.741664813991314,5\n"

/* Five points as text of several habits. */
START_TEST(texts) {
    static const char *const texts[] = {
        "0 0\n0 1.5\n10.25 0\n10 1\n3 20\n",
        "x,y\r0,0\r0,1.5\r10.25,0\r10,1\r3,20\r",
        "sep=;\nx;y\n0;0\n0;1.5\n10.25;0\n10;1\n3;20\n",
        "0 0 # first\n0 1.5\n10.25 0\n10 1\n3 20 # last\n",
        "x,y\n0,0 # first\n0,1.5,# two\n10.25,0\n10,1\n3,20\n",
        "%%MatrixMarket matrix array real general\n% points\n5 2\n0\n0\n10.25\n10\n3\n0\n1.5\n0\n1\n20\n",
    };
    SHELL_TEXT("t", texts[_i]);
    shell_do("$G linkage $D/t -q -o -");
    ck_assert_str_eq(shell_out, TREE);
    shell_do("$G linkage - -q -o - <$D/t");
    ck_assert_str_eq(shell_out, TREE);
}
END_TEST

START_TEST(decimal_commas) {
    static const bad_line cases[] = {
        {"$G linkage $D/t.txt", {"t.txt: line 1", "'0   0'", "with a point, not a comma, as tr , . does"}}};
    SHELL_TEXT("t.txt", "0   0\n0   1,5\n10,25   0\n10   1\n3   20\n");
    shell_expect(1, cases, 1);
    shell_do("tr , . <$D/t.txt | $G linkage - -q -o -");
    ck_assert_str_eq(shell_out, TREE);
}
END_TEST

/* Columns of text beside the one that --index names, or a graph's command: the remedy is done. */
START_TEST(columns_of_text) {
    static const bad_line cases[] = {
        {"$G linkage $D/t.csv", {"line 2, column 2: 'ann' is not a number", "as --columns id,x,y\n"}},
        {"$G linkage $D/t.csv --index name", {"column 'class': 'a'", "as --index name --columns id,x,y\n"}},
        {"$G linkage $D/t.csv --columns x,class", {"column 'class': 'a'", "as --columns id,x,y\n"}},
    };
    static const bad_line graph[] = {{"$G mst $D/t.csv --columns x,y", {"say --input points"}}};
    SHELL_TEXT("t.csv", "id,name,x,y,class\n7,ann,0,0,a\n8,bob,0,1.5,a\n9,cyd,10.25,0,b\n");
    shell_expect(1, cases, 3);
    shell_expect(2, graph, 1);
    shell_do("$G linkage $D/t.csv --index name --columns id,x,y -q -o - --newick $D/t.nwk && cat $D/t.nwk");
    shell_has(shell_out, "ann");
    shell_do("$G mst $D/t.csv --columns x,y --input points -q -o -");
    shell_has(shell_out, "0,1,1.5\n");
}
END_TEST

/* Files of other commands and of other types; what the refusal names is done. */
START_TEST(remedies) {
    static const bad_line fields[] = {
        {"$G linkage tests/io/golden/fields/one.nii",
         {"is a NIfTI volume", "which cubical and mergetree read"}},
        {"$G linkage tests/io/golden/fields/stack.tif", {"is a TIFF picture", "which cubical"}},
        {"$G linkage tests/io/golden/fields/text.vtk", {"is a file of VTK", "which cubical"}},
        {"$G cubical $D/r.raw --shape 2,2 --type u1", {"r.raw has 7 bytes", "--skip 3"}},
        {"$G cubical $D/c.nii", {"complex numbers (type 32)", "numpy.abs(img.dataobj).astype('f8')"}},
    };
    SHELL_TEXT("r.raw", "abc1234");
    shell_do(
        "head -c 70 tests/io/golden/fields/one.nii >$D/c.nii && printf '\\040\\000' >>$D/c.nii && "
        "tail -c +73 tests/io/golden/fields/one.nii >>$D/c.nii");
    shell_expect(1, fields, 5);
    shell_do("$G cubical $D/r.raw --shape 2,2 --type u1 --skip 3 -q -o -");
    shell_do("$G cubical tests/io/golden/fields/one.nii -q -o $D/o.csv");
    if (shell(PYTHON " -c 'import scipy' 2>$D/log")) return;
    static const bad_line blocks[] = {{"$G mst $D/b.npz", {"in the format 'bsr'", "tocsr()"}}};
    shell_do("cd $D && " PYTHON
             " -c \"import scipy.sparse as s; b = s.csr_matrix([[0, 2, 0, 0], [2, 0, 3, 0], [0, 3, 0, 1], "
             "[0, 0, 1, 0]]).tobsr((2, 2)); s.save_npz('b.npz', b); s.save_npz('r.npz', b.tocsr())\"");
    shell_expect(1, blocks, 1);
    shell_do("$G mst $D/r.npz -q -o -");
}
END_TEST

/* Distances in Matrix Market's array format: the whole, or the lower triangle with the diagonal. */
START_TEST(arrays) {
    static const char *const texts[] = {
        "%%MatrixMarket matrix array real symmetric\n3 3\n0\n1\n2\n0\n1.5\n0\n",
        "%%MatrixMarket matrix array real general\n3 3\n0\n1\n2\n1\n0\n1.5\n2\n1.5\n0\n",
        "%%MatrixMarket matrix array integer general\n2 3\n0\n1\n2\n1\n0\n1\n"};
    static const bad_line cases[] = {
        {"$G linkage --input distances $D/d.mtx", {"2 × 3", "--input points"}},
        {"$G linkage $D/s.mtx", {"s.mtx is a sparse matrix", "--input documents", "--input graph"}},
        {"$G linkage $D/e.mtx", {"e.mtx ends after 1 of its 2 values"}},
        {"$G linkage $D/f.mtx", {"f.mtx: line 1 has values that are not read", "numpy.save"}},
        {"$G linkage --input distances $D/s.mtx", {"s.mtx is a sparse matrix", "a graph"}},
        {"printf '%%300s\\n' '' | cat - $D/d.mtx | $G linkage --input distances -",
         {"standard input: line 2", "is not a number"}},
        {"$G mds $D/d.mtx --labels kind", {"--labels kind: there is no such file", "d.mtx is not"}},
        {"$G mds tests/cloud/golden/meshio.ply --labels x", {"--labels x: there is no such file", "is not"}},
    };
    SHELL_TEXT("d.mtx", texts[_i]);
    SHELL_TEXT("e.mtx", "%%MatrixMarket matrix array real general\n2 1\n0\n");
    SHELL_TEXT("f.mtx", "%%MatrixMarket matrix array complex general\n2 1\n0 0\n1 1\n");
    SHELL_TEXT("s.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 1\n3 2 1.5\n3 1 2\n");
    if (_i == 2) {
        shell_expect(1, cases, sizeof cases / sizeof *cases);
        /* Behind blanks, and from a pipe in parts. */
        shell_do("{ printf '%%100s\\n' ''; cat $D/d.mtx; } >$D/a.mtx && $G linkage $D/a.mtx -q -o $D/a.csv");
        shell_do(
            "{ head -c 19 $D/d.mtx; sleep 0.2; tail -c +20 $D/d.mtx; } | $G linkage - -q -o $D/p.csv && "
            "cmp $D/a.csv $D/p.csv");
        shell_do(
            "$G linkage $D/d.mtx -q -o $D/o.csv && $G linkage --input graph $D/s.mtx -q -o $D/o.csv && "
            "$G linkage --input documents $D/s.mtx -q -o $D/o.csv");
        shell_do("$G linkage $D/d.mtx --columns 2,1 -q -o -");
        ck_assert_str_eq(shell_out, "0,1,1.4142135623730951,2\n");
        shell_do("$G linkage $D/d.mtx --columns 2,1 --metric haversine -q -o $D/o.csv");
        return;
    }
    shell_do("$G linkage --input distances $D/d.mtx -q -o -");
    ck_assert_str_eq(shell_out, "0,1,1,2\n2,3,1.5,3\n");
    shell_do("$G rips $D/d.mtx -q | grep -c '\\[0,'");
    ck_assert_str_eq(shell_out, "3\n");
}
END_TEST

/* Runs the line that the last refusal names, in the folder; NAME becomes v. */
static void do_remedy(void) {
    char line[1024];
    const char *from = strstr(shell_err, "convert it: python3 -c \""),
               *to = from ? strrchr(shell_err, '"') : NULL;
    ck_assert_msg(from && to > from + 23, "no line in: %s", shell_err);
    snprintf(line, sizeof line, "cd $D && " PYTHON "%.*s", (int)(to + 1 - from - 19), from + 19);
    for (char *name; (name = strstr(line, "NAME"));) {
        *name = 'v';
        memmove(name + 1, name + 4, strlen(name + 4) + 1);
    }
    shell_do("%s", line);
}

/* Binary tables and arrays, of which a library is here if the program that writes them is. */
START_TEST(binaries) {
    static const char *const writers[][3] = {
        {"x.nc",
         "import scipy.io; f = scipy.io.netcdf_file('x.nc', 'w'); f.createDimension('n', 5); "
         "f.createDimension('k', 2); "
         "f.createVariable('v', 'd', ('n', 'k'))[:] = x; f.close()",
         "v.npy"},
        {"x.h5", "import h5py; h5py.File('x.h5', 'w')['v'] = x", "v.npy"},
        {"x.parquet", "import pandas; pandas.DataFrame(x, columns=['x', 'y']).to_parquet('x.parquet')",
         "table.csv"},
        {"x.xlsx", "import pandas; pandas.DataFrame(x, columns=['x', 'y']).to_excel('x.xlsx', index=False)",
         "table.csv"},
        {"x.ods",
         "import pandas; pandas.DataFrame(x, columns=['x', 'y']).to_excel('x.ods', index=False, "
         "engine='odf')",
         "table.csv"},
        {"x.mat", "import scipy.io; scipy.io.savemat('x.mat', {'v': x})", "v.npy"},
    };
    const char *const *w = writers[_i];
    SHELL_TEXT("t.txt", "0 0\n0 1.5\n10.25 0\n10 1\n3 20\n");
    if (shell("cd $D && " PYTHON " -c \"import numpy; x = numpy.loadtxt('t.txt'); %s\" 2>log", w[1])) return;
    int code = shell("$G linkage $D/%s -q -o -", w[0]);
    ck_assert_int_eq(code, _i > 1); /* NetCDF and HDF5 are read */
    if (code) {
        do_remedy();
        shell_do("$G linkage $D/%s -q -o -", w[2]);
    }
    ck_assert_str_eq(shell_out, TREE);
    code = shell("$G cubical $D/%s -q -o $D/field.csv", w[0]);
    ck_assert_int_eq(code, _i > 1);
    if (code) do_remedy();
    else
        shell_do("cd $D && " PYTHON
                 " -c \"import numpy; numpy.save('v.npy', numpy.loadtxt('t.txt'))\" && "
                 "cd - >/dev/null && $G cubical $D/v.npy -q -o $D/same.csv && cmp $D/field.csv $D/same.csv");
}
END_TEST

/* Points in HDF5: the array that is named, columns by number, one row, whole numbers. */
START_TEST(sets) {
    static const bad_line cases[] = {
        {"$G linkage $D/x.h5", {"x.h5 has 4 data sets: choose one with --dataset, of", "'g/b'"}},
        {"$G linkage $D/x.h5 --dataset c",
         {"x.h5 has shape (2, 2, 5), 3 dimensions; a table has rows and columns"}},
        {"$G linkage $D/x.h5 --dataset no", {"x.h5 has no data set 'no'"}},
        {"$G linkage $D/x.h5 --dataset a --columns x,y",
         {"the columns of", "have no names; give their numbers"}},
        {"$G linkage $D/a.npy --dataset a", {"a.npy is not HDF5 or NetCDF"}}};
    static const bad_line misuses[] = {
        {"$G linkage --input distances $D/a.npy --dataset a", {"--dataset goes with points"}}};
    if (shell(
            "cd $D && " PYTHON " -c \"import h5py, numpy; a = numpy.arange(20.).reshape(10, 2) ** 2; "
            "f = h5py.File('x.h5', 'w'); f['a'] = a; f['g/b'] = a.astype('i4'); f['c'] = a.reshape(2, 2, 5); "
            "f['row'] = a[:1]; numpy.save('a.npy', a)\" 2>log"))
        return;
    shell_do("$G linkage $D/a.npy -q -o $D/want.csv");
    for (int k = 0; k < 2; k++)
        shell_do("$G linkage $D/x.h5 --dataset %s -q -o $D/is.csv && cmp $D/is.csv $D/want.csv",
                 k ? "g/b" : "a");
    shell_do(
        "$G linkage $D/a.npy --columns 2 -q -o $D/want.csv && "
        "$G linkage $D/x.h5 --dataset a --columns 2 -q -o $D/is.csv && cmp $D/is.csv $D/want.csv");
    shell_expect(1, cases, 5);
    shell_expect(2, misuses, 1);
}
END_TEST

/* Their first bytes are enough. */
START_TEST(binaries_are_known) {
    static const struct {
        const char *bytes, *what;
    } heads[] = {{"PAR1....", "Parquet"},
                 {"\x89HDF\r\n\x1a\n", "HDF5"},
                 {"CDF\1....", "NetCDF"},
                 {"CDF\2....", "NetCDF"},
                 {"\xd0\xcf\x11\xe0....", "Excel"},
                 {"PK\3\4..........................[Content_Types].xml....", "Excel"}};
    static const char *const commands[] = {"linkage", "cubical", "linkage --input distances", "mst",
                                           "mds --input documents"};
    SHELL_TEXT("x", heads[_i].bytes);
    for (int k = 0; k < 5; k++) {
        ck_assert_int_eq(shell("$G %s $D/x", commands[k]), 1);
        shell_has(shell_err, heads[_i].what);
        if (k < 2 && _i > 0 && _i < 4) shell_has(shell_err, _i == 1 ? "damaged or cut short" : "cut short");
        else shell_has(shell_err, "convert it: python3 -c \"");
    }
}
END_TEST

/* A line has a place to fill in where the file has no name, or one that the line cannot hold. */
START_TEST(names_of_files) {
    static const bad_line cases[] = {{"$G linkage - <$D/p", {"read_parquet('FILE')"}},
                                     {"$G linkage \"$D/it's\"", {"it's is a Parquet file", "('FILE')"}}};
    SHELL_TEXT("p", "PAR1PAR1PAR1");
    shell_do("cp $D/p \"$D/it's\"");
    shell_expect(1, cases, 2);
}
END_TEST

START_TEST(xml) {
    static const bad_line cases[] = {
        {"$G cubical $D/v.vti", {"v.vti has no array of points or cells"}},
        {"$G cubical $D/pieces.vti", {"several pieces", "'3 4 0 0 0 0'"}},
        {"$G cubical $D/part.vti", {"several pieces", "'0 3 0 0 0 0'"}},
        {"$G cubical $D/mesh.vtu", {"a field is on a grid", "'UnstructuredGrid'"}},
        {"$G cubical $D/page.svg", {"of XML only VTK's image data", "'svg "}}};
    SHELL_TEXT("v.vti", "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\">\n");
    SHELL_TEXT("pieces.vti",
               "<VTKFile type='ImageData'><Piece Extent='0 3 0 0 0 0'><PointData/></Piece><Piece Extent='3 4 "
               "0 0 0 0'>");
    SHELL_TEXT("part.vti",
               "<VTKFile type='ImageData'><ImageData WholeExtent='0 7 0 0 0 0'><Piece Extent='0 3 0 0 0 0'>"
               "<PointData><DataArray type='Float32' format='ascii'>0 2 1 3</DataArray></PointData></Piece>");
    SHELL_TEXT("mesh.vtu", "<?xml version=\"1.0\"?><!-- a > b --><VTKFile type='UnstructuredGrid'>");
    SHELL_TEXT("page.svg", "<?xml version=\"1.0\"?><svg width='10'>");
    shell_expect(1, cases, 5);
    SHELL_TEXT("line.vti",
               "<VTKFile type='ImageData'><!-- it's a > b --><ImageData WholeExtent='2 5 0 0 0 0'>"
               "<Piece Extent='2 5 0 0 0 0'><PointData><DataArray type='Float32' "
               "format='ascii'>0 2 1 3</DataArray></PointData></Piece></VTKFile>");
    shell_do("$G cubical $D/line.vti -q -o -");
    shell_has(shell_out, "0,1,2,2,1");
}
END_TEST

/* A file of HDF5 from elsewhere makes nobody wait for a pipe that it names. */
START_TEST(pipes) {
    shell_do("mkfifo $D/pipe.h5; cp tests/io/golden/fields/elsewhere.h5 $D");
    int code = shell("timeout 20 $G cubical $D/elsewhere.h5 --dataset alone -q -o - >$D/out");
    ck_assert_int_eq(code, strstr(shell_err, "is not installed") ? 1 : 0);
    ck_assert_int_eq(shell("timeout 20 $G cubical $D/elsewhere.h5"), 1);
    if (code) return;
    shell_has(shell_err, "choose one with --dataset, of 'alone', 'gone', 'outside'");
    shell_do("$G cubical $D/elsewhere.h5 --dataset /a/b/c/d/e/f/g/h/i/j/deep -q -o - | cmp - $D/out");
    ck_assert_int_eq(shell("timeout 20 $G cubical $D/elsewhere.h5 --dataset outside"), 1);
    shell_has(shell_err, "the values of 'outside' are in other files");
}
END_TEST

/* The same values as a grid and as GUDHI reads a file of Perseus: the first coordinate is the fastest. */
START_TEST(perseus) {
    SHELL_TEXT("p.txt", "2\n2\n3\n1\n5\n2\n6\n3\n4\n");
    SHELL_TEXT("g.txt", "1 5\n2 6\n3 4\n");
    shell_do(
        "$G cubical $D/p.txt -q -o $D/p.csv && $G cubical $D/g.txt -q -o $D/g.csv && cmp $D/p.csv $D/g.csv");
    static const bad_line cases[] = {
        {"$G cubical $D/n.txt", {"Perseus", "the extent -3 is negative", "write 3"}}};
    SHELL_TEXT("n.txt", "2\n2\n-3\n1\n5\n2\n6\n3\n4\n");
    shell_expect(1, cases, 1);
    if (!shell(PYTHON " -c 'import gudhi' 2>$D/log")) {
        shell_do("cd $D && " PYTHON
                 " -c \"import gudhi; c = gudhi.CubicalComplex(perseus_file='p.txt'); "
                 "c.persistence(); print(sorted(map(tuple, "
                 "c.persistence_intervals_in_dimension(0).tolist())))\" && "
                 "tail -n +2 p.csv | awk -F, '$1 == 0' | wc -l");
        shell_has(shell_out, "(1.0, inf)");
    }
}
END_TEST

/* What knn --radius writes is a graph for every command, and for scipy. */
START_TEST(near) {
    static const char *const lines[] = {
        "mst $D/n.npz",
        "linkage --input graph --weighted $D/n.npz",
        "linkage $D/t.txt --connectivity $D/n.npz",
        "hdbscan --input graph --weighted --min-samples 2 --min-cluster-size 2 $D/n.npz",
        "mds --input graph --weighted $D/n.npz",
        "rips --format sparse $D/n.npz"};
    SHELL_TEXT("t.txt", "0 0\n0 1.5\n1 0\n10 1\n3 2\n");
    shell_do("$G knn $D/t.txt --radius 30 -q -o $D/n.npz");
    for (int i = 0; i < 6; i++) shell_do("$G %s -q -o $D/o%d.csv", lines[i], i);
    shell_do("$G linkage $D/t.txt -q -o $D/w.csv && cmp $D/w.csv $D/o1.csv && cmp $D/w.csv $D/o2.csv");
    if (shell(PYTHON " -c 'import scipy' 2>$D/log")) return;
    shell_do("cd $D && " PYTHON
             " -c \"import numpy, scipy.sparse; m = scipy.sparse.load_npz('n.npz'); "
             "x = numpy.loadtxt('t.txt'); d = ((x[:, None] - x) ** 2).sum(2) ** .5; "
             "assert m.shape == (5, 5) and (m.toarray() == d).all()\"");
    static const bad_line cases[] = {
        {"$G rips $D/n.npz", {"n.npz is a sparse matrix: read it with --format sparse"}},
        {"$G rips $D/x.npz", {"x.npz is a zip archive", "numpy.save"}}};
    shell_do("cd $D && " PYTHON " -c \"import numpy; numpy.savez('x.npz', a=numpy.zeros((3, 2)))\"");
    shell_expect(1, cases, 2);
}
END_TEST

Suite *cli_doors_suite(void) {
    Suite *s = suite_create("cli/doors");
    TCase *all = shell_case(s, "all", 60);
    tcase_add_loop_test(all, texts, 0, 6);
    tcase_add_test(all, decimal_commas);
    tcase_add_test(all, columns_of_text);
    tcase_add_test(all, remedies);
    tcase_add_loop_test(all, arrays, 0, 3);
    tcase_add_loop_test(all, binaries, 0, 6);
    tcase_add_test(all, sets);
    tcase_add_loop_test(all, binaries_are_known, 0, 6);
    tcase_add_test(all, names_of_files);
    tcase_add_test(all, xml);
    tcase_add_test(all, pipes);
    tcase_add_test(all, perseus);
    tcase_add_test(all, near);
    return s;
}
