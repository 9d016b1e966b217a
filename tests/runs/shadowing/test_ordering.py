"""Changes of several connections, in the order of their versions."""

from __future__ import annotations

from kubestage.runs.shadowing.ordering import (
    HELD_NS,
    MOST_HELD_NS,
    OWNER_NS,
    Held,
    OrderedChanges,
    SeenChange,
    TakenChanges,
)
from kubestage.sources.imported import Reference


def _change(name: str) -> SeenChange:
    return SeenChange(Reference("v1", "Pod", "shop", name), None, {}, 0)


def _due(changes: OrderedChanges, now_ns: int, **more: bool) -> list[str]:
    found = []
    while (held := changes.next(now_ns, **more)) is not None:
        found.append(held.change.reference.name)
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
    assert _due(changes, MOST_HELD_NS) == ["a", "b", "c", "d"]


def test_what_was_undone_is_due_at_once_in_its_place() -> None:
    lacking: set[str] = set()
    changes = OrderedChanges(lambda each: each.reference.name in lacking)
    changes.add(_change("late"), "5", 0)
    changes.add(_change("later"), "9", 0)
    lacking.add("late")
    changes.put_back(_held("undone", 7))
    assert _due(changes, 0, is_interrupted=True) == ["late", "undone"]
    assert _due(changes, HELD_NS) == ["later"]


def _held(name: str, number: int) -> Held:
    return Held(number, number, 0, _change(name))


def _names(taken: TakenChanges, number: int) -> list[str]:
    return [each.change.reference.name for each in taken.made_after(_held("late", number))]


def test_changes_that_were_taken_up_are_found_by_what_was_made_before_them() -> None:
    taken = TakenChanges(kept_ns=10, most=3)
    for number in (2, 8, 4):
        taken.add(_held(str(number), number), now_ns=number)
    assert (_names(taken, 1), _names(taken, 3), _names(taken, 9)) == (
        ["2", "4", "8"],
        ["4", "8"],
        [],
    )
    taken.drop(taken.made_after(_held("late", 5)))
    assert _names(taken, 1) == ["2", "4"]


def test_changes_of_long_ago_too_many_and_those_before_a_list_stay() -> None:
    taken = TakenChanges(kept_ns=10, most=3)
    for number in range(1, 6):
        taken.add(_held(str(number), number), now_ns=number)
    taken.forget(10)
    assert _names(taken, 1) == ["3", "4", "5"]
    taken.forget(15)
    assert _names(taken, 1) == ["5"]
    # When a list was made is not known, and it finds no place among them.
    assert _names(taken, 0) == []
    taken.add(_held("listed", 0), now_ns=15)
    assert _names(taken, 1) == []
