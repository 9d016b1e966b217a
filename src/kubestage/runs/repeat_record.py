"""How to repeat a run: all that it depends on, as its run directory says it."""

from __future__ import annotations

import hashlib
import inspect
import pathlib
from typing import TYPE_CHECKING, Any, Final

import msgspec

import kubestage
from kubestage.files import reading
from kubestage.objects import yaml_text
from kubestage.results.life import wording
from kubestage.results.repeat import LifeRepeat, Plugin, Repeat
from kubestage.runs.replaying import demand
from kubestage.scheduler.failure_handler import Unschedulable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.results.life.life import Life
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.inputs.scenario_inputs import Inputs
    from kubestage.runs.living import LivingPlan
    from kubestage.runs.run_settings import RunSettings, SchedulerInputs
    from kubestage.scenario.settings import Settings as ScenarioSettings

_FIRST: Final = "manifests.yaml"
DEMANDS: Final = "usage.jsonl"
"""What workloads of a recording used, if that is part of a replay."""


def scenario_repeat(
    inputs: Inputs, settings: RunSettings, scheduler: SchedulerInputs, rules: ScenarioSettings
) -> Repeat:
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
        configuration=scheduler.text,
        flags=scheduler.flags.as_dict(),
        laws=dict(settings.setting_values),
        plugins=_plugins(settings, scheduler),
        control_plane=_control_plane(settings),
        unschedulable=_unschedulable(settings),
        measures=_measures(settings),
    )


def living_repeat(
    settings: RunSettings, scheduler: SchedulerInputs, plan: LivingPlan, record: Life
) -> LifeRepeat:
    """All that a living run depends on besides its manifests."""
    return LifeRepeat(
        version=kubestage.__version__,
        seed=settings.seed,
        start=record.start,
        tie_break=settings.tie_break.value,
        controllers=True,
        detail="summary",
        strategy="",
        as_written=settings.as_written,
        configuration=scheduler.text,
        flags=scheduler.flags.as_dict(),
        laws=dict(settings.setting_values),
        plugins=_plugins(settings, scheduler),
        duration=wording.duration(plan.duration_ns),
        later=list(_later(plan)),
        control_plane=_control_plane(settings),
        unschedulable=_unschedulable(settings),
        measures=_measures(settings),
        autoscalers=[Plugin(each.reference, _hash(each.autoscaler)) for each in plan.autoscalers],
    )


def manifest_files(loaded: LoadedManifests, plan: LivingPlan) -> dict[str, str]:
    """All manifests of a living run as files that can be run again, by name."""
    texts = {_FIRST: _text(loaded)}
    for (_, name), each in zip(_later(plan), plan.later, strict=True):
        texts[name] = _text(each.loaded)
    if plan.demands:
        texts[DEMANDS] = demand.encode(plan.demands)
    return texts


def _plugins(settings: RunSettings, scheduler: SchedulerInputs) -> list[Plugin]:
    # Behind those that were named come those that installed packages offer.
    named = zip(dict.fromkeys(scheduler.plugins), settings.plugins.values(), strict=False)
    return [Plugin(reference, _hash(plugin)) for reference, plugin in named]


def _control_plane(settings: RunSettings) -> dict[str, Any] | msgspec.UnsetType:
    """The profile that says how long things take, if there is one."""
    plane = settings.control_plane
    return msgspec.UNSET if plane is None else msgspec.to_builtins(plane)


def _unschedulable(settings: RunSettings) -> str | msgspec.UnsetType:
    """What becomes of pods that fit nowhere, if it is not the usual."""
    policy = settings.unschedulable
    return msgspec.UNSET if policy is Unschedulable.RETRY else policy.value


def _measures(settings: RunSettings) -> list[Plugin] | msgspec.UnsetType:
    """The measures of the user, if there are any."""
    found = [Plugin(reference, _hash(each)) for reference, each in settings.measures.items()]
    return found or msgspec.UNSET


def _later(plan: LivingPlan) -> Iterator[tuple[str, str]]:
    for number, each in enumerate(plan.later, 1):
        yield wording.duration(each.at_ns), f"later-{number}.yaml"


def _text(loaded: LoadedManifests) -> str:
    return "---\n".join(yaml_text.dump(document.object) for document in loaded.documents)


def _hash(plugin: Any) -> str:
    """The hash of the file that a plugin or measure is in."""
    file = inspect.getfile(plugin)
    # That of an installed package is no input of the user's.
    data = reading.read(file) if reading.is_file(file) else pathlib.Path(file).read_bytes()
    return hashlib.sha256(data).hexdigest()
