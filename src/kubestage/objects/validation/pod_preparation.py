"""What the API server does to a pod's spec before it validates it.

Fields behind closed feature gates are dropped, selectors are completed with the pod's own labels,
and old AppArmor annotations become fields. Inputs are never changed; what stays as it was is
shared with the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.validation import container_paths, profiles

if TYPE_CHECKING:
    from kubestage.aliases import Json

_CONTAINERS: Final = ("initContainers", "containers", "ephemeralContainers")
# Sources of projected volumes whose gates are closed in v1.36.
_GATED_SOURCES: Final = ("clusterTrustBundle", "podCertificate")
_TERM_LISTS: Final = (
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
)


def prepare_new_pod(pod: Json) -> Json:
    """A pod about to be created."""
    spec = pod.get("spec") or {}
    meta = pod.get("metadata") or {}
    prepared = drop_disabled_fields(spec)
    labels = meta.get("labels") or {}
    if labels:
        prepared = _complete_affinity(prepared, labels)
        prepared = _complete_spread_constraints(prepared, labels)
    prepared = _adopt_apparmor_annotations(prepared, meta.get("annotations") or {})
    return pod if prepared is spec else {**pod, "spec": prepared}


def drop_disabled_fields(spec: Json, old_spec: Json | None = None) -> Json:
    """A spec without fields behind closed gates, unless the older version has them already."""
    old = old_spec or {}
    if spec.get("schedulingGroup") is not None and old.get("schedulingGroup") is None:
        spec = {key: value for key, value in spec.items() if key != "schedulingGroup"}
    dropped = [
        kind for kind in _GATED_SOURCES if _uses_source(spec, kind) and not _uses_source(old, kind)
    ]
    if dropped:
        spec = {**spec, "volumes": [_without_sources(v, dropped) for v in spec["volumes"]]}
    if _uses_stop_signal(spec) and not _uses_stop_signal(old):
        spec = dict(spec)
        for kind in _CONTAINERS:
            if spec.get(kind):
                spec[kind] = [_without_stop_signal(container) for container in spec[kind]]
    return spec


def _uses_source(spec: Json, kind: str) -> bool:
    return any(
        source.get(kind) is not None
        for volume in spec.get("volumes") or ()
        if "projected" in volume
        for source in (volume["projected"] or {}).get("sources") or ()
    )


def _without_sources(volume: Json, kinds: list[str]) -> Json:
    projected = volume.get("projected")
    if not projected or not projected.get("sources"):
        return volume
    sources = [
        {key: value for key, value in source.items() if key not in kinds}
        for source in projected["sources"]
    ]
    return {**volume, "projected": {**projected, "sources": sources}}


def _uses_stop_signal(spec: Json) -> bool:
    return any(
        (container["lifecycle"] or {}).get("stopSignal") is not None
        for container in container_paths.every(spec)
        if "lifecycle" in container
    )


def _without_stop_signal(container: Json) -> Json:
    lifecycle = container.get("lifecycle")
    if not lifecycle or lifecycle.get("stopSignal") is None:
        return container
    rest = {key: value for key, value in lifecycle.items() if key != "stopSignal"}
    if rest:
        return {**container, "lifecycle": rest}
    return {key: value for key, value in container.items() if key != "lifecycle"}


def _complete_affinity(spec: Json, labels: dict[str, str]) -> Json:
    affinity = spec.get("affinity")
    if not affinity:
        return spec
    changed = dict(affinity)
    for kind in ("podAffinity", "podAntiAffinity"):
        if affinity.get(kind):
            changed[kind] = {
                name: [_complete_term(term, labels) for term in terms]
                if name in _TERM_LISTS and terms
                else terms
                for name, terms in affinity[kind].items()
            }
    return spec if changed == affinity else {**spec, "affinity": changed}


def _complete_term(term: Json, labels: dict[str, str]) -> Json:
    inner = term.get("podAffinityTerm")
    if inner:
        return {**term, "podAffinityTerm": _complete_term(inner, labels)}
    return _complete_selector(term, labels)


def _complete_spread_constraints(spec: Json, labels: dict[str, str]) -> Json:
    constraints = spec.get("topologySpreadConstraints")
    if not constraints or not any(constraint.get("matchLabelKeys") for constraint in constraints):
        return spec
    completed = [_complete_selector(constraint, labels) for constraint in constraints]
    return {**spec, "topologySpreadConstraints": completed}


def _complete_selector(holder: Json, labels: dict[str, str]) -> Json:
    """Give the selector an expression for each named key that the pod has."""
    selector = holder.get("labelSelector")
    if selector is None:
        return holder
    added = [
        {"key": key, "operator": operator, "values": [labels[key]]}
        for field, operator in (("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn"))
        for key in holder.get(field) or ()
        if key in labels
    ]
    if not added:
        return holder
    expressions = [*(selector.get("matchExpressions") or ()), *added]
    return {**holder, "labelSelector": {**selector, "matchExpressions": expressions}}


def _adopt_apparmor_annotations(spec: Json, annotations: dict[str, str]) -> Json:
    prefix = profiles.APPARMOR_ANNOTATION_PREFIX
    if not any(key.startswith(prefix) for key in annotations):
        return spec
    if (spec.get("os") or {}).get("name") == "windows":
        return spec
    pod_profile = (spec.get("securityContext") or {}).get("appArmorProfile")
    changed = dict(spec)
    for kind in _CONTAINERS:
        if spec.get(kind):
            changed[kind] = [_adopt(item, annotations, pod_profile) for item in spec[kind]]
    return changed


def _adopt(container: Json, annotations: dict[str, str], pod_profile: Json | None) -> Json:
    key = profiles.APPARMOR_ANNOTATION_PREFIX + (container.get("name") or "")
    annotation = annotations.get(key)
    context = container.get("securityContext") or {}
    if annotation is None or context.get("appArmorProfile") is not None:
        return container
    profile = profiles.apparmor_profile_of(annotation)
    if profile is None or profile == pod_profile:
        return container
    return {**container, "securityContext": {**context, "appArmorProfile": profile}}
