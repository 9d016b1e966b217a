"""A bar is drawn for a person who has to wait, and for nobody else."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from kubestage.cli import progress

if TYPE_CHECKING:
    import pytest


def _watch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")


def test_long_work_shows_how_far_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _watch(monkeypatch)
    with progress.shown("scheduling", 40, at_least=10) as tell:
        tell(40)
    shown = capsys.readouterr()
    assert "scheduling" in shown.err
    assert "40/40" in shown.err
    assert shown.out == ""


def test_short_work_shows_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _watch(monkeypatch)
    with progress.shown("scheduling", 9, at_least=10) as tell:
        tell(9)
    assert capsys.readouterr().err == ""


def test_nothing_is_drawn_into_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.shown("scheduling", 40, at_least=10) as tell:
        tell(40)
    assert capsys.readouterr().err == ""


def test_the_progress_of_large_input_is_in_bytes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _watch(monkeypatch)
    with progress.OBSERVER.progress("reading", 4_000, noticeable=10, in_bytes=True) as advance:
        advance(0, "reading b.yaml")
        advance(4_000)
    shown = capsys.readouterr()
    assert "reading b.yaml" in shown.err
    assert "kB" in shown.err
    assert shown.out == ""


def test_notes_go_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    progress.OBSERVER.note("no nodes")
    assert capsys.readouterr().err == "Note: no nodes\n"
