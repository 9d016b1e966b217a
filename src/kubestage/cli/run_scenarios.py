"""``kubestage run`` without ``--for``: Scenarios, written or meant, run to their ends."""

from __future__ import annotations

import dataclasses
import io
import shutil
import sys
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.cli import (
    colour,
    explaining,
    interruption,
    keeping,
    life_summary,
    living,
    never_run,
    placements,
    printing,
    repeating,
    run_report,
    running,
    scenario_report,
    scenario_run,
    scenario_view,
)
from kubestage.errors import InputError
from kubestage.results import scenario_file
from kubestage.runs.inputs import scenario_inputs, traffic_targets
from kubestage.scenario import phases
from kubestage.scenario.settings import Detail, Settings, Strategy
from kubestage.scheduler.record import Recording

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

    from kubestage.aliases import Json
    from kubestage.cli.keeping import Keeper
    from kubestage.cli.placements import Placement
    from kubestage.cli.running import Ended, Wanted
    from kubestage.cli.scenario_run import Played
    from kubestage.runs.inputs.loading import Loaded
    from kubestage.runs.inputs.scenario_inputs import Inputs


_NAMED: Final = 3
_MACHINE: Final = ("json", "yaml")
_FAILED: Final = (phases.FAILED, phases.UNKNOWN)
# Those behind it are not begun.
_HALTED: Final = (phases.PAUSED, phases.PENDING)


def run(
    loaded: Loaded,
    settings: running.Settings,
    wanted: Wanted,
    *,
    is_alive: bool | None,
    strategy: str,
) -> Ended:
    """Run all Scenarios, and print what came of them."""
    traffic_targets.check([loaded])
    inputs = scenario_inputs.read(loaded, is_alive)
    if wanted.explain:
        _refuse_several(inputs)
    if settings.laws and not inputs.is_alive:
        path = living.option(next(iter(settings.laws)))
        fix = "add --controllers, or leave it out"
        raise InputError("means something only while kubelets are at work", path=path, fix=fix)
    names = [each["metadata"]["name"] for each in inputs.scenarios]
    rules = Settings(
        strategy=Strategy(strategy),
        detail=Detail(wanted.detail),
        as_written=settings.as_written,
    )
    repeat = repeating.of(inputs, settings, wanted, rules)
    is_machine, is_full = wanted.output in _MACHINE, rules.detail is Detail.FULL
    if not inputs.is_implicit and not wanted.explain:
        settings = dataclasses.replace(settings, recording=Recording.NONE)
    elif inputs.is_implicit and is_machine and is_full:
        settings = dataclasses.replace(settings, recording=Recording.FULL)
    with (
        keeping.Keeper(wanted.out, names, repeat, spools=is_full) as keeper,
        interruption.telling(keeper.told),
    ):
        ended: list[Json] = []
        with scenario_view.shown(inputs.scenarios) as view:
            for each in inputs.one_by_one():
                (scenario,) = each.scenarios
                if ended and ended[-1]["status"]["phase"] in _HALTED:
                    ended.append({**scenario, "status": {"phase": phases.PENDING}})
                    continue
                name = scenario["metadata"]["name"]
                watching = scenario_run.Watching(keeper.sink_for(name), view)
                played = scenario_run.play(each, settings, rules, watching)
                scenario_run.blame(played, inputs, loaded)
                ended.append(played.scenario(name))
                timings = running.timings_of(played.scheduler)
                keeper.ended(ended[-1], timings)
        if inputs.is_implicit:
            told = _manifests(played, inputs, settings, wanted, keeper)
        else:
            told = _scenarios(played, ended, inputs, settings, wanted, keeper)
            told = dataclasses.replace(told, notes=[*told.notes, *never_run.notes(loaded, ended)])
        return dataclasses.replace(told, timings=timings)


def _refuse_several(inputs: Inputs) -> None:
    """A pod of the same name may be in each of several Scenarios."""
    if len(inputs.scenarios) > 1:
        fix = "run the Scenario that has the pod by itself"
        raise InputError("there are several Scenarios", path="--explain", fix=fix)


def _manifests(
    played: Played, inputs: Inputs, settings: running.Settings, wanted: Wanted, keeper: Keeper
) -> Ended:
    """Tell of plain manifests: where their pods are."""
    outcome = running.outcome(played, inputs, settings, wanted.detail)
    counts = outcome.summary.counts
    if wanted.explain:
        key, explanations, _ = _explanations(played, inputs, settings, wanted.explain)
        outcome = dataclasses.replace(outcome, explained=key, explanations=explanations)
    if wanted.output in _MACHINE:
        sys.stdout.write(_as(wanted.output, run_report.as_dict(outcome)))
    elif outcome.explained is not None:
        placement = outcome.placement_of(outcome.explained)
        nodes = len(played.scheduler.cache.columns)
        colour.write(_explained(placement, outcome.explanations or (), nodes, wanted))
    else:
        is_wide = wanted.output == "wide"
        colour.write(run_report.as_table(outcome, wide=is_wide, shows_all=wanted.shows_all))
        sys.stdout.write(scenario_report.kept_in(keeper.kept))
    notes = [_none_made(outcome.childless)] if outcome.childless else []
    left = counts[placements.PENDING] + counts[placements.GATED]
    return running.Ended(None, _without_node(left), notes)


