#!/usr/bin/python3
"""make.py FOLDER: writes the golden files beside this file from FOLDER/hdbscan.npz and FOLDER/cases.csv, which scikit-learn
1.4.2 made (Debian 13's python3-sklearn, HDBSCAN(algorithm='brute'); the sets are of sklearn.datasets and numpy's
default_rng(42)). For each set: SET.npy.gz, its rows, and SET-answers.npy.gz, for each case k a column of labels, then of
dbscan_clustering(0.5), then of probabilities. cases.csv gets three more columns: whether labels, and probabilities, are the
same for 20 orders of the rows (ties.py; where they are not, equal weights leave more than one answer), and whether no height of
the tree is 0.5.

Made 2026-11-22 with Debian 12's python3-numpy 1.24.2.
"""
import csv
import gzip
import os
import sys
from io import BytesIO

import numpy as np
from ties import distances, partition, prim, reach, reference

HERE = os.path.dirname(os.path.abspath(__file__))
given = np.load(os.path.join(sys.argv[1], "hdbscan.npz"))
dice = np.random.default_rng(1)


def write(name, array):
    data = BytesIO()
    np.save(data, array)
    with open(os.path.join(HERE, name + ".npy.gz"), "wb") as f, gzip.GzipFile("", "wb", 9, f, 0) as z:
        z.write(data.getvalue())


def answers(M, case):
    """labels and probabilities for 20 orders of the rows"""
    arguments = (int(case["min_cluster_size"]), case["selection"], float(case["epsilon"]), case["allow_single_cluster"] == "1")
    for _ in range(20):
        order = dice.permutation(len(M))
        labels, probabilities = np.empty(len(M), int), np.empty(len(M))
        labels[order], probabilities[order] = reference(M[np.ix_(order, order)], *arguments)
        yield partition(labels), probabilities


with open(os.path.join(sys.argv[1], "cases.csv")) as f:
    cases = list(csv.DictReader(f))
for name in dict.fromkeys(c["set"] for c in cases):
    X = given[name + "__X"]
    D = distances(X)
    write(name, X.astype("u1") if (X == X.astype("u1")).all() else X)
    columns = [[], [], []]
    for case in (c for c in cases if c["set"] == name):
        key = f"{name}__{case['case']}_"
        labels, probabilities = partition(given[key + "labels"]), given[key + "probabilities"]
        got = list(answers(reach(D, int(case["min_samples"])), case))
        case["one_partition"] = int(all((g[0] == labels).all() for g in got))
        case["one_answer"] = int(case["one_partition"] and all(abs(g[1] - probabilities).max() < 1e-6 for g in got))
        case["one_cut"] = int(all(abs(e[2] - 0.5) > 1e-9 for e in prim(reach(D, int(case["min_samples"])))))
        for at, column in enumerate((labels, partition(given[key + "dbscan"]), probabilities)):
            columns[at].append(column)
    write(name + "-answers", np.array(columns[0] + columns[1] + columns[2], "f4").T.copy())
    print(name, flush=True)
with open(os.path.join(HERE, "cases.csv"), "w") as f:
    out = csv.DictWriter(f, list(cases[0]), lineterminator="\n")
    out.writeheader()
    out.writerows(cases)
