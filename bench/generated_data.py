"""Generated data of the benchmarks."""


def topic_counts(documents, words, topics, length, seed):
    """Word counts drawn from a topic model (documents × words, CSR), and its topics."""
    import numpy
    import scipy.sparse

    random = numpy.random.default_rng(seed)
    shapes = random.dirichlet(numpy.full(words, 0.05), size=topics)
    mixtures = random.dirichlet(numpy.full(topics, 0.1), size=documents)
    pointers, indices, values = [0], [], []
    for mixture in mixtures:
        chances = mixture @ shapes
        present, counts = numpy.unique(
            random.choice(words, size=length, p=chances / chances.sum()), return_counts=True
        )
        indices.append(present)
        values.append(counts)
        pointers.append(pointers[-1] + len(present))
    parts = (numpy.concatenate(values).astype(float), numpy.concatenate(indices), numpy.array(pointers))
    return scipy.sparse.csr_matrix(parts, shape=(documents, words)), shapes


def sparse_mixtures(samples, features, rank, share, seed):
    """Dirichlet mixtures of topics with all but the largest values (this share of all) set to zero; and the topics."""
    import numpy
    import scipy.sparse

    random = numpy.random.default_rng(seed)
    shapes = random.dirichlet(numpy.full(features, 0.05), size=rank)
    weights = random.dirichlet(numpy.full(rank, 5 / rank), size=samples)
    level, blocks = None, []
    for block in numpy.array_split(weights, max(1, samples // 500)):
        dense = block @ shapes
        level = numpy.quantile(dense, 1 - share) if level is None else level
        dense[dense < level] = 0
        blocks.append(scipy.sparse.csr_matrix(dense))
    return scipy.sparse.vstack(blocks, format="csr"), shapes


def write_mixtures(file, samples, truth, dtype, seed):
    """Writes Dirichlet mixtures of given components to a .npy file, block by block."""
    import numpy

    random = numpy.random.default_rng(seed)
    out = numpy.lib.format.open_memmap(file, mode="w+", dtype=dtype, shape=(samples, truth.shape[1]))
    for first in range(0, samples, 50_000):
        rows = out[first:first + 50_000]
        rows[:] = random.dirichlet(numpy.full(len(truth), 5 / len(truth)), size=len(rows)) @ truth
    out.flush()
