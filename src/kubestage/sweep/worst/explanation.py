"""Why the worst case is as it is: what happens, where pods end up, and the decisive attempt."""

from __future__ import annotations

import pathlib
import tempfile
from typing import TYPE_CHECKING, Final

from kubestage.golang import durations
from kubestage.objects import gvk, yaml_text
from kubestage.objects.tables import text
from kubestage.results import analysis
from kubestage.results.analysis import pod_state
from kubestage.results.life import headline
from kubestage.runs import compare, fit
from kubestage.runs.compare_options import CompareOptions
from kubestage.sweep.worst import divergence, wording
from kubestage.sweep.worst.contenders import DEFAULT
from kubestage.sweep.worst.start import NAME
from kubestage.units import SECOND_NS
from kubestage.wording import few

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.results.analysis.pod_state import PodState
    from kubestage.stage import Stage
    from kubestage.sweep.worst.evaluation import Evaluated, Evaluation
    from kubestage.sweep.worst.options import WorstOptions
    from kubestage.sweep.worst.result import WorstCase
    from kubestage.sweep.worst.runner import CaseRun

_LISTED: Final = 40
_EXPLAINED: Final = 3


def explain(
    work: Evaluation, found: WorstCase, evaluated: Evaluated, options: WorstOptions
) -> Iterator[str]:
    """The explanation, line by line."""
    runs = [work.run(found.case, at, found.run_seed)[0] for at in range(len(work.contenders))]
    names = [each.name for each in work.contenders]
    yield from _verdict(found, evaluated, names)
    yield ""
    yield "What happens:"
    yield ""
    yield from _indented(_happenings(found))
    if not found.is_found:
        return
    yield ""
    yield "Where pods are at the end:"
    yield ""
    yield from _indented(_placements(runs, names))
    if found.start.living_ns is not None:
        yield from _lives(runs, names)
    elif len(runs) > 1:
        yield ""
        yield from _decision(work, found, options)
    yield from _pending(runs, names, evaluated)


def _verdict(found: WorstCase, evaluated: Evaluated, names: Sequence[str]) -> Iterator[str]:
    if not found.is_found:
        closest, first = wording.number(found.score), wording.number(found.start_score)
        yield f"Not found: {found.objective}. The closest case scores {closest}, the start {first}."
        return
    for name, outcome in zip(names, evaluated.outcomes, strict=True):
        if outcome.sentence:
            yield f"With {name}, {outcome.sentence}."
        elif outcome.value is not None and "broken" in found.objective:
            yield f"With {name}, the invariant holds."
    if "broken" not in found.objective:
        measure = found.objective.partition(" ")[2]
        parts = [f"{wording.number(value)} with {name}" for name, value in found.values.items()]
        yield f"{measure} is {' and '.join(parts)}."


def _happenings(found: WorstCase) -> list[str]:
    is_living = found.start.living_ns is not None
    heading = ("TIME" if is_living else "STEP", "OPERATION", "OBJECT", "DETAILS")
    rows = [
        (
            durations.go_string(each.at * SECOND_NS) if is_living else str(each.at),
            each.operation,
            str(each.target),
            wording.details(each),
        )
        for each in found.case.events
    ]
    return text.align([heading, *rows])


def _placements(runs: Sequence[CaseRun], names: Sequence[str]) -> list[str]:
    ends = [_ends(run) for run in runs]
    keys = list(dict.fromkeys(key for each in ends for key in each))
    rows = [(key, *(each.get(key, "-") for each in ends)) for key in keys[:_LISTED]]
    heading = ("POD", *(name.upper() for name in names))
    more = len(keys) - _LISTED
    lines = list(text.align([heading, *rows]))
    return [*lines, f"and {more} more"] if more > 0 else lines


def _ends(run: CaseRun) -> dict[str, str]:
    """The node of each pod, or what became of it."""
    if not run.is_living:
        return {pod.key: _end(pod) for pod in analysis.digest(run.record).pods}
    pods = run.stage.store.read(gvk.POD)
    return {key: pod["spec"].get("nodeName") or "Pending" for key, pod in pods.items()}


def _end(pod: PodState) -> str:
    if pod.status == pod_state.SCHEDULED:
        return pod.node
    return f"Preempted by {pod.preempted_by}" if pod.preempted_by else pod.status


def _lives(runs: Sequence[CaseRun], names: Sequence[str]) -> Iterator[str]:
    """What went wrong in living runs."""
    for run, name in zip(runs, names, strict=True):
        sentences = headline.of(run.record.summary)
        if sentences:
            yield ""
            yield f"What went wrong with {name}:"
            yield ""
            yield from (f"- {each}" for each in sentences)


def _decision(work: Evaluation, found: WorstCase, options: WorstOptions) -> Iterator[str]:
    """The first decision in which the two configurations differ."""
    scenario = found.start.scenario(found.case)
    configs = tuple(each.config or DEFAULT for each in work.contenders)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / f"{NAME}.yaml"
        file.write_text(yaml_text.dump(scenario))
        compared = compare.compare(
            [file],
            CompareOptions(
                configs=configs,
                plugins=options.plugins,
                seed=found.run_seed,
                tie_break=options.tie_break,
                controllers=found.start.is_alive,
                start=found.start.begin,
            ),
        )
    assert isinstance(compared, compare.ComparedRuns)
    names = work.contenders[0].name, work.contenders[1].name
    for pair in compared.pairs:
        yield from divergence.lines(pair.divergence, names)


def _pending(runs: Sequence[CaseRun], names: Sequence[str], evaluated: Evaluated) -> Iterator[str]:
    """Why pods wait, and what would help them: those of the verdict, else those that wait."""
    for run, name, outcome in zip(runs, names, evaluated.outcomes, strict=True):
        pods = run.stage.store.read(gvk.POD)
        waiting = [key for key, pod in pods.items() if not pod["spec"].get("nodeName")]
        chosen = [key for key in waiting if key in outcome.pods] or waiting
        reasons: dict[tuple[str, ...], list[str]] = {}
        for key in chosen[:_EXPLAINED]:
            reasons.setdefault(tuple(_reasons(run.stage, pods[key])), []).append(key)
        for lines, alike in reasons.items():
            yield ""
            yield f"Why {few(alike)} {'waits' if len(alike) == 1 else 'wait'} with {name}:"
            yield ""
            yield from _indented(lines)


def _reasons(stage: Stage, pod: Json) -> Iterator[str]:
    for condition in (pod.get("status") or {}).get("conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("message"):
            yield str(condition["message"])
    yield from fit.advise(stage, pod).lines()


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"    {line}".rstrip() for line in lines)
