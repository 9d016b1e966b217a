"""The CPU that requests have used whose Traffic is gone: it stays used."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage.traffic import pod_state

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.metrics.samples import Used


class _Life(NamedTuple):
    """One life of a container: what it used is forgotten in the next."""

    pod: str
    uid: str
    container: str
    lives: int


class Past:
    """Counters of containers must not go back while they run, or a look makes no sense of them."""

    def __init__(self) -> None:
        self._used: dict[_Life, Used] = {}

    def keep(self, found: Mapping[str, Mapping[str, Used]], pods: Mapping[str, Json]) -> None:
        """Remember what was used until now, by pod and container."""
        for key, containers in found.items():
            for name, used in containers.items():
                life = _life(key, pods[key], name)
                known = self._used.get(life)
                self._used[life] = used if known is None else known.plus(used)

    def add_used(self, found: dict[str, dict[str, Used]], pods: Mapping[str, Json]) -> None:
        """Add what is remembered of containers that still run; all else is forgotten."""
        for life, used in tuple(self._used.items()):
            pod = pods.get(life.pod)
            if pod is None or _life(life.pod, pod, life.container) != life:
                del self._used[life]
            elif pod_state.is_running(pod, life.container):
                containers = found.setdefault(life.pod, {})
                known = containers.get(life.container)
                containers[life.container] = used if known is None else known.plus(used)


def _life(key: str, pod: Json, container: str) -> _Life:
    return _Life(key, pod["metadata"]["uid"], container, pod_state.lives_of(pod, container))
