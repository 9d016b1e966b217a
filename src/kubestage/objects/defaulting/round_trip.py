"""What passing through the API server's internal version changes in a defaulted object.

The internal types know one spelling where v1 keeps two for old clients: one service account
field, a list of pod addresses and CIDRs, no template generation. Reading an object back shows
both spellings, filled from the one.
"""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

_ROLLBACK_TO: Final = "deprecated.deployment.rollback.to"
_TEMPLATE_GENERATION: Final = "deprecated.daemonset.template.generation"
_INIT_CONTAINERS: Final = (
    "pod.alpha.kubernetes.io/init-containers",
    "pod.alpha.kubernetes.io/init-container-statuses",
    "pod.beta.kubernetes.io/init-containers",
    "pod.beta.kubernetes.io/init-container-statuses",
)
_AUTOSCALING: Final = (
    "autoscaling.alpha.kubernetes.io/metrics",
    "autoscaling.alpha.kubernetes.io/current-metrics",
    "autoscaling.alpha.kubernetes.io/conditions",
    "autoscaling.alpha.kubernetes.io/behavior",
    "autoscaling.alpha.kubernetes.io/scale-down-tolerance",
    "autoscaling.alpha.kubernetes.io/scale-up-tolerance",
)
_MATCH_LABEL: Final = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"
_INT64: Final = re.compile(r"[+-]?[0-9]+", re.ASCII)


def pod(obj: dict[str, Any]) -> None:
    """A negative grace period is read as one second; addresses and accounts agree."""
    _drop_annotations(obj["metadata"], _INIT_CONTAINERS)
    spec = obj["spec"]
    if spec["terminationGracePeriodSeconds"] < 0:
        spec["terminationGracePeriodSeconds"] = 1
    _pod_spec(spec)
    status = obj["status"]
    if status:
        address, addresses = status.get("podIP"), status.get("podIPs")
        if address and (not addresses or addresses[0].get("ip", "") != address):
            status["podIPs"] = [{"ip": address}]
        elif addresses and not address:
            _set_or_drop(status, "podIP", addresses[0].get("ip", ""))


def _template(obj: dict[str, Any]) -> None:
    _drop_annotations(obj["metadata"], _INIT_CONTAINERS)
    _pod_spec(obj["spec"])


def _pod_spec(spec: dict[str, Any]) -> None:
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        spec["serviceAccountName"] = spec["serviceAccount"] = account


def _pod_template(obj: dict[str, Any]) -> None:
    _template(obj["template"])


def _workload(obj: dict[str, Any]) -> None:
    template = obj["spec"].get("template")
    if template is not None:
        _template(template)


def _deployment(obj: dict[str, Any]) -> None:
    _keep_number(obj["metadata"], _ROLLBACK_TO, keep_empty=False)
    _complete_rolling(obj["spec"]["strategy"], maxUnavailable=0, maxSurge=0)
    _workload(obj)


def _daemon_set(obj: dict[str, Any]) -> None:
    _keep_number(obj["metadata"], _TEMPLATE_GENERATION, keep_empty=True)
    obj["metadata"].setdefault("annotations", {}).setdefault(_TEMPLATE_GENERATION, "0")
    _complete_rolling(obj["spec"]["updateStrategy"], maxUnavailable=0, maxSurge=0)
    _workload(obj)


def _stateful_set(obj: dict[str, Any]) -> None:
    _complete_rolling(obj["spec"]["updateStrategy"], partition=0)
    for claim in obj["spec"].get("volumeClaimTemplates", ()):
        claim["apiVersion"] = "v1"
        claim["kind"] = "PersistentVolumeClaim"
    _workload(obj)


def _cron_job(obj: dict[str, Any]) -> None:
    _template(obj["spec"]["jobTemplate"]["spec"]["template"])


def _node(obj: dict[str, Any]) -> None:
    spec = obj["spec"]
    block, blocks = spec.get("podCIDR"), spec.get("podCIDRs")
    if block and (not blocks or blocks[0] != block):
        spec["podCIDRs"] = [block]
    elif blocks and not block:
        _set_or_drop(spec, "podCIDR", blocks[0])


def _secret(obj: dict[str, Any]) -> None:
    """Plain strings move, encoded, to `data`."""
    data = obj.setdefault("data", {})
    for key, text in obj.pop("stringData", {}).items():
        data[key] = base64.b64encode(text.encode()).decode()
    if not data:
        del obj["data"]


def _horizontal_pod_autoscaler(obj: dict[str, Any]) -> None:
    _drop_annotations(obj["metadata"], _AUTOSCALING)


def _pod_disruption_budget(obj: dict[str, Any]) -> None:
    """A marker of old match-all selectors must not be mixed with others."""
    selector = obj["spec"].get("selector")
    marker = {"matchExpressions": [{"key": _MATCH_LABEL, "operator": "Exists"}]}
    if selector and selector != marker and "matchExpressions" in selector:
        kept = [each for each in selector["matchExpressions"] if each["key"] != _MATCH_LABEL]
        _set_or_drop(selector, "matchExpressions", kept)


def _custom_resource_definition(obj: dict[str, Any]) -> None:
    """A webhook that says nothing is none."""
    conversion = obj["spec"]["conversion"]
    webhook = conversion.get("webhook")
    empty = webhook is not None and webhook["conversionReviewVersions"] is None
    if empty and "clientConfig" not in webhook:
        del conversion["webhook"]


def _drop_annotations(metadata: dict[str, Any], names: tuple[str, ...]) -> None:
    annotations = metadata.get("annotations")
    if annotations:
        for name in names:
            annotations.pop(name, None)
        _set_or_drop(metadata, "annotations", annotations)


def _keep_number(metadata: dict[str, Any], name: str, *, keep_empty: bool) -> None:
    """An annotation that stands for a number internally comes back in its plain spelling."""
    annotations = metadata.get("annotations", {})
    text = annotations.get(name)
    if text is None:
        return
    if text == "" and not keep_empty:
        del annotations[name]
        _set_or_drop(metadata, "annotations", annotations)
    elif _INT64.fullmatch(text) and -(1 << 63) <= int(text) < 1 << 63:
        annotations[name] = str(int(text))
    else:
        raise InputError(f'"{text}" is no whole number', path=f"metadata.annotations[{name}]")


def _complete_rolling(strategy: dict[str, Any], **zeros: int) -> None:
    """Internally these are plain numbers, so what defaulting left open comes back as zero."""
    for name, zero in zeros.items():
        if "rollingUpdate" in strategy:
            strategy["rollingUpdate"].setdefault(name, zero)


def _set_or_drop(holder: dict[str, Any], name: str, value: Any) -> None:
    if value:
        holder[name] = value
    else:
        holder.pop(name, None)


BY_KIND: Final[dict[tuple[str, str], Callable[[dict[str, Any]], None]]] = {
    ("v1", "Pod"): pod,
    ("v1", "PodTemplate"): _pod_template,
    ("v1", "ReplicationController"): _workload,
    ("v1", "Node"): _node,
    ("v1", "Secret"): _secret,
    ("apps/v1", "Deployment"): _deployment,
    ("apps/v1", "ReplicaSet"): _workload,
    ("apps/v1", "StatefulSet"): _stateful_set,
    ("apps/v1", "DaemonSet"): _daemon_set,
    ("batch/v1", "Job"): _workload,
    ("batch/v1", "CronJob"): _cron_job,
    ("autoscaling/v2", "HorizontalPodAutoscaler"): _horizontal_pod_autoscaler,
    ("policy/v1", "PodDisruptionBudget"): _pod_disruption_budget,
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"): _custom_resource_definition,
}
