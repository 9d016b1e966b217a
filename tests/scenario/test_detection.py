"""The document on "when it can no longer schedule any more Pods": its rule and its examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.scenario.ledger import Ledger
from kubestage.testing import make_node, make_pod
from tests.scenario import building
from tests.scenario.building import create, done, scenario

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.scenario.scheduling import NextPod
    from kubestage.store.store import Store


def _ledger(*pods: str) -> Ledger:
    ledger = Ledger()
    for pod in pods:
        ledger.appeared(pod)
    return ledger


def _bind(ledger: Ledger, pod: str) -> None:
    ledger.left(pod)
    ledger.changed()


def test_all_unscheduled_pods_have_to_be_tried_twice_or_more() -> None:
    """Condition 1: all unscheduled Pods are tried to be scheduled twice or more."""
    ledger = _ledger("a", "b")
    for pod in ("a", "a", "a", "b"):
        ledger.tried(pod)
        assert not ledger.is_exhausted
    ledger.tried("b")
    assert ledger.is_exhausted
    ledger.tried("b")
    assert ledger.is_exhausted


def test_a_pod_that_is_scheduled_meanwhile_begins_the_count_anew() -> None:
    """Condition 2: no Pods are scheduled during (1)."""
    ledger = _ledger("a", "b")
    for pod in ("a", "a", "b"):
        ledger.tried(pod)
    _bind(ledger, "b")
    assert not ledger.is_exhausted
    ledger.tried("a")
    assert not ledger.is_exhausted
    ledger.tried("a")
    assert ledger.is_exhausted


def test_a_pod_that_is_preempted_meanwhile_begins_the_count_anew() -> None:
    """Condition 2: no Pods are preempted during (1)."""
    ledger = _ledger("a")
    ledger.tried("a")
    ledger.changed()
    ledger.tried("a")
    assert not ledger.is_exhausted
    ledger.tried("a")
    assert ledger.is_exhausted


def test_there_is_nothing_to_schedule_where_no_pod_is_without_a_node() -> None:
    """All unscheduled Pods have been tried if there are none."""
    assert Ledger().is_exhausted
    ledger = _ledger("a")
    assert not ledger.is_exhausted
    ledger.left("a")
    assert ledger.untried == []


def test_a_pod_that_appears_has_to_be_tried_too() -> None:
    """All unscheduled Pods: also those that came when the others had been tried."""
    ledger = _ledger("a")
    ledger.tried("a")
    ledger.tried("a")
    ledger.appeared("b")
    assert not ledger.is_exhausted
    assert ledger.untried == ["b"]


def test_a_pod_that_is_gone_is_not_waited_for() -> None:
    """Only unscheduled Pods count, and what is tried uncalled for does not."""
    ledger = _ledger("a", "b")
    ledger.tried("stranger")
    ledger.tried("a")
    ledger.tried("a")
    ledger.left("b")
    assert ledger.is_exhausted
    ledger.left("a")
    ledger.left("a")
    assert ledger.is_exhausted


def test_pods_that_are_known_already_are_not_forgotten_by_being_named_again() -> None:
    """A change of an unscheduled Pod does not make it another one."""
    ledger = _ledger("a")
    ledger.tried("a")
    ledger.appeared("a")
    ledger.tried("a")
    assert ledger.is_exhausted


def test_the_first_worked_example_on_the_ledger() -> None:
    """Pod1 to Pod4, of which Pod2 can be scheduled: the end is seen after (8) and not before."""
    ledger = _ledger("Pod1", "Pod2", "Pod3", "Pod4")
    ledger.tried("Pod1")  # 1. cannot be scheduled
    assert not ledger.is_exhausted
    ledger.tried("Pod2")  # 2. can be scheduled
    _bind(ledger, "Pod2")
    for pod in ("Pod3", "Pod4", "Pod1", "Pod3", "Pod4"):  # 3. to 7.
        ledger.tried(pod)
        assert not ledger.is_exhausted
    ledger.tried("Pod1")  # 8.
    assert ledger.is_exhausted  # 9.


def test_the_second_worked_example_on_the_ledger() -> None:
    """Each was tried once since (2), but Pod1 is scheduled at (5): once would not be enough."""
    ledger = _ledger("Pod1", "Pod2", "Pod3", "Pod4")
    ledger.tried("Pod1")  # 1. cannot be scheduled
    ledger.tried("Pod2")  # 2. can be scheduled
    _bind(ledger, "Pod2")
    for pod in ("Pod3", "Pod4", "Pod1"):  # 3. to 5.
        ledger.tried(pod)
    assert not ledger.is_exhausted
    # The binding of (5) is over only now; Pod3 and Pod4 have to be tried twice after it.
    _bind(ledger, "Pod1")
    for pod in ("Pod3", "Pod4", "Pod3"):
        ledger.tried(pod)
        assert not ledger.is_exhausted
    ledger.tried("Pod4")
    assert ledger.is_exhausted


def _four_pods(*, able: str) -> Json:
    """Four pods of which only one fits."""
    pods = [make_pod(name, cpu="1" if name == able else "9") for name in ("p1", "p2", "p3", "p4")]
    return scenario(create(make_node("n1", cpu="2")), *map(create, pods), done())


def test_the_first_worked_example_by_the_stages_scheduler() -> None:
    """The same pods are tried in the same order as in the document, and then no more."""
    stage = building.stage_with(_four_pods(able="p2"))
    stage.run_scenarios()
    assert building.tried(stage) == ["p1", "p2", "p3", "p4", "p1", "p3", "p4", "p1"]
    assert building.phase(stage) == "Succeeded"


class RoundRobin:
    """A scheduler that tries its pods in turn; `answers` are what the hook said to each."""

    def __init__(self, able: dict[str, int], *, late: bool = False) -> None:
        self.log: list[str] = []
        self.answers: list[bool] = []
        self._able = able
        self._late = late

    def __call__(self, store: Store, next_pod: NextPod) -> None:
        """Try pods until told to stop; bind each at the try at which it can be scheduled."""
        queue = [p for p in store.list(building.POD).items if not p["spec"].get("nodeName")]
        unbound: str | None = None
        while queue:
            pod = queue.pop(0)
            self.answers.append(next_pod(pod))
            if unbound is not None:
                store.bind(unbound, "default", "n1")
                unbound = None
            if not self.answers[-1]:
                return
            name = pod["metadata"]["name"]
            self.log.append(name)
            if self.log.count(name) != self._able.get(name):
                queue.append(pod)
            elif self._late:
                unbound = name
            else:
                store.bind(name, "default", "n1")


def test_the_first_worked_example_by_a_scheduler_of_ones_own() -> None:
    """At (9) the hook says stop, when the scheduler comes with its next pod."""
    scheduler = RoundRobin({"p2": 1})
    stage = building.stage_with(_four_pods(able="p2"), scheduler=scheduler)
    stage.run_scenarios()
    assert scheduler.log == ["p1", "p2", "p3", "p4", "p1", "p3", "p4", "p1"]
    assert scheduler.answers == [True] * 8 + [False]
    assert [each for each in building.summary(stage) if each[1].startswith("Pod")] == [
        (0, "PodScheduled", "p2"),
        (0, "PodUnscheduled", "p1"),
        (0, "PodUnscheduled", "p3"),
        (0, "PodUnscheduled", "p4"),
    ]


def test_the_second_worked_example_by_a_scheduler_that_binds_in_parallel() -> None:
    """Pod1 is bound only after the next pod was asked for: NextPod must not have said stop."""
    scheduler = RoundRobin({"p2": 1, "p1": 2}, late=True)
    stage = building.stage_with(_four_pods(able="p2"), scheduler=scheduler)
    stage.run_scenarios()
    assert scheduler.log[:5] == ["p1", "p2", "p3", "p4", "p1"]
    assert scheduler.answers[5]
    # (6) is p3, while p1 is on its way; since p1 is bound, p4 and p3 are tried twice.
    assert scheduler.log[5:] == ["p3", "p4", "p3", "p4", "p3"]
    assert scheduler.answers == [True] * 10 + [False]
    assert building.placements(stage) == {"p1": "n1", "p2": "n1", "p3": None, "p4": None}


def test_the_end_is_detected_by_recording_the_pods_that_were_tried() -> None:
    """If no resource has changed, the scheduling result shouldn't: so twice is enough."""
    stage = building.run(
        *(create(make_pod(f"p{i}", cpu="1")) for i in range(20)), create(make_node("n"), 1), done(1)
    )
    attempts = building.tried(stage)
    assert len(attempts) == 2 * 20 + 4 + 2 * 16
    for told in building.results(stage, "PodUnscheduled").values():
        assert [row["step"] for row in told["scheduleResult"]].count(0) == 2


def test_a_preemption_has_every_pod_tried_twice_after_it() -> None:
    """No Pods are preempted during (1): what was in vain before counts no more."""
    stage = building.run(
        building.importance(),
        create(make_node("n1", cpu="4")),
        create(make_pod("low", cpu="4")),
        create(make_pod("big", cpu="9"), 1),
        create(building.important("boss", cpu="4"), 1),
        done(1),
    )
    assert building.tried(stage) == ["low", "boss", "big", "boss", "big", "big"]
