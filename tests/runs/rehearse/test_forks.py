"""Forks: results in order of their numbers, failures, interrupts, and nothing left behind."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, NoReturn

import msgspec
import pytest

from kubestage.runs import rehearse
from kubestage.runs.rehearse import SurveyOptions, forks
from kubestage.testing import make_deployment, make_node, make_pod_disruption_budget
from tests import deadlines
from tests.runs.rehearse.clusters import cluster, nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(not forks.is_supported(), reason="there are no forks")


def _fail() -> NoReturn:
    raise ValueError("no")


def _die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def _children() -> set[str]:
    """The processes that this one has started and not waited for."""
    found: set[str] = set()
    for thread in pathlib.Path("/proc/self/task").iterdir():
        found.update((thread / "children").read_text().split())
    return found


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """Whatever a test does, no fork is left; other tests may have left processes of their own."""
    before = _children()
    yield
    assert _children() <= before


def test_each_result_has_the_number_of_its_work() -> None:
    started: list[tuple[int, int]] = []
    works = [lambda number=number: [number] * 100_000 for number in range(5)]
    found = forks.results(works, 2, lambda done, number: started.append((done, number)))
    assert found == {number: [number] * 100_000 for number in range(5)}
    assert [number for _, number in started] == [4, 3, 2, 1, 0]
    assert [done for done, _ in started[:2]] == [0, 0]


def test_what_a_fork_changes_is_its_own() -> None:
    seen: list[int] = []

    def work() -> int:
        seen.append(1)
        return len(seen)

    assert forks.results([work, work], 1, lambda *_: None) == {0: 1, 1: 1}
    assert not seen


def test_one_that_fails_or_dies_is_missing(capfd: pytest.CaptureFixture[str]) -> None:
    found = forks.results([_fail, _die, lambda: 3, lambda: sys.exit(3)], 2, lambda *_: None)
    assert found == {2: 3}
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("allowed", [0, 1])
def test_without_a_process_for_it_the_rest_is_missing(
    allowed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    fork, forked = os.fork, list[int]()

    def refuse() -> int:
        if len(forked) == allowed:
            raise BlockingIOError
        forked.append(0)
        return fork()

    monkeypatch.setattr(os, "fork", refuse)
    found = forks.results([lambda: 1, lambda: 2, lambda: 3], 2, lambda *_: None)
    assert found == ({2: 3} if allowed else {})


def test_an_interrupt_ends_all_forks() -> None:
    def interrupt(done: int, number: int) -> None:
        del done
        if number == 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        forks.results([signal.pause] * 3, 3, interrupt)


def test_a_survey_in_forks_is_that_of_one_process() -> None:
    placed = [make_node(f"n{zone}", cpu="2", zone=zone) for zone in "abc"]
    budget = make_pod_disruption_budget("web", max_unavailable=1)
    opened = cluster(*placed, make_deployment("web", replicas=3, cpu="600m"), budget)
    alone, together = (rehearse.survey(opened, SurveyOptions(jobs=jobs)) for jobs in (1, 3))
    assert together == alone
    encode = msgspec.json.encode
    for one, other in zip(alone.results, together.results, strict=True):
        assert encode(one.life) == encode(other.life)


def test_an_error_of_a_fork_is_raised_here(monkeypatch: pytest.MonkeyPatch) -> None:
    from kubestage.runs.rehearse import upgrading

    monkeypatch.setattr(upgrading, "rehearse", lambda *_, **__: _fail())
    with pytest.raises(ValueError, match=r"^no$"):
        rehearse.survey(cluster(*nodes(2)), SurveyOptions(jobs=2))


_KILLED = """
import os, time
from kubestage.runs.rehearse import forks

def work():
    print(os.getpid(), flush=True)
    time.sleep(3600)

forks.results([work], 1, lambda *_: None)
"""


def test_a_fork_ends_with_the_process_that_started_it() -> None:
    with subprocess.Popen([sys.executable, "-c", _KILLED], stdout=subprocess.PIPE, text=True) as it:
        assert it.stdout is not None
        fork = int(it.stdout.readline())
        it.kill()
        it.wait()
        deadlines.until(lambda: not pathlib.Path(f"/proc/{fork}/exe").exists())
