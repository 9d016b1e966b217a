"""Same seed, same records: again, in another process, whatever the hashes of strings are."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import pytest

from tests.traffic import stages

ROOT = pathlib.Path(__file__).parents[3]
PROGRAM = "from tests.traffic.queueing import test_same; print(test_same.digest(3))"


def digest(seed: int) -> str:
    """A number for all that is known of the requests of a run."""
    requests = {"cpu": "lognormal(80ms,100ms)", "io": "exp(20ms)", "timeout": "3s"}
    traffic = stages.traffic({"poisson": {"rps": 40}}, request=requests, routing="Random")
    stage = stages.living(stages.deployment(5), traffic, seed=seed)
    stage.run("60s")
    assert stage.traffic is not None
    record = stage.traffic.records()["default/load"]
    replicas = stage.traffic.streams["default/load"].requests.replicas()
    told: list[Any] = [record.summary(), record.table(), record.responses(), replicas]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


@pytest.mark.parametrize("hash_seed", ["0", "4711"])
def test_another_process_has_the_same_records(hash_seed: str) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.split() == [digest(3)]


def test_another_seed_has_other_records() -> None:
    assert digest(3) == digest(3)
    assert digest(3) != digest(4)
