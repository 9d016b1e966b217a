"""Recorded scenarios as they lie in files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import msgspec

from kubestage.aliases import Json
from kubestage.errors import InputError
from kubestage.files import reading

if TYPE_CHECKING:
    import pathlib


KubeletMode = Literal["serial", "rounds", "parallel"]

_EVENT_FIELDS: Final = ("object", "type", "reason", "message", "source", "count")
_FIX: Final = "a list of recorded scenarios is expected, each with its steps"


class RecordedStep(msgspec.Struct, frozen=True):
    """What was done, and what was seen once the cluster had become quiet."""

    operation: list[Json]
    state: dict[str, dict[str, Json]]
    events: list[Json]
    trace: Json
    errors: list[Json] = []
    wait_until: str = ""
    recorded_after_seconds: float | None = None
    not_quiet: bool = False


class RecordedScenario(msgspec.Struct, frozen=True):
    """A recorded scenario, from an empty namespace on."""

    name: str
    topic: str
    kubelet: KubeletMode
    kubelet_quiet_seconds: float
    nodes: list[str]
    steps: list[RecordedStep]
    runs: int = 1
    varies: list[str] = []
    truncated: Json | None = None


def load(path: pathlib.Path) -> list[RecordedScenario]:
    """The scenarios of a file, which may be compressed."""
    return read(reading.unpacked(reading.read(path), str(path)), str(path))


def read(data: bytes, source: str = "<bytes>") -> list[RecordedScenario]:
    """The scenarios of a JSON list."""
    try:
        scenarios = msgspec.json.decode(data, type=list[RecordedScenario])
    except msgspec.MsgspecError as error:
        raise InputError(str(error).replace("`", ""), file=source, fix=_FIX) from None
    for scenario in scenarios:
        _check(scenario, source)
    return scenarios


def _check(scenario: RecordedScenario, source: str) -> None:
    """Refuse what cannot be compared; operations are checked when they are done."""
    for number, step in enumerate(scenario.steps):
        for each in step.events:
            varies = any(key.startswith("<varies>") for key in each)
            missing = [key for key in _EVENT_FIELDS if key not in each]
            if "object" in missing or (missing and not varies):
                raise InputError(
                    f"an event lacks {missing[0]}",
                    file=source,
                    path=f"{scenario.name}, step {number}",
                    fix=_FIX,
                )
