"""Results with names: distinctive features, tables, scale, names of other libraries, files."""

import numpy as np
import pytest
from conftest import same_bits
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import andnmf
from andnmf import AND, HALS, OnlineLDA, plot


def cells(seed, fold=4):
    """Counts of simulated cells, the programs behind them, and the markers of each: genes that it has more of."""
    rng = np.random.default_rng(seed)
    base = rng.lognormal(0, 1.5, 1000)
    programs, markers = np.tile(base / base.sum(), (6, 1)), []
    for program in programs:
        chosen = rng.choice(1000, 60, replace=False)
        program[chosen] *= fold
        markers.append(set(chosen))
    programs /= programs.sum(axis=1, keepdims=True)
    weights = rng.dirichlet(np.full(6, 0.3), 800)
    return rng.poisson(5000 * weights @ programs).astype(float), programs, markers


def test_relevance_finds_the_markers_of_cells_and_value_does_not():
    counts, programs, markers = cells(0)
    model = HALS(6, init=programs, max_stages=5, tol=1.0, random_state=0).fit(counts)

    def share_of_markers(by):
        top = model.top_features(20, by=by, X=counts)
        return np.mean([feature.index in markers[k] for k, features in enumerate(top) for feature in features])

    assert share_of_markers("relevance") > 0.95 and share_of_markers("value") < 0.6


def test_top_features_have_names_values_and_lift(data):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(data.samples, columns=[f"word {j}" for j in range(60)])
    model = AND(6, random_state=0).fit(frame)
    for k, features in enumerate(model.top_features(4)):
        assert len(features) == 4
        for feature in features:
            assert feature.name == f"word {feature.index}" and feature.value == model.components_[k, feature.index] > 0
            assert 0 < feature.lift <= 6 + 1e-9, "at most one over the share of the component"
    by_value = model.top_features(3, by="value")
    assert [f.index for f in by_value[2]] == list(np.argsort(-model.components_[2])[:3])
    with pytest.raises(ValueError, match="by is 'size', but it must be one of relevance, value"):
        model.top_features(by="size")
    with pytest.raises(ValueError, match="n is 0, but it must be at least 1"):
        model.top_features(0)


def test_tables_have_the_names_of_features_samples_and_components(data):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(data.samples, columns=[f"word {j}" for j in range(60)], index=[f"text {i}" for i in range(600)])
    model = AND(6, random_state=0).fit(frame)
    components, weights = model.to_frame(), model.to_frame(frame)
    assert components.columns.tolist() == frame.columns.tolist() and components.index.tolist() == list(model.get_feature_names_out())
    assert weights.index.tolist() == frame.index.tolist() and weights.columns.tolist() == components.index.tolist()
    assert np.array_equal(weights, model.transform(frame))
    assert np.allclose(weights @ components, frame)


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_inverse_transform_has_names_under_set_output(data, container):
    library = pytest.importorskip(container)
    frame = library.DataFrame(dict(zip([f"word {j}" for j in range(60)], data.samples.T, strict=True)))
    model = AND(6, random_state=0).set_output(transform=container).fit(frame)
    again = model.inverse_transform(model.transform(frame))
    assert type(again) is type(frame) and list(again.columns) == list(frame.columns)
    assert np.allclose(again.to_numpy(), data.samples)


def test_features_are_matched_by_name_in_any_order_and_from_a_superset(data):
    pandas = pytest.importorskip("pandas")
    names = [f"gene {j}" for j in range(60)]
    frame = pandas.DataFrame(data.samples, columns=names)
    model = AND(6, random_state=0).fit(frame)
    expected = model.transform(frame)
    shuffled = frame[names[::-1]].assign(other=1.0)
    with pytest.raises(ValueError, match="feature names"):
        model.transform(shuffled)
    assert same_bits(model.transform(model.match_features(shuffled)), expected)
    table = andnmf.Table(shuffled.to_numpy(), None, list(shuffled.columns))
    assert same_bits(model.transform(table), expected), "tables of andnmf.read are matched"
    with pytest.raises(ValueError, match="X lacks features of the model: gene 0, gene 1, gene 2 and 1 more"):
        model.match_features(frame[names[4:]])
    with pytest.raises(ValueError, match="X has no names of features"):
        model.match_features(data.samples)
    with pytest.raises(ValueError, match="the model has no names"):
        AND(6, random_state=0).fit(data.samples).match_features(frame)
    twice = pandas.concat([frame, frame[names[:1]]], axis=1)
    with pytest.raises(ValueError, match="several|same name|unique|duplicate"):
        model.match_features(twice)


