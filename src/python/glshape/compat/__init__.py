"""Modules with the names, defaults and counts of other packages, for programs that were written for those:
``from glshape.compat import hdbscan`` takes the place of ``import hdbscan``."""
