"""The pod of a run to explain: its history, and the attempts to schedule it."""

from __future__ import annotations

import collections
import functools
from typing import TYPE_CHECKING

from kubestage.results import analysis
from kubestage.results.comparison import attempts
from kubestage.runs.explain import details, record_search
from kubestage.runs.explain.found_pod import FoundPod, PodAttempts
from kubestage.runs.explain.names import choose_pod

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.results.analysis import Digest, PodState
    from kubestage.results.comparison import Tried
    from kubestage.results.run_directory import Run
    from kubestage.results.run_record_reader import RecordReader


class RunPods:
    """The pods of a run; its status is read only if the record is not enough."""

    def __init__(self, run: Run) -> None:
        self.run = run

    @functools.cached_property
    def digest(self) -> Digest:
        """The digest of the run."""
        return details.digest(self.run)

    def attempts(self) -> list[Tried]:
        """Every attempt of the run, in order."""
        return details.attempts_of(self.run, self.digest)

    def find(self, name: str) -> FoundPod:
        """The pod of this name or key; InputError if there is none, or several."""
        if self.run.record is not None:
            found = record_search.find(self.run.record, name)
            if found is not None:
                return found
        digest, recorded = self.digest, _recorded(self.run.record)
        key = choose_pod([*(pod.key for pod in digest.pods), *recorded], name, self.run.name)
        pods = [pod for pod in digest.pods if pod.key == key]
        pods += _only_recorded(recorded.get(key, []), pods)
        found_pods = [_attempts(pod, digest, recorded.get(key), len(pods) == 1) for pod in pods]
        nodes = {end.step: {node.name for node in end.nodes} for end in digest.steps}
        return FoundPod(key, found_pods, nodes)


def _recorded(record: RecordReader | None) -> dict[str, list[tuple[str, Tried]]]:
    """Every attempt in a record, with the uid of its pod, by the pod's key."""
    found: dict[str, list[tuple[str, Tried]]] = collections.defaultdict(list)
    if record is not None:
        rows = list(record.decisions())
        for row, attempt in zip(rows, attempts.recorded(rows), strict=True):
            found[row.pod].append((row.uid, attempt))
    return found


def _only_recorded(
    recorded: Sequence[tuple[str, Tried]], known: Sequence[PodState]
) -> list[PodState]:
    """Pods that only the record has: unschedulable, and deleted before their step was over."""
    uids = {pod.uid for pod in known}
    if not all(uids):
        return []
    steps = {uid: row for uid, row in reversed(recorded) if uid not in uids}
    return [
        analysis.PodState(row.pod, uid, {}, {}, row.step, deleted=row.step)
        for uid, row in steps.items()
    ]


def _attempts(
    pod: PodState, digest: Digest, recorded: Sequence[tuple[str, Tried]] | None, is_only: bool
) -> PodAttempts:
    from_status = [attempts.of_pod(pod, each) for each in pod.attempts]
    rows = from_status
    if recorded:
        # The record is complete; only the status has preemption.
        by_number = {each.number: each for each in from_status}
        of_this = [row for uid, row in recorded if uid == pod.uid or (is_only and not pod.uid)]
        rows = [by_number.get(row.number, row) for row in of_this]
    victims = [each for each in digest.pods if each.preempted_by == pod.key]
    return PodAttempts(pod, sorted(rows, key=lambda row: row.number), victims)
