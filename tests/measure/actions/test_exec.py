"""Exec runs commands if it may, and tries again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.measure.actions.exec import Exec
from kubestage.measure.facilities import Facilities
from tests.measure.fake_cluster import FakeCluster
from tests.measure.making import Asked, make

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Shell:
    """Answers with exit codes in turn, each after one second."""

    def __init__(self, cluster: FakeCluster, *codes: int) -> None:
        self._cluster = cluster
        self._codes = list(codes)
        self.ran: list[tuple[tuple[str, ...], int, float]] = []

    def run(
        self, command: Sequence[str], timeout_ns: int, done: Callable[[int, str], None]
    ) -> None:
        moments = self._cluster.moments
        self.ran.append((tuple(command), timeout_ns, moments.now_ns / 1e9))
        code = self._codes.pop(0)
        moments.at(moments.now_ns + 10**9, lambda: done(code, "words\n"))


def executed(*codes: int, **raw: Any) -> tuple[Asked, Shell]:
    cluster = FakeCluster()
    shell = Shell(cluster, *codes)
    asked = Asked(make(Exec, cluster, Facilities(shell=shell)), **raw)
    cluster.moments.run(600)
    return asked, shell


def test_nothing_is_run_unless_that_is_allowed() -> None:
    asked = Asked(make(Exec, FakeCluster()), command=["true"])
    assert asked.outcome.skipped == "not allowed: --allow-exec"
    assert asked.outcome.errors == ()


def test_a_command_that_succeeds_is_run_once() -> None:
    asked, shell = executed(0, command=["sleep", 5], timeout="2m", retries=3)
    assert (asked.at_s, asked.outcome.errors) == (1, ())
    assert shell.ran == [(("sleep", "5"), 120 * 10**9, 0)]


def test_a_command_is_tried_again_after_a_pause() -> None:
    asked, shell = executed(1, 0, command=["x"], retries=2, backoffDelay="3s")
    assert [at for _, _, at in shell.ran] == [0, 4]
    assert (asked.at_s, asked.outcome.errors) == (5, ())


def test_the_last_failure_is_told() -> None:
    asked, _ = executed(1, 2, command=["x", "y"], retries=2)
    assert asked.outcome.errors == ("command [x y] failed: exit status 2: words",)
    asked, _ = executed(-9, command=["x"])
    assert asked.outcome.errors == ("command [x] failed: signal: killed: words",)


def test_a_command_is_needed_and_so_is_an_attempt() -> None:
    with pytest.raises(InputError, match="command is a required argument"):
        executed()
    with pytest.raises(InputError, match="less than one"):
        executed(command=["x"], retries=0)
