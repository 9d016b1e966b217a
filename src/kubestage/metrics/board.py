"""The board: what the metrics APIs answer right now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.errors import KubestageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.metrics.samples import ExternalSample, PodSample, ValueSample
    from kubestage.objects.labels import Selector


class MetricsError(KubestageError):
    """A metrics API has no answer; the text is what it would say."""


class Board:
    """The latest sample of everything that is measured.

    Pods and other objects go by namespace and name. Whether a pod is one that is asked for is the
    business of whoever asks: the board knows names, not labels, save those of external metrics.
    """

    def __init__(self) -> None:
        self._pods: dict[str, dict[str, PodSample]] = {}
        self._values: dict[tuple[str, str, str], dict[str, ValueSample]] = {}
        self._external: dict[tuple[str, str], dict[tuple[tuple[str, str], ...], ExternalSample]]
        self._external = {}

    def post_pods(self, samples: Iterable[PodSample]) -> None:
        """All that is known of pods from now on: those that are not among them are forgotten."""
        self._pods = {}
        for sample in samples:
            self._pods.setdefault(sample.namespace, {})[sample.name] = sample

    def post_values(self, namespace: str, kind: str, samples: Iterable[ValueSample]) -> None:
        """Values of objects of a kind; a kind is a resource with its group, such as ``pods``."""
        for sample in samples:
            known = self._values.setdefault((namespace, kind, sample.metric), {})
            known[sample.name] = sample

    def post_external(self, namespace: str, samples: Iterable[ExternalSample]) -> None:
        """Values from outside the cluster."""
        for sample in samples:
            known = self._external.setdefault((namespace, sample.metric), {})
            known[tuple(sorted(sample.labels.items()))] = sample

    def withdraw_value(self, namespace: str, kind: str, metric: str, name: str) -> None:
        """Nobody knows this value of an object any more."""
        self._values.get((namespace, kind, metric), {}).pop(name, None)

    def withdraw_external(self, namespace: str, metric: str, labels: dict[str, str]) -> None:
        """Nobody knows the value that goes by these labels any more."""
        known = self._external.get((namespace, metric), {})
        known.pop(tuple(sorted(labels.items())), None)

    def pods(self, namespace: str) -> dict[str, PodSample]:
        """PodMetrics of a namespace by the pod's name."""
        return self._pods.get(namespace, {})

    def values(self, namespace: str, kind: str, metric: str) -> dict[str, ValueSample]:
        """Custom metrics of the objects of a kind, by name."""
        return self._values.get((namespace, kind, metric), {})

    def external(self, namespace: str, metric: str, selector: Selector) -> Iterator[ExternalSample]:
        """External metrics whose labels match."""
        for sample in self._external.get((namespace, metric), {}).values():
            if selector.matches(sample.labels):
                yield sample
