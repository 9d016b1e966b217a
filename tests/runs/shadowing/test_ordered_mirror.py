"""Placements are predicted on the state just before them, in whichever order changes come."""

from __future__ import annotations

import copy
import itertools
from typing import TYPE_CHECKING

import pytest

from kubestage.runs.predicting import Predictor
from kubestage.runs.shadowing.node_arrivals import ArrivalTwin
from kubestage.runs.shadowing.ordered_mirror import TURN_NS, OrderedMirror
from kubestage.runs.shadowing.ordering import HELD_NS
from kubestage.runs.shadowing.placements import PlacementTwin
from kubestage.runs.shadowing.replica_steps import ReplicaTwin
from kubestage.sources.imported import reference_of
from kubestage.testing import make_node, make_pod

if TYPE_CHECKING:
    from kubestage.aliases import Json

TURNS = -(-HELD_NS // TURN_NS)
LISTED = 0


class Shadowed:
    """A mirror with its twins, and what they report."""

    def __init__(self, *objects: Json) -> None:
        self.report: list[Json] = []
        self.predictor = Predictor()
        self.predictor.put_all(objects)
        self.placements = PlacementTwin(self.predictor, self.report.append)
        self.mirror = OrderedMirror(
            self.predictor,
            self.placements,
            ArrivalTwin(self.predictor, self.report.append),
            ReplicaTwin(self.predictor.store, self.report.append),
        )

    def receive(self, version: int, before: Json | None, after: Json | None) -> None:
        """A change comes, and is not taken up yet."""
        reference = reference_of(after or before or {})
        self.mirror.hold(reference, before, after, version * 10**9, str(version))

    def turns(self, count: int = TURNS, *, is_interrupted: bool = False) -> None:
        for _ in range(count):
            self.mirror.turn(is_interrupted=is_interrupted)

    def outcomes(self) -> list[Json]:
        return [each for each in self.report if each["type"] == "placement"]


def _pod(name: str = "web", node: str = "") -> Json:
    pod = make_pod(name, image="large", cpu="100m")
    pod["metadata"] |= {"namespace": "default", "uid": name}
    pod["spec"] |= {"nodeName": node} if node else {}
    return pod


def _with_image(node: Json) -> Json:
    shown = copy.deepcopy(node)
    shown["status"]["images"] = [{"names": ["large:latest"],
                                  "sizeBytes": 900_000_000}]  # fmt: skip
    return shown


A, B = make_node("a"), make_node("b")


def test_a_report_that_was_made_after_a_placement_has_no_part_in_it() -> None:
    twin = Shadowed(A, B)
    twin.receive(1, None, _pod())
    twin.receive(3, A, _with_image(A))
    twin.turns()
    # The connection of pods is slower than that of nodes, by more than changes are held back.
    twin.receive(2, _pod(), _pod(node="b"))
    twin.turns()
    (placement,) = twin.outcomes()
    assert (placement["hit"], placement["predicted"]) == (True, ["a", "b"])
    # The report is known again, and the pod is where it went.
    assert twin.predictor.predict(_pod("next")).best == {"a"}
    assert twin.placements.pending == 0


def test_a_placement_is_predicted_again_if_a_report_of_before_it_is_late() -> None:
    twin = Shadowed(A, B)
    twin.receive(1, None, _pod("first"))
    twin.receive(2, _pod("first"), _pod("first", "a"))
    twin.receive(3, None, _pod())
    twin.receive(5, _pod(), _pod(node="a"))
    twin.turns()
    _, missed = twin.outcomes()
    assert (missed["hit"], missed["predicted"], "wasHit" in missed) == (False, ["b"], False)
    counts = twin.placements.counts
    assert (counts.predicted, counts.possible, counts.feasible) == (2, 1, 2)
    twin.receive(4, A, _with_image(A))
    twin.turns()
    _, _, revised = twin.outcomes()
    assert (revised["hit"], revised["wasHit"], revised["predicted"]) == (True, False, ["a"])
    assert {name: revised[name] for name in ("pod", "at")} == {
        name: missed[name] for name in ("pod", "at")
    }
    counts = twin.placements.counts
    assert (counts.predicted, counts.possible, counts.feasible) == (2, 2, 2)


def test_each_order_of_arrival_gives_the_same_counts() -> None:
    """Two connections, each in its order, however they are interleaved."""
    shown = _with_image(A)
    pods = [
        (1, None, _pod()),
        (3, _pod(), _pod(node="a")),
        (4, None, _pod("next")),
        (6, _pod("next"), _pod("next", "a")),
        (7, None, _pod("third")),
        (9, _pod("third"), _pod("third", "c")),
    ]
    # The second pod follows the image to the fuller node; the third does not, since it is gone.
    nodes = [(2, None, make_node("c")), (5, A, shown), (8, shown, A)]
    revised = 0
    for places in itertools.combinations(range(9), 3):
        twin = Shadowed(A, B)
        rest = {True: iter(nodes), False: iter(pods)}
        for number in range(9):
            twin.receive(*next(rest[number in places]))
            twin.turns()
        counts = twin.placements.counts
        assert (counts.predicted, counts.best, counts.possible, counts.feasible) == (3, 3, 3, 3)
        last = {each["pod"]: each["hit"] for each in twin.outcomes()}
        assert list(last.values()) == [True] * 3
        assert twin.predictor.predict(_pod("last")).best == {"b"}
        revised += len(twin.outcomes()) > 3
    assert revised


def test_nothing_is_undone_that_was_taken_up_before_a_list() -> None:
    twin = Shadowed(A, B)
    twin.receive(1, None, _pod())
    twin.receive(3, A, _with_image(A))
    twin.turns()
    twin.receive(LISTED, None, make_node("c"))
    twin.turns()
    twin.receive(2, _pod(), _pod(node="b"))
    twin.turns()
    (placement,) = twin.outcomes()
    assert (placement["hit"], placement["predicted"]) == (False, ["a"])


def test_a_watch_that_is_back_has_time_to_catch_up() -> None:
    twin = Shadowed(A, B)
    twin.receive(1, None, _pod())
    twin.receive(3, _pod(), _pod(node="a"))
    twin.turns(2 * TURNS, is_interrupted=True)
    twin.turns(1)
    assert twin.report == []
    twin.receive(2, A, _with_image(A))
    twin.turns()
    (placement,) = twin.outcomes()
    assert (placement["hit"], placement["predicted"]) == (True, ["a"])


def test_at_the_end_all_is_taken_up() -> None:
    twin = Shadowed(A, B)
    twin.receive(3, A, _with_image(A))
    twin.turns()
    twin.receive(1, None, _pod())
    twin.receive(2, _pod(), _pod(node="b"))
    twin.mirror.finish()
    (placement,) = twin.outcomes()
    assert placement["predicted"] == ["a", "b"]
    assert [pytest.approx(1.0)] == [placement["pendingSeconds"]]
