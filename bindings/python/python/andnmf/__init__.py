"""Find the true components behind non-negative mixtures, even when their weights are strongly correlated.

The estimators follow scikit-learn's conventions: rows are samples, ``fit`` learns ``components_``, ``transform`` returns
the non-negative weights of samples.

>>> import andnmf
>>> data = andnmf.datasets.make_paired(n_samples=600, n_features=60, n_components=6, random_state=0)
>>> model = andnmf.AND(n_components=6, random_state=0).fit(data.samples)
>>> andnmf.metrics.correlation_error(model.components_, data.truth) < 1e-6
True
>>> model.trust_["verdict"]
'good'
"""

from andnmf import _estimators, datasets, init, metrics, plot, topics
from andnmf._core import __version__
from andnmf._certify import Certificate, certify
from andnmf._diagnose import Diagnosis, diagnose
from andnmf._estimators import *  # noqa: F403
from andnmf._files import Table, read, write
from andnmf._model_file import load, save
from andnmf._rank import RankSuggestion, nnls, suggest_rank
from andnmf._report import Report
from andnmf._types import Reason, Stage, TopFeature, Trust

__all__ = [
    "Diagnosis",
    "RankSuggestion",
    "Reason",
    "Report",
    "Stage",
    "Table",
    "TopFeature",
    "Trust",
    "__version__",
    "datasets",
    "certify",
    "diagnose",
    "init",
    "load",
    "metrics",
    "nnls",
    "plot",
    "read",
    "save",
    "suggest_rank",
    "topics",
    "write",
]
__all__ += _estimators.__all__
