"""The record of a living cluster: when there is one, and how it is kept."""

from __future__ import annotations

import hashlib
import inspect
import pathlib
from typing import TYPE_CHECKING, Final

import kubestage
from kubestage.cli import life_report, printing, repeating

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.cli.living import Plan
    from kubestage.cli.running import Settings, Wanted
    from kubestage.results.life.life import Life
    from kubestage.results.life.recorder import LifeRecorder
    from kubestage.results.repeat import LifeRepeat
    from kubestage.runs.inputs.loading import Loaded
    from kubestage.stage import Stage


_TOLD: Final = {"HorizontalPodAutoscaler", "NodeGroup", "Traffic", "VerticalPodAutoscaler"}
_FIRST: Final = "manifests.yaml"


def is_worth_it(loaded: Iterable[Loaded]) -> bool:
    """Whether there is traffic or an autoscaler, of which a record is to be told."""
    return any(
        document.object.get("kind") in _TOLD for each in loaded for document in each.documents
    )


def begin(stage: Stage, duration_ns: int) -> LifeRecorder:
    """Record what happens on a stage from now on."""
    from kubestage.results.life import recorder

    made = recorder.LifeRecorder(
        stage.store, stage.environment, recorder.resolution_ns(duration_ns), stage
    )
    made.start()
    return made


def end(recorder: LifeRecorder, stage: Stage) -> Life:
    """What was recorded; time has come to its end."""
    return recorder.end(version=kubestage.__version__, seed=stage.seed)


def inputs(loaded: Loaded, plan: Plan) -> dict[str, str]:
    """All manifests as files that can be run again, by name."""
    texts = {_FIRST: _text(loaded)}
    for (_, name), each in zip(_later(plan), plan.later, strict=True):
        texts[name] = _text(each.loaded)
    return texts


def repeat(settings: Settings, wanted: Wanted, plan: Plan, life: Life) -> LifeRepeat:
    """All that a living run depends on besides its manifests."""
    from kubestage.results.repeat import LifeRepeat, Plugin

    named = zip(dict.fromkeys(wanted.plugins), settings.plugins.values(), strict=False)
    return LifeRepeat(
        version=kubestage.__version__,
        seed=settings.seed,
        start=life.start,
        tie_break=settings.tie_break.value,
        controllers=True,
        detail="summary",
        strategy="",
        as_written=settings.as_written,
        configuration=wanted.configuration,
        flags=wanted.flags.as_dict(),
        laws=dict(settings.laws),
        plugins=[Plugin(reference, _hash(plugin)) for reference, plugin in named],
        duration=life_report.in_days(plan.duration_ns),
        later=list(_later(plan)),
        control_plane=repeating.control_plane(settings),
        autoscalers=[Plugin(each.reference, _hash(each.autoscaler)) for each in plan.autoscalers],
    )


def _later(plan: Plan) -> Iterator[tuple[str, str]]:
    for number, each in enumerate(plan.later, 1):
        yield life_report.in_days(each.at_ns), f"later-{number}.yaml"


def _text(loaded: Loaded) -> str:
    return "---\n".join(printing.as_yaml(document.object) for document in loaded.documents)


def _hash(plugin: type) -> str:
    """The hash of the file that a plugin is in."""
    return hashlib.sha256(pathlib.Path(inspect.getfile(plugin)).read_bytes()).hexdigest()
