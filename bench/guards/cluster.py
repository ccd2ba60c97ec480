"""Dask workers that are killed at random, under memory limits: the same bits as undisturbed."""

import itertools
import os
import signal
import threading
import time
import warnings

import numpy as np

from .files import samples

KILLS = 3


def rounds(guard):
    if guard.quick:
        return
    import dask
    import dask.array
    import distributed

    import andnmf.dask

    dask.config.set({"distributed.scheduler.allowed-failures": 50, "distributed.comm.retry.count": 5})
    rng = np.random.default_rng(guard.seed)
    for number in itertools.count():
        seed = int(rng.integers(1000))
        data = dask.array.from_array(np.tile(samples(400, 40, seed), (8, 1)), chunks=(400, 40))

        def fit():
            warnings.simplefilter("ignore")
            return andnmf.dask.AND(4, random_state=seed).fit(data).components_.tobytes()

        with dask.config.set(scheduler="synchronous"):
            alone = fit()
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, memory_limit="600MB", dashboard_address=None
        ) as cluster, distributed.Client(cluster) as client:
            done = threading.Event()
            killer = threading.Thread(target=kill, args=(guard, client, done, rng))
            killer.start()
            try:
                guard.count("fits")
                if fit() != alone:
                    guard.find(f"seed {guard.seed}, round {number}: other bits than undisturbed")
            finally:
                done.set()
                killer.join()
        yield


def kill(guard, client, done, rng):
    for _ in range(KILLS):
        if done.wait(float(rng.uniform(0.1, 1.0))):
            return
        pids = list(client.run(os.getpid).values())
        if pids:
            os.kill(pids[int(rng.integers(len(pids)))], signal.SIGKILL)
            guard.count("workers killed")
            time.sleep(0.5)
