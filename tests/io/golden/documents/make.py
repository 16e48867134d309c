#!/usr/bin/env python3
"""Makes the golden documents; run in this folder. The ones kept here are scikit-learn 1.2.1's, with SciPy 1.10.1
and NumPy 1.24.2.

docword.txt and terms.mtx (terms x documents) have the same counts, counts.npy has them as a dense matrix, and
tfidf.npy is what sklearn's TfidfTransformer() makes of it. Document 5 has no words; word 9 is in no document.
"""
import numpy as np
import scipy.io
import scipy.sparse
from sklearn.feature_extraction.text import TfidfTransformer

rng = np.random.default_rng(5)
counts = rng.poisson(2.0 / (1 + np.arange(12)), (9, 12))
counts[4] = 0
counts[:, 8] = 0
counts[2, 3] = 250
docs, words = np.nonzero(counts)
with open("docword.txt", "w") as f:
    f.write(f"{counts.shape[0]}\n{counts.shape[1]}\n{len(docs)}\n")
    for d, w in zip(docs, words):
        f.write(f"{d + 1} {w + 1} {counts[d, w]}\n")
scipy.io.mmwrite("terms.mtx", scipy.sparse.coo_matrix(counts.T))
np.save("counts.npy", counts.astype("f8"))
np.save("tfidf.npy", TfidfTransformer().fit_transform(scipy.sparse.csr_matrix(counts)).toarray())
