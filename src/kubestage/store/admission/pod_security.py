"""PodSecurity: namespaces say in labels how much their pods may ask of a host."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects.pod_security import levels, registry
from kubestage.objects.validation import field, status
from kubestage.store.admission import admission_request

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.pod_security.finding import SecurityFinding
    from kubestage.objects.pod_security.levels import LevelVersion, Policy
    from kubestage.store.admission.admission_request import AdmissionRequest
    from kubestage.store.core import Core

_WORKLOADS: Final = {
    "": frozenset({"ReplicationController", "PodTemplate"}),
    "apps": frozenset({"ReplicaSet", "Deployment", "StatefulSet", "DaemonSet"}),
    "batch": frozenset({"Job", "CronJob"}),
}
_UNCHECKED: Final = frozenset({"binding", "eviction", "status"})
# The minor version of the API that is served.
_MINOR: Final = 36
_MOST_PODS: Final = 3000
_MOST_REMEMBERED: Final = 1024


class PodSecurityEvaluation(NamedTuple):
    """What was decided, in the labels of ``pod_security_evaluations_total``."""

    decision: str
    policy_level: str
    policy_version: str
    mode: str
    request_operation: str
    resource: str
    subresource: str


class Evaluations:
    """How often pods were looked at, and what was found out about the templates used last."""

    def __init__(self) -> None:
        self.counts: collections.Counter[PodSecurityEvaluation] = collections.Counter()
        self._known: dict[
            tuple[int, int, LevelVersion], tuple[Json, Any, list[SecurityFinding]]
        ] = {}

    def __getstate__(self) -> dict[str, Any]:
        # What is remembered is found by its place in memory, which a copy has not.
        return {"counts": self.counts, "_known": {}}

    def findings(self, level: LevelVersion, metadata: Json, spec: Json) -> list[SecurityFinding]:
        """What keeps a pod from a level; pods of one template share their answer."""
        if level.is_privileged:
            return []
        annotations = metadata.get("annotations")
        key = (id(spec), id(annotations), level)
        known = self._known.get(key)
        # NOTE: entries keep their objects alive, so that an id is never reused.
        if known is not None and known[0] is spec and known[1] is annotations:
            return known[2]
        found = registry.findings(level, metadata, spec)
        if len(self._known) >= _MOST_REMEMBERED:
            self._known.clear()
        self._known[key] = (spec, annotations, found)
        return found

    def count(
        self, request: AdmissionRequest, mode: str, level: LevelVersion, *, denied: bool
    ) -> None:
        """Note a decision."""
        decision = "deny" if denied else "allow"
        operation = "create" if request.old is None else "update"
        resource = "pod" if admission_request.is_pod(request.kind) else "controller"
        evaluation = PodSecurityEvaluation(
            decision, *_level_and_version(level), mode, operation, resource, request.subresource
        )
        self.counts[evaluation] += 1


def _level_and_version(enforced: LevelVersion) -> tuple[str, str]:
    """A level and version as metrics have them: all versions to come are one."""
    level, version = enforced
    if enforced.is_privileged:
        version = levels.LATEST
    elif levels.minor(version, _MINOR + 1) > _MINOR and version != levels.LATEST:
        version = "future"
    return level, version


def applies(core: Core, namespace: str | None) -> bool:
    """Whether pods of a namespace have to be looked at one by one."""
    labels = None if namespace is None else _labels(core, namespace)
    # NOTE: called for every pod, and most namespaces have only the label of their name.
    return labels is not None and len(labels) > 1 and levels.has_policy(labels)


def check(core: Core, request: AdmissionRequest) -> None:
    """Refuse, or warn of, what the policy of a namespace does not allow."""
    kind = request.kind
    if admission_request.is_pod(kind):
        _check_pod(core, request)
    elif kind.kind in _WORKLOADS.get(kind.group, ()):
        _check_workload(core, request)
    elif kind.kind == "Namespace" and not kind.group and not request.subresource:
        _check_namespace(core, request)


def _labels(core: Core, namespace: str) -> dict[str, str] | None:
    found = core.namespaces.objects.get(namespace)
    labels: dict[str, str] | None = None if found is None else found["metadata"].get("labels")
    return labels


def _policy(core: Core, request: AdmissionRequest) -> Policy:
    return levels.labelled_policy(_labels(core, request.obj["metadata"]["namespace"])).policy


def _check_pod(core: Core, request: AdmissionRequest) -> None:
    if request.subresource in _UNCHECKED:
        return
    policy = _policy(core, request)
    if policy.is_privileged or (request.old is not None and not _is_significant(request)):
        return
    pod = request.obj
    found = core.pod_security.findings(policy.enforce, pod["metadata"], pod["spec"])
    core.pod_security.count(request, "enforce", policy.enforce, denied=bool(found))
    _advise(core, request, policy, pod["metadata"], pod["spec"], refused=bool(found))
    if found:
        why = f"violates PodSecurity {field.quote(str(policy.enforce))}: {_listed(found)}"
        raise status.forbidden(request.kind, pod["metadata"].get("name") or "", why)


def _check_workload(core: Core, request: AdmissionRequest) -> None:
    """Pods of a template are refused later; the author of the template is warned now."""
    policy = _policy(core, request)
    if request.subresource or (policy.audit.is_privileged and policy.warn.is_privileged):
        return
    template = _template(request.obj)
    if template is not None:
        spec = template.get("spec") or {}
        _advise(core, request, policy, template.get("metadata") or {}, spec, refused=False)


def _template(obj: Json) -> Json | None:
    holder = obj if obj["kind"] == "PodTemplate" else obj.get("spec") or {}
    if obj["kind"] == "CronJob":
        holder = (holder.get("jobTemplate") or {}).get("spec") or {}
    found: Json | None = holder.get("template")
    return found


def _advise(
    core: Core,
    request: AdmissionRequest,
    policy: Policy,
    metadata: Json,
    spec: Json,
    *,
    refused: bool,
) -> None:
    """Count what is audited; warn of the rest, unless the request is refused anyway."""
    if core.pod_security.findings(policy.audit, metadata, spec):
        core.pod_security.count(request, "audit", policy.audit, denied=True)
    found = [] if refused else core.pod_security.findings(policy.warn, metadata, spec)
    if not found:
        return
    core.pod_security.count(request, "warn", policy.warn, denied=True)
    if request.warnings is not None:
        level = field.quote(str(policy.warn))
        request.warnings.append(f"would violate PodSecurity {level}: {_listed(found)}")


def _listed(found: list[SecurityFinding]) -> str:
    return ", ".join(map(str, found))


def _is_significant(request: AdmissionRequest) -> bool:
    """Whether an update changes what is checked: images, or containers that come in addition."""
    assert request.old is not None
    new, old = request.obj["spec"], request.old["spec"]
    for part in ("containers", "initContainers"):
        after, before = new.get(part) or [], old.get(part) or []
        if [each.get("image") for each in after] != [each.get("image") for each in before]:
            return True
    images = {each.get("name"): each.get("image") for each in old.get("ephemeralContainers") or ()}
    return any(
        each.get("name") not in images or images[each.get("name")] != each.get("image")
        for each in new.get("ephemeralContainers") or ()
    )


def _check_namespace(core: Core, request: AdmissionRequest) -> None:
    labels = request.obj["metadata"].get("labels")
    before = None if request.old is None else request.old["metadata"].get("labels")
    if not levels.has_policy(labels) or (request.old is not None and labels == before):
        return
    new = levels.labelled_policy(labels)
    old = levels.labelled_policy(before)
    if new.problems and [*map(str, new.problems)] != [*map(str, old.problems)]:
        raise status.invalid(request.obj, new.problems)
    if request.old is None or request.warnings is None:
        return
    level, was = new.policy.enforce, old.policy.enforce
    is_relaxed = level.version == was.version and level.strictness <= was.strictness
    if not level.is_privileged and not is_relaxed:
        request.warnings.extend(_violations(core, request.obj["metadata"]["name"], level))


def _violations(core: Core, namespace: str, level: LevelVersion) -> Iterator[str]:
    """Warnings of pods which are there already, and would be refused today."""
    pods = core.pods
    every = _representatives([pods.objects[key] for key in pods.keys(namespace)])
    looked_at = every[:_MOST_PODS]
    names: dict[str, list[str]] = {}
    for pod in looked_at:
        found = core.pod_security.findings(level, pod["metadata"], pod["spec"])
        if found:
            reasons = ", ".join(each.reason for each in found)
            names.setdefault(reasons, []).append(pod["metadata"]["name"])
    if len(looked_at) < len(every):
        yield (
            f"new PodSecurity enforce level only checked against the first {len(looked_at)} of "
            f"{len(every)} existing pods"
        )
    if names:
        yield (
            f"existing pods in namespace {field.quote(namespace)} violate the new PodSecurity "
            f"enforce level {field.quote(str(level))}"
        )
    yield from sorted(f"{_shown(each)}: {reasons}" for reasons, each in names.items())


def _representatives(pods: list[Json]) -> list[Json]:
    """Pods in the order in which they are looked at: one of each controller before its siblings."""
    first: list[Json] = []
    siblings: list[Json] = []
    seen: set[str] = set()
    for pod in pods:
        owners = pod["metadata"].get("ownerReferences") or ()
        uid = next((each["uid"] for each in owners if each.get("controller")), None)
        if uid is not None and uid in seen:
            siblings.append(pod)
            continue
        first.append(pod)
        if uid is not None:
            seen.add(uid)
    return first + siblings


def _shown(names: list[str]) -> str:
    """The first of some pods, and how many there are besides."""
    others = len(names) - 1
    if not others:
        return names[0]
    return f"{min(names)} (and {others} other {'pod' if others == 1 else 'pods'})"
