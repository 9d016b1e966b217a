"""What a server tells of Scenarios and of scheduling, from options, the environment and before.

A Scenario that chooses for itself wins over all of it, and what is changed over the API while the
server runs over what it was started with.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.cli import completion
from kubestage.cli import run_options as options
from kubestage.scenario.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.server.kubestage_api.shapes import SettingsChange


class Results(msgspec.Struct, frozen=True):
    """What the options say; None where they say nothing."""

    detail: str | None = None
    strategy: str | None = None
    annotations: bool | None = None


class Chosen(msgspec.Struct, frozen=True):
    """The settings that a server starts with."""

    settings: Settings
    annotates: bool


def checked(detail: str | None, strategy: str | None, annotations: bool | None) -> Results:
    """What the options say; words that mean nothing are refused, in the environment as well."""
    if detail is not None:
        completion.check_choice(detail, options.DETAILS, "detail")
    if strategy is not None:
        completion.check_choice(strategy, options.STRATEGIES, "result strategy")
    variable = os.environ.get(options.STRATEGY_VARIABLE)
    if variable:
        completion.check_choice(variable, options.STRATEGIES, options.STRATEGY_VARIABLE)
    return Results(detail, strategy, annotations)


def choose(results: Results, remembered: Mapping[str, str]) -> Chosen:
    """An option wins over what an earlier process was told over the API, that over a variable."""
    from kubestage.server.kubestage_api import settings as own_settings

    variable = os.environ.get(options.STRATEGY_VARIABLE) or None
    kept = remembered.get(own_settings.REMEMBERED, "{}")
    given = {
        "detail": results.detail,
        "resultStrategy": results.strategy,
        "resultAnnotations": results.annotations,
    }
    chosen, annotates = Settings(), False
    for layer in (_change({"resultStrategy": variable}), _remembered(kept), _change(given)):
        chosen = own_settings.changed(chosen, layer)
        if layer.result_annotations is not msgspec.UNSET:
            annotates = layer.result_annotations
    return Chosen(chosen, annotates)


def _change(given: Mapping[str, Any]) -> SettingsChange:
    from kubestage.server.kubestage_api.shapes import SettingsChange

    said = {name: value for name, value in given.items() if value is not None}
    return msgspec.convert(said, SettingsChange)


def _remembered(text: str) -> SettingsChange:
    from kubestage.server.kubestage_api.shapes import SettingsChange

    return msgspec.json.decode(text, type=SettingsChange)
