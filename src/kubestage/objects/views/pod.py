"""A pod as the scheduler and the controllers read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage.objects import pod_resources, resource_totals, timestamps
from kubestage.objects.views import plan as plans

if TYPE_CHECKING:
    from kubestage.objects.affinity import AffinityTerm, PodAffinity, SpreadConstraint
    from kubestage.objects.host_ports import HostPort
    from kubestage.objects.node_selector import PreferredTerms, RequiredNodeAffinity
    from kubestage.objects.resource_totals import Resource
    from kubestage.objects.taints import Toleration

DEFAULT_SCHEDULER: Final = "default-scheduler"
PREEMPT_LOWER_PRIORITY: Final = "PreemptLowerPriority"

_EMPTY: Final[dict[str, Any]] = {}


class VolumeClaim(NamedTuple):
    """A claim that a pod mounts; an ephemeral one is made for this pod alone."""

    name: str
    ephemeral: bool = False
    read_only: bool = False


class ResourceClaim(NamedTuple):
    """A device claim of a pod, by the claim's name or the template it is made from."""

    name: str
    claim_name: str = ""
    template_name: str = ""


class PodView(msgspec.Struct, frozen=True, eq=False, gc=False):
    """One version of a pod; what its template decides is in ``plan`` and shared.

    ``key`` is ``namespace/name``.
    """

    raw: dict[str, Any]
    plan: plans.PodPlan
    requests: Resource
    nonzero_cpu: int
    nonzero_memory: int
    name: str
    namespace: str
    uid: str
    labels: dict[str, str]
    node_name: str
    nominated_node_name: str
    phase: str
    scheduler_name: str
    priority: int
    key: str

    @property
    def annotations(self) -> dict[str, str]:
        """The annotations, empty if there are none."""
        return self._metadata.get("annotations") or _EMPTY

    @property
    def fit_request(self) -> Resource:
        """What a node must have left for it; ``requests`` is what it counts for once there."""
        return self.plan.fit_request

    @property
    def host_ports(self) -> tuple[HostPort, ...]:
        """The ports it takes on its node."""
        return self.plan.host_ports

    @property
    def tolerations(self) -> tuple[Toleration, ...]:
        """The taints it can live with."""
        return self.plan.tolerations

    @property
    def required_node_affinity(self) -> RequiredNodeAffinity:
        """Which nodes it may run on."""
        return self.plan.required_node_affinity

    @property
    def preferred_node_terms(self) -> PreferredTerms:
        """Which nodes it would rather run on."""
        return self.plan.preferred_node_terms

    @property
    def has_affinity(self) -> bool:
        """Whether it has rules about the pods around it."""
        return self.plan.has_affinity

    @property
    def has_required_anti_affinity(self) -> bool:
        """Whether some pods around it are ruled out; cheaper than compiling the terms."""
        return self.plan.has_required_anti_affinity

    @property
    def affinity(self) -> PodAffinity:
        """Which pods it is to be near to or far from, compiled at the first use."""
        return self.plan.affinity

    @property
    def required_affinity(self) -> tuple[AffinityTerm, ...]:
        """Pods it must be near to."""
        return self.plan.affinity.required

    @property
    def required_anti_affinity(self) -> tuple[AffinityTerm, ...]:
        """Pods it must be away from."""
        return self.plan.affinity.required_anti

    @property
    def preferred_affinity(self) -> tuple[AffinityTerm, ...]:
        """Pods it would rather be near to."""
        return self.plan.affinity.preferred

    @property
    def preferred_anti_affinity(self) -> tuple[AffinityTerm, ...]:
        """Pods it would rather be away from."""
        return self.plan.affinity.preferred_anti

    @property
    def spread_constraints(self) -> tuple[SpreadConstraint, ...]:
        """How it is to be spread."""
        return self.plan.spread_constraints

    @property
    def images(self) -> tuple[str, ...]:
        """Images of init containers, containers and image volumes, with their tags."""
        references = [
            plans.normalized_image(volume["image"].get("reference") or "")
            for volume in self._spec.get("volumes") or ()
            if volume.get("image") is not None
        ]
        return (*self.plan.images, *references) if references else self.plan.images

    @property
    def container_count(self) -> int:
        """Init containers and containers together."""
        return len(self.plan.images)

    @property
    def preemption_policy(self) -> str:
        """Whether it may push others out."""
        return self._spec.get("preemptionPolicy") or PREEMPT_LOWER_PRIORITY

    @property
    def scheduling_gates(self) -> tuple[str, ...]:
        """Names of the gates that hold it back."""
        return tuple(gate.get("name") or "" for gate in self._spec.get("schedulingGates") or ())

    @property
    def has_volumes(self) -> bool:
        """Whether it mounts anything at all."""
        return bool(self._spec.get("volumes"))

    @property
    def volume_claims(self) -> tuple[VolumeClaim, ...]:
        """The persistent volume claims it mounts, in the order of its volumes."""
        claims = []
        for volume in self._spec.get("volumes") or ():
            source = volume.get("persistentVolumeClaim")
            if source is not None:
                read_only = bool(source.get("readOnly"))
                claims.append(VolumeClaim(source.get("claimName") or "", False, read_only))
            elif volume.get("ephemeral") is not None:
                claims.append(VolumeClaim(f"{self.name}-{volume.get('name')}", True))
        return tuple(claims)

    @property
    def resource_claims(self) -> tuple[ResourceClaim, ...]:
        """The device claims it needs; those made from a template once they have a name."""
        generated = {
            item.get("name"): item.get("resourceClaimName") or ""
            for item in (self.raw.get("status") or _EMPTY).get("resourceClaimStatuses") or ()
        }
        return tuple(
            ResourceClaim(
                item.get("name") or "",
                item.get("resourceClaimName") or generated.get(item.get("name"), ""),
                item.get("resourceClaimTemplateName") or "",
            )
            for item in self._spec.get("resourceClaims") or ()
        )

    @property
    def owner(self) -> dict[str, Any] | None:
        """The reference to the controller that manages it."""
        for reference in self._metadata.get("ownerReferences") or ():
            if reference.get("controller"):
                found: dict[str, Any] = reference
                return found
        return None

    @property
    def is_terminal(self) -> bool:
        """Whether it has run to its end."""
        return self.phase in ("Succeeded", "Failed")

    @property
    def creation_ns(self) -> int | None:
        """When it was created."""
        return _time(self._metadata.get("creationTimestamp"))

    @property
    def deletion_ns(self) -> int | None:
        """When it is to be gone; None unless it is being deleted."""
        return _time(self._metadata.get("deletionTimestamp"))

    @property
    def start_ns(self) -> int | None:
        """When its node took it up."""
        return _time((self.raw.get("status") or _EMPTY).get("startTime"))

    @property
    def _metadata(self) -> dict[str, Any]:
        return self.raw.get("metadata") or _EMPTY

    @property
    def _spec(self) -> dict[str, Any]:
        return self.raw.get("spec") or _EMPTY


def _time(text: str | None) -> int | None:
    return timestamps.parse_time(text) if text else None


def of(pod: dict[str, Any], key: str = "") -> PodView:
    """The view of a Pod object, which must not change afterwards.

    Who has its key (``namespace/name``) at hand gives it, so that there is one text for all.
    """
    metadata = pod.get("metadata") or _EMPTY
    spec = pod.get("spec") or _EMPTY
    status = pod.get("status") or _EMPTY
    namespace = metadata.get("namespace") or ""
    shared = plans.of(spec, namespace)
    usage = shared.usage
    if status and pod_resources.has_status_resources(pod):
        usage = resource_totals.usage(pod)
    name = metadata.get("name") or ""
    return PodView(
        pod,
        shared,
        usage.resource,
        usage.non_zero_milli_cpu,
        usage.non_zero_memory,
        name,
        namespace,
        metadata.get("uid") or "",
        metadata.get("labels") or _EMPTY,
        spec.get("nodeName") or "",
        status.get("nominatedNodeName") or "",
        status.get("phase") or "",
        spec.get("schedulerName") or DEFAULT_SCHEDULER,
        spec.get("priority") or 0,
        key or f"{namespace}/{name}",
    )
