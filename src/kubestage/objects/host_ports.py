"""Ports that pods take on their node itself, and when two of them collide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects import pod_resources

if TYPE_CHECKING:
    from collections.abc import Iterable

ANY_ADDRESS: Final = "0.0.0.0"


class HostPort(NamedTuple):
    """An address, protocol and port of the node."""

    ip: str
    protocol: str
    port: int

    def __str__(self) -> str:
        return f"{self.ip}/{self.protocol}/{self.port}"

    def conflicts_with(self, other: HostPort) -> bool:
        """Whether both cannot be had: the wildcard address collides with every address."""
        if self.port != other.port or self.protocol != other.protocol:
            return False
        return self.ip == other.ip or ANY_ADDRESS in (self.ip, other.ip)


def of(pod_spec: dict[str, Any]) -> tuple[HostPort, ...]:
    """The host ports of the containers that stay: sidecars, then the ordinary ones."""
    sidecars = filter(pod_resources.is_restartable, pod_spec.get("initContainers") or ())
    return tuple(
        HostPort(port.get("hostIP") or ANY_ADDRESS, port.get("protocol") or "TCP", port["hostPort"])
        for container in (*sidecars, *(pod_spec.get("containers") or ()))
        for port in container.get("ports") or ()
        if (port.get("hostPort") or 0) > 0
    )


def conflict(requested: Iterable[HostPort], taken: Iterable[HostPort]) -> bool:
    """Whether any requested port collides with one that is taken."""
    used = list(taken)
    return any(port.conflicts_with(other) for port in requested for other in used)
