"""Error messages: the argument first, then what to pass."""

import numpy as np
import pytest
from conftest import same_bits
from matplotlib import pyplot
from scipy import sparse
from sklearn.decomposition import NMF
from sklearn.exceptions import NotFittedError

import andnmf
from andnmf import AND, HALS, datasets, diagnose, init, metrics, plot

SAMPLES = np.random.default_rng(0).random((20, 6))


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"inner": 50}, "inner is 50, but it must be exact with threshold auto"),
        ({"batch_size": 10}, "batch_size is 10, but with threshold='auto' it must be None in fit"),
        ({"threshold": {}}, "threshold is {}, but it must have one schedule, such as"),
        ({"threshold": {"schedule": {}}}, "but it must have one schedule, such as"),
    ],
    ids=str,
)
def test_values_are_named_as_the_user_wrote_them(wrong, message):
    with pytest.raises(ValueError, match=message):
        AND(n_components=2, **wrong).fit(SAMPLES)


def test_verbose_is_an_integer_or_a_bool(capsys):
    with pytest.raises(TypeError, match="verbose is 'a', but it must be an integer, True or False"):
        HALS(2, verbose="a").fit(SAMPLES)
    with pytest.raises(TypeError, match="verbose"):
        AND(2, verbose="a").partial_fit(SAMPLES)
    HALS(2, verbose=True, tol=1.0, random_state=0).fit(SAMPLES)
    assert capsys.readouterr().out.startswith("HALS stage 0")


@pytest.mark.parametrize("name", datasets.__all__)
def test_datasets_show_their_parameters_and_name_wrong_ones(name):
    import inspect

    make = getattr(datasets, name)
    shown = inspect.signature(make).parameters
    assert {"n_samples", "n_features", "n_components", "noise", "random_state"} <= set(shown)
    assert shown["random_state"].default == 0
    assert all(f"{word} :" in make.__doc__ or f"{word}, " in make.__doc__ for word in shown), make.__doc__
    assert "random_state : int, RandomState instance or None, default=0" in make.__doc__
    with pytest.raises(TypeError, match=rf"{name}\(\) got an unexpected keyword argument 'n_sample'; use one of .*n_samples"):
        make(n_sample=3)


def test_datasets_document_their_actual_defaults():
    recipe = datasets.make_dir(truth=np.eye(2)).recipe
    assert (recipe["n_samples"], recipe["noise"], recipe["in_span"], recipe["out_of_span"]) == (5000, 0, 1, 0)
    usual = datasets.make_dir(n_samples=1).recipe
    assert (usual["n_features"], usual["rank"], usual["seed"]) == (2940, 100, 0)


def test_models_must_be_fitted(data):
    with pytest.raises(NotFittedError):
        diagnose(data.samples, model=AND())
    with pytest.raises(TypeError, match="model is 'and', but it must be a fitted estimator"):
        diagnose(data.samples, model="and")
    with pytest.raises(TypeError, match="but it must be an estimator of andnmf"):
        andnmf.save(NMF(3), "model.safetensors")
    with pytest.raises(NotFittedError):
        metrics.correlation_error(AND(), data.truth)
    with pytest.raises(TypeError, match=r"weights must be an array, not the estimator AND; pass AND.transform\(X\)"):
        plot.weight_correlations(AND(6, random_state=0).fit(data.samples))


def test_estimators_of_other_packages_can_be_diagnosed(data):
    nmf = NMF(6, random_state=0, max_iter=2000, tol=1e-3).fit(data.samples)
    diagnosis = diagnose(data.samples, model=nmf)
    assert diagnosis["trust"] is None and diagnosis["residual"] < 0.2
    with pytest.raises(ValueError, match="features|must"):
        diagnose(data.samples[:, :7], model=nmf)


def test_models_and_sparse_weights_are_accepted_like_arrays(data):
    model = AND(6, random_state=0).fit(data.samples)
    assert metrics.correlation_error(model, data.truth) == metrics.correlation_error(model.components_, data.truth)
    assert np.array_equal(metrics.coherence(model, data.samples), metrics.coherence(model.components_, data.samples))
    thin = sparse.csr_array(data.weights)
    assert diagnose(thin) == diagnose(data.weights)
    images = [plot.weight_correlations(weights).images[0].get_array() for weights in (thin, data.weights)]
    assert same_bits(*(np.asarray(image) for image in images))


def test_metrics_reject_non_finite_components_and_zero_truth():
    truth = np.eye(3)
    for wrong in (np.nan, np.inf):
        with pytest.raises(ValueError, match=f"components: component 1, feature 2 is {wrong}"):
            metrics.correlation_error(np.where([[0, 0, 0], [0, 0, 1], [0, 0, 0]], wrong, truth), truth)
    with pytest.raises(ValueError, match="truth: component 2 is all zero"):
        metrics.correlation_error(truth, np.diag([1, 1, 0]))
    assert metrics.correlation_error(np.diag([1, 1, 0]), truth) == 1, "components may be zero"


def test_sizes_that_are_too_small_or_do_not_match_are_rejected(data):
    for start in (init.spa, init.nndsvd, init.random_samples, init.random):
        with pytest.raises(ValueError, match="n_components is 0, but it must be at least 1"):
            start(data.samples, 0)
    with pytest.raises(ValueError, match="n_words is 1, but it must be at least 2"):
        metrics.coherence(data.truth, data.samples, n_words=1)
    with pytest.raises(ValueError, match="topics has 60 words, but counts has 3"):
        metrics.coherence(data.truth, data.samples[:, :3])


def test_each_curve_has_a_name_and_a_distinct_colour():
    with pytest.raises(ValueError, match="names has 1 entries, but it must have 2, one per component"):
        plot.curves(np.eye(2), names=["a"])
    with pytest.raises(ValueError, match=r"x has shape \(3,\), but it must be \(2,\)"):
        plot.curves(np.eye(2), x=[1, 2, 3])
    for count in (3, 20, 45):
        ax = plot.curves(np.eye(count))
        assert len({str(line.get_color()) for line in ax.lines}) == count
        ax.figure.canvas.draw()
        legend = ax.get_legend()
        assert (legend is None) == (count == 45) and len(ax.figure.axes) == (2 if count == 45 else 1)
        if count == 20:
            box, whole = legend.get_window_extent(), ax.figure.bbox
            assert box.x0 >= ax.get_window_extent().x1 and box.x1 <= whole.x1 and box.y0 >= whole.y0


def test_panels_are_numbered_and_axes_have_integer_ticks(data):
    titles = [ax.get_title() for ax in plot.images(data.truth, (6, 10))]
    assert titles == ["0", "1", "2", "3", "4", "5"]
    ax = plot.weight_correlations(data.weights[:, :4])
    ax.figure.canvas.draw()
    for ticks in (ax.get_xticks(), ax.get_yticks()):
        assert all(tick == round(tick) for tick in ticks)


def test_components_without_positive_features_show_no_words():
    axes = plot.words(np.array([[0.0, 2.0, 0.0], [0.0, 0.0, -1.0]]), ["a", "b", "c"])
    assert [[label.get_text() for label in ax.get_yticklabels()] for ax in axes] == [["b"], []]
    assert axes[1].texts[0].get_text() == "nothing above zero"
