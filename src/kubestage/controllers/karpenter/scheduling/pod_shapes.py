"""What scheduling needs to know of a pod; pods of one template share it, relaxed or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    from kubestage.objects.pod_resources import ResourceList

_encode = msgspec.json.Encoder().encode


class PodShape:
    """One spec with its labels and namespace; `strict` leaves out what is only preferred."""

    __slots__ = (
        "_relaxed",
        "_tried",
        "amounts",
        "has_claims",
        "host_ports",
        "labels",
        "namespace",
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

    def of(self, pod: Json) -> PodShape:
        """The shape of a pod as it is stated."""
        metadata, spec = pod["metadata"], pod["spec"]
        status = pod.get("status") if pod_resources.has_status_resources(pod) else None
        # Where it runs and what it mounts is told apart elsewhere.
        own = {name: spec[name] for name in spec if name not in ("nodeName", "volumes")}
        key = _encode((metadata.get("namespace"), metadata.get("labels"), own, status))
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = PodShape(pod, self._options)
        return known


def has_claims(spec: Json) -> bool:
    """Whether a pod uses ResourceClaims."""
    if spec.get("resourceClaims"):
        return True
    containers = (*(spec.get("initContainers") or ()), *(spec.get("containers") or ()))
    return any((each.get("resources") or {}).get("claims") for each in containers)
