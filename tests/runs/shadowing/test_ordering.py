"""Changes of several connections, in the order of their versions."""

from __future__ import annotations

from kubestage.runs.shadowing.ordering import (
    HELD_NS,
    MOST_HELD_NS,
    OWNER_NS,
    OrderedChanges,
    SeenChange,
)
from kubestage.sources.imported import Reference


def _change(name: str) -> SeenChange:
    return SeenChange(Reference("v1", "Pod", "shop", name), None, {}, 0)


def _due(changes: OrderedChanges, now_ns: int, **more: bool) -> list[str]:
    found = []
    while (change := changes.next(now_ns, **more)) is not None:
        found.append(change.reference.name)
    return found


def test_changes_wait_a_moment_for_those_made_before_them() -> None:
    changes = OrderedChanges(lambda _: False)
    changes.add(_change("pod"), "7", 0)
    changes.add(_change("replica set"), "5", HELD_NS - 1)
    changes.add(_change("later"), "9", HELD_NS - 1)
    assert _due(changes, HELD_NS - 1) == []
    # What was made before comes with it, although it was not held as long.
    assert _due(changes, HELD_NS) == ["replica set", "pod"]
    assert _due(changes, 2 * HELD_NS) == ["later"]
    assert len(changes) == 0


def test_a_new_pod_waits_for_its_owner() -> None:
    known: set[str] = set()
    changes = OrderedChanges(lambda each: each.reference.name == "pod" and not known)
    changes.add(_change("pod"), "7", 0)
    changes.add(_change("later"), "9", 0)
    assert _due(changes, HELD_NS) == []
    changes.add(_change("replica set"), "5", 2 * HELD_NS)
    assert _due(changes, 2 * HELD_NS) == ["replica set"]
    known.add("replica set")
    assert _due(changes, 2 * HELD_NS) == ["pod", "later"]
    known.clear()
    changes.add(_change("pod"), "11", 0)
    assert _due(changes, OWNER_NS) == ["pod"]


def test_an_interruption_is_waited_for_but_not_for_ever() -> None:
    changes = OrderedChanges(lambda _: False)
    changes.add(_change("pod"), "7", 0)
    assert _due(changes, HELD_NS, is_interrupted=True) == []
    assert _due(changes, MOST_HELD_NS, is_interrupted=True) == ["pod"]


def test_versions_that_are_no_numbers_keep_the_order_of_arrival() -> None:
    changes = OrderedChanges(lambda _: False)
    for name, version in (("a", "7"), ("b", "x"), ("c", ""), ("d", "8")):
        changes.add(_change(name), version, 0)
    assert [each.reference.name for each in changes.all()] == ["a", "b", "c", "d"]
