"""Commands that a load runs beside a stage."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from kubestage.runs.load.stage_shell import StageShell
from kubestage.units import SECOND_NS
from tests.measure.fake_cluster import FakeMoments

if TYPE_CHECKING:
    import pytest


def ran(*command: str, timeout_ns: int = 20 * SECOND_NS) -> tuple[int, str]:
    """What a command came to; nobody is told before the next moment."""
    moments = FakeMoments()
    told: list[tuple[int, str]] = []
    StageShell(moments).run(command, timeout_ns, lambda code, text: told.append((code, text)))
    assert not told
    moments.run(0)
    [answer] = told
    return answer


def test_a_command_is_run_with_the_environments_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GREETING", "hello")
    assert ran(sys.executable, "-c", "print('$GREETING ${NOBODY}.')") == (0, "hello .\n")


def test_its_exit_code_is_told() -> None:
    assert ran(sys.executable, "-c", "raise SystemExit(3)") == (3, "")


def test_a_command_that_takes_too_long_is_killed() -> None:
    code, text = ran(sys.executable, "-c", "import time; time.sleep(60)", timeout_ns=SECOND_NS // 5)
    assert (code, text) == (124, "killed after 200ms")


def test_a_command_that_is_not_there_is_told() -> None:
    assert ran("no-such-program-here") == (127, "no-such-program-here: No such file or directory")
