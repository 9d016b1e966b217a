"""The explanation of an attempt: every verdict, every score, as plain data.

The shape is that of recorded cases of the real scheduler (`kubestage verify` compares the two):
node and plugin names as keys, upstream's codes and reasons as values.

Hundreds of nodes have the same answers, and then share one dict, which must not be changed. That
makes an explanation a tenth as large, and as fast to build, as with a dict for each node.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from kubestage.aliases import Json
from kubestage.scheduler import alike_rows
from kubestage.scheduler.preemption import report
from kubestage.scheduler.verdicts import NOBODY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kubestage.scheduler.arrays import Ints
    from kubestage.scheduler.attempt import Attempt
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.runtime import PluginScores
    from kubestage.scheduler.status import Status


_RANKS: Final = "explanation/ranks"
_MAX_SCORES: Final = 1 << 14
_MAX_TEXTS: Final = 1 << 12


def explain(attempt: Attempt) -> Json:
    """All that was found out in one attempt."""
    explained: Json = {
        "pod": attempt.pod.key,
        "profile": attempt.profile.name,
        "result": "unschedulable" if attempt.selected is None else "scheduled",
        "feasible": _sorted_names(attempt.columns, attempt.feasible),
        "topNodes": [],
        "selected": attempt.node_name,
        "message": attempt.failure,
    }
    if attempt.pod.nominated_node_name:
        explained["nominatedNodeBefore"] = attempt.pod.nominated_node_name
    if attempt.pre_filter is not None:
        explained["preFilter"] = {
            plugin: answer(status, nodes)
            for plugin, (status, nodes) in attempt.pre_filter.answers.items()
        }
    if attempt.verdicts is not None and len(attempt.evaluated):
        explained["filter"] = _filter(attempt)
    if attempt.selected is not None:
        _add_scores(attempt, explained)
    elif attempt.pre_filter is not None:
        explained["unschedulablePlugins"] = sorted(attempt.diagnosis.unschedulable_plugins)
    if attempt.post_filter is not None:
        explained["preemption"] = report.describe(attempt)
    return explained


def unseen(attempt: Attempt) -> Json:
    """The nodes before Filter (`candidates`), if it did not try all of them.

    It does not where enough nodes were found, PreFilter plugins left fewer, or the pod was
    nominated to one. Recorded cases do not have them.
    """
    if len(attempt.evaluated) == len(attempt.columns):
        return {}
    return {"candidates": _all_names(attempt.columns)}


def schedule_result(explained: Json) -> Json:
    """An explanation in KEP-140's words: nodes before and after the filters, and the answer of
    each plugin for each node.
    """
    filtered = explained.get("filter") or {}
    return {
        **_candidates(explained.get("candidates"), filtered),
        "allFilteredNodes": explained["feasible"],
        "pluginResults": {
            "filter": _each_once(filtered, _verdicts_in_words),
            "score": _each_once(explained.get("score") or {}, _scores_in_words),
        },
    }


def _candidates(candidates: Any, evaluated: Iterable[str]) -> Json:
    """The nodes before the filters, and which of them were evaluated if not all were."""
    looked_at = sorted(evaluated)
    if candidates is None:
        return {"allCandidateNodes": looked_at}
    return {"allCandidateNodes": candidates, "evaluatedNodeNames": looked_at}


class _Text(msgspec.Struct):
    """The parts of an explanation's text that are worded differently, as they were written."""

    feasible: msgspec.Raw
    candidates: msgspec.Raw = msgspec.Raw()
    filter: dict[str, msgspec.Raw] = {}
    score: dict[str, msgspec.Raw] = {}


_read_text: Final = msgspec.json.Decoder(_Text).decode


def schedule_result_of(text: bytes) -> Json:
    """`schedule_result` of an explanation's JSON text, to be written as JSON again.

    NOTE: the answers for nodes stay text and are worded once for all nodes that share them:
    0.5 ms for an explanation of 400 nodes instead of 3 ms.
    """
    explained = _read_text(text)
    return {
        **_candidates(
            explained.candidates if bytes(explained.candidates) else None, explained.filter
        ),
        "allFilteredNodes": explained.feasible,
        "pluginResults": {
            "filter": {node: _filter_text(bytes(each)) for node, each in explained.filter.items()},
            "score": {node: _score_text(bytes(each)) for node, each in explained.score.items()},
        },
    }


@functools.lru_cache(maxsize=_MAX_TEXTS)
def _filter_text(text: bytes) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(_verdicts_in_words(msgspec.json.decode(text))))


@functools.lru_cache(maxsize=_MAX_TEXTS)
def _score_text(text: bytes) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(_scores_in_words(msgspec.json.decode(text))))


