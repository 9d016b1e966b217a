from __future__ import annotations

from typing import Any

import hypothesis
import pytest

from kubestage.objects.views import node as node_views
from kubestage.scheduler.cluster_events import ActionType, EventResource
from kubestage.scheduler.plugins.taint_toleration import TaintToleration
from kubestage.scheduler.status import SUCCESS, unresolvable
from tests.reference import taint_toleration as twin
from tests.scheduler.plugins import clusters

HARD = {"key": "team", "value": "x", "effect": "NoSchedule"}
SOFT = {"key": "team", "value": "x", "effect": "PreferNoSchedule"}
TOLERATED = [{"key": "team", "operator": "Equal", "value": "x", "effect": "NoSchedule"}]


def plugin() -> TaintToleration:
    return TaintToleration({}, clusters.handle())


@hypothesis.given(clusters.clusters(), clusters.specs())
def test_a_node_is_rejected_and_scored_as_by_the_twin(over: Any, spec: Any) -> None:
    incoming, tainting = clusters.pod(**spec), plugin()
    expected = [twin.filter_node(incoming, info) for info in over.infos]
    assert clusters.verdicts(tainting, incoming, over) == expected
    raw = [twin.score_node(incoming, info) for info in over.infos]
    assert clusters.scores(tainting, incoming, over) == (raw, twin.normalize(raw))


def test_only_hard_taints_reject() -> None:
    over = clusters.columns(
        [clusters.node("hard", taints=[HARD]), clusters.node("soft", taints=[SOFT])]
    )
    rejected = unresolvable("node(s) had untolerated taint(s)")
    assert clusters.verdicts(plugin(), clusters.pod(), over) == [rejected, SUCCESS]
    tolerant = clusters.pod(tolerations=TOLERATED)
    assert clusters.verdicts(plugin(), tolerant, over) == [SUCCESS, SUCCESS]


def test_the_fewest_soft_taints_score_best() -> None:
    other = {"key": "disk", "effect": "PreferNoSchedule"}
    over = clusters.columns(
        [
            clusters.node("none"),
            clusters.node("one", taints=[SOFT, HARD]),
            clusters.node("two", taints=[SOFT, other]),
        ]
    )
    assert clusters.scores(plugin(), clusters.pod(), over) == ([0, 1, 2], [100, 50, 0])


def test_a_changed_node_is_seen() -> None:
    over = clusters.columns([clusters.node("n")])
    tainting = plugin()
    assert clusters.verdicts(tainting, clusters.pod(), over) == [SUCCESS]
    tainted = node_views.of(clusters.node("n", taints=[HARD]))
    over.update_node(0, tainted)
    assert clusters.verdicts(tainting, clusters.pod(), over) != [SUCCESS]


@pytest.mark.parametrize(
    ("before", "after", "helps"),
    [
        (None, [], True),
        (None, [HARD], False),
        ([HARD], [SOFT], True),
        ([HARD], [HARD], False),
        ([], [], False),
    ],
)
def test_a_node_helps_when_it_becomes_tolerable(before: Any, after: Any, helps: bool) -> None:
    event = plugin().events_to_register()[0]
    assert event.event.resource is EventResource.NODE
    assert event.event.action == ActionType.ADD | ActionType.UPDATE_NODE_TAINT
    assert event.hint is not None
    old = None if before is None else clusters.node("n", taints=before)
    assert event.hint(clusters.pod(), old, clusters.node("n", taints=after)) is helps


def test_new_tolerations_help_only_the_pod_that_got_them() -> None:
    event = plugin().events_to_register()[1]
    assert event.event.action is ActionType.UPDATE_POD_TOLERATION
    assert event.hint is not None
    incoming = clusters.pod()
    assert event.hint(incoming, incoming.raw, clusters.pod(tolerations=TOLERATED).raw)
    assert not event.hint(incoming, incoming.raw, clusters.pod("other").raw)
