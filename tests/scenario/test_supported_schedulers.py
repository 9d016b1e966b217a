"""The documents on which schedulers work with scenarios, and on the hook that they call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.stage import Stage
from kubestage.testing import make_node, make_pod
from tests.scenario import building
from tests.scenario.building import NODE, POD, create, delete, done, patch
from tests.scenario.own_schedulers import FirstFit, Preempting, key_of, pending

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.scenario.scheduling import NextPod
    from kubestage.store.store import Store


class ByName(FirstFit):
    """Says only the names of its pods to the hook, and says when it has none."""

    def __call__(self, store: Store, next_pod: NextPod) -> None:
        """One pod a call, as a function that is called again and again."""
        waiting = pending(store)
        pod = waiting[len(self.log) % len(waiting)] if waiting else None
        if pod is None:
            assert not next_pod(None)
        elif next_pod(key_of(pod)):
            self.log.append(pod["metadata"]["name"])
            self.schedule_one(store, pod)


EVENTS = [
    create(make_node("n1", cpu="2")),
    create(make_node("n2", cpu="2")),
    create(make_pod("a", cpu="1")),
    create(make_pod("b", cpu="2")),
    create(make_pod("c", cpu="2")),
    delete(POD, "b", 1),
    done(2),
]


def test_a_scheduler_of_ones_own_schedules_through_the_hook() -> None:
    """An outside scheduler puts the provided function into the top of its process."""
    scheduler = FirstFit()
    stage = building.run(*EVENTS, scheduler=scheduler)
    assert building.phase(stage) == "Succeeded"
    assert building.placements(stage) == {"a": "n1", "c": "n2"}
    told = [each for each in building.summary(stage) if each[1].startswith("Pod")]
    assert told == [
        (0, "PodScheduled", "a"),
        (0, "PodScheduled", "b"),
        (0, "PodUnscheduled", "c"),
        (1, "PodScheduled", "c"),
    ]
    assert scheduler.log == ["a", "b", "c", "c", "c"]


def test_its_pods_are_told_with_where_and_when_but_without_results_of_plugins() -> None:
    """If the scheduler isn't worked on scheduling framework, scheduleResult will be empty."""
    stage = building.run(*EVENTS, scheduler=FirstFit())
    told = building.results(stage, "PodScheduled")["c"]
    assert (told["boundTo"], told["createdAt"], told["boundAt"]) == ("n2", 0, 1)
    assert told["scheduleResult"] == []
    assert told["pod"]["spec"]["nodeName"] == "n2"
    waited = building.results(stage, "PodUnscheduled")["c"]
    assert (waited["boundTo"], waited["boundAt"], waited["scheduleResult"]) == (None, None, [])


def test_the_hook_takes_a_name_and_a_call_may_be_for_one_pod() -> None:
    """Schedulers only need to schedule Pods one by one with the same process."""
    stage = building.run(*EVENTS, scheduler=ByName())
    assert building.placements(stage) == building.placements(
        building.run(*EVENTS, scheduler=FirstFit())
    )
    assert building.phase(stage) == "Succeeded"


def test_it_is_stopped_while_events_are_being_operated() -> None:
    """The function restarts and stops scheduling: it runs once a step, when all is there."""
    seen: list[tuple[int, int]] = []

    def scheduler(store: Store, next_pod: NextPod) -> None:
        seen.append((len(store.read(NODE)), len(store.read(POD))))
        FirstFit()(store, next_pod)

    nodes = [create(make_node(f"n{i}")) for i in range(10)]
    pods = [create(make_pod(f"p{i}", cpu="1"), i % 2) for i in range(10)]
    building.run(*nodes, *pods, scheduler=scheduler)
    assert seen == [(10, 5), (10, 10)]


def test_the_hook_says_stop_when_no_more_pods_can_be_scheduled() -> None:
    """The function judges if it can no longer schedule any more Pods."""
    answers: list[bool] = []

    def stubborn(store: Store, next_pod: NextPod) -> None:
        del store
        while True:
            answers.append(next_pod("default/p"))
            if not answers[-1]:
                return

    building.run(create(make_pod("p")), done(), scheduler=stubborn)
    assert answers == [True, True, False]


def test_a_scheduler_that_tries_nothing_does_not_hold_a_step_for_ever() -> None:
    """A pod that nobody tries is nobody's to schedule."""

    def idle(store: Store, next_pod: NextPod) -> None:
        del store
        assert not next_pod(None)

    stage = building.run(create(make_pod("p")), done(1), scheduler=idle)
    assert building.phase(stage) == "Succeeded"
    assert building.summary(stage) == [(0, "Create", "p"), (1, "Done", "")]


def _with_preemption() -> list[Json]:
    return [
        building.importance(),
        create(make_node("n1", cpu="2")),
        create(make_pod("low", cpu="2")),
        create(building.important("boss", cpu="2"), 1),
        done(2),
    ]


def test_a_scheduler_of_ones_own_may_preempt() -> None:
    """Scheduler that doesn't create, edit or delete resources, except preemption and binding."""
    scheduler = Preempting()
    stage = building.run(*_with_preemption(), scheduler=scheduler)
    assert building.phase(stage) == "Succeeded"
    assert building.placements(stage) == {"boss": "n1"}
    told = [each for each in building.summary(stage) if each[1].startswith("Pod")]
    assert told == [
        (0, "PodScheduled", "low"),
        (1, "PodPreempted", "low"),
        (1, "PodScheduled", "boss"),
    ]
    result = building.results(stage, "PodPreempted")["low"]
    assert (result["preemptedBy"], result["preemptedAt"]) == ("default/boss", 1)
    assert (result["boundTo"], result["boundAt"]) == ("n1", 0)


