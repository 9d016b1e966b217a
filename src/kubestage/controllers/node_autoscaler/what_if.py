"""The node autoscaler's question to a scheduler: would this pod fit in such a cluster?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView


class Snapshot(Protocol):
    """A copy of the cluster on which pods and nodes are moved about; nothing else sees it.

    Changes since a `fork` are undone by `revert` and kept by `commit`.
    """

    @property
    def node_names(self) -> list[str]:
        """The nodes, in the order in which they came."""
        ...

    def node(self, name: str) -> Json | None:
        """A node as it is here."""
        ...

    def pods(self, name: str) -> list[PodView]:
        """The pods on a node."""
        ...

    def fork(self) -> None:
        """Remember how things are."""
        ...

    def revert(self) -> None:
        """Have things as they were at the last fork, which is over."""
        ...

    def commit(self) -> None:
        """Keep what was changed since the last fork, which is over."""
        ...

    def add_node(self, node: Json, pods: Sequence[PodView] = ()) -> None:
        """Add a node that there is not, with pods on it."""
        ...

    def change_node(self, node: Json) -> None:
        """Have a node be otherwise; its pods stay."""
        ...

    def remove_node(self, name: str) -> None:
        """Take a node away, and its pods with it."""
        ...

    def remove_pod(self, name: str, pod: PodView) -> None:
        """Take a pod off a node."""
        ...

    def reasons_against(self, pod: PodView, name: str) -> tuple[str, ...] | None:
        """Why a pod does not fit a node, as the scheduler reports it; None if it does."""
        ...

    def fills_nodes_alike(self, pod: PodView) -> bool:
        """Whether pods such as this fill an empty node just as they fill the next one like it."""
        ...

    def put(self, pod: PodView, name: str) -> tuple[str, ...] | None:
        """Put a pod on a node, if it fits; else why it does not."""
        ...

    def place(
        self, pods: Sequence[PodView], among: Collection[str] | None = None, *, but: str = ""
    ) -> list[str]:
        """Put pods that are all alike on nodes one by one, until one fits nowhere.

        `among` are the nodes that may be used, by default all but one. Each search goes on behind
        the node that the one before it found. Returns the nodes of the
        first pods; those for which there is none are left out.
        """
        ...

    def fill(self, pods: Sequence[PodView], name: str) -> int:
        """Put pods that are all alike on one node until one does not fit; how many did."""
        ...


class WhatIf(Protocol):
    """Makes such copies."""

    def search_position(self) -> Any:
        """Where the first search begins; it is handed to one snapshot after the other."""
        ...

    def snapshot(
        self, nodes: Iterable[Json], pods: Iterable[PodView], position: Any = None
    ) -> Snapshot:
        """A copy with these nodes, and the pods that are on one of them."""
        ...
