"""What holds in every run, whatever happens."""

from __future__ import annotations

import hashlib
import os
import pathlib
import pickle
import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scheduler import random_runs
from tests.scheduler.random_runs import RandomRun

ROOT = pathlib.Path(__file__).parents[2]
SEED = 7


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_no_node_is_over_committed_and_every_pod_is_in_exactly_one_place(seed: int) -> None:
    life = RandomRun(seed)
    for _ in range(25):
        life.step()
        life.check()


@settings(max_examples=15)
@given(st.integers(0, 2**32), st.integers(1, 30))
def test_a_copy_goes_on_as_the_original_does(seed: int, steps: int) -> None:
    life = RandomRun(seed)
    for _ in range(steps):
        life.step()
    copy: RandomRun = pickle.loads(pickle.dumps(life))
    for each in (life, copy):
        for _ in range(10):
            each.step()
    copy.check()
    mine, theirs = life.run.scheduler, copy.run.scheduler
    assert mine.record.lines() == theirs.record.lines()
    assert mine.metrics.exposition() == theirs.metrics.exposition()


def test_the_same_seed_gives_the_same_bytes_in_another_process() -> None:
    here = hashlib.sha256(random_runs.transcript(SEED)).hexdigest()
    script = (
        "import hashlib; from tests.scheduler import random_runs;"
        f"print(hashlib.sha256(random_runs.transcript({SEED})).hexdigest())"
    )
    for salt in ("1", "2"):
        there = subprocess.run(
            [sys.executable, "-c", script],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": salt},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        assert there == here


def test_another_seed_gives_another_run() -> None:
    assert random_runs.transcript(1, 20) != random_runs.transcript(2, 20)
