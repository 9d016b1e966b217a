"""The plugins that look at one property of a node: NodeName, NodeUnschedulable,
NodeDeclaredFeatures."""

from __future__ import annotations

from typing import Any

import hypothesis
import pytest

from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.plugins.node_declared_features import NodeDeclaredFeatures
from kubestage.scheduler.plugins.node_name import NodeName
from kubestage.scheduler.plugins.node_unschedulable import NodeUnschedulable
from kubestage.scheduler.status import SKIP, SUCCESS, unresolvable
from tests.reference import node_declared_features, node_name, node_unschedulable
from tests.scheduler.plugins import clusters

ALL_RESTART = [{"name": "main", "restartPolicyRules": [{"action": "RestartAllContainers"}]}]
TOLERANT = [{"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}]


@hypothesis.given(clusters.clusters(), clusters.specs())
def test_a_node_is_rejected_as_by_the_twins(over: Any, spec: Any) -> None:
    incoming, handle = clusters.pod(**spec), clusters.handle()
    cordon, features = NodeUnschedulable({}, handle), NodeDeclaredFeatures({}, handle)
    assert clusters.verdicts(cordon, incoming, over) == [
        node_unschedulable.filter_node(incoming, info) for info in over.infos
    ]
    assert clusters.verdicts(features, incoming, over) == [
        node_declared_features.filter_node(incoming, info) for info in over.infos
    ]


@pytest.mark.parametrize("name", ["", "node-0", "node-1", "elsewhere"])
def test_a_pod_with_a_node_name_is_kept_to_it(name: str) -> None:
    over = clusters.columns([clusters.node("node-0"), clusters.node("node-1")])
    incoming = clusters.pod(nodeName=name)
    expected = [node_name.filter_node(incoming, info) for info in over.infos]
    assert clusters.verdicts(NodeName({}, clusters.handle()), incoming, over) == expected


def test_only_a_new_node_can_have_the_wanted_name() -> None:
    (event,) = NodeName({}, clusters.handle()).events_to_register()
    assert event.hint is None


def test_a_pod_that_relies_on_nothing_skips_declared_features() -> None:
    features = NodeDeclaredFeatures({}, clusters.handle())
    over = clusters.columns([clusters.node("n")])
    assert features.pre_filter(CycleState(), clusters.pod(), over) == (SKIP, None)


def test_a_declared_feature_is_required() -> None:
    declaring = clusters.node("y", declaredFeatures=["RestartAllContainersOnContainerExits"])
    over = clusters.columns([clusters.node("x"), declaring])
    features = NodeDeclaredFeatures({}, clusters.handle())
    rejected = unresolvable("node(s) didn't match Pod's required features")
    incoming = clusters.pod(containers=ALL_RESTART)
    assert clusters.verdicts(features, incoming, over) == [rejected, SUCCESS]


def test_features_that_come_to_be_declared_help() -> None:
    event, _ = NodeDeclaredFeatures({}, clusters.handle()).events_to_register()
    assert event.hint is not None
    silent, declaring = clusters.node("n"), clusters.node("n", declaredFeatures=["A"])
    incoming = clusters.pod()
    assert event.hint(incoming, None, silent)
    assert event.hint(incoming, silent, declaring)
    assert not event.hint(incoming, declaring, declaring)


def test_a_pod_helps_itself_by_relying_on_something_else() -> None:
    _, event = NodeDeclaredFeatures({}, clusters.handle()).events_to_register()
    assert event.hint is not None
    before, after = clusters.pod(containers=ALL_RESTART), clusters.pod()
    assert event.hint(before, before.raw, after.raw)
    assert not event.hint(before, before.raw, before.raw)
    assert not event.hint(clusters.pod("other"), before.raw, after.raw)


@pytest.mark.parametrize(
    ("before", "after", "helps"),
    [(None, False, True), (None, True, False), (True, False, True), (False, False, False)],
)
def test_a_node_helps_when_it_is_uncordoned(before: Any, after: bool, helps: bool) -> None:
    event, _ = NodeUnschedulable({}, clusters.handle()).events_to_register()
    assert event.hint is not None
    old = None if before is None else clusters.node("n", unschedulable=before)
    assert event.hint(clusters.pod(), old, clusters.node("n", unschedulable=after)) is helps


def test_a_toleration_of_the_cordon_helps() -> None:
    _, event = NodeUnschedulable({}, clusters.handle()).events_to_register()
    assert event.hint is not None
    incoming = clusters.pod()
    tolerant = clusters.pod(tolerations=TOLERANT)
    assert event.hint(incoming, incoming.raw, tolerant.raw)
    assert not event.hint(incoming, incoming.raw, clusters.pod(tolerations=[]).raw)
    assert not event.hint(clusters.pod("other"), incoming.raw, tolerant.raw)
