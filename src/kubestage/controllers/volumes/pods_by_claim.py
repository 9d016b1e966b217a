"""Which pods name a claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.store.log import Change


def claims_of(pod: Json) -> Iterator[str]:
    """The keys of the claims that a pod's volumes name, ephemeral ones included."""
    volumes = pod["spec"].get("volumes")
    if not volumes:
        return
    metadata = pod["metadata"]
    for volume in volumes:
        if volume.get("persistentVolumeClaim") is not None:
            yield f"{metadata['namespace']}/{volume['persistentVolumeClaim']['claimName']}"
        elif volume.get("ephemeral") is not None:
            yield f"{metadata['namespace']}/{ephemeral_claim_name(pod, volume)}"


def ephemeral_claim_name(pod: Json, volume: Json) -> str:
    """The name of the claim that is made for a pod's ephemeral volume."""
    return f"{pod['metadata']['name']}-{volume['name']}"


class PodsByClaim:
    """An index that is updated with every change of a pod."""

    def __init__(self) -> None:
        self._pods: dict[str, dict[str, None]] = {}

    def on_pod(self, change: Change) -> None:
        """Enter a new pod, or take one away that is gone; volumes never change."""
        if not change.new["spec"].get("volumes"):
            return
        if change.old is None:
            for claim in claims_of(change.new):
                self._pods.setdefault(claim, {})[change.key] = None
        elif change.type == DELETED:
            for claim in claims_of(change.new):
                named = self._pods.get(claim)
                if named is not None:
                    named.pop(change.key, None)
                    if not named:
                        del self._pods[claim]

    def get(self, claim: str) -> tuple[str, ...]:
        """The keys of the pods that name a claim, oldest first."""
        return tuple(self._pods.get(claim, ()))
