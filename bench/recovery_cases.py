"""The cases of bench/recovery.py: data with a known truth, the start of the fit, and the error to reach."""

from dataclasses import dataclass, field

# Sizes of the order of the paper's.
SIZES = {"n_features": 2000, "rank": 100, "n_samples": 5000}


@dataclass
class Case:
    """One row of the table; `goal` bounds the relative total correlation error of every seed."""

    name: str
    kind: str
    weights: dict
    goal: float | None = None
    noise: float = 0.0
    in_span: float = 1.0
    out_of_span_share: float = 0.0
    near_truth: bool = False
    # Number of stages within which the error must fall below 1e-6, if that is part of the goal.
    stages_to_a_millionth: int | None = None
    sizes: dict = field(default_factory=lambda: dict(SIZES))

    def trial(self, seed):
        """The case as the JSON that the Rust side reads."""
        dataset = {"kind": self.kind, "weights": self.weights, "seed": seed, "noise": self.noise,
                   "in_span": self.in_span, "out_of_span": 0.0, **self.sizes}
        return {"dataset": dataset, "near_truth": self.near_truth, "out_of_span_share": self.out_of_span_share,
                "every_stage": self.stages_to_a_millionth is not None}


def dirichlet(concentration):
    return {"kind": "dirichlet", "concentration": float(concentration)}


def persistent(scale):
    return {"kind": "logistic-normal-uneven", "scale": float(scale), "correlation": 0.7}


def paired(co_occurrence, order=None):
    return {"kind": "paired", "sparsity": 5.0, "co_occurrence": co_occurrence, "decay_order": order}


RELEASED = {"kind": "logistic-normal-released"}

# Name, kind of components, weights, and the error to reach from the data alone.
SOURCES = [
    ("dir-1", "dir", dirichlet(1), 1e-9),
    ("dir-5", "dir", dirichlet(5), 1e-9),
    ("dir-20", "dir", dirichlet(20), 1e-3),
    ("dir-80", "dir", dirichlet(80), 3.0),
    ("ctm-released", "ctm-released", RELEASED, 1e-9),
    ("ctm-5", "ctm", persistent(5), 0.02),
    ("ctm-3", "ctm", persistent(3), 0.3),
    ("ctm-2", "ctm", persistent(2), 2.5),
    ("neg", "neg", RELEASED, 1e-9),
    ("neg-dir-5", "neg", dirichlet(5), 1e-9),
    ("binary", "binary", {"kind": "bernoulli-binary", "sparsity": 5.0}, 1e-9),
    *[(f"paired-binary-{c}", "paired", paired(c), 1e-9 if c < 0.9 else None) for c in (0.0, 0.5, 0.8, 0.95)],
    *[(f"paired-q{q:g}-{c}", "paired", paired(c, q), 1e-9 if c < 0.9 else 0.02) for q in (2.0, 1.0) for c in (0.5, 0.8, 0.95)],
]

FROM_DATA = [Case(name, kind, weights, goal) for name, kind, weights, goal in SOURCES]
# Same goals: a start near the truth must not do worse.
NEAR_TRUTH = [Case(f"{name}-near", kind, weights, goal, near_truth=True) for name, kind, weights, goal in SOURCES] + [
    Case("dir-5-near-stages", "dir", dirichlet(5), 1e-9, near_truth=True, stages_to_a_millionth=35),
    Case("dir-5-near-mixed-twice", "dir", dirichlet(5), 1e-9, near_truth=True, in_span=2.0),
    Case("ctm-released-near-mixed-twice", "ctm-released", RELEASED, 1e-9, near_truth=True, in_span=2.0),
    Case("dir-5-near-off-span", "dir", dirichlet(5), 1e-9, near_truth=True, out_of_span_share=0.7),
    Case("ctm-released-near-off-span", "ctm-released", RELEASED, 1e-9, near_truth=True, out_of_span_share=0.7),
]
# The goal of a noisy case is relative to least squares with the true weights.
NOISY = [
    Case(f"{name}-noise-{gamma:g}", "dir" if name == "dir-5" else "ctm", weights, noise=gamma)
    for name, weights in [("dir-5", dirichlet(5)), ("ctm-3", persistent(3))]
    for gamma in (0.001, 0.01, 0.05)
]
LARGE = Case("large", "dir", dirichlet(5), sizes={**SIZES, "n_features": 2940})
SMALL = {"n_features": 400, "rank": 20, "n_samples": 2000}
REORDERED = [
    Case("dir", "dir", dirichlet(1), sizes=SMALL),
    Case("paired", "paired", paired(0.8), sizes=SMALL),
    Case("dir-noise", "dir", dirichlet(1), noise=0.01, sizes=SMALL),
]
