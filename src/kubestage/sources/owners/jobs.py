"""Jobs whose pods are there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods as pod_states
from kubestage.controllers.ownership import controller_of, controller_reference, labels_of
from kubestage.sources.owners import pod_template
from kubestage.sources.owners.replica_sets import REBUILT

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.sources.owners.known import Known
    from kubestage.sources.owners.rebuilding import Rebuilt

_UID_LABELS: Final = ("batch.kubernetes.io/controller-uid", "controller-uid")
_INDEX: Final = "batch.kubernetes.io/job-completion-index"
_BACKOFF_LIMIT: Final = 6
_NO_MORE: Final = "not in the source, so that they create no more Jobs"
# The CronJob controller appends the minute for which it has created a Job.
_scheduled: Final = re.compile(r"(.+)-([0-9]{8,})").fullmatch


def complete(known: Known, rebuilt: Rebuilt) -> None:
    """Rebuild Jobs; the schedule of a missing CronJob is not known, so that it stays missing."""
    for reference, pods in known.orphans("Job").values():
        rebuilt.note(REBUILT, f"job/{reference['name']}", len(pods))
        rebuilt.add(known, _of_pods(known, reference, pods))
    for reference, jobs in known.orphans("CronJob", among="Job").values():
        uids = {each["metadata"]["uid"] for each in jobs}
        pods = [each for each in known.pods if (controller_of(each) or {}).get("uid") in uids]
        rebuilt.note(_NO_MORE, f"cronjob/{reference['name']}", len(pods))


def _of_pods(known: Known, reference: Json, pods: list[Json]) -> Json:
    first = pods[0]
    namespace = first["metadata"].get("namespace", "default")
    metadata: Json = {
        "name": reference["name"],
        "namespace": namespace,
        "uid": reference["uid"],
        "creationTimestamp": _created(pods),
        "generation": 1,
    }
    cron_job = _cron_job_of(known, namespace, reference["name"])
    if cron_job is not None:
        metadata["ownerReferences"] = [controller_reference(cron_job)]
        spec = dict(cron_job["spec"]["jobTemplate"].get("spec") or {})
    else:
        spec = _spec(pods)
    label = next((each for each in _UID_LABELS if each in labels_of(first)), _UID_LABELS[0])
    spec["selector"] = {"matchLabels": {label: reference["uid"]}}
    template = dict(spec["template"])
    described = dict(template.get("metadata") or {})
    own = {key: value for key, value in labels_of(first).items() if key in _OWN_LABELS}
    described["labels"] = {**(described.get("labels") or {}), **own}
    spec["template"] = {**template, "metadata": described}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata,
        "spec": spec,
        "status": _status(pods, spec),
    }


_OWN_LABELS: Final = frozenset({*_UID_LABELS, "batch.kubernetes.io/job-name", "job-name"})


def _created(pods: list[Json]) -> str:
    return min(str(each["metadata"].get("creationTimestamp") or "") for each in pods)


def _cron_job_of(known: Known, namespace: str, name: str) -> Json | None:
    match = _scheduled(name)
    found = None if match is None else known.find("CronJob", namespace, match[1])
    return found if found is not None and "uid" in found["metadata"] else None


def _phases(pods: list[Json]) -> tuple[int, int, int]:
    """How many are active, have succeeded, and have failed."""
    phases = [pod_states.phase(each) for each in pods]
    succeeded, failed = phases.count("Succeeded"), phases.count("Failed")
    return len(pods) - succeeded - failed, succeeded, failed


def _spec(pods: list[Json]) -> Json:
    """Of a Job that does what its pods do, and no more."""
    active, succeeded, failed = _phases(pods)
    spec: Json = {
        "parallelism": max(active, 1),
        "completions": max(active + succeeded, 1),
        "backoffLimit": max(_BACKOFF_LIMIT, failed + 1),
        "template": pod_template.of_pod(pods[0]),
    }
    found = (each["metadata"].get("annotations") or {} for each in pods)
    indexes = [int(each[_INDEX]) for each in found if each.get(_INDEX, "").isdigit()]
    if indexes:
        spec |= {"completionMode": "Indexed", "completions": max(indexes) + 1}
    return spec


def _status(pods: list[Json], spec: Json) -> Json:
    """Only pods that were let go have been counted; the controller counts all others."""
    counted = [each for each in pods if not each["metadata"].get("finalizers")]
    _, succeeded, failed = _phases(counted)
    active = _phases(pods)[0]
    status: Json = {"startTime": _created(pods), "uncountedTerminatedPods": {}}
    counts = {"active": active, "succeeded": succeeded, "failed": failed}
    status |= {name: count for name, count in counts.items() if count}
    if succeeded and succeeded >= (spec.get("completions") or 1) and not active:
        at = max(filter(None, map(_ended, counted)), default=_created(pods))
        condition = {
            "status": "True", "lastProbeTime": at, "lastTransitionTime": at,
            "reason": "CompletionsReached", "message": "Reached expected number of succeeded pods",
        }  # fmt: skip
        status["completionTime"] = at
        conditions = ("SuccessCriteriaMet", "Complete")
        status["conditions"] = [{"type": each, **condition} for each in conditions]
    if spec.get("completionMode") == "Indexed" and succeeded:
        status["completedIndexes"] = ",".join(map(str, _completed(counted)))
    return status


def _ended(pod: Json) -> str | None:
    statuses = (pod.get("status") or {}).get("containerStatuses") or ()
    states = [(each.get("state") or {}).get("terminated") or {} for each in statuses]
    return max(filter(None, (each.get("finishedAt") for each in states)), default=None)


def _completed(pods: list[Json]) -> list[int]:
    done = [each for each in pods if pod_states.phase(each) == "Succeeded"]
    found = ((each["metadata"].get("annotations") or {}).get(_INDEX, "") for each in done)
    return sorted(int(each) for each in found if each.isdigit())
