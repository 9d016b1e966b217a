"""The published policies on OpenB's data, where the data are there."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parents[2] / "examples" / "40-openb"
DATA = pathlib.Path(__file__).parents[3] / "shared" / "data" / "openb"


@pytest.mark.skipif(not DATA.is_dir(), reason="the data of OpenB are not beside the repository")
@pytest.mark.parametrize(("policy", "allocated"), [("BestFit", "93.07"), ("FGD", "95.53")])
def test_a_policy_allocates_what_it_did(policy: str, allocated: str) -> None:
    command = [sys.executable, "main.py", "--data", str(DATA), "--policy", policy]
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1].split()[:2] == [policy, allocated]
