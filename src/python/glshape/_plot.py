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
    if any(np.isinf(d[:, 1]).any() for d in diagrams):
        ax.axhline(end, color="gray", linewidth=0.8, linestyle="dashed", label="never")
    for dim, pairs in enumerate(diagrams):
        if len(pairs):
            ax.scatter(pairs[:, 0], np.where(np.isinf(pairs[:, 1]), end, pairs[:, 1]), s=12, label=f"dimension {dim}",
                       color=f"C{dim % 10}")
    ax.set_xlabel("birth")
    ax.set_ylabel("death")
    ax.set_aspect("equal")
    if ax.get_legend_handles_labels()[1]:
        ax.legend()
    return ax


def _range(diagrams, lifetime):
    """The least square of births and deaths with a margin: (xmin, xmax, ymin, ymax); where the line of infinity is."""
    values = np.concatenate([d.ravel() for d in diagrams] or [np.zeros(0)])
    values = values[np.isfinite(values)]
    low, high = (values.min(), values.max()) if values.size else (0.0, 1.0)
    margin = (high - low) / 5 or 1.0
    x, y = (low - margin / 2, high + margin), (low - margin / 2, high + margin)
    if lifetime:
        y = (-margin / 2, high - low + margin)
    return (*x, *y)


def persim(diagrams, only, labels, ax, *, title, xy_range, colormap, size, color, diagonal, lifetime, legend, show):
    """Diagrams as persim draws them."""
    try:
        import matplotlib.pyplot as pyplot
    except ImportError as error:
        raise ImportError("matplotlib draws the pictures; please install it") from error
    diagrams = [diagrams] if isinstance(diagrams, np.ndarray) else list(diagrams)
    diagrams = [np.asarray(d, float).reshape(-1, 2) for d in diagrams]
    labels = [f"$H_{{{k}}}$" for k in range(len(diagrams))] if labels is None else labels
    labels = [labels] * len(diagrams) if isinstance(labels, str) else list(labels)
    if only is not None:
        diagrams, labels = [diagrams[k] for k in only], [labels[k] for k in only]
    with pyplot.style.context(colormap):
        ax = pyplot.gca() if ax is None else ax
        left, right, bottom, top = _range(diagrams, lifetime) if xy_range is None else xy_range
        end = bottom + 0.95 * (top - bottom)
        color = color or "black"
        if lifetime:
            ax.plot([left, right], [0, 0], color=color, linewidth=1)
        elif diagonal:
            ax.plot([left, right], [left, right], "--", color=color, linewidth=1)
        never = any(np.isinf(d[:, 1]).any() for d in diagrams)
        if never:
            ax.plot([left, right], [end, end], "--", color=color, linewidth=1, label=r"$\infty$")
        for d, label in zip(diagrams, labels):
            height = d[:, 1] - d[:, 0] if lifetime else d[:, 1]
            ax.scatter(d[:, 0], np.where(np.isinf(d[:, 1]), end, height), size, label=label, edgecolor="none")
        ax.set_xlim(left, right)
        ax.set_ylim(bottom, top)
        ax.set_aspect("equal", "box")
        ax.set_xlabel("Birth")
        ax.set_ylabel("Lifetime" if lifetime else "Death")
        if title is not None:
            ax.set_title(title)
        if legend:
            ax.legend(loc="lower right")
    if show:
        pyplot.show()
    return ax


_LEAVES = 60  # of a dendrogram that shows only the last merges


def tree(merges, ax=None, **keywords):
    """A dendrogram by scipy; of more than 100 points only the last merges, unless a keyword says what is shown."""
    from scipy.cluster.hierarchy import dendrogram

    ax = _axes(ax)
    if len(merges) >= 100 and not {"truncate_mode", "p"} & set(keywords):
        keywords.update(truncate_mode="lastp", p=_LEAVES)
        ax.set_xlabel(f"the last {_LEAVES} groups of {len(merges) + 1} points")
    keywords.setdefault("no_labels", len(merges) > 50)
    dendrogram(merges, ax=ax, **keywords)
    ax.set_ylabel("distance")
    return ax


