"""What pods request, computed once for all pods of a template.

Pods of one template share the parts of their specs in memory. Where the status of a pod has no
other resources than its spec, these parts are all that what it requests depends on.
"""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from kubestage.objects import pod_resources

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_PARTS: Final = ("initContainers", "overhead", "resources")


class SpecMemo(Generic[T]):
    """Keeps what `compute` gives for a pod; it may read nothing but what the pod requests.

    NOTE: a record of 10,000 pods would read the same amounts from the same lists 10,000 times, a
    third of the time of a short rehearsal (benchmarks/rehearse.py).
    """

    __slots__ = ("_compute", "_known")

    def __init__(self, compute: Callable[[dict[str, Any]], T]) -> None:
        self._compute = compute
        # The parts are kept, too: so they are the same objects if they are identical.
        self._known: dict[int, tuple[list[Any], T]] = {}

    def of(self, pod: dict[str, Any]) -> T:
        """What `compute` gives for this pod."""
        spec = pod["spec"]
        containers = spec.get("containers")
        if pod_resources.has_status_resources(pod):
            return self._compute(pod)
        parts = [containers, *map(spec.get, _PARTS)]
        known = self._known.get(id(containers))
        if known is not None and all(map(is_, known[0], parts)):
            return known[1]
        found = self._compute(pod)
        self._known[id(containers)] = (parts, found)
        return found
