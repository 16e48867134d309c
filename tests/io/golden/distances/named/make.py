"""Writes the matrix beside this file as pandas and R write it, and as PHYLIP's programs read it.

Debian 12: python3-pandas 1.5.3, r-base-core 4.2.2.
    /usr/bin/python3 tests/io/golden/distances/named/make.py
"""
import os, subprocess
import numpy, pandas

os.chdir(os.path.dirname(os.path.abspath(__file__)))
rng = numpy.random.default_rng(5)
x = rng.random((6, 6)).round(3)
d = numpy.triu(x, 1) + numpy.triu(x, 1).T
numpy.save("d.npy", d)
names = ["alpha", "beta 2", "c", "d", "7", "f,g"]
frame = pandas.DataFrame(d, index=names, columns=names)
frame.to_csv("pandas.csv")
frame.to_csv("pandas.tsv", sep="\t", index_label="sample")
pandas.DataFrame(d).to_csv("counted.csv")
frame.to_csv("header.csv", index=False)
frame.to_csv("rows.csv", header=False)
subprocess.run(["Rscript", "-e", """
d <- as.matrix(read.csv("counted.csv", row.names = 1)); dimnames(d) <- list(letters[1:6], letters[1:6])
write.csv(d, "r.csv"); write.table(d, "r.txt"); write.table(d, "r_plain.txt", quote = FALSE)
"""], check=True)
with open("square.phy", "w") as f:
    f.write("     6\n" + "".join("name%-6d %s\n" % (i, "  ".join("%.3f" % v for v in d[i])) for i in range(6)))
with open("lower.phy", "w") as f:
    f.write("6\n" + "".join("name%-6d %s\n" % (i, "  ".join("%.3f" % v for v in d[i, :i])) for i in range(6)))
