"""Workers that are killed, slow or new while a fit runs, on a cluster of real processes: no bit may change."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import andnmf

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

import andnmf.dask  # noqa: E402

RANK, BLOCKS, ROWS = 5, 8, 150
pytestmark = pytest.mark.filterwarnings("ignore:AND did not converge")


def block(number, pause):
    """Some samples, made where they are needed. Slow workers are told so by their environment."""
    os.environ["ANDNMF_TEST_BLOCKS"] = str(made() + 1)
    time.sleep(float(os.environ.get("ANDNMF_TEST_PAUSE", pause)))
    data = andnmf.datasets.make_dir(
        n_samples=BLOCKS * ROWS, n_features=60, n_components=RANK, random_state=1, noise=0.01
    )
    return data.samples[number * ROWS : (number + 1) * ROWS]


def made():
    """How many blocks this process has made."""
    return int(os.environ.get("ANDNMF_TEST_BLOCKS", 0))


def lazy(pause=0.05):
    make = dask.delayed(block, pure=False)
    blocks = [da.from_delayed(make(i, pause), (ROWS, 60), dtype=float) for i in range(BLOCKS)]
    return da.concatenate(blocks)


def fitted(X):
    return andnmf.dask.AND(RANK, random_state=0).fit(X).components_


@pytest.fixture(scope="module")
def undisturbed():
    with dask.config.set(scheduler="synchronous"):
        return fitted(lazy(0))


@pytest.fixture
def cluster(undisturbed, monkeypatch):
    # Workers count the blocks that they make from zero, also where this process has made some.
    monkeypatch.delenv("ANDNMF_TEST_BLOCKS", raising=False)
    with (
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.wait_for_workers(3)
        yield cluster, client


class During(threading.Thread):
    """Does something to a cluster while a fit runs, again and again, and keeps what went wrong."""

    def __init__(self, work, every=0.4):
        super().__init__(daemon=True)
        self.work, self.every, self.done, self.failure = work, every, 0, None
        self.over = threading.Event()

    def run(self):
        while not self.over.wait(self.every):
            try:
                self.done += bool(self.work())
            except Exception as error:
                self.failure = error
                return

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()
        if self.failure is not None:
            raise self.failure


def test_a_worker_killed_in_the_middle_of_a_stage(cluster, undisturbed):
    _, client = cluster
    pids = client.run(os.getpid)
    left = list(pids)

    def kill():
        # Only one that is at work, so that something is lost; one stays in any case.
        busy = [worker for worker, tasks in client.processing().items() if tasks and worker in left]
        if not busy or len(left) == 1:
            return False
        left.remove(busy[0])
        os.kill(pids[busy[0]], signal.SIGKILL)
        return True

    with During(kill) as killing:
        found = fitted(lazy(0.2))
    assert killing.done >= 1
    assert_array_equal(found, undisturbed)


def test_blocks_that_were_held_by_a_lost_worker_are_made_again(cluster, undisturbed):
    _, client = cluster
    held = lazy(0).persist()
    distributed.wait(held)
    pids = client.run(os.getpid)
    owners = {worker for workers in client.who_has(held).values() for worker in workers}
    victim = sorted(owners)[0]
    kept = {worker: count for worker, count in client.run(made).items() if worker != victim}
    os.kill(pids[victim], signal.SIGKILL)
    assert_array_equal(fitted(held), undisturbed)
    again = sum(client.run(made).values()) - sum(kept.values())
    assert sum(kept.values()) < BLOCKS <= sum(kept.values()) + again, "nothing was made again"


def test_a_slow_worker(cluster, undisturbed):
    _, client = cluster
    slow = sorted(client.scheduler_info()["workers"])[0]
    client.run(os.environ.__setitem__, "ANDNMF_TEST_PAUSE", "0.6", workers=[slow])
    found = fitted(lazy(0.01))
    assert client.run(made)[slow] > 0, "the slow worker had no part in it"
    assert_array_equal(found, undisturbed)


def test_workers_added_while_a_fit_runs(cluster, undisturbed):
    cluster, client = cluster
    before = set(client.scheduler_info()["workers"])
    asked = []

    def add():
        if not asked and any(client.processing().values()):
            asked.append(1)
            cluster.scale(5)
            return True
        return False

    with During(add) as adding:
        found = fitted(lazy(1.0))
    counts = client.run(made)
    assert adding.done == 1 and len(before) == 3
    assert any(count for worker, count in counts.items() if worker not in before), "no new worker had a part in it"
    assert_array_equal(found, undisturbed)


def test_components_are_those_of_samples_in_memory(cluster, undisturbed):
    X = np.concatenate([block(i, 0) for i in range(BLOCKS)])
    here = andnmf.AND(RANK, random_state=0).fit(X)
    there = andnmf.dask.AND(RANK, random_state=0)
    weights = there.fit_transform(lazy(0))
    assert_array_equal(there.components_, undisturbed)
    assert np.linalg.norm(there.components_ - here.components_) < 1e-10 * np.linalg.norm(here.components_)
    assert np.linalg.norm(weights.compute() - here.transform(X)) < 1e-8 * np.linalg.norm(here.transform(X))


def test_a_fit_within_a_task(cluster, undisturbed):
    """A worker with one thread must not wait for what only that thread could do."""
    _, client = cluster
    assert_array_equal(client.submit(lambda: fitted(lazy(0))).result(timeout=120), undisturbed)
