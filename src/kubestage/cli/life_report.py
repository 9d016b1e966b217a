"""The result of a living cluster, as kubectl would show it, or as data."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final

from kubestage.cli import life_objects
from kubestage.results.life import headline, node_groups, pending, wording

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.results.life.life import Life
    from kubestage.runs.run_result import LivingResult
    from kubestage.stage import Stage

_REASONS: Final = 10
# What may need action comes first.
_URGENT: Final = {"Pending": 0, "Failed": 1}


def as_table(lived: LivingResult, *, wide: bool, shows_all: bool = False) -> str:
    """Which pods are pending, what went wrong, the objects at the end, what was recorded, a sum.

    Long tables are cut unless they are `wide` or `shows_all`.
    """
    stage, record = lived.stage, lived.record
    written = life_objects.tables(stage, wide=wide, lists_all=wide or shows_all)
    if record is not None and _is_measured(lived):
        from kubestage.cli import life_summary

        written.append(life_summary.as_text(record.summary, wide=wide or shows_all))
    news = [] if record is None else headline.headline(record)
    first = ["".join(f"{line}\n" for line in news)] if news else []
    return "\n".join([*_pending(stage), *first, *written, _sum(stage, record)])


def _is_measured(lived: LivingResult) -> bool:
    """Whether there was more to measure than pods: the run is kept, or autoscalers were at work."""
    assert lived.record is not None
    summary = lived.record.summary
    groups = any(each["group"] for each in summary["nodeGroups"])
    is_busy = groups or summary["traffic"] or summary["autoscalers"]
    return bool(lived.saved or is_busy or summary.get("measures"))


def _pending(stage: Stage) -> Iterator[str]:
    """The pods without a node, each reason once; nothing if there are none."""
    waiting = pending.of(stage.store)
    if not waiting["pods"]:
        return
    lines = [f"{pending.headline(waiting)}:"]
    for each in waiting["reasons"][:_REASONS]:
        lines += [f"  {pending.named(each)}", f"    {each['reason']}"]
    if len(waiting["reasons"]) > _REASONS:
        lines.append(f"  and {len(waiting['reasons']) - _REASONS:,} more reasons")
    yield "".join(f"{line}\n" for line in lines)


def _sum(stage: Stage, record: Life | None) -> str:
    pods = stage.store.read(("v1", "Pod"))
    phases = collections.Counter(map(life_objects.phase, pods.values()))
    ordered = sorted(phases.items(), key=lambda each: (_URGENT.get(each[0], 2), each[0]))
    parts = ", ".join(f"{number:,} {phase}" for phase, number in ordered)
    nodes = stage.store.read(("v1", "Node"))
    ready = sum(1 for node in nodes.values() if node_groups.is_ready(node))
    passed = in_days(stage.clock.now_ns)
    counted = f"{len(pods):,} pod{'' if len(pods) == 1 else 's'}{f': {parts}' if parts else ''}"
    costs = ""
    if record is not None:
        from kubestage.cli import life_summary

        costs = life_summary.cost_sentence(record.summary)
    counts = f"After {passed}: {counted}. Nodes ready: {ready} of {len(nodes)}."
    return "".join(f"{line}\n" for line in (counts, costs) if line)


def in_days(duration_ns: int) -> str:
    """A duration as people say it: ``7d``, ``1d12h0m0s``, ``10m0s``."""
    return wording.duration(duration_ns)


def as_dict(lived: LivingResult, events: list[dict[str, Any]]) -> dict[str, Any]:
    """The end of the run as data; docs/cli.md describes it."""
    stage = lived.stage
    recorded = {} if lived.record is None else {"summary": lived.record.summary}
    return {
        "seed": stage.seed,
        "now": stage.now,
        "seconds": stage.clock.now_ns / 1_000_000_000,
        "objects": [obj for _, objects in life_objects.found(stage) for obj in objects],
        "events": events,
        **recorded,
    }


def unfinished(stage: Stage) -> list[str]:
    """The pods that neither run nor have succeeded, by key."""
    return [
        key
        for key, pod in stage.store.read(("v1", "Pod")).items()
        if (pod.get("status") or {}).get("phase") not in ("Running", "Succeeded")
    ]
