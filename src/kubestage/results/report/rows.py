"""The rows behind the page's tables, so compact that thousands of pods make a small file.

Every name and sentence is written once, in ``texts``; rows are numbers that point there. The
page's script lays out what somebody looks at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects.pod_resources import PODS
from kubestage.results import analysis
from kubestage.results.report import reasons, units

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.analysis import Digest

Row = list[int | None]


class Texts:
    """Texts, each with its number."""

    def __init__(self) -> None:
        self.all: dict[str, int] = {}

    def number(self, text: str | None) -> int | None:
        """The number of a text; None of none."""
        return self.all.setdefault(text, len(self.all)) if text else None


def data(told: Digest, texts: Texts, steps: list[Json]) -> Json:
    """All that the page's script needs."""
    resources = [{"title": units.title(name), "unit": units.unit(name)} for name in told.resources]
    asked = [at for at, name in enumerate(told.resources) if name != PODS]
    return {
        "resources": resources,
        "asked": asked,
        "pods": _pods(told, texts, [told.resources[at] for at in asked]),
        "nodes": _nodes(told, texts),
        "steps": steps,
        "texts": list(texts.all),
    }


def _pods(told: Digest, texts: Texts, asked: list[str]) -> list[Row]:
    """Name, status, node, created, bound, waited, attempts, priority, preemptor, reason, requests.

    The reason is that of a pod that waits.
    """
    waited = analysis.by_pod(told).column("pendingSteps")
    return [
        [
            texts.number(pod.key),
            texts.number(pod.status),
            texts.number(pod.node),
            pod.created,
            pod.bound,
            steps,
            len(pod.attempts) if told.has_attempts else None,
            pod.priority,
            texts.number(pod.preempted_by),
            texts.number(reasons.reason(pod)) if pod.is_waiting else None,
            *(pod.requests.get(name, 0) for name in asked),
        ]
        for pod, steps in zip(told.pods, waited, strict=True)
    ]


def _nodes(told: Digest, texts: Texts) -> list[Row]:
    """Name, then requested and allocatable of each resource, as of the end."""
    rows = []
    for node in told.steps[-1].nodes if told.steps else ():
        row = [texts.number(node.name)]
        for name in told.resources:
            row += [node.requested.get(name, 0), node.allocatable.get(name, 0)]
        rows.append(row)
    return rows