def _scenarios(
    played: Played,
    scenarios: Sequence[Json],
    inputs: Inputs,
    settings: running.Settings,
    wanted: Wanted,
    keeper: Keeper,
) -> Ended:
    """Tell of Scenarios: how they ended, step by step."""
    if wanted.explain:
        key, explanations, nodes = _explanations(played, inputs, settings, wanted.explain)
        if wanted.output in _MACHINE:
            sys.stdout.write(_as(wanted.output, {"pod": key, "attempts": explanations}))
        else:
            placement = placements.of_pod(key, played.stage, played.scheduler)
            colour.write(_explained(placement, explanations, nodes, wanted))
    elif wanted.output in _MACHINE:
        _print(scenarios, keeper, wanted.output)
    else:
        is_wide = wanted.output == "wide" or wanted.shows_all
        colour.write(scenario_report.as_table(scenarios, keeper.kept, wide=is_wide))
        if len(scenarios) == 1 and played.stage.traffic is not None:
            load = life_summary.of_traffic(played.stage.traffic.records(), wide=is_wide)
            sys.stdout.write(f"\n{load}" if load else "")
    failed = [each for each in scenarios if each["status"]["phase"] in _FAILED]
    failures = [f"{each['metadata']['name']}: {each['status']['message']}" for each in failed]
    left = sum(scenario_report.left(each) for each in scenarios)
    notes = list(scenario_report.notes(scenarios))
    workloads = [] if inputs.is_alive else scenario_inputs.workloads(inputs.scenarios)
    notes += [_none_made(workloads)] if workloads else []
    return running.Ended("; ".join(failures) or None, _without_node(left), notes)


def _explanations(
    played: Played, inputs: Inputs, settings: running.Settings, wanted: str
) -> tuple[str, list[Json], int]:
    """The attempts at a pod, told in full, and how many nodes there were in the last of them.

    For that the run is repeated: it is the same again, and the numbers of the attempts are known.
    """
    key = running.pod_of(played, wanted)
    numbers = [each.number for each in played.scheduler.record.decisions if each.pod == key]
    if not numbers:
        return key, [], 0
    quiet = dataclasses.replace(settings, recording=Recording.NONE, stopwatch=None)
    again = scenario_run.play(inputs, quiet, explain_at=numbers)
    told = running.numbered(again.scheduler.record.explanations)
    return key, told, len(again.scheduler.cache.columns)


def _explained(
    placement: Placement, explanations: Sequence[Json], nodes: int, wanted: Wanted
) -> str:
    lines = explaining.explain(
        placement,
        explanations,
        wanted.weights_of(placement.profile),
        nodes,
        shutil.get_terminal_size().columns,
    )
    return "".join(f"{line}\n" for line in lines)


def _print(scenarios: Sequence[Json], keeper: Keeper, output: str) -> None:
    """Print Scenarios with their statuses as data; as JSON event by event."""
    if output == "json":
        sys.stdout.flush()
        _write(scenarios, keeper, sys.stdout.buffer)
        return
    collected = io.BytesIO()
    _write(scenarios, keeper, collected)
    sys.stdout.write(printing.as_yaml(msgspec.json.decode(collected.getvalue())))


def _write(scenarios: Sequence[Json], keeper: Keeper, out: BinaryIO) -> None:
    if len(scenarios) > 1:
        out.write(b'{"apiVersion": "v1", "kind": "List", "metadata": {}, "items": [\n')
    for position, scenario in enumerate(scenarios):
        if position:
            out.write(b",\n")
        reader = keeper.reader(scenario["metadata"]["name"])
        scenario_file.write_scenario(scenario, out, reader)
        if reader is not None:
            reader.close()
    if len(scenarios) > 1:
        out.write(b"]}\n")


def _as(output: str, told: Json) -> str:
    return printing.as_json(told) if output == "json" else printing.as_yaml(told)


def _none_made(childless: Sequence[str]) -> str:
    shown, more = ", ".join(childless[:_NAMED]), len(childless) - _NAMED
    names = f"{shown} and {more} more" if more > 0 else shown
    return f"no pods of {names} are given, and none are made: with --controllers they would be"


def _without_node(left: int) -> str | None:
    return f"{left} pod{'' if left == 1 else 's'} without a node" if left else None
