"""What one look of an autoscaler needs of the world around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from kubestage.errors import KubestageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.hpa.conditions import Status
    from kubestage.controllers.hpa.metrics_client import MetricsClient
    from kubestage.objects.labels import Selector


class Refused(KubestageError):
    """The API does not do what it is asked for, in its own words."""


class NoSuchKind(Refused):
    """The API does not know the kind of the target."""


class Scale(NamedTuple):
    """The target's scale: the replicas asked for, those there are, and the selector as text."""

    spec_replicas: int
    status_replicas: int
    selector: str


class Surroundings(Protocol):
    """The target, its pods and its metrics, at one moment. `Refused` is what may go wrong."""

    def scale(self) -> Scale:
        """The target's scale now; `NoSuchKind` if there can be no such target."""
        ...

    def pods(self, selector: Selector) -> Sequence[Json]:
        """The pods of the autoscaler's namespace that the target's selector means."""
        ...

    def sharers(self, selector: Selector, pods: Sequence[Json]) -> Sequence[str]:
        """The keys of all autoscalers that mean one of these pods, this one among them."""
        ...

    def metrics(self, pods: Sequence[Json]) -> MetricsClient:
        """What the metrics APIs know of these pods."""
        ...

    def rescale(self, replicas: int) -> None:
        """Ask the target for another number of replicas."""
        ...

    def write_status(self, status: Status) -> None:
        """Store the autoscaler's status; it differs from what was read."""
        ...


class Snapshot:
    """Surroundings that are known in full before the look, and that refuse nothing.

    `scaled_to` is what the target was asked for, if it was.
    """

    def __init__(self, scale: Scale, pods: Sequence[Json], client: MetricsClient) -> None:
        self._scale = scale
        self._pods = pods
        self._client = client
        self.scaled_to: int | None = None
        self.status: Status | None = None

    def scale(self) -> Scale:
        """The scale that was given."""
        return self._scale

    def pods(self, selector: Selector) -> Sequence[Json]:
        """The pods that were given, whatever their labels."""
        del selector
        return self._pods

    def sharers(self, selector: Selector, pods: Sequence[Json]) -> Sequence[str]:
        """Nobody else means these pods."""
        del selector, pods
        return ()

    def metrics(self, pods: Sequence[Json]) -> MetricsClient:
        """The client that was given."""
        del pods
        return self._client

    def rescale(self, replicas: int) -> None:
        """Remember what is asked for."""
        self.scaled_to = replicas

    def write_status(self, status: Status) -> None:
        """Remember the status."""
        self.status = status
