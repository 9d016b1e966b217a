from __future__ import annotations

from kubestage.replay import trace

Pods = list[list[str]]


def pods(text: str) -> Pods:
    return [each.split() for each in text.split(", ")]


def paths(wanted: str, given: str) -> list[str]:
    told = trace.compare({"pods": pods(wanted)}, {"pods": pods(given)})
    return [path for path, _, _ in told]


def test_what_controllers_do_between_two_acts_of_the_kubelet_has_no_order() -> None:
    assert paths("create a, delete b, ready a", "delete b, create a, ready a") == []
    assert paths("create a, ready a, delete b", "create a, delete b, ready a") == ["pods"]


def test_a_replacement_may_come_before_or_after_the_removal() -> None:
    assert paths("delete a, create a-<r*>, gone a", "delete a, gone a, create a-<r*>") == []


def test_a_pod_of_the_same_name_comes_after_the_removal() -> None:
    assert paths("delete a, gone a, create a", "delete a, create a, gone a") == ["pods"]


def test_any_of_the_recorded_runs_will_do() -> None:
    wanted = {"pods": {"<varies>": [pods("ready a, ready b"), pods("ready a")]}}
    assert list(trace.compare(wanted, {"pods": pods("ready a")})) == []
    assert list(trace.compare(wanted, {"pods": pods("ready b")})) != []


def test_scaling_and_its_bounds_count() -> None:
    wanted = {"replicaset_scale": [["web", None, 3]], "bounds": {"web": {"min_ready": 2}}}
    given = {"replicaset_scale": [["web", None, 2]], "bounds": {"web": {"min_ready": 1}}}
    assert [each[0] for each in trace.compare(wanted, given)] == [
        "replicaset_scale/0/2",
        "bounds/web/min_ready",
    ]
