"""A comparison as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.aliases import Json
    from kubestage.cli.compare_divergence import Parting
    from kubestage.results.comparison import Changes, Comparison, Worse


def as_dict(
    compared: Comparison, notes: Sequence[str], pairs: Iterable[Json], worse: Iterable[Worse]
) -> Json:
    """All that is known; docs/compare.md describes it."""
    return {
        "runs": [
            {"name": name, "summary": msgspec.to_builtins(summary)}
            for name, summary in zip(compared.names, compared.summaries, strict=True)
        ],
        "notes": list(notes),
        "measures": [
            {
                "measure": each.name,
                "resource": each.resource,
                "better": each.better,
                "values": list(each.values),
                "deltas": [each.delta(at) for at in range(len(compared.names))],
                "best": [compared.names[at] for at in sorted(each.best)],
            }
            for each in compared.measures
        ],
        "pairs": list(pairs),
        "worse": [
            {
                "run": each.run,
                "measure": each.measure.key,
                "first": each.measure.values[0],
                "value": each.measure.values[each.at],
            }
            for each in worse
        ],
    }


def pair(names: tuple[str, str], changes: Changes, parting: Parting) -> Json:
    """What sets two runs apart."""
    found = parting.divergence
    return {
        "first": names[0],
        "second": names[1],
        "pods": changes.pods,
        "changed": changes.counts,
        "changes": msgspec.to_builtins(changes.found),
        "divergence": None
        if found is None
        else {**msgspec.to_builtins(found), "explanations": list(parting.told)},
        "unknown": parting.unknown,
    }
