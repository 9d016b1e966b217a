"""The board: what the metrics APIs serve now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.errors import KubestageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.metrics.samples import ExternalSample, PodSample, ValueSample
    from kubestage.objects.labels import Selector


class MetricsError(KubestageError):
    """A metrics API has no data; the text is its message."""


class Board:
    """The latest sample of everything that is measured.

    Pods and other objects are found by namespace and name. Callers select pods by label: the board
    knows names only, except for the labels of external metrics.
    """

    def __init__(self) -> None:
        self._pods: dict[str, dict[str, PodSample]] = {}
        self._values: dict[tuple[str, str, str], dict[str, ValueSample]] = {}
        self._external: dict[tuple[str, str], dict[tuple[tuple[str, str], ...], ExternalSample]]
        self._external = {}

    def post_pods(self, samples: Iterable[PodSample]) -> None:
        """Replace the samples of all pods."""
        self._pods = {}
        for sample in samples:
            self._pods.setdefault(sample.namespace, {})[sample.name] = sample

    def post_values(self, namespace: str, kind: str, samples: Iterable[ValueSample]) -> None:
        """Values of objects of a kind; a kind is a resource with its group, such as ``pods``."""
        for sample in samples:
            known = self._values.setdefault((namespace, kind, sample.metric), {})
            known[sample.name] = sample

    def post_external(self, namespace: str, samples: Iterable[ExternalSample]) -> None:
        """Values of external metrics."""
        for sample in samples:
            known = self._external.setdefault((namespace, sample.metric), {})
            known[tuple(sorted(sample.labels.items()))] = sample

    def withdraw_value(self, namespace: str, kind: str, metric: str, name: str) -> None:
        """Remove a value of an object."""
        self._values.get((namespace, kind, metric), {}).pop(name, None)

    def withdraw_external(self, namespace: str, metric: str, labels: dict[str, str]) -> None:
        """Remove the value with these labels."""
        known = self._external.get((namespace, metric), {})
        known.pop(tuple(sorted(labels.items())), None)

    def pods(self, namespace: str) -> dict[str, PodSample]:
        """PodMetrics of a namespace by the pod's name."""
        return self._pods.get(namespace, {})

    def cpu_nanos(self) -> int:
        """What all pods use together, in billionths of a core."""
        return sum(
            container.cpu_nanos
            for samples in self._pods.values()
            for sample in samples.values()
            for container in sample.containers.values()
        )

    def values(self, namespace: str, kind: str, metric: str) -> dict[str, ValueSample]:
        """Custom metrics of the objects of a kind, by name."""
        return self._values.get((namespace, kind, metric), {})

    def external(self, namespace: str, metric: str, selector: Selector) -> Iterator[ExternalSample]:
        """External metrics whose labels match."""
        for sample in self._external.get((namespace, metric), {}).values():
            if selector.matches(sample.labels):
                yield sample
