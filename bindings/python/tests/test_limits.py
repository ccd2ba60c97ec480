"""Requests that need more memory than there is raise errors that `except Exception` catches; the interpreter lives on."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import andnmf

SAMPLES = np.random.default_rng(0).random((50, 20))
TOO_MANY = [10**8, 10**9, 2**62, 2**63 - 1]
ESTIMATORS = [andnmf.AND, andnmf.HALS, andnmf.ANLS, andnmf.MU, andnmf.MinVolume, andnmf.OnlineLDA, andnmf.AnchorWords]


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("components", TOO_MANY)
def test_more_components_than_memory_are_refused(estimator, components):
    with pytest.raises(ValueError, match="n_components is .* of memory"):
        estimator(n_components=components).fit(SAMPLES)


@pytest.mark.parametrize("components", TOO_MANY)
def test_more_components_than_memory_are_refused_by_functions(components):
    model = andnmf.AND(n_components=components)
    with pytest.raises(ValueError, match="n_components"):
        model.partial_fit(SAMPLES)
    with pytest.raises(ValueError, match="n_components"):
        andnmf.init.spa(SAMPLES, components)
    with pytest.raises(ValueError, match="of memory"):
        andnmf.datasets.make_dir(n_samples=components)
    with pytest.raises(ValueError, match="of memory"):
        andnmf.datasets.make_dir(n_features=components)
    assert andnmf.suggest_rank(SAMPLES, ranks=range(2, 5)) is not None


def test_matrices_whose_pairs_need_more_memory_are_refused():
    wide = np.ones((1, 10**7))
    with pytest.raises(ValueError, match="of memory"):
        andnmf.diagnose(wide)
    tall = np.ones((3 * 10**6, 2))
    with pytest.raises(ValueError, match="of memory"):
        andnmf.metrics.correlation_error(tall, tall)


def test_numbers_of_threads_beyond_all_use_are_cut():
    # In a process of its own: threads that cannot be started must not disturb other tests.
    code = """
        import numpy as np
        from andnmf import HALS
        samples = np.random.default_rng(0).random((50, 20))
        one = HALS(n_components=3, random_state=0, n_jobs=1, max_stages=5).fit(samples)
        many = HALS(n_components=3, random_state=0, n_jobs=100_000, max_stages=5).fit(samples)
        assert (one.components_ == many.components_).all()
    """
    subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)], check=True, timeout=60)
