"""What is measured of a stream: custom metrics of its pods and target, and external ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.metrics.samples import ExternalSample, ValueSample
from kubestage.traffic import targets

if TYPE_CHECKING:
    from kubestage.metrics.board import Board
    from kubestage.metrics.scraper import Post
    from kubestage.traffic.record import Record
    from kubestage.traffic.replicas import Replicas
    from kubestage.traffic.requests import Replica as State

Json = dict[str, Any]

_SECOND_NS: Final = 1_000_000_000
_MILLI: Final = 1_000
_PERCENTS: Final = (50, 95, 99)
RATE: Final = "requests_per_second"
FAILURES: Final = "failures_per_second"
CONCURRENCY: Final = "concurrent_requests"
RESPONSE: Final = "response_time_seconds"


class Measuring:
    """Compares how a stream stands with how it stood at the last look."""

    def __init__(self, namespace: str, name: str, target: Json) -> None:
        self._namespace = namespace
        self._labels = {"traffic": name}
        self._target = (targets.RESOURCES[target["kind"]], target["name"])
        self._looked_ns = -1
        self._pods: dict[str, State] = {}
        self._totals = (0, 0, 0, 0)
        self._mark: Any = None
        self._asked_ns = 0
        self._cpu: dict[str, float] = {}

    def posts(self, replicas: Replicas, now_ns: int, unix_ns: int) -> list[Post]:
        """What the metrics APIs will answer when this look has arrived."""
        before, self._looked_ns = self._looked_ns, now_ns
        window_ns = now_ns - before
        pods, gone = self._of_pods(replicas, window_ns, unix_ns)
        values = self._of_all(replicas.requests.record, window_ns)
        if before < 0:
            return []
        resource, target = self._target
        of_target = [
            ValueSample(target, metric, unix_ns, window_ns, milli)
            for metric, milli in values.items()
        ]
        outside = [
            ExternalSample(metric, self._labels, unix_ns, window_ns, milli)
            for metric, milli in values.items()
        ]
        return [
            _PostPods(self._namespace, pods, gone),
            _PostTarget(self._namespace, resource, of_target),
            _PostOutside(self._namespace, outside),
        ]

    def forget(self, board: Board, replicas: Replicas) -> None:
        """Nothing is measured any more."""
        for replica in replicas.by_pod.values():
            board.forget(self._namespace, "pods", replica.name)
        board.forget(self._namespace, *self._target)
        board.forget_external(self._namespace, self._labels)

    def utilisation(self, replicas: Replicas, now_ns: int) -> float | None:
        """What active replicas used of what they could since this was last asked, on average."""
        states = replicas.requests.replicas()
        shares: list[float] = []
        before, self._cpu = self._cpu, {}
        for replica in replicas.active.entities_in_stock():
            used = states[replica.name].cpu_core_ns
            self._cpu[replica.name] = used
            since_ns = max(self._asked_ns, replica.since_ns)
            if now_ns > since_ns:
                spent = used - before.get(replica.name, 0.0)
                shares.append(spent / ((now_ns - since_ns) * replica.capacity))
        self._asked_ns = now_ns
        return sum(shares) / len(shares) if shares else None

    def _of_pods(
        self, replicas: Replicas, window_ns: int, unix_ns: int
    ) -> tuple[list[ValueSample], list[str]]:
        states = replicas.requests.replicas()
        before, self._pods = self._pods, states
        samples: list[ValueSample] = []
        for name, state in states.items():
            was = before.get(name)
            if was is None or was.received > state.received:
                continue
            values = {
                RATE: _rate(state.received - was.received, window_ns),
                CONCURRENCY: state.in_flight * _MILLI,
            }
            ended = state.completed - was.completed
            if ended:
                values[RESPONSE] = _seconds((state.response_ns - was.response_ns) / ended)
            samples += [
                ValueSample(name, metric, unix_ns, window_ns, milli)
                for metric, milli in values.items()
            ]
        return samples, [name for name in before if name not in states]

    def _of_all(self, record: Record, window_ns: int) -> dict[str, int]:
        now = (record.arrived, record.completed, record.failed, record.response_ns)
        arrived, completed, failed, response_ns = (
            new - old for new, old in zip(now, self._totals, strict=True)
        )
        self._totals = now
        values = {
            RATE: _rate(arrived, window_ns),
            FAILURES: _rate(failed, window_ns),
            CONCURRENCY: record.in_flight * _MILLI,
        }
        mark, self._mark = self._mark, record.mark()
        if completed:
            values[RESPONSE] = _seconds(response_ns / completed)
            for percent, value_ns in record.percentiles_since(mark, _PERCENTS).items():
                values[f"response_time_p{percent}_seconds"] = _seconds(value_ns)
        return values


def _rate(count: int, window_ns: int) -> int:
    return round(count * _MILLI * _SECOND_NS / window_ns)


def _seconds(time_ns: float) -> int:
    return round(time_ns * _MILLI / _SECOND_NS)


class _PostPods:
    """Puts the values of pods on the board, and takes those of others off."""

    def __init__(self, namespace: str, samples: list[ValueSample], gone: list[str]) -> None:
        self._namespace = namespace
        self._samples = samples
        self._gone = gone

    def __call__(self, board: Board) -> None:
        for name in self._gone:
            board.forget(self._namespace, "pods", name)
        board.post_values(self._namespace, "pods", self._samples)


class _PostTarget:
    """Puts the values of the target on the board."""

    def __init__(self, namespace: str, kind: str, samples: list[ValueSample]) -> None:
        self._namespace = namespace
        self._kind = kind
        self._samples = samples

    def __call__(self, board: Board) -> None:
        board.post_values(self._namespace, self._kind, self._samples)


class _PostOutside:
    """Puts external metrics on the board."""

    def __init__(self, namespace: str, samples: list[ExternalSample]) -> None:
        self._namespace = namespace
        self._samples = samples

    def __call__(self, board: Board) -> None:
        board.post_external(self._namespace, self._samples)
