from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

from tests.controllers import lively

_ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("hash_seed", ["1", "20"])
def test_another_process_has_the_same_events_at_the_same_times(hash_seed: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.controllers.lively", "7", "15m"],
        cwd=_ROOT,
        env=os.environ | {"PYTHONHASHSEED": hash_seed},
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stdout == lively.digest_of(7, "15m")


def test_another_seed_is_another_life() -> None:
    assert lively.digest_of(7, "15m") != lively.digest_of(8, "15m")


def test_a_fork_in_the_middle_goes_on_identically() -> None:
    stage = lively.lively(7)
    stage.run("5m30s")
    copy = stage.fork()
    one, other = lively.Digest(stage), lively.Digest(copy)
    stage.run("10m")
    copy.run("10m")
    assert one.events > 20
    assert str(one) == str(other)


def test_a_run_in_slices_is_the_run_in_one_go() -> None:
    whole, sliced = lively.lively(7), lively.lively(7)
    one, other = lively.Digest(whole), lively.Digest(sliced)
    whole.run("12m")
    for _ in range(48):
        sliced.run("15s")
    assert str(one) == str(other)
