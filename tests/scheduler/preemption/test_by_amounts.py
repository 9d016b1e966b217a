"""Preemption by arithmetic comes to what taking pods off node by node comes to."""

from __future__ import annotations

import functools
import random
from typing import TYPE_CHECKING, Any

import hypothesis
import numpy as np
from hypothesis import strategies as st

from kubestage.objects.views import budget as budget_views
from kubestage.objects.views import node as node_views
from kubestage.objects.views import pod as pod_views
from kubestage.scheduler import registry
from kubestage.scheduler.cache import Cache
from kubestage.scheduler.columns import Columns
from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.handle import Handle
from kubestage.scheduler.node_info import NodeInfo
from kubestage.scheduler.nominator import Nominator
from kubestage.scheduler.plugins.node_resources_fit import NodeResourcesFit
from kubestage.scheduler.preemption import by_amounts, candidates
from kubestage.scheduler.preemption.preemptor import Preemptor
from kubestage.scheduler.replay.cluster import ReplayCluster
from kubestage.scheduler.runtime import Profile
from kubestage.scheduler.status import SUCCESS, Status, unschedulable
from tests.reference import default_preemption as twin
from tests.scheduler.plugins import clusters
from tests.scheduler.preemption import crowd

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView


BUILT_IN = (
    "NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity", "NodePorts",
    "NodeResourcesFit",
)  # fmt: skip


class Lonely:
    """Looks at pods: a node takes three."""

    name = "Lonely"

    def filter_node(self, state: CycleState, pod: PodView, node: NodeInfo) -> Status:
        del state, pod
        return SUCCESS if len(node.pods) < 3 else unschedulable("not lonely")


class OwnFit(NodeResourcesFit):
    """A user's own version of a built-in plugin, under its name: it looks at pods, too."""

    def filter(self, state: Any, pod: PodView, columns: Columns, rows: Any) -> Any:
        numbers = np.arange(len(columns))[rows]
        return np.array([len(columns.infos[row].pods) > 0 for row in numbers], np.int32)


class Case:
    """Nodes with pods on them, and one that needs room."""

    def __init__(self, objects: Sequence[Json], own: Sequence[Any] = (), at: int = 0) -> None:
        self.cache, nominator = Cache(), Nominator()
        cluster = ReplayCluster(objects, self.cache)
        handle = Handle(cluster, cluster, nominator, random.Random(0), self.cache)
        for each in cluster.list("v1", "Node"):
            self.cache.add_node(node_views.of(each))
        self.pods = [pod_views.of(each) for each in cluster.list("v1", "Pod")]
        for pod in self.pods:
            if pod.node_name:
                self.cache.add_pod(pod)
            else:
                nominator.add(pod, pod.nominated_node_name)
        built_in = [
            registry.plugin_class(name)(crowd.FIT if name == "NodeResourcesFit" else {}, handle)
            for name in BUILT_IN
        ]
        names = {each.name for each in own}
        filters = [each for each in built_in if each.name not in names]
        filters[at:at] = own
        points = {
            "preFilter": [each for each in filters if hasattr(each, "pre_filter")],
            "filter": filters,
        }
        self.profile = Profile("default-scheduler", points, {})
        self.budgets = [
            budget_views.of(each) for each in cluster.list("policy/v1", "PodDisruptionBudget")
        ]
        self.incoming = self.pods[-1]
        state = CycleState()
        self.profile.run_pre_filter(state, self.incoming, self.cache.columns)
        self.preemptor = Preemptor(self.incoming, self.profile, state, nominator, cluster)

    def found(self) -> dict[str, Any]:
        """The dry runs on all nodes."""
        columns = self.cache.columns
        rows = np.arange(len(columns))[::-1].copy()
        _, runs = candidates.find(self.preemptor, columns, rows, len(rows))
        return {
            name: (run.status.reasons, [each.name for each in run.victims], run.pdb_violations)
            for name, run in runs.by_node().items()
        }

    def amounts_suffice(self) -> bool:
        """Whether amounts tell all."""
        return by_amounts.suffice(self.profile, self.preemptor.state)

    def rejections(self) -> list[Any]:
        """What amounts tell of the first node."""
        columns, rows = self.cache.columns, np.array([0])
        free = by_amounts.cleared(self.preemptor, columns, rows)
        return list(by_amounts.rejections(self.preemptor, columns, rows, free))

    def expected(self) -> dict[str, Any]:
        """The same by the twin, which makes the columns of each node anew at each step."""
        outcomes = {}
        for info in self.cache.columns.infos:
            outcome = twin.dry_run(
                self.incoming,
                list(info.pods.values()),
                [each for each in self.pods if each.nominated_node_name == info.name],
                self.budgets,
                functools.partial(self._fits, info),
            )
            status, victims, violations = outcome
            reasons = status.reasons
            if status.is_success and not victims:
                reasons = (f'expected at least one victim pod on node "{info.name}"',)
            outcomes[info.name] = reasons, [each.name for each in victims], violations
        return outcomes

    def _fits(self, info: NodeInfo, present: Sequence[PodView]) -> Status:
        alone = NodeInfo(info.view)
        for pod in present:
            alone.add(pod)
        columns, state = Columns([alone]), CycleState()
        self.profile.run_pre_filter(state, self.incoming, columns)
        return self.profile.filter_one(state, self.incoming, columns, 0)


