"""Quality of factors, measured the same way for all programs and outside their times."""

import numpy

from speed.rivals import correlation_error, samples_of


def squared_error(samples, weights, components):
    """The squared Frobenius norm of samples - weights·components."""
    if hasattr(samples, "tocsr"):
        products = samples @ components.T.astype(float)
        gram = (weights.T.astype(float) @ weights) * (components.astype(float) @ components.T)
        return float(samples.multiply(samples).sum() - 2 * (products * weights).sum() + gram.sum())
    return sum(float(numpy.linalg.norm(rows - part @ components) ** 2) for rows, part in in_blocks(samples, weights))


def in_blocks(*arrays, rows=20_000):
    return (tuple(array[first:first + rows] for array in arrays) for first in range(0, len(arrays[0]), rows))


def squared_size(samples):
    if hasattr(samples, "tocsr"):
        return float(samples.multiply(samples).sum())
    return sum(float(numpy.linalg.norm(rows) ** 2) for (rows,) in in_blocks(samples))


def factors(folder):
    return numpy.load(folder / "weights.npy"), numpy.load(folder / "components.npy")


def describe_quality(data, rival, truth=None):
    """Text with the relative residuals, and errors if there is a truth, of a rival's factors and of ours."""
    samples = samples_of(data)
    size = squared_size(samples)
    both = [factors(folder) for folder in (rival, data)]
    residuals = [numpy.sqrt(max(squared_error(samples, *pair), 0) / size) for pair in both]
    text = f"relative residual {residuals[0]:.3g} (rival), {residuals[1]:.3g}"
    if truth is None:
        return text
    errors = [correlation_error(components, truth) for _, components in both]
    return f"{text}; error of recovery {errors[0]:.3g} (rival), {errors[1]:.3g}"
