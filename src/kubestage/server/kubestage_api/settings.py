"""Settings of Scenarios and of what is reported of scheduling: read, or changed from now on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage import lazy
from kubestage.errors import BadRequest, Conflict
from kubestage.scenario.settings import Detail, Strategy
from kubestage.server.kubestage_api import shapes

# NOTE: a server without a journal needs no database.
with lazy.imports():
    from kubestage.server.journal import journal

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.scenario.settings import Settings
    from kubestage.server.kubestage_api.call import ApiCall
    from kubestage.server.live import Live
    from kubestage.stage import Stage


REMEMBERED: Final = "scenarioSettings"
"""Under this name a journal remembers the settings that were changed over the API, as JSON."""

_NONE: Final = "no scheduler is running here: start kubestage with --scheduler built-in"
_OUTSIDE: Final = (
    "resultAnnotations: an external scheduler does not report its results: start kubestage with "
    "--scheduler built-in"
)


async def get(call: ApiCall) -> shapes.Settings:
    """The current settings."""
    return _settings(call.live)


async def change(call: ApiCall) -> shapes.Settings:
    """Change the settings that are given; a Scenario keeps those with which it started."""
    live = call.live
    change = call.body(shapes.SettingsChange)
    changes = msgspec.to_builtins(change)
    if not changes:
        names = ", ".join(field.encode_name for field in msgspec.structs.fields(change))
        raise BadRequest(f"the request sets nothing: give one or more of {names}")
    apply(live.stage, change)
    if isinstance(live.durability, journal.Journal):
        before = live.durability.remembered.get(REMEMBERED, "{}")
        text = msgspec.json.encode({**msgspec.json.decode(before), **changes}).decode()
        await live.durability.remember(REMEMBERED, text)
    return _settings(live)


def apply(stage: Stage, change: shapes.SettingsChange) -> None:
    """Have a stage go by other settings from now on."""
    if stage.scenarios is None:
        raise Conflict(_NONE)
    if change.result_annotations is not msgspec.UNSET:
        if stage.scheduler is None and change.result_annotations:
            raise Conflict(_OUTSIDE)
        stage.annotates_results = change.result_annotations
    stage.scenarios.settings = changed(stage.scenarios.settings, change)


def changed(settings: Settings, change: shapes.SettingsChange) -> Settings:
    """Settings of Scenarios with those that are given in place of what was there."""
    changes: Json = {}
    if change.detail is not msgspec.UNSET:
        changes["detail"] = Detail(change.detail)
    if change.result_strategy is not msgspec.UNSET:
        changes["strategy"] = Strategy(change.result_strategy)
    return msgspec.structs.replace(settings, **changes)


def _settings(live: Live) -> shapes.Settings:
    stage = live.stage
    if stage.scenarios is None:
        raise Conflict(_NONE)
    settings = stage.scenarios.settings
    return shapes.Settings(
        detail=settings.detail.value,
        result_strategy=settings.strategy.value,
        result_annotations=stage.annotates_results,
        components=dict(live.state.component_settings) or msgspec.UNSET,
    )