@st.composite
def _objects(draw: st.DrawFn) -> list[Json]:
    objects: list[Json] = draw(clusters.nodes())
    count = len(objects)

    def pod(name: str, priority: int, **more: Any) -> Json:
        spec = {**draw(clusters.specs()), "priority": priority, **more}
        app = draw(st.sampled_from(["web", "db"]))
        made = crowd.pod(name, labels={"app": app}, start=draw(st.sampled_from([None, 1, 2])))
        return {**made, "spec": spec}

    for number in range(draw(st.integers(0, 8))):
        where = f"node-{draw(st.integers(0, count - 1))}"
        placed = pod(f"pod-{number}", draw(st.sampled_from([-5, 0, 10])), nodeName=where)
        if number:
            # A port that two pods of a node share is free once one of them goes, as upstream
            # has it; the twin, which knows only who is there, cannot follow that.
            placed["spec"]["containers"] = [
                {**each, "ports": []} for each in placed["spec"]["containers"]
            ]
        objects.append(placed)
    for number in range(draw(st.integers(0, 2))):
        waiting = pod(f"waiting-{number}", draw(st.sampled_from([0, 10, 20])))
        nominated = {"nominatedNodeName": f"node-{draw(st.integers(0, count - 1))}"}
        objects.append({**waiting, "status": nominated})
    allowed = draw(st.lists(st.integers(0, 1), max_size=2))
    budgets = [crowd.budget(f"budget-{at}", left, app="web") for at, left in enumerate(allowed)]
    return [*objects, *budgets, pod("incoming", 10)]


@hypothesis.given(_objects(), st.sampled_from([(), (Lonely(),)]), st.sampled_from([0, 6]))
def test_dry_runs_are_those_of_the_twin(objects: list[Json], own: Any, at: int) -> None:
    case = Case(objects, own, at)
    assert case.found() == case.expected()
    assert case.found() == case.expected()


def _crowded(own: Sequence[Any] = (), at: int = 0) -> Case:
    """Four pods, two of them weaker, on a node with room for four CPUs."""
    pods = [crowd.pod(f"pod-{number}", "full", 1, number // 2 * 10) for number in range(4)]
    return Case([crowd.node("full"), *pods, crowd.pod("new", cpu=3, priority=10)], own, at)


def test_a_node_too_small_without_weaker_pods_is_rejected_before_any_is_taken_off() -> None:
    case = _crowded()
    assert case.amounts_suffice()
    ((places, status),) = case.rejections()
    assert (places.tolist(), status.reasons) == ([0], ("Insufficient cpu",))
    assert status.plugin == "NodeResourcesFit"


def test_a_pod_put_back_takes_up_every_resource_it_did() -> None:
    def with_gpu(name: str, on: str = "", **more: Any) -> Json:
        containers = [{"name": "c", "image": "i", "resources": {"requests": {clusters.GPU: "1"}}}]
        return crowd.pod(name, on, containers=containers, **more)

    full = crowd.node("full")
    full["status"]["allocatable"][clusters.GPU] = "2"
    pods = [with_gpu("young", "full", start=2), with_gpu("old", "full", start=1)]
    case = Case([full, *pods, with_gpu("new", priority=10)])
    assert case.amounts_suffice()
    assert case.found() == case.expected() == {"full": ((), ["young"], 0)}


def test_beside_whom_a_node_is_promised_to_comes_first() -> None:
    nominated = crowd.pod("first", cpu=1, priority=10, status={"nominatedNodeName": "full"})
    pods = [crowd.pod("weak", "full", 1), crowd.pod("strong", "full", 3, 10), nominated]
    case = Case([crowd.node("full", 4, 2), *pods, crowd.pod("new", cpu=2, priority=10)])
    assert (
        case.found() == case.expected() == {"full": (("Too many pods", "Insufficient cpu"), [], 0)}
    )


def test_who_looks_at_pods_is_heard_before_those_that_come_after() -> None:
    case = _crowded([Lonely()])
    assert not case.amounts_suffice()
    assert case.rejections() == []


def test_a_plugin_of_a_user_is_not_taken_for_the_one_it_derives_from() -> None:
    handle: Any = clusters.handle()
    case = _crowded([OwnFit(crowd.FIT, handle)])
    assert not case.amounts_suffice()
    assert case.rejections() == []
