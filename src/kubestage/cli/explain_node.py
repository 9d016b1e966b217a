"""Why a pod is not on one certain node, as an attempt found it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects.tables import text
from kubestage.wording import few

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json


def lines(attempt: Json, node: str, *, is_there: bool) -> list[str]:
    """What an attempt found about a node."""
    if not is_there:
        return [f"There was no {node} in this step."]
    verdicts = (attempt.get("filter") or {}).get(node)
    if verdicts is None:
        return _passed_over(attempt, node)
    rejecter = next((plugin for plugin, verdict in verdicts.items() if verdict != "passed"), None)
    if rejecter is not None:
        reasons = ", ".join(
            verdicts[rejecter].get("reasons") or [verdicts[rejecter].get("code", "")]
        )
        lines = [f"{node} is rejected by {rejecter}: {reasons}."]
        passed = [plugin for plugin, verdict in verdicts.items() if verdict == "passed"]
        if passed:
            lines.append(f"Passed before: {', '.join(passed)}.")
        return lines + _preemption(attempt, node)
    return _feasible(attempt, node)


def _passed_over(attempt: Json, node: str) -> list[str]:
    """A node that no filter has evaluated."""
    for plugin, answer in (attempt.get("preFilter") or {}).items():
        if "nodes" in answer and node not in answer["nodes"]:
            return [f"{node} is not looked at: {plugin} leaves only {few(answer['nodes'])}."]
        if answer["code"] not in ("Success", "Skip"):
            reasons = ", ".join(answer.get("reasons", ()))
            return [f"No node is looked at: {plugin} rejects the pod: {reasons}."]
    nominated = attempt.get("nominatedNodeBefore")
    if nominated and list(attempt.get("filter") or ()) == [nominated]:
        made = f"an earlier attempt made room on {nominated}, which is tried first, and fits"
        return [f"{node} is not looked at: {made}."]
    feasible = len(attempt["feasible"])
    if feasible:
        return [f"{node} is not looked at: {feasible} feasible nodes were enough."]
    return [f"{node} is not looked at."]


def _feasible(attempt: Json, node: str) -> list[str]:
    chosen = attempt["selected"]
    if node == chosen:
        return [f"{node} is the chosen one."]
    if node not in attempt["feasible"]:
        return [f"{node} passes all filters, but an extender takes it out."]
    scores, totals = attempt.get("score"), attempt.get("totals")
    if not chosen or not scores or not totals or node not in totals:
        return [f"{node} is feasible, but not scored."]
    place = 1 + sum(1 for total in totals.values() if total > totals[node])
    tie = "" if totals[node] < totals[chosen] else ", a tie"
    ranked = f"{node} is feasible, with {totals[node]} points number {place} of {len(totals)}"
    line = f"{ranked}; {chosen} has {totals[chosen]}{tie}."
    return [line, "", *_beside(scores, node, chosen)]


def _beside(scores: Mapping[str, Json], node: str, chosen: str) -> list[str]:
    """The two nodes plugin by plugin, what sets them apart most first."""
    rows = []
    for plugin, found in scores[node].items():
        best = scores[chosen][plugin]
        rows.append((found["final"] - best["final"], plugin, found, best))
    rows.sort(key=lambda row: row[0])
    cells = [("PLUGIN", node, chosen, "DIFFERENCE")]
    cells += [
        (plugin, _shown(found), _shown(best), f"{difference:+d}" if difference else "0")
        for difference, plugin, found, best in rows
    ]
    return [*text.align(cells), "(raw / normalized / weighted)"]


def _shown(found: Json) -> str:
    return f"{found['raw']}/{found['normalized']}/{found['final']}"


def _preemption(attempt: Json, node: str) -> list[str]:
    preemption = attempt.get("preemption") or {}
    found = (preemption.get("dryRun") or {}).get(node)
    if preemption.get("nominatedNode") == node:
        return [f"Room is made on it by evicting {', '.join(preemption['victims']) or 'nobody'}."]
    if found is None:
        return []
    if found["code"] != "Success":
        return [f"Preemption does not help: {', '.join(found.get('reasons', ()))}."]
    victims = few(found.get("victims", ()))
    broken = found.get("numPDBViolations", 0)
    budgets = f", against {broken} disruption budget{'' if broken == 1 else 's'}" if broken else ""
    taken = preemption.get("nominatedNode") or "no node"
    return [f"Evicting {victims} would help{budgets}; {taken} is taken instead."]
