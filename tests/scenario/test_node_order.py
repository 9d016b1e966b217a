"""The nodes of a step come by name: how they are ordered in the file makes no difference."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.scenario import node_order
from kubestage.scenario.settings import Settings
from kubestage.testing import make_daemon_set, make_node, make_pod
from tests.scenario import building
from tests.scenario.building import NODE, create, delete, done, patch

if TYPE_CHECKING:
    from kubestage.aliases import Json

ZONE = "topology.kubernetes.io/zone"
COUNT = 1000


def _nodes(seed: int) -> list[Json]:
    nodes = [make_node(f"n{i}", cpu="4", labels={ZONE: f"z{i % 3}"}) for i in range(COUNT)]
    random.Random(seed).shuffle(nodes)
    return nodes


def _placed(seed: int, *, alive: bool = False, **options: Any) -> dict[str, str | None]:
    events = [*map(create, _nodes(seed)), *(create(make_pod(f"p{i}"), 1) for i in range(20))]
    stage = building.run(*events, done(1), alive=alive, settings=Settings(**options))
    assert building.phase(stage) == "Succeeded"
    return building.placements(stage)


def test_a_thousand_nodes_in_another_order_change_nothing() -> None:
    """The document's own example: suppose a user has defined a scenario to create 1000 Nodes."""
    assert _placed(1) == _placed(2) == _placed(3)


def test_as_written_the_order_is_the_file_s() -> None:
    one, other = _placed(1, as_written=True), _placed(2, as_written=True)
    assert one != other
    assert _placed(1, as_written=True) == one


def test_the_pods_of_a_daemon_set_are_where_they_were_too() -> None:
    """Controllers hear of the nodes in the same order as the scheduler."""

    def placed(seed: int) -> dict[str, str | None]:
        nodes = [each for each in _nodes(seed) if len(each["metadata"]["name"]) < 4]
        stage = building.run(*map(create, nodes), create(make_daemon_set("agent")), alive=True)
        return building.placements(stage)

    assert placed(1) == placed(2)
    assert len(placed(1)) == 100


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["n10", "n2", "n1"], ["n1", "n2", "n10"]),
        (["b1", "a10", "a9"], ["a9", "a10", "b1"]),
        (["n-1-b", "n-1-a", "n-01-a", "n"], ["n", "n-01-a", "n-1-a", "n-1-b"]),
        (["10", "9", "a"], ["9", "10", "a"]),
    ],
)
def test_names_are_ordered_as_people_count(names: list[str], expected: list[str]) -> None:
    assert sorted(names, key=node_order.natural) == expected


def _order(*events: Json, **options: Any) -> list[tuple[str, str]]:
    stage = building.run(*events, settings=Settings(**options))
    assert building.phase(stage) == "Paused", building.message(stage)
    return [(operation, name) for _, operation, name in building.summary(stage)]


def test_all_that_happens_to_a_node_happens_in_the_order_it_was_written() -> None:
    """A node that is deleted and created anew in a step, and one that moves to another zone."""
    rezoned = patch(NODE, "n2", {"metadata": {"labels": {ZONE: "z9"}}}, 1)
    again = {**create(make_node("n1"), 1), "id": "again"}
    told = _order(
        *(create(make_node(name)) for name in ("n2", "n1")),
        create(make_node("n10"), 1),
        rezoned,
        delete(NODE, "n1", 1),
        again,
        create(make_node("n3"), 1),
    )
    assert told == [
        ("Create", "n1"),
        ("Create", "n2"),
        ("Delete", "n1"),
        ("Create", "n1"),
        ("Patch", "n2"),
        ("Create", "n3"),
        ("Create", "n10"),
    ]


def test_other_events_keep_their_places() -> None:
    events = [create(make_pod("b")), create(make_node("n2")), create(make_pod("a"))]
    events.append(create(make_node("n1")))
    told = [each for each in _order(*events) if each[0] == "Create"]
    assert told == [("Create", "b"), ("Create", "n1"), ("Create", "a"), ("Create", "n2")]
    told = [each for each in _order(*events, as_written=True) if each[0] == "Create"]
    assert told == [("Create", "b"), ("Create", "n2"), ("Create", "a"), ("Create", "n1")]


def test_nodes_of_a_later_step_come_after_those_of_an_earlier_one() -> None:
    told = _order(create(make_node("n9")), create(make_node("n1"), 1))
    assert told == [("Create", "n9"), ("Create", "n1")]


def test_nodes_whose_names_are_made_up_stand_by_what_they_are_made_from() -> None:
    made = make_node("x")
    made["metadata"] = {"generateName": "a-"}
    told = _order(create(make_node("n1")), create(made))
    assert told[0][1].startswith("a-")
    assert told[1] == ("Create", "n1")
