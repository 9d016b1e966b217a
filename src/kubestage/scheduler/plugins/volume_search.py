"""Where a pod's volumes can be had: bound, waiting to be bound, or to be made."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from kubestage.objects import csi_migration, node_selector
from kubestage.objects.label_requirement import SelectorError
from kubestage.scheduler.plugins import volume_matching, volume_provisioning
from kubestage.scheduler.status import Status, error, unresolvable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.objects.csi_migration import InTreePlugin
    from kubestage.objects.views.storage import ClaimView, ClassView, VolumeView
    from kubestage.scheduler.arrays import Codes, Ints, Mask
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.plugins.storage_objects import StorageObjects
    from kubestage.scheduler.plugins.volume_offers import VolumeOffers

SELECTED_NODE_ANNOTATION: Final = "volume.kubernetes.io/selected-node"

_REASONS: Final = (
    "node(s) didn't match PersistentVolume's node affinity",
    "node(s) didn't find available persistent volumes to bind",
    "node(s) did not have enough free storage",
    "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
)
_OUT_OF_REACH, _NOT_FOUND, _NO_ROOM, _GONE = (1 << place for place in range(len(_REASONS)))
_ERRORS: Final = 1 << len(_REASONS)
_KEY: Final = "VolumeBinding/bound"


class PodClaims(msgspec.Struct, frozen=True):
    """The claims of a pod, in the order of its volumes; `waiting` ones come with their class."""

    bound: tuple[tuple[ClaimView, VolumeView | None], ...] = ()
    waiting: tuple[tuple[ClaimView, ClassView], ...] = ()


@dataclasses.dataclass(slots=True)
class Search:
    """The answer for every node: a code (0 where all is well), and what would be done there.

    `chosen` has for each waiting claim the places of volumes in `volumes`.
    """

    columns: Columns
    codes: Codes
    claims: PodClaims
    volumes: list[VolumeView] = dataclasses.field(default_factory=list)
    chosen: list[tuple[ClaimView, Ints]] = dataclasses.field(default_factory=list)
    provisioned: list[ClaimView] = dataclasses.field(default_factory=list)
    errors: list[Status] = dataclasses.field(default_factory=list)
    _places: dict[str, int] = dataclasses.field(default_factory=dict)

    def status(self, code: int) -> Status:
        """What a code means."""
        if code >= _ERRORS:
            return self.errors[code - _ERRORS]
        return unresolvable(*(text for place, text in enumerate(_REASONS) if code >> place & 1))

    def bindings(self, row: int) -> list[tuple[ClaimView, VolumeView]]:
        """The volumes to bind if the pod goes to a node."""
        return [
            (claim, self.volumes[choice[row]])
            for claim, choice in self.chosen
            if choice[row] != volume_matching.NONE
        ]

    def provisions(self, row: int) -> list[ClaimView]:
        """The claims for which volumes are to be made if the pod goes to a node."""
        unmatched = [claim for claim, choice in self.chosen if choice[row] == volume_matching.NONE]
        return [*self.provisioned, *unmatched]

    def number(self, volume: VolumeView) -> int:
        """The place of a volume, assigned when first seen."""
        number = self._places.setdefault(volume.name, len(self.volumes))
        if number == len(self.volumes):
            self.volumes.append(volume)
        return number


def search(
    columns: Columns, claims: PodClaims, objects: StorageObjects, offers: VolumeOffers
) -> Search:
    """Look on all nodes."""
    volumes = [volume for _, volume in claims.bound if volume is not None and not _migrates(volume)]
    if not claims.waiting and len(volumes) == len(claims.bound):
        keys = _KEY, *map(volume_matching.affinity_key, volumes)
        codes = columns.derived(keys, lambda whole: _out_of_reach(whole, volumes))
        return Search(columns, codes, claims)
    found = Search(columns, np.zeros(len(columns), np.int32), claims)
    failed: Codes = np.zeros(len(columns), np.int32)
    _check_bound(found, failed, objects)
    if claims.waiting:
        _find(found, failed, objects, offers)
    found.codes = np.where(failed, failed, found.codes)
    return found


def _out_of_reach(columns: Columns, volumes: Iterable[VolumeView]) -> Codes:
    """The codes of nodes if all volumes exist and no driver was replaced by another."""
    codes: Codes = np.zeros(len(columns), np.int32)
    for volume in volumes:
        reachable: Mask = np.zeros(len(columns), np.bool_)
        reachable[volume_matching.reach(columns, volume)] = True
        codes[~reachable] = _OUT_OF_REACH
    return codes


def _migrates(volume: VolumeView) -> bool:
    plugin = csi_migration.plugin_of(volume.raw["spec"])
    return plugin is not None and plugin.migrated


def _check_bound(found: Search, failed: Codes, objects: StorageObjects) -> None:
    """Mark the nodes that cannot reach the volumes which the pod has already."""
    fitting: Mask = np.ones(len(found.columns), np.bool_)
    for _, volume in found.claims.bound:
        if volume is None:
            found.codes[fitting] |= _GONE
            return
        reachable: Mask = np.zeros(len(found.columns), np.bool_)
        reachable[volume_matching.reach(found.columns, volume)] = True
        plugin = csi_migration.plugin_of(volume.raw["spec"])
        if plugin is not None and plugin.migrated:
            migrated = fitting & _migrated(found.columns, plugin, objects)
            if migrated.any():
                _translate(found, failed, volume, plugin, migrated, reachable)
                fitting &= failed == 0
        found.codes[fitting & ~reachable] |= _OUT_OF_REACH
        fitting &= reachable


def _migrated(columns: Columns, plugin: InTreePlugin, objects: StorageObjects) -> Mask:
    """The nodes that serve a driver's volumes by the CSI driver which took it over."""
    mask: Mask = np.zeros(len(columns), np.bool_)
    nodes = objects.csi_nodes()
    for row, name in enumerate(columns.names):
        if name in nodes:
            annotations = nodes[name].raw["metadata"].get("annotations") or {}
            named = annotations.get(csi_migration.MIGRATED_PLUGINS_ANNOTATION) or ""
            mask[row] = plugin.name in named.split(",")
    return mask


