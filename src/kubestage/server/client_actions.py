"""What clients did, as notes in a history: changes alone do not show who made them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.results.life.marks import ACTION
from kubestage.server.live import REPORTS

if TYPE_CHECKING:
    from kubestage.results.history.cluster_history import ClusterHistory
    from kubestage.server.live import Write

_DID: Final = {
    "create": "created",
    "update": "changed",
    "patch": "changed",
    "apply": "applied",
    "delete": "deleted",
    "deletecollection": "deleted all of",
}
_SUBRESOURCES: Final = {"scale": "scaled", "eviction": "requested the eviction of"}
# What programs write again and again, or on behalf of others.
_LEFT_OUT: Final = REPORTS | {"SelfSubjectAccessReview", "SubjectAccessReview", "TokenReview"}


class ClientActions:
    """Notes each write of a client that changes what the cluster is to do."""

    def __init__(self, history: ClusterHistory) -> None:
        self._history = history

    def on_write(self, write: Write) -> None:
        """Note one write."""
        is_plain = not write.subresource or write.subresource in _SUBRESOURCES
        if write.is_dry_run or not is_plain or write.kind.kind in _LEFT_OUT:
            return
        key = "/".join(part for part in (write.namespace, write.name) if part)
        kind = write.kind.kind
        client = write.user_agent.partition("/")[0] or "a client"
        text = f"{client} {_did(write)} {kind} {key}".rstrip()
        self._history.note(ACTION, f"{kind.lower()}/{key}", text)


def _did(write: Write) -> str:
    if write.kind.kind == "Node" and isinstance(write.body, dict):
        spec = write.body.get("spec")
        if isinstance(spec, dict) and "unschedulable" in spec and write.verb == "patch":
            return "cordoned" if spec["unschedulable"] else "uncordoned"
    return _SUBRESOURCES.get(write.subresource) or _DID.get(write.verb, write.verb)
