"""Why a pod of a run is where it is: every attempt to schedule it, with its details."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.results import charts, pod_explanation
from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.runs.explain.details import AttemptDetails  # noqa: TC001 - msgspec reads it
from kubestage.runs.explain.found_pod import AttemptGroup, FoundPod  # noqa: TC001 - the same
from kubestage.runs.fit import FitAdvice  # noqa: TC001 - the same
from kubestage.runs.notebook import TableResult

if TYPE_CHECKING:
    from altair.typing import ChartType

    from kubestage.aliases import Json

_COLUMNS: Final = columns(
    attempt=Kind.INT,
    number=Kind.INT,
    step=Kind.INT,
    profile=Kind.TEXT,
    result=Kind.TEXT,
    node=Kind.TEXT,
    evaluatedNodes=Kind.INT,
    feasibleNodes=Kind.INT,
    nominatedNode=Kind.TEXT,
    message=Kind.TEXT,
)


class Explanation(TableResult, msgspec.Struct, frozen=True, kw_only=True):
    """Why a pod is where it is.

    >>> from kubestage import explain
    >>> explain("runs/1", "checkout-0").to_pandas()  # doctest: +SKIP
    """

    found: FoundPod
    """The pod, or all pods that have had the name."""

    groups: list[list[AttemptGroup]]
    """The attempts at each of these pods, grouped by outcome."""

    details: AttemptDetails
    """The explanations of attempts, by their numbers."""

    untried: dict[int, str]
    """Why a pod without attempts was never tried, by its place in `found`."""

    top: int
    """How many nodes a chart shows."""

    advice: FitAdvice | None = None
    """What would make the pod fit, if it waits for a node at the end of the run."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the reader."""
        return self.details.notes

    @property
    def differs(self) -> str | None:
        """In what a repetition of the run differs from the run; None if it does not."""
        return self.details.differs

    def headline(self) -> str:
        """The pod, its status and its node."""
        pod = self.found.pods[-1].pod
        return f"{pod.key}: {pod.status}{f' on {pod.node}' if pod.node else ''}"

    def table(self) -> Table:
        """A row for each attempt."""
        rows: list[tuple[Any, ...]] = [
            (
                group.place + at,
                each.number,
                each.step,
                each.profile,
                each.result,
                each.node,
                each.evaluated_nodes,
                each.feasible_nodes,
                each.nominated_node,
                each.message,
            )
            for groups in self.groups
            for group in groups
            for at, each in enumerate(group.attempts)
        ]
        return Table(_COLUMNS, rows)

    def to_dict(self) -> Json | list[Json]:
        """All verdicts and scores; docs/explain.md describes it."""
        pods = [
            pod_explanation.as_dict(
                found.pod,
                found.victims,
                [
                    (group.place + at, one)
                    for group in groups
                    for at, one in enumerate(group.attempts)
                ],
                self.details.explanations,
            )
            for found, groups in zip(self.found.pods, self.groups, strict=True)
        ]
        if self.advice is not None:
            pods[-1]["advice"] = self.advice.to_dict()
        return pods[0] if len(pods) == 1 else pods

    def chart(self) -> ChartType:
        """The weighted scores of the best nodes in the last attempt that scored any."""
        for groups in reversed(self.groups):
            for group in reversed(groups):
                explained = self.details.explanations.get(group.first.number) or {}
                if explained.get("score"):
                    return charts.scores(explained, self.found.key, self.top)
        raise InputError(f"nothing was scored for {self.found.key}")
