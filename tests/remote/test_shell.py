"""Commands beside a load."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from kubestage.remote.loop import Loop
from kubestage.remote.shell import RemoteShell
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.measure.facilities import Shell


def run(*command: str, timeout_ns: int = 30 * SECOND_NS) -> tuple[int, str]:
    """Run a command to its end."""
    ended: list[tuple[int, str]] = []
    with Loop() as loop:
        shell: Shell = RemoteShell(loop)
        shell.run(command, timeout_ns, lambda code, text: ended.append((code, text)))
        assert not ended
        loop.run(lambda: bool(ended))
    return ended[0]


def test_the_exit_code_and_what_was_written_are_told() -> None:
    code = "import sys; print('out'); sys.stdout.flush(); print('err', file=sys.stderr); exit(3)"
    assert run(sys.executable, "-c", code) == (3, "out\nerr\n")


def test_nobody_can_be_asked() -> None:
    assert run("cat") == (0, "")


@pytest.mark.parametrize(
    ("word", "filled"),
    [
        ("$PLACE", "here"),
        ("${PLACE}s", "heres"),
        ("$PLACEs", ""),
        ("a${}b", "ab"),
        ("a${PLACE", "aPLACE"),
        ("$$PLACE", "PLACE"),
        ("$1x", "x"),
        ("5 $ or $", "5 $ or $"),
        ("$(PLACE)", "$(PLACE)"),
    ],
)
def test_variables_are_filled_in_as_go_does(
    word: str, filled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLACE", "here")
    monkeypatch.delenv("PLACEs", raising=False)
    assert run("printf", "%s", word) == (0, filled)


def test_a_command_is_killed_with_all_it_started_when_its_time_is_over() -> None:
    code, text = run("sh", "-c", "echo begun; sleep 3600 & sleep 3600", timeout_ns=SECOND_NS // 2)
    assert (code, text) == (124, "begun\nkilled after 500ms")
    # The child outlives its parent and holds the pipe.
    code, text = run("sh", "-c", "sleep 3600 & echo ended", timeout_ns=SECOND_NS // 2)
    assert (code, text) == (124, "ended\nkilled after 500ms")


def test_a_command_that_is_not_there_is_named() -> None:
    code, text = run("no-such-program-anywhere")
    assert code == 127
    assert text.startswith("no-such-program-anywhere: ")
    assert run("/")[0] == 126


def test_a_command_ends_with_the_run() -> None:
    with Loop() as loop:
        RemoteShell(loop).run(["sleep", "3600"], 3600 * SECOND_NS, lambda *_: None)
        started: list[bool] = []
        loop.asyncio.call_later(0.2, loop.turn, lambda: started.append(True))
        loop.run(lambda: bool(started))
