"""Where the pods of a DaemonSet are to run, and what makes them run there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import pod_control
from kubestage.controllers.ownership import labels_of
from kubestage.golang import integers
from kubestage.objects import node_selector, taints
from kubestage.objects.label_requirement import SelectorError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json


HASH_LABEL: Final = "controller-revision-hash"
GENERATION_LABEL: Final = "pod-template-generation"
GENERATION_ANNOTATION: Final = "deprecated.daemonset.template.generation"

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_TOLERATED: Final = (
    ("node.kubernetes.io/not-ready", taints.NO_EXECUTE),
    ("node.kubernetes.io/unreachable", taints.NO_EXECUTE),
    ("node.kubernetes.io/disk-pressure", taints.NO_SCHEDULE),
    ("node.kubernetes.io/memory-pressure", taints.NO_SCHEDULE),
    ("node.kubernetes.io/pid-pressure", taints.NO_SCHEDULE),
    ("node.kubernetes.io/unschedulable", taints.NO_SCHEDULE),
)
_TOLERATED_ON_HOST_NETWORK: Final = (
    ("node.kubernetes.io/network-unavailable", taints.NO_SCHEDULE),
)
_KEEPS_OUT: Final = (taints.NO_EXECUTE, taints.NO_SCHEDULE)
_DRIVES_OUT: Final = (taints.NO_EXECUTE,)


class Placement:
    """The template of a DaemonSet: decides for nodes, and creates pods."""

    def __init__(self, daemon_set: Json, template_hash: str) -> None:
        template: Json = daemon_set["spec"]["template"]
        spec: Json = template.get("spec") or {}
        self._owner = daemon_set
        self._node_name: str = spec.get("nodeName") or ""
        self._affinity = node_selector.required_of(spec)
        tolerations = with_daemon_tolerations(spec)
        self._tolerations = tuple(taints.toleration_of(each) for each in tolerations)
        labels = dict((template.get("metadata") or {}).get("labels") or {})
        self.hash = template_hash
        self.generation = template_generation(daemon_set)
        if self.generation is not None:
            labels[GENERATION_LABEL] = self.generation
        labels[HASH_LABEL] = template_hash
        self._template = {
            "metadata": {**(template.get("metadata") or {}), "labels": labels},
            "spec": {**spec, "tolerations": tolerations},
        }

    def verdict(self, node: Json) -> tuple[bool, bool]:
        """Whether a pod should run on a node, and whether one that does may go on."""
        metadata = node["metadata"]
        if self._node_name and self._node_name != metadata["name"]:
            return False, False
        if not self._affinity.empty and not self._likes(metadata["name"], labels_of(node)):
            return False, False
        held = (node.get("spec") or {}).get("taints")
        if not held:
            return True, True
        marks = [taints.taint_of(each) for each in held]
        if taints.find_untolerated_taint(marks, self._tolerations, _KEEPS_OUT) is None:
            return True, True
        driver = taints.find_untolerated_taint(marks, self._tolerations, _DRIVES_OUT)
        return False, driver is None

    def _likes(self, name: str, labels: dict[str, str]) -> bool:
        try:
            return self._affinity.matches(name, labels)
        except SelectorError:
            return False

    def has_hash(self, pod: Json) -> bool:
        """Whether a pod bears the hash of this template."""
        return labels_of(pod).get(HASH_LABEL) == self.hash

    def is_updated(self, pod: Json) -> bool:
        """Whether a pod is of this template, by its hash or by its generation."""
        if self.has_hash(pod):
            return True
        generation = self.generation
        return generation is not None and labels_of(pod).get(GENERATION_LABEL) == generation

    def pod_for(self, node_name: str) -> Json:
        """A pod that the scheduler can put on no other node."""
        pod = pod_control.from_template(self._template, self._owner)
        affinity = bound_to_node(pod["spec"].get("affinity"), node_name)
        return {**pod, "spec": {**pod["spec"], "affinity": affinity}}


def template_generation(daemon_set: Json) -> str | None:
    """The generation of a set's template, as pods of older clusters were marked with it."""
    text = (daemon_set["metadata"].get("annotations") or {}).get(GENERATION_ANNOTATION)
    if text is None or not text.removeprefix("-").removeprefix("+").isdecimal():
        return None
    return str(integers.parse(text))


def with_daemon_tolerations(spec: Json) -> list[Json]:
    """A template's tolerations and those by which daemons stay on failing nodes."""
    tolerations: list[Json] = list(spec.get("tolerations") or ())
    extra: Iterable[tuple[str, str]] = _TOLERATED
    if spec.get("hostNetwork"):
        extra = _TOLERATED + _TOLERATED_ON_HOST_NETWORK
    for key, effect in extra:
        desired = {"key": key, "operator": "Exists", "effect": effect}
        replaced = [desired if _is_same(each, desired) else each for each in tolerations]
        if not any(each is desired for each in replaced):
            replaced.append(desired)
        tolerations = replaced
    return tolerations


def _is_same(toleration: Json, desired: Json) -> bool:
    return not toleration.get("value") and all(
        toleration.get(name) == desired[name] for name in ("key", "operator", "effect")
    )


def bound_to_node(affinity: Json | None, node_name: str) -> Json:
    """An affinity that demands one node by its name, whatever it demanded before."""
    field = {"key": node_selector.NAME_FIELD, "operator": "In", "values": [node_name]}
    required = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    affinity = affinity or {}
    return {
        **affinity,
        "nodeAffinity": {**(affinity.get("nodeAffinity") or {}), _REQUIRED: required},
    }


def target_node(pod: Json) -> str | None:
    """The node that a pod is on, or is to be on."""
    spec = pod["spec"]
    name: str | None = spec.get("nodeName")
    if name:
        return name
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    for term in (affinity.get(_REQUIRED) or {}).get("nodeSelectorTerms") or ():
        for field in term.get("matchFields") or ():
            if field["key"] == node_selector.NAME_FIELD and field["operator"] == "In":
                values: list[str] = field.get("values") or []
                return values[0] if len(values) == 1 else None
    return None
