"""Metrics, datasets, initializations, diagnoses and plots."""

import numpy as np
import pytest
from conftest import same_bits
from matplotlib import pyplot
from scipy import sparse

import andnmf
from andnmf import AND, datasets, diagnose, init, metrics, plot


def sines(components, truth):
    """The error of each true component by its definition."""
    unit = components / np.linalg.norm(components, axis=1, keepdims=True)
    true = truth / np.linalg.norm(truth, axis=1, keepdims=True)
    cosines = true @ unit.T
    residuals = true[:, None, :] - cosines[:, :, None] * unit[None, :, :]
    return np.linalg.norm(residuals, axis=2).min(axis=1)


def test_the_correlation_error_is_that_of_its_definition():
    rng = np.random.default_rng(0)
    truth, components = rng.normal(size=(4, 9)), rng.normal(size=(5, 9))
    assert np.allclose(metrics.correlation_errors(components, truth), sines(components, truth))
    assert np.isclose(metrics.correlation_error(components, truth), sines(components, truth).sum())
    figures = metrics.recovery(components.astype(np.float32), truth)
    assert np.isclose(figures["squared_relative_total_correlation_error"], (sines(components, truth) ** 2).sum(), rtol=1e-5)
    assert len(figures["matched_cosines"]) == 4
    with pytest.raises(ValueError, match="features|must be"):
        metrics.correlation_error(components[:, :5], truth)


def test_the_coherence_of_topics_is_that_of_its_definition():
    rng = np.random.default_rng(0)
    counts, topics = rng.poisson(0.4, size=(200, 12)), rng.random((3, 12))
    present = counts > 0
    for dense_or_sparse in (counts, sparse.csr_array(counts.astype(float))):
        scores = metrics.coherence(topics, dense_or_sparse, n_words=3)
        for topic, score in zip(topics, scores, strict=True):
            pairs = [(i, j) for i in np.argsort(-topic)[:3] for j in np.argsort(-topic)[:3] if i < j]
            both = [(present[:, i] & present[:, j]).mean() for i, j in pairs]
            alone = [present[:, i].mean() * present[:, j].mean() for i, j in pairs]
            assert np.isclose(score, np.mean(np.log(np.divide(both, alone)) / -np.log(both)))
    assert np.isnan(metrics.coherence(np.eye(12)[:1], counts)).all(), "one word alone"


@pytest.mark.parametrize("name", datasets.__all__)
def test_datasets_have_the_documented_properties(name):
    made = getattr(datasets, name)(n_samples=40, n_features=15, n_components=4, random_state=2)
    assert np.allclose(made.samples, made.weights @ made.truth) and made.weights.min() >= 0
    assert (made.truth.min() < 0) == (name == "make_neg")
    assert not np.allclose(made.init, made.truth) and made.recipe["seed"] == 2
    noisy = getattr(datasets, name)(n_samples=40, n_features=15, n_components=4, random_state=2, noise=0.3)
    assert same_bits(noisy.weights, made.weights)
    assert 0.1 < np.linalg.norm(noisy.samples - made.samples, axis=1).mean() < 0.9


def test_datasets_accept_their_own_settings():
    small = {"n_samples": 300, "n_features": 12, "n_components": 6, "random_state": 0}
    assert (datasets.make_binary(**small, sparsity=2).weights.sum(axis=1) == 2).all()
    assert datasets.make_dir(**small, concentration=0.1).weights.max(axis=1).mean() > 0.9
    assert datasets.make_ctm(**small, scale=9.0).recipe["weights"]["scale"] == 9.0
    assert datasets.make_decay(**small, decay_order=1).recipe["weights"]["order"] == 1.0
    together = datasets.make_paired(**small, sparsity=1.5, co_occurrence=1.0).weights > 0
    assert all((together == together[:, [k]]).all(axis=0).sum() >= 2 for k in range(6)), "components come in pairs"
    truth = np.eye(3)
    assert same_bits(datasets.make_dir(n_samples=5, truth=truth).truth, truth)
    with pytest.raises(ValueError, match="n_features is 9, but truth has 3"):
        datasets.make_dir(n_features=9, truth=truth)
    with pytest.raises(ValueError, match="concentration is -1, but"):
        datasets.make_dir(**small, concentration=-1)
    with pytest.raises(TypeError, match="sparsity is 1.5, but"):
        datasets.make_binary(**small, sparsity=1.5)
    with pytest.raises(TypeError, match="n_topics"):
        datasets.make_dir(n_topics=3)
    with pytest.raises(ValueError, match="n_samples is 0, but"):
        datasets.make_dir(n_samples=0)


