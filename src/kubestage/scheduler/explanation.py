"""An attempt told in full: every verdict, every score, as plain data.

The shape is that of recorded cases of the real scheduler (`kubestage verify` compares the two):
node and plugin names as keys, upstream's codes and reasons as values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kubestage.scheduler.preemption import report
from kubestage.scheduler.verdicts import NOBODY

if TYPE_CHECKING:
    from kubestage.scheduler.cycle import Attempt
    from kubestage.scheduler.status import Status

Json = dict[str, Any]


def explain(attempt: Attempt) -> Json:
    """All that was found out in one attempt."""
    names = attempt.columns.names
    told: Json = {
        "pod": attempt.pod.key,
        "profile": attempt.profile.name,
        "result": "unschedulable" if attempt.selected is None else "scheduled",
        "feasible": sorted(names[row] for row in attempt.feasible.tolist()),
        "topNodes": [],
        "selected": attempt.node_name,
        "message": attempt.failure,
    }
    if attempt.pod.nominated_node_name:
        told["nominatedNodeBefore"] = attempt.pod.nominated_node_name
    if attempt.pre_filter is not None:
        told["preFilter"] = {
            plugin: answer(status, nodes)
            for plugin, (status, nodes) in attempt.pre_filter.answers.items()
        }
    if attempt.verdicts is not None and len(attempt.evaluated):
        told["filter"] = _filter(attempt)
    if attempt.selected is not None:
        _tell_scores(attempt, told)
    elif attempt.pre_filter is not None:
        told["unschedulablePlugins"] = sorted(attempt.diagnosis.unschedulable_plugins)
    if attempt.post_filter is not None:
        told["preemption"] = report.told(attempt)
    return told


def schedule_result(told: Json) -> Json:
    """An attempt told in full in KEP-140's words: nodes before and after the filters, and what
    each plugin said of each node.
    """
    filtered = told.get("filter") or {}
    return {
        "allCandidateNodes": sorted(filtered),
        "allFilteredNodes": told["feasible"],
        "pluginResults": {
            "filter": {
                node: {plugin: _in_words(verdict) for plugin, verdict in verdicts.items()}
                for node, verdicts in filtered.items()
            },
            "score": {
                node: {
                    plugin: {
                        "rawScore": score["raw"],
                        "normalizedScore": score["normalized"],
                        "finalScore": score["final"],
                    }
                    for plugin, score in scores.items()
                }
                for node, scores in (told.get("score") or {}).items()
            },
        },
    }


def _in_words(verdict: str | Json) -> str:
    if isinstance(verdict, str):
        return verdict
    return ", ".join(verdict.get("reasons") or [verdict["code"]])


def answer(status: Status, nodes: frozenset[str] | None = None) -> Json:
    """A plugin's answer; reasons sorted, left out where there are none."""
    told: Json = {"code": status.code.value}
    if status.reasons:
        told["reasons"] = sorted(status.reasons)
    if nodes is not None:
        told["nodes"] = sorted(nodes)
    return told


def _filter(attempt: Attempt) -> Json:
    assert attempt.verdicts is not None
    state, profile = attempt.state, attempt.profile
    running = [
        (place, plugin.name)
        for place, plugin in enumerate(profile.filter)
        if plugin.name not in state.skip_filter
    ]
    told: Json = {}
    for at, row in enumerate(attempt.evaluated.tolist()):
        rejecter = int(attempt.verdicts.rejecter[at])
        passed: Json = {
            name: "passed" for place, name in running if rejecter == NOBODY or place < rejecter
        }
        if rejecter != NOBODY:
            code = int(attempt.verdicts.code[at])
            status = profile.status_of(state, attempt.pod, rejecter, code)
            passed[status.plugin] = answer(status)
        told[attempt.columns.names[row]] = passed
    return told


def _tell_scores(attempt: Attempt, told: Json) -> None:
    names = attempt.columns.names
    rows = attempt.feasible.tolist()
    if attempt.totals is None:
        told["topNodes"] = [attempt.node_name]
        return
    told["preScore"] = {plugin: answer(status) for plugin, status in attempt.pre_score.items()}
    told["score"] = {
        names[row]: {
            each.plugin: {
                "raw": int(each.raw[at]),
                "normalized": int(each.normalized[at]),
                "final": int(each.final[at]),
            }
            for each in attempt.scores
        }
        for at, row in enumerate(rows)
    }
    told["totals"] = {names[row]: int(attempt.totals[at]) for at, row in enumerate(rows)}
    best = np.flatnonzero(attempt.totals == attempt.totals.max())
    told["topNodes"] = sorted(names[rows[at]] for at in best.tolist())
