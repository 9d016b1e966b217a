"""Commands that take time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.golang import durations
from kubestage.programs.calls import Call, Waiting
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.programs.commands import Run

_UNITS: Final = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


class Sleep(Waiting):
    """A time that passes."""

    def __init__(self, call: Call, duration_ns: int | None) -> None:
        super().__init__(call)
        self.wake_ns = None if duration_ns is None else call.context.now_ns + duration_ns


def sleep(call: Call) -> int | Waiting:
    """``sleep``: in virtual time."""
    total_ns = 0
    for each in call.arguments:
        if each in ("inf", "infinity"):
            return Sleep(call, None)
        found = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd]?)", each)
        if found is not None:
            total_ns += round(float(found[1]) * _UNITS[found[2]] * SECOND_NS)
            continue
        try:
            total_ns += durations.parse_duration(each)
        except ValueError:
            raise call.unmodelled() from None
    if not call.arguments:
        raise call.unmodelled()
    return Sleep(call, total_ns)


def pause(call: Call) -> Waiting:
    """The program of pause images: it does nothing until it is stopped."""
    return Paused(call)


class Paused(Waiting):
    """Nothing happens, until a signal comes."""

    def on_signal(self, name: str, now_ns: int) -> bool:
        """It ends in order."""
        if name not in ("TERM", "INT"):
            return False
        self.wake_ns, self.code = now_ns, 0
        return True


WAITING: Final[dict[str, Run]] = {"pause": pause, "sleep": sleep}
