"""Recorded autoscalers: what the real controller was given, as our own one takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.hpa.context import NoSuchKind, Refused, Scale
from kubestage.controllers.hpa.metrics_client import PodMetric
from kubestage.controllers.hpa.settings import HpaSettings
from kubestage.metrics.board import MetricsError
from kubestage.objects import labels, quantity, timestamps
from kubestage.sim.clock import EPOCH_2026_NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.hpa.conditions import HpaStatus
    from kubestage.objects.labels import Selector


_SCALABLE: Final = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")
_WINDOW_S: Final = 60
_NOT_FOUND: Final = "the server could not find the requested resource"


def unix_ns(seconds: float) -> int:
    """A time of the recording, which has three decimals at most."""
    return EPOCH_2026_NS + round(seconds * 1000) * 1_000_000


def _text(seconds: float) -> str:
    whole, rest = divmod(unix_ns(seconds), 1_000_000_000)
    return timestamps.format_time(whole * 1_000_000_000).replace("Z", f".{rest:09d}Z")


def settings(config: Json) -> HpaSettings:
    """The flags and gates of a recording."""
    gates = config["featureGates"]
    return HpaSettings(
        tolerance=config["tolerance"],
        downscale_stabilization_ns=config["downscaleStabilizationSeconds"] * 10**9,
        cpu_initialization_period_ns=config["cpuInitializationPeriodSeconds"] * 10**9,
        initial_readiness_delay_ns=config["initialReadinessDelaySeconds"] * 10**9,
        scale_to_zero=gates["HPAScaleToZero"],
        configurable_tolerance=gates["HPAConfigurableTolerance"],
        pod_level_resources=gates["PodLevelResources"],
    )


def _pod(entry: Json, spec: Json, namespace: str) -> Json:
    metadata: Json = {"name": entry["name"], "namespace": namespace}
    metadata["labels"] = entry.get("labels", {"app": "web"})
    if entry.get("deleting"):
        metadata["deletionTimestamp"] = _text(0)
    status: Json = {"phase": entry["phase"]}
    if "start" in entry:
        status["startTime"] = _text(entry["start"])
    if "ready" in entry:
        ready = entry["ready"]
        condition = {"type": "Ready", "status": ready["status"]}
        status["conditions"] = [{**condition, "lastTransitionTime": _text(ready["at"])}]
    containers: list[Json] = []
    first: list[Json] = []
    for each in spec["containers"]:
        made: Json = {"name": each["name"], "resources": {"requests": each.get("requests") or {}}}
        if each.get("sidecar"):
            made["restartPolicy"] = "Always"
        (first if each.get("sidecar") or each.get("init") else containers).append(made)
    made_spec: Json = {"containers": containers, "initContainers": first}
    if spec.get("podRequests"):
        made_spec["resources"] = {"requests": spec["podRequests"]}
    return {"metadata": metadata, "spec": made_spec, "status": status}


class Recording:
    """The surroundings of one sync, and the metrics of its pods."""

    def __init__(self, given: Json, sync: Json) -> None:
        self._given = given
        self._sync = sync
        self._target: Json = given["target"]
        specs, namespace = given["podSpecs"], given["namespace"]
        self._pods = [_pod(each, specs[each["spec"]], namespace) for each in sync["pods"]]
        self._names: dict[str, Json] = {pod["metadata"]["name"]: pod for pod in self._pods}
        self._selector = labels.EVERYTHING

    def scale(self) -> Scale:
        """What the scale subresource answered."""
        if self._target["kind"] not in _SCALABLE:
            group, _, _ = self._target["apiVersion"].rpartition("/")
            raise NoSuchKind(f"no matches for {group}/, Resource={self._target['kind']}")
        scale = self._sync["scale"]
        if "err" in scale:
            raise Refused(scale["err"])
        return Scale(scale["spec"], scale["status"], scale["selector"])

    def pods(self, selector: Selector) -> Sequence[Json]:
        """What the lister finds among the recorded pods, in their order."""
        self._selector = selector
        return [pod for pod in self._pods if selector.matches(pod["metadata"]["labels"])]

    def sharers(self, selector: Selector, pods: Sequence[Json]) -> Sequence[str]:
        """Whoever is registered and means one of the pods."""
        known = {self._given["hpaName"]: selector}
        known |= {
            name: labels.parse(text) for name, text in (self._given.get("otherHPAs") or {}).items()
        }
        return [
            f"{self._given['namespace']}/{name}"
            for name, each in known.items()
            if any(each.matches(pod["metadata"]["labels"]) for pod in pods)
        ]

    def metrics(self, pods: Sequence[Json]) -> Recording:
        """The recording has these, too."""
        del pods
        return self

    def rescale(self, replicas: int) -> None:
        """What became of the update of the scale."""
        del replicas
        if "updateErr" in self._sync["scale"]:
            raise Refused(self._sync["scale"]["updateErr"])

    def write_status(self, status: HpaStatus) -> None:
        """What became of the update of the status."""
        del status
        if "statusErr" in self._sync:
            raise Refused(self._sync["statusErr"])

    def _items(self, found: Json | None, api: str, path: str) -> list[Json]:
        items = _answer(found, api, path).get("items") or ()
        matching = [each for each in items if self._is_meant(each["pod"])]
        if not matching:
            raise MetricsError(f"no metrics returned from {api} metrics API")
        return matching

    def _is_meant(self, name: str) -> bool:
        pod = self._names.get(name)
        return pod is None or self._selector.matches(pod["metadata"]["labels"])

    def resource(self, resource: str, container: str) -> dict[str, PodMetric]:
        """PodMetrics, added up unless a container is named."""
        found: dict[str, PodMetric] = {}
        items = self._items(self._sync.get("resource"), "resource", "pods.metrics.k8s.io")
        for item in items:
            used = item["containers"]
            if container:
                used = {name: each for name, each in used.items() if name == container}
            if used and all(resource in each for each in used.values()):
                total = sum(quantity.milli_value_of(each[resource]) for each in used.values())
                window_ns = round(item["window"] * 10**9)
                found[item["pod"]] = PodMetric(unix_ns(item["t"]), window_ns, total)
        return found

    def raw(self, metric: str, selector: Selector) -> dict[str, PodMetric]:
        """Custom metrics of pods."""
        del selector
        found = (self._sync.get("custom") or {}).get(metric)
        items = self._items(found, "custom", "pods.custom.metrics.k8s.io *")
        return {
            item["pod"]: PodMetric(
                unix_ns(item["t"]),
                round(item.get("window", _WINDOW_S) * 10**9),
                quantity.milli_value_of(item["value"]),
            )
            for item in items
        }

    def of_object(self, metric: str, reference: Json, selector: Selector) -> int:
        """A custom metric of an object."""
        del selector
        kind, name = reference["kind"], reference["name"]
        found = (self._sync.get("object") or {}).get(f"{kind}/{name}/{metric}")
        plural = f"{kind.lower()}{'es' if kind.endswith('s') else 's'}"
        answer = _answer(found, "custom", f"{plural}.custom.metrics.k8s.io {name}")
        return quantity.milli_value_of(answer["value"])

    def external(self, metric: str, selector: Selector) -> list[int]:
        """External metrics."""
        del selector
        found = (self._sync.get("external") or {}).get(metric)
        answer = _answer(found, "external", f"{metric}.external.metrics.k8s.io")
        values = [quantity.milli_value_of(each) for each in answer.get("values") or ()]
        if not values:
            raise MetricsError("no metrics returned from external metrics API")
        return values


def _answer(found: Json | None, api: str, path: str) -> Json:
    """What an API said; one that was not recorded says that it has no such thing."""
    answer = {"err": f"{_NOT_FOUND} (get {path})"} if found is None else found
    if "err" in answer:
        raise MetricsError(f"unable to fetch metrics from {api} metrics API: {answer['err']}")
    return answer


def exact_json(status: HpaStatus) -> Json:
    """A status with times to the nanosecond, as the recorder kept it between syncs."""
    found = status.as_json()
    if status.last_scale_ns is not None:
        found["lastScaleTime"] = _exact(status.last_scale_ns)
    found["conditions"] = [
        {**shown, "lastTransitionTime": _exact(each.since_ns)}
        for shown, each in zip(found.get("conditions", ()), status.conditions, strict=True)
    ]
    return found


def _exact(time_ns: int | None) -> str | None:
    return None if time_ns is None else _text((time_ns - EPOCH_2026_NS) / 1e9)
