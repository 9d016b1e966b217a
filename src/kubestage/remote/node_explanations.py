"""Why a node of a served cluster was bought, and why it is kept or goes, over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from kubestage.remote.kubestage_server import KubestageServer

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.remote.access import Access

_PATH: Final = "/kubestage/v1/node-explanations"


class NodeExplanations:
    """The explanations of one server."""

    def __init__(self, access: Access) -> None:
        self._server = KubestageServer(access, "explanations of nodes")

    def get(self, name: str) -> Json:
        """What the server knows of a node, or of the node of a NodeClaim."""
        _, found = self._server.call("GET", f"{_PATH}/{quote(name, safe='')}")
        if not isinstance(found, dict) or not {"node", "nodeClaim", "status"} <= set(found):
            raise self._server.other()
        return found
