"""However a dry run is made, it comes to what taking pods off and putting them back comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import hypothesis
import numpy as np
from hypothesis import strategies as st

from kubestage.scheduler import registry
from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.nominator import Nominator
from kubestage.scheduler.preemption import (
    candidates,
    nominated_fit,
    pod_aware_plugins,
    trials,
    victims,
)
from kubestage.scheduler.preemption.dry_runs import NO_VICTIMS
from kubestage.scheduler.preemption.preemptor import Preemptor
from kubestage.scheduler.runtime import Profile
from kubestage.scheduler.verdicts import NOBODY
from tests.scheduler.plugins import clusters, crowds
from tests.scheduler.preemption import crowd

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.preemption.dry_runs import DryRun
    from kubestage.scheduler.status import Status
    from kubestage.scheduler.verdicts import Verdicts

ARGS: dict[str, Any] = {
    "NodeResourcesFit": crowd.FIT,
    "PodTopologySpread": {"defaultingType": "List"},
    "InterPodAffinity": {"hardPodAffinityWeight": 1},
}
FILTERS = ("TaintToleration", "NodeResourcesFit", "PodTopologySpread", "InterPodAffinity")
POOL = [*crowds.SOCIABLE, *crowds.SPREADING, *({"labels": {"app": "web"}} for _ in range(200))]


def _profile(*names: str) -> Profile:
    handle = clusters.handle(crowds.namespace_objects())
    plugins = [registry.plugin_class(name)(ARGS.get(name, {}), handle) for name in names]
    points = {
        "preFilter": [each for each in plugins if hasattr(each, "pre_filter")],
        "filter": plugins,
    }
    return Profile("default-scheduler", points, {})


PROFILE = _profile(*FILTERS)


@st.composite
def _pods(draw: st.DrawFn, name: str, *priorities: int) -> PodView:
    cpu = draw(st.sampled_from(["1", "2", "3"]))
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    parts = {**draw(st.sampled_from(POOL)), "containers": [container]}
    return crowds.pod(name, priority=draw(st.sampled_from(priorities)), **parts)


class Scene:
    """Nodes with pods that have much to say about one another, and one more such pod."""

    def __init__(self, data: st.DataObject, *filters: str) -> None:
        names = [f"node-{number}" for number in range(data.draw(st.integers(1, 4)))]
        self.columns: Columns = clusters.columns([data.draw(crowds.nodes(name)) for name in names])
        rows = st.integers(0, len(names) - 1)
        for number in range(data.draw(st.integers(0, 6))):
            self.columns.add_pod(data.draw(rows), data.draw(_pods(f"pod-{number}", 0, 5, 10)))
        self.pod = data.draw(_pods("incoming", 10))
        self.nominator = Nominator()
        for number in range(data.draw(st.integers(0, 3))):
            waiting = data.draw(_pods(f"waiting-{number}", 5, 10, 20))
            self.nominator.add(waiting, names[data.draw(rows)])
        self.profile, self.state = _profile(*filters), CycleState()
        outcome = self.profile.run_pre_filter(self.state, self.pod, self.columns)
        hypothesis.assume(outcome.status.is_success)

    def verdicts(self) -> Verdicts:
        """Who rejects which node, whoever is promised a place there."""
        rows = np.arange(len(self.columns))
        return self.profile.run_filter(self.state, self.pod, self.columns, rows)

    def beside(self, row: int) -> tuple[int, int]:
        """Who rejects a node with promised pods on it, on a copy of it."""
        trial, state = self.columns.take([row]), self.state.clone()
        for other in self.nominator.yielded_to(self.pod, trial.names[0]):
            self.profile.run_add_pod(state, self.pod, other, trial, 0)
        found = self.profile.run_filter(state, self.pod, trial, np.zeros(1, np.int64))
        return int(found.rejecter[0]), int(found.code[0])


def _told(run: DryRun) -> tuple[Status, list[str], int]:
    return run.status, [each.name for each in run.victims], run.pdb_violations


@hypothesis.given(st.data(), st.permutations(FILTERS) | st.just(FILTERS))
def test_dry_runs_come_to_what_they_come_to_pod_by_pod(
    data: st.DataObject, filters: tuple[str, ...]
) -> None:
    scene = Scene(data, *filters)
    columns, lister = scene.columns, clusters.handle().lister
    preemptor = Preemptor(scene.pod, scene.profile, scene.state, scene.nominator, lister)
    _, runs = candidates.find(preemptor, columns, np.arange(len(columns)), len(columns))
    for row, (name, found) in enumerate(runs.by_node().items()):
        assert name == columns.names[row]
        if not preemptor.lower_priority(columns.infos[row].pods.values()):
            assert found.status == NO_VICTIMS
            continue
        (plain,) = victims.dry_runs(preemptor, columns, [row], 1)
        expected, _ = trials.trial_of(plain, name)
        assert _told(found) == _told(expected)


@hypothesis.given(st.data(), st.permutations(FILTERS) | st.just(FILTERS))
def test_verdicts_beside_promised_pods_are_those_on_copies_of_nodes(
    data: st.DataObject, filters: tuple[str, ...]
) -> None:
    scene = Scene(data, *filters)
    columns, found, plain = scene.columns, scene.verdicts(), scene.verdicts()
    rows = np.arange(len(columns))
    nominated_fit.consider(
        scene.nominator, scene.profile, scene.state, scene.pod, columns, rows, found
    )
    for row in rows.tolist():
        expected = int(plain.rejecter[row]), int(plain.code[row])
        if scene.nominator.yielded_to(scene.pod, columns.names[row]):
            with_others = scene.beside(row)
            expected = expected if with_others[0] == NOBODY else with_others
        assert (int(found.rejecter[row]), int(found.code[row])) == expected


AWAY = {"podAntiAffinity": {crowds.REQUIRED: [crowds.term(crowds.app("db"), crowds.HOST)]}}


def _sized(name: str, cpu: int, app: str, **spec: Any) -> PodView:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": str(cpu)}}}
    return crowds.pod(name, labels={"app": app}, containers=[container], **spec)


def _dry_run(columns: Columns, nominator: Nominator) -> tuple[tuple[str, ...], list[str]]:
    """What it takes to make room, on the only node, for a pod that keeps away from databases."""
    pod, profile, state = _sized("new", 1, "web", priority=10, affinity=AWAY), PROFILE, CycleState()
    profile.run_pre_filter(state, pod, columns)
    preemptor = Preemptor(pod, profile, state, nominator, clusters.handle().lister)
    _, runs = candidates.find(preemptor, columns, np.array([0]), 1)
    (run,) = runs.by_node().values()
    return run.status.reasons, [each.name for each in run.victims]


def test_who_is_promised_a_place_may_be_in_the_way_of_a_pod_that_has_room() -> None:
    columns = clusters.columns([clusters.node("n0", labels={crowds.HOST: "n0"})])
    columns.add_pod(0, _sized("weak", 4, "web"))
    nominator = Nominator()
    assert _dry_run(columns, nominator) == ((), ["weak"])
    nominator.add(_sized("first", 1, "db", priority=20), "n0")
    reasons = ("node(s) didn't match pod anti-affinity rules",)
    assert _dry_run(columns, nominator) == (reasons, [])


def test_a_pod_that_came_since_may_have_to_go_for_more_than_its_size() -> None:
    columns = clusters.columns([clusters.node("n0", labels={crowds.HOST: "n0"})])
    columns.add_pod(0, _sized("large", 4, "web"))
    assert _dry_run(columns, Nominator()) == ((), ["large"])
    columns.remove_pod(0, "large")
    columns.add_pod(0, _sized("small", 1, "db"))
    assert _dry_run(columns, Nominator()) == ((), ["small"])


def test_only_pods_that_a_term_is_about_make_a_difference() -> None:
    columns = clusters.columns([clusters.node("n0", labels={crowds.ZONE: "a"})])
    away = {"podAntiAffinity": {crowds.REQUIRED: [crowds.term(crowds.app("db"))]}}
    pod, state = crowds.pod(labels={"app": "web"}, affinity=away), CycleState()
    profile = _profile(*FILTERS)
    profile.run_pre_filter(state, pod, columns)
    known = pod_aware_plugins.active_in(profile, state, pod)
    assert known is not None

    def moves(**parts: Any) -> bool:
        return known.are_moved([pod_aware_plugins.kind_of(crowds.pod("other", **parts))])

    assert moves(labels={"app": "db"})
    assert not moves(labels={"app": "web"})
    assert not moves(labels={"app": "db"}, namespace="blue")
    refusing = {"podAntiAffinity": {crowds.REQUIRED: [crowds.term(crowds.app("web"))]}}
    assert moves(labels={"app": "cache"}, affinity=refusing)


def test_who_looks_at_pods_before_somebody_who_does_not_is_not_known() -> None:
    columns = clusters.columns([clusters.node("n0", labels={crowds.ZONE: "a"})])
    near = {"podAffinity": {crowds.REQUIRED: [crowds.term(crowds.app("web"))]}}
    pod = crowds.pod(labels={"app": "web"}, affinity=near)
    for filters, are_known in (
        (("NodeResourcesFit", "InterPodAffinity"), True),
        (("InterPodAffinity", "NodeResourcesFit"), False),
    ):
        profile, state = _profile(*filters), CycleState()
        profile.run_pre_filter(state, pod, columns)
        assert (pod_aware_plugins.active_in(profile, state, pod) is not None) == are_known
