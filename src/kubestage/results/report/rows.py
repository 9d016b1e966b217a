"""The rows behind the page's tables, so compact that thousands of pods make a small file.

Every name and sentence is written once, in ``texts``; rows are numbers that point there. The
page's script lays out what is on the screen.
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


class PageTexts:
    """Texts, each with its number."""

    def __init__(self) -> None:
        self.all: dict[str, int] = {}

    def number(self, text: str | None) -> int | None:
        """The number of a text; None of none."""
        return self.all.setdefault(text, len(self.all)) if text else None


def data(run: Digest, texts: PageTexts, steps: list[Json]) -> Json:
    """All that the page's script needs."""
    resources = [{"title": units.title(name), "unit": units.unit(name)} for name in run.resources]
    counted = [at for at, name in enumerate(run.resources) if name != PODS]
    return {
        "resources": resources,
        "asked": counted,
        "pods": _pods(run, texts, [run.resources[at] for at in counted]),
        "nodes": _nodes(run, texts),
        "steps": steps,
        "texts": list(texts.all),
    }


def _pods(run: Digest, texts: PageTexts, resources: list[str]) -> list[Row]:
    """Name, status, node, created, bound, waited, attempts, priority, preemptor, reason, requests.

    The reason is that of a pod that waits.
    """
    waited = analysis.table(run, "pods").column("pendingSteps")
    return [
        [
            texts.number(pod.key),
            texts.number(pod.status),
            texts.number(pod.node),
            pod.created,
            pod.bound,
            steps,
            len(pod.attempts) if run.has_attempts else None,
            pod.priority,
            texts.number(pod.preempted_by),
            texts.number(reasons.reason(pod)) if pod.is_waiting else None,
            *(pod.requests.get(name, 0) for name in resources),
        ]
        for pod, steps in zip(run.pods, waited, strict=True)
    ]


def _nodes(run: Digest, texts: PageTexts) -> list[Row]:
    """Name, then requested and allocatable of each resource, as of the end."""
    rows = []
    for node in run.steps[-1].nodes if run.steps else ():
        row = [texts.number(node.name)]
        for name in run.resources:
            row += [node.requested.get(name, 0), node.allocatable.get(name, 0)]
        rows.append(row)
    return rows
