"""Who may end a load early: a person at the keyboard, an operator, a terminal that goes away."""

from __future__ import annotations

import os
import signal

import pytest

from kubestage.runs.load.interrupts import Interrupts


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_request_is_reported_and_the_second_ends_at_once(
    number: signal.Signals,
) -> None:
    # Whoever started the tests may ignore it, as nohup does.
    outer = signal.signal(number, signal.default_int_handler)
    before = signal.getsignal(number)
    called: list[str] = []
    interrupts = Interrupts(lambda: called.append("reported"))
    with interrupts.handled(), interrupts.ending(lambda: called.append("ended")):
        os.kill(os.getpid(), number)
        assert called == ["reported", "ended"]
        assert interrupts.is_pressed
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
    assert signal.getsignal(number) is before
    signal.signal(number, outer)


def test_what_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interrupts(lambda: None).handled():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
