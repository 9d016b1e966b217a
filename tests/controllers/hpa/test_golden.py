"""Every sync of every recorded autoscaler comes out as the real controller's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.controllers.hpa.reconcile import HorizontalAutoscaler
from kubestage.metrics.board import MetricsError
from kubestage.objects import defaulting, labels
from kubestage.sim.clock import EPOCH_2026_NS
from tests.controllers.hpa import recorded
from tests.golden import vectors

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.controllers.hpa.conditions import HpaStatus
    from kubestage.controllers.hpa.reconcile import SyncResult


_ENTRIES = vectors.load("hpa-replicas")
_SHARES = len(_ENTRIES) // 16 + 1
# What Go makes of a share of nobody: it differs between machines.
_NO_NUMBER = "-9223372036854775808m"


def _seconds(time_ns: int | None) -> float | None:
    return None if time_ns is None else (time_ns - EPOCH_2026_NS) / 1e9


def _conditions(status: HpaStatus) -> list[Json]:
    return [
        {
            "type": each.type,
            "status": each.status,
            "reason": each.reason,
            "message": each.message.partition("multiple HPAs: ")[0],
            "since": _seconds(each.since_ns),
        }
        for each in status.conditions
    ]


def _shown(result: SyncResult) -> Json:
    status = result.status
    return {
        "currentReplicas": status.current_replicas,
        "desiredReplicas": status.desired_replicas,
        "scaledTo": result.scaled_to,
        "recommendation": result.recommendation,
        "conditions": _conditions(status),
        "events": [[*each[:2], _cut(each[2])] for each in result.events],
        "lastScaleTime": _seconds(status.last_scale_ns),
        "currentMetrics": _metrics(list(status.current_metrics or ())),
        "error": _cut(result.error or ""),
    }


def _expected(out: Json) -> Json:
    conditions = [{**each, "message": _cut(each["message"])} for each in out["conditions"]]
    return {
        **out,
        "conditions": conditions,
        "events": [[*each[:2], _cut(each[2])] for each in out["events"]],
        "currentMetrics": _metrics(out["currentMetrics"] or []),
        "error": _cut(out.get("error", "")),
    }


def _cut(text: str) -> str:
    return text.partition("multiple HPAs: ")[0]


def _metrics(found: list[Json]) -> list[Json]:
    """Metrics without what is no number."""
    return [
        {
            key: {**part, "current": _numbers(part["current"])} if isinstance(part, dict) else part
            for key, part in metric.items()
        }
        for metric in found
    ]


def _numbers(current: Json) -> Json:
    return {key: value for key, value in current.items() if value != _NO_NUMBER}


def _hpa(spec: Json, given: Json, status: Json | None) -> Json:
    obj = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": given["hpaName"], "namespace": given["namespace"]},
        "spec": spec,
    }
    hpa: Json = defaulting.default(obj)
    return hpa if status is None else {**hpa, "status": status}


def _replay(entry: Json) -> None:
    given, out = entry["in"], entry["out"]
    autoscaler = HorizontalAutoscaler(recorded.settings(given["config"]))
    status = given.get("initialStatus")
    spec = given["hpaSpec"]
    kept: HpaStatus | None = None
    for sync, expected in zip(given["syncs"], out["syncs"], strict=True):
        spec = sync.get("hpaSpec", spec)
        hpa = _hpa(spec, given, status if kept is None else recorded.exact_json(kept))
        context = recorded.Recording({**given, "target": spec["scaleTargetRef"]}, sync)
        result = autoscaler.sync(recorded.unix_ns(sync["t"]), hpa, context)
        assert _shown(result) == _expected(expected), (given["name"], sync["t"])
        kept = result.status


@pytest.mark.parametrize("share", range(0, len(_ENTRIES), _SHARES))
def test_every_sync_comes_out_as_recorded(share: int) -> None:
    for entry in _ENTRIES[share : share + _SHARES]:
        _replay(entry)


def test_specs_are_defaulted_as_recorded() -> None:
    for entry in _ENTRIES:
        given = entry["in"]
        specs = [
            given["hpaSpec"],
            *(each["hpaSpec"] for each in given["syncs"] if "hpaSpec" in each),
        ]
        defaulted = [_hpa(spec, given, None)["spec"] for spec in specs]
        assert defaulted == entry["out"]["defaultedSpecs"], given["name"]


@pytest.mark.parametrize("parts", [{}, {"custom": {}, "object": {}, "external": {}}])
def test_a_metric_that_was_not_recorded_is_one_that_the_api_does_not_know(parts: Json) -> None:
    given = {"podSpecs": {}, "namespace": "default", "hpaName": "web", "target": {}}
    route = {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "name": "main"}
    known = recorded.Recording(given, {"pods": [], **parts})
    every = labels.EVERYTHING
    cases: list[tuple[Callable[..., object], tuple[object, ...], str]] = [
        (known.resource, ("cpu", ""), "pods.metrics.k8s.io"),
        (known.raw, ("qps", every), "pods.custom.metrics.k8s.io *"),
        (known.of_object, ("rps", route, every), "ingresses.custom.metrics.k8s.io main"),
        (known.external, ("lag", every), "lag.external.metrics.k8s.io"),
    ]
    for ask, arguments, path in cases:
        with pytest.raises(MetricsError) as caught:
            ask(*arguments)
        end = f"the server could not find the requested resource (get {path})"
        assert str(caught.value).endswith(f"metrics API: {end}")
