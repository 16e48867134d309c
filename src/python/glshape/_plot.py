"""Pictures with matplotlib, where it is installed."""
from __future__ import annotations

import numpy as np


def _axes(ax):
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as pyplot
    except ImportError as error:
        raise ImportError("matplotlib draws the pictures; please install it") from error
    return pyplot.subplots()[1]


def scatter(points, ax=None, labels=None, title=None):
    ax = _axes(ax)
    points = np.column_stack([points, np.zeros(len(points))]) if points.shape[1] == 1 else points
    names, numbers = (None, None) if labels is None else np.unique(labels, return_inverse=True)
    if labels is None or np.asarray(labels).dtype.kind == "f" or len(names) > 10:
        ax.scatter(points[:, 0], points[:, 1], c=numbers if names is not None and names.dtype.kind != "f" else labels,
                   s=9)
    else:
        for k, name in enumerate(names):
            ax.scatter(points[numbers == k, 0], points[numbers == k, 1], s=9, label=str(name))
        ax.legend()
    ax.set_aspect("equal")
    ax.set_title(title)
    return ax


def diagram(diagrams, ax=None):
    """Births and deaths; what never dies is on a line at the top, or of superlevels at the bottom."""
    ax = _axes(ax)
    values = np.concatenate([d.ravel() for d in diagrams])
    values = values[np.isfinite(values)]
    low, high = (values.min(), values.max()) if values.size else (0.0, 1.0)
    falls = any((d[:, 1] < d[:, 0]).any() for d in diagrams)
    end = low - 0.05 * ((high - low) or 1) if falls else high + 0.05 * ((high - low) or 1)
    ax.plot([min(low, end), max(high, end)], [min(low, end), max(high, end)], color="gray", linewidth=0.8)
    ax.axhline(end, color="gray", linewidth=0.8, linestyle="dashed")
    for dim, pairs in enumerate(diagrams):
        ax.scatter(pairs[:, 0], np.where(np.isinf(pairs[:, 1]), end, pairs[:, 1]), s=12, label=f"dimension {dim}")
    ax.set_xlabel("birth")
    ax.set_ylabel("death")
    ax.legend()
    return ax


def tree(merges, ax=None, **keywords):
    from scipy.cluster.hierarchy import dendrogram

    ax = _axes(ax)
    keywords.setdefault("no_labels", len(merges) > 50)
    dendrogram(merges, ax=ax, **keywords)
    return ax


def icicles(rows, clusters, ax=None):
    """The condensed tree: rows and clusters of an HdbscanResult."""
    ax = _axes(ax)
    n = clusters["size"][0]
    middle = np.full(len(clusters), n / 2)
    rows = rows[np.argsort(rows["parent"], kind="stable")]
    starts = np.searchsorted(rows["parent"], n + np.arange(len(clusters) + 1, dtype=np.int64))
    with np.errstate(divide="ignore"):
        heights, top = 1 / rows["lambda"], 1 / clusters["birth"]
    top[0] = heights[np.isfinite(heights)].max(initial=0)
    for c, (first, end) in enumerate(zip(starts, starts[1:])):  # parents come before their children
        child, size, below = (part[first:end] for part in (rows["child"], rows["size"], np.minimum(heights, top[0])))
        wide = clusters["size"][c] - np.cumsum(np.where(child < n, size, 0))
        left = middle[c] - wide[-1] / 2  # where the two clusters hang that this one splits into
        for k in np.flatnonzero(child >= n):
            middle[child[k] - n] = left + size[k] / 2
            left += size[k]
        half = np.repeat(np.append(clusters["size"][c], wide), 2)[:-1] / 2
        chosen = clusters["label"][c]
        ax.fill_betweenx(np.repeat(np.append(top[c], below), 2)[1:], middle[c] - half, middle[c] + half,
                         color=f"C{chosen % 10}" if chosen >= 0 else "lightgray", linewidth=0)
    ax.set_xlabel("points")
    ax.set_ylabel("distance")
    return ax


def rings(points, components, ax=None):
    """Components as polygons with holes."""
    ax = _axes(ax)
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    for component in components:
        corners = [points[np.append(ring, ring[:1])].astype(float) for ring in component]
        codes = [code for ring in corners for code in [Path.MOVETO] + [Path.LINETO] * (len(ring) - 1)]
        ax.add_patch(PathPatch(Path(np.concatenate(corners), codes), alpha=0.5))
    ax.plot(points[:, 0], points[:, 1], ".", color="black", markersize=2)
    ax.set_aspect("equal")
    return ax
