"""Programs that are known by name: how long a container runs follows from what it runs."""

from __future__ import annotations

import re
from typing import Any, Final

from kubestage.golang import durations
from kubestage.objects.distributions import Distribution
from kubestage.units import SECOND_NS

_SHELLS: Final = frozenset({"sh", "bash", "ash", "dash"})
_UNIT_SECONDS: Final = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_SLEEP_AT_END: Final = re.compile(r"(?:^|[;&\n]\s*)(?:exec\s+)?sleep\s+(\S+)\s*;?\s*$")


def lifetime(container: dict[str, Any], default: Distribution | None) -> Distribution | None:
    """How long a container runs by what it runs, or the default; None is without end.

    The pause program never ends. ``sleep 30`` ends after thirty seconds, also as the last command
    of a shell's script, and also where an image of that name is given the time as its argument.
    """
    program = _basename(str(container.get("image") or "").split("@")[0]).partition(":")[0]
    command = [str(each) for each in container.get("command") or ()]
    arguments = [*(command or [program]), *(str(each) for each in container.get("args") or ())]
    name = _basename(arguments[0])
    if name == "pause":
        return None
    if name == "sleep" and len(arguments) > 1:
        return _slept(arguments[1], default)
    if name in _SHELLS and len(arguments) > 2 and arguments[1].endswith("c"):
        found = _SLEEP_AT_END.search(arguments[2])
        return default if found is None else _slept(found[1], default)
    return default


def _basename(path: str) -> str:
    return path.rpartition("/")[2]


def _slept(text: str, default: Distribution | None) -> Distribution | None:
    """The argument of sleep, as a shell or a Go program would read it."""
    if text in ("inf", "infinity"):
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd]?)", text)
    if found is not None:
        seconds = float(found[1]) * _UNIT_SECONDS[found[2]]
        return Distribution("constant", round(seconds * SECOND_NS))
    try:
        return Distribution("constant", durations.parse_duration(text))
    except ValueError:
        return default
