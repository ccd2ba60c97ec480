"""Arguments that other libraries name differently: refused with the name to use here."""

from __future__ import annotations

from difflib import get_close_matches
from inspect import signature
from typing import Any, NoReturn

#: The parameter for an argument of scikit-learn's NMF, MiniBatchNMF or LatentDirichletAllocation, gensim or the command.
RENAMED = {
    "max_iter": "max_stages",
    "n_iter": "max_stages",
    "num_iterations": "max_stages",
    "stages": "max_stages",
    "tolerance": "tol",
    "mean_change_tol": "e_step_tol",
    "max_doc_update_iter": "e_step_max",
    "perp_tol": "tol",
    "doc_topic_prior": "document_prior",
    "topic_word_prior": "topic_prior",
    "alpha": "document_prior",
    "eta": "topic_prior",
    "learning_decay": "kappa",
    "learning_offset": "tau0",
    "beta_loss": "loss",
    "rank": "n_components",
    "n_topics": "n_components",
    "num_topics": "n_components",
    "n_clusters": "n_components",
    "k": "n_components",
    "K": "n_components",
    "seed": "random_state",
    "threads": "n_jobs",
    "workers": "n_jobs",
    "signed": "nonnegative",
    "batch": "batch_size",
    "start": "init",
    "progress": "verbose",
    "callbacks": "callback",
}
#: Arguments of those that have no counterpart, and what to do instead.
WITHOUT = {
    "solver": "omit it: HALS is coordinate descent ('cd'), MU has multiplicative updates ('mu')",
    "beta_loss": "use MU(loss='kullback-leibler') or PoissonNMF for counts",
    "alpha_W": "omit it: there is no regularization",
    "alpha_H": "omit it: there is no regularization",
    "l1_ratio": "omit it: there is no regularization",
    "shuffle": "omit it: there is nothing to shuffle",
    "forget_factor": "omit it; for batches use AND with partial_fit",
    "fresh_restarts": "omit it; for batches use AND with partial_fit",
    "fresh_restarts_max_iter": "omit it; for batches use AND with partial_fit",
    "transform_max_iter": "omit it: weights of samples are exact",
    "max_no_improvement": "omit it: tol and max_stages end a fit",
    "learning_method": "omit it: batch_size=None is batch learning, a number is online learning",
    "evaluate_every": "omit it: the loss of each stage is in trace_",
    "total_samples": "omit it: all samples are known to fit",
    "batch_size": "omit it; for batches use AND with partial_fit",
    "warm_start": "omit it: this method takes no start",
    "init": "omit it: this method takes no start",
}


def hint(kind: type, name: str) -> str:
    """What to use in place of an argument that an estimator does not have."""
    known = [parameter for parameter in signature(kind).parameters if parameter != "other_arguments"]
    if RENAMED.get(name) in known:
        return f"use {RENAMED[name]}"
    if name in WITHOUT:
        return WITHOUT[name]
    near = get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}?" if near else f"use one of {', '.join(known)}"


def refuse(estimator: Any, given: dict[str, Any]) -> NoReturn:
    """Raise TypeError for arguments that an estimator does not have."""
    kind = type(estimator)
    raise TypeError("; ".join(f"{kind.__name__} has no parameter {name}: {hint(kind, name)}" for name in given))
