"""Defaults of jobs and of the schedules that start them."""

from __future__ import annotations

from typing import Any, Final

from kubestage.objects.defaulting import pod

_NO_LIMIT: Final = (1 << 31) - 1


def job(obj: dict[str, Any]) -> None:
    """Complete a Job: one pod, once, unless it says otherwise."""
    spec = obj["spec"]
    if "parallelism" not in spec:
        spec.setdefault("completions", 1)
        spec["parallelism"] = 1
    spec.setdefault("backoffLimit", _NO_LIMIT if "backoffLimitPerIndex" in spec else 6)
    labels = spec["template"]["metadata"].get("labels")
    if labels:
        # One dict in both places, as upstream: what is added to the template's is the job's, too.
        obj["metadata"].setdefault("labels", labels)
    spec.setdefault("completionMode", "NonIndexed")
    spec.setdefault("suspend", False)
    replacement = "Failed" if "podFailurePolicy" in spec else "TerminatingOrFailed"
    spec.setdefault("podReplacementPolicy", replacement)
    spec.setdefault("manualSelector", False)
    _job_spec(spec)


def cron_job(obj: dict[str, Any]) -> None:
    """Complete a CronJob; its jobs are completed when they are made."""
    spec = obj["spec"]
    spec.setdefault("concurrencyPolicy", "Allow")
    spec.setdefault("suspend", False)
    spec.setdefault("successfulJobsHistoryLimit", 3)
    spec.setdefault("failedJobsHistoryLimit", 1)
    _job_spec(spec["jobTemplate"]["spec"])


def _job_spec(spec: dict[str, Any]) -> None:
    for rule in spec.get("podFailurePolicy", {}).get("rules") or ():
        for condition in rule.get("onPodConditions", ()):
            if not condition["status"]:
                condition["status"] = "True"
    pod.template(spec["template"])
