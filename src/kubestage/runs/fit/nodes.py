"""Changes of single nodes: taints that the pod may tolerate, cordons, nodes that are not well."""

from __future__ import annotations

import collections
import functools
import itertools
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import gvk, taints
from kubestage.objects.taints import NO_EXECUTE, NO_SCHEDULE
from kubestage.runs.fit import candidate, edit
from kubestage.runs.fit.candidate import Candidate
from kubestage.runs.fit.edit import Edit
from kubestage.wording import few

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.taints import Taint
    from kubestage.objects.views.pod import PodView
    from kubestage.runs.fit.cluster_copy import ClusterCopy

TOLERATE: Final = "tolerate-taint"
UNCORDON: Final = "uncordon-node"
RESTORE: Final = "restore-node"
_UNSCHEDULABLE: Final = "node.kubernetes.io/unschedulable"
_NODE_PREFIX: Final = "node.kubernetes.io/"
_MOST: Final = 12


def candidates(copy: ClusterCopy) -> Iterator[Candidate]:
    """Tolerate what keeps the pod off nodes, or have the nodes open and well."""
    found = _by_taints(copy)
    most_nodes = sorted(found.items(), key=lambda each: (len(each[0]), -len(each[1])))
    own = [each for each in most_nodes if not any(map(_is_condition, each[0]))]
    for marks, _ in own[:_MOST]:
        yield _tolerated(found, marks)
    yield from _cordoned(copy)
    conditions = [each for each in most_nodes if any(map(_is_condition, each[0]))]
    for marks, names in conditions[:_MOST]:
        yield from _restored(copy, marks, names)


def _tolerated(found: dict[tuple[Taint, ...], list[str]], marks: tuple[Taint, ...]) -> Candidate:
    """Tolerate taints; a part of them may be enough on another node."""
    open_ones = [name for each, names in found.items() if set(each) <= set(marks) for name in names]
    shown = " and ".join(str(mark) for mark in marks)
    text = f"tolerate the taint{'s' if len(marks) > 1 else ''} {shown}"
    text += f" ({few(sorted(open_ones))})" if open_ones else ""
    change = edit.of_pod(functools.partial(_tolerating, marks=marks))

    def less() -> Iterator[Candidate]:
        if len(marks) > 1:
            for fewer in itertools.combinations(marks, len(marks) - 1):
                yield _tolerated(found, fewer)

    return Candidate(TOLERATE, text, change, (candidate.OWN_FIELD + len(marks) - 1,), less)


def _by_taints(copy: ClusterCopy) -> dict[tuple[Taint, ...], list[str]]:
    """The nodes by the taints that the pod does not tolerate."""
    view: PodView = copy.view()
    found: dict[tuple[Taint, ...], list[str]] = collections.defaultdict(list)
    known: dict[tuple[tuple[str, ...], ...], tuple[Taint, ...]] = {}
    for name, node in copy.objects(gvk.NODE).items():
        stated = (node.get("spec") or {}).get("taints")
        if not stated:
            continue
        key = tuple((each["key"], each.get("value") or "", each["effect"]) for each in stated)
        if key not in known:
            known[key] = tuple(
                mark
                for mark in map(taints.taint_of, stated)
                if mark.effect in (NO_SCHEDULE, NO_EXECUTE)
                and mark.key != _UNSCHEDULABLE
                and not any(each.tolerates(mark) for each in view.tolerations)
            )
        if known[key]:
            found[known[key]].append(name)
    return found


def _is_condition(mark: Taint) -> bool:
    """Whether a taint only says that a node is not well, which tolerating it does not cure."""
    return mark.key.startswith(_NODE_PREFIX)


def _tolerating(pod: Json, marks: tuple[Taint, ...]) -> Json:
    tolerations: list[Any] = list(pod["spec"].get("tolerations") or ())
    for mark in marks:
        added = {"key": mark.key, "operator": "Exists", "effect": mark.effect}
        if mark.value:
            added |= {"operator": "Equal", "value": mark.value}
        tolerations.append(added)
    return edit.with_spec(pod, tolerations=tolerations)


def _cordoned(copy: ClusterCopy) -> Iterator[Candidate]:
    """The cordoned node that the pod would get, if any helps."""
    cordoned = [
        node
        for node in copy.objects(gvk.NODE).values()
        if (node.get("spec") or {}).get("unschedulable")
    ]
    if not cordoned:
        return
    every = Edit(put=tuple(map(_uncordoned, cordoned)))
    outcome = copy.attempt(every)
    names = [outcome.node] if outcome.is_placed else [each["metadata"]["name"] for each in cordoned]
    for node in cordoned:
        name = node["metadata"]["name"]
        if name in names[:_MOST]:
            change = Edit(put=(_uncordoned(node),))
            yield Candidate(UNCORDON, f"uncordon node {name}", change, (candidate.ONE_NODE,))


def _uncordoned(node: Json) -> Json:
    kept = [each for each in node["spec"].get("taints") or () if each.get("key") != _UNSCHEDULABLE]
    return edit.with_spec(node, unschedulable=None, taints=kept or None)


def _restored(copy: ClusterCopy, marks: tuple[Taint, ...], names: list[str]) -> Iterator[Candidate]:
    """One of the nodes that are not well, without the taints that say so."""
    stored = copy.objects(gvk.NODE)
    outcome = copy.attempt(Edit(put=tuple(_well(stored[name]) for name in names)))
    if not outcome.is_placed:
        return
    shown = ", ".join(str(mark) for mark in marks)
    change = Edit(put=(_well(stored[outcome.node]),)) if outcome.node in names else None
    if change is not None:
        text = f"bring node {outcome.node} back to Ready ({shown})"
        yield Candidate(RESTORE, text, change, (candidate.ONE_NODE + 5,))


def _well(node: Json) -> Json:
    kept = [
        each
        for each in node["spec"].get("taints") or ()
        if not each["key"].startswith(_NODE_PREFIX) or each["key"] == _UNSCHEDULABLE
    ]
    return edit.with_spec(node, taints=kept or None)
