"""Why a pod went where it went: the details of each attempt at it, as text.

They come from the full record of an attempt (`scheduler.explanation`). Nodes by the
thousand share a few reasons, so nodes are grouped, and only the best are shown with their scores.
"""

from __future__ import annotations

import collections
import dataclasses
from typing import TYPE_CHECKING, Final

from kubestage.objects.tables import text
from kubestage.wording import few

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.runs.placements import Placement


TOP_NODES: Final = 10
_CANDIDATES: Final = 10
_GAP: Final = 3


@dataclasses.dataclass(frozen=True, slots=True)
class AttemptView:
    """What is known besides the details of an attempt, and how much of it there is room for.

    `weights` are those of the plugins of its profile, `node_count` is how many nodes there were.
    """

    weights: Mapping[str, int]
    node_count: int
    width: int
    top: int = TOP_NODES


def explain(
    placement: Placement,
    attempts: Sequence[Json],
    weights: Mapping[str, int],
    node_count: int,
    width: int,
) -> list[str]:
    """One pod, attempt by attempt; `weights` are those of its profile's plugins."""
    lines = [_outcome(placement)]
    view = AttemptView(weights, node_count, width)
    before: Json | None = None
    for number, attempt in enumerate(attempts, 1):
        compared = {name: value for name, value in attempt.items() if name != "number"}
        if compared == before:
            lines += ["", f"Attempt {number}: the same"]
        else:
            lines += ["", headline(attempt, f"Attempt {number}"), *details(attempt, view)]
        before = compared
    return lines


def headline(attempt: Json, name: str) -> str:
    """The result of an attempt, under this name."""
    if attempt["selected"]:
        return f"{name}: {attempt['selected']} is chosen"
    return f"{name}: {attempt['result']}\n  {attempt['message']}"


def details(attempt: Json, view: AttemptView) -> list[str]:
    """Why: the lead of the chosen node, who rejected which nodes, all scores, preemption."""
    lines: list[str] = []
    for part in (
        _lead(attempt),
        _nodes(attempt, view.node_count),
        _rejections(attempt),
        _scores(attempt, view),
        _preemption(attempt),
    ):
        if part:
            lines += ["", *part]
    return lines


def _outcome(placement: Placement) -> str:
    where = f" on {placement.node}" if placement.node else ""
    line = f"{placement.key}: {placement.status}{where} (profile {placement.profile}"
    line += f", priority {placement.priority}, {count(placement.attempts, 'attempt')})"
    return line if placement.attempts else f"{line}\n  {placement.message}"


def _lead(attempt: Json) -> list[str]:
    """What the chosen node has over the next best one, plugin by plugin."""
    scores, totals, selected = attempt.get("score"), attempt.get("totals"), attempt["selected"]
    if not scores or not totals or not selected:
        return []
    others = [node for node in totals if node != selected]
    if not others:
        return []
    second = max(others, key=lambda node: totals[node])
    lead = totals[selected] - totals[second]
    parts = {
        plugin: found["final"] - scores[second][plugin]["final"]
        for plugin, found in scores[selected].items()
    }
    shown = [
        f"{plugin} {part:+d}"
        for plugin, part in sorted(parts.items(), key=lambda item: -item[1])
        if part
    ]
    if not lead:
        tied = len(attempt["topNodes"])
        return [f"{count(tied, 'node')} share the best total; --tie-break says which is taken."]
    points = count(lead, "point")
    return [f"It leads {second} by {points}: {', '.join(shown)}."]


def _nodes(attempt: Json, node_count: int) -> list[str]:
    """How many nodes were looked at, how many fit, and why not the others."""
    nominated, looked_at = attempt.get("nominatedNodeBefore"), attempt.get("filter") or {}
    if nominated and list(looked_at) == [nominated]:
        return [f"An earlier attempt made room on {nominated}; it is tried first, and fits."]
    lines = []
    for plugin, answer in (attempt.get("preFilter") or {}).items():
        if "nodes" in answer:
            lines.append(f"{plugin} leaves only {few(answer['nodes'])}.")
        elif answer["code"] not in ("Success", "Skip"):
            lines.append(f"{plugin} rejects the pod: {', '.join(answer.get('reasons', ()))}.")
    feasible = len(attempt["feasible"])
    if looked_at:
        is_sample = feasible and len(looked_at) < node_count and not lines
        why = " (enough were found)" if is_sample else ""
        nodes = count(node_count, "node")
        lines.append(f"{len(looked_at)} of {nodes} looked at{why}, {feasible} feasible.")
    return lines


