"""All pods that keep a node from being disrupted, each with the reason; events name the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.karpenter import events, labels
from kubestage.controllers.karpenter.state import pod_state

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.state.disruption_limits import DisruptionLimits


def of(
    node: Json, node_claim: Json | None, pods: Iterable[Json], limits: DisruptionLimits, now_ns: int
) -> Iterator[str]:
    """What is in the way, one line each: annotations, and budgets that allow nothing."""
    for obj in (node, node_claim):
        if obj is not None and _annotation(obj) == "true":
            name = obj["metadata"]["name"]
            yield f"{obj['kind'].lower()} {name} is annotated {labels.DO_NOT_DISRUPT}: true"
    for pod in pods:
        key = pod_state.key_of(pod)
        if not pod_state.is_disruptable(pod, now_ns):
            yield f"pod {key} is annotated {labels.DO_NOT_DISRUPT}: {_annotation(pod)}"
            continue
        budgets = limits.blockers([pod], now_ns, events.ignore)
        if len(budgets) > 1:
            yield f"pod {key} has several budgets, so it cannot be evicted: {', '.join(budgets)}"
        elif budgets:
            yield f"pod {key} may not be evicted: budget {budgets[0]} allows 0 disruptions"


def _annotation(obj: Json) -> str:
    return str((obj["metadata"].get("annotations") or {}).get(labels.DO_NOT_DISRUPT) or "")
