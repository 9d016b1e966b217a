"""Writing the Leases of nodes, which renew themselves while their node is reachable.

When a node becomes unreachable, its last renewal is recorded, and renewals stop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.leases import LEASE, NAMESPACE, RENEWED_EVERY
from kubestage.errors import ApiError
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.kubelet.node import Node
    from kubestage.store.store import Store


INTERVAL: Final = "10s"
INTERVAL_NS: Final = 10 * 1_000_000_000
DURATION_SECONDS: Final = 40


class Leases:
    """The Leases of nodes in the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def begin(self, node: Node) -> None:
        """A node is reachable from now on."""
        node.lease_since_ns = self._store.clock.now_ns
        self._write(node, node.lease_since_ns, {RENEWED_EVERY: INTERVAL})

    def stop(self, node: Node) -> None:
        """A node is unreachable: its last heartbeat is as old as the interval at most."""
        since_ns = node.lease_since_ns
        passed_ns = self._store.clock.now_ns - since_ns
        self._write(node, since_ns + passed_ns // INTERVAL_NS * INTERVAL_NS, {})

    def _write(self, node: Node, renewed_ns: int, notes: dict[str, str]) -> None:
        store = self._store
        renewed = timestamps.format_micro_time(store.clock.epoch_ns + renewed_ns)
        found = store.read(LEASE).get(f"{NAMESPACE}/{node.name}")
        try:
            if found is None:
                store.create(_lease(node, renewed, notes))
                return
            metadata = dict(found["metadata"])
            before = metadata.pop("annotations", None) or {}
            others = {name: text for name, text in before.items() if name != RENEWED_EVERY}
            if others or notes:
                metadata["annotations"] = {**others, **notes}
            # It may have been that of an earlier node of this name, and would go with that one.
            metadata["ownerReferences"] = _owners(node)
            spec = {**found.get("spec", {}), "holderIdentity": node.name, "renewTime": renewed}
            store.update({**found, "metadata": metadata, "spec": spec})
        except ApiError:
            # As a kubelet that cannot write its Lease: it works on, and others think it is gone.
            return


def _owners(node: Node) -> list[Json]:
    return [{"apiVersion": "v1", "kind": "Node", "name": node.name, "uid": node.uid}]


def _lease(node: Node, renewed: str, notes: dict[str, str]) -> Json:
    metadata: Json = {"name": node.name, "namespace": NAMESPACE}
    if notes:
        metadata["annotations"] = notes
    metadata["ownerReferences"] = _owners(node)
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": metadata,
        "spec": {
            "holderIdentity": node.name,
            "leaseDurationSeconds": DURATION_SECONDS,
            "renewTime": renewed,
        },
    }
