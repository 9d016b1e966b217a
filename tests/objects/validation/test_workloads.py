"""Workloads: rules that the recording does not meet, and kinds that it does not have."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import defaulting, strategy
from kubestage.objects.validation import index_lists, rules

TEMPLATE: dict[str, Any] = {
    "metadata": {"labels": {"a": "b"}},
    "spec": {"containers": [{"name": "c", "image": "i"}]},
}


def make(api_version: str, kind: str, **parts: Any) -> dict[str, Any]:
    meta = {"name": "w", "namespace": "n", "resourceVersion": "1", "uid": "u"}
    return defaulting.stored({"apiVersion": api_version, "kind": kind, "metadata": meta, **parts})


def fields(obj: dict[str, Any]) -> list[str]:
    return [error.field for error in rules.validate_create(strategy.prepare_for_create(obj))]


def controller(**spec: Any) -> dict[str, Any]:
    spec = {"selector": {"a": "b"}, "template": TEMPLATE, **spec}
    return make("v1", "ReplicationController", spec=spec)


def test_a_replication_controller_needs_what_it_replicates() -> None:
    assert fields(controller()) == []
    assert fields(controller(selector={"a": "c"})) == ["spec.template.metadata.labels"]
    assert fields(make("v1", "ReplicationController", spec={})) == [
        "spec.selector",
        "spec.template",
    ]


def test_a_replication_controller_may_change_its_selector() -> None:
    labels = {"metadata": {"labels": {"a": "b", "x": "y"}}, "spec": TEMPLATE["spec"]}
    old = controller(template=labels)
    new = controller(template=labels, selector={"x": "y"})
    prepared = strategy.prepare_for_update(new, old)
    assert rules.validate_update(prepared, old) == []


def test_a_pod_template_is_judged_as_such() -> None:
    good = make("v1", "PodTemplate", template=TEMPLATE)
    assert fields(good) == []
    bad = make("v1", "PodTemplate", template={"spec": {"containers": []}})
    assert fields(bad) == ["template.spec.containers"]
    prepared = strategy.prepare_for_update(bad, good)
    assert [error.field for error in rules.validate_update(prepared, good)] == [
        "template.spec.containers"
    ]


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("apps/v1", "ReplicaSet"),
        ("apps/v1", "StatefulSet"),
        ("apps/v1", "DaemonSet"),
        ("v1", "ReplicationController"),
    ],
)
def test_reported_counts_are_not_negative(api_version: str, kind: str) -> None:
    key = "numberMisscheduled" if kind == "DaemonSet" else "replicas"
    old = make(api_version, kind, spec={"template": TEMPLATE}, status={})
    new = {**old, "status": {**old["status"], key: -1}}
    prepared = strategy.prepare_for_update(new, old, "status")
    found = rules.validate_update(prepared, old, "status")
    assert str(found[0]) == f"status.{key}: Invalid value: -1: must be greater than or equal to 0"
    assert all("cannot be greater than" in error.detail for error in found[1:])


@pytest.mark.parametrize(("text", "count"), [("", 0), ("0", 1), ("1,3-5", 4), ("0-9", 10)])
def test_indexes_are_counted(text: str, count: int) -> None:
    assert index_lists.count(text, 10) == count


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a", 'cannot convert string to integer for index: "a"'),
        ("10", 'too large index: "10"'),
        ("3-1", "non-increasing order, previous: 3, current: 1"),
        ("3,1", "non-increasing order, previous: 3, current: 1"),
        ("1-2-3", 'the fragment "1-2-3" violates the requirement'),
    ],
)
def test_bad_indexes_are_refused_in_upstreams_words(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        index_lists.count(text, 10)


def cron_job(**spec: Any) -> dict[str, Any]:
    template = {"spec": {"template": {"spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}}}
    return make(
        "batch/v1", "CronJob", spec={"schedule": "0 * * * *", "jobTemplate": template, **spec}
    )


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({}, None),
        ({"schedule": ""}, "spec.schedule"),
        ({"schedule": "TZ=UTC 0 * * * *"}, "spec.schedule"),
        ({"timeZone": "Local"}, "spec.timeZone"),
        ({"timeZone": "../etc"}, "spec.timeZone"),
        ({"timeZone": "Nowhere/City"}, "spec.timeZone"),
        ({"timeZone": "Europe/Berlin"}, None),
        ({"schedule": "61 * * * *"}, "spec.schedule"),
        ({"concurrencyPolicy": "Foo"}, "spec.concurrencyPolicy"),
        ({"failedJobsHistoryLimit": -1}, "spec.failedJobsHistoryLimit"),
    ],
)
def test_a_cron_job_says_when_and_how_many(spec: dict[str, Any], field: str | None) -> None:
    assert fields(cron_job(**spec)) == ([] if field is None else [field])


def test_a_suspended_job_may_still_choose_its_nodes() -> None:
    spec = {"suspend": True, "template": {"spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}}
    old = strategy.prepare_for_create(make("batch/v1", "Job", spec=spec))
    chosen = {**old["spec"]["template"]["spec"], "nodeSelector": {"disk": "ssd"}}
    new = {**old, "spec": {**old["spec"], "template": {**old["spec"]["template"], "spec": chosen}}}
    assert rules.validate_update(strategy.prepare_for_update(new, old), old) == []
    running = {**old, "spec": {**old["spec"], "suspend": False}}
    found = rules.validate_update(strategy.prepare_for_update(new, running), running)
    assert [error.field for error in found] == ["spec.template"]
