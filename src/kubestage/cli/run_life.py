"""``kubestage run --for``: the cluster lives for a while."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Any

from kubestage.cli import (
    event_stream,
    explaining,
    life_report,
    living,
    placements,
    printing,
    running,
    staging,
)
from kubestage.errors import InputError
from kubestage.scenario import resource

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.cli.living import Life
    from kubestage.cli.loading import Loaded
    from kubestage.cli.running import Settings, Wanted


def run(
    loaded: Loaded, settings: Settings, wanted: Wanted, run_for: str, life: Mapping[str, Any]
) -> running.Ended:
    """Let the cluster live, and print what came of it; `life` are the options for that."""
    _refuse_scenarios(loaded)
    if wanted.out is not None:
        fix = "leave out --for, or write a Scenario with spec.stepDuration"
        raise InputError("keeps runs of Scenarios, which have steps", path="--out", fix=fix)
    machine = wanted.output in ("json", "yaml")
    stream = event_stream.EventStream(prints=not machine) if life["--events"] else None
    plan = living.Plan(
        living.duration(run_for),
        [living.later(each, wanted.config) for each in life["--at"] or ()],
        living.controller_settings(settings.laws),
        stream,
        life["--trace-out"],
        watched=stream is None,
    )
    for later in plan.later:
        _refuse_scenarios(later.loaded)
    lived = living.run(loaded, settings, plan, wanted.explain)
    sys.stdout.write(_told(lived, wanted, stream))
    left = life_report.unfinished(lived.stage)
    problem = f"{len(left)} pod{'' if len(left) == 1 else 's'} not running" if left else None
    return running.Ended(None, problem, _idle(loaded))


def _idle(loaded: Loaded) -> list[str]:
    return staging.idle_autoscalers(document.object for document in loaded.documents)


def _refuse_scenarios(loaded: Loaded) -> None:
    for document in loaded.documents:
        if resource.is_scenario(document.object):
            fix = "leave out --for, or write how long a step lasts: spec.stepDuration"
            error = InputError("a Scenario says itself how long it runs", path="spec", fix=fix)
            raise loaded.place(document, error)
    for imported in loaded.imported:
        name = imported.scenario["metadata"]["name"]
        problem = f'"{name}" is imported as a Scenario, which says itself how long it runs'
        raise InputError(problem, fix="leave out --for")


def _told(lived: Life, wanted: Wanted, stream: event_stream.EventStream | None) -> str:
    if wanted.output in ("json", "yaml"):
        told = life_report.as_dict(lived.stage, stream.told if stream is not None else [])
        return printing.as_json(told) if wanted.output == "json" else printing.as_yaml(told)
    if lived.explained is not None:
        return _explained(lived, wanted)
    text = life_report.as_table(lived.stage, wide=wanted.output == "wide")
    return f"\n{text}" if stream is not None else text


def _explained(lived: Life, wanted: Wanted) -> str:
    """Why a pod of a living cluster went where it went."""
    assert lived.explained is not None
    placement = placements.of_pod(lived.explained, lived.stage, lived.scheduler)
    lines = explaining.explain(
        placement,
        lived.explanations,
        wanted.weights_of(placement.profile),
        len(lived.scheduler.cache.columns),
        shutil.get_terminal_size().columns,
    )
    return "".join(f"{line}\n" for line in lines)
