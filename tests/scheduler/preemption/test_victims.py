"""The dry run against its slow twin, and the rules it follows one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from kubestage.objects.views import budget as budget_views
from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.status import SKIP, SUCCESS, Status, unschedulable
from tests.reference import default_preemption as twin
from tests.scheduler.preemption import crowd

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hypothesis.strategies import SearchStrategy

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Codes


TOO_NOISY = unschedulable("the zone is too noisy")


class _Counts(dict[str, int]):
    def clone(self) -> _Counts:
        return _Counts(self)


class QuietZones:
    """A plugin with state about other nodes: a zone takes two noisy pods."""

    name = "QuietZones"
    limit = 2

    def pre_filter(self, state: Any, pod: PodView, columns: Any) -> tuple[Status, None]:
        if not _is_noisy(pod):
            return SKIP, None
        counts = state[self.name] = _Counts()
        for info in columns.infos:
            for each in info.pods.values():
                self._count(counts, each, info, 1)
        return SUCCESS, None

    def add_pod(self, state: Any, _: PodView, added: PodView, columns: Any, row: int) -> None:
        self._count(state[self.name], added, columns.infos[row], 1)

    def remove_pod(self, state: Any, _: PodView, removed: PodView, columns: Any, row: int) -> None:
        self._count(state[self.name], removed, columns.infos[row], -1)

    def filter(self, state: Any, _: PodView, columns: Any, rows: Any) -> Codes:
        zones = [columns.infos[row].view.labels["zone"] for row in np.arange(len(columns))[rows]]
        noisy = [state[self.name].get(zone, 0) >= self.limit for zone in zones]
        return np.array(noisy, np.int32)

    def status(self, state: Any, pod: PodView, code: int) -> Status:
        del state, pod, code
        return TOO_NOISY

    def _count(self, counts: _Counts, pod: PodView, info: Any, sign: int) -> None:
        if _is_noisy(pod):
            zone = info.view.labels["zone"]
            counts[zone] = counts.get(zone, 0) + sign


def _is_noisy(pod: PodView) -> bool:
    return pod.labels.get("app") == "noisy"


_pods: SearchStrategy[Json] = st.fixed_dictionaries(
    {
        "cpu": st.integers(0, 3),
        "priority": st.sampled_from([-5, 0, 0, 10, 50]),
        "labels": st.sampled_from(
            [{}, {"app": "web"}, {"app": "noisy"}, {"app": "noisy", "x": "y"}]
        ),
        "start": st.sampled_from([None, 1, 1, 2, 3]),
        "deleted": st.booleans(),
    }
)
_budgets = st.lists(
    st.builds(
        lambda number, allowed, disrupted, labels: crowd.budget(
            f"budget-{number}", allowed, *disrupted, **labels
        ),
        st.integers(0, 100),
        st.integers(-1, 2),
        st.lists(st.sampled_from(["pod-0", "pod-1", "pod-2"]), max_size=2),
        st.sampled_from([{}, {"app": "web"}, {"app": "noisy"}, {"x": "y"}]),
    ),
    max_size=3,
    unique_by=lambda each: str(each["metadata"]["name"]),
)


@st.composite
def _clusters(draw: st.DrawFn) -> list[Json]:
    count = draw(st.integers(1, 3))
    objects = [
        crowd.node(f"node-{number}", draw(st.integers(2, 5)), zone=draw(st.sampled_from("ab")))
        for number in range(count)
    ]
    for number in range(draw(st.integers(0, 12))):
        where = f"node-{draw(st.integers(0, count - 1))}"
        objects.append(crowd.pod(f"pod-{number}", where, **draw(_pods)))
    for number in range(draw(st.integers(0, 2))):
        status = {"nominatedNodeName": f"node-{draw(st.integers(0, count - 1))}"}
        objects.append(crowd.pod(f"waiting-{number}", status=status, **draw(_pods)))
    incoming = {
        **draw(_pods),
        "cpu": draw(st.integers(1, 4)),
        "priority": draw(st.sampled_from([5, 10, 100])),
        "deleted": False,
    }
    return [*objects, *draw(_budgets), crowd.pod("incoming", **incoming)]


def _expected(objects: list[Json], plugins: Sequence[Any]) -> dict[str, twin.Outcome]:
    """The twin's dry run on every node."""
    views = [pod_views.of(each) for each in objects if each["kind"] == "Pod"]
    budgets = [budget_views.of(each) for each in objects if each["kind"] == "PodDisruptionBudget"]
    incoming = views[-1]
    zone_of = {
        each["metadata"]["name"]: each["metadata"]["labels"]["zone"]
        for each in objects
        if each["kind"] == "Node"
    }
    outcomes = {}
    for node in (each for each in objects if each["kind"] == "Node"):
        name = node["metadata"]["name"]
        elsewhere = [
            each
            for each in views
            if each.node_name != name and zone_of.get(each.node_name) == zone_of[name]
        ]

        def fits(present: Sequence[PodView], node: Json = node, far: Any = elsewhere) -> Status:
            allocatable = node["status"]["allocatable"]
            short = []
            if len(present) + 1 > int(allocatable["pods"]):
                short.append("Too many pods")
            asked = incoming.requests.milli_cpu
            used = sum(each.requests.milli_cpu for each in present)
            if asked and used + asked > 1000 * int(allocatable["cpu"]):
                short.append("Insufficient cpu")
            noisy = len([each for each in [*present, *far] if _is_noisy(each)])
            if short:
                return unschedulable(*short)
            if plugins and _is_noisy(incoming) and noisy >= QuietZones.limit:
                return TOO_NOISY
            return SUCCESS

        outcomes[name] = twin.dry_run(
            incoming,
            [each for each in views if each.node_name == name],
            [each for each in views if each.nominated_node_name == name],
            budgets,
            fits,
        )
    return outcomes


