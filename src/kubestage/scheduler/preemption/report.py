"""The account of one preemption: what was tried on which node, and what came of it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from kubestage.scheduler.status import Code

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.scheduler.attempt import Attempt
    from kubestage.scheduler.preemption.candidates import Candidate
    from kubestage.scheduler.preemption.dry_runs import DryRun, DryRuns


KEY: Final = "DefaultPreemption"
"""The plugin's name, under which the report is stored in the cycle state."""


@dataclasses.dataclass(slots=True)
class Report:
    """Filled in as preemption proceeds.

    `tried` is what the dry runs came to; `chosen` is the node that was taken and `tied` the names
    of those that were just as good; `evicted` counts the victims if any had to be evicted;
    `failure` is why an eviction failed.
    """

    tried: DryRuns | None = None
    chosen: Candidate | None = None
    tied: tuple[str, ...] = ()
    evicted: int = 0
    failure: str = ""

    @property
    def dry_runs(self) -> dict[str, DryRun]:
        """The dry runs by the names of nodes, in the order in which these were tried."""
        return {} if self.tried is None else self.tried.by_node()


def describe(attempt: Attempt) -> Json:
    """The part of an explanation on preemption: how room was made, or why not."""
    assert attempt.post_filter is not None
    result, status = attempt.post_filter
    report: Report = attempt.state.get(KEY) or Report()
    chosen = report.chosen if status.is_success else None
    record: Json = {"code": (Code.SUCCESS if status.is_success else Code.UNSCHEDULABLE).value}
    if status.message:
        record["message"] = status.message
    record["nominatedNode"] = "" if result is None else result.nominated_node
    record["victims"] = [] if chosen is None else [victim.key for victim in chosen.victims]
    if chosen is not None:
        record["tiedNodes"] = sorted(report.tied)
    if dry_runs := report.dry_runs:
        record["dryRun"] = {name: _dry_run(run) for name, run in dry_runs.items()}
    return record


def _dry_run(run: DryRun) -> Json:
    record: Json = {"code": run.status.code.value}
    if run.status.reasons:
        record["reasons"] = sorted(run.status.reasons)
    if run.victims:
        record["victims"] = [victim.key for victim in run.victims]
    record["numPDBViolations"] = run.pdb_violations
    return record
