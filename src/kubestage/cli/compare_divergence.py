"""The first decision in which two runs differ, as text: the attempts of both, in full."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cli import explain_text, explaining
from kubestage.cli.explaining import count
from kubestage.objects.tables import text
from kubestage.results.comparison import divergence as kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.cli.explain_text import ExplainLayout
    from kubestage.results.analysis import Digest
    from kubestage.results.comparison import Divergence, Tried
    from kubestage.runs.compare.divergence import ExplainedDivergence


_WORDS: Final = {
    kinds.POD: "another pod was next in turn",
    kinds.RESULT: "the pod had another result",
    kinds.NODE: "the pod went to another node",
    kinds.PREEMPTION: "room was made in another way",
    kinds.END: "only one of them goes on",
}


def lines(
    explained: ExplainedDivergence,
    names: tuple[str, str],
    digests: tuple[Digest, Digest],
    layout: ExplainLayout,
) -> Iterator[str]:
    """The decision, both nodes under both scorings, then each attempt in full."""
    found = explained.divergence
    if explained.unknown is not None:
        yield f"The first decision that differs is not known: {explained.unknown}."
        return
    if found is None:
        yield "Not one decision differs."
        return
    rows = found.first, found.second
    yield f"The first decision that differs: {_WORDS[found.what]}."
    before = count(found.same, "attempt")
    yield f"  {before} before it {'is' if found.same == 1 else 'are'} the same in both."
    cells = [(name, _brief(row)) for name, row in zip(names, rows, strict=True)]
    yield from (f"  {line}" for line in text.align(cells))
    beside = _beside(found, explained.explanations, names)
    if beside:
        yield ""
        yield from beside
    for name, row, details, digest in zip(
        names, rows, explained.explanations, digests, strict=True
    ):
        if row is None:
            continue
        yield ""
        yield f"{name}: {explain_text.headline(row, _attempt(row))}"
        if details is None:
            yield ""
            yield explain_text.UNKNOWN
        else:
            view = explain_text.view(details, _node_count(digest, row.step), layout)
            yield from explaining.details(details, view)


def _attempt(row: Tried) -> str:
    return f"attempt {row.number}, step {row.step}, {row.pod}"


def _brief(row: Tried | None) -> str:
    if row is None:
        return "no more attempts"
    if row.node:
        return f"{row.pod} goes to {row.node}"
    if row.nominated_node:
        victims = ", ".join(row.victims or ()) or "nobody"
        return f"{row.pod} finds no room; it is made on {row.nominated_node} by evicting {victims}"
    return f"{row.pod} is {row.result}: {row.message}"


def _node_count(digest: Digest, step: int) -> int:
    there = [end for end in digest.steps if end.step <= step]
    return len(there[-1].nodes) if there else 0


def _beside(
    found: Divergence, explanations: tuple[Json | None, Json | None], names: tuple[str, str]
) -> list[str]:
    """The two nodes that were chosen, scored as each of the runs scores them."""
    one, other = (row.node if row is not None else None for row in (found.first, found.second))
    scores = [(each or {}).get("score") or {} for each in explanations]
    if found.what != kinds.NODE or not one or not other:
        return []
    if any(node not in each for node in (one, other) for each in scores):
        return []
    plugins = dict.fromkeys(plugin for each in scores for plugin in each[one])
    cells: list[tuple[str, ...]] = [
        ("WEIGHTED SCORE", names[0], "", names[1], ""),
        ("", one, other, one, other),
    ]
    rows = [
        (plugin, *(_final(each[node], plugin) for each in scores for node in (one, other)))
        for plugin in plugins
    ]
    cells += [row for row in rows if len(set(row[1:])) > 1]
    totals = [_total(each[node]) for each in scores for node in (one, other)]
    cells.append(("total", *map(str, totals)))
    return [line.rstrip() for line in text.align(cells)]


def _total(found: Json) -> int:
    return sum(each["final"] for each in found.values())


def _final(found: Json, plugin: str) -> str:
    return str(found[plugin]["final"]) if plugin in found else "-"