@hypothesis.given(_clusters(), st.booleans())
def test_nodes_and_victims_are_those_of_the_twin(objects: list[Json], with_state: bool) -> None:
    plugins = [QuietZones()] if with_state else []
    crowded = crowd.Crowd(*objects, plugins=plugins)
    found = crowded.attempt("incoming")
    hypothesis.assume(found.selected is None)
    account = found.state["DefaultPreemption"]
    told = {
        name: (run.status.reasons, [each.name for each in run.victims], run.pdb_violations)
        for name, run in account.dry_runs.items()
    }
    outcomes = {
        name: outcome
        for name, outcome in _expected(objects, plugins).items()
        if name in account.dry_runs
    }
    assert told == {
        name: (status.reasons, [each.name for each in victims], violations)
        for name, (status, victims, violations) in outcomes.items()
    }
    assert sorted(account.tied) == twin.best_nodes(outcomes)


def test_a_node_without_weaker_pods_has_no_victims() -> None:
    crowded = crowd.Crowd(
        crowd.node("full"), crowd.pod("peer", "full", 4, 10), crowd.pod("new", cpu=1, priority=10)
    )
    assert crowded.preempt("new") == {
        "code": "Unschedulable",
        "message": "preemption: 0/1 nodes are available: "
        "1 No preemption victims found for incoming pod.",
        "nominatedNode": "",
        "victims": [],
        "dryRun": {
            "full": {
                "code": "UnschedulableAndUnresolvable",
                "reasons": ["No preemption victims found for incoming pod"],
                "numPDBViolations": 0,
            }
        },
    }


def test_only_as_many_pods_go_as_must_and_the_least_important_do() -> None:
    crowded = crowd.Crowd(
        crowd.node("full"),
        crowd.pod("young", "full", start=9),
        crowd.pod("old", "full", start=1),
        crowd.pod("better", "full", priority=1, start=9),
        crowd.pod("middle", "full", start=5),
        crowd.pod("new", cpu=2, priority=10),
    )
    assert crowded.preempt("new")["victims"] == ["default/middle", "default/young"]


def test_pods_that_a_budget_protects_are_spared_before_more_important_ones() -> None:
    crowded = crowd.Crowd(
        crowd.node("full"),
        crowd.pod("guarded", "full", 2, labels={"app": "db"}),
        crowd.pod("other", "full", 2, priority=5),
        crowd.budget("db", 0, app="db"),
        crowd.pod("new", cpu=2, priority=10),
    )
    assert crowded.preempt("new")["victims"] == ["default/other"]


def test_a_broken_budget_is_counted() -> None:
    crowded = crowd.Crowd(
        crowd.node("full"),
        crowd.pod("a", "full", 2, start=1, labels={"app": "db"}),
        crowd.pod("b", "full", 2, start=2, labels={"app": "db"}),
        crowd.budget("db", 1, app="db"),
        crowd.pod("new", cpu=4, priority=10),
    )
    told = crowded.preempt("new")["dryRun"]["full"]
    assert (told["victims"], told["numPDBViolations"]) == (["default/a", "default/b"], 1)


@pytest.mark.parametrize(("priority", "fits"), [(10, False), (9, True)])
def test_room_that_was_promised_to_an_equal_is_not_taken(priority: int, fits: bool) -> None:
    crowded = crowd.Crowd(
        crowd.node("full"),
        crowd.pod("weak", "full", 4),
        crowd.pod("first", cpu=2, priority=priority, status={"nominatedNodeName": "full"}),
        crowd.pod("new", cpu=3, priority=10),
    )
    told = crowded.preempt("new")["dryRun"]["full"]
    assert told["code"] == ("Success" if fits else "Unschedulable")
    assert told.get("reasons") == (None if fits else ["Insufficient cpu"])


def test_state_about_other_nodes_follows_the_pods_of_one_node_only() -> None:
    crowded = crowd.Crowd(
        crowd.node("left", zone="a"),
        crowd.node("right", zone="a"),
        crowd.pod("one", "left", labels={"app": "noisy"}, start=1),
        crowd.pod("two", "right", labels={"app": "noisy"}, start=2),
        crowd.pod("new", cpu=1, priority=10, labels={"app": "noisy"}),
        plugins=[QuietZones()],
    )
    told = crowded.preempt("new")
    assert {name: run["victims"] for name, run in told["dryRun"].items()} == {
        "left": ["default/one"],
        "right": ["default/two"],
    }
    assert told["nominatedNode"] == "right"
