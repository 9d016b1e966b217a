"""What a plugin answered for a row, kept until the row changes.

A plugin that declares ``depends_on = "node"`` answers the same for pods with the same key as long
as nothing changes on the node: neither the node itself nor which pods are on it. So it is called
for the rows that changed since it was last called for such a pod, and for no others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.scheduler import sampling

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Codes, Ints, Mask, Rows
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.status import Status

NODE: Final = "node"
"""The value of `depends_on` of a plugin whose answers are kept."""

# Answers are kept up to so many values in all, so for fewer kinds of pods in a larger cluster.
_MAX_VALUES: Final = 1 << 23
_MIN_KEYS: Final = 1 << 5


def is_remembered(plugin: Any) -> bool:
    """Whether a plugin declares that its answers depend on the node and the pod's key alone."""
    return getattr(plugin, "depends_on", None) == NODE


class _Answers:
    """What is known for one key: values by row, which rows have none, and as of when."""

    __slots__ = ("is_missing", "position", "values")

    def __init__(self, count: int, position: int) -> None:
        self.values: Ints = np.zeros(count, np.int64)
        self.is_missing: Mask = np.ones(count, np.bool_)
        self.position = position


class PodKeys:
    """The keys of pods for one plugin; that of the last pod is kept, for its filter and score."""

    __slots__ = ("_key", "_key_of", "_pod")

    def __init__(self, plugin: Any) -> None:
        self._key_of: Callable[[PodView], Hashable] = getattr(plugin, "pod_key", template_key)
        self._pod: PodView | None = None
        self._key: Hashable = None

    def of(self, pod: PodView) -> Hashable:
        """The key of a pod."""
        if pod is not self._pod:
            self._key, self._pod = self._key_of(pod), pod
        return self._key


class RowMemo:
    """Answers of one method of one plugin, by the key of the pod and by row."""

    def __init__(self, plugin: Any) -> None:
        keys = getattr(plugin, "pod_keys", None)
        self._keys = keys if isinstance(keys, PodKeys) else PodKeys(plugin)
        self._columns: Columns | None = None
        self._known: dict[Hashable, _Answers] = {}

    def __getstate__(self) -> dict[str, Any]:
        """A copy begins with nothing: it has other columns."""
        return {"_keys": self._keys, "_columns": None, "_known": {}}

    def get(
        self, pod: PodView, columns: Columns, rows: Rows, call: Callable[[Ints], Ints | Codes]
    ) -> Ints:
        """The values of these rows; `call` gives those that are not known."""
        if columns.is_taken:
            return call(_numbers(columns, rows)).astype(np.int64, copy=False)
        found = self._answers(pod, columns)
        is_missing = found.is_missing[rows]
        if np.count_nonzero(is_missing):
            missing = _numbers(columns, rows)[is_missing]
            found.values[missing] = call(missing)
            found.is_missing[missing] = False
        values = found.values[rows]
        # A slice is a view, and the caller may write to what it gets.
        return values.copy() if isinstance(rows, slice) else values

    def get_all(
        self, pod: PodView, columns: Columns, start: int, call: Callable[[Ints], Ints | Codes]
    ) -> Ints:
        """The values of all rows, for reading; `call` gets the missing ones from a row on."""
        found = self._answers(pod, columns)
        missing: Ints = found.is_missing.nonzero()[0]
        if len(missing):
            at = missing.searchsorted(start) if start else 0
            if at:
                missing = np.concatenate((missing[at:], missing[:at]))
            found.values[missing] = call(missing)
            found.is_missing[missing] = False
        return found.values

    def _answers(self, pod: PodView, columns: Columns) -> _Answers:
        if columns is not self._columns:
            self._columns, self._known = columns, {}
        key = self._keys.of(pod)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= max(_MAX_VALUES // max(len(columns), 1), _MIN_KEYS):
                self._known.clear()
            found = self._known[key] = _Answers(len(columns), columns.row_log.count)
        else:
            found.position = columns.row_log.mark(found.position, found.is_missing)
        return found


class RememberedFilter:
    """A filter that is called for rows that changed; scalar or on columns."""

    takes_slices = True

    def __init__(self, filtering: Any, plugin: Any) -> None:
        self.filtering = filtering
        self.plugin = plugin
        self.name: str = plugin.name
        self._memo = RowMemo(plugin)

    def filter(self, state: CycleState, pod: PodView, columns: Columns, rows: Rows) -> Codes:
        """One code a row."""

        def call(missing: Ints) -> Codes:
            codes: Codes | None = self.filtering.filter(state, pod, columns, missing)
            return np.zeros(len(missing), np.int32) if codes is None else codes

        return self._memo.get(pod, columns, rows, call).astype(np.int32)

    def all_codes(self, state: CycleState, pod: PodView, columns: Columns, start: int) -> Ints:
        """The codes of all rows, for reading; a row on which calls start is the first of them."""

        def call(missing: Ints) -> Codes:
            codes: Codes | None = self.filtering.filter(state, pod, columns, missing)
            return np.zeros(len(missing), np.int32) if codes is None else codes

        return self._memo.get_all(pod, columns, start, call)

    def status(self, state: CycleState, pod: PodView, code: int) -> Status:
        """What a code means."""
        status: Status = self.filtering.status(state, pod, code)
        return status


class RememberedScore:
    """Scores that are computed for rows that changed; `score` is that of a plugin on columns."""

    def __init__(self, score: Callable[..., Ints], plugin: Any) -> None:
        self._score = score
        self._memo = RowMemo(plugin)

    def __call__(self, state: CycleState, pod: PodView, columns: Columns, rows: Ints) -> Ints:
        """One integer a row."""

        def call(missing: Ints) -> Ints:
            return self._score(state, pod, columns, missing)

        return self._memo.get(pod, columns, rows, call)


def template_key(pod: PodView) -> Hashable:
    """Equal for pods of one template: what a plugin may read of a pod, but its name."""
    labels, annotations = tuple(pod.labels.items()), tuple(pod.annotations.items())
    return pod.plan, pod.priority, labels, annotations


def _numbers(columns: Columns, rows: Rows) -> Ints:
    return sampling.all_rotated(0, len(columns))[rows] if isinstance(rows, slice) else rows
