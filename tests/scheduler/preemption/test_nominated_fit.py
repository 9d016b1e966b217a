"""Beside promised pods, all nodes at once come to what they come to one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import hypothesis
import numpy as np
from hypothesis import strategies as st

from kubestage.objects.views import pod as pod_views
from kubestage.scheduler import registry
from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.nominator import Nominator
from kubestage.scheduler.preemption import nominated_fit
from kubestage.scheduler.runtime import Profile
from kubestage.scheduler.status import SUCCESS, Status, unschedulable
from kubestage.scheduler.verdicts import NOBODY, Verdicts
from tests.scheduler.plugins import clusters
from tests.scheduler.preemption import crowd

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.node_info import NodeInfo

BUILT_IN = ("NodeUnschedulable", "TaintToleration", "NodePorts", "NodeResourcesFit")


class Lonely:
    """Looks at pods: a node takes two."""

    name = "Lonely"

    def filter_node(self, state: CycleState, pod: PodView, node: NodeInfo) -> Status:
        del state, pod
        return SUCCESS if len(node.pods) < 2 else unschedulable("not lonely")


def _profile(own: list[Any], at: int) -> Profile:
    handle = clusters.handle()
    filters = [
        registry.plugin_class(name)(crowd.FIT if name == "NodeResourcesFit" else {}, handle)
        for name in BUILT_IN
    ]
    filters[at:at] = own
    pre_filter = [each for each in filters if hasattr(each, "pre_filter")]
    return Profile("default-scheduler", {"preFilter": pre_filter, "filter": filters}, {})


def _one_by_one(
    nominated: list[tuple[str, PodView]],
    profile: Profile,
    state: CycleState,
    pod: PodView,
    columns: Columns,
    rows: list[int],
    verdicts: Verdicts,
) -> None:
    """The plain way: a copy of each promised node, with the promised pods on it."""
    for at, row in enumerate(rows):
        others = [
            each
            for name, each in nominated
            if name == columns.names[row] and each.priority >= pod.priority and each.uid != pod.uid
        ]
        if not others:
            continue
        trial, tried = columns.take([row]), state.clone()
        for other in others:
            profile.run_add_pod(tried, pod, other, trial, 0)
        found = profile.run_filter(tried, pod, trial, np.zeros(1, np.int64))
        if found.rejecter[0] != NOBODY:
            verdicts.rejecter[at], verdicts.code[at] = found.rejecter[0], found.code[0]


@st.composite
def _pods(draw: st.DrawFn, name: str) -> PodView:
    spec = {**draw(clusters.specs()), "priority": draw(st.sampled_from([0, 5, 10]))}
    return pod_views.of({**crowd.pod(name), "spec": spec})


@hypothesis.given(st.data(), st.sampled_from([0, 2, 4, None]))
def test_verdicts_are_those_of_one_node_at_a_time(data: Any, at: int | None) -> None:
    nodes = data.draw(clusters.nodes())
    columns = clusters.columns(nodes)
    names = st.sampled_from(columns.names)
    for number in range(data.draw(st.integers(0, 4))):
        columns.add_pod(columns.row_of[data.draw(names)], data.draw(_pods(f"pod-{number}")))
    incoming = data.draw(_pods("incoming"))
    nominator = Nominator()
    waiting = [data.draw(_pods(f"waiting-{number}")) for number in range(3)]
    nominated = [
        (data.draw(names), pod) for pod in data.draw(st.permutations([*waiting, incoming]))
    ]
    for name, pod in nominated:
        nominator.add(pod, name)
    profile, state = _profile([Lonely()] if at is not None else [], at or 0), CycleState()
    profile.run_pre_filter(state, incoming, columns)
    rows = data.draw(st.permutations(range(len(columns))))
    order = np.array(rows, np.int64)
    found = profile.run_filter(state, incoming, columns, order)
    expected = profile.run_filter(state, incoming, columns, order)
    nominated_fit.consider(nominator, profile, state, incoming, columns, order, found)
    _one_by_one(nominated, profile, state, incoming, columns, rows, expected)
    assert found.rejecter.tolist() == expected.rejecter.tolist()
    assert found.code.tolist() == expected.code.tolist()


def test_what_is_promised_to_the_pod_itself_does_not_stand_in_its_way() -> None:
    columns = clusters.columns([clusters.node("n0")])
    pod, profile, state = clusters.pod(requests={"cpu": "3"}), _profile([], 0), CycleState()
    nominator = Nominator()
    nominator.add(pod, "n0")
    profile.run_pre_filter(state, pod, columns)
    verdicts = profile.run_filter(state, pod, columns, np.array([0]))
    nominated_fit.consider(nominator, profile, state, pod, columns, np.array([0]), verdicts)
    assert verdicts.passing.tolist() == [0]
    other = clusters.pod("other", {"cpu": "2"})
    nominator.add(other, "n0")
    nominated_fit.consider(nominator, profile, state, pod, columns, np.array([0]), verdicts)
    assert verdicts.passing.tolist() == []


def test_promises_are_counted_anew_on_other_columns() -> None:
    pod, profile, state = clusters.pod(requests={"cpu": "3"}), _profile([], 0), CycleState()
    nominator = Nominator()
    nominator.add(clusters.pod("other", {"cpu": "2"}), "n1")
    for names in (["n0", "n1"], ["n1", "n0"], ["n0"]):
        columns = clusters.columns([clusters.node(name) for name in names])
        profile.run_pre_filter(state, pod, columns)
        order = np.arange(len(names))
        verdicts = profile.run_filter(state, pod, columns, order)
        nominated_fit.consider(nominator, profile, state, pod, columns, order, verdicts)
        passing = [names[at] for at in verdicts.passing.tolist()]
        assert passing == ["n0"]
