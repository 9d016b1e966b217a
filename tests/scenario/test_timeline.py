"""The timeline: what happened in each step, in the document's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.scenario.resource import SCENARIO
from kubestage.testing import make_deployment, make_job, make_node, make_pod
from tests.scenario import building
from tests.scenario.building import DEPLOYMENT, POD, create, delete, done, patch

if TYPE_CHECKING:
    from kubestage import Stage


FIELDS = {
    "Create": "create",
    "Patch": "patch",
    "Delete": "delete",
    "Done": "done",
    "PodScheduled": "podScheduled",
    "PodUnscheduled": "podUnscheduled",
    "PodPreempted": "podPreempted",
}


def _busy(**options: Any) -> Stage:
    """One of everything."""
    return building.run(
        building.importance(),
        create(make_node("n1", cpu="4")),
        create(make_pod("low", cpu="3")),
        create(make_pod("giant", cpu="9")),
        create(building.important("boss", cpu="3"), 1),
        patch(POD, "giant", {"metadata": {"labels": {"a": "b"}}}, 2),
        create(make_deployment("web", replicas=3), 3),
        patch(DEPLOYMENT, "web", {"spec": {"replicas": 1}}, 4),
        delete(POD, "giant", 5),
        done(6),
        alive=True,
        **options,
    )


def _of_pod(stage: Stage, name: str) -> list[tuple[int, str]]:
    return [(step, what) for step, what, of in building.summary(stage) if of == name]


def test_every_event_has_the_one_field_that_its_operation_names() -> None:
    """Only one of the following fields must be non-empty, and Operation says which."""
    stage = _busy()
    seen = set()
    for event in building.happenings(stage):
        assert set(event) == {"id", "step", "operation", FIELDS[event["operation"]]}
        seen.add(event["operation"])
    assert seen == set(FIELDS)


def test_events_are_keyed_by_the_step_in_which_they_happened() -> None:
    """Timeline is a map of events keyed with ScenarioStep."""
    stage = _busy()
    assert list(building.timeline(stage)) == [str(step) for step in range(7)]
    for step, events in building.timeline(stage).items():
        assert {str(event["step"]) for event in events} == {step}


def test_the_scenarios_own_events_keep_their_ids_and_others_get_new_ones() -> None:
    """The ID will be the same as spec.ScenarioEvent.ID if it is from the defined event."""
    stage = _busy()
    spec = stage.store.get(SCENARIO, building.NAME)["spec"]["events"]
    own = [each["id"] for each in spec]
    ids = [each["id"] for each in building.happenings(stage)]
    assert len(ids) == len(set(ids))
    assert [each for each in ids if each in own] == own
    for event in building.happenings(stage):
        if event["id"] not in own:
            made, _, number = event["id"].rpartition("-")
            assert made == event["operation"].lower()
            assert number.isdigit()


def test_a_new_id_is_never_that_of_one_of_the_scenarios_events() -> None:
    """Ids are what events are merged by."""
    taken = {**create(make_pod("a")), "id": "podscheduled-1"}
    later = {**create(make_pod("b"), 1), "id": "podscheduled-2"}
    stage = building.run(create(make_node("n1")), taken, later, done(1))
    ids = [each["id"] for each in building.happenings(stage)]
    assert len(ids) == len(set(ids)) == 6


def test_the_result_of_a_pod_tells_where_and_when() -> None:
    """BoundTo, PreemptedBy, CreatedAt, BoundAt, PreemptedAt; some may be nil."""
    stage = _busy()
    facts = ("boundTo", "preemptedBy", "createdAt", "boundAt", "preemptedAt")

    def of(operation: str, name: str) -> list[Any]:
        result = building.results(stage, operation)[name]
        assert set(result) == {"pod", "scheduleResult", *facts}
        return [result[fact] for fact in facts]

    assert of("PodScheduled", "low") == ["n1", None, 0, 0, None]
    assert of("PodUnscheduled", "giant") == [None, None, 0, None, None]
    assert of("PodPreempted", "low") == ["n1", "default/boss", 0, 0, 1]
    assert of("PodScheduled", "boss") == ["n1", None, 1, 1, None]


def test_the_pod_of_a_result_is_the_object_at_that_time() -> None:
    """Pod v1.Pod."""
    stage = _busy()
    scheduled = building.results(stage, "PodScheduled")["low"]["pod"]
    assert scheduled["spec"]["nodeName"] == "n1"
    preempted = building.results(stage, "PodPreempted")["low"]["pod"]
    assert preempted["metadata"]["uid"] == scheduled["metadata"]["uid"]
    assert "deletionTimestamp" in preempted["metadata"]
    waiting = building.results(stage, "PodUnscheduled")["giant"]["pod"]
    assert waiting["metadata"]["labels"] == {"a": "b"}
    assert waiting["status"]["conditions"][0]["reason"] == "Unschedulable"


def test_a_pod_without_a_node_is_told_of_once_a_step_at_its_end() -> None:
    """PodUnscheduled: the scheduler tried to schedule the Pod, but cannot schedule to any Node."""
    stage = _busy()
    told = [step for step, what in _of_pod(stage, "giant") if what == "PodUnscheduled"]
    assert told == [0, 1, 2, 3, 4]
    for step in range(5):
        last = building.timeline(stage)[str(step)][-1]
        assert (last["operation"], building.subject(last)) == ("PodUnscheduled", "giant")


def test_a_pod_that_finds_a_node_after_all_is_not_told_of_as_unscheduled() -> None:
    """The preemptor is tried in vain first; at the end of the step it has a node."""
    assert _of_pod(_busy(), "boss") == [(1, "Create"), (1, "PodScheduled")]


def test_a_pod_is_scheduled_once() -> None:
    """PodScheduled represents the Pod is scheduled to a Node."""
    stage = _busy()
    told = [name for _, what, name in building.summary(stage) if what == "PodScheduled"]
    assert len(told) == len(set(told)) == 5


PREEMPTED = [(0, "Create"), (0, "PodScheduled"), (1, "PodPreempted"), (1, "Delete")]


def test_a_victim_is_told_of_before_the_pod_for_which_it_went_with_one_delete() -> None:
    """The timeline has additional Delete events to represent a Pod is preempted."""
    stage = _busy()
    assert _of_pod(stage, "low") == PREEMPTED
    told = building.summary(stage)
    assert told.index((1, "PodPreempted", "low")) < told.index((1, "PodScheduled", "boss"))


def test_a_victim_that_goes_at_once_is_preempted_too() -> None:
    """With no grace period it is gone before the attempt is over."""
    low = make_pod("low", cpu="3")
    low["spec"]["terminationGracePeriodSeconds"] = 0
    for alive in (False, True):
        stage = building.run(
            building.importance(),
            create(make_node("n1", cpu="4")),
            create(low),
            create(building.important("boss", cpu="3"), 1),
            alive=alive,
        )
        assert _of_pod(stage, "low") == PREEMPTED
        assert building.results(stage, "PodPreempted")["low"]["preemptedBy"] == "default/boss"


def test_several_victims_of_one_preemption_are_told_of_each() -> None:
    stage = building.run(
        building.importance(),
        create(make_node("n1", cpu="4")),
        *(create(make_pod(f"p{i}", cpu="1")) for i in range(4)),
        create(building.important("boss", cpu="4"), 1),
    )
    victims = building.results(stage, "PodPreempted")
    assert sorted(victims) == ["p0", "p1", "p2", "p3"]
    rows = building.results(stage, "PodScheduled")["boss"]["scheduleResult"]
    assert sorted(rows[0]["preemption"]["victims"]) == [f"default/p{i}" for i in range(4)]
    assert rows[0]["preemption"]["nominatedNode"] == "n1"


def test_a_pod_that_a_controller_takes_away_is_told_of() -> None:
    """Additional Delete events for Pods."""
    stage = _busy()
    gone = [e for e in building.timeline(stage)["4"] if e["operation"] == "Delete"]
    assert len(gone) == 2
    for event in gone:
        operation = event["delete"]["operation"]
        assert operation["typeMeta"] == {"apiVersion": "v1", "kind": "Pod"}
        assert operation["objectMeta"]["name"].startswith("web-")
        assert operation["objectMeta"]["namespace"] == "default"


def test_a_pod_that_the_scenario_deletes_is_told_of_once() -> None:
    stage = building.run(
        create(make_node("n1")), create(make_pod("p")), delete(POD, "p", 1), done(2), alive=True
    )
    assert _of_pod(stage, "p") == [(0, "Create"), (0, "PodScheduled"), (1, "Delete")]
    assert not stage.store.read(POD)


def test_a_pod_that_goes_with_its_owner_is_told_of() -> None:
    """No Delete event of the scenario names it."""
    stage = building.run(
        create(make_node("n1")),
        create(make_deployment("web")),
        delete(DEPLOYMENT, "web", 1),
        alive=True,
    )
    operations = [what for step, what, _ in building.summary(stage) if step == 1]
    assert operations == ["Delete", "Delete"]


def test_a_pod_of_the_same_name_is_another_pod() -> None:
    """Results are of the Pod, not of its name."""
    again = {**create(make_pod("p", cpu="1"), 1), "id": "again"}
    stage = building.run(
        create(make_node("n1", cpu="1")),
        create(make_pod("p", cpu="1")),
        delete(POD, "p", 1, deleteOptions={"gracePeriodSeconds": 0}),
        again,
    )
    told = building.results(stage, "PodScheduled")["p"]
    assert (told["createdAt"], told["boundAt"]) == (1, 1)
    assert len(told["scheduleResult"]) == 1


def test_a_pod_that_came_to_its_end_is_told_of_as_a_patch_of_its_phase() -> None:
    """It no longer takes room."""
    stage = building.run(
        create(make_node("n1")), create(make_job("work")), step_duration="1m", alive=True
    )
    event = next(e for e in building.happenings(stage) if e["operation"] == "Patch")
    assert event["patch"]["operation"]["patch"] == '{"status":{"phase":"Succeeded"}}'
    assert event["patch"]["operation"]["typeMeta"] == {"apiVersion": "v1", "kind": "Pod"}
    result = event["patch"]["result"]
    assert result["status"]["phase"] == "Succeeded"
    assert result["metadata"]["name"] == event["patch"]["operation"]["objectMeta"]["name"]


def test_pods_of_controllers_are_first_heard_of_when_they_are_tried() -> None:
    """Nobody created them by an event."""
    stage = building.run(
        create(make_deployment("web", replicas=2)), create(make_node("n1"), 1), alive=True
    )
    for name in building.placements(stage):
        assert _of_pod(stage, name) == [(0, "PodUnscheduled"), (1, "PodScheduled")]
    for told in building.results(stage, "PodScheduled").values():
        assert (told["createdAt"], told["boundAt"]) == (0, 1)


def test_pods_of_controllers_that_nobody_tries_are_heard_of_once() -> None:
    """Their scheduler is not here, or a gate is before them; still they are there."""
    alien = make_pod("web", scheduler_name="other")
    stage = building.run(
        create(make_node("n1")), create(make_deployment("web", pod=alien)), done(2), alive=True
    )
    (name,) = building.placements(stage)
    assert _of_pod(stage, name) == [(0, "PodUnscheduled")]
    assert building.results(stage, "PodUnscheduled")[name]["scheduleResult"] == []


def test_a_pod_that_is_created_with_a_node_is_bound_from_the_start() -> None:
    """No scheduler had a hand in it, so it is not told of as scheduled."""
    stage = building.run(
        building.importance(),
        create(make_node("n1", cpu="4")),
        create(make_pod("fixed", cpu="3", node_name="n1")),
        create(building.important("boss", cpu="3"), 1),
    )
    assert _of_pod(stage, "fixed") == [(0, "Create"), (1, "PodPreempted"), (1, "Delete")]
    told = building.results(stage, "PodPreempted")["fixed"]
    assert (told["boundTo"], told["boundAt"], told["scheduleResult"]) == ("n1", 0, [])
