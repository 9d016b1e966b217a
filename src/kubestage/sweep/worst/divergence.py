"""The first decision in which two configurations differ, in a few lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects.tables import text
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.results.comparison import Tried
    from kubestage.runs.compare.divergence import ExplainedDivergence


def lines(explained: ExplainedDivergence, names: tuple[str, str]) -> Iterator[str]:
    """The decision, and the scores of the two nodes under both configurations."""
    found = explained.divergence
    if found is None:
        yield f"No decision differs{'' if explained.unknown is None else f': {explained.unknown}'}."
        return
    same = plural(found.same, "attempt")
    yield f"The first decision that differs, after {same} that {_verb(found.same)} the same:"
    yield ""
    rows = (found.first, found.second)
    for name, row in zip(names, rows, strict=True):
        yield f"- {name}: {_brief(row)}"
    table = _scores(explained.explanations, rows, names)
    if table:
        yield ""
        yield "The scores of the two nodes, of the plugins that differ:"
        yield ""
        yield from (f"    {line}".rstrip() for line in table)


def _verb(number: int) -> str:
    return "is" if number == 1 else "are"


def _brief(row: Tried | None) -> str:
    if row is None:
        return "there are no more attempts"
    where = f"step {row.step}, {row.pod}"
    if row.node:
        return f"{where} goes to {row.node}"
    if row.nominated_node:
        victims = ", ".join(row.victims or ()) or "no pod"
        return f"{where} preempts {victims} on {row.nominated_node}"
    return f"{where} finds no node: {row.message}"


def _scores(
    explanations: tuple[Json | None, Json | None],
    rows: tuple[Tried | None, Tried | None],
    names: tuple[str, str],
) -> list[str]:
    nodes = [row.node for row in rows if row is not None and row.node]
    scores = [(each or {}).get("score") or {} for each in explanations]
    if len(nodes) < 2 or nodes[0] == nodes[1]:
        return []
    if any(node not in each for node in nodes for each in scores):
        return []
    plugins = dict.fromkeys(plugin for each in scores for plugin in each[nodes[0]])
    found = [
        (plugin, *(_final(each[node], plugin) for each in scores for node in nodes))
        for plugin in plugins
    ]
    cells = [("", *(f"{name}: {node}" for name in names for node in nodes))]
    cells += [row for row in found if len(set(row[1:])) > 1]
    totals = [
        sum(part["final"] for part in each[node].values()) for each in scores for node in nodes
    ]
    cells.append(("total", *map(str, totals)))
    return text.align(cells)


def _final(found: Json, plugin: str) -> str:
    return str(found[plugin]["final"]) if plugin in found else "-"
