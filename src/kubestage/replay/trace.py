"""How a step came about: the lives of pods and the scaling of ReplicaSets, compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.replay import comparison, naming

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.replay.comparison import Found
    from kubestage.replay.record import StepRecord


_BY_CONTROLLERS: Final = ("create", "delete")
_UNTIL_GONE: Final = ("create", "delete", "gone")


def noted(record: StepRecord) -> Json:
    """What was noted during a step."""
    trace = {
        "pods": record.pods,
        "replicaset_scale": record.replicaset_scale,
        "bounds": record.bounds,
    }
    result: Json = record.naming.value(trace)
    return result


def compare(recorded: Json, actual: Json) -> Iterator[Found]:
    """Where the lives of pods, the scaling of ReplicaSets and its bounds differ."""
    pods = naming.unnumbered(recorded.get("pods")) or []
    candidates = pods[comparison.VARIES] if isinstance(pods, dict) else [pods]
    ours = actual.get("pods") or []
    if not any(_is_alike(each or [], ours) for each in candidates):
        yield "pods", bursts(candidates[0] or []), bursts(ours)
    for key in ("replicaset_scale", "bounds"):
        expected = naming.unnumbered(recorded.get(key)) or None
        yield from comparison.differences(expected, actual.get(key) or None, key)


def _is_alike(recorded: list[list[str]], ours: list[list[str]]) -> bool:
    """Whether the same happened, as far as it is not random.

    A pod that ends is first reported as failed, then removed: replacements made upon the one may
    come before or after the other, unless they bear the same name.
    """
    if bursts(recorded) == bursts(ours):
        return True
    gone = {name for act, name in ours if act == "gone" and not name.endswith(naming.RANDOM)}
    if any(act == "create" and name in gone for act, name in ours):
        return False
    return bursts(recorded, _UNTIL_GONE) == bursts(ours, _UNTIL_GONE)


def bursts(pods: list[list[str]], together: tuple[str, ...] = _BY_CONTROLLERS) -> list[list[str]]:
    """What happened to pods, as sets of what happened together.

    What controllers do between two acts of the kubelet they do at the same time, each in many
    threads, so its order is random; likewise what the kubelet does in one go.
    """
    found: list[list[str]] = []
    before = ""
    for act, name in pods:
        by = "" if act in together else act
        if by != before or not found:
            found.append([])
        found[-1].append(f"{act} {name}")
        before = by
    return [sorted(each) for each in found]
