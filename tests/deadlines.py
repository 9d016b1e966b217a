"""How long a test waits for what must come: until it comes.

A machine may be a hundred times slower than another, so that no wait is a measure of anything.
Only what never comes ends at `HANG_S`, so that a run of all tests ends as well.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HANG_S = 900.0


def attempts(pause_s: float = 0.01) -> Iterator[int]:
    """Numbers to try something again and again, with pauses; an error if that never ends."""
    end_s = time.monotonic() + HANG_S
    number = 0
    while time.monotonic() < end_s:
        yield number
        number += 1
        time.sleep(pause_s)
    raise AssertionError("what the test waits for never came")


def until(condition: Callable[[], object], pause_s: float = 0.01) -> None:
    """Wait until a condition holds."""
    for _ in attempts(pause_s):
        if condition():
            return
