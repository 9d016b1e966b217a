"""Who may end a load early: a person at the keyboard, an operator, a terminal that goes away."""

from __future__ import annotations

import os
import signal

import pytest

from kubestage.cli.load_interrupts import Interrupts


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_request_is_told_and_the_second_ends_at_once(
    number: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    before = signal.getsignal(number)
    told: list[str] = []
    with Interrupts().heard() as interrupts, interrupts.telling(lambda: told.append("told")):
        os.kill(os.getpid(), number)
        assert told == ["told"]
        assert interrupts.is_pressed
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
    assert signal.getsignal(number) is before
    assert "cleaning up" in capsys.readouterr().err


def test_what_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interrupts().heard():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
