"""Which changes may help a pod that topology spread has rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import equality
from kubestage.objects.affinity import HONOR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.plugins.spread_constraints import Spread


def is_involved(pod: PodView, old: Json | None, new: Json | None) -> bool:
    """Whether a changed pod is this one, or one on a node in the same namespace."""
    return all(_is_involved(pod, each) for each in (old, new) if each is not None)


def after_pod_change(
    pod: PodView, spreads: Sequence[Spread], old: Json | None, new: Json | None
) -> bool:
    """An involved pod came, went or changed: does any constraint count it otherwise now?"""
    if old is not None and new is not None:
        if (
            new["metadata"].get("uid") == pod.uid
            and not _same("[]core/v1.Toleration", old, new, "tolerations")
            and any(each.constraint.node_taints_policy == HONOR for each in spreads)
        ):
            return True
        before, after = _labels(old), _labels(new)
        return before != after and any(
            each.selector.matches(before) != each.selector.matches(after) for each in spreads
        )
    labels = _labels(new if new is not None else old)
    return any(each.selector.matches(labels) for each in spreads)


def after_node_change(spreads: Sequence[Spread], old: Json | None, new: Json | None) -> bool:
    """A node came, went or changed: did it take part in the spreading, or does it now?"""
    keys = [each.topology_key for each in spreads]
    took_part, takes_part = (
        each is not None and all(key in _labels(each) for key in keys) for each in (old, new)
    )
    if old is None or new is None:
        return took_part or takes_part
    if took_part != takes_part:
        return True
    return takes_part and (
        any(_labels(old).get(key, "") != _labels(new).get(key, "") for key in keys)
        or not _same("[]core/v1.Taint", old, new, "taints")
    )


def _is_involved(pod: PodView, changed: Json) -> bool:
    metadata = changed["metadata"]
    if metadata.get("uid") == pod.uid:
        return True
    on_node = (changed.get("spec") or {}).get("nodeName") or (changed.get("status") or {}).get(
        "nominatedNodeName"
    )
    return bool(on_node) and metadata.get("namespace", "") == pod.namespace


def _same(expression: str, old: Json, new: Json, name: str) -> bool:
    before, after = (each.get("spec") or {} for each in (old, new))
    return equality.semantic_equal(expression, before.get(name), after.get(name))


def _labels(obj: Json | None) -> dict[str, str]:
    return ((obj or {}).get("metadata") or {}).get("labels") or {}
