"""What a preemption writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage import errors
from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.preemption import executor
from kubestage.scheduler.status import SUCCESS, error, unresolvable
from tests.scheduler.preemption import crowd

if TYPE_CHECKING:
    from kubestage.aliases import Json

MARK = {
    "type": "DisruptionTarget",
    "observedGeneration": 1,
    "status": "True",
    "lastProbeTime": None,
    "reason": "PreemptionByScheduler",
    "message": "default-scheduler: preempting to accommodate a higher priority pod",
}
READY = {"type": "Ready", "status": "True", "lastProbeTime": None, "lastTransitionTime": None}
EVENT = ("Normal", "Preempted", "Preempting", "Preempted by pod uid-new on node full")


def _crowd(*objects: Json) -> crowd.Crowd:
    return crowd.Crowd(crowd.node("full"), *objects, crowd.pod("new", cpu=4, priority=10))


def test_victims_are_marked_deleted_and_told_of() -> None:
    crowded = _crowd(crowd.pod("b", "full", 2, start=2), crowd.pod("a", "full", 2, start=1))
    crowded.preempt("new")
    assert crowded.cluster.written == [
        ("patch", "a", {"conditions": [MARK]}),
        ("delete", "a"),
        ("event", "a", *EVENT, "default-scheduler"),
        ("patch", "b", {"conditions": [MARK]}),
        ("delete", "b"),
        ("event", "b", *EVENT, "default-scheduler"),
    ]


def test_a_victim_on_its_way_out_is_let_alone() -> None:
    crowded = _crowd(
        crowd.pod("leaving", "full", 2, start=1, deleted=True),
        crowd.pod("staying", "full", 2, start=2),
    )
    told = crowded.preempt("new")
    assert told["victims"] == ["default/leaving", "default/staying"]
    assert [each[1] for each in crowded.cluster.written] == ["staying"] * 3


def test_if_all_victims_are_leaving_nothing_is_written() -> None:
    crowded = _crowd(
        crowd.pod("leaving", "full", 4, deleted=True),
        crowd.pod("weak", cpu=0, status={"nominatedNodeName": "full"}),
    )
    assert crowded.preempt("new")["nominatedNode"] == "full"
    assert crowded.cluster.written == []


def test_weaker_pods_that_were_promised_the_node_look_elsewhere() -> None:
    nominated = {"nominatedNodeName": "full"}
    crowded = _crowd(
        crowd.pod("victim", "full", 4),
        crowd.pod("weak", cpu=1, priority=9, status=nominated),
        crowd.pod("equal", cpu=0, priority=10, status=nominated),
    )
    crowded.preempt("new")
    assert crowded.cluster.written[0] == ("patch", "weak", {"nominatedNodeName": None})
    assert {each[1] for each in crowded.cluster.written} == {"weak", "victim"}


@pytest.mark.parametrize(
    ("there", "written"),
    [
        ({**MARK, "lastTransitionTime": "2026-01-01T00:00:00Z"}, None),
        ({**MARK, "status": "False"}, [READY, MARK]),
        (
            {
                **MARK,
                "reason": "EvictionByEvictionAPI",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            },
            [READY, {**MARK, "lastTransitionTime": "2026-01-01T00:00:00Z"}],
        ),
    ],
)
def test_a_condition_is_written_only_if_it_says_something_new(
    there: Json, written: list[Json] | None
) -> None:
    status = {"conditions": [READY, there]}
    crowded = _crowd(crowd.pod("victim", "full", 4, status=status))
    crowded.preempt("new")
    patches = [each[2]["conditions"] for each in crowded.cluster.written if each[0] == "patch"]
    assert patches == ([] if written is None else [written])


class _Refusing(crowd.Crowd):
    """A cluster that refuses to delete a pod."""

    def __init__(self, refusal: errors.ApiError, *objects: Json) -> None:
        super().__init__(*objects)
        delete = self.cluster.delete_pod

        def refuse(pod: Any) -> None:
            if pod.name == "a":
                raise refusal
            delete(pod)

        self.cluster.delete_pod = refuse  # type: ignore[method-assign]  # one pod is special


@pytest.mark.parametrize(
    ("refusal", "failure", "events"),
    [(errors.NotFound("gone"), "", ["b"]), (errors.Forbidden("no"), "no", [])],
)
def test_a_victim_that_is_gone_is_no_failure_but_a_refusal_is(
    refusal: errors.ApiError, failure: str, events: list[str]
) -> None:
    crowded = _Refusing(
        refusal,
        crowd.node("full"),
        crowd.pod("a", "full", 2, start=1),
        crowd.pod("b", "full", 2, start=2),
        crowd.pod("new", cpu=4, priority=10),
    )
    found = crowded.attempt("new")
    assert found.post_filter is not None
    assert found.post_filter[1].is_success
    assert found.state["DefaultPreemption"].failure == failure
    assert [each[1] for each in crowded.cluster.written if each[0] == "event"] == events
    assert crowded.activated == (["new"] if failure else [])


def test_a_victim_that_waits_for_a_permit_goes_back_to_the_queue() -> None:
    crowded = _crowd(crowd.pod("victim", "full", 4))
    victim = crowded.cluster.pod("default/victim")
    waiting = crowded.handle.waiting.add(victim, "full", {"Gate": 1}, 0)
    crowded.preempt("new")
    note = f"{EVENT[-1]} (in kube-scheduler memory)."
    event = ("event", "victim", *EVENT[:-1], note, "default-scheduler")
    assert crowded.cluster.written == [event]
    assert waiting.decision == error("preempted").by("DefaultPreemption")


def test_a_victim_that_has_its_permit_is_deleted() -> None:
    crowded = _crowd(crowd.pod("victim", "full", 4))
    victim = crowded.cluster.pod("default/victim")
    crowded.handle.waiting.add(victim, "full", {"Gate": 1}, 0).allow("Gate")
    crowded.preempt("new")
    assert crowded.cluster.deleted == ["default/victim"]


def test_the_pod_is_held_back_until_its_last_victim_is_leaving() -> None:
    crowded = _crowd(crowd.pod("a", "full", 2, start=1), crowd.pod("b", "full", 2, start=2))
    new = crowded.cluster.pod("default/new")
    seen = []
    delete = crowded.cluster.delete_pod

    def watch(pod: Any) -> None:
        seen.append(crowded.plugin.pre_enqueue(new))
        delete(pod)
        seen.append(crowded.plugin.pre_enqueue(new))

    crowded.cluster.delete_pod = watch  # type: ignore[method-assign]  # looks in between
    crowded.preempt("new")
    held = unresolvable("waiting for the preemption for this pod to be finished")
    assert seen == [held, held, held, SUCCESS]
    assert crowded.plugin.pre_enqueue(new) == SUCCESS


@pytest.mark.parametrize(
    ("deleted", "conditions", "evicted"),
    [
        (True, [MARK], True),
        (False, [MARK], False),
        (True, [], False),
        (True, [{**MARK, "reason": "DeletionByTaintManager"}], False),
        (True, [{**MARK, "status": "False"}], False),
    ],
)
def test_who_is_leaving_because_of_a_preemption(
    deleted: bool, conditions: list[Json], evicted: bool
) -> None:
    raw = crowd.pod("pod", deleted=deleted, status={"conditions": conditions})
    assert executor.is_evicted(pod_views.of(raw)) is evicted
