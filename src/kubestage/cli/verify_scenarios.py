"""Recorded scenarios of kube-controller-manager: found among other files, played and reported."""

from __future__ import annotations

import collections
import gzip
import itertools
import pathlib
import zlib
from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.objects.tables import text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kubestage import replay
    from kubestage.replay import Difference, Result

    Results = Sequence[tuple[str, Result]]


class _Head(msgspec.Struct):
    """What tells a scenario from anything else."""

    name: str
    steps: list[msgspec.Raw]


def read(path: str) -> list[replay.Scenario]:
    """The scenarios of a file, or none if it holds something else."""
    data = pathlib.Path(path).read_bytes()
    try:
        data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        heads = msgspec.json.decode(data, type=list[_Head]) if data[:1].strip() != b"{" else []
    except (EOFError, OSError, zlib.error, msgspec.MsgspecError):
        return []
    if not heads:
        return []
    from kubestage.replay import scenario

    return scenario.read(data, path)


def play(
    scenarios: Sequence[tuple[str, replay.Scenario]], tell: Callable[[int], None]
) -> list[tuple[str, Result]]:
    """Play scenarios, each with the file it is from."""
    results = []
    for number, (path, each) in enumerate(scenarios):
        results.append((path, _play_one(path, each)))
        tell(number + 1)
    return results


def _play_one(path: str, scenario: replay.Scenario) -> Result:
    from kubestage import replay
    from kubestage.errors import InputError

    try:
        return replay.play(scenario)
    except InputError as error:
        error.file, error.path = path, error.path or scenario.name
        raise


def as_text(results: Results, differences: int, explain: Callable[[Any], str]) -> list[str]:
    """A table by topic, the first differences in full, and the sum in the last line."""
    rows = _by_topic(results)
    if len(rows) > 1:
        rows["total"] = tuple(map(sum, zip(*rows.values(), strict=True)))
    cells = [("TOPIC", "SCENARIOS", "STEPS", "IDENTICAL", "DIFFERENT")]
    for name, (scenarios, steps, identical) in rows.items():
        different = str(scenarios - identical)
        cells.append((name, str(scenarios), str(steps), str(identical), different))
    lines = [*text.align(cells), ""]
    for path, result, each in itertools.islice(_differences(results), differences):
        lines += [
            f"Difference in {path}",
            f"  at:        {result.scenario.name}, step {each.step}",
            f"  field:     {each.kind} {each.path}".rstrip(),
            f"  expected:  {explain(each.expected)}",
            f"  got:       {explain(each.actual)}",
            "",
        ]
    total = sum(len(each.differences) for _, each in results)
    if total > differences:
        more = f"the first {differences} are shown" if differences else "none is shown"
        lines += [f"{total} fields differ, {more}: --differences {total} prints all", ""]
    identical = sum(each.is_same for _, each in results)
    return [*lines, f"scenarios: {identical}/{len(results)} identical"]


def as_dict(results: Results, differences: int) -> dict[str, Any]:
    """The same for machines."""
    return {
        "scenarios": len(results),
        "identicalScenarios": sum(each.is_same for _, each in results),
        "identicalTraces": sum(not each.trace_differences for _, each in results),
        "topics": {
            name: {"scenarios": scenarios, "steps": steps, "identical": identical}
            for name, (scenarios, steps, identical) in _by_topic(results).items()
        },
        "differentFields": sum(len(each.differences) for _, each in results),
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
            for path, result, each in itertools.islice(_differences(results), differences)
        ],
    }


def _by_topic(results: Results) -> dict[str, tuple[int, ...]]:
    sums: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0, 0])
    for _, result in results:
        row = sums[result.scenario.topic]
        row[0] += 1
        row[1] += len(result.scenario.steps)
        row[2] += result.is_same
    return {name: tuple(row) for name, row in sorted(sums.items())}


def _differences(results: Results) -> Iterator[tuple[str, Result, Difference]]:
    return ((path, result, each) for path, result in results for each in result.differences)
