"""Plots of fits with matplotlib (``pip install andnmf[plot]``), in one style that is ready for print.

Every function returns the axes that it draws on: one, or a list with one per panel. Nothing is shown or saved;
``ax.figure.savefig("name.svg")`` does.
"""

from andnmf.plot._components import components, curves, features, images, maps, words
from andnmf.plot._fits import convergence, rank_curve, stability
from andnmf.plot._structure import clustergram, covariance_graph, weight_correlations

__all__ = [
    "clustergram",
    "components",
    "convergence",
    "covariance_graph",
    "curves",
    "features",
    "images",
    "maps",
    "rank_curve",
    "stability",
    "weight_correlations",
    "words",
]
