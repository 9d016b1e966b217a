"""How a Scenario is run: how much is kept of it, and when its result is written."""

from __future__ import annotations

import enum
from typing import Final

import msgspec

from kubestage.aliases import Json
from kubestage.units import MINUTE_NS


class Detail(enum.Enum):
    """How much of each attempt is kept: nothing, a row, or every verdict and score."""

    SUMMARY = "summary"
    DECISIONS = "decisions"
    FULL = "full"


class Strategy(enum.Enum):
    """When ``status.scenarioResult`` is written."""

    AT_MOVING_NEXT_STEP = "AtMovingNextStep"
    ON_PAUSE = "OnPause"
    ON_DONE = "OnDone"


_CHOSEN: Final[dict[str, tuple[str, type[enum.Enum]]]] = {
    "detail": ("detail", Detail),
    "resultStrategy": ("strategy", Strategy),
}
CHOICES: Final = {field: tuple(each.value for each in kind) for field, (_, kind) in _CHOSEN.items()}
"""The fields of a Scenario's spec by which it chooses for itself, and what they may say."""


class Settings(msgspec.Struct, frozen=True):
    """All that a run of Scenarios depends on besides their events.

    `patience_ns` is for how long a step waits for a pod that neither starts nor ends, and
    `quiet_ns` how long nothing may happen before controllers count as settled. With `as_written`
    the nodes of a step come in the order in which they are written, and not by name.
    """

    strategy: Strategy = Strategy.AT_MOVING_NEXT_STEP
    detail: Detail = Detail.DECISIONS
    patience_ns: int = 5 * MINUTE_NS
    quiet_ns: int = 1_000_000_000
    as_written: bool = False

    def for_scenario(self, scenario: Json) -> Settings:
        """The same settings with what a Scenario chooses for itself; its choice wins.

        A value that is unknown is passed over: that of an invalid Scenario, which fails anyway.
        """
        spec = scenario.get("spec")
        if not isinstance(spec, dict):
            return self
        chosen = {
            setting: kind(spec[field])
            for field, (setting, kind) in _CHOSEN.items()
            if spec.get(field) in CHOICES[field]
        }
        return msgspec.structs.replace(self, **chosen) if chosen else self
