"""HDBSCAN* in numpy, to see how far equal weights leave its answer open. reference(X, ...) takes the tree as scikit-learn 1.4
grows it (Prim's algorithm from row 0, then a sort by weight). Rows in another order give another of the possible answers.
"""
import numpy as np


def distances(X):
    return np.array([np.sqrt(((X - x) ** 2).sum(1)) for x in X])


def reach(D, min_samples):
    core = np.sort(D, axis=1)[:, min_samples - 1]
    return np.maximum(D, np.maximum(core[:, None], core[None, :]))


def prim(M):
    n = len(M)
    left, best, at, edges = np.arange(n), np.full(n, np.inf), 0, []
    for _ in range(n - 1):
        keep = left != at
        left, best = left[keep], best[keep]
        best = np.minimum(best, M[at][left])
        k = int(np.argmin(best))
        edges.append((at, int(left[k]), best[k]))
        at = int(left[k])
    return edges


def single_linkage(n, edges):
    edges = [edges[k] for k in np.argsort([e[2] for e in edges])]
    parent, size, merges = list(range(2 * n - 1)), [1] * n, []
    def find(v):
        while parent[v] != v:
            parent[v] = v = parent[parent[v]]
        return v
    for k, (i, j, w) in enumerate(edges):
        a, b = find(i), find(j)
        parent[a] = parent[b] = n + k
        size.append(size[a] + size[b])
        merges.append((a, b, w, size[-1]))
    return merges


def condense(n, merges, least):
    """rows (parent, child, lambda, size), clusters from n on"""
    rows, queue, clusters = [], [(2 * n - 2, n)], n + 1
    size = lambda v: 1 if v < n else merges[v - n][3]
    def leaves(v):
        stack = [v]
        while stack:
            u = stack.pop()
            if u < n:
                yield u
            else:
                stack += merges[u - n][:2]
    for node, cluster in queue:
        a, b, w, _ = merges[node - n]
        lam = 1 / w if w > 0 else np.inf
        splits = size(a) >= least and size(b) >= least
        for side in (a, b):
            if splits:
                rows.append((cluster, clusters, lam, size(side)))
                queue.append((side, clusters))
                clusters += 1
            elif size(side) < least:
                rows += [(cluster, v, lam, 1) for v in leaves(side)]
            else:
                queue.append((side, cluster))
    return rows


def choose(n, rows, selection, epsilon, single):
    birth, parent, stability, children = {n: 0.0}, {}, {n: 0.0}, {n: []}
    for p, c, lam, size in rows:
        if c >= n:
            birth[c], parent[c], stability[c], children[c] = lam, p, 0.0, []
            children[p].append(c)
    for p, c, lam, size in rows:
        stability[p] += (lam - birth[p]) * size
    order = sorted(stability, reverse=True)
    def below(c):
        out = list(children[c])
        for d in out:
            out += children[d]
        return out
    if selection == "leaf":
        chosen = {c for c in order if not children[c] and c != n}
    else:
        chosen = set()
        for c in order if single else order[:-1]:
            under = sum(stability[d] for d in children[c])
            if under > stability[c]:
                stability[c] = under
            else:
                chosen -= set(below(c))
                chosen.add(c)
    if epsilon and chosen != {n}:
        out = set()
        for c in chosen:
            while 1 / birth[c] < epsilon and (parent[c] != n or single):
                c = parent[c]
                if c == n:
                    break
            out.add(c)
        chosen = {c for c in out if not any(c in below(d) for d in out)}
    return chosen, parent


def label(n, rows, chosen, parent, epsilon):
    death = {}
    for p, c, lam, size in rows:
        death[p] = max(death.get(p, 0), lam)
    labels, probabilities, number = np.full(n, -1), np.zeros(n), {}
    for p, v, lam, size in rows:
        if v >= n:
            continue
        while p not in chosen and p in parent:
            p = parent[p]
        if p not in chosen or (p == n and lam < (1 / epsilon if epsilon else death[n])):
            continue
        labels[v] = number.setdefault(p, len(number))
        probabilities[v] = 1 if np.isinf(lam) or death[p] == 0 else min(lam, death[p]) / death[p]
    return labels, probabilities


def reference(M, min_cluster_size, selection, epsilon, single):
    n = len(M)
    rows = condense(n, single_linkage(n, prim(M)), min_cluster_size)
    chosen, parent = choose(n, rows, selection, epsilon, single)
    return label(n, rows, chosen, parent, epsilon)


def partition(labels):
    number = {}
    return np.array([-1 if v < 0 else number.setdefault(v, len(number)) for v in labels])
