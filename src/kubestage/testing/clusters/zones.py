"""Zones and nodes as a test names them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.errors import InputError
from kubestage.objects import gvk
from kubestage.runs.inputs import node_words

if TYPE_CHECKING:
    from kubestage.store.store import Store


def zone_name(store: Store, zone: str) -> str:
    """The zone that is meant: ``zone-a`` may be called ``a``; InputError if there is none."""
    known = {node_words.zone_of(node) for node in store.read(gvk.NODE).values()} - {""}
    for name in (zone, f"zone-{zone}"):
        if name in known:
            return name
    raise node_words.unknown(zone, sorted(known), "zone", _listed(known))


def nodes_of(store: Store, zone: str | None, node: str | None) -> list[str]:
    """The nodes of a zone, or one by name; one of both is to be given."""
    if (zone is None) == (node is None):
        fix = 'write zone="a" or node="node-1"'
        raise InputError("either a zone or a node is to be named", fix=fix)
    if zone is not None:
        return node_words.of_word(store.read(gvk.NODE), f"zone/{zone_name(store, zone)}")
    return node_words.of_word(store.read(gvk.NODE), f"node/{node}")


def _listed(known: set[str]) -> str:
    return f"there are {', '.join(sorted(known))}" if known else "no node has a zone"
