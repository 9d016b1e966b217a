"""The cloud of a stage: instance types by node class, launches, and machines that come and go."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.instance_types import types
from kubestage.controllers.karpenter.provider import (
    capacity,
    catalog,
    launching,
    node_class,
)
from kubestage.controllers.karpenter.provider.capacity import Capacity, Place
from kubestage.controllers.karpenter.provider.machines import Machines
from kubestage.controllers.karpenter.provider.overlaid_types import OverlaidTypes
from kubestage.errors import KubestageError
from kubestage.objects import distributions, prices
from kubestage.units import HOUR_NS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster
    from kubestage.controllers.karpenter.instance_types.overlay import Problem
    from kubestage.controllers.karpenter.instance_types.types import InstanceType, Offering
    from kubestage.controllers.karpenter.provider.launching import Option
    from kubestage.controllers.karpenter.provider.machines import Machine
    from kubestage.controllers.karpenter.provider.node_class import NodeClass
    from kubestage.controllers.lister import Lister

HASH: Final = "kubestage.dev/node-class-hash"
"""The annotation of a NodeClaim that says of which version of its class it was made."""

_NODE_POOL: Final = ("karpenter.sh/v1", "NodePool")
_NODE_CLASS_DRIFT: Final = "NodeClassDrift"
_IMAGE_DRIFT: Final = "AMIDrift"


class InsufficientCapacityError(KubestageError):
    """No machine of any of the requested types can be had."""


class NodeClassNotReadyError(KubestageError):
    """The node class does not exist."""


class Cloud:
    """Answers what Karpenter wants to know of its provider, and launches machines."""

    def __init__(self, cluster: Cluster, lister: Lister) -> None:
        self._lister = lister
        self._clock = cluster.environment.clock
        self._seed = cluster.streams.seed
        self._start_ns = cluster.start_unix_ns
        self.capacity = Capacity(cluster.streams.stream("karpenter/capacity"))
        self.machines = Machines()
        self._catalogs: list[Json] = []
        self._well_known: frozenset[str] = labels.WELL_KNOWN
        self._classes: dict[tuple[str, str, str], tuple[Json, Json | None, NodeClass]] = {}
        self._types: dict[tuple[str, str, str], list[InstanceType]] = {}
        self._has_overlays = cluster.settings.karpenter.node_overlay
        self._overlays = OverlaidTypes(lister, self._types_without_overlays)
        self._offered: dict[tuple[str, str, str], tuple[object, list[InstanceType]]] = {}

    def __getstate__(self) -> dict[str, object]:
        # NOTE: thousands of types are made again faster than they are copied with a stage.
        return {**self.__dict__, "_types": {}, "_offered": {}}

    @property
    def well_known(self) -> frozenset[str]:
        """Labels that pods may ask for without a NodePool that defines them."""
        self._read_catalogs()
        return self._well_known

    @property
    def reserved_labels(self) -> frozenset[str]:
        """Labels that only reserved machines have."""
        return frozenset({catalog.RESERVATION_ID})

    @property
    def reservation_label(self) -> str:
        """The label that names a reservation."""
        return catalog.RESERVATION_ID

    def class_of(self, reference: Json) -> NodeClass | None:
        """The class that a NodePool or a NodeClaim refers to; None if it does not exist."""
        kind = node_class.kind_of(reference)
        obj = None if kind is None else self._lister.get(kind, reference["name"])
        if kind is None or obj is None:
            return None
        beside = None
        if kind != node_class.STAGE:
            beside = self._lister.get(node_class.STAGE, reference["name"])
            beside = beside or self._lister.get(node_class.STAGE, node_class.DEFAULT_NAME)
        key = (*kind, reference["name"])
        known = self._classes.get(key)
        if known is None or known[0] is not obj or known[1] is not beside:
            found = node_class.read(kind, obj, beside)
            before = None if known is None else known[2]
            if before is None or (before.terms, before.catalog) != (found.terms, found.catalog):
                self._types.pop(key, None)
            known = self._classes[key] = (obj, beside, found)
        return known[2]

    def types_of(self, node_pool: Json) -> Sequence[InstanceType]:
        """The instance types of a NodePool, with what is available now."""
        if not self._has_overlays:
            return self._types_without_overlays(node_pool)
        return self._overlays.applied(node_pool, self.well_known)

    def _types_without_overlays(self, node_pool: Json) -> Sequence[InstanceType]:
        found = self.class_of(node_pool["spec"]["template"]["spec"]["nodeClassRef"])
        return () if found is None else self.types_of_class(found)

    def types_of_class(self, of: NodeClass) -> Sequence[InstanceType]:
        """The instance types of a node class."""
        self._read_catalogs()
        known = self._types.get(of.key)
        if known is None:
            named = catalog.named(self._catalogs, of.catalog)
            known = self._types[of.key] = catalog.instance_types(named, of.terms)
            self._offered.pop(of.key, None)
        # NOTE: the same list stands for the same types, by which others remember what they made.
        state = (self.capacity.unavailable(self._clock.unix_ns), self.machines.reservations())
        offered = self._offered.get(of.key)
        if offered is None or offered[0] != state:
            now = [self._as_of_now(each, state[0]) for each in known]
            offered = self._offered[of.key] = (state, now)
        return offered[1]

    def overlay_problems(self) -> Mapping[str, Problem]:
        """What is wrong with NodeOverlays, by name."""
        return self._overlays.problems(self.well_known)

    def zones_of(self, of: NodeClass) -> list[str]:
        """The zones in which a class has machines."""
        zones = {each.zone for found in self.types_of_class(of) for each in found.offerings}
        return sorted(zones)

    def drift_reason(self, node_claim: Json) -> str:
        """Why a NodeClaim is no longer as its class wants it; empty if it is."""
        found = self.class_of(node_claim["spec"]["nodeClassRef"])
        made_of = (node_claim["metadata"].get("annotations") or {}).get(HASH)
        if found is None or made_of is None:
            return ""
        if made_of != found.hash:
            return _NODE_CLASS_DRIFT
        image = (node_claim.get("status") or {}).get("imageID") or ""
        return _IMAGE_DRIFT if image != found.image else ""

    def launch(self, node_claim: Json, refused: list[Option] | None = None) -> Machine:
        """Launch the best of the machines that a NodeClaim allows; adds to those `refused`."""
        present = self.machines.of_claim(node_claim["metadata"]["uid"])
        if present is not None:
            return present
        of = self.class_of(node_claim["spec"]["nodeClassRef"])
        if of is None:
            raise NodeClassNotReadyError("NodeClass not found on cluster")
        now_ns = self._clock.unix_ns
        for option in self.options(node_claim):
            place = option.place
            if self.capacity.refuses(place, of.shortages, now_ns - self._start_ns):
                self.capacity.mark(place, now_ns)
                if refused is not None:
                    refused.append(option)
                continue
            machine = launching.machine(node_claim, of, option, self._delay(of, node_claim))
            self.machines.add(machine)
            return machine
        raise InsufficientCapacityError(
            "insufficient capacity, all requested instance types were unavailable during launch"
        )

    def options(self, node_claim: Json) -> Sequence[Option]:
        """The ways that a NodeClaim allows, in the order in which they are tried."""
        of = self.class_of(node_claim["spec"]["nodeClassRef"])
        if of is None:
            return ()
        pool_name = (node_claim["metadata"].get("labels") or {}).get(labels.NODE_POOL) or ""
        pool = self._lister.get(_NODE_POOL, pool_name)
        offered = self.types_of_class(of) if pool is None else self.types_of(pool)
        return launching.options(node_claim, offered, self.well_known)

    def registration_ns(self, machine: Machine) -> int:
        """How long a machine takes to register."""
        known = self._classes[machine.node_class][2]
        stream = distributions.stream_of(self._seed, "registration", machine.claim)
        return known.registration.sample_ns(stream)

    def interruption_ns(self, machine: Machine) -> int | None:
        """How long after its launch a machine is taken back, if it ever is."""
        of = self._classes[machine.node_class][2]
        if machine.place.capacity_type != labels.SPOT:
            return None
        soonest = None
        if of.interruptions_per_hour:
            stream = distributions.stream_of(self._seed, "interruption", machine.provider_id)
            soonest = round(stream.expovariate(of.interruptions_per_hour) * HOUR_NS)
        since_ns = self._clock.unix_ns - self._start_ns
        for number, window in enumerate(of.interruptions):
            after_ns = window.from_ns - since_ns
            if after_ns < 0 or not capacity.suits(window, machine.place):
                continue
            names = ("interruptions", str(number), machine.provider_id)
            drawn = distributions.stream_of(self._seed, *names).random()
            if drawn < window.probability and (soonest is None or after_ns < soonest):
                soonest = after_ns
        return soonest

    def notice_ns(self, machine: Machine) -> int:
        """How long before it is gone an interruption is announced."""
        return self._classes[machine.node_class][2].notice_ns

    def terminate(self, provider_id: str) -> bool:
        """Have a machine end; whether it is gone already."""
        machine = self.machines.get(provider_id)
        if machine is None:
            return True
        if machine.is_terminating:
            self.machines.remove(provider_id)
            return True
        machine.is_terminating = True
        return False

    def exists(self, provider_id: str) -> bool:
        """Whether a machine is there, and not ending."""
        machine = self.machines.get(provider_id)
        return machine is not None and not machine.is_terminating

    def _delay(self, of: NodeClass, node_claim: Json) -> int:
        name = node_claim["metadata"]["name"]
        stream = distributions.stream_of(self._seed, "initialization", name)
        return of.initialization.sample_ns(stream)

    def _read_catalogs(self) -> None:
        found, known = self._lister.all(prices.PRICE_CATALOG), self._catalogs
        if len(found) != len(known) or any(map(operator.is_not, found, known)):
            self._catalogs = found
            self._well_known = labels.WELL_KNOWN | catalog.labels_of(found) | self.reserved_labels
            self._types.clear()
            self._offered.clear()

    def _as_of_now(self, each: InstanceType, refused: frozenset[Place]) -> InstanceType:
        changed = [self._offering_now(each.name, offering, refused) for offering in each.offerings]
        if not any(map(operator.is_not, changed, each.offerings)):
            return each
        return types.new(
            each.name, each.requirements, changed, each.capacity, each.overhead,
            capacity_overlaid=each.capacity_overlaid,
        )  # fmt: skip

    def _offering_now(self, name: str, offering: Offering, refused: frozenset[Place]) -> Offering:
        available, left = offering.available, offering.reservation_capacity
        if refused and Place(name, offering.zone, offering.capacity_type) in refused:
            available = False
        if offering.reservation_id:
            left -= self.machines.reserved(offering.reservation_id)
            available = available and left > 0
        return launching.with_availability(offering, available=available, left=max(left, 0))
