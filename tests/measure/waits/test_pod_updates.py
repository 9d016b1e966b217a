"""A pod is up to date if its template's fields are in it; what the template leaves open is free."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.measure.waits import pod_updates

if TYPE_CHECKING:
    from kubestage.aliases import Json


def spec(**container: Any) -> Json:
    return {"containers": [{"name": "c", "image": "i", **container}], "hostNetwork": False}


@pytest.mark.parametrize(
    ("template", "pod"),
    [
        (spec(), {**spec(), "nodeName": "n1", "priority": 5, "schedulerName": "s"}),
        (spec(), spec(volumeMounts=[{"name": "token", "mountPath": "/x"}])),
        (
            spec(resources={"requests": {"cpu": "1000m"}}),
            spec(resources={"requests": {"cpu": "1", "memory": "1"}}),
        ),
        ({**spec(), "nodeSelector": {}}, {**spec(), "nodeSelector": {"a": "b"}}),
        (spec(), {"containers": [*spec()["containers"], {"name": "injected"}]}),
        ({"schedulerName": ""}, {"schedulerName": "x"}),
        ({**spec(), "unheardOf": 1}, {**spec(), "unheardOf": 1}),
    ],
)
def test_what_is_left_open_may_be_anything(template: Json, pod: Json) -> None:
    assert pod_updates.is_updated(template, pod)


@pytest.mark.parametrize(
    ("template", "pod"),
    [
        (spec(), spec(image="older")),
        (spec(env=[{"name": "A", "value": "2"}]), spec(env=[{"name": "A", "value": "1"}])),
        (spec(env=[{"name": "A"}]), spec()),
        (spec(resources={"requests": {"cpu": "2"}}), spec(resources={"requests": {"cpu": "1"}})),
        (spec(resources={"requests": {"cpu": "2"}}), spec(resources={"requests": {"memory": "1"}})),
        ({"priority": 0}, {}),
        ({"terminationGracePeriodSeconds": 5}, {"terminationGracePeriodSeconds": 30}),
        (spec(), {**spec(), "hostNetwork": True}),
        ({}, {"hostPID": True}),
        (spec(), {}),
        ({**spec(), "unheardOf": 1}, {**spec(), "unheardOf": 2}),
    ],
)
def test_what_is_asked_for_must_be_there(template: Json, pod: Json) -> None:
    assert not pod_updates.is_updated(template, pod)
