"""PodSecurity: namespaces say in labels how much their pods may ask of a host."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects.pod_security import levels, registry
from kubestage.objects.validation import field, status
from kubestage.store.admission import request

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.pod_security.finding import Finding
    from kubestage.objects.pod_security.levels import LevelVersion, Policy
    from kubestage.store.admission.request import Request
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


class Evaluation(NamedTuple):
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
        self.counts: collections.Counter[Evaluation] = collections.Counter()
        self._known: dict[tuple[int, int, LevelVersion], tuple[Json, Any, list[Finding]]] = {}

    def __getstate__(self) -> dict[str, Any]:
        # What is remembered is found by its place in memory, which a copy has not.
        return {"counts": self.counts, "_known": {}}

    def findings(self, wanted: LevelVersion, metadata: Json, spec: Json) -> list[Finding]:
        """What keeps a pod from a level; pods of one template share their answer."""
        if wanted.is_privileged:
            return []
        annotations = metadata.get("annotations")
        key = (id(spec), id(annotations), wanted)
        known = self._known.get(key)
        # NOTE: what is remembered is kept alive, so its place in memory is nobody else's.
        if known is not None and known[0] is spec and known[1] is annotations:
            return known[2]
        found = registry.findings(wanted, metadata, spec)
        if len(self._known) >= _MOST_REMEMBERED:
            self._known.clear()
        self._known[key] = (spec, annotations, found)
        return found

    def count(self, asked: Request, mode: str, wanted: LevelVersion, *, denied: bool) -> None:
        """Note a decision."""
        decision = "deny" if denied else "allow"
        operation = "create" if asked.old is None else "update"
        resource = "pod" if request.is_pod(asked.kind) else "controller"
        told = Evaluation(decision, *_told(wanted), mode, operation, resource, asked.subresource)
        self.counts[told] += 1


def _told(wanted: LevelVersion) -> tuple[str, str]:
    """A level and version as metrics have them: versions to come are one."""
    level, version = wanted
    if wanted.is_privileged:
        version = levels.LATEST
    elif levels.minor(version, _MINOR + 1) > _MINOR and version != levels.LATEST:
        version = "future"
    return level, version


def applies(core: Core, namespace: str | None) -> bool:
    """Whether pods of a namespace have to be looked at one by one."""
    labels = None if namespace is None else _labels(core, namespace)
    # NOTE: every pod asks, and most namespaces have but the one label that says their name.
    return labels is not None and len(labels) > 1 and levels.has_policy(labels)


def check(core: Core, asked: Request) -> None:
    """Refuse, or warn of, what the policy of a namespace does not allow."""
    kind = asked.kind
    if request.is_pod(kind):
        _check_pod(core, asked)
    elif kind.kind in _WORKLOADS.get(kind.group, ()):
        _check_workload(core, asked)
    elif kind.kind == "Namespace" and not kind.group and not asked.subresource:
        _check_namespace(core, asked)


def _labels(core: Core, namespace: str) -> dict[str, str] | None:
    found = core.namespaces.objects.get(namespace)
    labels: dict[str, str] | None = None if found is None else found["metadata"].get("labels")
    return labels


def _policy(core: Core, asked: Request) -> Policy:
    return levels.of(_labels(core, asked.obj["metadata"]["namespace"])).policy


def _check_pod(core: Core, asked: Request) -> None:
    if asked.subresource in _UNCHECKED:
        return
    policy = _policy(core, asked)
    if policy.is_privileged or (asked.old is not None and not _is_significant(asked)):
        return
    pod = asked.obj
    found = core.pod_security.findings(policy.enforce, pod["metadata"], pod["spec"])
    core.pod_security.count(asked, "enforce", policy.enforce, denied=bool(found))
    _advise(core, asked, policy, pod["metadata"], pod["spec"], refused=bool(found))
    if found:
        why = f"violates PodSecurity {field.quote(str(policy.enforce))}: {_listed(found)}"
        raise status.forbidden(asked.kind, pod["metadata"].get("name") or "", why)


def _check_workload(core: Core, asked: Request) -> None:
    """What is made from a template is refused later; its author is told now."""
    policy = _policy(core, asked)
    if asked.subresource or (policy.audit.is_privileged and policy.warn.is_privileged):
        return
    template = _template(asked.obj)
    if template is not None:
        spec = template.get("spec") or {}
        _advise(core, asked, policy, template.get("metadata") or {}, spec, refused=False)


def _template(obj: Json) -> Json | None:
    holder = obj if obj["kind"] == "PodTemplate" else obj.get("spec") or {}
    if obj["kind"] == "CronJob":
        holder = (holder.get("jobTemplate") or {}).get("spec") or {}
    found: Json | None = holder.get("template")
    return found


def _advise(
    core: Core, asked: Request, policy: Policy, metadata: Json, spec: Json, *, refused: bool
) -> None:
    """Count what is audited; warn of the rest, unless the request is refused anyway."""
    if core.pod_security.findings(policy.audit, metadata, spec):
        core.pod_security.count(asked, "audit", policy.audit, denied=True)
    found = [] if refused else core.pod_security.findings(policy.warn, metadata, spec)
    if not found:
        return
    core.pod_security.count(asked, "warn", policy.warn, denied=True)
    if asked.warnings is not None:
        level = field.quote(str(policy.warn))
        asked.warnings.append(f"would violate PodSecurity {level}: {_listed(found)}")


def _listed(found: list[Finding]) -> str:
    return ", ".join(map(str, found))


def _is_significant(asked: Request) -> bool:
    """Whether an update changes what is checked: images, or containers that come in addition."""
    assert asked.old is not None
    new, old = asked.obj["spec"], asked.old["spec"]
    for part in ("containers", "initContainers"):
        after, before = new.get(part) or [], old.get(part) or []
        if [each.get("image") for each in after] != [each.get("image") for each in before]:
            return True
    images = {each.get("name"): each.get("image") for each in old.get("ephemeralContainers") or ()}
    return any(
        each.get("name") not in images or images[each.get("name")] != each.get("image")
        for each in new.get("ephemeralContainers") or ()
    )


def _check_namespace(core: Core, asked: Request) -> None:
    labels = asked.obj["metadata"].get("labels")
    before = None if asked.old is None else asked.old["metadata"].get("labels")
    if not levels.has_policy(labels) or (asked.old is not None and labels == before):
        return
    new = levels.of(labels)
    old = levels.of(before)
    if new.problems and [*map(str, new.problems)] != [*map(str, old.problems)]:
        raise status.invalid(asked.obj, new.problems)
    if asked.old is None or asked.warnings is None:
        return
    wanted, was = new.policy.enforce, old.policy.enforce
    is_relaxed = wanted.version == was.version and wanted.strictness <= was.strictness
    if not wanted.is_privileged and not is_relaxed:
        asked.warnings.extend(_violations(core, asked.obj["metadata"]["name"], wanted))


def _violations(core: Core, namespace: str, wanted: LevelVersion) -> Iterator[str]:
    """Warnings of pods which are there already, and would be refused today."""
    pods = core.pods
    every = _representatives([pods.objects[key] for key in pods.keys(namespace)])
    looked_at = every[:_MOST_PODS]
    names: dict[str, list[str]] = {}
    for pod in looked_at:
        found = core.pod_security.findings(wanted, pod["metadata"], pod["spec"])
        if found:
            reasons = ", ".join(each.reason for each in found)
            names.setdefault(reasons, []).append(pod["metadata"]["name"])
    if len(looked_at) < len(every):
        yield (
            f"new PodSecurity enforce level only checked against the first {len(looked_at)} of "
            f"{len(every)} existing pods"
        )
    if names:
        level = field.quote(str(wanted))
        yield (
            f"existing pods in namespace {field.quote(namespace)} violate the new PodSecurity "
            f"enforce level {level}"
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