def _rejections(attempt: Json) -> list[str]:
    groups: dict[tuple[str, str], list[str]] = collections.defaultdict(list)
    for node, verdicts in (attempt.get("filter") or {}).items():
        for plugin, verdict in verdicts.items():
            if verdict != "passed":
                groups[plugin, ", ".join(verdict.get("reasons", ()))].append(node)
    if not groups:
        return []
    cells = [("REJECTED", "BY", "REASON", "NODES")]
    for (plugin, reason), nodes in sorted(groups.items(), key=lambda item: -len(item[1])):
        cells.append((str(len(nodes)), plugin, reason, few(sorted(nodes))))
    return text.align(cells)


def _scores(attempt: Json, view: AttemptView) -> list[str]:
    """The best nodes below each other, a column per plugin whose scores differ."""
    selected, feasible = attempt["selected"], len(attempt["feasible"])
    if not selected:
        return []
    scores, totals = attempt.get("score"), attempt.get("totals")
    if not scores or not totals:
        return ["Nothing is scored, as there is no choice."] if feasible == 1 else []
    best = sorted(totals, key=lambda node: (node != selected, -totals[node], node))[: view.top]
    which = f"{feasible}" if len(best) == feasible else f"best {len(best)} of {feasible}"
    lines = [f"Scores of the {which} feasible nodes: raw / normalized / weighted"]
    columns, alike = [("NODE", *best), ("TOTAL", *(str(totals[node]) for node in best))], []
    for plugin in scores[selected]:
        found = [_score(scores[node][plugin]) for node in best]
        weight = view.weights.get(plugin, 1)
        label = plugin if weight == 1 else f"{plugin} x{weight}"
        if len(set(found)) > 1:
            columns.append((label, *found))
        else:
            alike.append(f"{label} {found[0]}")
    for block in blocks(columns, view.width):
        lines += ["", *text.align(list(zip(*block, strict=True)))]
    if alike:
        lines += ["", f"The same on all of them: {', '.join(alike)}"]
    return lines


def _score(found: Json) -> str:
    return f"{found['raw']}/{found['normalized']}/{found['final']}"


def blocks(columns: list[tuple[str, ...]], width: int) -> Iterator[list[tuple[str, ...]]]:
    """As many columns as fit side by side, then the names once more and the next columns."""
    names, *others = columns
    block = [names]
    for column in others:
        used = sum(max(map(len, each)) + _GAP for each in block)
        if len(block) > 1 and used + max(map(len, column)) > width:
            yield block
            block = [names]
        block.append(column)
    yield block


def _preemption(attempt: Json) -> list[str]:
    preemption = attempt.get("preemption")
    if not preemption:
        return []
    victims, node = preemption["victims"], preemption["nominatedNode"]
    if victims:
        lines = [f"Preemption: room is made on {node} by evicting {few(victims, len(victims))}."]
    elif node:
        lines = [f"Preemption: {node} is nominated; nobody has to go."]
    else:
        lines = ["Preemption: it would not help."]
    dry_run = preemption.get("dryRun") or {}
    if dry_run:
        lines += ["", *_dry_run(dry_run, node)]
    return lines


def _dry_run(dry_run: Mapping[str, Json], chosen: str) -> list[str]:
    """What evicting would do: the chosen node first, and where it would not help."""
    groups: dict[str, list[str]] = collections.defaultdict(list)
    helped = []
    for node, found in dry_run.items():
        if found["code"] == "Success":
            helped.append((node != chosen, found["numPDBViolations"], node))
        else:
            groups[", ".join(found.get("reasons", ()))].append(node)
    lines: list[str] = []
    if helped:
        cells = [("CANDIDATE", "VICTIMS", "BUDGETS VIOLATED")]
        for _, violations, node in sorted(helped)[:_CANDIDATES]:
            cells.append((node, few(dry_run[node].get("victims", ())), str(violations)))
        lines += text.align(cells)
    if len(helped) > _CANDIDATES:
        lines.append(f"and {count(len(helped) - _CANDIDATES, 'more candidate')}")
    if groups:
        lines += [""] if lines else []
        cells = [("NO HELP", "REASON", "NODES")]
        for reason, nodes in sorted(groups.items(), key=lambda item: -len(item[1])):
            cells.append((str(len(nodes)), reason, few(sorted(nodes))))
        lines += text.align(cells)
    return lines


def count(number: int, noun: str) -> str:
    """A number of things."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
