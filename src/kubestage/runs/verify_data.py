"""How recordings compare, as plain values."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from kubestage.runs import verify_counts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.runs.verify_counts import ComparedCase, PlayedScenario, PlayedWorld


def of_cases(cases: Sequence[ComparedCase], differences: int) -> Json:
    """Cases of kube-scheduler, with so many differences."""
    return {
        "decisions": sum(each.report.decisions for each in cases),
        "identical": sum(each.report.identical for each in cases),
        "categories": {
            name: {"cases": number, "decisions": decisions, "identical": identical}
            for name, (number, decisions, identical) in verify_counts.by_category(cases).items()
        },
        "plugins": {
            name: {"answers": answers, "identical": identical}
            for name, (answers, identical) in verify_counts.by_plugin(cases).items()
        },
        "differentFields": sum(len(each.report.differences) for each in cases),
        "differences": [
            {
                "file": path,
                "case": each.case,
                "attempt": each.attempt,
                "pod": each.pod,
                "path": each.path,
                "expected": each.expected,
                "got": each.got,
            }
            for path, each in itertools.islice(verify_counts.case_differences(cases), differences)
        ],
    }


def of_scenarios(scenarios: Sequence[PlayedScenario], differences: int) -> Json:
    """Scenarios of kube-controller-manager, with so many differences."""
    results = [each.result for each in scenarios]
    return {
        "scenarios": len(results),
        "identicalScenarios": sum(each.is_same for each in results),
        "identicalTraces": sum(not each.trace_differences for each in results),
        "topics": {
            name: {"scenarios": number, "steps": steps, "identical": identical}
            for name, (number, steps, identical) in verify_counts.by_topic(scenarios).items()
        },
        "differentFields": sum(len(each.differences) for each in results),
        "differences": [
            {
                "file": path,
                "scenario": result.scenario.name,
                "step": each.step,
                "kind": each.kind,
                "path": each.path,
                "expected": each.expected,
                "got": each.actual,
            }
            for path, result, each in itertools.islice(
                verify_counts.scenario_differences(scenarios), differences
            )
        ],
    }


def of_worlds(worlds: Sequence[PlayedWorld], differences: int) -> Json:
    """Worlds of autoscalers, with so many differences."""
    found = list(verify_counts.world_differences(worlds))
    return {
        "worlds": {
            program: {
                category: {
                    "worlds": number,
                    "steps": steps,
                    "decisions": decisions,
                    "identicalWorlds": same,
                    "identicalDecisions": identical,
                }
                for category, (
                    number,
                    steps,
                    decisions,
                    same,
                    identical,
                ) in verify_counts.by_world_category(some).items()
            }
            for program, some in verify_counts.by_program(worlds).items()
        },
        "differentFields": sum(each.counts for _, each in found),
        "differences": [
            {
                "file": world.path,
                "world": world.report.name,
                "step": each.step,
                "time": each.time,
                "field": each.field,
                "path": each.path,
                "expected": each.expected,
                "got": each.got,
                "counts": each.counts,
            }
            for world, each in found[:differences]
        ],
    }
