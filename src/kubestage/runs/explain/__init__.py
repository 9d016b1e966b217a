"""Explaining a run: why a pod is where it is, and not elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.errors import InputError
from kubestage.results import run_directory
from kubestage.runs.explain import details, found_pod, names, subject, untried
from kubestage.runs.explain.explanation import Explanation
from kubestage.runs.explain.found_pod import AttemptGroup
from kubestage.runs.explain_options import ExplainOptions
from kubestage.runs.inputs import file_kinds
from kubestage.runs.observer import SILENT

if TYPE_CHECKING:
    import pathlib

    from kubestage.runs.explain.found_pod import FoundPod
    from kubestage.runs.observer import Observer

__all__ = ["ExplainOptions", "Explanation", "explain"]


def explain(
    run: str | pathlib.Path,
    pod: str,
    options: ExplainOptions | None = None,
    observer: Observer = SILENT,
) -> Explanation:
    """Explain why a pod of a run went where it went.

    `run` is a directory that a run was kept in, or a file with a Scenario and its status; `pod` is
    ``NAMESPACE/NAME``, or the name if there is one pod of it. What was not recorded is computed by
    a repetition of the run.
    """
    options = options or ExplainOptions()
    file_kinds.expect_run(str(run))
    with run_directory.open_run(run) as opened:
        pods = subject.RunPods(opened)
        found = pods.find(pod)
        if options.node is not None:
            names.check_node(options.node, found.nodes.values())
        groups = _groups(found, options.attempt)
        numbers = [
            attempt.number
            for each in groups
            for group in each
            for attempt in (group.attempts if options.every_attempt else group.attempts[:1])
            if group.in_full or options.every_attempt
        ]
        return Explanation(
            found=found,
            groups=groups,
            details=details.details_of(opened, numbers, pods.attempts, observer),
            untried={
                at: untried.reason(each.pod, pods)
                for at, each in enumerate(found.pods)
                if not each.attempts
            },
            top=options.top,
        )


def _groups(found: FoundPod, attempt: int | None) -> list[list[AttemptGroup]]:
    """The attempts at each pod that has had the name, counted through."""
    groups, place = [], 1
    for each in found.pods:
        if attempt is None:
            groups.append(found_pod.group(each.attempts, place))
        else:
            at = attempt - place
            is_here = 0 <= at < len(each.attempts)
            groups.append([AttemptGroup(attempt, [each.attempts[at]])] if is_here else [])
        place += len(each.attempts)
    if attempt is not None and not any(groups):
        raise _no_attempt(found.key, place - 1, attempt)
    return groups


def _no_attempt(key: str, attempts: int, attempt: int) -> InputError:
    if not attempts:
        return InputError(f"{key} was never tried", path="--attempt", fix="leave it out")
    known = "there is attempt 1" if attempts == 1 else f"there are attempts 1 to {attempts}"
    return InputError(f"there is no attempt {attempt} at {key}", path="--attempt", fix=known)
