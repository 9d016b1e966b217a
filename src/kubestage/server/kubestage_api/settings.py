"""How Scenarios are run and what is told of scheduling: read, and changed for what comes next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import BadRequest, Conflict
from kubestage.scenario.settings import Detail, Strategy
from kubestage.server.kubestage_api import shapes

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.scenario.settings import Settings
    from kubestage.server.kubestage_api.call import Call
    from kubestage.stage import Stage


REMEMBERED: Final = "scenarioSettings"
"""Under this name a journal remembers the settings that were changed over the API, as JSON."""

_NONE: Final = "nobody schedules here: start kubestage with --scheduler built-in"
_OUTSIDE: Final = (
    "resultAnnotations: a scheduler outside does not tell its results: start kubestage with "
    "--scheduler built-in"
)


async def get(call: Call) -> shapes.Settings:
    """The settings at work."""
    return _told(call.live.stage)


async def change(call: Call) -> shapes.Settings:
    """Change the settings that are given; a Scenario keeps those with which it was begun."""
    # NOTE: loaded when asked for: a server that keeps nothing needs no database.
    from kubestage.server.journal.journal import Journal  # noqa: PLC0415

    live = call.live
    asked = call.body(shapes.SettingsChange)
    given = msgspec.to_builtins(asked)
    if not given:
        names = ", ".join(field.encode_name for field in msgspec.structs.fields(asked))
        raise BadRequest(f"nothing is asked for: give one or more of {names}")
    apply(live.stage, asked)
    if isinstance(live.durability, Journal):
        before = live.durability.remembered.get(REMEMBERED, "{}")
        text = msgspec.json.encode({**msgspec.json.decode(before), **given}).decode()
        await live.durability.remember(REMEMBERED, text)
    return _told(live.stage)


def apply(stage: Stage, asked: shapes.SettingsChange) -> None:
    """Have a stage go by other settings from now on."""
    if stage.scenarios is None:
        raise Conflict(_NONE)
    if asked.result_annotations is not msgspec.UNSET:
        if stage.scheduler is None and asked.result_annotations:
            raise Conflict(_OUTSIDE)
        stage.annotates_results = asked.result_annotations
    stage.scenarios.settings = changed(stage.scenarios.settings, asked)


def changed(settings: Settings, asked: shapes.SettingsChange) -> Settings:
    """Settings of Scenarios with those that are given in place of what was there."""
    given: Json = {}
    if asked.detail is not msgspec.UNSET:
        given["detail"] = Detail(asked.detail)
    if asked.result_strategy is not msgspec.UNSET:
        given["strategy"] = Strategy(asked.result_strategy)
    return msgspec.structs.replace(settings, **given)


def _told(stage: Stage) -> shapes.Settings:
    if stage.scenarios is None:
        raise Conflict(_NONE)
    settings = stage.scenarios.settings
    return shapes.Settings(
        detail=settings.detail.value,
        result_strategy=settings.strategy.value,
        result_annotations=stage.annotates_results,
    )
