"""The recording of the example is what its script writes."""

from __future__ import annotations

import gzip
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parents[2] / "examples" / "47-replay-week"


def _contents(place: pathlib.Path) -> dict[str, bytes]:
    """Files by name; compressed ones as they were, as libraries compress differently."""
    files = {str(each.relative_to(place)): each for each in place.rglob("*") if each.is_file()}
    return {
        name: gzip.decompress(file.read_bytes()) if name.endswith(".gz") else file.read_bytes()
        for name, file in files.items()
    }


def test_the_script_writes_the_same_recording(tmp_path: pathlib.Path) -> None:
    command = [sys.executable, str(FOLDER / "make_recording.py"), str(tmp_path / "week")]
    subprocess.run(command, check=True)
    kept = _contents(FOLDER / "week")
    assert "recording/changes.jsonl.gz" in kept
    assert _contents(tmp_path / "week") == kept


def test_it_is_small() -> None:
    size = sum(each.stat().st_size for each in (FOLDER / "week").rglob("*") if each.is_file())
    assert size < 200_000
