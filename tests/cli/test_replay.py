"""``kubestage replay`` as it is typed."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING

import pytest

from tests.runs.replaying import recordings

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "01-first-cluster"


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> str:
    return recordings.make(tmp_path_factory.mktemp("recorded") / "rec")


def test_the_agreement_leads(terminal: Terminal, recording: str) -> None:
    result = terminal.run("replay", recording)
    assert result.code == 0
    assert result.out.startswith("5 actions replayed; 100.0% of 14 placements on the same node.\n")
    assert "the recorded settings" in result.out
    assert "deployment.apps/web" in result.out


def test_a_what_if_carries_the_agreement(terminal: Terminal, recording: str) -> None:
    result = terminal.run("replay", recording, "--without", "n0,n2")
    assert result.code == 2
    result = terminal.run("replay", recording, "--without", "n0", "--without", "n2")
    assert "Agreement under the recorded settings: 100.0% on the same node." in result.out
    assert "On other nodes:" in result.out
    assert "without 1 node (n0)" in result.err


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--start", "2026-03-02T00:00:00Z"), "time begins with the recording"),
        (("--reschedule", "all", "--reschedule-order", "creation"), "has no effect with --for"),
    ],
)
def test_what_makes_no_sense_is_refused(
    terminal: Terminal, recording: str, words: tuple[str, ...], problem: str
) -> None:
    result = terminal.run("replay", recording, *words)
    assert result.code == 2
    assert problem in result.err


def test_data(terminal: Terminal, recording: str) -> None:
    found = json.loads(terminal.run("replay", recording, "-o", "json").out)
    assert found["sameNodeShare"] == 1.0
    assert found["actions"] == 5
    assert found["agreement"]["placements"] == 14


def test_what_has_no_time_is_refused(terminal: Terminal) -> None:
    result = terminal.run("replay", str(EXAMPLE))
    assert result.code == 2
    assert "no changes to replay" in result.err
    assert f"kubestage run {EXAMPLE} --for 30m" in result.err
