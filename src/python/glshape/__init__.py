"""glshape: the shape of data on any GPU with OpenGL 4.3.

Layouts, nearest neighbors, clusters, persistence barcodes, merge trees and alpha shapes of NumPy arrays. Importing
needs no GPU, nor do small inputs: the first call that needs one opens it, or a :class:`Context` opens another.

A function takes arrays without copying them where the library takes their type (float32, float64, integers; C order,
native byte order), and returns a result whose arrays own their memory. All release the interpreter's lock. Ctrl-C ends
a call. Errors are ValueError, MemoryError, OSError and DeviceError, with a sentence.

glshape.sklearn has estimators for scikit-learn.
"""
from ._alpha import AlphaOutline, AlphaResult, AlphaShape, alpha, alpha_shape
from ._atlas import AtlasResult, atlas
from ._compare import CompareResult, compare
from ._context import Context, Device, DeviceError, devices
from ._cubical import CubicalResult, cubical, cubical_batch
from ._delaunay import DelaunayResult, delaunay
from ._field import ContourResult, MergeTreeResult, contour, mergetree
from ._hdbscan import HdbscanResult, MembershipResult, ValidityResult, hdbscan, validity_index
from ._knn import KnnResult, knn
from ._library import VERSION as __version__
from ._linkage import LinkageResult, linkage
from ._mds import MdsResult, mds
from ._mst import MstResult, mst
from ._ripser import Rips, correlation_to_distance, lower_star_img, plot_diagrams, ripser
from ._rips import Cocycle, RipsResult, rips, rips_batch
from ._source import Feeder, Reader
from ._vectors import VectorsResult, vectors

__all__ = [
    "AlphaOutline", "AlphaResult", "AlphaShape", "AtlasResult", "Cocycle", "CompareResult", "Context", "ContourResult", "CubicalResult",
    "DelaunayResult", "Device", "DeviceError", "Feeder", "HdbscanResult", "KnnResult", "LinkageResult", "MdsResult",
    "MembershipResult", "MergeTreeResult", "MstResult", "Reader", "Rips", "RipsResult", "ValidityResult", "VectorsResult", "alpha",
    "alpha_shape", "atlas", "compare", "contour", "correlation_to_distance", "cubical", "cubical_batch", "delaunay", "devices",
    "hdbscan", "knn", "linkage", "lower_star_img", "mds", "mergetree", "mst", "plot_diagrams", "rips", "rips_batch",
    "ripser", "validity_index", "vectors",
]
