"""The results of scheduling as kube-scheduler-simulator writes them on pods, as annotations.

Its web page and the tools of its users read them. Each value is JSON in a string; the history holds
all results so far, each of which is JSON in JSON. A pod may have 256 KiB of annotations: what does
not fit is left out, and an annotation of ours says what that is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects import gvk
from kubestage.objects.validation import names
from kubestage.objects.validation.metadata import ANNOTATIONS_LIMIT
from kubestage.scheduler.preemption import report

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.aliases import Json
    from kubestage.scheduler.attempt import AnyAttempt
    from kubestage.scheduler.record import Decision
    from kubestage.store.store import Store


PREFIX: Final = "kube-scheduler-simulator.sigs.k8s.io/"
HISTORY: Final = f"{PREFIX}result-history"
SELECTED: Final = f"{PREFIX}selected-node"
LEFT_OUT: Final = "kubestage.dev/result-annotations-left-out"
_SUCCESS: Final = "success"
_VICTIM: Final = "preemption victim"


class KssAnnotations:
    """Writes the result of every attempt on its pod.

    An attempt that ends as the one before changes nothing: a pod that stays pending is not written
    over and over.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def attempted(self, decision: Decision, attempt: AnyAttempt, details: Json | None) -> None:
        """An attempt has ended."""
        pod = self._store.read(gvk.POD).get(decision.pod)
        if pod is None or pod["metadata"]["uid"] != attempt.pod.uid or details is None:
            return
        metadata = pod["metadata"]
        before: dict[str, str] = metadata.get("annotations") or {}
        annotations = annotated(before, results(decision, attempt, details))
        if annotations != before:
            self._store.record_metadata(
                gvk.POD, decision.pod, {**metadata, "annotations": annotations}
            )


def results(decision: Decision, attempt: AnyAttempt, details: Json) -> dict[str, str]:
    """The annotations of one attempt; those without a result are present, too."""
    scores: Json = details.get("score") or {}
    profile = attempt.profile
    is_bound = bool(decision.node)
    found: dict[str, Any] = {
        "prefilter-result-status": _statuses(details.get("preFilter")),
        "prefilter-result": {
            plugin: each["nodes"]
            for plugin, each in (details.get("preFilter") or {}).items()
            if "nodes" in each
        },
        "filter-result": {
            node: {plugin: _verdict(each) for plugin, each in verdicts.items()}
            for node, verdicts in (details.get("filter") or {}).items()
        },
        "postfilter-result": _post_filter(attempt, details),
        "prescore-result": _statuses(details.get("preScore")),
        "score-result": _scores(scores, "raw"),
        "finalscore-result": _scores(scores, "final"),
        "reserve-result": _all_well(profile.reserve if is_bound else ()),
        "permit-result": _all_well(profile.permit if is_bound else ()),
        "permit-result-timeout": {},
        "prebind-result": _all_well(profile.pre_bind if is_bound else ()),
        "bind-result": _all_well(profile.bind[:1] if is_bound else ()),
    }
    texts = {f"{PREFIX}{name}": _text(value) for name, value in found.items()}
    return {**texts, SELECTED: attempt.node_name or ""}


def annotated(before: Mapping[str, str], result: Mapping[str, str]) -> dict[str, str]:
    """The annotations of a pod with another result; all together fit into the limit.

    The oldest results make room first, then the longest annotations.
    """
    others = {key: value for key, value in before.items() if not is_result(key)}
    # Room for saying what is left out, whatever that is.
    room = ANNOTATIONS_LIMIT - _size(others) - _size({LEFT_OUT: _text([*result, HISTORY])})
    results, left_out = _fitting(result, room)
    if results == {key: before[key] for key in before if key.startswith(PREFIX) and key != HISTORY}:
        return dict(before)
    annotations = {**others, **results}
    past = _past([*_history(before), results], room - _size(results))
    if past is not None:
        annotations[HISTORY] = past
    else:
        left_out.append(HISTORY)
    note = {LEFT_OUT: _text(left_out)}
    if left_out and _size(annotations) + _size(note) <= ANNOTATIONS_LIMIT:
        annotations |= note
    return annotations


def is_result(key: str) -> bool:
    """Whether an annotation is one of those that are written here."""
    return key.startswith(PREFIX) or key == LEFT_OUT


def _history(annotations: Mapping[str, str]) -> list[dict[str, str]]:
    """The results so far; empty if the annotation is not valid JSON."""
    try:
        return msgspec.json.decode(annotations.get(HISTORY, "[]"), type=list[dict[str, str]])
    except msgspec.DecodeError:
        return []


def _fitting(result: Mapping[str, str], room: int) -> tuple[dict[str, str], list[str]]:
    """As many annotations of a result as there is room for, and the names of the others.

    The longest are left out first: they are what there is no room for.
    """
    results, left_out = dict(result), []
    while results and _size(results) > room:
        longest = max(results, key=lambda key: len(results[key]))
        del results[longest]
        left_out.append(longest)
    return results, left_out


def _past(history: list[dict[str, str]], room: int) -> str | None:
    """The newest results that there is room for, as text; None if it is not even the last."""
    texts = [_text(each) for each in history]
    # Each takes a comma or a bracket besides, and there is one bracket more.
    left, first = room - len(HISTORY) - 1, len(texts)
    while first and (left := left - names.size(texts[first - 1]) - 1) >= 0:
        first -= 1
    return f"[{','.join(texts[first:])}]" if first < len(texts) else None


def _size(annotations: Mapping[str, str]) -> int:
    return sum(names.size(key) + names.size(value) for key, value in annotations.items())


def _statuses(answers: Json | None) -> dict[str, str]:
    """The results of plugins; a plugin that skipped the pod has an empty one."""
    return {
        plugin: _SUCCESS if each["code"] == "Success" else ", ".join(each.get("reasons") or ())
        for plugin, each in (answers or {}).items()
    }


def _verdict(verdict: str | Json) -> str:
    if isinstance(verdict, str):
        return verdict
    return ", ".join(verdict.get("reasons") or [verdict["code"]])


def _post_filter(attempt: AnyAttempt, details: Json) -> dict[str, dict[str, str]]:
    """The nodes that preemption looked at; the one that was nominated names the plugin."""
    preemption = details.get("preemption")
    if preemption is None:
        return {}
    found: dict[str, dict[str, str]] = {node: {} for node in details.get("filter") or {}}
    nominated, plugins = preemption.get("nominatedNode"), attempt.profile.post_filter
    if nominated:
        chosen = report.KEY if preemption.get("victims") else plugins[-1].name
        found[nominated] = {chosen: _VICTIM}
    return found


def _scores(scores: Json, part: str) -> dict[str, dict[str, str]]:
    return {
        node: {plugin: str(each[part]) for plugin, each in by_plugin.items()}
        for node, by_plugin in scores.items()
    }


def _all_well(plugins: Iterable[Any]) -> dict[str, str]:
    return {plugin.name: _SUCCESS for plugin in plugins}


def _text(value: Any) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()