def _each_once(by_node: Json, put: Callable[[Json], Json]) -> Json:
    """The same nodes with their answers worded differently; what they share stays shared."""
    words: dict[int, Json] = {}
    for each in by_node.values():
        if id(each) not in words:
            words[id(each)] = put(each)
    return {node: words[id(each)] for node, each in by_node.items()}


def _verdicts_in_words(verdicts: Json) -> Json:
    return {
        plugin: verdict
        if isinstance(verdict, str)
        else ", ".join(verdict.get("reasons") or [verdict["code"]])
        for plugin, verdict in verdicts.items()
    }


def _scores_in_words(scores: Json) -> Json:
    return {
        plugin: {
            "rawScore": score["raw"],
            "normalizedScore": score["normalized"],
            "finalScore": score["final"],
        }
        for plugin, score in scores.items()
    }


def answer(status: Status, nodes: frozenset[str] | None = None) -> Json:
    """A plugin's answer; reasons sorted, left out where there are none."""
    explained: Json = {"code": status.code.value}
    if status.reasons:
        explained["reasons"] = sorted(status.reasons)
    if nodes is not None:
        explained["nodes"] = sorted(nodes)
    return explained


def _filter(attempt: Attempt) -> Json:
    assert attempt.verdicts is not None
    names = attempt.columns.names
    evaluated = list(map(names.__getitem__, attempt.evaluated.tolist()))
    if attempt.verdicts.is_clear:
        return dict.fromkeys(evaluated, _verdicts(attempt, NOBODY, 0))
    rejecters, codes = attempt.verdicts.rejecter.tolist(), attempt.verdicts.code.tolist()
    pairs = list(zip(rejecters, codes, strict=True))
    explained = {each: _verdicts(attempt, *each) for each in set(pairs)}
    return dict(zip(evaluated, map(explained.__getitem__, pairs), strict=True))


def _verdicts(attempt: Attempt, rejecter: int, code: int) -> Json:
    """The answers for the nodes that one plugin, or none, has rejected with one code."""
    state, profile = attempt.state, attempt.profile
    explained: Json = {
        plugin.name: "passed"
        for place, plugin in enumerate(profile.filter)
        if plugin.name not in state.skip_filter and (rejecter == NOBODY or place < rejecter)
    }
    if rejecter != NOBODY:
        status = profile.status_of(state, attempt.pod, rejecter, code)
        explained[status.plugin] = answer(status)
    return explained


def _add_scores(attempt: Attempt, explained: Json) -> None:
    if attempt.totals is None:
        explained["topNodes"] = [attempt.node_name]
        return
    names = attempt.columns.names
    feasible = list(map(names.__getitem__, attempt.feasible.tolist()))
    explained["preScore"] = {plugin: answer(status) for plugin, status in attempt.pre_score.items()}
    explained["score"] = dict(zip(feasible, _scores(attempt.scores, len(feasible)), strict=True))
    explained["totals"] = dict(zip(feasible, attempt.totals.tolist(), strict=True))
    best = (attempt.totals == attempt.totals.max()).nonzero()[0]
    explained["topNodes"] = _sorted_names(attempt.columns, attempt.feasible[best])


def _scores(scores: Sequence[PluginScores], count: int) -> Iterable[Json]:
    """The scores of each of so many nodes."""
    parts = [part for each in scores for part in (each.raw, each.normalized)]
    firsts, sorts = alike_rows.alike({id(part): part for part in parts}.values(), count)
    explained = [
        {
            plugin: _score(int(raw[at]), int(normalized[at]), int(final[at]))
            for plugin, raw, normalized, final in scores
        }
        for at in firsts.tolist()
    ]
    return map(explained.__getitem__, sorts.tolist())


@functools.lru_cache(maxsize=_MAX_SCORES)
def _score(raw: int, normalized: int, final: int) -> Json:
    return {"raw": raw, "normalized": normalized, "final": final}


def _sorted_names(columns: Columns, rows: Ints) -> list[str]:
    """The names of nodes in the order of names."""
    order, names = columns.memo.get(_RANKS, lambda: _ranks(columns.names))
    return list(map(names.__getitem__, np.sort(order[rows]).tolist()))


def _all_names(columns: Columns) -> list[str]:
    """The names of all nodes in order: the same list as long as there are the same nodes."""
    _, names = columns.memo.get(_RANKS, lambda: _ranks(columns.names))
    return names


def _ranks(names: Sequence[str]) -> tuple[Ints, list[str]]:
    """The place of each row in the order of names, and the names in that order."""
    rows = sorted(range(len(names)), key=names.__getitem__)
    ranks: Ints = np.empty(len(names), np.int64)
    ranks[rows] = np.arange(len(names))
    return ranks, [names[row] for row in rows]
