"""A user's plugin whose methods are checked for what they return."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

from kubestage.scheduler import device_reservation
from kubestage.scheduler.contract import answers, methods
from kubestage.scheduler.remembered import PodKeys
from kubestage.scheduler.status import SUCCESS

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Codes, Ints, Rows
    from kubestage.scheduler.cache import Cache
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.status import Status

MAX_NODE_SCORE: Final = 100
"""The greatest score after normalising; the least is 0."""


class CheckedPlugin:
    """Stands for a plugin at every extension point; it has the methods that the plugin has.

    Scalar plugins are called as they are: `scalar` checks what they return for each node.
    """

    def __init__(self, plugin: Any, cache: Cache) -> None:
        self.plugin = plugin
        self.name: str = plugin.name
        self.pod_keys = PodKeys(plugin)
        for method in methods.PARAMETERS:
            if hasattr(plugin, method):
                check = _CHECKS.get(method)
                # Pickle finds the function and the plugin; it would not find a bound method here.
                setattr(
                    self,
                    method,
                    getattr(plugin, method) if check is None else functools.partial(check, plugin),
                )

        if hasattr(plugin, "score") and hasattr(plugin, "normalize"):
            self.score = functools.partial(_raw_score, plugin)
        if hasattr(type(plugin), "devices"):
            self.reserve = functools.partial(_reserve_devices, plugin, cache)
            self.unreserve = functools.partial(_unreserve, plugin)

    def __getattr__(self, attribute: str) -> Any:
        """The plugin's other attributes."""
        if attribute == "plugin":
            # A copy that is being read has nothing yet.
            raise AttributeError(attribute)
        return getattr(self.plugin, attribute)


def _pre_enqueue(plugin: Any, pod: PodView) -> Status:
    return answers.status(plugin, "pre_enqueue", plugin.pre_enqueue(pod))


def _sort_key(plugin: Any, pod: PodView, queued_at_ns: int) -> tuple[Any, ...]:
    return answers.sort_key(plugin, plugin.sort_key(pod, queued_at_ns))


def _events(plugin: Any) -> Any:
    return answers.events(plugin, plugin.events_to_register())


def _pre_filter(
    plugin: Any, state: CycleState, pod: PodView, columns: Columns
) -> tuple[Status, frozenset[str] | None]:
    found: Any = plugin.pre_filter(state, pod, columns)
    # NOTE: once for each pod, and nearly always this answer.
    if type(found) is tuple and len(found) == 2 and found[0] is SUCCESS and found[1] is None:
        return SUCCESS, None
    return answers.pre_filter(plugin, found)


def _filter(
    plugin: Any, state: CycleState, pod: PodView, columns: Columns, rows: Rows
) -> Codes | None:
    count = rows.stop - rows.start if isinstance(rows, slice) else len(rows)
    return answers.codes(plugin, plugin.filter(state, pod, columns, rows), count)


def _status(plugin: Any, state: CycleState, pod: PodView, code: int) -> Status:
    return answers.code_status(plugin, code, plugin.status(state, pod, code))


def _post_filter(plugin: Any, state: CycleState, pod: PodView, diagnosis: Any) -> Any:
    return answers.post_filter(plugin, plugin.post_filter(state, pod, diagnosis))


def _pre_score(
    plugin: Any, state: CycleState, pod: PodView, columns: Columns, rows: Ints
) -> Status:
    return answers.status(plugin, "pre_score", plugin.pre_score(state, pod, columns, rows))


def _raw_score(plugin: Any, state: CycleState, pod: PodView, columns: Columns, rows: Ints) -> Ints:
    return answers.scores(plugin, "score", plugin.score(state, pod, columns, rows), len(rows))


def _score(plugin: Any, state: CycleState, pod: PodView, columns: Columns, rows: Ints) -> Ints:
    """Scores that are not normalised."""
    scores = _raw_score(plugin, state, pod, columns, rows)
    answers.check_range(plugin, "score", scores, MAX_NODE_SCORE)
    return scores


def _normalize(
    plugin: Any, state: CycleState, pod: PodView, scores: Ints, columns: Columns, rows: Ints
) -> Ints:
    found = plugin.normalize(state, pod, scores, columns, rows)
    normalized = answers.scores(plugin, "normalize", found, len(rows))
    answers.check_range(plugin, "normalize", normalized, MAX_NODE_SCORE)
    return normalized


def _permit(plugin: Any, state: CycleState, pod: PodView, node_name: str) -> tuple[Status, int]:
    return answers.permit(plugin, plugin.permit(state, pod, node_name))


def _reserve_devices(
    plugin: Any, cache: Cache, state: CycleState, pod: PodView, node_name: str
) -> Status:
    status = device_reservation.reserve(plugin, cache, state, pod, node_name)
    if status is SUCCESS and hasattr(plugin, "reserve"):
        return _reserve(plugin, state, pod, node_name)
    return status


def _unreserve(plugin: Any, state: CycleState, pod: PodView, node_name: str) -> None:
    """Devices are released when the pod is counted out."""
    if hasattr(plugin, "unreserve"):
        plugin.unreserve(state, pod, node_name)


# NOTE: once for each pod, so an ordinary answer takes no more calls than this one.
def _reserve(plugin: Any, state: CycleState, pod: PodView, node_name: str) -> Status:
    found: Status = plugin.reserve(state, pod, node_name)
    return found if found is SUCCESS else answers.status(plugin, "reserve", found)


def _pre_bind(plugin: Any, state: CycleState, pod: PodView, node_name: str) -> Status:
    found: Status = plugin.pre_bind(state, pod, node_name)
    return found if found is SUCCESS else answers.status(plugin, "pre_bind", found)


def _bind(plugin: Any, state: CycleState, pod: PodView, node_name: str) -> Status:
    found: Status = plugin.bind(state, pod, node_name)
    return found if found is SUCCESS else answers.status(plugin, "bind", found)


_CHECKS: Final[dict[str, Callable[..., Any]]] = {
    "pre_enqueue": _pre_enqueue,
    "sort_key": _sort_key,
    "events_to_register": _events,
    "pre_filter": _pre_filter,
    "filter": _filter,
    "status": _status,
    "post_filter": _post_filter,
    "pre_score": _pre_score,
    "score": _score,
    "normalize": _normalize,
    "reserve": _reserve,
    "permit": _permit,
    "pre_bind": _pre_bind,
    "bind": _bind,
}
