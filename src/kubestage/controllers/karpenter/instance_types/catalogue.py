"""Many instance types as columns: which of them meet requirements and hold requests.

Each row is the room of one type, or of some of its offerings where those differ from the type.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.requirements.requirement import NEGATIVE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from kubestage.controllers.karpenter.instance_types.types import InstanceType
    from kubestage.controllers.karpenter.requirements.requirement import Requirement
    from kubestage.controllers.karpenter.requirements.requirements import Requirements

    Mask = npt.NDArray[np.bool_]
    Codes = npt.NDArray[np.intp]
    Integers = npt.NDArray[np.int64]

_LARGEST: Final = 1 << 61


# As many as the NodePools of a cluster need; those of clusters that are gone do not pile up.
_REMEMBERED: Final = 32


class Met(NamedTuple):
    """Which types meet requirements, and which rows have an offering that does."""

    types: Mask
    rows: Mask


class Catalogue:
    """Instance types in a fixed order, with the resources that matter as columns."""

    def __init__(
        self,
        types: Sequence[InstanceType],
        well_known: frozenset[str],
        resources: Iterable[str] = (),
    ) -> None:
        self.types = list(types)
        self._well_known = well_known
        self._rows = [(at, group) for at, each in enumerate(self.types) for group in each.groups]
        names = {name for _, group in self._rows for name in group.allocatable}
        self.resources = sorted(names.union(resources))
        self.type_of_row: Codes = np.array([at for at, _ in self._rows], dtype=np.intp)
        self._starts = np.flatnonzero(np.diff(self.type_of_row, prepend=-1))
        self.allocatable = np.array(
            [self.vector(group.allocatable) for _, group in self._rows], dtype=np.int64
        ).reshape(len(self._rows), len(self.resources))
        self._columns: dict[str, tuple[list[Requirement | None], Codes]] = {}
        self._met_by_key: dict[Requirement, Mask] = {}
        self._met: dict[Requirements, Met] = {}
        self._offered, self._offerings = self._offering_columns()

    def vector(self, amounts: Mapping[str, int]) -> list[int]:
        """Amounts in the order of the columns; what has no column is left out."""
        return [max(min(amounts.get(name, 0), _LARGEST), -_LARGEST) for name in self.resources]

    def met(self, requirements: Requirements) -> Met:
        """The types and rows that meet requirements; what a host is called does not matter."""
        known = self._met.get(requirements)
        if known is None:
            own = requirements.without(labels.HOSTNAME)
            known = self._met.get(own)
            if known is None:
                known = self._met[own] = Met(self._compatible(own), self._offering_rows(own))
            self._met[requirements] = known
        return known

    def any_of_rows(self, rows: Mask) -> Mask:
        """The types of which any row is marked."""
        if len(self._rows) == len(self.types):
            return rows
        return np.logical_or.reduceat(rows, self._starts)

    def pick(self, mask: Mask) -> list[InstanceType]:
        """The marked types."""
        return [self.types[at] for at in np.flatnonzero(mask)]

    def _compatible(self, requirements: Requirements) -> Mask:
        mask = np.ones(len(self.types), dtype=np.bool_)
        for each in requirements:
            mask &= self._compatible_with(each)
        return mask

    def _compatible_with(self, required: Requirement) -> Mask:
        known = self._met_by_key.get(required)
        if known is None:
            distinct, codes = self._column(required.key)
            answers = [_is_met(each, required) for each in distinct]
            known = self._met_by_key[required] = np.array(answers, dtype=np.bool_)[codes]
        return known

    def _column(self, key: str) -> tuple[list[Requirement | None], Codes]:
        known = self._columns.get(key)
        if known is None:
            found: dict[Requirement | None, int] = {None: 0}
            codes = [
                found.setdefault(
                    each.requirements.get(key) if key in each.requirements else None, len(found)
                )
                for each in self.types
            ]
            known = self._columns[key] = (list(found), np.array(codes, dtype=np.intp))
        return known

    def _offering_columns(self) -> tuple[list[Requirements], Mask]:
        """The distinct requirements of offerings, and which rows have them."""
        codes: dict[Requirements, int] = {}
        cells = [
            (row, codes.setdefault(offering.requirements, len(codes)))
            for row, (_, group) in enumerate(self._rows)
            for offering in group.offerings
        ]
        table = np.zeros((len(self._rows), len(codes)), dtype=np.bool_)
        if cells:
            table[tuple(zip(*cells, strict=True))] = True
        return list(codes), table

    def _offering_rows(self, requirements: Requirements) -> Mask:
        fitting = [
            at
            for at, offered in enumerate(self._offered)
            if requirements.is_compatible(offered, self._well_known)
        ]
        rows: Mask = np.logical_or.reduce(self._offerings[:, fitting], axis=1)
        return rows


def of(
    types: Sequence[InstanceType], well_known: frozenset[str], resources: Iterable[str] = ()
) -> Catalogue:
    """The columns of these very types; each round of consolidation asks for them again."""
    return _of(tuple(types), well_known, frozenset(resources))


@functools.lru_cache(maxsize=_REMEMBERED)
def _of(
    types: tuple[InstanceType, ...], well_known: frozenset[str], resources: frozenset[str]
) -> Catalogue:
    return Catalogue(types, well_known, resources)


def _is_met(existing: Requirement | None, required: Requirement) -> bool:
    if existing is None or existing.has_intersection(required):
        return True
    return required.operator in NEGATIVE and existing.operator in NEGATIVE
