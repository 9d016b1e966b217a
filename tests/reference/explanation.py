"""What is told of each node, one node at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.scheduler.explanation import answer

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.scheduler.attempt import Attempt


def filters(attempt: Attempt) -> Json:
    """The verdicts, in the order in which nodes were looked at."""
    assert attempt.verdicts is not None
    state, profile = attempt.state, attempt.profile
    told: Json = {}
    for at, row in enumerate(attempt.evaluated.tolist()):
        rejecter, code = int(attempt.verdicts.rejecter[at]), int(attempt.verdicts.code[at])
        verdicts: Json = {}
        for place, plugin in enumerate(profile.filter):
            if plugin.name in state.skip_filter:
                continue
            if place == rejecter:
                status = profile.status_of(state, attempt.pod, rejecter, code)
                verdicts[plugin.name] = answer(status)
                break
            verdicts[plugin.name] = "passed"
        told[attempt.columns.names[row]] = verdicts
    return told


def scores(attempt: Attempt) -> Json:
    """The scores of the nodes that are left."""
    return {
        attempt.columns.names[row]: {
            each.plugin: {
                "raw": int(each.raw[at]),
                "normalized": int(each.normalized[at]),
                "final": int(each.final[at]),
            }
            for each in attempt.scores
        }
        for at, row in enumerate(attempt.feasible.tolist())
    }


def schedule_result(told: Json) -> Json:
    """A story in KEP-140's words."""
    evaluated = sorted(told.get("filter") or {})
    return {
        "allCandidateNodes": told.get("candidates", evaluated),
        **({"evaluatedNodeNames": evaluated} if "candidates" in told else {}),
        "allFilteredNodes": told["feasible"],
        "pluginResults": {
            "filter": {
                node: {plugin: _words(verdict) for plugin, verdict in verdicts.items()}
                for node, verdicts in (told.get("filter") or {}).items()
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


def _words(verdict: str | Json) -> str:
    if isinstance(verdict, str):
        return verdict
    return ", ".join(verdict.get("reasons") or [verdict["code"]])
