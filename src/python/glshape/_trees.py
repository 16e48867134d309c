"""The trees of an HDBSCAN estimator, with the methods that the package hdbscan has for them."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np


def _needed(name):
    """A package that only these methods use."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"{name} is not installed; this method makes an object of it") from error


class _Tree:
    """An array that can be used as one: ``np.asarray(tree)``, ``tree["parent"]``, ``len(tree)``."""

    def __init__(self, values):
        self._values = values

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        out = self._values if dtype is None else self._values.astype(dtype)
        return out.copy() if copy else out

    def __getitem__(self, key: Any) -> Any:
        return self._values[key]

    def __len__(self) -> int:
        return len(self._values)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._values.shape

    @property
    def dtype(self) -> np.dtype:
        return self._values.dtype

    def to_numpy(self) -> np.ndarray:
        """A copy of the array."""
        return self._values.copy()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} rows: {', '.join(self._columns)})"


class CondensedTree(_Tree):
    """The condensed tree: a row for each point or cluster that leaves a cluster. Of n points, those below n are points,
    n is the root.

    Fields: ``parent``, ``child``, ``lambda_val`` (1 / distance at which child leaves), ``child_size`` (points)."""

    _columns = ("parent", "child", "lambda_val", "child_size")

    def __init__(self, values, result):
        super().__init__(values)
        self._result = result

    def to_pandas(self) -> Any:
        """A DataFrame of the four columns."""
        return _needed("pandas").DataFrame({name: self._values[name] for name in self._columns})

    def to_networkx(self) -> Any:
        """A DiGraph from parents to children: edges have a ``weight``, lambda; nodes but the root a ``size``."""
        graph = _needed("networkx").DiGraph()
        for parent, child, value, size in self._values.tolist():
            graph.add_edge(parent, child, weight=value)
            graph.nodes[child]["size"] = size
        return graph

    def plot(self, axis: Any = None, *, select_clusters: bool = True, selection_palette: Any = None,
             label_clusters: bool = True) -> Any:
        """Draws the tree as icicles with matplotlib; returns the axes. Chosen clusters have colors and numbers.

        Parameters
        ----------
        axis : matplotlib axes, optional
        select_clusters : bool
            False: all clusters are gray.
        selection_palette : sequence of colors, optional
            Of the chosen clusters.
        label_clusters : bool
            Writes the numbers of the chosen clusters.
        """
        from ._plot import icicles

        return icicles(self._result.condensed, self._result.tree, axis, chosen=select_clusters, palette=selection_palette,
                       numbers=label_clusters and select_clusters)


class SingleLinkageTree(_Tree):
    """The single-linkage tree of mutual reachability: a matrix as scipy's ``linkage`` returns."""

    _columns = ("left_child", "right_child", "distance", "size")

    def to_pandas(self) -> Any:
        """A DataFrame: ``parent``, ``left_child``, ``right_child``, ``distance``, ``size``."""
        names = zip(self._columns, self._values.T)
        return _needed("pandas").DataFrame({"parent": self._parents(), **dict(names)})

    def _parents(self):
        n = len(self._values) + 1
        return np.arange(n, 2 * n - 1)

    def to_networkx(self) -> Any:
        """A DiGraph from each merge to what it joins: edges have a ``weight``, the distance; merges a ``size``."""
        graph = _needed("networkx").DiGraph()
        for parent, (left, right, distance, size) in zip(self._parents().tolist(), self._values.tolist()):
            graph.add_edge(parent, int(left), weight=distance)
            graph.add_edge(parent, int(right), weight=distance)
            graph.nodes[parent]["size"] = int(size)
        return graph

    def get_clusters(self, cut_distance: float, min_cluster_size: int = 5) -> np.ndarray:
        """The clusters of DBSCAN* at one distance: the label of each point, -1 is noise (see
        :meth:`glshape.HdbscanResult.dbscan`)."""
        labels = np.empty(len(self._values) + 1, np.int64)
        from ._linkage import cut

        labels[:] = cut(self._values, distance=cut_distance)
        large = np.bincount(labels) >= min_cluster_size
        number = np.where(large, np.cumsum(large) - 1, -1)  # labels are by first appearance, and stay so
        return number[labels]

    def plot(self, axis: Any = None, **keywords: Any) -> Any:
        """Draws the tree with scipy's ``dendrogram``, which takes the keywords; returns the axes."""
        from ._plot import tree

        return tree(self._values, axis, **keywords)


class MinimumSpanningTree(_Tree):
    """The spanning tree of mutual reachability: rows of two points and their distance, the shortest first."""

    _columns = ("from", "to", "distance")

    def __init__(self, values, points):
        super().__init__(values)
        self._points = points

    def to_pandas(self) -> Any:
        """A DataFrame: ``from``, ``to``, ``distance``."""
        first, second, distance = self._values.T
        return _needed("pandas").DataFrame({"from": first.astype(int), "to": second.astype(int), "distance": distance})

    def to_networkx(self) -> Any:
        """A Graph: edges have a ``weight``, the distance; nodes their row of the points as ``data``."""
        graph = _needed("networkx").Graph()
        for first, second, distance in self._values.tolist():
            graph.add_edge(int(first), int(second), weight=distance)
        if self._points is not None:
            for v in graph:
                graph.nodes[v]["data"] = tuple(self._points[v])
        return graph

    def plot(self, axis: Any = None, *, node_size: float = 40, node_color: Any = "k", node_alpha: float = 0.8,
             edge_alpha: float = 0.5, edge_cmap: Any = "viridis_r", edge_linewidth: float = 2, vary_line_width: bool = True,
             colorbar: bool = True) -> Any:
        """Draws the tree with matplotlib over the first two columns of the points; returns the axes. The package
        hdbscan draws points of more columns in a layout by t-SNE: give such a layout to matplotlib."""
        from ._plot import spanning

        if self._points is None:
            raise ValueError("the tree is of distances, and has no points to be drawn at")
        return spanning(self._points, self._values, axis, node={"s": node_size, "c": node_color, "alpha": node_alpha},
                        edge={"cmap": edge_cmap, "alpha": edge_alpha}, width=edge_linewidth, vary=vary_line_width,
                        colorbar=colorbar)
