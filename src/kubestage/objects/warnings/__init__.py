"""What the API server accepts, but warns about.

Here belongs advice that travels in ``Warning`` headers; what is refused belongs to
``validation``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import names
from kubestage.objects.warnings import cluster, pods

if TYPE_CHECKING:
    from collections.abc import Callable

    Warn = Callable[[dict[str, Any]], list[str]]

_COMPLETIONS_SOFT_LIMIT: Final = 100_000
_PARALLELISM_SOFT_LIMIT: Final = 10_000
_ADDRESSES: Final = ("podIPs", "hostIPs")


def on_create(obj: dict[str, Any], sent: dict[str, Any] | None = None) -> list[str]:
    """Warnings about a new object; `sent` is the object before it was prepared."""
    warn = _CREATE.get((obj["apiVersion"], obj["kind"]))
    if warn is None:
        return []
    found = warn(obj)
    if obj["kind"] == "Pod" and obj["metadata"].get("annotations"):
        found = pods.apparmor_annotations(obj if sent is None else sent) + found
    return found


def on_update(new: dict[str, Any], old: dict[str, Any], subresource: str = "") -> list[str]:
    """Warnings about a changed object; pods themselves are changed too often to look."""
    key = (new["apiVersion"], new["kind"])
    if subresource == "status" and key == ("v1", "Pod"):
        report = new.get("status") or {}
        return [
            warning
            for kind in _ADDRESSES
            for index, entry in enumerate(report.get(kind) or ())
            for warning in pods.address(entry.get("ip") or "", f"status.{kind}[{index}].ip")
        ]
    if subresource or key == ("v1", "Pod"):
        return []
    if key in _AT_EVERY_CHANGE:
        return _CREATE[key](new)
    if new["metadata"].get("generation") == old["metadata"].get("generation"):
        return []
    warn = _TEMPLATES.get(key)
    return [] if warn is None else warn(new)


def _name(obj: dict[str, Any], use: str) -> list[str]:
    problems = names.is_dns1123_label(obj["metadata"].get("name") or "")
    if not problems:
        return []
    return [
        (
            f"metadata.name: this is used in {use}, which can result in surprising behavior; "
            f"a DNS label is recommended: [{' '.join(problems)}]"
        )
    ]


def _pod(obj: dict[str, Any]) -> list[str]:
    return _name(obj, "the Pod's hostname") + pods.pod_spec(obj["spec"], obj["metadata"], "")


def _template(obj: dict[str, Any]) -> list[str]:
    return _pod_template((obj.get("spec") or {}).get("template"), "spec.template")


def _pod_template(template: dict[str, Any] | None, path: str) -> list[str]:
    if template is None:
        return []
    return pods.pod_spec(template.get("spec") or {}, template.get("metadata") or {}, path)


def _named_template(obj: dict[str, Any]) -> list[str]:
    return _name(obj, "Pod names and hostnames") + _TEMPLATES[obj["apiVersion"], obj["kind"]](obj)


def _bare_template(obj: dict[str, Any]) -> list[str]:
    return _pod_template(obj.get("template"), "template")


def _stateful_set(obj: dict[str, Any]) -> list[str]:
    found = _template(obj)
    spec = obj.get("spec") or {}
    for index, claim in enumerate(spec.get("volumeClaimTemplates") or ()):
        path = f"spec.volumeClaimTemplates[{index}]"
        found += cluster.claim_spec(claim.get("spec") or {}, path)
    if (spec.get("revisionHistoryLimit") or 0) < 0:
        found.append(
            "spec.revisionHistoryLimit: a negative value retains all historical revisions; "
            "a value >= 0 is recommended"
        )
    return found


def _job_spec(spec: dict[str, Any], path: str) -> list[str]:
    found: list[str] = []
    if (
        spec.get("completionMode") == "Indexed"
        and (spec.get("completions") or 0) > _COMPLETIONS_SOFT_LIMIT
        and (spec.get("parallelism") or 0) > _PARALLELISM_SOFT_LIMIT
    ):
        found.append(
            f"{path}: In Indexed Jobs with a number of completions higher than 10^5 and a "
            "parallelism higher than 10^4, Kubernetes might not be able to track "
            "completedIndexes when a big number of indexes fail"
        )
    return found + _pod_template(spec.get("template"), f"{path}.template")


def _job(obj: dict[str, Any]) -> list[str]:
    return _job_spec(obj.get("spec") or {}, "spec")


def _cron_job(obj: dict[str, Any]) -> list[str]:
    template = (obj.get("spec") or {}).get("jobTemplate") or {}
    return _job_spec(template.get("spec") or {}, "spec.jobTemplate.spec")


_TEMPLATES: Final[dict[tuple[str, str], Warn]] = {
    ("v1", "ReplicationController"): _template,
    ("v1", "PodTemplate"): _bare_template,
    ("apps/v1", "Deployment"): _template,
    ("apps/v1", "ReplicaSet"): _template,
    ("apps/v1", "StatefulSet"): _stateful_set,
    ("apps/v1", "DaemonSet"): _template,
    ("batch/v1", "Job"): _job,
    ("batch/v1", "CronJob"): _cron_job,
}
_AT_EVERY_CHANGE: Final[dict[tuple[str, str], Warn]] = {
    ("v1", "Node"): cluster.node,
    ("v1", "PersistentVolumeClaim"): cluster.claim,
    ("autoscaling.k8s.io/v1", "VerticalPodAutoscaler"): cluster.vertical_pod_autoscaler,
}
_CREATE: Final[dict[tuple[str, str], Warn]] = {
    ("v1", "Pod"): _pod,
    **_AT_EVERY_CHANGE,
    **_TEMPLATES,
    ("v1", "ReplicationController"): _named_template,
    ("apps/v1", "Deployment"): _named_template,
    ("apps/v1", "ReplicaSet"): _named_template,
    ("batch/v1", "Job"): _named_template,
    ("batch/v1", "CronJob"): _named_template,
}