def test_initializations_have_the_documented_properties(data):
    start = init.spa(data.samples, 6)
    assert all((row == data.samples).all(axis=1).any() or row.any() for row in start) and start.shape == (6, 60)
    assert np.allclose(init.spa(sparse.csr_array(data.samples), 6), start)
    selected = init.random_samples(data.samples, 4, random_state=1)
    assert all((row == data.samples).all(axis=1).any() for row in selected)
    assert not np.array_equal(selected, init.random_samples(data.samples, 4, random_state=2))
    zeros, filled = (init.nndsvd(data.samples, 4, fill=fill, random_state=0) for fill in ("zeros", "mean"))
    assert zeros.min() == 0 and filled.min() > 0 and same_bits(filled[zeros > 0], zeros[zeros > 0])
    assert init.spa(data.samples.astype(np.float32), 2).dtype == np.float32
    with pytest.raises(ValueError, match="fill is 'ones', but"):
        init.nndsvd(data.samples, 4, fill="ones")
    with pytest.raises(ValueError, match="Negative values"):
        init.nndsvd(-data.samples, 4)


def test_diagnoses_of_weights_samples_and_models_agree(data):
    good = diagnose(data.samples, n_components=6)
    model = AND(n_components=6, random_state=0).fit(data.samples)
    of_model = diagnose(data.samples, model=model)
    assert good.verdict == of_model.verdict == model.trust_["verdict"] == "good"
    assert of_model["residual"] < 1e-9 and of_model["trust"] == model.trust_
    correlations = diagnose(data.weights)["weights"]["correlations"]
    pair = correlations[0]
    expected = np.corrcoef(data.weights[:, pair["first"]], data.weights[:, pair["second"]])[0, 1]
    assert np.isclose(pair["correlation"], expected) and expected > 0.5


def test_a_poor_diagnosis_has_reasons(data):
    diagnosis = diagnose(data.weights + 0.7)
    assert diagnosis.verdict == "poor" and diagnosis.reasons and diagnosis.reasons[0]["text"] in repr(diagnosis)
    assert "poor" in diagnosis._repr_html_() and "<li>" in diagnosis._repr_html_()
    with pytest.raises(ValueError, match="negative"):
        diagnose(-data.weights)
    with pytest.raises(ValueError, match="n_components must be None if model is given"):
        diagnose(data.samples, n_components=3, model=AND(3).fit(data.samples))


@pytest.fixture
def closed():
    yield
    pyplot.close("all")


@pytest.mark.usefixtures("closed")
def test_plots_show_the_fit(data):
    model = AND(n_components=6, random_state=0).fit(data.samples)
    ax = plot.convergence(model)
    shown = ax.lines[0].get_xydata()
    assert ax.get_yscale() == "log" and set(shown[:, 1]) <= set(model.trace_["change"])
    figure = plot.images(model, (6, 10), columns=4)
    assert len(figure.axes) == 6
    assert np.allclose(figure.axes[2].images[0].get_array(), model.components_[2].reshape(6, 10))
    lines = plot.curves(model, x=np.linspace(400, 900, 60)).lines
    assert np.allclose(lines[5].get_ydata(), model.components_[5])
    words = [f"w{j}" for j in range(60)]
    labels = [text.get_text() for text in plot.words(model, words, n_words=3).axes[1].get_yticklabels()]
    assert labels == [words[j] for j in np.argsort(-model.components_[1])[:3]]
    shown = plot.weight_correlations(data.weights).images[0].get_array()
    assert np.allclose(shown, np.corrcoef(data.weights.T))


@pytest.mark.usefixtures("closed")
def test_plots_handle_special_cases_and_reject_wrong_shapes():
    constant = np.column_stack([np.ones(5), np.arange(5.0)])
    assert np.allclose(plot.weight_correlations(constant).images[0].get_array(), [[0, 0], [0, 1]])
    assert plot.images(np.array([[-1.0, 3.0]]), (1, 2)).axes[0].images[0].get_clim() == (-3, 3)
    with pytest.raises(ValueError, match="components has 5 features, not 2 × 2"):
        plot.images(np.ones((1, 5)), (2, 2))
    with pytest.raises(ValueError, match="vocabulary has 2 entries, but it must have 3, one per feature"):
        plot.words(np.ones((1, 3)), ["a", "b"])
    with pytest.raises(ValueError, match="2D array"):
        plot.curves(np.ones(3))
    ax = pyplot.figure().add_subplot()
    assert plot.curves(np.eye(2), ax=ax) is ax


def test_the_version_is_that_of_the_package():
    from importlib.metadata import PackageNotFoundError, version

    try:
        installed = version("andnmf")
    except PackageNotFoundError:
        pytest.skip("the package is not installed")
    assert andnmf.__version__ == installed
