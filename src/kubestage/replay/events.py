"""The Events of a step, in the form of recordings, and compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.replay import comparison

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.aliases import Json
    from kubestage.replay.comparison import Found
    from kubestage.replay.naming import Naming
    from kubestage.replay.record import Occurrence
    from kubestage.replay.scenario import RecordedStep


_NO_PODS: Final = "NoPods"
_FAILED_CREATE: Final = "FailedCreate"
_FEW: Final = 2
_CONFLICT: Final = "the object has been modified; please apply your changes to the latest version"
_IN_BATCHES: Final = (
    "replicaset-controller",
    "replication-controller",
    "daemonset-controller",
    "job-controller",
)


def recorded_form(
    occurrences: Iterable[tuple[Occurrence, int]], naming: Naming
) -> dict[str, list[Json]]:
    """What happened to each object in order, equal ones in a row added up."""
    found: dict[str, list[Json]] = {}
    for (about, kind, reason, message, source), count in occurrences:
        event = {
            "type": kind,
            "reason": reason,
            "message": naming.text(message),
            "source": source,
            "count": count,
        }
        of_object = found.setdefault(naming.text(about), [])
        if of_object and _is_same(of_object[-1], event):
            of_object[-1]["count"] += count
        else:
            of_object.append(event)
    return found


def _is_same(one: Json, other: Json) -> bool:
    return all(one[key] == other[key] for key in one if key != "count")


def without_random(
    step: RecordedStep, actual: dict[str, list[Json]]
) -> tuple[list[Json], dict[str, list[Json]]]:
    """Recorded Events and ours, less those of which recordings themselves are not sure.

    A budget that is created in one go with what makes the pods it selects may be synced before
    or after there are pods: how often it reports none differs from run to run.
    """
    if len(step.operation) == 1:
        return step.events, actual
    created = [each["manifest"] for each in step.operation if each["op"] == "create"]
    budgets = {
        f"PodDisruptionBudget/{each['metadata']['name']}"
        for each in created
        if each["kind"] == "PodDisruptionBudget"
    }
    recorded = [
        each
        for each in step.events
        if each["object"] not in budgets or each.get("reason", _NO_PODS) != _NO_PODS
    ]
    ours = {
        about: counted
        for about, events in actual.items()
        if (
            counted := [
                each for each in events if about not in budgets or each["reason"] != _NO_PODS
            ]
        )
    }
    return recorded, ours


def compare(recorded: Iterable[Json], actual: dict[str, list[Json]]) -> Iterator[Found]:
    """The Events of each object; where only their order varies, any order will do."""
    expected: dict[str, list[Json]] = {}
    special: dict[str, Json] = {}
    for each in recorded:
        about = each["object"]
        if comparison.VARIES in each or f"{comparison.VARIES} order" in each:
            special[about] = each
        else:
            rest = {key: value for key, value in each.items() if key != "object"}
            expected.setdefault(about, []).append(rest)
    for about in sorted({*expected, *special, *actual}):
        ours = actual.get(about) or []
        if about in special:
            yield from _compare_special(about, special[about], ours)
        else:
            yield from _compare_lists(about, expected.get(about) or [], ours)


def _compare_special(about: str, recorded: Json, ours: list[Json]) -> Iterator[Found]:
    in_any_order = recorded.get(f"{comparison.VARIES} order")
    if in_any_order is not None:
        yield from _compare_lists(about, _unordered(in_any_order), _unordered(ours))
        return
    candidates = [each or [] for each in recorded[comparison.VARIES]]
    if any(_CONFLICT in event["message"] for each in candidates for event in each):
        if not _is_free_of_conflicts(candidates, ours):
            yield about, candidates, ours
    elif not any(next(_compare_lists(about, each, ours), None) is None for each in candidates):
        yield about, candidates, ours


def _is_free_of_conflicts(candidates: list[list[Json]], ours: list[Json]) -> bool:
    """Whether ours is what the runs have in common, and else what some of them have.

    Two loops that write one object at a time make each other fail, in every run at another
    point. Here one writes after the other.
    """
    texts = [
        {_line(event) for event in each if _CONFLICT not in event["message"]} for each in candidates
    ]
    lines = {_line(event) for event in ours}
    return set.intersection(*texts) <= lines <= set.union(*texts)


def _unordered(events: Iterable[Json]) -> list[Json]:
    """Equal ones added up wherever they are, in an order of their own."""
    found: list[Json] = []
    for each in events:
        same = next((other for other in found if _is_same(other, each)), None)
        if same is None or not (isinstance(each["count"], int) and isinstance(same["count"], int)):
            found.append(dict(each))
        else:
            same["count"] += each["count"]
    return comparison.by_content(found)


def _compare_lists(about: str, recorded: list[Json], ours: list[Json]) -> Iterator[Found]:
    recorded, ours = _in_batches(recorded), _in_batches(ours)
    if len(recorded) != len(ours):
        yield about, [_line(each) for each in recorded], [_line(each) for each in ours]
        return
    for number, (want, got) in enumerate(zip(recorded, ours, strict=True)):
        if not _is_one_retry_off(want, got):
            yield from comparison.differences(want, got, f"{about}/{number}")


def _is_one_retry_off(want: Json, got: Json) -> bool:
    """Whether a request that fails again and again was made once more or once less.

    Retries come after milliseconds at first: how many there were at that moment is random.
    """
    if want["reason"] != _FAILED_CREATE or not isinstance(want["count"], int):
        return False
    return want["count"] > _FEW and abs(want["count"] - got["count"]) <= 1 and _is_same(want, got)


def _in_batches(events: list[Json]) -> list[Json]:
    """Pods that are created or removed in one go are so by many threads: sorted by name."""
    found: list[Json] = []
    batch: list[Json] = []
    for each in events:
        if batch and not (_is_batched(each) and each["reason"] == batch[-1]["reason"]):
            found += _unordered(batch)
            batch = []
        if _is_batched(each):
            batch.append(each)
        else:
            found.append(each)
    return found + _unordered(batch)


def _is_batched(event: Json) -> bool:
    return (
        event["source"] in _IN_BATCHES
        and event["reason"] in ("SuccessfulCreate", "SuccessfulDelete")
        and isinstance(event["count"], int)
    )


def _line(event: Json) -> str:
    return f"{event.get('count')}x {event.get('reason')}: {event.get('message')}"
