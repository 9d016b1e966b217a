"""What plugins remember while one pod is being scheduled."""

from __future__ import annotations

from typing import Any, Final

from kubestage.errors import KubestageError

_READING: Final = {
    ("PreScore", "InterPodAffinity"): "failed to read",
    ("PreFilter", "PodTopologySpread"): "reading",
}


class NotPrepared(KubestageError):
    """A plugin reads state that it has not written: the point at which it does is not enabled."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key

    def text(self, *, is_scoring: bool) -> str:
        """The error in upstream's words."""
        plugin = self.key.partition("/")[0]
        point = "PreScore" if is_scoring else "PreFilter"
        reading = _READING.get((point, plugin), "error reading")
        problem = f'{reading} "{point}{plugin}" from cycleState: not found'
        if is_scoring:
            return f'running Score plugins: plugin "{plugin}" failed with: {problem}'
        return f'running "{plugin}" filter plugin: {problem}'


class CycleState:
    """Plugin name to what it wrote, for one attempt at one pod.

    A value that changes when pods are tried on or off a node (`PreFilterExtensions`) has a
    `clone` method; all others are shared between clones.
    """

    __slots__ = ("_data", "skip_filter", "skip_score")

    def __init__(self) -> None:
        self._data: dict[str, Any] = {}
        self.skip_filter: frozenset[str] = frozenset()
        self.skip_score: frozenset[str] = frozenset()

    def __getitem__(self, plugin: str) -> Any:
        try:
            return self._data[plugin]
        except KeyError:
            raise NotPrepared(plugin) from None

    def __setitem__(self, plugin: str, value: Any) -> None:
        self._data[plugin] = value

    def get(self, plugin: str) -> Any:
        """What a plugin wrote, or None."""
        return self._data.get(plugin)

    def shared(self) -> CycleState:
        """A state of its own with the same values, for another pod to which they apply."""
        other = CycleState()
        other.skip_filter, other.skip_score = self.skip_filter, self.skip_score
        other._data = self._data.copy()
        return other

    def clone(self) -> CycleState:
        """A copy to try things out on."""
        other = CycleState()
        other.skip_filter = self.skip_filter
        other.skip_score = self.skip_score
        other._data = {
            name: value.clone() if hasattr(value, "clone") else value
            for name, value in self._data.items()
        }
        return other
