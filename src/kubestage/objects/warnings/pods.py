"""Advice about pods and pod templates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.validation import container_paths, field, names, profiles
from kubestage.objects.warnings import addresses, cluster, containers, volumes

if TYPE_CHECKING:
    from kubestage.aliases import Json

_NO_SELECTOR: Final = "a null labelSelector results in matching no pod"
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
NODE_LABELS: Final = {
    "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": (
        'deprecated since v1.17; use "topology.kubernetes.io/region" instead'
    ),
    "failure-domain.beta.kubernetes.io/zone": (
        'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'
    ),
    "beta.kubernetes.io/instance-type": (
        'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'
    ),
    "app.kubernetes.io/created-by": "deprecated since v1.9",
    "scheduler.alpha.kubernetes.io/preferAvoidPods": (
        "deprecated since v1.22; use Taints and Tolerations instead"
    ),
    "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
}
_ANNOTATIONS: Final = {
    "scheduler.alpha.kubernetes.io/critical-pod": (
        'non-functional in v1.16+; use the "priorityClassName" field instead'
    ),
    "security.alpha.kubernetes.io/sysctls": (
        'non-functional in v1.11+; use the "sysctls" field instead'
    ),
    "security.alpha.kubernetes.io/unsafe-sysctls": (
        'non-functional in v1.11+; use the "sysctls" field instead'
    ),
}


def pod_spec(spec: Json, meta: Json, path: str) -> list[str]:
    """All advice about a spec; `path` leads to its pod or template, empty for a pod itself."""
    at = f"{path}.spec" if path else "spec"
    annotations = meta.get("annotations") or {}
    found = _placement(spec, at)
    if annotations:
        annotated = f"{path}.metadata.annotations" if path else "metadata.annotations"
        found += [
            f"{annotated}[{key}]: {advice}"
            for key, advice in _ANNOTATIONS.items()
            if key in annotations
        ]
    if spec.get("volumes"):
        found += volumes.volumes(spec["volumes"], f"{at}.volumes")
    found += _lists(spec, at)
    if spec.get("overhead"):
        for name in ("memory", "ephemeral-storage"):
            found += cluster.fraction(spec["overhead"].get(name), f"{at}.overhead[{name}]")
    if annotations:
        found += _profiles(spec, annotations, path)
    found += containers.containers(spec, at)
    grace = spec.get("terminationGracePeriodSeconds")
    if grace is not None and grace < 0:
        found.append(
            f"{at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and "
            "will be treated as 1"
        )
    if spec.get("affinity"):
        found += _pod_affinity(spec["affinity"], f"{at}.affinity")
    return found + _addresses(spec, at)


def _placement(spec: Json, path: str) -> list[str]:
    """Node labels that have newer names, constraints that match nothing."""
    found = [
        f"{path}.nodeSelector[{key}]: {NODE_LABELS[key]}"
        for key in spec.get("nodeSelector") or ()
        if key in NODE_LABELS
    ]
    node = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    terms = (node.get(_REQUIRED) or {}).get("nodeSelectorTerms") or ()
    for index, term in enumerate(terms):
        at = f"{path}.affinity.nodeAffinity.{_REQUIRED}.nodeSelectorTerms[{index}]"
        found += _node_term(term, at, check_values=False)
    for index, term in enumerate(node.get(_PREFERRED) or ()):
        at = f"{path}.affinity.nodeAffinity.{_PREFERRED}[{index}].preference"
        found += _node_term(term.get("preference") or {}, at, check_values=True)
    for index, constraint in enumerate(spec.get("topologySpreadConstraints") or ()):
        at = f"{path}.topologySpreadConstraints[{index}]"
        key = constraint.get("topologyKey") or ""
        if key in NODE_LABELS:
            found.append(f"{at}.topologyKey: {key} is {NODE_LABELS[key]}")
        if constraint.get("labelSelector") is None:
            found.append(f"{at}.labelSelector: {_NO_SELECTOR}")
    return found


def _node_term(term: Json, path: str, *, check_values: bool) -> list[str]:
    found: list[str] = []
    for index, expression in enumerate(term.get("matchExpressions") or ()):
        at = f"{path}.matchExpressions[{index}]"
        key = expression.get("key") or ""
        if key in NODE_LABELS:
            found.append(f"{at}.key: {key} is {NODE_LABELS[key]}")
        if check_values:
            found += [
                f"{at}.values[{number}]: {value} is invalid, {problem}"
                for number, value in enumerate(expression.get("values") or ())
                for problem in names.is_valid_label_value(value)
            ]
    return found


def _lists(spec: Json, path: str) -> list[str]:
    """Entries that hide one another."""
    found: list[str] = []
    for kind, key in (("hostAliases", "ip"), ("imagePullSecrets", "name")):
        seen: set[str] = set()
        for index, item in enumerate(spec.get(kind) or ()):
            value = item.get(key) or ""
            if value in seen:
                shown = field.quote(value)
                found.append(f"{path}.{kind}[{index}].{key}: duplicate {key} {shown}")
            seen.add(value)
    found += [
        f'{path}.imagePullSecrets[{index}].name: invalid empty name ""'
        for index, item in enumerate(spec.get("imagePullSecrets") or ())
        if not item.get("name")
    ]
    return found


def _profiles(spec: Json, annotations: dict[str, str], path: str) -> list[str]:
    """Annotations that fields have replaced."""
    at = f"{path}.metadata.annotations" if path else "metadata.annotations"
    advice = 'non-functional in v1.27+; use the "seccompProfile" field instead'
    context = spec.get("securityContext") or {}
    found: list[str] = []
    key = profiles.SECCOMP_POD_ANNOTATION
    if key in annotations and context.get("seccompProfile") is None:
        found.append(f"{at}[{key}]: {advice}")
    for container in container_paths.every(spec):
        own = container.get("securityContext") or {}
        key = profiles.SECCOMP_CONTAINER_ANNOTATION_PREFIX + (container.get("name") or "")
        if key in annotations and own.get("seccompProfile") is None:
            found.append(f"{at}[{key}]: {advice}")
        key = profiles.APPARMOR_ANNOTATION_PREFIX + (container.get("name") or "")
        if path and key in annotations and own.get("appArmorProfile") is None:
            profile = context.get("appArmorProfile")
            if profile is None or profile != profiles.apparmor_profile_of(annotations[key]):
                found.append(_apparmor(at, key))
    return found


def _apparmor(path: str, key: str) -> str:
    return f'{path}[{key}]: deprecated since v1.30; use the "appArmorProfile" field instead'


def apparmor_annotations(pod: Json) -> list[str]:
    """Annotations of a pod that had to be turned into fields, or could not be."""
    spec, annotations = pod["spec"], pod["metadata"].get("annotations")
    if not annotations or (spec.get("os") or {}).get("name") == "windows":
        return []
    context = spec.get("securityContext") or {}
    found: list[str] = []
    for container in container_paths.every(spec):
        key = profiles.APPARMOR_ANNOTATION_PREFIX + (container.get("name") or "")
        own = (container.get("securityContext") or {}).get("appArmorProfile")
        if key not in annotations or own is not None:
            continue
        profile = profiles.apparmor_profile_of(annotations[key])
        if profile is None or profile != context.get("appArmorProfile"):
            found.append(_apparmor("metadata.annotations", key))
    return found


def _pod_affinity(affinity: Json, path: str) -> list[str]:
    found: list[str] = []
    for kind in ("podAffinity", "podAntiAffinity"):
        held = affinity.get(kind) or {}
        found += [
            f"{path}.{kind}.{_REQUIRED}[{index}].labelSelector: {_NO_SELECTOR}"
            for index, term in enumerate(held.get(_REQUIRED) or ())
            if term.get("labelSelector") is None
        ]
        found += [
            f"{path}.{kind}.{_PREFERRED}[{index}].podAffinityTerm.labelSelector: {_NO_SELECTOR}"
            for index, term in enumerate(held.get(_PREFERRED) or ())
            if (term.get("podAffinityTerm") or {}).get("labelSelector") is None
        ]
    return found


def _addresses(spec: Json, path: str) -> list[str]:
    found: list[str] = []
    for index, server in enumerate((spec.get("dnsConfig") or {}).get("nameservers") or ()):
        found += addresses.address(server, f"{path}.dnsConfig.nameservers[{index}]")
    for index, alias in enumerate(spec.get("hostAliases") or ()):
        found += addresses.address(alias.get("ip") or "", f"{path}.hostAliases[{index}].ip")
    return found


def name(obj: Json, use: str) -> list[str]:
    """A name that is no DNS label, although pods will use it."""
    problems = names.is_dns1123_label(obj["metadata"].get("name") or "")
    if not problems:
        return []
    return [
        (
            f"metadata.name: this is used in {use}, which can result in surprising behavior; "
            f"a DNS label is recommended: [{' '.join(problems)}]"
        )
    ]


def node_label_expressions(expressions: list[Json] | None, path: str) -> list[str]:
    """Warnings about deprecated labels of nodes in the expressions of a selector."""
    found = []
    for index, expression in enumerate(expressions or ()):
        key = expression.get("key") or ""
        if key in NODE_LABELS:
            found.append(f"{path}.matchExpressions[{index}].key: {key} is {NODE_LABELS[key]}")
    return found
