"""Changes that overtook others on their way to a recording are put back behind them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kubestage.sources import version_order
from kubestage.sources.imported import Change, Reference
from kubestage.units import SECOND_NS


def _change(name: str, at_ns: int) -> Change:
    return Change(at_ns=at_ns, verb="delete", reference=Reference("v1", "Pod", "default", name))


def _names(changes: list[Change]) -> list[str]:
    return [each.reference.name for each in changes]


def test_an_owner_that_was_overtaken_by_its_pod_comes_first() -> None:
    found = version_order.ordered([
        (_change("before", 1), "3"), (_change("pod", 10), "8"), (_change("bound", 12), "9"),
        (_change("owner", 15), "7"), (_change("after", 20), "10"),
    ])  # fmt: skip
    assert _names(found) == ["before", "owner", "pod", "bound", "after"]
    assert [each.at_ns for each in found] == [1, 10, 10, 12, 20]


def test_versions_that_begin_anew_are_no_reason() -> None:
    late = version_order.WINDOW_NS + 2
    found = version_order.ordered([(_change("old", 1), "900"), (_change("new", late), "2")])
    assert _names(found) == ["old", "new"]


def test_what_is_repeated_after_the_end_of_its_namespace_stays_there() -> None:
    space = Change(at_ns=2, verb="delete", reference=Reference("v1", "Namespace", "", "default"))
    found = version_order.ordered([(_change("a", 1), "2"), (space, "3"), (_change("a", 2), "2")])
    assert _names(found) == ["a", "default", "a"]


def test_what_has_no_version_stays_where_it_is() -> None:
    given_ = [(_change("a", 1), "5"), (_change("b", 2), ""), (_change("c", 3), "6")]
    assert _names(version_order.ordered(given_)) == ["a", "b", "c"]


@given(st.permutations(range(12)), st.integers(0, SECOND_NS))
def test_all_that_arrives_within_a_moment_is_sorted(order: list[int], step_ns: int) -> None:
    step_ns = min(step_ns, version_order.WINDOW_NS // 12)
    arrived = [(_change(str(number), at * step_ns), str(number)) for at, number in enumerate(order)]
    found = version_order.ordered(arrived)
    assert _names(found) == [str(number) for number in range(12)]
    times = [each.at_ns for each in found]
    assert times == sorted(times)
