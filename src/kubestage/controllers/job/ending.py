"""Whether a Job is over, and why: it has failed, or enough has succeeded.

What an earlier sync decided stands. Then failures go before successes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.controllers.job import conditions, indexes, intervals
from kubestage.controllers.job.failure_policy import match_failure_policy
from kubestage.controllers.job.job_pods import has_failed
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.job.context import JobContext
    from kubestage.controllers.job.intervals import Intervals


_COMPLETIONS_REACHED: Final = (
    "CompletionsReached",
    "Reached expected number of succeeded pods",
)
_BACKOFF: Final = ("BackoffLimitExceeded", "Job has reached the specified backoff limit")
_DEADLINE: Final = ("DeadlineExceeded", "Job was active longer than specified deadline")
_TOO_MANY_INDEXES: Final = (
    "MaxFailedIndexesExceeded",
    "Job has exceeded the specified maximal number of failed indexes",
)
_FAILED_INDEXES: Final = ("FailedIndexes", "Job has failed indexes")


def evaluate(context: JobContext, now_unix_ns: int, now: str) -> None:
    """Find out about the indexes of a Job, and set how the Job ends if it does."""
    ending = _decided(context, now) or _failed(context, now_unix_ns, now)
    if context.is_indexed:
        _evaluate_indexes(context)
        ending = ending or _ended_by_indexes(context, now)
    context.ending = ending


def deadline_ns(context: JobContext) -> int | None:
    """When a Job will have been active for too long."""
    seconds = context.spec.get("activeDeadlineSeconds")
    start_ns = context.status.start_ns
    if seconds is None or start_ns is None or context.is_suspended:
        return None
    return start_ns + int(seconds) * SECOND_NS


def is_complete(context: JobContext, active: int) -> bool:
    """Whether all completions are there; without a number, one success is enough for all."""
    completions = context.spec.get("completions")
    return not active and context.succeeded >= (1 if completions is None else completions)


def completed(now: str) -> Json:
    """The condition of a Job whose completions are there."""
    met = conditions.SUCCESS_CRITERIA_MET
    return conditions.new(met, conditions.TRUE, *_COMPLETIONS_REACHED, now)


def _decided(context: JobContext, now: str) -> Json | None:
    found = context.status.conditions
    met = conditions.find(found, conditions.SUCCESS_CRITERIA_MET)
    if met is not None and met["status"] == conditions.TRUE:
        return met
    target = conditions.find(found, conditions.FAILURE_TARGET)
    if target is not None and target["status"] == conditions.TRUE:
        return failed_for(target, now)
    return None


def failed_for(target: Json, now: str) -> Json:
    """The condition that follows from the announcement of a failure."""
    reason, message = target.get("reason", ""), target.get("message", "")
    return conditions.new(conditions.FAILED, conditions.TRUE, reason, message, now)


def _failed(context: JobContext, now_unix_ns: int, now: str) -> Json | None:
    message = _message_of_policy(context)
    if message is not None:
        return _target("PodFailurePolicy", message, now)
    limit = context.spec["backoffLimit"]
    if context.failed > limit or _restarts_exceed(context, limit):
        return _target(*_BACKOFF, now)
    due_ns = deadline_ns(context)
    if due_ns is not None and now_unix_ns >= due_ns:
        return _target(*_DEADLINE, now)
    return None


def _target(reason: str, message: str, now: str) -> Json:
    return conditions.new(conditions.FAILURE_TARGET, conditions.TRUE, reason, message, now)


def _message_of_policy(context: JobContext) -> str | None:
    policy = context.spec.get("podFailurePolicy")
    if policy is None:
        return None
    failed = (pod for pod in context.others if has_failed(pod, context.spec))
    messages = (match_failure_policy(policy, pod).message for pod in failed)
    return next((message for message in messages if message is not None), None)


def _restarts_exceed(context: JobContext, limit: int) -> bool:
    """Whether containers were started again too often, where that happens within one pod."""
    if context.spec["template"]["spec"].get("restartPolicy") != "OnFailure":
        return False
    found = (*context.active, *context.others)
    alive = (pod for pod in found if pods.phase(pod) in ("Running", "Pending"))
    restarts = sum(map(_restarts, alive))
    return restarts > 0 if limit == 0 else restarts >= limit


def _restarts(pod: Json) -> int:
    status = pod["status"]
    groups: Iterable[list[Json] | None] = (
        status.get("initContainerStatuses"),
        status.get("containerStatuses"),
    )
    return sum(each.get("restartCount", 0) for group in groups for each in group or ())


def _evaluate_indexes(context: JobContext) -> None:
    spec, status = context.spec, context.status
    completions = spec["completions"]
    before = intervals.parse(status.completed_indexes, completions)
    newly = sorted(indexes.newly_succeeded(context.others, completions))
    context.previous_indexes = before
    context.succeeded_indexes = intervals.with_indexes(before, newly)
    context.succeeded = intervals.total(context.succeeded_indexes)
    if context.limits_each_index:
        failed_before = intervals.parse(status.failed_indexes or "", completions)
        newly = sorted(indexes.newly_failed(spec, context.others))
        context.failed_indexes = intervals.with_indexes(failed_before, newly)
        context.awaiting_replacement = indexes.awaiting_replacement(
            spec, context.others, context.active, context.settled_indexes()
        )


def _ended_by_indexes(context: JobContext, now: str) -> Json | None:
    spec = context.spec
    completions = spec["completions"]
    if context.failed_indexes is not None:
        failed = intervals.total(context.failed_indexes)
        limit = spec.get("maxFailedIndexes")
        if limit is not None and failed > limit:
            return _target(*_TOO_MANY_INDEXES, now)
        if failed and failed + context.succeeded >= completions:
            return _target(*_FAILED_INDEXES, now)
    policy = spec.get("successPolicy")
    message = match_success_policy(policy, completions, context.succeeded_indexes)
    if message is None:
        return None
    met = conditions.SUCCESS_CRITERIA_MET
    return conditions.new(met, conditions.TRUE, "SuccessPolicy", message, now)


def match_success_policy(policy: Json | None, completions: int, succeeded: Intervals) -> str | None:
    """The message of the first rule by which a Job has succeeded before all its indexes have."""
    if policy is None or not succeeded:
        return None
    for number, rule in enumerate(policy.get("rules") or ()):
        if _is_met(rule, completions, succeeded):
            return f"Matched rules at index {number}"
    return None


def _is_met(rule: Json, completions: int, succeeded: Intervals) -> bool:
    count = rule.get("succeededCount")
    text = rule.get("succeededIndexes")
    if text is None:
        return count is not None and intervals.total(succeeded) >= count
    expected = intervals.parse(text, completions)
    if not expected:
        return False
    shared = intervals.overlap(expected, succeeded)
    return shared == intervals.total(expected) or (count is not None and shared >= count)
