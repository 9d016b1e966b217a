"""Prints what came of a run: as tables for people, or as data."""

from __future__ import annotations

import functools
import io
import shutil
import sys
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage.cli import (
    colour,
    explaining,
    interruption,
    life_report,
    life_summary,
    printing,
    progress,
    run_report,
    scenario_report,
    screen,
    timings_report,
    trace_table,
)
from kubestage.results import scenario_file
from kubestage.runs.run_result import LivingResult, ManifestsResult, ScenariosResult

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

    from kubestage.aliases import Json
    from kubestage.runs.pod_explanation import PodExplanation
    from kubestage.runs.run_result import RunResult

_DATA: Final = ("json", "yaml")


class Shown(NamedTuple):
    """How results are printed; with `shows_all` no table is cut."""

    output: str
    shows_all: bool

    @property
    def is_data(self) -> bool:
        """Whether a program reads the output."""
        return self.output in _DATA

    @property
    def is_wide(self) -> bool:
        """Whether tables have all columns."""
        return self.output == "wide"


def write(result: RunResult, shown: Shown, events: Sequence[Json], *, is_streamed: bool) -> None:
    """Print a result, then how long scheduling took, then notes."""
    with interruption.reporting(functools.partial(_saved, result)):
        if isinstance(result, ManifestsResult):
            _write_manifests(result, shown)
        elif isinstance(result, ScenariosResult):
            _write_scenarios(result, shown)
        elif isinstance(result, LivingResult):
            text = _living(result, shown, events, is_streamed=is_streamed)
            screen.write_styled(screen.safe(text) if shown.is_data else colour.painted(text))
        if result.timings is not None and not shown.is_data:
            screen.write(timings_report.summary(result.timings))
        sys.stdout.flush()
    for note in result.notes:
        progress.OBSERVER.note(note)


def write_trace(file: str) -> None:
    """Print the movements that a file holds."""
    from kubestage.results import trace

    read = functools.partial(trace.read_trace, file)
    trace_table.print_trace(trace.COLUMNS, read)
    screen.write("\n")


def unfinished(result: RunResult) -> str | None:
    """Which pods are not where they should be, in a few words."""
    if isinstance(result, LivingResult):
        left, what = len(life_report.unfinished(result.stage)), "not running"
    else:
        left, what = result.unscheduled, "without a node"
    return f"{left} pod{'' if left == 1 else 's'} {what}" if left else None


def _saved(result: RunResult) -> str:
    if not result.saved:
        return "nothing was kept, as there is no --out"
    return f"kept: {', '.join(map(str, result.saved.values()))}"


def _write_manifests(result: ManifestsResult, shown: Shown) -> None:
    if shown.is_data:
        screen.write(_as(shown.output, run_report.as_dict(result)))
    elif result.explanation is not None:
        colour.write(_explained(result.explanation))
    else:
        colour.write(run_report.as_table(result, wide=shown.is_wide, shows_all=shown.shows_all))
        screen.write(scenario_report.saved_in(result.saved))


def _write_scenarios(result: ScenariosResult, shown: Shown) -> None:
    explanation = result.explanation
    if explanation is not None and shown.is_data:
        attempts = {"pod": explanation.placement.key, "attempts": explanation.attempts}
        screen.write(_as(shown.output, attempts))
    elif explanation is not None:
        colour.write(_explained(explanation))
    elif shown.is_data:
        _write_data(result, shown.output)
    else:
        is_wide = shown.is_wide or shown.shows_all
        colour.write(scenario_report.as_table(result.scenarios, result.saved, wide=is_wide))
        if len(result.scenarios) == 1 and result.stage.traffic is not None:
            load = life_summary.of_traffic(result.stage.traffic.records(), wide=is_wide)
            screen.write(f"\n{load}" if load else "")


def _write_data(result: ScenariosResult, output: str) -> None:
    """Print Scenarios with their statuses as data; as JSON event by event."""
    if output == "json" and not sys.stdout.isatty():
        sys.stdout.flush()
        _write_json(result, sys.stdout.buffer)
        return
    collected = io.BytesIO()
    _write_json(result, collected)
    if output == "json":
        screen.write_data(collected.getvalue().decode())
        return
    screen.write(printing.as_yaml(msgspec.json.decode(collected.getvalue())))


def _write_json(result: ScenariosResult, out: BinaryIO) -> None:
    scenarios = result.scenarios
    if len(scenarios) > 1:
        out.write(b'{"apiVersion": "v1", "kind": "List", "metadata": {}, "items": [\n')
    for position, scenario in enumerate(scenarios):
        if position:
            out.write(b",\n")
        reader = result.open_record(scenario["metadata"]["name"])
        scenario_file.write_scenario(scenario, out, reader)
        if reader is not None:
            reader.close()
    if len(scenarios) > 1:
        out.write(b"]}\n")


def _living(
    result: LivingResult, shown: Shown, events: Sequence[Json], *, is_streamed: bool
) -> str:
    if shown.is_data:
        return _as(shown.output, life_report.as_dict(result, list(events)))
    if result.explanation is not None:
        return _explained(result.explanation)
    text = life_report.as_table(result, wide=shown.is_wide, shows_all=shown.shows_all)
    text += scenario_report.saved_in(result.saved)
    return f"\n{text}" if is_streamed else text


def _explained(explanation: PodExplanation) -> str:
    width = shutil.get_terminal_size().columns
    lines = explaining.explain(*explanation[:4], width)
    if explanation.advice is not None:
        lines += ["", *explanation.advice.lines()]
    return "".join(f"{line}\n" for line in lines)


def _as(output: str, data: dict[str, Any]) -> str:
    return printing.as_json(data) if output == "json" else printing.as_yaml(data)
