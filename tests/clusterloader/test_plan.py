"""A plan tells what a load is going to do, without a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from kubestage.clusterloader import config
from kubestage.clusterloader.plan import plan
from kubestage.clusterloader.planned import pods_of
from kubestage.errors import InputError
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.clusterloader.planned import LoadPlan

RC = {"apiVersion": "v1", "kind": "ReplicationController"}
SERVICE = {"apiVersion": "v1", "kind": "Service"}
POD = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
# What both kinds need; a server drops the fields that one of them does not have.
COMPLETE = {"selector": {"a": "b"}, "template": POD, "clusterIP": "None"}


class Shelf:
    """Templates as objects: Replicas is filled in, and some cannot be. Notes what it filled."""

    def __init__(self) -> None:
        self.filled: list[str] = []

    def raw_objects(self, path: str) -> list[dict[str, Any]]:
        if path == "missing.yaml":
            raise InputError("no such file", file=path)
        return {"rc.yaml": [RC], "service.yaml": [SERVICE], "both.yaml": [RC, SERVICE]}[path]

    def objects(self, path: str, mapping: Mapping[str, Any]) -> list[dict[str, Any]]:
        if mapping["Name"] == "bad-0":
            raise InputError("function Boom not defined", file=path)
        assert mapping["Nodes"] == 7
        self.filled.append(f"{mapping['Namespace']}/{mapping['Name']}")
        assert mapping["Name"] == f"{mapping['BaseName']}-{mapping['Index']}"
        spec = {"replicas": mapping.get("Replicas", 1), **COMPLETE}
        if mapping["BaseName"] == "sized":
            spec["replicas"] = 1 if len(self.filled) % 2 else 3
        return [{**each, "spec": spec} for each in self.raw_objects(path)]


SETS = (
    config.TuningSet("qps", config.QpsLoad(10)),
    config.TuningSet("late", config.QpsLoad(10), initial_delay_ns=SECOND_NS),
    config.TuningSet("limited", config.TimeLimitedLoad(60 * SECOND_NS)),
    config.TuningSet("stepped", config.SteppedLoad(4, SECOND_NS)),
    config.TuningSet("uniform", config.RandomizedLoad(10)),
    config.TuningSet("scattered", config.RandomizedTimeLimitedLoad(20 * SECOND_NS)),
    config.TuningSet("poisson", config.PoissonLoad(10)),
    config.TuningSet("global", config.GlobalQpsLoad(10, 5)),
    config.TuningSet("global-late", config.GlobalQpsLoad(10, 5), initial_delay_ns=SECOND_NS),
    config.TuningSet("closed", config.ParallelismLimitedLoad(1)),
    config.TuningSet("fast", config.QpsLoad(1000)),
)


def phase(
    replicas: int,
    *basenames: str,
    tuning_set: str = "qps",
    namespaces: int = 1,
    path: str = "rc.yaml",
    **fill: Any,
) -> config.Phase:
    return config.Phase(
        tuple(config.ObjectSpec(name, path, fill) for name in basenames or ("web",)),
        replicas,
        tuning_set,
        config.NamespaceRange(1, namespaces),
    )


def planned(
    *steps: config.Step | config.Phase, clients: int = 100, shelf: Shelf | None = None
) -> LoadPlan:
    """The plan of steps; a phase stands for a step of its own."""
    whole = tuple(
        each if isinstance(each, config.Step) else config.Step(phases=(each,)) for each in steps
    )
    load = config.Config(whole, "test", SETS)
    return plan(load, shelf or Shelf(), {"Nodes": 7}, nodes=7, client_number=clients)


def test_replicas_are_created_patched_and_deleted_by_their_difference() -> None:
    made = planned(*(phase(replicas, namespaces=3) for replicas in (5, 5, 2, 8)))
    objects = [step.phases[0].objects[0] for step in made.steps]
    assert [(each.create, each.patch, each.delete) for each in objects] == [
        (15, 0, 0), (0, 15, 0), (0, 0, 9), (18, 0, 0),
    ]  # fmt: skip
    assert [step.calls for step in made.steps] == [15, 30, 9, 18]
    assert made.calls == 72
    assert [step.actions for step in made.steps] == [15, 15, 9, 18]
    assert made.created == {"ReplicationController": 33}
    assert made.peak == {"ReplicationController": 24}


def test_pods_follow_what_the_filled_template_says() -> None:
    made = planned(phase(5, Replicas=30), phase(5, Replicas=2), phase(0))
    assert [step.pods for step in made.steps] == [150, 10, 0]
    assert made.peak_pods == 150


@pytest.mark.parametrize(
    ("tuning_set", "expected_s"),
    [
        ("qps", 2.0), ("late", 3.0), ("limited", 60.0), ("stepped", 5.0), ("uniform", 2.0),
        ("scattered", 20 * 20 / 21), ("poisson", 1.9), ("global", 1.5), ("closed", 0.0),
    ],
)  # fmt: skip
def test_the_time_of_each_tuning_set_is_expected(tuning_set: str, expected_s: float) -> None:
    (step,) = planned(phase(20, tuning_set=tuning_set)).steps
    assert step.expected_ns == pytest.approx(expected_s * SECOND_NS, abs=2)
    assert step.is_open_ended == (tuning_set == "closed")


def test_phases_go_on_together_and_steps_one_after_another() -> None:
    made = planned(
        config.Step(phases=(phase(20, "a"), phase(40, "b"))),
        config.Step(measurements=(config.Mention("Sleep", "nap", {"duration": "1m"}),)),
    )
    assert [step.expected_ns for step in made.steps] == [4 * SECOND_NS, 60 * SECOND_NS]
    assert made.expected_ns == 64 * SECOND_NS
    assert not made.is_open_ended


def test_a_shared_limit_remembers_phases_and_steps() -> None:
    both = config.Step(
        phases=(phase(10, "a", tuning_set="global"), phase(10, "b", tuning_set="global"))
    )
    made = planned(both, phase(1, "c", tuning_set="global"))
    assert made.steps[0].expected_ns == pytest.approx(1.5 * SECOND_NS, abs=2)
    assert made.steps[1].expected_ns == pytest.approx(0.1 * SECOND_NS, abs=2)
    late = planned(phase(15, "a", tuning_set="global-late"), phase(6, tuning_set="global-late"))
    # What came back during the second's delay is five tokens; the sixth takes a tenth.
    assert [step.expected_ns for step in late.steps] == pytest.approx([2e9, 1.1e9], abs=2)


def test_what_the_clients_hold_back_is_told_of() -> None:
    made = planned(phase(1200, tuning_set="fast"), clients=1)
    assert made.steps[0].expected_ns == 10 * SECOND_NS
    assert made.notes == (
        "step 1: its pace asks for 1.2s, the limits of 1 client(s) make 10s of it",
    )
    assert planned(phase(1200, tuning_set="fast"), clients=8).notes == ()
    closed = planned(phase(1200, tuning_set="closed"), clients=1)
    assert (closed.notes, closed.expected_ns) == ((), 10 * SECOND_NS)


def test_measurements_are_told_with_their_actions() -> None:
    mentions = (
        config.Mention("WaitForRunningPods", "pods", {"action": "gather"}),
        config.Mention(
            "PodStartupLatency",
            params={"start": True},
            instances=(config.Instance("a"), config.Instance("b", {"action": "gather"})),
        ),
    )
    (step,) = planned(config.Step("wait", measurements=mentions)).steps
    told = [(each.method, each.identifier, each.action) for each in step.measurements]
    assert told == [
        ("WaitForRunningPods", "pods", "gather"),
        ("PodStartupLatency", "a", "start"),
        ("PodStartupLatency", "b", "gather"),
    ]
    assert step.is_open_ended
    begun = config.Mention("WaitForControlledPodsRunning", "pods", {"action": "start"})
    assert not planned(config.Step("wait", measurements=(begun,))).is_open_ended


def test_a_template_of_two_kinds_counts_for_both() -> None:
    made = planned(phase(3, path="both.yaml"))
    assert made.created == {"ReplicationController": 3, "Service": 3}
    assert made.calls == 6
    assert made.steps[0].actions == 3


def test_what_would_fail_the_run_is_told_once() -> None:
    made = planned(
        phase(2, "bad"), phase(4, "web"), phase(9, "x", path="missing.yaml"),
        phase(9, "y", path="missing.yaml"), phase(1, "z", tuning_set="nope"),
        phase(4, "web", "other"),
    )  # fmt: skip
    assert [problem.partition(":")[0] for problem in made.problems] == [
        "bad-0", "missing.yaml", "tuning set 'nope' is not declared", "bundle of web, other",
    ]  # fmt: skip
    assert made.steps[0].phases[0].objects[0].create == 2


def test_objects_of_others_are_said_to_be_counted_later() -> None:
    spec = config.ObjectSpec("pvc", "rc.yaml", list_unknown={})
    made = planned(config.Phase((spec,), 0, "qps", namespace_list=("default",)))
    assert made.notes == ("pvc: how many there are is counted when the step begins",)
    assert made.calls == 0


def test_templates_are_filled_for_what_is_made() -> None:
    shelf = Shelf()
    assert planned(phase(0, "bad"), phase(0, "bad"), shelf=shelf).problems == ()
    assert shelf.filled == []
    planned(phase(1, namespaces=2), phase(3, namespaces=2), phase(0), shelf=shelf)
    assert shelf.filled == [
        "test-1/web-0", "test-2/web-0", "test-1/web-1", "test-1/web-2", "test-2/web-1",
        "test-2/web-2",
    ]  # fmt: skip


def test_pods_are_the_mean_of_replicas_that_are_spread_over_the_phase() -> None:
    shelf = Shelf()
    made = planned(phase(50, "sized", namespaces=10), shelf=shelf)
    assert len(shelf.filled) == 16
    assert shelf.filled[0] == "test-1/sized-0"
    assert shelf.filled[8] == "test-6/sized-0"
    # Sizes are 1 and 3 by turns.
    assert made.peak_pods == 1000


@pytest.mark.parametrize(
    ("kind", "spec", "pods"),
    [
        ("Pod", {}, 1), ("Deployment", {"replicas": 5}, 5), ("StatefulSet", {}, 1),
        ("ReplicaSet", {"replicas": 3.0}, 3), ("ReplicationController", {"replicas": 0}, 0),
        ("DaemonSet", {}, 9), ("Job", {}, 1), ("Job", {"parallelism": 4}, 4),
        ("Job", {"parallelism": 4, "completions": 2}, 2), ("Job", {"completions": 8}, 1),
        ("ConfigMap", None, 0), ("Deployment", {"replicas": "many"}, 1),
    ],
)  # fmt: skip
def test_objects_say_how_many_pods_they_make(kind: str, spec: Any, pods: int) -> None:
    assert pods_of({"kind": kind, "spec": spec}, nodes=9) == pods


def test_a_plan_is_plain_data() -> None:
    made = planned(phase(2))
    assert msgspec.json.decode(msgspec.json.encode(made))["steps"][0]["phases"][0]["actions"] == 2


class One:
    """Templates that make one object, or several."""

    def __init__(self, *objects: dict[str, Any]) -> None:
        self._objects = list(objects)

    def raw_objects(self, path: str) -> list[dict[str, Any]]:
        return self._objects

    def objects(self, path: str, mapping: Mapping[str, Any]) -> list[dict[str, Any]]:
        return self._objects


CONFIG_MAP: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap"}
CONTAINERS = {"containers": [{"name": "c", "image": "i"}]}


@pytest.mark.parametrize(
    ("objects", "problem"),
    [
        ([{**RC, "spec": {"replicas": "two"}}], "spec.replicas: expected a whole number"),
        ([{**RC, "spec": {**COMPLETE, "replicas": -1}}], "spec.replicas: Invalid value: -1"),
        ([{**CONFIG_MAP, "data": {"a": 5}}], "data[a]: expected a string"),
        (
            [{"apiVersion": "v1", "kind": "Pod", "spec": {"containers": []}}],
            "spec.containers: Required value",
        ),
        (
            [{**CONFIG_MAP, "metadata": {"namespace": "other"}}],
            "metadata.namespace: 'other' is not 'test-1', which the phase names",
        ),
        ([CONFIG_MAP, CONFIG_MAP], "two objects of kind ConfigMap in one template"),
    ],
)
def test_what_a_server_would_refuse_is_told(objects: list[dict[str, Any]], problem: str) -> None:
    [found] = _plan_of(phase(2), *objects).problems
    assert "rc.yaml: " in found
    assert problem in found


@pytest.mark.parametrize(
    "obj",
    [
        {**SERVICE, "spec": {"clusterIP": "None", "selector": {"a": "b"}}},
        {**CONFIG_MAP, "datta": {}},
        {"apiVersion": "example.com/v1", "kind": "Thing", "spec": 5},
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"namespace": "other"}},
    ],
)
def test_what_a_server_would_take_is_no_problem(obj: dict[str, Any]) -> None:
    assert _plan_of(phase(2), obj).problems == ()


def test_a_patch_need_not_be_complete() -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": []}}
    assert len(_plan_of(phase(2), pod).problems) == 1
    first = config.Phase((config.ObjectSpec("p", "whole.yaml"),), 2, "qps")

    class Two(One):
        """A complete template, and a patch."""

        def objects(self, path: str, mapping: Mapping[str, Any]) -> list[dict[str, Any]]:
            return [{**pod, "spec": CONTAINERS if path == "whole.yaml" else {}}]

    whole = msgspec.structs.replace(first, namespace_range=config.NamespaceRange(1, 1))
    then = msgspec.structs.replace(whole, objects=(config.ObjectSpec("p", "patch.yaml"),))
    steps = (config.Step(phases=(whole,)), config.Step(phases=(then,)))
    assert plan(config.Config(steps, "test", SETS), Two(pod), {}).problems == ()


def test_an_object_of_a_namespace_needs_one() -> None:
    spec = config.ObjectSpec("p", "rc.yaml")
    [problem] = _plan_of(config.Phase((spec,), 1, "qps"), CONFIG_MAP).problems
    assert problem.startswith("rc.yaml: ConfigMap is in a namespace, and its phase names none")


def test_two_objects_of_one_name_have_the_same_number_of_replicas() -> None:
    made = _plan_of(phase(2, "web", "web"), CONFIG_MAP)
    assert made.problems == ()
    assert [each.create for each in made.steps[0].phases[0].objects] == [2, 2]


def _plan_of(made: config.Phase, *objects: dict[str, Any]) -> LoadPlan:
    return plan(config.Config((config.Step(phases=(made,)),), "test", SETS), One(*objects), {})
