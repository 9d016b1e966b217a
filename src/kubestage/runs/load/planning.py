"""What loads would do: everything is rendered and checked, and nothing is run."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import msgspec

from kubestage.cluster.load_programs import images
from kubestage.clusterloader.planned import LoadPlan  # noqa: TC001 - read by msgspec
from kubestage.errors import Unmodelled
from kubestage.runs.load import (
    composition,
    load_test,
    measurement_files,
    program_files,
    stage_setup,
)
from kubestage.runs.load.load_test import LoadTest  # noqa: TC001 - read by msgspec
from kubestage.runs.load.options import NODES, LoadOptions
from kubestage.runs.observer import SILENT
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.cluster.load_programs.images import ProgramMaker
    from kubestage.clusterloader.planned import PlannedPhase, PlannedStep
    from kubestage.measure.registry import Registry
    from kubestage.runs.observer import Observer


class PlannedTest(msgspec.Struct, frozen=True):
    """The plan of one test, and what is odd about its configuration.

    `failures` are parts of the configuration that will fail a step.
    """

    test: LoadTest
    plan: LoadPlan
    nodes: int
    warnings: tuple[str, ...]
    failures: tuple[str, ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        """All that would fail a run."""
        return (*self.failures, *self.plan.problems)

    @property
    def is_sound(self) -> bool:
        """Whether nothing is known that would fail a run."""
        return not self.problems

    def as_data(self) -> Json:
        """The plan as plain values."""
        plan = self.plan
        return {
            "path": self.test.path,
            "identifier": self.test.identifier,
            "nodes": self.nodes,
            "calls": plan.calls,
            "expectedSeconds": plan.expected_ns / SECOND_NS,
            "openEnded": plan.is_open_ended,
            "name": plan.name,
            "namespaces": plan.namespaces,
            "created": plan.created,
            "peak": plan.peak,
            "peakPods": plan.peak_pods,
            "problems": list(self.problems),
            "notes": list(plan.notes),
            "warnings": list(self.warnings),
            "steps": [_step_data(step) for step in plan.steps],
        }


def plan_load(
    tests: str | Sequence[str | LoadTest],
    options: LoadOptions | None = None,
    *,
    registry: Registry | None = None,
    observer: Observer = SILENT,
) -> list[PlannedTest]:
    """The plan of each test; no cluster is needed."""
    options = options or LoadOptions()
    options.check()
    known = registry or measurement_files.registry(options.measurements)
    programs = program_files.load(options.programs)
    selected = load_test.select(tests)
    nodes = node_count(options, observer)
    client = None if options.is_real else stage_setup.profile(options, observer).client
    limits = composition.client_limits(options, nodes, client)
    planned = []
    for test in selected:
        loaded = load_test.load(test, options, nodes, known, random.Random(options.seed))
        found = composition.plan(loaded, nodes, limits)
        warnings = tuple(each for each in loaded.warnings if each not in loaded.failures)
        failures, missing = loaded.failures, _missing_programs(found, programs, options)
        if options.is_strict:
            failures += missing
        else:
            warnings += missing
        planned.append(PlannedTest(test, found, nodes, warnings, failures))
    return planned


def _missing_programs(
    plan: LoadPlan, programs: Mapping[str, ProgramMaker], options: LoadOptions
) -> tuple[str, ...]:
    """The images that look as if their programs called the API, and have no model on a stage."""
    found = []
    for image in () if options.is_real else plan.images:
        try:
            images.program_of(image, programs)
        except Unmodelled as problem:
            found.append(f"image {image}: {problem}")
    return tuple(found)


def node_count(options: LoadOptions, observer: Observer = SILENT) -> int:
    """For how many nodes a load is made; a stage is made to count them only if it must be."""
    if options.nodes is not None or not options.stage:
        return options.nodes or NODES
    stage = stage_setup.populate(options, stage_setup.profile(options, observer), observer)
    return stage_setup.node_count(stage, options)


def _step_data(step: PlannedStep) -> Json:
    return {
        "name": step.name,
        "calls": step.calls,
        "actions": step.actions,
        "expectedSeconds": step.expected_ns / SECOND_NS,
        "openEnded": step.is_open_ended,
        "pods": step.pods,
        "does": described(step),
    }


def described(step: PlannedStep) -> list[str]:
    """What a step does, a line for each kind of object and each measurement."""
    found = [line for phase in step.phases for line in _phase(phase)]
    found += [
        f"{each.method} {each.identifier}" + (f" ({each.action})" if each.action else "")
        for each in step.measurements
    ]
    return found


def _phase(phase: PlannedPhase) -> Iterator[str]:
    for each in phase.objects:
        parts = [
            f"{verb} {count:,}"
            for verb, count in (
                ("create", each.create),
                ("patch", each.patch),
                ("delete", each.delete),
            )
            if count
        ]
        done = ", ".join(parts) or "leave"
        yield f"{done} {each.kind} {each.basename} ({phase.tuning_set})"
