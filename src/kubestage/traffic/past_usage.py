"""The CPU that requests have used whose Traffic is gone: it stays used."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage.traffic import pod_state

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.metrics.samples import Used


class _ContainerRun(NamedTuple):
    """One run of a container: its usage starts at zero in the next."""

    pod: str
    uid: str
    container: str
    starts: int


class PastUsage:
    """Counters of containers must not decrease while they run, or rates would be wrong."""

    def __init__(self) -> None:
        self._used: dict[_ContainerRun, Used] = {}

    def keep(self, found: Mapping[str, Mapping[str, Used]], pods: Mapping[str, Json]) -> None:
        """Remember what was used until now, by pod and container."""
        for key, containers in found.items():
            for name, used in containers.items():
                run = _container_run(key, pods[key], name)
                known = self._used.get(run)
                self._used[run] = used if known is None else known.plus(used)

    def add_used(self, found: dict[str, dict[str, Used]], pods: Mapping[str, Json]) -> None:
        """Add what is remembered of containers that still run; all else is forgotten."""
        for run, used in tuple(self._used.items()):
            pod = pods.get(run.pod)
            if pod is None or _container_run(run.pod, pod, run.container) != run:
                del self._used[run]
            elif pod_state.is_running(pod, run.container):
                containers = found.setdefault(run.pod, {})
                known = containers.get(run.container)
                containers[run.container] = used if known is None else known.plus(used)


def _container_run(key: str, pod: Json, container: str) -> _ContainerRun:
    return _ContainerRun(
        key, pod["metadata"]["uid"], container, pod_state.starts_of(pod, container)
    )
