"""Why no node fits, and the nominations that speak for nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import hypothesis
import numpy as np
from hypothesis import strategies as st

from kubestage.objects.views import node as node_views
from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.cache import Cache
from kubestage.scheduler.diagnosis import Diagnosis
from kubestage.scheduler.nominator import Nominator
from kubestage.scheduler.status import Code, Status, unresolvable, unschedulable
from kubestage.testing import make_node, make_pod
from tests.reference import failure_message as twin

if TYPE_CHECKING:
    from kubestage.scheduler.columns import Columns


def _columns(count: int) -> Columns:
    cache = Cache()
    for number in range(count):
        cache.add_node(node_views.of(make_node(f"n{number}")))
    return cache.columns


def test_extenders_overrule_plugins_and_are_counted_once() -> None:
    diagnosis = Diagnosis(_columns(3))
    diagnosis.add(np.array([0, 1]), unschedulable("small").by("Fit"))
    diagnosis.named["n1"] = unschedulable("extender says no")
    diagnosis.named["n2"] = unresolvable("never")
    assert diagnosis.explicit_count == 3
    assert dict(diagnosis.verdicts())["n1"].message == "extender says no"
    assert diagnosis.message() == ("0/3 nodes are available: 1 extender says no, 1 never, 1 small.")


_statuses = st.builds(
    lambda code, reasons: Status(code, tuple(reasons)),
    st.sampled_from([Code.UNSCHEDULABLE, Code.UNSCHEDULABLE_AND_UNRESOLVABLE]),
    st.lists(st.sampled_from(["small", "far", "loud"]), max_size=3),
)


@hypothesis.given(st.data(), st.integers(0, 6), _statuses)
def test_the_message_is_that_of_counting_node_by_node(
    data: Any, count: int, absent: Status
) -> None:
    diagnosis = Diagnosis(_columns(count), absent=absent)
    left, verdicts = list(range(count)), {}
    while left and data.draw(st.booleans()):
        rows = data.draw(st.lists(st.sampled_from(left), unique=True))
        status = data.draw(_statuses)
        diagnosis.add(np.array(rows, np.int64), status)
        verdicts.update({f"n{row}": status for row in rows})
        left = [row for row in left if row not in rows]
    names = st.sampled_from([*(f"n{row}" for row in range(count)), "gone"])
    diagnosis.named = data.draw(st.dictionaries(names, _statuses))
    verdicts.update(diagnosis.named)
    assert diagnosis.explicit_count == len(verdicts) == len(dict(diagnosis.verdicts()))
    assert diagnosis.message() == twin.message(diagnosis.columns.names, verdicts, absent)


def test_nodes_without_a_verdict_have_the_absent_one() -> None:
    diagnosis = Diagnosis(_columns(4))
    diagnosis.add(np.array([2]), unschedulable("small").by("Fit"))
    assert diagnosis.status_of("n0").code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE
    diagnosis.absent = unresolvable("left out")
    assert diagnosis.message() == "0/4 nodes are available: 1 small, 3 left out."


def test_plugins_that_wait_are_told_apart_from_those_that_reject() -> None:
    diagnosis = Diagnosis(_columns(1))
    diagnosis.note_plugin(unschedulable("x").by("Fit"))
    diagnosis.note_plugin(Status(Code.PENDING, ("y",), "Devices"))
    diagnosis.note_plugin(unschedulable("nobody's"))
    assert (diagnosis.unschedulable_plugins, diagnosis.pending_plugins) == ({"Fit"}, {"Devices"})


def test_what_post_filters_say_comes_last() -> None:
    diagnosis = Diagnosis(_columns(1))
    diagnosis.pre_filter_message = "no such claim"
    diagnosis.post_filter_message = "preemption: no help"
    assert diagnosis.message() == "0/1 nodes are available: no such claim. preemption: no help"


def test_what_post_filters_say_is_added_to_what_was_told_before() -> None:
    diagnosis = Diagnosis(_columns(2))
    diagnosis.add(np.array([0]), unschedulable("small"))
    before = diagnosis.message()
    diagnosis.post_filter_message = "preemption: no help"
    assert diagnosis.message() == f"{before} preemption: no help"
    diagnosis.add(np.array([1]), unschedulable("small"))
    assert diagnosis.message() == "0/2 nodes are available: 2 small. preemption: no help"


def test_a_pod_is_nominated_to_one_node_at_a_time() -> None:
    nominator = Nominator()
    raw = make_pod("p")
    raw["metadata"]["uid"] = "p"
    pod = pod_views.of(raw)
    assert nominator.is_empty
    nominator.add(pod, "n1")
    nominator.add(pod, "n2")
    assert nominator.on("n1") == ()
    assert nominator.on("n2") == (pod,)
    assert nominator.node_of("p") == "n2"
    nominator.add(pod, "")
    assert nominator.is_empty
    nominator.remove("p")
    assert nominator.on("n2") == ()
