"""Which nodes a test counts on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.cluster import node_readiness

if TYPE_CHECKING:
    from kubestage.aliases import Json

READY = {"type": "Ready", "status": "True"}


def node(*conditions: Json, **spec: Any) -> Json:
    return {"metadata": {"name": "n"}, "spec": spec, "status": {"conditions": list(conditions)}}


@pytest.mark.parametrize(
    "obj",
    [
        node(READY),
        node(READY, {"type": "NetworkUnavailable", "status": "False"}),
        node(READY, taints=[{"key": "mine", "effect": "NoSchedule"}]),
        node(READY, taints=[{"key": "node.kubernetes.io/not-ready", "effect": "PreferNoSchedule"}]),
    ],
)
def test_a_node_that_is_well_and_open_counts(obj: Json) -> None:
    assert node_readiness.is_schedulable_and_untainted(obj)


@pytest.mark.parametrize(
    "obj",
    [
        node(),
        node({"type": "Ready", "status": "Unknown"}),
        node(READY, unschedulable=True),
        node(READY, {"type": "NetworkUnavailable", "status": "True"}),
        node(READY, taints=[{"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}]),
        node(READY, taints=[{"key": "node.kubernetes.io/disk-pressure", "effect": "NoSchedule"}]),
        {"metadata": {"name": "n"}},
    ],
)
def test_any_other_does_not(obj: Json) -> None:
    assert not node_readiness.is_schedulable_and_untainted(obj)
