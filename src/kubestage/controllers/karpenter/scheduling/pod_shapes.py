"""What scheduling needs to know of a pod; pods of one template share it, relaxed or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from kubestage.controllers.karpenter import amounts
from kubestage.controllers.karpenter.requirements import of_pods
from kubestage.controllers.karpenter.scheduling import preferences, tolerance
from kubestage.controllers.karpenter.state import usage
from kubestage.objects import pod_resources

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.requirements.requirements import Requirements
    from kubestage.controllers.karpenter.scheduling.options import Options
    from kubestage.controllers.karpenter.scheduling.plain_shapes import PlainShape
    from kubestage.objects.pod_resources import ResourceList

_encode = msgspec.json.Encoder().encode


class PodShape:
    """One spec with its labels and namespace; `strict` leaves out what is only preferred.

    `plain` is set if nothing but room, taints and labels of nodes matters to such pods.
    """

    __slots__ = (
        "_relaxed",
        "_tried",
        "amounts",
        "has_claims",
        "host_ports",
        "labels",
        "namespace",
        "plain",
        "pod",
        "requests",
        "requirements",
        "strict",
        "tolerations",
    )  # fmt: skip

    def __init__(self, pod: Json, options: Options) -> None:
        self.pod = pod
        self.namespace: str = pod["metadata"].get("namespace") or ""
        self.labels: dict[str, str] = pod["metadata"].get("labels") or {}
        self.requests: ResourceList = amounts.quantities_of([pod])
        self.amounts = amounts.of_quantities(self.requests)
        self.strict: Requirements = of_pods.strict(pod)
        self.requirements = self.strict
        if not options.ignores_preferences and of_pods.has_preferred_node_affinity(pod):
            self.requirements = of_pods.preferred(pod)
        self.tolerations = tolerance.tolerations_of(pod)
        self.host_ports = usage.host_ports_of(pod)
        self.has_claims = has_claims(pod["spec"])
        self.plain: PlainShape | None = None
        self._relaxed: PodShape | None = None
        self._tried = False

    def relaxed(self, options: Options, *, tolerate_prefer_no_schedule: bool) -> PodShape | None:
        """The shape with one preference less; None if nothing is left to give up."""
        if not self._tried:
            self._tried = True
            pod = preferences.relaxed(
                self.pod, tolerate_prefer_no_schedule=tolerate_prefer_no_schedule
            )
            self._relaxed = None if pod is None else PodShape(pod, options)
        return self._relaxed


class Shapes:
    """The shapes of a pass, each made once."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._known: dict[bytes, PodShape] = {}
        self._of_pods: dict[int, _Seen] = {}
        self._of_pods_before: dict[int, _Seen] = {}

    def forget(self) -> None:
        """Drop the pods that were not looked up since this was called last."""
        self._of_pods, self._of_pods_before = {}, self._of_pods

    def of(self, pod: Json) -> PodShape:
        """The shape of a pod as it is stated."""
        metadata, spec = pod["metadata"], pod["spec"]
        if pod_resources.has_status_resources(pod):
            return self._shape_of(pod, pod.get("status"))
        # Versions of one pod have the same spec, as a rule.
        seen = self._of_pods.get(id(spec)) or self._of_pods_before.get(id(spec))
        labels = metadata.get("labels")
        if seen is None or seen.spec is not spec or seen.labels is not labels:
            seen = _Seen(spec, labels, self._shape_of(pod, None))
        self._of_pods[id(spec)] = seen
        return seen.shape

    def _shape_of(self, pod: Json, status: Json | None) -> PodShape:
        metadata, spec = pod["metadata"], pod["spec"]
        # Where it runs and what it mounts is told apart elsewhere.
        own = {name: spec[name] for name in spec if name not in ("nodeName", "volumes")}
        key = _encode((metadata.get("namespace"), metadata.get("labels"), own, status))
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = PodShape(pod, self._options)
        return known


class _Seen(NamedTuple):
    """The parts of a pod that its shape depends on, as it was seen last."""

    spec: Json
    labels: Json | None
    shape: PodShape


def has_claims(spec: Json) -> bool:
    """Whether a pod uses ResourceClaims."""
    if spec.get("resourceClaims"):
        return True
    containers = (*(spec.get("initContainers") or ()), *(spec.get("containers") or ()))
    return any((each.get("resources") or {}).get("claims") for each in containers)
