"""Pods that are being deleted: what they still take is free soon."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

from kubestage.objects import gvk
from kubestage.runs.fit import candidate
from kubestage.runs.fit.candidate import Candidate
from kubestage.runs.fit.edit import Edit
from kubestage.wording import few

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.runs.fit.cluster_copy import ClusterCopy

KIND: Final = "wait"
_SINGLY: Final = 12
"""Of so many it is tried which ones have to be waited for."""


def candidates(copy: ClusterCopy) -> Iterator[Candidate]:
    """Wait for all of them; those of one node may be enough."""
    leaving = [
        pod
        for pod in copy.objects(gvk.POD).values()
        if is_leaving(pod) and pod["spec"].get("nodeName")
    ]
    if leaving:
        yield _wait(leaving)


def is_leaving(pod: Json) -> bool:
    """Whether a pod is being deleted."""
    return "deletionTimestamp" in pod["metadata"]


def _wait(pods: list[Json]) -> Candidate:
    names = few(f"{pod['metadata']['namespace']}/{pod['metadata']['name']}" for pod in pods)
    ends = "which is being deleted, is gone"
    if len(pods) > 1:
        ends = "which are being deleted, are gone"

    def less() -> Iterator[Candidate]:
        by_node: dict[str, list[Json]] = {}
        for pod in pods:
            by_node.setdefault(pod["spec"]["nodeName"], []).append(pod)
        if len(by_node) > 1:
            yield from map(_wait, by_node.values())
        if 1 < len(pods) <= _SINGLY:
            yield from map(_wait, map(list, itertools.combinations(pods, len(pods) - 1)))

    text = f"wait until {names}, {ends}"
    return Candidate(KIND, text, Edit(remove=tuple(pods)), (candidate.WAIT,), less)
