"""Autoscalers of custom resources, which keep their replicas where they like."""

from __future__ import annotations

import pytest

from tests.controllers.hpa.scene import Scene, autoscaler, running
from tests.controllers.stages import events

_WIDGET = {
    "apiVersion": "example.com/v1",
    "kind": "Widget",
    "metadata": {"name": "w", "namespace": "default"},
    "spec": {"size": 1},
    "status": {"size": 1, "selector": "app=widgets"},
}


_VERSION = {
    "name": "v1",
    "served": True,
    "storage": True,
    "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
}
_SCALED = {
    **_VERSION,
    "subresources": {
        "scale": {
            "specReplicasPath": ".spec.size",
            "statusReplicasPath": ".status.size",
            "labelSelectorPath": ".status.selector",
        }
    },
}


def _definition(
    scope: str = "Namespaced", version: dict[str, object] = _SCALED
) -> dict[str, object]:
    names = {"kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "names": names,
            "scope": scope,
            "versions": [version],
        },
    }


def _scaled_later(widget: dict[str, object]) -> Scene:
    """A widget of a definition that had no scale when the widget was made."""
    scene = Scene(_definition(version=_VERSION), autoscaler("w", target=_WIDGET), widget)
    kind = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")
    scene.store.patch(kind, "widgets.example.com", {"spec": {"versions": [_SCALED]}})
    return scene


def test_a_custom_resource_scales_by_its_own_paths() -> None:
    scene = Scene(
        _definition(), running("w-0", "widgets"), autoscaler("w", target=_WIDGET), _WIDGET
    )
    scene.cores = {"w-0": 1.5}
    scene.stage.run("16s")
    widget = scene.store.get(("example.com/v1", "Widget"), "w")
    assert widget["spec"] == {"size": 3}


@pytest.mark.parametrize(
    ("part", "problem"),
    [
        ({"spec": {"size": "two"}}, ".spec.size accessor error: two is of the type string, "),
        ({"spec": {"size": True}}, ".spec.size accessor error: true is of the type bool, "),
        ({"status": {"size": 1.5}}, ".status.size accessor error: 1.5 is of the type float64, "),
        ({"status": {"selector": 5}}, ".status.selector accessor error: 5 is of the type int64, "),
    ],
)
def test_a_custom_resource_that_holds_anything_else_has_no_scale(
    part: dict[str, object], problem: str
) -> None:
    scene = _scaled_later({**_WIDGET, **part})
    scene.stage.run("16s")
    assert events(scene.stage, "FailedGetScale")[0][1].startswith(problem)


def test_replicas_beyond_all_bounds_are_cut_to_what_a_scale_holds() -> None:
    scene = _scaled_later({**_WIDGET, "spec": {"size": 2**32}})
    scene.stage.run("16s")
    assert scene.reasons("w")["ScalingActive"] == "ScalingDisabled"


def test_a_target_outside_namespaces_is_not_found_in_one() -> None:
    widget = {**_WIDGET, "metadata": {"name": "w"}}
    scene = Scene(_definition("Cluster"), autoscaler("w", target=widget), widget)
    scene.stage.run("16s")
    assert events(scene.stage, "FailedGetScale")[0][1] == (
        "the server could not find the requested resource"
    )
