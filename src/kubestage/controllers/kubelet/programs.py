"""Programs that are known by name: what a container runs, and for how long."""

from __future__ import annotations

import functools
import re
from typing import Any, Final

from kubestage.errors import Unmodelled
from kubestage.golang import durations
from kubestage.objects.distributions import Distribution
from kubestage.programs import images, running
from kubestage.units import SECOND_NS

_UNIT_SECONDS: Final = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_SLEEP_AT_END: Final = re.compile(r"(?:^|[;&\n]\s*)(?:exec\s+)?sleep\s+(\S+)\s*;?\s*$")
_ONLY_SLEEP: Final = re.compile(r"\s*(?:exec\s+)?sleep\s+\S+\s*;?\s*")
# Programs of ClusterLoader2 that generate load; some run without end, informers for a time.
_ENDLESS: Final = frozenset({"access-tokens", "request-benchmark"})
_GENERATORS: Final = _ENDLESS | {"watch-list"}
_TIMEOUT: Final = re.compile(r"--?timeout(?:=(.*))?")
_PROBES: Final = ("startupProbe", "livenessProbe", "readinessProbe", "lifecycle")


def words(container: dict[str, Any]) -> tuple[str, ...] | None:
    """The words of the program that a container runs, if it may be a modelled one.

    One that only sleeps or pauses is not looked into, unless something looks at it: there may be
    very many of them.
    """
    found = _words(container)
    if not found or _basename(found[0]) not in running.COMMANDS:
        return None
    if _is_idle(found) and not any(container.get(each) for each in _PROBES):
        return None
    # References to variables are replaced when the container starts.
    return found if any("$(" in each for each in found) or is_modelled(found) else None


@functools.lru_cache(maxsize=4096)
def is_modelled(found: tuple[str, ...]) -> bool:
    """Whether a program is modelled, as far as can be seen before it runs."""
    try:
        running.code_of(found)
    except Unmodelled:
        return False
    return True


def _words(container: dict[str, Any]) -> tuple[str, ...]:
    command = [str(each) for each in container.get("command") or ()]
    arguments = [str(each) for each in container.get("args") or ()]
    if command:
        return (*command, *arguments)
    known = images.of_container(container)
    if not known.entrypoint and not known.arguments:
        return ()
    return (*known.entrypoint, *(arguments or known.arguments))


def _is_idle(found: tuple[str, ...]) -> bool:
    name = _basename(found[0])
    if name in ("sleep", "pause"):
        return True
    return name in running.SHELLS and len(found) == 3 and bool(_ONLY_SLEEP.fullmatch(found[2]))


def lifetime(container: dict[str, Any], default: Distribution | None) -> Distribution | None:
    """How long a container runs by what it runs, or the default; None is without end.

    The pause program never ends. ``sleep 30`` ends after thirty seconds, also as the last command
    of a shell's script, and also where an image of that name is values the time as its argument.
    Of the programs of ClusterLoader2 that generate load, informers run for their timeout, and
    others without end.
    """
    command = [str(each) for each in container.get("command") or ()]
    arguments = [
        *(command or [_image(container)]),
        *(str(each) for each in container.get("args") or ()),
    ]
    name = _basename(arguments[0])
    if name == "pause":
        return None
    if name == "sleep" and len(arguments) > 1:
        return _slept(arguments[1], default)
    if name in running.SHELLS and len(arguments) > 2 and arguments[1].endswith("c"):
        found = _SLEEP_AT_END.search(arguments[2])
        return default if found is None else _slept(found[1], default)
    return _generating(container, arguments, default)


def _generating(
    container: dict[str, Any], arguments: list[str], default: Distribution | None
) -> Distribution | None:
    """How long a program that generates load runs: for its timeout, or without end."""
    image = _image(container)
    if image in _ENDLESS and arguments[1:2] != ["informer"]:
        return None
    return _slept(_timeout(arguments), default) if image in _GENERATORS else default


def _timeout(arguments: list[str]) -> str:
    """The value of the flag of that name, or its default."""
    found = "1m"
    for index, each in enumerate(arguments):
        flag = _TIMEOUT.fullmatch(each)
        if flag is not None:
            found = flag[1] or "".join(arguments[index + 1 : index + 2])
    return found


def _image(container: dict[str, Any]) -> str:
    return images.name_of(str(container.get("image") or ""))


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
