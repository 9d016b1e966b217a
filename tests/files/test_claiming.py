"""One command at a time writes to a directory; a dead one keeps nobody out."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.files.claiming import Claim

if TYPE_CHECKING:
    import pathlib

CLAIM = """
import pathlib, sys, time
from kubestage.files.claiming import Claim
claim = Claim(pathlib.Path(sys.argv[1]))
(claim.beside / "half").write_text("half")
print("claimed", flush=True)
time.sleep(1000)
"""


def test_a_directory_is_claimed_once(tmp_path: pathlib.Path) -> None:
    place = tmp_path / "new" / "out"
    with Claim(place) as claim:
        assert claim.beside.is_dir()
        with pytest.raises(InputError, match=f"process {os.getpid()} is writing here"):
            Claim(place)
    assert not (tmp_path / "new").exists()
    with Claim(place):
        (place / "kept").write_text("")
    assert [each.name for each in place.iterdir()] == ["kept"]


def test_a_process_that_was_killed_keeps_nobody_out(tmp_path: pathlib.Path) -> None:
    command = [sys.executable, "-c", CLAIM, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "claimed\n"
        with pytest.raises(InputError, match=f"process {process.pid} is writing here"):
            Claim(tmp_path)
        process.send_signal(signal.SIGKILL)
    assert len(list(tmp_path.iterdir())) == 2
    with Claim(tmp_path) as claim:
        assert not list(claim.beside.iterdir())
    assert not list(tmp_path.iterdir())


def test_a_claim_is_released_once(tmp_path: pathlib.Path) -> None:
    first = Claim(tmp_path)
    first.release()
    with Claim(tmp_path) as second:
        first.release()
        with pytest.raises(InputError, match="is writing here"):
            Claim(tmp_path)
        assert second.beside.is_dir()
