"""Where pods went instead, and the first decision in which runs part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.results import comparison
from kubestage.results.comparison import divergence, placements
from kubestage.testing import make_pod, make_replica_set
from tests.results import samples
from tests.results.comparison_runs import NODES, SPREAD, a_run

if TYPE_CHECKING:
    from kubestage.aliases import Json


def kinds(first: Json, second: Json) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for change in comparison.changes(first, second).found:
        found.setdefault(change.kind, []).append(change.pod.partition("/")[2])
    return found


def test_pods_are_told_by_what_changed() -> None:
    first = a_run({"a": "n1", "b": "n2", "c": "n3", "d": None, "gone": "n1"})
    second = a_run({"a": "n1", "b": "n3", "c": None, "d": "n2", "new": "n1"})
    assert kinds(first, second) == {
        placements.NEWLY_PENDING: ["c"],
        placements.NEWLY_SCHEDULED: ["d"],
        placements.MOVED: ["b"],
        placements.ONLY_FIRST: ["gone"],
        placements.ONLY_SECOND: ["new"],
    }
    assert comparison.changes(first, second).pods == 6


def test_a_change_says_where_the_pod_was_and_is_and_why() -> None:
    (change,) = comparison.changes(a_run({"a": "n1"}), a_run({"a": None})).found
    assert change.first == placements.Whereabouts("default/a", "Scheduled", "n1")
    assert change.second == placements.Whereabouts("default/a", "Pending", message=samples.NO_ROOM)


def test_victims_are_a_kind_of_their_own() -> None:
    spared = a_run({"weak": "n1", "strong": "n2", "late": None})
    assert kinds(spared, samples.rivalry())[placements.NEWLY_PREEMPTED] == ["weak"]
    assert kinds(samples.rivalry(), spared)[placements.SPARED] == ["weak"]


def test_a_name_that_is_used_again_is_another_pod() -> None:
    def twice(second_node: str) -> Json:
        pods = [make_pod("a", node_name=node) for node in ("n1", second_node)]
        for uid, pod in enumerate(pods):
            pod["metadata"]["uid"] = str(uid)
        return samples.scenario(
            {
                "0": [samples.created(0, pods[0])],
                "1": [samples.deleted(1, "Pod", "a", "default"), samples.created(1, pods[1])],
            }
        )

    assert kinds(twice("n2"), twice("n2")) == {}
    (change,) = comparison.changes(twice("n2"), twice("n3")).found
    assert change.second is not None
    assert (change.kind, change.second.node) == (placements.MOVED, "n3")


def test_what_an_owner_made_under_another_name_is_paired() -> None:
    owner = make_replica_set("web")
    first = a_run({"web-x": "n1", "web-y": "n2"}, owner=owner)
    second = a_run({"web-x": "n1", "web-z": "n3"}, owner=owner)
    (change,) = comparison.changes(first, second).found
    assert change.first is not None
    assert change.second is not None
    assert change.kind == placements.MOVED
    assert (change.first.pod, change.second.pod) == ("default/web-y", "default/web-z")


def test_pods_that_nobody_owns_are_never_paired_by_chance() -> None:
    assert set(kinds(a_run({"a": "n1"}), a_run({"b": "n1"}))) == {
        placements.ONLY_FIRST,
        placements.ONLY_SECOND,
    }


def test_the_same_runs_never_part() -> None:
    assert comparison.first_divergence(SPREAD, SPREAD) is None


@pytest.mark.parametrize(
    ("second", "what", "same"),
    [
        ({"a": "n1", "b": "n3", "c": "n3"}, divergence.NODE, 1),
        ({"a": "n1", "b": "n2", "c": None}, divergence.RESULT, 2),
        ({"b": "n2", "a": "n1", "c": "n3"}, divergence.POD, 0),
        ({"a": "n1", "b": "n2"}, divergence.END, 2),
    ],
)
def test_it_is_the_first_attempt_that_differs(
    second: dict[str, str | None], what: str, same: int
) -> None:
    found = comparison.first_divergence(SPREAD, a_run(second))
    assert found is not None
    assert (found.what, found.same) == (what, same)
    assert found.first is not None
    assert found.first.number == same + 1


def test_room_made_elsewhere_is_a_difference() -> None:
    (one,) = comparison.tried(a_run({"a": None}))
    there = _preempting(one, "n1", "default/x")
    found = comparison.diverge([there], [_preempting(one, "n2", "default/y")])
    assert found is not None
    assert found.what == divergence.PREEMPTION


def test_preemption_that_only_one_side_tells_of_is_no_difference() -> None:
    (one,) = comparison.tried(a_run({"a": None}))
    silent = comparison.Tried(*(getattr(one, name) for name in one.__struct_fields__[:-1]))
    assert silent.victims is None
    assert comparison.diverge([_preempting(one, "n1", "default/x")], [silent]) is None


def _preempting(row: comparison.Tried, node: str, victim: str) -> comparison.Tried:
    return msgspec.structs.replace(row, nominated_node=node, victims=(victim,))


_WHERE = st.dictionaries(
    st.sampled_from("abcdef"), st.one_of(st.none(), st.sampled_from(NODES)), max_size=6
)
_MIRRORED = {
    placements.NEWLY_PENDING: placements.NEWLY_SCHEDULED,
    placements.NEWLY_SCHEDULED: placements.NEWLY_PENDING,
    placements.ONLY_FIRST: placements.ONLY_SECOND,
    placements.ONLY_SECOND: placements.ONLY_FIRST,
    placements.MOVED: placements.MOVED,
}


@given(first=_WHERE, second=_WHERE)
def test_seen_from_the_other_side_every_change_is_its_mirror_image(
    first: dict[str, str | None], second: dict[str, str | None]
) -> None:
    one, other = a_run(first), a_run(second)
    there, back = kinds(one, other), kinds(other, one)
    assert {_MIRRORED[kind]: set(pods) for kind, pods in there.items()} == {
        kind: set(pods) for kind, pods in back.items()
    }
    unchanged = sum(1 for name in first if name in second and first[name] == second[name])
    total = comparison.changes(one, other).pods
    assert total == unchanged + sum(len(pods) for pods in there.values())


@given(first=_WHERE, second=_WHERE)
def test_runs_part_exactly_if_their_attempts_differ(
    first: dict[str, str | None], second: dict[str, str | None]
) -> None:
    found = comparison.first_divergence(a_run(first), a_run(second))
    ones, others = list(first.items()), list(second.items())
    if found is None:
        assert ones == others
    else:
        assert ones[: found.same] == others[: found.same]
        assert ones[found.same : found.same + 1] != others[found.same : found.same + 1]
