"""The kinds of node that a cluster could have more of."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.controllers.node_autoscaler import groups, node_state
from kubestage.errors import InputError
from kubestage.objects import gvk, node_pools
from kubestage.results.analysis import amounts
from kubestage.results.packing import contents
from kubestage.runs.inputs import node_words
from kubestage.runs.rehearse import node_copies

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.results.analysis.amounts import Amounts
    from kubestage.stage import Stage

MOST: Final = 5
"""So many are tried, those with the most nodes."""
# What differs from node to node of one make.
_OWN_LABELS: Final = {groups.HOSTNAME, *node_words.ZONES}


class NodeTemplate(msgspec.Struct, frozen=True):
    """Nodes that are all alike; `examples` has one for each zone that they are in."""

    name: str
    nodes: int
    examples: Sequence[Json]
    most_nodes: int | None = None
    """The largest size of a NodeGroup."""
    is_group: bool = False
    price: float | None = None
    """What a node costs per hour."""

    @property
    def amounts(self) -> Amounts:
        """What one of them offers."""
        return amounts.of_node(self.examples[0])

    @property
    def node_name(self) -> str:
        """What the names of its nodes begin with."""
        return self.name if " " not in self.name else self.name.partition(" ")[0]

    def node(self, stage: Stage, number: int) -> Json:
        """Another one: the zones take turns."""
        example = self.examples[number % len(self.examples)]
        name = node_copies.free_name(stage.store, f"{self.node_name}-more-{number + 1}")
        return node_copies.like(example, name)


def of(stage: Stage, names: Sequence[str]) -> list[NodeTemplate]:
    """Those that are named; without names all, the most frequent first."""
    known = contents.prices_of(stage.store)
    found = [
        msgspec.structs.replace(each, price=known.of_node(each.examples[0])) for each in _all(stage)
    ]
    found.sort(key=lambda each: (-each.nodes, each.name))
    if not names:
        return found
    by_name = {each.name: each for each in found}
    nodes = stage.store.read(gvk.NODE)
    chosen = []
    for name in names:
        if name in by_name:
            chosen.append(by_name[name])
        elif name in nodes:
            price = known.of_node(nodes[name])
            chosen.append(NodeTemplate(name, 1, [nodes[name]], price=price))
        else:
            likely = difflib.get_close_matches(name, [*by_name, *nodes], 1)
            fix = f"did you mean {likely[0]}?" if likely else f"there is {', '.join(by_name)}"
            raise InputError(
                f'there is no node, pool or NodeGroup "{name}"', path="--template", fix=fix
            )
    return chosen


def _all(stage: Stage) -> Iterator[NodeTemplate]:
    alike: dict[tuple[str, str], list[Json]] = {}
    for node in stage.store.read(gvk.NODE).values():
        alike.setdefault(_make(node), []).append(node)
    seen = set()
    for (pool, _), nodes in alike.items():
        group = stage.store.read(groups.NODE_GROUP).get(pool)
        name = pool or nodes[0]["metadata"]["name"]
        if name in seen:
            name = nodes[0]["metadata"]["name"]
        seen.add(name)
        zones = {node_words.zone_of(node): node for node in reversed(nodes)}
        examples = [zones[zone] for zone in sorted(zones)]
        most = None if group is None else group["spec"]["maxSize"]
        yield NodeTemplate(name, len(nodes), examples, most, is_group=group is not None)
    for name, obj in stage.store.read(groups.NODE_GROUP).items():
        if name not in seen:
            group_view = groups.read_group(obj)
            node = group_view.node(name)
            yield NodeTemplate(name, 0, [node], group_view.max_size, is_group=True)


def _make(node: Json) -> tuple[str, str]:
    """The same of nodes that are alike: their pool, or what they have."""
    pool = node_pools.of(node)
    offered = (node.get("status") or {}).get("allocatable") or {}
    labels = {
        key: value
        for key, value in (node["metadata"].get("labels") or {}).items()
        if key not in _OWN_LABELS
    }
    parts = (sorted(offered.items()), sorted(labels.items()), node_state.lasting_taints(node))
    return pool, msgspec.json.encode(parts, order="deterministic").decode()
