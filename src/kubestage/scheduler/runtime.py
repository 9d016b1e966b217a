"""One profile at work: runs its plugins at each extension point, in order."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from kubestage.scheduler import brief_filters, framework, remembered, sampling, scalar
from kubestage.scheduler.arrays import same
from kubestage.scheduler.contract.checked_plugin import CheckedPlugin
from kubestage.scheduler.implementing import implements
from kubestage.scheduler.status import SUCCESS, Code, Status, unresolvable
from kubestage.scheduler.verdicts import NOBODY, Verdicts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Codes, Ints, Rows
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.diagnosis import Diagnosis
    from kubestage.scheduler.framework import PostFilterResult
    from kubestage.scheduler.own_columns import OwnDefinitions

# NOTE: looked up a dozen times for every pod (benchmarks/scheduler.py).
_SKIP: Final = Code.SKIP
_SUCCESS: Final = Code.SUCCESS
# They are not called for rows that are rejected already.
_SELECTIVE: Final = (scalar.ScalarFilter, remembered.RememberedFilter)
_OWN: Final = (CheckedPlugin, *_SELECTIVE)


class PluginScores(NamedTuple):
    """One plugin's scores over the feasible rows."""

    plugin: str
    raw: Ints
    normalized: Ints
    final: Ints


class _Scorer(NamedTuple):
    """What scoring needs of a plugin, looked up once."""

    name: str
    score: Callable[..., Ints]
    normalize: Callable[..., Ints] | None
    weight: int


@dataclasses.dataclass(slots=True)
class PreFilterResult:
    """The answers of PreFilter plugins, the nodes left, and which plugins restricted them."""

    status: Status
    answers: dict[str, tuple[Status, frozenset[str] | None]]
    nodes: frozenset[str] | None = None
    restricting: frozenset[str] = frozenset()