@pytest.mark.parametrize("scale", ["weights", "components"])
def test_a_scale_changes_no_product_and_no_order(data, scale):
    plain, model = AND(6, random_state=0), AND(6, random_state=0, scale=scale)
    expected, weights = plain.fit_transform(data.samples), model.fit_transform(data.samples)
    assert np.allclose(weights @ model.components_, expected @ plain.components_)
    assert np.allclose(model.transform(data.samples), weights)
    sizes = np.sqrt(np.mean(weights**2, axis=0)) if scale == "weights" else model.components_.sum(axis=1)
    assert np.allclose(sizes, 1)
    with pytest.raises(ValueError, match="scale is 'large', but it must be one of fit, weights, components"):
        AND(6, scale="large").fit(data.samples)
    with pytest.raises(ValueError, match="scale is .*, but it must be 'fit' in partial_fit"):
        model.partial_fit(data.samples)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scaled_weights_feed_a_regularized_classifier():
    X, y = load_digits(return_X_y=True)

    def accuracy(scale):
        steps = make_pipeline(HALS(16, max_stages=30, random_state=0, scale=scale), LogisticRegression(C=0.01, max_iter=500))
        return cross_val_score(steps, X, y, cv=3).mean()

    assert accuracy("weights") > accuracy("components") + 0.01 or accuracy("weights") > 0.85


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_warm_start_continues(data):
    model = HALS(6, max_stages=5, tol=0, random_state=0, warm_start=True).fit(data.samples)
    first, components = model.reconstruction_err_, model.components_
    assert model.fit(data.samples).reconstruction_err_ < first
    given = HALS(6, max_stages=5, tol=0, random_state=0, init=components).fit(data.samples)
    assert same_bits(model.components_, given.components_)
    assert model.set_params(n_components=4).fit(data.samples).components_.shape == (4, 60)


@pytest.mark.parametrize(
    ("kind", "name", "said"),
    [
        (AND, "max_iter", "use max_stages"),
        (AND, "solver", "omit it: HALS is coordinate descent"),
        (AND, "alpha_W", "omit it: there is no regularization"),
        (AND, "beta_loss", r"use MU\(loss='kullback-leibler'\)"),
        (AND, "max_stage", "did you mean max_stages?"),
        (AND, "n_topics", "use n_components"),
        (OnlineLDA, "learning_decay", "use kappa"),
        (OnlineLDA, "doc_topic_prior", "use document_prior"),
        (OnlineLDA, "total_samples", "omit it"),
        (andnmf.MU, "beta_loss", "use loss"),
        (andnmf.AnchorWords, "init", "omit it: this method takes no start"),
    ],
)
def test_arguments_of_other_libraries_are_refused_with_the_name_to_use(kind, name, said):
    with pytest.raises(TypeError, match=f"{kind.__name__} has no parameter {name}: {said}"):
        kind(3, **{name: 1})
    with pytest.raises(ValueError, match=f"no parameter {name}: {said}"):
        kind(3).set_params(**{name: 1})


def test_a_matrix_is_written_and_read_with_its_names(tmp_path):
    pandas = pytest.importorskip("pandas")
    from scipy import sparse

    frame = pandas.DataFrame([[1.0, 0.5], [0.0, 2.0]], index=["a", "b"], columns=["red", "green"])
    andnmf.write(tmp_path / "samples.csv.gz", frame)
    table = andnmf.read(tmp_path / "samples.csv.gz")
    pandas.testing.assert_frame_equal(table.to_frame(), frame, check_names=False)
    turned = andnmf.read(tmp_path / "samples.csv.gz", transpose=True, dtype=np.float32)
    assert turned.feature_names == ["a", "b"] and turned.values.dtype == np.float32
    matrix = sparse.random(20, 30, 0.1, format="csr", random_state=0)
    andnmf.write(tmp_path / "samples.mtx", matrix)
    again = andnmf.read(tmp_path / "samples.mtx").values
    assert sparse.issparse(again) and (again != matrix).nnz == 0
    with pytest.raises(FileExistsError):
        andnmf.write(tmp_path / "samples.mtx", matrix)
    with pytest.raises(FileNotFoundError):
        andnmf.read(tmp_path / "missing.npy")
    with pytest.raises(TypeError, match="dtype is"):
        andnmf.read(tmp_path / "samples.mtx", dtype=int)


def test_stages_of_the_search_are_counted_apart(data):
    model = AND(6, random_state=0).fit(data.samples)
    assert model.n_search_iter_ + model.n_iter_ == len(model.trace_["stage"]) and model.n_iter_ <= model.max_stages
    assert plot.convergence(model).get_legend() is not None
    assert HALS(6, max_stages=2, tol=1.0, random_state=0).fit(data.samples).n_search_iter_ == 0
