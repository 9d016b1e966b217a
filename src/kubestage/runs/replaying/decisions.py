"""Predict recorded placements, each on the recorded state just before it."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final

from kubestage.results.agreement import Decisions, Miss
from kubestage.runs.predicting import Predictor
from kubestage.sim.streams import Streams
from kubestage.sources.folding import State
from kubestage.sources.imported import format_ns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.runs.observer import Observer
    from kubestage.runs.predicting import Prediction
    from kubestage.runs.replaying.recorded import Recorded
    from kubestage.scheduler.config import SchedulerConfiguration
    from kubestage.scheduler.selection import TieBreak
    from kubestage.sources.imported import Change

_LARGEST: Final = 5
_NOTICEABLE: Final = 2_000
_MANY: Final = 1 << 62
OTHER_SCHEDULER: Final = "of a scheduler without a profile"
UNKNOWN_NODE: Final = "on a node that the recording does not have"


def predicted(
    this: Recorded,
    configuration: SchedulerConfiguration,
    *,
    plugins: Mapping[str, type[Any]],
    tie_break: TieBreak,
    at_most: int,
    seed: int,
    observer: Observer,
) -> Decisions:
    """How far the decisions of a scheduler with this configuration are those that were recorded.

    Of more placements than `at_most`, a sample is predicted.
    """
    places = _placements(this)
    chosen = places
    if len(places) > at_most:
        stream = Streams(seed).stream("agreement")
        chosen = sorted(stream.sample(places, at_most))
    count = _Count(len(places))
    predictor = Predictor(configuration, plugins=plugins, tie_break=tie_break, seed=seed)
    state = State(this.objects)
    predictor.put_all(this.objects)
    selected = set(chosen)
    changes = this.changes[: chosen[-1] + 1] if chosen else []
    with observer.progress("predicting placements", len(changes), noticeable=_NOTICEABLE) as done:
        for number, change in enumerate(changes):
            before = state.get(change.reference)
            state.apply(change)
            now = None if change.verb == "delete" else state.get(change.reference)
            if number in selected:
                assert before is not None
                assert now is not None
                count.add(change, before, now["spec"]["nodeName"], predictor)
            _follow(predictor, change, now)
            done(number + 1)
    return count.result()


def _follow(predictor: Predictor, change: Change, now: Json | None) -> None:
    if now is not None:
        predictor.put(now)
        return
    name = change.reference
    predictor.remove(name.api_version, name.kind, name.name, name.namespace)


def _placements(this: Recorded) -> list[int]:
    """The places of changes by which a pod that had no node got one."""
    state, found = State(this.objects), []
    for number, change in enumerate(this.changes):
        is_pod = change.reference.kind == "Pod"
        before = state.get(change.reference) if is_pod else None
        state.apply(change)
        if before is None or change.verb == "delete":
            continue
        now = state.get(change.reference)
        if now is not None and _node(now) and not _node(before):
            found.append(number)
    return found


def _node(pod: Json) -> str:
    return str((pod.get("spec") or {}).get("nodeName") or "")


class _Count:
    """Adds predictions up."""

    def __init__(self, placements: int) -> None:
        self._placements = placements
        self._counts: collections.Counter[str] = collections.Counter()
        self._left_out: collections.Counter[str] = collections.Counter()
        self._first: Miss | None = None
        self._largest: list[Miss] = []

    def add(self, change: Change, pod: Json, node: str, predictor: Predictor) -> None:
        """Predict one placement."""
        name = pod["spec"].get("schedulerName") or "default-scheduler"
        if not predictor.knows(name):
            self._left_out[OTHER_SCHEDULER] += 1
            return
        if not predictor.has_node(node):
            self._left_out[UNKNOWN_NODE] += 1
            return
        found = predictor.predict(pod, preemption=False)
        self._counts.update({
            "predicted": 1,
            "same_node": found.node == node,
            "equally_good": node in found.best,
            "possible": node in found.possible,
            "feasible": found.is_feasible(node),
            "with_choice": len(found.feasible) > 1,
        })  # fmt: skip
        if node not in found.possible:
            self._missed(_miss(change, found, node))

    def _missed(self, miss: Miss) -> None:
        self._first = self._first or miss
        self._largest = sorted([*self._largest, miss], key=_size)[:_LARGEST]

    def result(self) -> Decisions:
        names = ("predicted", "same_node", "equally_good", "possible", "feasible", "with_choice")
        return Decisions(
            placements=self._placements,
            left_out=dict(sorted(self._left_out.items())),
            first=self._first,
            largest=self._largest,
            **{name: self._counts[name] for name in names},
        )


def _miss(change: Change, found: Prediction, node: str) -> Miss:
    best, mine = found.total(found.node), found.total(node)
    return Miss(
        at=format_ns(change.at_ns),
        pod=found.pod,
        recorded=node,
        predicted=found.node,
        equally_good=len(found.best),
        score_difference=None if best is None or mine is None else best - mine,
        explanation=found.compared_with(node),
    )


def _size(miss: Miss) -> tuple[int, str, str]:
    """Largest first."""
    difference = _MANY if miss.score_difference is None else miss.score_difference
    return -difference, miss.at, miss.pod
