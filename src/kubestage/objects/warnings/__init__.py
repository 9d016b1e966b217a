"""What the API server accepts, but warns about.

Here belongs advice that travels in ``Warning`` headers; what is refused belongs to
``validation``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects import schema
from kubestage.objects.custom import advice
from kubestage.objects.validation import names
from kubestage.objects.warnings import addresses, cluster, network, pods, secrets, storage

if TYPE_CHECKING:
    from collections.abc import Callable

    Warn = Callable[[dict[str, Any]], list[str]]
    WarnOfChange = Callable[[dict[str, Any], dict[str, Any]], list[str]]

_COMPLETIONS_SOFT_LIMIT: Final = 100_000
_PARALLELISM_SOFT_LIMIT: Final = 10_000
_ADDRESSES: Final = ("podIPs", "hostIPs")
_BALANCED: Final = (("v1", "Service"), ("networking.k8s.io/v1", "Ingress"))


def on_create(obj: dict[str, Any], sent: dict[str, Any] | None = None) -> list[str]:
    """Warnings about a new object; `sent` is the object before it was prepared."""
    found = [] if sent is None else repeated_owners(sent)
    key = (obj["apiVersion"], obj["kind"])
    warn = _CREATE.get(key)
    if warn is None:
        return found + advice.on_instance(obj) if schema.kind_struct(*key) is None else found
    if obj["kind"] == "Pod" and obj["metadata"].get("annotations"):
        found += pods.apparmor_annotations(obj if sent is None else sent)
    return found + warn(obj)


def repeated_owners(sent: dict[str, Any], when: str = "") -> list[str]:
    """A warning about owners that a request names more than once, and when that was seen."""
    owners = (sent.get("metadata") or {}).get("ownerReferences") or ()
    repeated: list[str] = []
    seen: set[bytes] = set()
    for owner in owners:
        known = len(seen)
        seen.add(msgspec.json.encode(owner, order="sorted"))
        if len(seen) == known:
            repeated.append(owner.get("uid") or "")
    if not repeated:
        return []
    told = (
        f".metadata.ownerReferences contains duplicate entries{when}; API server dedups owner "
        "references in 1.20+, and may reject such requests as early as 1.24; please fix your "
        f"requests; duplicate UID(s) observed: {', '.join(repeated)}"
    )
    return [told]


def on_update(new: dict[str, Any], old: dict[str, Any], subresource: str = "") -> list[str]:
    """Warnings about a changed object; pods themselves are changed too often to look."""
    key = (new["apiVersion"], new["kind"])
    if subresource == "status" and key == ("v1", "Pod"):
        report = new.get("status") or {}
        return [
            warning
            for kind in _ADDRESSES
            for index, entry in enumerate(report.get(kind) or ())
            for warning in addresses.address(entry.get("ip") or "", f"status.{kind}[{index}].ip")
        ]
    if subresource == "status" and key in _BALANCED:
        return network.load_balancer(new)
    if subresource or key == ("v1", "Pod"):
        return []
    if schema.kind_struct(*key) is None:
        return advice.on_instance(new, old)
    if key in _COMPARED:
        return _COMPARED[key](new, old)
    if key in _AT_EVERY_CHANGE:
        return _AT_EVERY_CHANGE[key](new)
    if not _is_new_generation(new, old):
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
    return _template(obj) + _stateful_set_spec(obj.get("spec") or {}, "")


def _stateful_set_spec(spec: dict[str, Any], part: str) -> list[str]:
    found: list[str] = []
    for index, claim in enumerate(spec.get("volumeClaimTemplates") or ()):
        path = f"spec.volumeClaimTemplates[{index}]{part}"
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


def _changed_cron_job(new: dict[str, Any], old: dict[str, Any]) -> list[str]:
    found = _cron_job(new) if _is_new_generation(new, old) else []
    if "TZ" in ((new.get("spec") or {}).get("schedule") or ""):
        found.append(
            "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see "
            "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
        )
    return found


def _changed_stateful_set(new: dict[str, Any], old: dict[str, Any]) -> list[str]:
    found = _template(new) if _is_new_generation(new, old) else []
    return found + _stateful_set_spec(new.get("spec") or {}, ".Spec")


def _is_new_generation(new: dict[str, Any], old: dict[str, Any]) -> bool:
    return bool(new["metadata"].get("generation") != old["metadata"].get("generation"))


def _changed_daemon_set(new: dict[str, Any], old: dict[str, Any]) -> list[str]:
    """Only a new template is looked at, for it has a generation of its own."""
    before, after = ((obj.get("spec") or {}).get("template") for obj in (old, new))
    return [] if before == after else _template(new)


def _changed_replication_controller(new: dict[str, Any], old: dict[str, Any]) -> list[str]:
    """Upstream confuses the two: it warns of the template that was there before."""
    return _template(old) if _is_new_generation(new, old) else []


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
    ("v1", "Endpoints"): network.endpoints,
    ("v1", "Node"): cluster.node,
    ("v1", "PersistentVolume"): storage.volume,
    ("v1", "PersistentVolumeClaim"): cluster.claim,
    ("v1", "Secret"): secrets.secret,
    ("v1", "Service"): network.service,
    ("autoscaling.k8s.io/v1", "VerticalPodAutoscaler"): cluster.vertical_pod_autoscaler,
    ("discovery.k8s.io/v1", "EndpointSlice"): network.endpoint_slice,
    ("networking.k8s.io/v1", "NetworkPolicy"): network.network_policy,
    ("node.k8s.io/v1", "RuntimeClass"): storage.runtime_class,
    ("resource.k8s.io/v1", "ResourceSlice"): storage.resource_slice,
    ("storage.k8s.io/v1", "CSIStorageCapacity"): storage.capacity,
    ("storage.k8s.io/v1", "StorageClass"): storage.storage_class,
    **{
        ("admissionregistration.k8s.io/v1", kind): cluster.static_name
        for kind in (
            "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding",
            "MutatingWebhookConfiguration", "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration",
        )
    },
}  # fmt: skip
_COMPARED: Final[dict[tuple[str, str], WarnOfChange]] = {
    ("v1", "ReplicationController"): _changed_replication_controller,
    ("v1", "ServiceAccount"): cluster.service_account,
    ("apps/v1", "DaemonSet"): _changed_daemon_set,
    ("apps/v1", "StatefulSet"): _changed_stateful_set,
    ("batch/v1", "CronJob"): _changed_cron_job,
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"): advice.on_definition,
    ("storage.k8s.io/v1", "CSIDriver"): storage.changed_driver,
}
_CREATE: Final[dict[tuple[str, str], Warn]] = {
    ("v1", "Pod"): _pod,
    **_AT_EVERY_CHANGE,
    **_TEMPLATES,
    ("v1", "ResourceQuota"): cluster.new_resource_quota,
    ("v1", "ServiceAccount"): cluster.new_service_account,
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"): advice.on_definition,
    ("discovery.k8s.io/v1", "EndpointSlice"): network.new_endpoint_slice,
    ("networking.k8s.io/v1", "Ingress"): network.ingress,
    ("storage.k8s.io/v1", "CSIDriver"): storage.driver,
    ("v1", "ReplicationController"): _named_template,
    ("apps/v1", "Deployment"): _named_template,
    ("apps/v1", "ReplicaSet"): _named_template,
    ("batch/v1", "Job"): _named_template,
    ("batch/v1", "CronJob"): _named_template,
}
