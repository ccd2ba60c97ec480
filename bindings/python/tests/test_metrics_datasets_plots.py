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


def test_logits_have_the_given_mean_and_covariance():
    covariance = np.array([[2.0, 1.5, 0.0], [1.5, 2.0, 0.0], [0.0, 0.0, 1.0]])
    data = datasets.make_ctm(n_samples=20000, n_features=9, mean=[1.0, 0.0, 0.0], covariance=covariance)
    assert data.recipe["weights"] == {"kind": "given"} and data.weights.shape == (20000, 3)
    logits = np.log(data.weights)
    assert abs((logits[:, 0] - logits[:, 1]).mean() - 1) < 0.03
    assert abs((logits[:, 0] - logits[:, 1]).var() - 1) < 0.04
    assert abs((logits[:, 1] - logits[:, 2]).var() - 3) < 0.12


def test_certificates_compare_the_theorems_with_a_run():
    data = datasets.make_binary(n_samples=900, n_features=60, n_components=8, sparsity=1, in_span=0.3)
    certificate = andnmf.certify(data.samples, data.init, truth=data.truth, weights=data.weights)
    assert certificate.holds and certificate["run"]["error"] < 1e-9 and "met" in repr(certificate)
    assert andnmf.certify(data.samples, data.truth)["run"] is None
    with pytest.raises(ValueError, match="components"):
        andnmf.certify(data.samples, data.init[:5], truth=data.truth)


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
    clean = datasets.make_dir(**small)
    bounded = datasets.make_dir(**small, noise=0.3, noise_kind="bounded").samples - clean.samples
    assert np.allclose(np.linalg.norm(bounded, axis=1), 0.3)
    with pytest.raises(ValueError, match="noise_kind is 'shot', but"):
        datasets.make_dir(**small, noise_kind="shot")
    with pytest.raises(ValueError, match="omit them"):
        datasets.make_ctm(n_samples=5, scale=2, covariance=np.eye(3))
    with pytest.raises(ValueError, match="mean is given without covariance"):
        datasets.make_ctm(n_samples=5, mean=np.zeros(3))
    with pytest.raises(ValueError, match="n_components is 4, but covariance has 3 rows"):
        datasets.make_ctm(n_samples=5, n_components=4, covariance=np.eye(3))
    with pytest.raises(ValueError, match="covariance"):
        datasets.make_ctm(n_samples=5, covariance=-np.eye(3))
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
    panels = plot.images(model, (6, 10), columns=4)
    assert len(panels) == 6
    assert np.allclose(panels[2].images[0].get_array(), model.components_[2].reshape(6, 10))
    lines = plot.curves(model, x=np.linspace(400, 900, 60)).lines
    assert np.allclose(lines[5].get_ydata(), model.components_[5])
    words = [f"w{j}" for j in range(60)]
    labels = [text.get_text() for text in plot.words(model, words, n_words=3)[1].get_yticklabels()]
    assert labels == [words[feature.index] for feature in model.top_features(3)[1]]
    ax = plot.weight_correlations(data.weights)
    order = [int(tick.get_text()) for tick in ax.get_xticklabels()]
    assert sorted(order) == list(range(6))
    assert np.allclose(ax.images[0].get_array(), np.corrcoef(data.weights.T)[np.ix_(order, order)])
    maps = plot.maps(data.weights, (20, 30))
    assert np.allclose(maps[3].images[0].get_array(), data.weights[:, 3].reshape(20, 30))
    assert len({ax.images[0].get_clim() for ax in maps}) == 1, "maps share one scale"