class Profile:
    """The framework of one schedulerName: plugins by extension point, and their weights."""

    def __init__(
        self,
        name: str,
        plugins: Mapping[str, Sequence[Any]],
        weights: Mapping[str, int],
        percentage_of_nodes_to_score: int | None = None,
    ) -> None:
        self.name = name
        self.definitions: OwnDefinitions | None = None
        # The plugins of a user that are measures, too.
        self.measured_plugins: list[CheckedPlugin] = []
        self.percentage_of_nodes_to_score = percentage_of_nodes_to_score
        self.weights = dict(weights)
        self.queue_sort = list(plugins.get("queueSort", ()))
        self.pre_enqueue = list(plugins.get("preEnqueue", ()))
        self.pre_filter = list(plugins.get("preFilter", ()))
        self.filter = list(map(_filter_of, plugins.get("filter", ())))
        self.post_filter = list(plugins.get("postFilter", ()))
        self.pre_score = list(plugins.get("preScore", ()))
        self.score = plugins.get("score", ())
        self.reserve = list(plugins.get("reserve", ()))
        self.permit = list(plugins.get("permit", ()))
        self.pre_bind = list(plugins.get("preBind", ()))
        self.bind = list(plugins.get("bind", ()))
        self.post_bind = list(plugins.get("postBind", ()))
        self.tracking = [
            plugin
            for plugin in self.pre_filter
            if implements(plugin, framework.PreFilterExtensions)
        ]
        # Whether a user's plugin takes part in the choice: then no attempt is a quick one.
        chosen = (self.pre_filter, self.filter, self.pre_score, self.score)
        self.is_own = any(isinstance(plugin, _OWN) for point in chosen for plugin in point)
        self.has_brief_filters = brief_filters.are_brief(self.filter)

    @property
    def score(self) -> Sequence[Any]:
        """The plugins that score."""
        return self._score

    @score.setter
    def score(self, plugins: Sequence[Any]) -> None:
        self._score = list(plugins)
        self._scorers = [
            _Scorer(
                plugin.name,
                _score_of(plugin),
                plugin.normalize if implements(plugin, framework.ScoreExtensions) else None,
                self.weights.get(plugin.name, 1),
            )
            for plugin in plugins
        ]

    def run_pre_filter(self, state: CycleState, pod: PodView, columns: Columns) -> PreFilterResult:
        """Run the PreFilter plugins; a plain rejection still lets the others prepare."""
        result = PreFilterResult(SUCCESS, {})
        skipped: set[str] = set()
        restricting: set[str] = set()
        answers = result.answers
        for plugin in self.pre_filter:
            name = plugin.name
            answers[name] = status, nodes = plugin.pre_filter(state, pod, columns)
            code = status.code
            if code is _SKIP:
                skipped.add(name)
            elif code is _SUCCESS and nodes is None:
                continue
            elif code is Code.UNSCHEDULABLE:
                result.status = status.by(name)
            elif nodes is None or code is not _SUCCESS:
                result.status = status.by(name)
                break
            else:
                restricting.add(name)
                result.nodes = nodes if result.nodes is None else result.nodes & nodes
                if not result.nodes:
                    result.status = unresolvable(_unsatisfied(restricting))
                    break
        state.skip_filter = frozenset(skipped)
        result.restricting = frozenset(restricting)
        return result

    def run_filter(self, state: CycleState, pod: PodView, columns: Columns, rows: Rows) -> Verdicts:
        """The first plugin to reject each row."""
        verdicts = Verdicts(rows.stop - rows.start if isinstance(rows, slice) else len(rows))
        for place, plugin in enumerate(self.filter):
            if plugin.name in state.skip_filter:
                continue
            codes: Codes | None
            if isinstance(plugin, _SELECTIVE) and not (verdicts.is_clear and plugin.takes_slices):
                numbers = (
                    sampling.all_rotated(0, len(columns))[rows] if isinstance(rows, slice) else rows
                )
                left = verdicts.passing
                codes = np.zeros(verdicts.count, np.int32)
                codes[left] = plugin.filter(state, pod, columns, numbers[left])
            else:
                codes = plugin.filter(state, pod, columns, rows)
            if codes is not None and codes.any():
                verdicts.reject(place, codes)
        return verdicts

    def status_of(self, state: CycleState, pod: PodView, place: int, code: int) -> Status:
        """The status that a code of the plugin at a place of the filter list stands for."""
        plugin = self.filter[place]
        status: Status = plugin.status(state, pod, code)
        return status.by(plugin.name)

    def filter_one(self, state: CycleState, pod: PodView, columns: Columns, row: int) -> Status:
        """The verdict on a single row."""
        verdicts = self.run_filter(state, pod, columns, np.array([row], np.int64))
        if verdicts.is_clear:
            return SUCCESS
        place = int(verdicts.rejecter[0])
        if place == NOBODY:
            return SUCCESS
        return self.status_of(state, pod, place, int(verdicts.code[0]))

    def run_add_pod(
        self, state: CycleState, pod: PodView, added: PodView, columns: Columns, row: int
    ) -> None:
        """Put a pod on a row and let the plugins' states follow."""
        columns.add_pod(row, added)
        for plugin in self.tracking:
            if plugin.name not in state.skip_filter:
                plugin.add_pod(state, pod, added, columns, row)

    def run_remove_pod(
        self, state: CycleState, pod: PodView, removed: PodView, columns: Columns, row: int
    ) -> None:
        """Take a pod off a row and let the plugins' states follow."""
        columns.remove_pod(row, removed.uid)
        for plugin in self.tracking:
            if plugin.name not in state.skip_filter:
                plugin.remove_pod(state, pod, removed, columns, row)

    def run_post_filter(
        self, state: CycleState, pod: PodView, diagnosis: Diagnosis
    ) -> tuple[PostFilterResult | None, Status]:
        """Let PostFilter plugins try to make room, until one succeeds."""
        result: PostFilterResult | None = None
        reasons: list[str] = []
        rejecter = ""
        for plugin in self.post_filter:
            each, status = plugin.post_filter(state, pod, diagnosis)
            if status.is_success:
                return each, status
            if status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
                return each, status.by(plugin.name)
            if not status.is_rejected:
                return None, status.by(plugin.name)
            result = each or result
            reasons.extend(status.reasons)
            rejecter = rejecter or plugin.name
        return result, Status(Code.UNSCHEDULABLE, tuple(reasons), rejecter)

    def run_pre_score(
        self, state: CycleState, pod: PodView, columns: Columns, rows: Ints
    ) -> dict[str, Status]:
        """Run the PreScore plugins; those that skip do not score."""
        if not self.pre_score:
            return {}
        answers: dict[str, Status] = {}
        skipped: set[str] = set()
        for plugin in self.pre_score:
            name = plugin.name
            answers[name] = status = plugin.pre_score(state, pod, columns, rows)
            code = status.code
            if code is _SKIP:
                skipped.add(name)
            elif code is not _SUCCESS:
                break
        state.skip_score = frozenset(skipped)
        return answers

    def run_score(
        self, state: CycleState, pod: PodView, columns: Columns, rows: Ints
    ) -> list[PluginScores]:
        """Every plugin's scores of the feasible rows, raw, normalised and weighted."""
        scores = []
        nothing, skipped = same(0, len(rows)), state.skip_score
        for name, score, normalize, weight in self._scorers:
            if name in skipped:
                continue
            normalized = raw = score(state, pod, columns, rows)
            if normalize is not None:
                normalized = normalize(state, pod, raw, columns, rows)
            plain = weight == 1 or normalized is nothing
            final = normalized if plain else normalized * weight
            scores.append(PluginScores(name, raw, normalized, final))
        return scores


def _filter_of(plugin: Any) -> Any:
    """A plugin at the Filter point: on columns, and called for no more rows than need be."""
    is_remembered = remembered.is_remembered(plugin)
    filtering = plugin
    if not implements(plugin, framework.Filter):
        filtering = scalar.ScalarFilter(plugin, keeps_codes=is_remembered)
    return remembered.RememberedFilter(filtering, plugin) if is_remembered else filtering


def _score_of(plugin: Any) -> Callable[..., Ints]:
    """The same at the Score point."""
    score: Callable[..., Ints] = functools.partial(scalar.score_each, plugin)
    if implements(plugin, framework.Score):
        score = plugin.score
    if remembered.is_remembered(plugin):
        return remembered.RememberedScore(score, plugin)
    return score


def _unsatisfied(plugins: set[str]) -> str:
    names = sorted(plugins)
    if len(names) == 1:
        return f"node(s) didn't satisfy plugin {names[0]}"
    return f"node(s) didn't satisfy plugin(s) [{' '.join(names)}] simultaneously"