def test_its_victims_end_in_the_step_when_the_cluster_is_alive() -> None:
    """The preemptor comes back for the place when the kubelet has ended the victim."""
    stage = building.run(*_with_preemption(), scheduler=Preempting(), alive=True)
    assert building.placements(stage) == {"boss": "n1"}
    told = [each for each in building.summary(stage) if each[1].startswith(("Pod", "Delete"))]
    assert told == [
        (0, "PodScheduled", "low"),
        (1, "PodPreempted", "low"),
        (1, "Delete", "low"),
        (1, "PodScheduled", "boss"),
    ]


def test_a_preemption_of_its_own_begins_the_count_anew() -> None:
    """No Pods are preempted during (1), whoever preempts."""
    scheduler = Preempting()
    building.run(*_with_preemption()[:-1], create(make_pod("big", cpu="9"), 1), scheduler=scheduler)
    assert scheduler.log == [
        *("low", "big", "boss"),  # boss has low go
        *("big", "boss", "big", "boss"),  # each twice in vain, as low is still there
        *("big", "boss"),  # low is gone: all are tried again, and boss is bound
        *("big", "big"),
    ]


def test_a_pod_that_the_scenario_deletes_is_not_preempted() -> None:
    """Only what goes while the scheduler is at work goes by its hand."""
    stage = building.run(*EVENTS, scheduler=Preempting(), alive=True)
    assert not building.results(stage, "PodPreempted")
    assert [each for each in building.summary(stage) if each[1] == "Delete"] == [(1, "Delete", "b")]


def test_it_schedules_by_the_conditions_of_resources_only_and_repeatably() -> None:
    """Schedulers shouldn't schedule by other conditions: then every run yields the same."""
    stages = [building.run(*EVENTS, scheduler=FirstFit(), seed=3) for _ in range(2)]
    assert building.status(stages[0]) == building.status(stages[1])


def test_the_stages_own_scheduler_needs_no_setup() -> None:
    """Those who want to use the scheduler included in the simulator don't need to do anything."""
    stage = building.run(*EVENTS)
    assert all(building.placements(stage).values())
    assert building.results(stage, "PodScheduled")["a"]["scheduleResult"]


def test_pods_of_schedulers_that_are_not_here_are_not_waited_for() -> None:
    """Nobody tries them, so they do not keep a step from ending, and nothing is told of them."""
    stage = building.run(
        create(make_node("n1")), create(make_pod("alien", scheduler_name="other")), done(1)
    )
    assert building.phase(stage) == "Succeeded"
    assert building.summary(stage)[1:] == [(0, "Create", "alien"), (1, "Done", "")]


class Mine(FirstFit):
    """Takes only the pods that ask for it."""

    def __call__(self, store: Store, next_pod: NextPod) -> None:
        """Like any other, but pods of others are passed over."""
        queue = [pod for pod in pending(store) if pod["spec"]["schedulerName"] == "mine"]
        while queue:
            pod = queue.pop(0)
            if not next_pod(pod):
                return
            if not self.schedule_one(store, pod):
                queue.append(pod)


OTHERS_PODS = [
    create(make_node("n1", cpu="1")),
    create(make_pod("a", cpu="2", scheduler_name="mine")),
    create(make_pod("b", cpu="1", scheduler_name="yours")),
    done(1),
]


def test_a_scheduler_of_ones_own_may_have_pods_of_its_own() -> None:
    """Pods of others are not waited for if its names are known."""
    stage = Stage()
    stage.add_scenarios(scheduler=Mine(), scheduler_names=["mine"])
    stage.store.create(building.scenario(*OTHERS_PODS))
    stage.run_scenarios()
    assert building.phase(stage) == "Succeeded"


def test_a_scheduler_that_would_go_on_for_ever_is_told_what_it_lacks() -> None:
    """The hook never says stop while there are pods that nobody tries."""
    told = "tries default/a over and over again, and never default/b"
    with pytest.raises(InputError, match=told):
        building.run(*OTHERS_PODS, scheduler=Mine())


def test_a_scheduler_of_ones_own_takes_the_place_of_the_stages() -> None:
    """Nobody else schedules, not even while time passes."""
    stage = Stage()
    stage.add_scheduler()
    stage.add_controllers()
    stage.add_scenarios(scheduler=lambda store, next_pod: None)
    stage.store.create(building.scenario(create(make_node("n1")), create(make_pod("a")), done(1)))
    stage.run_scenarios()
    stage.run("1m")
    assert stage.scheduler is None
    assert building.placements(stage) == {"a": None}


def test_pods_behind_a_gate_are_not_waited_for_until_it_opens() -> None:
    """A pod that must not be scheduled yet is not tried, and does not hold the step."""
    gated = make_pod("p")
    gated["spec"]["schedulingGates"] = [{"name": "wait"}]
    stage = building.run(
        create(make_node("n1")),
        create(gated),
        patch(POD, "p", {"spec": {"schedulingGates": None}}, 1),
        done(1),
    )
    told = [each for each in building.summary(stage) if each[2] == "p"]
    assert told == [(0, "Create", "p"), (1, "Patch", "p"), (1, "PodScheduled", "p")]
