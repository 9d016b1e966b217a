"""Predicts what HorizontalPodAutoscalers do, from the usage that they will read."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers.hpa.context import NoSuchKind, Refused, Scale
from kubestage.controllers.hpa.metrics_client import BoardClient
from kubestage.controllers.hpa.reconcile import HorizontalAutoscaler
from kubestage.controllers.hpa.settings import HpaSettings
from kubestage.errors import ApiError
from kubestage.metrics.board import Board
from kubestage.metrics.samples import ContainerSample, PodSample
from kubestage.objects import gvk
from kubestage.runs.shadowing.result import StepCounts
from kubestage.sources.imported import format_ns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.hpa.conditions import HpaStatus
    from kubestage.objects.labels import Selector
    from kubestage.sources.usage import UsageSample
    from kubestage.store.store import Store

AUTOSCALER: Final = ("autoscaling/v2", "HorizontalPodAutoscaler")


class _Expected(NamedTuple):
    replicas: int | None
    """None if that cannot be known."""
    why: str


class ObservedTarget:
    """The context of an autoscaler on a mirrored cluster: it reads, and writes nothing."""

    def __init__(self, store: Store, board: Board, hpa: Json) -> None:
        self._store = store
        self._board = board
        self._namespace: str = hpa["metadata"]["namespace"]
        self._target: Json = hpa["spec"]["scaleTargetRef"]

    def scale(self) -> Scale:
        """The scale of the target."""
        version, name = self._target.get("apiVersion") or "", self._target["kind"]
        kind = self._store.kinds.get(version, name)
        if kind is None or not kind.namespaced:
            raise NoSuchKind(f'no matches for kind "{name}" in version "{version}"')
        try:
            found = self._store.get(
                kind, self._target["name"], self._namespace, subresource="scale"
            )
        except ApiError as error:
            raise Refused(str(error)) from error
        status = found["status"]
        return Scale(found["spec"].get("replicas", 0), status["replicas"],
                     status.get("selector", ""))  # fmt: skip

    def pods(self, selector: Selector) -> Sequence[Json]:
        """The pods of the target."""
        pods = self._store.read(gvk.POD)
        return [
            pod
            for _, pod in sorted(pods.items())
            if pod["metadata"].get("namespace") == self._namespace
            and selector.matches(pod["metadata"].get("labels") or {})
        ]

    def sharers(self, selector: Selector, pods: Sequence[Json]) -> Sequence[str]:
        """Whether others select the same pods is the cluster's concern."""
        del selector, pods
        return ()

    def metrics(self, pods: Sequence[Json]) -> BoardClient:
        """What these pods use."""
        return BoardClient(self._board, self._store.kinds, self._namespace, pods)

    def rescale(self, replicas: int) -> None:
        """Nothing is scaled."""

    def write_status(self, status: HpaStatus) -> None:
        """Nothing is stored."""


class ReplicaTwin:
    """One autoscaler for each of the cluster, with the usage that was last read."""

    def __init__(self, store: Store, report: Callable[[Json], None]) -> None:
        self.counts = StepCounts()
        self._store = store
        self._report = report
        self._board = Board()
        self._samples: dict[tuple[str, str], PodSample] = {}
        self._twins: dict[str, HorizontalAutoscaler] = {}
        self._expected: dict[str, _Expected] = {}

    def on_usage(self, samples: Iterable[UsageSample], now_ns: int) -> None:
        """Usage was read: have each autoscaler decide about it."""
        for pod in _by_pod(samples):
            self._samples[pod.namespace, pod.name] = pod
        there = {
            (pod["metadata"].get("namespace") or "", pod["metadata"]["name"])
            for pod in self._store.read(gvk.POD).values()
        }
        self._samples = {key: each for key, each in self._samples.items() if key in there}
        self._board.post_pods(self._samples.values())
        scalers = self._store.read(AUTOSCALER)
        for key in self._twins.keys() - scalers.keys():
            del self._twins[key]
        for key, hpa in scalers.items():
            self._sync(key, hpa, now_ns)

    def on_new(self, hpa: Json, now_ns: int) -> None:
        """An autoscaler is new, and is known to the mirror: it decides at once."""
        self._sync(_key(hpa), hpa, now_ns)

    def on_scaler(self, before: Json | None, after: Json | None, at_ns: int) -> None:
        """An autoscaler changes; a change of its desired replicas is a step."""
        key = _key(after or before)
        if after is None:
            self._expected.pop(key, None)
            return
        was, now = _before(before, after), _desired(after)
        if was is None or now is None or was == now:
            return
        expected = self._expected.pop(key, _Expected(None, "its usage was not read yet"))
        self.counts.steps += 1
        report: Json = {"at": format_ns(at_ns), "type": "step", "hpa": key, "from": was, "to": now}
        if expected.replicas is None:
            self.counts.unknown += 1
            self._report({**report, "hit": None, "why": expected.why})
            return
        is_exact = expected.replicas == now
        self.counts.exact += is_exact
        self.counts.direction += (expected.replicas > was) == (now > was) and (
            expected.replicas != was
        )
        report |= {"predicted": expected.replicas, "hit": is_exact}
        self._report(report if is_exact else {**report, "why": expected.why})

    def _sync(self, key: str, hpa: Json, now_ns: int) -> None:
        twin = self._twins.setdefault(key, HorizontalAutoscaler(HpaSettings()))
        result = twin.sync(now_ns, hpa, ObservedTarget(self._store, self._board, hpa))
        was, before = result.status.current_replicas, self._expected.get(key)
        if result.recommendation is None and result.scaled_to is None:
            self._expected[key] = _Expected(None, result.error or "its target is not scaled")
            return
        decided = result.status.desired_replicas
        why = f"{result.recommendation} by its metrics, {decided} within its limits"
        self._expected[key] = _Expected(decided, why)
        was_alarm = before is not None and before.replicas not in (None, was)
        if decided == was and was_alarm:
            self.counts.false_alarms += 1
        if decided != was and (before is None or before.replicas != decided):
            self._report({"at": format_ns(now_ns), "type": "stepPrediction", "hpa": key,
                          "from": was, "predicted": decided, "why": why})  # fmt: skip


def _by_pod(samples: Iterable[UsageSample]) -> list[PodSample]:
    groups: dict[tuple[str, str], list[UsageSample]] = collections.defaultdict(list)
    for each in samples:
        if each.pod:
            groups[each.namespace, each.pod].append(each)
    return [
        PodSample(
            namespace=namespace,
            name=name,
            unix_ns=found[0].at_ns,
            window_ns=found[0].window_ns,
            containers={
                each.container: ContainerSample(each.cpu_nanocores, each.memory_bytes)
                for each in found
            },
        )
        for (namespace, name), found in groups.items()
    ]


def _desired(hpa: Json | None) -> int | None:
    found = ((hpa or {}).get("status") or {}).get("desiredReplicas")
    return found if isinstance(found, int) else None


def _before(before: Json | None, after: Json) -> int | None:
    """What was desired before; of a new autoscaler, the replicas that it has found."""
    if before is None or _desired(after) is None:
        return None
    if (before.get("status") or {}).get("conditions"):
        return _desired(before)
    found = after["status"].get("currentReplicas")
    return found if isinstance(found, int) else None


def _key(hpa: Json | None) -> str:
    assert hpa is not None
    return f"{hpa['metadata'].get('namespace') or ''}/{hpa['metadata']['name']}"
