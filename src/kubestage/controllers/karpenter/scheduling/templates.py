"""What new nodes of a NodePool would be: requirements, taints, and the types they could have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.instance_types import catalogue, min_values
from kubestage.controllers.karpenter.requirements import requirement, requirements
from kubestage.controllers.karpenter.requirements.requirements import Requirements
from kubestage.controllers.karpenter.scheduling import daemons, errors, tolerance
from kubestage.controllers.karpenter.scheduling.errors import SchedulingError
from kubestage.objects.pod_resources import PODS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.amounts import Amounts
    from kubestage.controllers.karpenter.instance_types.catalogue import Mask
    from kubestage.controllers.karpenter.instance_types.types import InstanceType, Offering
    from kubestage.controllers.karpenter.scheduling.daemons import DaemonGroup, DaemonPod
    from kubestage.controllers.karpenter.scheduling.options import Options
    from kubestage.controllers.karpenter.scheduling.pod_shapes import PodShape
    from kubestage.objects.pod_resources import ResourceList

MORE_THAN_ANY: Final = 1 << 60
"""Stands for a request of something that no type has."""

NO_TYPE: Final = SchedulingError()
"""Stands for `errors.InstanceTypeFilter` where the reason does not matter."""


class Remaining(NamedTuple):
    """The types that are left, and `minValues` that had to be lowered."""

    types: Mask
    lowered: Mapping[str, int]


class Requests(NamedTuple):
    """The requests of a pod in the order of the columns."""

    numbers: list[int]
    vector: npt.NDArray[np.int64]


class Template:
    """A NodePool ready for scheduling; its types are grouped by the DaemonSets they get."""

    def __init__(self, node_pool: Json, own: Requirements, options: Options) -> None:
        spec = node_pool["spec"]["template"]["spec"]
        self.node_pool = node_pool
        self.name: str = node_pool["metadata"]["name"]
        self.taints = tolerance.taints_of(spec.get("taints"))
        self.requirements = own
        self.options = options
        self.groups: list[DaemonGroup] = []

    def fill(self, types: Sequence[InstanceType], pods: Sequence[DaemonPod]) -> None:
        """Set the types of the NodePool, and work out what DaemonSets take of them."""
        well_known = self.options.well_known
        self.groups = daemons.groups_of(pods, self.taints, self.requirements, types, well_known)
        named = {PODS}.union(*(group.amounts for group in self.groups))
        ordered = [each for group in self.groups for each in group.types]
        self.catalogue = catalogue.of(ordered, well_known, named)
        self.group_of_type = np.repeat(
            np.arange(len(self.groups)), [len(group.types) for group in self.groups]
        )
        overhead = np.array(
            [self.catalogue.vector(group.amounts) for group in self.groups], dtype=np.int64
        ).reshape(len(self.groups), -1)
        allocatable = self.catalogue.allocatable
        by_row = self.group_of_type[self.catalogue.type_of_row]
        self.room: npt.NDArray[np.int64] = allocatable - overhead[by_row]
        # A type that is overdrawn anywhere holds nothing.
        self.usable_rows: Mask = np.logical_and.reduce(allocatable >= 0, axis=1)
        self.all_types: Mask = np.ones(len(ordered), dtype=np.bool_)
        self.reserved: list[tuple[int, Offering]] = [
            (position, offering)
            for position, each in enumerate(ordered)
            for offering in each.offerings
            if offering.available and offering.capacity_type == labels.RESERVED
        ]
        self._capacity: dict[str, npt.NDArray[np.float64]] = {}
        self._requests_of: dict[PodShape, Requests] = {}

    def requests_of(self, shape: PodShape) -> Requests:
        """What a pod requests."""
        known = self._requests_of.get(shape)
        if known is None:
            numbers = self.catalogue.vector(shape.amounts)
            columns = self.catalogue.resources
            if any(amount > 0 and name not in columns for name, amount in shape.amounts.items()):
                numbers[0] = MORE_THAN_ANY
            known = self._requests_of[shape] = Requests(numbers, np.array(numbers, dtype=np.int64))
        return known

    def filter_types(
        self,
        eligible: Mask,
        required: Requirements,
        requests: npt.NDArray[np.int64],
        pod_requests: ResourceList,
        open_groups: Sequence[int] | None,
        *,
        lower: bool,
        explain: bool,
    ) -> Remaining | SchedulingError:
        """The types that meet requirements, hold the requests and are offered.

        `open_groups` are those in which the pod's host ports are free; None stands for all. With
        `lower`, `minValues` that cannot be kept are lowered.
        """
        met = self.catalogue.met(required)
        if open_groups is not None:
            eligible = eligible & np.isin(self.group_of_type, open_groups)
        holding = (self.room >= requests).all(axis=1) & self.usable_rows & met.rows
        fitting = self.catalogue.any_of_rows(holding)
        left = eligible & met.types & fitting
        checked = min_values.MinValues(0, {})
        if required.has_min_values:
            checked = min_values.check(self.catalogue.pick(left), required)
            if checked.lacking and not lower:
                left = np.zeros_like(left)
        if left.any():
            return Remaining(left, checked.lacking)
        if not explain:
            return NO_TYPE
        offered = self.catalogue.any_of_rows(met.rows)
        columns = (eligible & met.types, eligible & fitting, eligible & offered)
        requirements_met, fits, is_offered = columns
        pairs = (
            requirements_met & fits & ~offered,
            fits & is_offered & ~met.types,
            requirements_met & is_offered & ~fitting,
        )
        examined = range(len(self.groups)) if open_groups is None else open_groups
        return errors.InstanceTypeFilter(
            required,
            pod_requests,
            [self.groups[each].requests for each in examined if self.groups[each].requests],
            (bool(requirements_met.any()), bool(fits.any()), bool(is_offered.any())),
            (bool(pairs[0].any()), bool(pairs[1].any()), bool(pairs[2].any())),
            "" if lower else checked.error,
        )

    def within(self, limits: Amounts) -> Mask:
        """The types whose capacity does not exceed what limits leave."""
        mask = self.all_types
        for name, amount in limits.items():
            mask = mask & (self._column(name) <= amount)
        return mask

    def largest(self, types: Mask, name: str) -> int:
        """The most of a resource that any of the types has."""
        return int(self._column(name)[types].max(initial=0))

    def _column(self, name: str) -> npt.NDArray[np.float64]:
        known = self._capacity.get(name)
        if known is None:
            cells = [each.capacity.get(name, 0) for each in self.catalogue.types]
            known = self._capacity[name] = np.array(cells, dtype=np.float64)
        return known


def requirements_of(node_pool: Json) -> Requirements:
    """The requirements of a NodePool's nodes; they are taken to be registered and initialized."""
    template = node_pool["spec"]["template"]
    own = requirements.of_json(template["spec"].get("requirements") or ())
    simulated = Requirements(
        requirement.new(key, requirement.IN, ("true",)) for key in sorted(labels.SIMULATED)
    )
    return own.plus(requirements.of_labels(labels_of(node_pool))).plus(simulated)


def labels_of(node_pool: Json) -> dict[str, str]:
    """The labels that all nodes of a NodePool have."""
    stated = (node_pool["spec"]["template"].get("metadata") or {}).get("labels") or {}
    key, name = labels.node_class_label(node_pool)
    return {**stated, labels.NODE_POOL: node_pool["metadata"]["name"], key: name}


def order_by_weight(node_pools: Sequence[Json]) -> list[Json]:
    """The heaviest first; of equals the last by name."""
    by_name = sorted(node_pools, key=lambda each: str(each["metadata"]["name"]), reverse=True)
    return sorted(by_name, key=lambda each: -(each["spec"].get("weight") or 0))


def usable_types(
    own: Requirements, types: Sequence[InstanceType], options: Options
) -> tuple[list[InstanceType], bool]:
    """The types that a NodePool allows; and whether there are none because of `minValues`."""
    offered = catalogue.of(types, options.well_known)
    met = offered.met(own)
    usable = (offered.allocatable >= 0).all(axis=1) & met.rows
    found = offered.pick(met.types & offered.any_of_rows(usable))
    if found and not options.is_best_effort and min_values.check(found, own).lacking:
        return [], True
    return found, False