def _translate(
    found: Search,
    failed: Codes,
    volume: VolumeView,
    plugin: InTreePlugin,
    migrated: Mask,
    reachable: Mask,
) -> None:
    """Use the CSI driver's affinity instead of the volume's own on the nodes that migrated."""
    try:
        required = csi_migration.node_affinity(plugin, volume.raw)
    except csi_migration.TranslationError as problem:
        failed[migrated] = _ERRORS + len(found.errors)
        found.errors.append(error(f"could not translate pv: {problem}"))
        return
    reachable[migrated] = True
    if required is not None:
        mask = volume_matching.matches(found.columns, node_selector.lazy(required))
        reachable[migrated] = mask[migrated]


def _find(found: Search, failed: Codes, objects: StorageObjects, offers: VolumeOffers) -> None:
    """Match the waiting claims with volumes, and see where the rest can be made."""
    columns = found.columns
    elsewhere: Mask = np.zeros(len(columns), np.bool_)
    to_match: list[tuple[ClaimView, ClassView]] = []
    to_make: list[tuple[ClaimView, ClassView, Mask]] = []
    for claim, storage_class in found.claims.waiting:
        selected = claim.annotations.get(SELECTED_NODE_ANNOTATION)
        if selected is None:
            to_match.append((claim, storage_class))
        else:
            elsewhere |= ~_only(columns, selected)
            to_make.append((claim, storage_class, np.ones(len(columns), np.bool_)))
            found.provisioned.append(claim)
    found.codes[elsewhere] |= _NOT_FOUND
    offers.refresh()
    taken: list[Ints] = []
    for claim, storage_class in sorted(to_match, key=lambda item: item[0].requested):
        try:
            candidates = offers.candidates(claim, len(to_match))
        except SelectorError as problem:
            _refuse(found, failed, ~elsewhere, claim, problem)
            return
        numbered = [(found.number(volume), volume) for volume in candidates]
        choice = volume_matching.match(columns, claim, numbered, taken)
        taken.append(choice)
        found.chosen.append((claim, choice))
        to_make.append((claim, storage_class, choice == volume_matching.NONE))
    _check_provisions(found, objects, to_make, ~elsewhere)


def _only(columns: Columns, name: str) -> Mask:
    mask: Mask = np.zeros(len(columns), np.bool_)
    row = columns.row_of.get(name)
    if row is not None:
        mask[row] = True
    return mask


def _refuse(
    found: Search, failed: Codes, where: Mask, claim: ClaimView, problem: SelectorError
) -> None:
    failed[where & (failed == 0)] = _ERRORS + len(found.errors)
    key = f"{claim.namespace}/{claim.name}"
    found.errors.append(
        error(f"error creating internal label selector for claim: {key}: {problem}")
    )


def _check_provisions(
    found: Search,
    objects: StorageObjects,
    to_make: list[tuple[ClaimView, ClassView, Mask]],
    where: Mask,
) -> None:
    """Mark the nodes on which a volume cannot be made; the first claim that fails decides."""
    for claim, storage_class, needed in to_make:
        affected = where & needed
        if not affected.any():
            continue
        if not volume_provisioning.can_provision(storage_class):
            found.codes[affected] |= _NOT_FOUND
            where = where & ~affected
            continue
        if storage_class.topologies:
            refused = affected & ~volume_provisioning.allowed(found.columns, storage_class)
            found.codes[refused] |= _NOT_FOUND
            where, affected = where & ~refused, affected & ~refused
        room = volume_provisioning.has_room(found.columns, objects, storage_class, claim)
        if room is not None:
            full = affected & ~room
            found.codes[full] |= _NO_ROOM
            where = where & ~full
