"""Compatibility with scikit-learn."""

import inspect
import pickle
import warnings

import numpy as np
import pytest
from conftest import ESTIMATORS, same_bits
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from andnmf import AND, HALS, MU, OnlineLDA


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([kind() for kind in ESTIMATORS] + [MU(loss="kullback-leibler"), HALS(nonnegative=False)])
def test_check_estimator(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "check",
    [
        "check_set_output_transform",
        "check_set_output_transform_pandas",
        "check_set_output_transform_polars",
        "check_global_output_transform_pandas",
        "check_global_set_output_transform_polars",
        "check_dataframe_column_names_consistency",
        "check_transformer_get_feature_names_out",
        "check_transformer_get_feature_names_out_pandas",
        "check_n_features_in_after_fitting",
    ],
)
def test_set_output_and_feature_names(kind, check):
    getattr(estimator_checks, check)(kind.__name__, kind())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_fit_then_transform_is_fit_transform(quick, data):
    assert same_bits(quick.fit_transform(data.samples), clone(quick).fit(data.samples).transform(data.samples))
    assert quick.fit_transform(data.samples).min() >= 0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_script_written_for_nmf_runs_with_and(data):
    def script(factorization):
        model = factorization(n_components=6, init=None, random_state=0, tol=1e-10, verbose=0)
        weights = model.fit_transform(data.samples)
        again = model.inverse_transform(weights)
        assert weights.shape == (600, 6) and model.components_.shape == (6, 60)
        assert model.n_iter_ > 0 and model.n_features_in_ == 60 and model.n_components_ == 6
        assert list(model.get_feature_names_out())[0].endswith("0")
        assert np.isclose(np.linalg.norm(data.samples - again), model.reconstruction_err_, rtol=1e-3, atol=1e-9)
        return model.reconstruction_err_

    assert script(AND) < script(NMF)


def test_score_is_the_explained_fraction_and_uses_sample_weights(data):
    model = AND(n_components=3, random_state=0).fit(data.samples)
    residual = data.samples - model.inverse_transform(model.transform(data.samples))
    assert np.isclose(model.score(data.samples), 1 - (residual**2).sum() / (data.samples**2).sum())
    assert np.isclose(model.reconstruction_err_, np.linalg.norm(residual)) and model.reconstruction_err_ > 0.1
    count = np.arange(len(residual)) % 3
    repeated = np.repeat(data.samples, count, axis=0)
    assert np.isclose(model.score(data.samples, sample_weight=count), model.score(repeated))
    with pytest.raises(ValueError, match="sample_weight must not be negative"):
        model.score(data.samples, sample_weight=-count)
    with pytest.raises(ValueError, match="one number per sample"):
        model.score(data.samples, sample_weight=count[1:])
    sparse_samples = sparse.csr_array(data.samples)
    assert np.isclose(model.score(sparse_samples, sample_weight=count), model.score(repeated))


def test_grid_search_finds_the_number_of_components(data):
    search = GridSearchCV(AND(random_state=0), {"n_components": [2, 4, 6]}, cv=3).fit(data.samples)
    assert search.best_params_ == {"n_components": 6} and search.best_score_ > 0.999999


def test_pipeline_with_a_classifier(data):
    labels = (data.weights[:, 0] > 0).astype(int)
    pipeline = make_pipeline(AND(n_components=6, random_state=0), LogisticRegression())
    assert pipeline.fit(data.samples, labels).score(data.samples, labels) == 1.0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_clones_and_pickles_give_the_same_components(quick, data):
    quick.fit(data.samples)
    copy = pickle.loads(pickle.dumps(quick))
    assert same_bits(copy.transform(data.samples), quick.transform(data.samples))
    assert same_bits(clone(copy).fit(data.samples).components_, quick.components_)


def test_the_parameters_of_and_are_stable():
    names = list(inspect.signature(AND).parameters)
    assert names == (
        "n_components init threshold max_stages inner step batch_size compress noise nonnegative tol trust time_limit "
        "random_state n_jobs verbose warm_start scale callback"
    ).split()


def test_the_attributes_of_and_are_stable(data):
    model = AND(n_components=6, random_state=0).fit(data.samples)
    assert model.thresholds_.shape == model.stability_.shape == (6,)
    assert model.trust_["verdict"] == "good" and model.stop_reason_ == "converged" and model.warnings_ == []
    (length,) = {len(column) for column in model.trace_.values()}
    assert 1 <= model.n_iter_ <= min(length, model.max_stages or 200)
    assert set(model.trace_) >= {"stage", "seconds", "threshold_min", "threshold_median", "active_fraction", "change"}


def test_transform_before_fit_raises(kind, data):
    with pytest.raises(NotFittedError):
        kind().transform(data.samples)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_number_of_components_is_chosen_from_the_samples_or_a_default_with_a_warning(data):
    assert AND(random_state=0).fit(data.samples).n_components_ == 6
    noise = np.random.default_rng(0).random((30, 8))
    with pytest.warns(UserWarning, match="do not determine the number of components"):
        assert AND(random_state=0).fit(noise).n_components_ == 8


def test_methods_that_should_converge_warn_if_they_do_not(data):
    with pytest.warns(ConvergenceWarning, match="HALS did not converge in 2 stages"):
        HALS(n_components=3, max_stages=2, tol=0, random_state=0).fit(data.samples)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = OnlineLDA(n_components=3, max_stages=2, tol=0, random_state=0).fit(data.samples)
        AND(n_components=3, threshold="geometric:0.1:1.1", max_stages=2, random_state=0).fit(data.samples)
    assert model.stop_reason_ == "max_stages"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_verbose_prints_a_line_per_stage_or_the_first_ones(data, capsys):
    def lines(verbose):
        HALS(n_components=3, max_stages=5, tol=0, random_state=0, verbose=verbose).fit(data.samples[:50])
        return [line.split(":")[0] for line in capsys.readouterr().out.splitlines()]

    assert lines(0) == []
    assert lines(2) == [*(f"HALS stage {stage}" for stage in range(5)), "HALS"]
    assert lines(1)[:3] == [f"HALS stage {stage}" for stage in range(3)] and lines(1)[-1] == "HALS"


def test_notebooks_show_a_summary_of_the_fit(data):
    model = AND(n_components=6, random_state=0)
    assert "verdict" not in model._repr_html_()
    shown = model.fit(data.samples)._repr_html_()
    assert "verdict" in shown and "6 of 60 features" in shown and "sk-top-container" in shown
    assert model._repr_mimebundle_()["text/html"].endswith("</table>")
    model.warnings_ = ["<script>"]
    assert "&lt;script&gt;" in model._repr_html_() and "<td style='text-align:left'><script>" not in model._repr_html_()
    with config_context(display="text"):
        assert "text/html" not in model._repr_mimebundle_()
