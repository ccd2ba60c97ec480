"""Concurrent fits in threads and processes: the same bits as one alone."""

import concurrent.futures
import itertools
import multiprocessing

import numpy as np

from .files import samples

FITS, FITS_WHEN_QUICK = 200, 24
SETTINGS = [("HALS", {"max_stages": 15}), ("MU", {"max_stages": 15}), ("ANLS", {"max_stages": 8}), ("AND", {})]


def fitted(case):
    import warnings

    import andnmf

    name, settings, seed, threads = case
    warnings.simplefilter("ignore")
    model = getattr(andnmf, name)(n_components=3, random_state=seed, n_jobs=threads, **settings)
    return model.fit(samples(80, 15, seed)).components_.tobytes()


def rounds(guard):
    rng = np.random.default_rng(guard.seed)
    alone = {}
    count = FITS_WHEN_QUICK if guard.quick else FITS
    for number in itertools.count():
        cases = []
        for _ in range(count):
            name, settings = SETTINGS[rng.integers(len(SETTINGS))]
            cases.append((name, settings, int(rng.integers(5)), int(rng.integers(1, 4))))
        for name, settings, seed, _ in cases:
            key = (name, seed)
            if key not in alone:
                alone[key] = fitted((name, settings, seed, 1))
        pools = [
            ("threads", concurrent.futures.ThreadPoolExecutor(16)),
            ("forked processes", concurrent.futures.ProcessPoolExecutor(4, multiprocessing.get_context("fork"))),
        ]
        if not guard.quick:
            spawned = concurrent.futures.ProcessPoolExecutor(4, multiprocessing.get_context("spawn"))
            pools.append(("spawned processes", spawned))
        for kind, pool in pools:
            with pool:
                for case, result in zip(cases, pool.map(fitted, cases), strict=True):
                    guard.count(f"fits in {kind}")
                    if result != alone[case[0], case[2]]:
                        guard.find(f"{case} in {kind}: other bits than alone")
        yield