@pytest.mark.usefixtures("closed")
def test_partners_are_neighbours_in_the_graph_and_have_an_edge(data):
    correlations = np.corrcoef(data.weights.T) - np.eye(6)
    ax = plot.covariance_graph(data.weights, least=0.3)
    edges = [line for line in ax.lines if len(line.get_xdata())]
    assert len(edges) == (np.triu(abs(correlations)) >= 0.3).sum() > 0
    places = {text.get_text(): text.get_position() for text in ax.texts}
    for pair in zip(*np.nonzero(np.triu(correlations) > 0.6), strict=True):
        first, second = (np.array(places[str(k)]) for k in pair)
        assert np.linalg.norm(first - second) < 1.01, "the side of a hexagon"


@pytest.mark.usefixtures("closed")
def test_stability_is_drawn_against_the_truth_and_ranks_with_the_suggested_one(data):
    model = AND(n_components=6, random_state=0).fit(data.samples)
    points = plot.stability(model, data.truth).collections[0].get_offsets()
    assert points.shape == (6, 2) and points.min() >= 1e-6 and points[:, 1].max() < 1e-3
    assert len(plot.stability(model).get_xticks()) == 6
    with pytest.raises(ValueError, match="was not judged"):
        plot.stability(AND(6, init=data.init, threshold=0.05, max_stages=2).fit(data.samples))
    noisy = data.samples + 0.02 * np.random.default_rng(0).random(data.samples.shape)
    suggestion = andnmf.suggest_rank(noisy, ranks=range(3, 9), stability=False, random_state=0)
    ax = suggestion.plot()
    assert ax.texts[0].get_text().startswith(f"{suggestion.rank} (") and ax.lines[0].get_xdata().tolist() == [*range(3, 9)]
    assert suggestion.to_frame().index.tolist() == [*range(3, 9)]


@pytest.mark.usefixtures("closed")
def test_a_clustergram_shows_each_feature_where_it_belongs():
    blocks = np.kron(np.eye(4), [3.0, 1.0])
    tree, matrix = plot.clustergram(blocks, [f"f{j}" for j in range(8)], n=2)
    labels = [tick.get_text() for tick in matrix.get_xticklabels()]
    rows = [int(tick.get_text().removeprefix("component ")) for tick in matrix.get_yticklabels()]
    assert sorted(labels) == [f"f{j}" for j in range(8)] and sorted(rows) == [0, 1, 2, 3]
    shown = np.asarray(matrix.images[0].get_array())
    assert all(shown[rows.index(int(name[1:]) // 2), at] == 1 for at, name in enumerate(labels))
    assert tree.get_ylim() == (40, 0)
    assert plot.clustergram(np.ones((1, 3)))[1].images[0].get_array().shape == (1, 3)


@pytest.mark.usefixtures("closed")
def test_components_are_drawn_as_their_features_suggest(data):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(data.samples, columns=[str(400 + 5 * j) for j in range(60)])
    spectra = AND(6, random_state=0).fit(frame)
    assert plot.components(spectra).lines[0].get_xdata()[:3].tolist() == [400, 405, 410]
    named = AND(6, random_state=0).fit(frame.rename(columns=lambda name: f"gene {name}"))
    assert plot.components(named, n=4)[0].get_yticklabels()[0].get_text().startswith("gene ")
    assert len(plot.components(spectra, shape=(6, 10))[0].images) == 1


@pytest.mark.usefixtures("closed")
def test_plots_handle_special_cases_and_reject_wrong_shapes():
    constant = np.column_stack([np.ones(5), np.arange(5.0)])
    assert sorted(np.asarray(plot.weight_correlations(constant).images[0].get_array()).ravel()) == [0, 0, 0, 1]
    assert plot.images(np.array([[-1.0, 3.0]]), (1, 2))[0].images[0].get_clim() == (-3, 3)
    with pytest.raises(ValueError, match="components has 5 features, not 2 × 2"):
        plot.images(np.ones((1, 5)), (2, 2))
    with pytest.raises(ValueError, match="weights has 5 samples, not 2 × 2"):
        plot.maps(np.ones((5, 1)), (2, 2))
    with pytest.raises(ValueError, match="feature_names has 2 entries, but it must have 3, one per feature"):
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
