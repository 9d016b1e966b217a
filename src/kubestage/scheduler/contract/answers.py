"""Checks what a plugin's methods return, and says which plugin, method and value is wrong."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.scheduler.cluster_events import EventHint
from kubestage.scheduler.contract.places import refused
from kubestage.scheduler.status import Code, PostFilterResult, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.errors import InputError
    from kubestage.scheduler.arrays import Codes, Ints

_MOST_CODES: Final = np.iinfo(np.int32).max
_INTEGERS: Final = "iu"
_INT64: Final = np.dtype(np.int64)
_INT32: Final = np.dtype(np.int32)
_PAIR: Final = 2
_NOT_OF_FILTERS: Final = frozenset({Code.SKIP, Code.WAIT})
_WHOLE: Final = "a score is an integer: scale and round it, as in round(100 * share)"


def wrong(plugin: Any, method: str, returned: Any, expected: str, fix: str) -> InputError:
    """The error about a value that a method returned."""
    problem = f"{method} returned {shown(returned)}, not {expected}"
    return refused(type(plugin), method, problem, fix)


def shown(value: Any) -> str:
    """A value in short."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with shape {value.shape}"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def status(plugin: Any, method: str, returned: Any) -> Status:
    """A status, from a method that returns one."""
    if not isinstance(returned, Status):
        fix = 'return SUCCESS, or unschedulable("reason")'
        raise wrong(plugin, method, returned, "a Status", fix)
    return returned


def filter_status(plugin: Any, method: str, returned: Any) -> Status:
    """A status that says whether a node fits."""
    answer = status(plugin, method, returned)
    if answer.code in _NOT_OF_FILTERS:
        fix = 'return SUCCESS, unschedulable("reason"), unresolvable("reason") or error("reason")'
        raise wrong(plugin, method, answer.code.value, "whether the node fits", fix)
    return answer


def code_status(plugin: Any, code: int, returned: Any) -> Status:
    """What `status` returned for a code other than 0."""
    answer = filter_status(plugin, "status", returned)
    if answer.is_success:
        problem = f"status returned Success for code {code}, by which filter rejects a node"
        fix = f'return unschedulable("reason") for code {code}, or 0 from filter'
        raise refused(type(plugin), "status", problem, fix)
    return answer


def pre_filter(plugin: Any, returned: Any) -> tuple[Status, frozenset[str] | None]:
    """A status, and the names of the nodes that are left or None."""
    fix = "return (SUCCESS, None), or (SUCCESS, frozenset(names)) to leave only some nodes"
    if type(returned) is not tuple or len(returned) != _PAIR:
        expected = "a pair of a Status and the names of nodes or None"
        raise wrong(plugin, "pre_filter", returned, expected, fix)
    answer, names = status(plugin, "pre_filter", returned[0]), returned[1]
    if names is None:
        return answer, None
    if not isinstance(names, set | frozenset) or not all(isinstance(each, str) for each in names):
        raise wrong(plugin, "pre_filter", names, "a set of names of nodes", fix)
    return answer, frozenset(names)


def permit(plugin: Any, returned: Any) -> tuple[Status, int]:
    """A status and a timeout in nanoseconds."""
    fix = "return (SUCCESS, 0), or (Status(Code.WAIT), timeout_ns) to make the pod wait"
    if type(returned) is not tuple or len(returned) != _PAIR:
        expected = "a pair of a Status and a timeout in nanoseconds"
        raise wrong(plugin, "permit", returned, expected, fix)
    answer, timeout_ns = status(plugin, "permit", returned[0]), returned[1]
    if type(timeout_ns) is not int or timeout_ns < 0:
        raise wrong(plugin, "permit", timeout_ns, "a timeout in whole nanoseconds", fix)
    return answer, timeout_ns


def post_filter(plugin: Any, returned: Any) -> tuple[Any, Status]:
    """A result or None, and a status."""
    fix = 'return (PostFilterResult(node_name), SUCCESS), or (None, unschedulable("reason"))'
    if type(returned) is not tuple or len(returned) != _PAIR:
        expected = "a pair of a PostFilterResult or None and a Status"
        raise wrong(plugin, "post_filter", returned, expected, fix)
    result = returned[0]
    if result is not None and not isinstance(result, PostFilterResult):
        raise wrong(plugin, "post_filter", result, "a PostFilterResult or None", fix)
    return result, status(plugin, "post_filter", returned[1])


