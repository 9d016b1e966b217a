"""What a server records of Scenarios and scheduling: by options, the environment and the past.

A Scenario that chooses for itself wins over all of it, and what is changed over the API while the
server runs over what it was started with.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from kubestage.runs.shared_flags import STRATEGY_VARIABLE
from kubestage.scenario.settings import Settings
from kubestage.server.kubestage_api import settings as api_settings
from kubestage.server.kubestage_api.shapes import SettingsChange

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.server.launch.options import ServeOptions


class ResultSettings(NamedTuple):
    """The settings that a server starts with."""

    scenarios: Settings
    annotates: bool
    """Whether the results of attempts are written on their pods."""


def choose(options: ServeOptions, remembered: Mapping[str, str]) -> ResultSettings:
    """An option wins over what was set over the API before, that over a variable."""
    variable = os.environ.get(STRATEGY_VARIABLE) or None
    stored = remembered.get(api_settings.REMEMBERED, "{}")
    changes = (
        _change({"resultStrategy": variable}),
        msgspec.json.decode(stored, type=SettingsChange),
        _change(
            {
                "detail": options.detail,
                "resultStrategy": options.result_strategy,
                "resultAnnotations": options.result_annotations,
            }
        ),
    )
    scenarios, annotates = Settings(), False
    for change in changes:
        scenarios = api_settings.changed(scenarios, change)
        if change.result_annotations is not msgspec.UNSET:
            annotates = change.result_annotations
    return ResultSettings(scenarios, annotates)


def _change(values: Mapping[str, Any]) -> SettingsChange:
    present = {name: value for name, value in values.items() if value is not None}
    return msgspec.convert(present, SettingsChange)
