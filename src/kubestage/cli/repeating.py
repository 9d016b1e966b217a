"""How to repeat a run, from what a person asked for."""

from __future__ import annotations

import hashlib
import inspect
import pathlib
from typing import TYPE_CHECKING, Any

import msgspec

import kubestage
from kubestage.results.repeat import Plugin, Repeat

if TYPE_CHECKING:
    from kubestage.cli.running import Settings, Wanted
    from kubestage.runs.inputs.scenario_inputs import Inputs
    from kubestage.scenario.settings import Settings as ScenarioSettings


def of(inputs: Inputs, settings: Settings, wanted: Wanted, rules: ScenarioSettings) -> Repeat:
    """All that a run depends on besides its Scenario."""
    return Repeat(
        version=kubestage.__version__,
        seed=settings.seed,
        start=inputs.start,
        tie_break=settings.tie_break.value,
        controllers=inputs.is_alive,
        detail=rules.detail.value,
        strategy=rules.strategy.value,
        as_written=rules.as_written,
        configuration=wanted.configuration,
        flags=wanted.flags.as_dict(),
        laws=dict(settings.laws),
        plugins=[
            Plugin(reference, _hash(plugin))
            # Behind those that were named come those that installed packages offer.
            for reference, plugin in zip(
                dict.fromkeys(wanted.plugins), settings.plugins.values(), strict=False
            )
        ],
        control_plane=control_plane(settings),
    )


def control_plane(settings: Settings) -> dict[str, Any] | msgspec.UnsetType:
    """The profile that says how long things take, if there is one."""
    plane = settings.control_plane
    return msgspec.UNSET if plane is None else msgspec.to_builtins(plane)


def _hash(plugin: type) -> str:
    """The hash of the file that a plugin is in."""
    return hashlib.sha256(pathlib.Path(inspect.getfile(plugin)).read_bytes()).hexdigest()
