"""The rules of the quality-of-service classes; the recorded cases are with the pod resources."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import qos

FULL = {"cpu": "1", "memory": "1Gi"}


def _pod(*containers: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return {"spec": {"containers": [{"resources": item} for item in containers], **spec}}


@pytest.mark.parametrize(
    ("pod", "expected"),
    [
        (_pod({}), qos.BEST_EFFORT),
        (_pod({"requests": {"cpu": "0"}}), qos.BEST_EFFORT),
        (_pod({"requests": {"example.com/gpu": "1"}}), qos.BEST_EFFORT),
        (_pod({"requests": {"cpu": "1"}}), qos.BURSTABLE),
        (_pod({"requests": FULL, "limits": FULL}), qos.GUARANTEED),
        (_pod({"requests": {"cpu": "1000m", "memory": "1024Mi"}, "limits": FULL}), qos.GUARANTEED),
        (_pod({"requests": FULL, "limits": FULL}, {}), qos.BURSTABLE),
        (_pod({"limits": {"cpu": "1"}}), qos.BURSTABLE),
        (_pod({}, resources={"requests": FULL, "limits": FULL}), qos.GUARANTEED),
        (_pod({"requests": FULL}, resources={}), qos.BEST_EFFORT),
        (
            _pod({"requests": FULL, "limits": FULL}, initContainers=[{"resources": {}}]),
            qos.BURSTABLE,
        ),
    ],
)
def test_the_class_follows_from_requests_and_limits(pod: dict[str, Any], expected: str) -> None:
    assert qos.compute(pod) == expected


def test_a_recorded_class_wins() -> None:
    assert qos.of({"spec": {}, "status": {"qosClass": "Guaranteed"}}) == qos.GUARANTEED
    assert qos.of({"spec": {}}) == qos.BEST_EFFORT
