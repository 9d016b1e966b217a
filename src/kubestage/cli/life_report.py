"""The result of a living cluster, as kubectl would show it, or as data."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final

from kubestage.cli import table
from kubestage.results.life import pending, wording

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.objects.kinds import Kind
    from kubestage.runs.run_result import LivingResult
    from kubestage.stage import Stage

_SHOWN: Final = (
    ("v1", "Node"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "StatefulSet"),
    ("apps/v1", "DaemonSet"),
    ("batch/v1", "CronJob"),
    ("batch/v1", "Job"),
    ("apps/v1", "ReplicaSet"),
    ("v1", "ReplicationController"),
    ("v1", "Pod"),
    ("v1", "PersistentVolumeClaim"),
    ("v1", "PersistentVolume"),
    ("policy/v1", "PodDisruptionBudget"),
    ("v1", "Service"),
    ("v1", "ResourceQuota"),
    ("autoscaling/v2", "HorizontalPodAutoscaler"),
    ("autoscaling.k8s.io/v1", "VerticalPodAutoscaler"),
    ("kubestage.dev/v1alpha1", "Traffic"),
    ("kubestage.dev/v1alpha1", "NodeGroup"),
)
_ROWS: Final = 20
_REASONS: Final = 10
# What may need action comes first.
_URGENT: Final = {"Pending": 0, "Failed": 1}


def as_table(lived: LivingResult, *, wide: bool, shows_all: bool = False) -> str:
    """Which pods are pending, a table for each kind that people look at, what was recorded, a sum.

    Long tables are cut unless they are `wide` or `shows_all`.
    """
    stage = lived.stage
    found = list(_found(stage))
    namespaces = {
        obj["metadata"]["namespace"]
        for kind, objects in found
        if kind.namespaced
        for obj in objects
    }
    options = table.Layout(wide=wide, with_namespace=len(namespaces) > 1, with_kind=True)
    now_ns = stage.clock.unix_ns
    written = []
    for kind, objects in found:
        shown = objects if wide or shows_all else objects[:_ROWS]
        text = table.render([(kind, shown)], options, now_ns)
        if len(shown) < len(objects):
            text += f"and {len(objects) - len(shown):,} more: -o wide shows all\n"
        written.append(text)
    if lived.record is not None:
        from kubestage.cli import life_summary

        written.append(life_summary.as_text(lived.record.summary, wide=wide))
    return "\n".join([*_pending(stage), *written, _sum(stage)])


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


def _found(stage: Stage) -> Iterator[tuple[Kind, list[dict[str, Any]]]]:
    custom = [
        (each.kind.api_version, each.kind.kind)
        for each in stage.store.collections()
        if each.kind.definition is not None
    ]
    for kind in (*_SHOWN, *sorted(custom)):
        row = stage.store.kind(kind)
        objects = stage.store.list(row).items
        if kind == ("apps/v1", "ReplicaSet"):
            objects = [obj for obj in objects if obj["spec"].get("replicas")]
        if objects:
            yield row, objects


def _sum(stage: Stage) -> str:
    pods = stage.store.read(("v1", "Pod"))
    phases = collections.Counter(map(_phase, pods.values()))
    ordered = sorted(phases.items(), key=lambda each: (_URGENT.get(each[0], 2), each[0]))
    parts = ", ".join(f"{number:,} {phase}" for phase, number in ordered)
    nodes = stage.store.read(("v1", "Node"))
    ready = sum(1 for node in nodes.values() if _is_ready(node))
    passed = in_days(stage.clock.now_ns)
    counted = f"{len(pods):,} pod{'' if len(pods) == 1 else 's'}{f': {parts}' if parts else ''}"
    return f"After {passed}: {counted}. Nodes ready: {ready} of {len(nodes)}.\n"


def _phase(pod: dict[str, Any]) -> str:
    if "deletionTimestamp" in pod["metadata"]:
        return "Terminating"
    return (pod.get("status") or {}).get("phase") or "Pending"


def in_days(duration_ns: int) -> str:
    """A duration as people say it: ``7d``, ``1d12h0m0s``, ``10m0s``."""
    return wording.duration(duration_ns)


def _is_ready(node: dict[str, Any]) -> bool:
    conditions = (node.get("status") or {}).get("conditions") or ()
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


def as_dict(lived: LivingResult, events: list[dict[str, Any]]) -> dict[str, Any]:
    """The end of the run as data; docs/cli.md describes it."""
    stage = lived.stage
    recorded = {} if lived.record is None else {"summary": lived.record.summary}
    return {
        "seed": stage.seed,
        "now": stage.now,
        "seconds": stage.clock.now_ns / 1_000_000_000,
        "objects": [obj for _, objects in _found(stage) for obj in objects],
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
