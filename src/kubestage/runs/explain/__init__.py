"""Explaining a run: why a pod is where it is, and not elsewhere."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING

import msgspec

from kubestage import lazy
from kubestage.errors import InputError
from kubestage.objects import gvk
from kubestage.results import kept_test as kept_tests
from kubestage.results import run_directory
from kubestage.runs.explain import details, found_pod, names, subject, untried
from kubestage.runs.explain.explanation import Explanation
from kubestage.runs.explain.found_pod import AttemptGroup
from kubestage.runs.explain.pod_attempts import PodAttempts
from kubestage.runs.explain_options import ExplainOptions
from kubestage.runs.inputs import file_kinds
from kubestage.runs.observer import SILENT
from kubestage.scenario import phases

with lazy.imports():
    from kubestage.remote import pod_explanations
    from kubestage.runs import clock_server, fit
    from kubestage.runs.explain import (
        kept_test,
        living,
        manifests,
        nodes,
        pod_attempts,
        repetition,
        workloads,
    )

if TYPE_CHECKING:
    from kubestage.results.run_directory import Run
    from kubestage.runs.explain.found_pod import FoundPod
    from kubestage.runs.explain.node_explanation import NodeExplanation
    from kubestage.runs.fit import FitAdvice
    from kubestage.runs.observer import Observer

__all__ = ["ExplainOptions", "Explanation", "PodAttempts", "explain", "explain_served"]


def explain(
    run: str | pathlib.Path,
    pod: str,
    options: ExplainOptions | None = None,
    observer: Observer = SILENT,
) -> Explanation | PodAttempts | NodeExplanation:
    """Explain why a pod of a run went where it went, and what would make it fit if it waits.

    `run` is a directory that a run or the cluster of a failed test was kept in, a file with a
    Scenario and its status, or manifests, which are run for that; `pod` is ``NAMESPACE/NAME``, or
    the name if there is one pod of it, or a workload, as in ``deploy/web``. What was not recorded
    is computed by a repetition of the run. ``node/NAME`` and ``nodeclaim/NAME`` are explained of
    living runs and Scenarios: why the node was bought, and why it was kept or removed.
    """
    options = options or ExplainOptions()
    node = names.node_of(pod)
    if node is not None:
        return nodes.explain(run, node, options, observer)
    if run_directory.is_life(run):
        return living.explain(run, pod, options, observer)
    if kept_tests.is_one(pathlib.Path(run)):
        return kept_test.explain(run, pod, options)
    if options.at is not None:
        fix = "leave it out, or name a run of `kubestage run --for`"
        raise InputError("is for living runs", path="--at", fix=fix)
    if manifests.are_at(run):
        return manifests.explain(run, pod, observer)
    file_kinds.expect_run(str(run))
    with run_directory.open_run(run) as opened:
        pods = subject.RunPods(opened)
        if workloads.parse(pod) is not None and opened.repeat is not None:
            stage = repetition.stage_at_end(repetition.repeatable(opened), observer)
            workload = workloads.find(stage, pod)
            if workload is not None:
                waiting = workloads.pending_pod(stage, workload)
                if waiting is None:
                    return workloads.without_pods(stage, workload)
                pod = waiting
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
            advice=_advice(opened, found, options, observer),
        )


def explain_served(
    pod: str,
    options: ExplainOptions | None = None,
    *,
    server: str | None = None,
    kubeconfig: str | None = None,
) -> PodAttempts | NodeExplanation:
    """Explain a pod, a workload, or a node of a cluster that `kubestage serve` serves."""
    options = options or ExplainOptions()
    if options.at is not None:
        fix = "leave it out: a served cluster is explained as it is now"
        raise InputError("is for living runs", path="--at", fix=fix)
    node = names.node_of(pod)
    if node is not None:
        return nodes.explain_served(node, options, server=server, kubeconfig=kubeconfig)
    served = pod_explanations.PodExplanations(clock_server.find(server, kubeconfig))
    named = workloads.parse(pod)
    found = served.get(pod) if named is None else served.get_workload(*named)
    return msgspec.convert(found, PodAttempts)


def _advice(
    run: Run, found: FoundPod, options: ExplainOptions, observer: Observer
) -> FitAdvice | None:
    """What would make a pod fit that waits at the end of a run, if the run can be repeated.

    A question about one attempt or one node has its own answer.
    """
    if options.attempt is not None or options.node is not None or not options.with_advice:
        return None
    if run.repeat is None or not found.pods[-1].pod.is_waiting:
        return None
    if (run.scenario.get("status") or {}).get("phase") == phases.FAILED:
        # What the failed step would have brought is not there.
        return None
    try:
        stage = repetition.stage_at_end(repetition.repeatable(run), observer)
    except InputError:
        # Then the explanation itself says in what a repetition differs.
        return None
    pod = stage.store.read(gvk.POD).get(found.key)
    if pod is None or not pod_attempts.is_pending(pod):
        return None
    return fit.advise(stage, pod, observer=observer)


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
