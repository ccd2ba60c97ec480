"""Online LDA beside scikit-learn's, on the same topics."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from scipy.special import digamma
from sklearn.decomposition import LatentDirichletAllocation

import andnmf
from andnmf import OnlineLDA

COUNTS = np.random.default_rng(0).poisson(1.2, size=(60, 25)).astype(float)
COUNTS[3] = 0


@pytest.fixture(scope="module")
def ours():
    return OnlineLDA(n_components=4, max_stages=5, document_prior=0.3, topic_prior=0.07, random_state=0).fit(COUNTS)


def theirs_with(model):
    """scikit-learn's estimator with the topics and the settings of ours."""
    theirs = LatentDirichletAllocation(
        4, doc_topic_prior=0.3, topic_word_prior=0.07, learning_method="online", mean_change_tol=1e-3, random_state=0
    )
    theirs.partial_fit(COUNTS)
    theirs.components_ = model.topic_parameters_.astype(float)
    totals = theirs.components_.sum(axis=1, keepdims=True)
    theirs.exp_dirichlet_component_ = np.exp(digamma(theirs.components_) - digamma(totals))
    theirs.n_batch_iter_ = model.n_batch_iter_ + 1
    return theirs


def test_shares_bound_and_perplexity_are_those_of_scikit_learn(ours):
    theirs = theirs_with(ours)
    # The digamma function of its E-step has about seven digits.
    for samples in (COUNTS, sparse.csr_array(COUNTS)):
        np.testing.assert_allclose(ours.transform(samples), theirs.transform(COUNTS), rtol=1e-6)
        np.testing.assert_allclose(ours.score(samples), theirs.score(COUNTS), rtol=1e-9)
        np.testing.assert_allclose(ours.perplexity(samples), theirs.perplexity(COUNTS), rtol=1e-9)
    assert (ours.doc_topic_prior_, ours.topic_word_prior_) == (theirs.doc_topic_prior_, theirs.topic_word_prior_)
    assert (ours.transform(COUNTS)[3] == 0.25).all()
    single = OnlineLDA(n_components=4, max_stages=5, random_state=0).fit(COUNTS.astype(np.float32))
    assert single.transform(COUNTS.astype(np.float32)).dtype == np.float32
    assert (single.doc_topic_prior_, single.n_batch_iter_) == (0.25, 5)


def test_partial_fit_takes_the_steps_of_scikit_learn(ours):
    # Tight E-steps: scikit-learn begins those of partial_fit at random.
    settings = dict(document_prior=0.3, topic_prior=0.07, e_step_tol=1e-12, e_step_max=5000, random_state=0)
    model = OnlineLDA(n_components=4, **settings).partial_fit(COUNTS, total_samples=300)
    theirs = theirs_with(model)
    theirs.set_params(mean_change_tol=1e-12, max_doc_update_iter=5000, total_samples=300)
    theirs.partial_fit(COUNTS[:40])
    model.partial_fit(COUNTS[:40], total_samples=300)
    assert model.n_batch_iter_ == 2
    np.testing.assert_allclose(model.topic_parameters_, theirs.components_, rtol=1e-4)


def test_portions_learn_the_topics_of_many_documents():
    rng = np.random.default_rng(1)
    topics = rng.dirichlet(np.full(40, 0.1), 3)
    documents = rng.poisson(80 * rng.dirichlet(np.full(3, 0.2), 1500) @ topics).astype(float)
    model = OnlineLDA(n_components=3, random_state=0)
    for part in np.array_split(documents, 5):
        model.partial_fit(part, total_samples=1500)
    assert model.n_batch_iter_ == 5 * 3
    assert andnmf.metrics.correlation_error(model, topics) < 0.5
    assert model.perplexity(documents) < OnlineLDA(n_components=3, random_state=0).partial_fit(
        documents[:10], total_samples=10
    ).perplexity(documents)
    again = pickle.loads(pickle.dumps(model)).partial_fit(documents[:100], total_samples=1500)
    assert (again.components_ == model.partial_fit(documents[:100], total_samples=1500).components_).all()


def test_wrong_portions_are_refused(ours):
    with pytest.raises(ValueError, match="total_samples is -1"):
        OnlineLDA(n_components=2).partial_fit(COUNTS, total_samples=-1)
    with pytest.raises(ValueError, match="features"):
        OnlineLDA(n_components=2).partial_fit(COUNTS).partial_fit(COUNTS[:, :5])
    with pytest.raises(ValueError, match="Negative values"):
        OnlineLDA(n_components=2).partial_fit(-COUNTS)


def test_the_posterior_comes_back_from_a_file(ours, tmp_path):
    ours.save(tmp_path / "model.safetensors")
    loaded = andnmf.load(tmp_path)
    np.testing.assert_array_equal(loaded.transform(COUNTS), ours.transform(COUNTS))
    assert loaded.perplexity(COUNTS) == ours.perplexity(COUNTS)


def test_weights_of_the_kullback_leibler_loss_are_those_of_largest_likelihood():
    model = andnmf.MU(n_components=3, loss="kullback-leibler", max_stages=500, tol=1e-4, random_state=0).fit(COUNTS)
    weights = model.transform(COUNTS)
    np.testing.assert_allclose(weights @ model.components_.sum(axis=1), COUNTS.sum(axis=1), rtol=1e-6)
