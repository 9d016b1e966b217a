"""``kubestage run --for``: the cluster lives for a while."""

from __future__ import annotations

import contextlib
import functools
import pathlib
import shutil
import sys
import tempfile
from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.cli import (
    colour,
    event_stream,
    explaining,
    interruption,
    life_records,
    life_report,
    living,
    log_lines,
    placements,
    printing,
    running,
    scenario_report,
    trace_table,
)
from kubestage.errors import InputError
from kubestage.runs.inputs import autoscaler_files, python_file, traffic_targets, traffic_times
from kubestage.scenario import resource
from kubestage.traffic.traffics import TRAFFIC

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kubestage.cli.living import Life
    from kubestage.cli.running import Settings, Wanted
    from kubestage.results.run_directory import RunDirectory
    from kubestage.runs.inputs.loading import Loaded


def run(
    loaded: Loaded, settings: Settings, wanted: Wanted, run_for: str, life: Mapping[str, Any]
) -> running.Ended:
    """Let the cluster live, and print what came of it; `life` are the options for that."""
    _refuse_scenarios(loaded)
    _check_trace(wanted, life)
    machine = wanted.output in ("json", "yaml")
    stream = event_stream.EventStream(prints=not machine) if life["--events"] else None
    coming = [living.later(each, wanted.config) for each in life["--at"] or ()]
    every = [loaded, *(each.loaded for each in coming)]
    traffic_targets.check(every)
    brought = autoscaler_files.load(life["--autoscaler"] or (), every)
    plan = living.Plan(
        living.duration(run_for),
        coming,
        living.controller_settings(settings.laws, settings.control_plane),
        stream,
        life["--trace-out"],
        traces_internal=life["--trace-internal"],
        autoscalers=brought,
        watched=stream is None,
        recorded=wanted.out is not None or life_records.is_worth_it(every),
    )
    living.check(plan)
    traffic_times.check(loaded, 0, plan.duration_ns)
    for later in plan.later:
        _refuse_scenarios(later.loaded)
        traffic_times.check(later.loaded, later.at_ns, plan.duration_ns)
    with contextlib.ExitStack() as stack:
        place = None if wanted.out is None else stack.enter_context(_claimed(wanted.out))
        if life["--trace"] and plan.trace is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            plan = msgspec.structs.replace(plan, trace=f"{folder}/trace.sqlite")
        own = python_file.blaming(*autoscaler_files.files(brought))
        kept = functools.partial(_left, wanted.out, life["--trace-out"])
        with log_lines.printed(life["--log-level"]), own, interruption.telling(kept):
            lived = living.run(loaded, settings, plan, wanted.explain)
        if place is not None:
            assert lived.record is not None
            repeat = life_records.repeat(settings, wanted, plan, lived.record)
            inputs = life_records.inputs(loaded, plan)
            timings = running.timings_of(lived.scheduler)
            with interruption.telling(lambda: f"kept: {wanted.out}"), interruption.deferred():
                place.write_life(lived.record, repeat, inputs, timings)
        if life["--trace"]:
            _print_trace(plan)
    told = _told(lived, wanted, stream)
    sys.stdout.write(told if machine else colour.painted(told))
    left = life_report.unfinished(lived.stage)
    problem = f"{len(left)} pod{'' if len(left) == 1 else 's'} not running" if left else None
    return running.Ended(None, problem, list(_notes(lived)), running.timings_of(lived.scheduler))


def _check_trace(wanted: Wanted, life: Mapping[str, Any]) -> None:
    if life["--trace"] and wanted.output in ("json", "yaml"):
        fix = "keep it with --trace-out FILE, then: kubestage trace show FILE -o json"
        raise InputError(f"prints a table, which is no {wanted.output}", path="--trace", fix=fix)
    if life["--trace-internal"] and not (life["--trace"] or life["--trace-out"]):
        fix = "add --trace or --trace-out FILE"
        raise InputError("means something only with a trace", path="--trace-internal", fix=fix)


def _print_trace(plan: living.Plan) -> None:
    from kubestage.results import trace

    assert plan.trace is not None
    read = functools.partial(trace.read_trace, plan.trace)
    trace_table.print_trace(trace.COLUMNS, read)
    sys.stdout.write("\n")


def _left(out: str | None, trace: str | None) -> str:
    """What is left of a cluster whose life was interrupted."""
    missing = "nothing was kept, as there is no --out" if out is None else f"not written: {out}"
    return missing if trace is None else f"kept: {trace}, up to there; {missing}"


def _notes(lived: Life) -> Iterator[str]:
    """What Traffic did not find: its target, or the container that it names."""
    for key, traffic in lived.stage.store.read(TRAFFIC).items():
        for condition in (traffic.get("status") or {}).get("conditions") or ():
            if condition["status"] == "False":
                yield f"traffic {key}: {condition['message']}"


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


def _claimed(out: str) -> RunDirectory:
    """A place for the run: what cannot be kept is not begun."""
    from kubestage.results import run_directory

    return run_directory.RunDirectory(out)


def _told(lived: Life, wanted: Wanted, stream: event_stream.EventStream | None) -> str:
    if wanted.output in ("json", "yaml"):
        told = life_report.as_dict(lived, stream.told if stream is not None else [])
        return printing.as_json(told) if wanted.output == "json" else printing.as_yaml(told)
    if lived.explained is not None:
        return _explained(lived, wanted)
    is_wide = wanted.output == "wide"
    text = life_report.as_table(lived, wide=is_wide, shows_all=wanted.shows_all)
    if wanted.out is not None:
        text += scenario_report.kept_in({"": pathlib.Path(wanted.out)})
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