def icicles(rows, clusters, ax=None, *, chosen=True, palette=None, numbers=True):
    """The condensed tree: rows and clusters of an HdbscanResult. Chosen clusters have colors, paler where they split
    again, and their numbers stand below them."""
    ax = _axes(ax)
    n = clusters["size"][0]
    middle = np.full(len(clusters), n / 2)
    rows = rows[np.argsort(rows["parent"], kind="stable")]
    starts = np.searchsorted(rows["parent"], n + np.arange(len(clusters) + 1, dtype=np.int64))
    with np.errstate(divide="ignore"):
        heights, top = 1 / rows["lambda"], 1 / clusters["birth"]
    top[0] = heights[np.isfinite(heights)].max(initial=0)
    least = heights[heights > 0].min(initial=np.inf)
    of, ends = np.full(len(clusters), -1), {}  # the chosen cluster around each; where it ends, and its place
    for c, (first, end) in enumerate(zip(starts, starts[1:])):  # parents come before their children
        child, size, below = (part[first:end] for part in (rows["child"], rows["size"], np.minimum(heights, top[0])))
        wide = clusters["size"][c] - np.cumsum(np.where(child < n, size, 0))
        left = middle[c] - wide[-1] / 2  # where the two clusters hang that this one splits into
        for k in np.flatnonzero(child >= n):
            middle[child[k] - n] = left + size[k] / 2
            left += size[k]
        half = np.repeat(np.append(clusters["size"][c], wide), 2)[:-1] / 2
        own = clusters["label"][c] if chosen else -1
        label = of[c] = own if own >= 0 or c == 0 else of[clusters["parent"][c] - n]
        color = palette[label % len(palette)] if palette is not None and label >= 0 else f"C{label % 10}"
        ax.fill_betweenx(np.repeat(np.append(top[c], below), 2)[1:], middle[c] - half, middle[c] + half,
                         color=color if label >= 0 else "lightgray", linewidth=0, alpha=1 if own == label else 0.5)
        if label >= 0:
            place, lowest = ends.get(label, (middle[c], below[-1]))
            ends[label] = place, min(lowest, below[-1])
    for label, end in ends.items() if numbers else ():
        ax.annotate(str(label), end, (0, -2), textcoords="offset points", ha="center", va="top")
    ax.set_xlabel("points")
    ax.set_ylabel("distance")
    if np.isfinite(least) and top[0] > 4 * least:  # else clusters that form late are flat
        from matplotlib.ticker import LogLocator, NullFormatter, ScalarFormatter

        ax.set_yscale("log")
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.yaxis.set_major_formatter(ScalarFormatter())
        ax.yaxis.set_minor_formatter(NullFormatter())
        ax.set_ylim(least / 1.2 if heights.min() > 0 else least / 3, top[0] * 1.05)
    if chosen and (clusters["label"] < 0).any():
        ax.plot([], [], "s", color="lightgray", label="in no cluster")
        ax.legend(loc="upper right")
    return ax


def spanning(points, edges, ax=None, *, node, edge, width, vary, colorbar):
    """A spanning tree over the first two columns of points: edges are rows of two points and a distance."""
    from matplotlib.collections import LineCollection

    ax = _axes(ax)
    xy = np.column_stack([points, np.zeros(len(points))])[:, :2] if points.shape[1] < 2 else points[:, :2]
    length = edges[:, 2]
    with np.errstate(divide="ignore", invalid="ignore"):
        times = np.log(length.max(initial=0) / length) + 1
    times = np.where(np.isfinite(times), times, 1)
    lines = LineCollection(xy[edges[:, :2].astype(int)], linewidths=width * times if vary else width, **edge)
    lines.set_array(length)
    ax.add_collection(lines)
    ax.scatter(xy[:, 0], xy[:, 1], **node)
    ax.set_xticks([])
    ax.set_yticks([])
    if colorbar:
        ax.figure.colorbar(lines, ax=ax).ax.set_ylabel("mutual reachability distance")
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
