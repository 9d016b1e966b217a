"""The pod of a run that a person asks about: what became of it, and the attempts at it."""

from __future__ import annotations

import collections
import difflib
import functools
from typing import TYPE_CHECKING

from kubestage.cli import explain_record, explain_sources
from kubestage.cli.explain_found import Found, Subject
from kubestage.cli.explaining import few
from kubestage.errors import InputError
from kubestage.results import analysis
from kubestage.results.comparison import attempts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.results.analysis import Digest, PodState
    from kubestage.results.comparison import Tried
    from kubestage.results.run_directory import Run
    from kubestage.results.run_record_reader import Reader


class Told:
    """All that a run tells of its pods; the status is read only if the record does not do."""

    def __init__(self, run: Run) -> None:
        self.run = run

    @functools.cached_property
    def digest(self) -> Digest:
        """The run, walked through."""
        return explain_sources.digest(self.run)

    def attempts(self) -> list[Tried]:
        """Every attempt of the run, in order."""
        return explain_sources.tried(self.run, self.digest)

    def find(self, wanted: str) -> Found:
        """The pod that a person means; InputError if that is none, or several."""
        if self.run.record is not None:
            found = explain_record.find(self.run.record, wanted)
            if found is not None:
                return found
        told, tried = self.digest, _tried(self.run.record)
        key = choose([*(pod.key for pod in told.pods), *tried], wanted, self.run.name)
        pods = [pod for pod in told.pods if pod.key == key]
        pods += _untold(tried.get(key, []), pods)
        subjects = [_subject(pod, told, tried.get(key), len(pods) == 1) for pod in pods]
        nodes = {end.step: {node.name for node in end.nodes} for end in told.steps}
        return Found(key, subjects, nodes)


def choose(keys: Iterable[str], wanted: str, where: str) -> str:
    """The one of ``namespace/name`` that a person means by either of its forms."""
    known = list(dict.fromkeys(keys))
    found = [key for key in known if wanted in (key, key.partition("/")[2])]
    if len(found) == 1:
        return found[0]
    if found:
        fix = f"write one of {', '.join(sorted(found))}"
        raise InputError(f'several pods are called "{wanted}"', file=where, fix=fix)
    names = [*known, *(key.partition("/")[2] for key in known)]
    near = difflib.get_close_matches(wanted, names, n=1)
    fix = f"there are {few(sorted(known))}" if known else "the run has no pods"
    if near:
        fix = f"did you mean {near[0]}?"
    raise InputError(f'there is no pod "{wanted}"', file=where, fix=fix)


def _tried(record: Reader | None) -> dict[str, list[tuple[str, Tried]]]:
    """Every attempt that a record tells of, with the uid of its pod, by the pod's name."""
    found: dict[str, list[tuple[str, Tried]]] = collections.defaultdict(list)
    if record is not None:
        rows = list(record.decisions())
        for row, told in zip(rows, attempts.recorded(rows), strict=True):
            found[row.pod].append((row.uid, told))
    return found


def _untold(tried: Sequence[tuple[str, Tried]], known: Sequence[PodState]) -> list[PodState]:
    """Pods that only the record knows: tried in vain and gone before their step was over."""
    uids = {pod.uid for pod in known}
    if not all(uids):
        return []
    steps = {uid: row for uid, row in reversed(tried) if uid not in uids}
    return [
        analysis.PodState(row.pod, uid, {}, {}, row.step, deleted=row.step)
        for uid, row in steps.items()
    ]


def _subject(
    pod: PodState, told: Digest, tried: Sequence[tuple[str, Tried]] | None, is_alone: bool
) -> Subject:
    from_status = [attempts.of_pod(pod, each) for each in pod.attempts]
    rows = from_status
    if tried:
        # The record is complete, the status alone tells of preemption.
        by_number = {each.number: each for each in from_status}
        own = [row for uid, row in tried if uid == pod.uid or (is_alone and not pod.uid)]
        rows = [by_number.get(row.number, row) for row in own]
    victims = [each for each in told.pods if each.preempted_by == pod.key]
    return Subject(pod, sorted(rows, key=lambda row: row.number), victims)
