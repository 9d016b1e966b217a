"""Types of a price catalog that new nodes could be of, those that may cost the least first."""

from __future__ import annotations

import difflib
import fnmatch
from typing import TYPE_CHECKING, Final

from kubestage.controllers.node_autoscaler import groups
from kubestage.errors import InputError
from kubestage.objects import gvk, prices
from kubestage.results.packing import contents
from kubestage.runs.inputs import node_words, price_files
from kubestage.runs.rehearse import node_search
from kubestage.runs.rehearse.node_templates import NodeTemplate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.prices import CatalogEntry
    from kubestage.stage import Stage

_PATH: Final = "--instance-type"
_NEEDED: Final = ("cpu", "memory")
_PODS: Final = "110"


def of(stage: Stage, patterns: Sequence[str], catalog: str | None) -> list[NodeTemplate]:
    """The types that match a pattern, by a lower bound of what enough of them cost per hour."""
    known = _entries(stage, catalog)
    for pattern in patterns:
        _check(pattern, known)
    chosen = [
        each
        for each in known
        if any(fnmatch.fnmatchcase(each.instance_type, pattern) for pattern in patterns)
    ]
    found = [_template(stage, each) for each in chosen]
    bounds = {each.name: node_search.lower_bound(stage, each) * (each.price or 0) for each in found}
    return sorted(found, key=lambda each: (bounds[each.name], each.name))


def _entries(stage: Stage, catalog: str | None) -> list[CatalogEntry]:
    """Prices with what a node offers: of a file, or else those of the cluster."""
    catalogs = [] if catalog is None else price_files.load(catalog)
    found = prices.Prices({}, catalogs) if catalogs else contents.prices_of(stage.store)
    if not found.entries:
        fix = "add --prices aws-us-east-1, or a file with prices and resources"
        raise InputError("there is no price catalog", path=_PATH, fix=fix)
    return [each for each in found.entries if all(each.resources.get(name) for name in _NEEDED)]


def _check(pattern: str, known: Sequence[CatalogEntry]) -> None:
    names = {each.instance_type for each in known}
    if any(fnmatch.fnmatchcase(name, pattern) for name in names):
        return
    likely = difflib.get_close_matches(pattern, names, 1)
    fix = f"did you mean {likely[0]}?" if likely else "write it as in m6i.large or 'm6i.*'"
    if not names:
        fix = "the catalog has no resources: add the columns cpu and memory"
    raise InputError(f'no type of the catalog is "{pattern}"', path=_PATH, fix=fix)


def _template(stage: Stage, entry: CatalogEntry) -> NodeTemplate:
    zones = {node_words.zone_of(node) for node in stage.store.read(gvk.NODE).values()} - {""}
    chosen = [entry.zone] if entry.zone else sorted(zones) or [""]
    name = entry.instance_type
    if entry.capacity_type != prices.ON_DEMAND:
        name = f"{name} ({entry.capacity_type})"
    if entry.zone:
        name = f"{name} in {entry.zone}"
    return NodeTemplate(name, 0, [_node(entry, zone) for zone in chosen], price=entry.price)


def _node(entry: CatalogEntry, zone: str) -> Json:
    labels = {
        prices.INSTANCE_TYPES[0]: entry.instance_type,
        "kubernetes.io/arch": entry.architecture,
        "kubernetes.io/os": "linux",
        prices.CAPACITY_TYPE: entry.capacity_type,
        groups.HOSTNAME: entry.instance_type,
    }
    if zone:
        labels["topology.kubernetes.io/zone"] = zone
    offered = {"pods": _PODS, **entry.resources}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": entry.instance_type, "labels": labels},
        "status": {"capacity": offered, "allocatable": offered},
    }