def sort_key(plugin: Any, returned: Any) -> tuple[Any, ...]:
    """A tuple, by which pods are compared."""
    if not isinstance(returned, tuple) or not returned:
        fix = "return a tuple of numbers, as in (-pod.priority, queued_at_ns)"
        raise wrong(plugin, "sort_key", returned, "a tuple", fix)
    if any(each != each for each in returned):
        fix = "leave NaN out: it has no place in an order"
        raise wrong(plugin, "sort_key", returned, "a tuple of numbers", fix)
    return returned


def events(plugin: Any, returned: Any) -> Sequence[EventHint]:
    """Hints."""
    if not isinstance(returned, list | tuple) or not all(
        isinstance(each, EventHint) for each in returned
    ):
        fix = "return [EventHint(ClusterEvent(EventResource.NODE, ActionType.ADD))]"
        raise wrong(plugin, "events_to_register", returned, "a list of EventHints", fix)
    return returned


def codes(plugin: Any, returned: Any, count: int) -> Codes | None:
    """One code a row, or None."""
    if returned is None:
        return None
    fix = "return one integer a row, 0 where a node passes, as in mask.astype(np.int32)"
    _check_array(plugin, "filter", returned, count, fix)
    # NOTE: for a few rows, `argmin` takes a quarter of the time of `min`.
    is_right = not count or returned[returned.argmin()] >= 0
    if is_right and count and returned.dtype != _INT32:
        is_right = returned[returned.argmax()] <= _MOST_CODES
    if not is_right:
        extreme = returned.min() if returned.min() < 0 else returned.max()
        raise wrong(plugin, "filter", int(extreme), f"a code from 0 to {_MOST_CODES}", fix)
    found: Codes = returned.astype(np.int32, copy=False)
    return found


def scores(plugin: Any, method: str, returned: Any, count: int) -> Ints:
    """One integer a row."""
    fix = "return one integer a row, as in np.rint(values).astype(np.int64)"
    _check_array(plugin, method, returned, count, fix)
    found: Ints = returned.astype(np.int64, copy=False)
    return found


def indexes(plugin: Any, returned: Any, free: Ints, share: int, number: int) -> tuple[int, ...]:
    """The devices that `pick_devices` returned: as many as requested, with room for the share."""
    try:
        picked = tuple(sorted(map(operator.index, returned)))
    except TypeError:
        picked = ()
    is_right = len(picked) == len(set(picked)) == number
    if not is_right or not all(0 <= at < len(free) and free[at] >= share for at in picked):
        expected = f"{number} of {len(free)} devices with {share} free: {free.tolist()}"
        fix = "return the numbers of devices, or None if there is too little room"
        raise wrong(plugin, "pick_devices", returned, expected, fix)
    return picked


def check_range(plugin: Any, method: str, values: Ints, highest: int) -> None:
    """Refuse scores that are not from 0 to the highest."""
    if not len(values):
        return
    # NOTE: a negative number is a large one without its sign: one pass instead of two.
    unsigned = values.view(np.uint64)
    if unsigned[unsigned.argmax()] > highest:
        extreme = int(values.min()) if values.min() < 0 else int(values.max())
        fix = f"return scores from 0 to {highest}, or define normalize to bring them there"
        if method == "normalize":
            fix = f"bring the scores to 0 to {highest}, as in np.clip(scores, 0, {highest})"
        raise wrong(plugin, method, extreme, f"a score from 0 to {highest}", fix)


def node_scores(plugin: Any, returned: list[Any], nodes: Sequence[str]) -> Ints:
    """What `score_node` returned for each of these nodes."""
    if any(kind is not int for kind in set(map(type, returned))):
        returned = [_whole(plugin, *each) for each in zip(returned, nodes, strict=True)]
    try:
        return np.fromiter(returned, np.int64, len(returned))
    except OverflowError:
        largest = max(returned, key=abs)
        raise wrong(plugin, "score_node", largest, "an integer of 64 bits", _WHOLE) from None


def _whole(plugin: Any, returned: Any, node: str) -> int:
    if isinstance(returned, np.integer) or type(returned) is int:
        return int(returned)
    raise wrong(plugin, "score_node", returned, f"an integer, for node {node}", _WHOLE)


def _check_array(plugin: Any, method: str, returned: Any, count: int, fix: str) -> None:
    if not isinstance(returned, np.ndarray):
        raise wrong(plugin, method, returned, f"an array of {count} integers", fix)
    dtype = returned.dtype
    is_whole = dtype is _INT64 or dtype is _INT32
    if not is_whole:
        is_whole = dtype.kind in _INTEGERS and np.can_cast(dtype, np.int64)
    if not is_whole or returned.shape != (count,):
        raise wrong(plugin, method, returned, f"{count} integers, one a row", fix)
