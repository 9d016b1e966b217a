"""What one sync of an autoscaler reads and writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from kubestage.errors import KubestageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.hpa.conditions import HpaStatus
    from kubestage.controllers.hpa.metrics_client import MetricsClient
    from kubestage.objects.labels import Selector


class Refused(KubestageError):
    """The API refused a request, with its message."""


class NoSuchKind(Refused):
    """The API does not know the kind of the target."""


class Scale(NamedTuple):
    """The target's scale: desired replicas, present replicas, and the selector as text."""

    spec_replicas: int
    status_replicas: int
    selector: str


class HpaContext(Protocol):
    """The target, its pods and its metrics, at one moment. `Refused` is what may go wrong."""

    def scale(self) -> Scale:
        """The target's scale now; `NoSuchKind` if there can be no such target."""
        ...

    def pods(self, selector: Selector) -> Sequence[Json]:
        """The pods of the autoscaler's namespace that the target's selector matches."""
        ...

    def sharers(self, selector: Selector, pods: Sequence[Json]) -> Sequence[str]:
        """The keys of all autoscalers that select one of these pods, this one among them."""
        ...

    def metrics(self, pods: Sequence[Json]) -> MetricsClient:
        """What the metrics APIs know of these pods."""
        ...

    def rescale(self, replicas: int) -> None:
        """Scale the target to another number of replicas."""
        ...

    def write_status(self, status: HpaStatus) -> None:
        """Store the autoscaler's status; it differs from what was read."""
        ...


class Snapshot:
    """A context that is known in full before the sync, and that refuses nothing.

    `scaled_to` is the number of replicas that the target was scaled to, if it was.
    """

    def __init__(self, scale: Scale, pods: Sequence[Json], client: MetricsClient) -> None:
        self._scale = scale
        self._pods = pods
        self._client = client
        self.scaled_to: int | None = None
        self.status: HpaStatus | None = None

    def scale(self) -> Scale:
        """The scale."""
        return self._scale

    def pods(self, selector: Selector) -> Sequence[Json]:
        """The pods, whatever their labels."""
        del selector
        return self._pods

    def sharers(self, selector: Selector, pods: Sequence[Json]) -> Sequence[str]:
        """No other autoscaler selects these pods."""
        del selector, pods
        return ()

    def metrics(self, pods: Sequence[Json]) -> MetricsClient:
        """The client."""
        del pods
        return self._client

    def rescale(self, replicas: int) -> None:
        """Store the number of replicas."""
        self.scaled_to = replicas

    def write_status(self, status: HpaStatus) -> None:
        """Store the status."""
        self.status = status
