from __future__ import annotations

from typing import Any

import pytest

from kubestage.errors import Invalid
from kubestage.stage import Stage
from kubestage.testing import make_deployment
from tests.store.samples import widgets_definition

_DEPLOYMENT = ("apps/v1", "Deployment")


def _web(**changes: Any) -> dict[str, Any]:
    made = make_deployment("web", replicas=3)
    made["spec"].update(changes)
    return made


def test_what_is_not_there_is_created() -> None:
    stage = Stage()
    (created,) = stage.apply([_web()])
    assert created["metadata"]["generation"] == 1


def test_applying_the_same_again_changes_nothing() -> None:
    stage = Stage()
    (first,) = stage.apply([_web()])
    (second,) = stage.apply([_web()])
    assert second["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]


def test_a_changed_manifest_changes_the_object_and_nothing_else() -> None:
    stage = Stage()
    stage.apply([_web()])
    stage.store.patch(_DEPLOYMENT, "web", {"metadata": {"annotations": {"by": "hand"}}})
    (changed,) = stage.apply([_web(replicas=5)])
    assert changed["spec"]["replicas"] == 5
    # Once for the annotation, once for the replicas: so it is with Deployments.
    assert changed["metadata"]["generation"] == 3
    assert changed["metadata"]["annotations"] == {"by": "hand"}


def test_what_a_manifest_no_longer_says_is_taken_away() -> None:
    stage = Stage()
    stage.apply([_web(paused=True, minReadySeconds=9)])
    (changed,) = stage.apply([_web()])
    assert "paused" not in changed["spec"]
    assert "minReadySeconds" not in changed["spec"]


def test_containers_are_merged_by_name() -> None:
    stage = Stage()
    first, second = _web(), _web()
    side = {"name": "side", "image": "side:1"}
    first["spec"]["template"]["spec"]["containers"].append(side)
    stage.apply([first])
    (changed,) = stage.apply([second])
    assert len(changed["spec"]["template"]["spec"]["containers"]) == 1


def test_a_custom_resource_is_merged_as_json() -> None:
    widget: dict[str, Any] = {
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {"name": "g"},
        "spec": {"a": 1, "b": 2},
    }
    stage = Stage()
    stage.load([widgets_definition()])
    stage.apply([widget])
    (changed,) = stage.apply([{**widget, "spec": {"a": 3}}])
    assert changed["spec"] == {"a": 3}


def test_a_change_that_is_not_allowed_is_refused() -> None:
    stage = Stage()
    stage.apply([_web()])
    other = _web()
    other["spec"]["selector"] = {"matchLabels": {"app": "other"}}
    other["spec"]["template"]["metadata"]["labels"] = {"app": "other"}
    with pytest.raises(Invalid, match="field is immutable"):
        stage.apply([other])


def test_a_fork_remembers_what_was_applied() -> None:
    stage = Stage()
    stage.apply([_web(paused=True)])
    copy = stage.fork()
    (changed,) = copy.apply([_web()])
    assert "paused" not in changed["spec"]
