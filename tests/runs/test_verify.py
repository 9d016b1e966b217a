"""Verification from a program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.runs.verify import verify
from tests.cli import recordings
from tests.golden import autoscaler_worlds

if TYPE_CHECKING:
    import pathlib


def test_recordings_that_are_identical(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    recordings.write(recordings.recorded(), "a.json")
    result = verify(["a.json"])
    assert result.is_identical
    assert result.headline() == "decisions: 2/2 identical"
    assert result.table().rows == [("category", "small", 1, 2, 2)]
    assert capfd.readouterr() == ("", "")


def test_a_file_that_is_missing_is_refused() -> None:
    with pytest.raises(InputError, match="no such file or directory"):
        verify(["nowhere.json"])


def test_worlds_have_rows_by_category_and_a_part_of_the_headline() -> None:
    path = min(autoscaler_worlds.COMPACT.glob("scale-up-limits-*"))
    result = verify([str(path)])
    assert result.is_identical
    assert result.headline() == "worlds of cluster-autoscaler: 1/1 identical"
    (row,) = result.table().rows
    assert row[:3] == ("cluster-autoscaler", "scale-up-limits", 1)
