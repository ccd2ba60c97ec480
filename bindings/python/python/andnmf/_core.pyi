from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from andnmf._distributed import DistributedSamples

__version__: str

_Float: TypeAlias = np.float32 | np.float64
_Matrix: TypeAlias = NDArray[_Float]
_Index: TypeAlias = NDArray[np.int32] | NDArray[np.int64]
# A dense matrix, (n_features, indptr, indices, data) of a CSR matrix, or distributed samples.
_Samples: TypeAlias = _Matrix | tuple[int, _Index, _Index, NDArray[_Float]] | DistributedSamples

def run_command(arguments: Sequence[str]) -> int: ...
def report_page(folder: str, options: Sequence[str]) -> str: ...
def count_words(
    source: Sequence[str] | str,
    strip_posts: bool,
    min_letters: int,
    numbers: bool,
    vocabulary: tuple[str | None, str, int | None, Sequence[str] | None] | None,
) -> dict[str, Any]: ...
def read_table(
    path: str,
    *,
    transpose: bool,
    layer: str | None,
    header: bool | None,
    row_names: bool | None,
    single: bool,
) -> dict[str, Any]: ...
def write_table(
    path: str,
    samples: _Samples,
    sample_names: Sequence[str] | None,
    feature_names: Sequence[str] | None,
    overwrite: bool,
) -> None: ...
def top_features(
    components: _Matrix, shares: Sequence[float] | None, by: str, count: int
) -> tuple[list[list[int]], list[list[float]]]: ...
def methods() -> str: ...
def settings(method: str, given: str) -> str: ...
def fit(
    samples: _Samples,
    settings: str,
    init: str | _Matrix,
    threads: int | None,
    on_stage: Callable[[int, tuple[float, ...], bool], bool] | None,
    with_weights: bool,
) -> dict[str, Any]: ...
def partial_fit(
    samples: _Samples,
    settings: str,
    init: str | _Matrix,
    state: tuple[_Matrix, Sequence[float], float | None, int] | None,
    threads: int | None,
    on_stage: Callable[[int, tuple[float, ...], bool], bool] | None,
) -> dict[str, Any]: ...
def execute(
    samples: _Samples, first: int, query: str, arguments: bytes, rows: bytes, threads: int | None
) -> tuple[bytes, bytes]: ...
def merge(query: str, left: bytes, right: bytes) -> bytes: ...
def sample_sizes(
    samples: _Samples, threads: int | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], float]: ...
def squared_residual(samples: _Samples, components: _Matrix, threads: int | None) -> tuple[float, float]: ...
def weights(
    samples: _Samples,
    components: _Matrix,
    threads: int | None,
    settings: str | None = None,
    topic_totals: Sequence[float] | None = None,
) -> _Matrix: ...
def lda_bound(
    samples: _Samples, settings: str, topics: tuple[_Matrix, Sequence[float]], threads: int | None
) -> tuple[float, float, float]: ...
def lda_learn(
    samples: _Samples,
    settings: str,
    topics: tuple[_Matrix, Sequence[float]] | None,
    of_all: float,
    batches: int,
    threads: int | None,
) -> dict[str, Any]: ...
def reconstruction_error(
    samples: _Samples, weights: _Matrix, components: _Matrix, threads: int | None
) -> float: ...
def suggest_rank(
    samples: _Samples,
    lowest: int,
    highest: int,
    stability: bool,
    folds: int,
    seed: int,
    noise: str,
    threads: int | None,
) -> str: ...
def start(samples: _Samples, name: str, rank: int, seed: int, threads: int | None) -> _Matrix: ...
def dataset(
    kind: str,
    recipe: str,
    truth: NDArray[np.float64] | None,
    logits: tuple[NDArray[np.float64], NDArray[np.float64]] | None,
) -> dict[str, Any]: ...
def coherence(
    counts: _Samples, words: Sequence[Sequence[int]], threads: int | None
) -> list[float | None]: ...
def recovery(
    components: NDArray[np.float64], truth: NDArray[np.float64]
) -> tuple[str, NDArray[np.float64]]: ...
def diagnose_weights(weights: NDArray[np.float64]) -> str: ...
def diagnose_model(samples: _Samples, components: _Matrix, trust: str, threads: int | None) -> str: ...
def diagnose_samples(samples: _Samples, rank: int, threads: int | None) -> str: ...
def certify(
    samples: NDArray[np.float64],
    components: NDArray[np.float64],
    truth: NDArray[np.float64] | None,
    weights: NDArray[np.float64] | None,
    threads: int | None,
) -> str: ...
def save_model(
    path: str,
    *,
    components: _Matrix,
    thresholds: Sequence[float],
    settings: str,
    feature_names: Sequence[str] | None,
    trust: str,
    scale: float | None,
    topic_totals: Sequence[float] | None,
    overwrite: bool,
) -> None: ...
def load_model(path: str) -> dict[str, Any]: ...
