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
    time.sleep(float(os.environ.get("ANDNMF_TEST_PAUSE", pause)))
    data = andnmf.datasets.make_dir(
        n_samples=BLOCKS * ROWS, n_features=60, n_components=RANK, random_state=1, noise=0.01
    )
    return data.samples[number * ROWS : (number + 1) * ROWS]


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
def cluster():
    # A worker that is lost with work under way counts against that work: it is lost on purpose here.
    settings = {"distributed.scheduler.allowed-failures": 20, "distributed.comm.timeouts.connect": "60s"}
    with (
        dask.config.set(settings),
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
        found = fitted(lazy())
    assert killing.done == 2
    assert_array_equal(found, undisturbed)


def test_blocks_that_were_held_by_a_lost_worker_are_made_again(cluster, undisturbed):
    _, client = cluster
    held = lazy(0).persist()
    distributed.wait(held)
    pids = client.run(os.getpid)
    owners = {worker for workers in client.who_has(held).values() for worker in workers}
    victim = sorted(owners)[0]
    os.kill(pids[victim], signal.SIGKILL)
    assert_array_equal(fitted(held), undisturbed)


def test_a_slow_worker(cluster, undisturbed):
    _, client = cluster
    slow = sorted(client.scheduler_info()["workers"])[0]
    client.run(os.environ.__setitem__, "ANDNMF_TEST_PAUSE", "0.6", workers=[slow])
    begun = time.monotonic()
    found = fitted(lazy(0.01))
    assert time.monotonic() - begun > 0.6, "the slow worker had no part in it"
    assert_array_equal(found, undisturbed)


def test_workers_added_while_a_fit_runs(cluster, undisturbed):
    cluster, client = cluster
    sizes = []

    def add():
        if not sizes and any(client.processing().values()):
            sizes.append(len(client.scheduler_info()["workers"]))
            cluster.scale(5)
            client.wait_for_workers(5, timeout=60)
            return True
        return False

    with During(add) as adding:
        found = fitted(lazy(0.3))
        busy = [info["metrics"].get("executing", 0) for info in client.scheduler_info()["workers"].values()]
    assert adding.done == 1 and sizes == [3] and len(busy) == 5
    assert_array_equal(found, undisturbed)


def test_components_are_those_of_samples_in_memory(cluster, undisturbed):
    X = np.concatenate([block(i, 0) for i in range(BLOCKS)])
    here = andnmf.AND(RANK, random_state=0).fit(X).components_
    assert np.linalg.norm(undisturbed - here) < 1e-10 * np.linalg.norm(here)
    weights = andnmf.dask.AND(RANK, random_state=0).fit_transform(lazy(0))
    assert weights.compute().shape == (BLOCKS * ROWS, RANK)
