"""``componentstatuses``: an old way to ask whether the parts of a cluster are well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import NotFound
from kubestage.server import dispatch, health, routing
from kubestage.server.response import json_response, warning_headers

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.live import Live
    from kubestage.server.request import Request
    from kubestage.server.response import Response

_NAMES: Final = ("controller-manager", "scheduler", "etcd-0")
_DEPRECATED: Final = "v1 ComponentStatus is deprecated in v1.19+"


async def handle(live: Live, request: Request) -> Response:
    """All parts, or the one that the path names."""
    if request.method != "GET":
        raise dispatch.not_allowed()
    parts = request.path.strip("/").split("/")[3:]
    if len(parts) > 1:
        raise routing.no_such_path()
    headers = warning_headers([_DEPRECATED])
    if not parts:
        items = [_status(live, name) for name in _NAMES]
        listed = {"kind": "ComponentStatusList", "apiVersion": "v1", "metadata": {}, "items": items}
        return json_response(listed, 200, headers)
    if parts[0] not in _NAMES:
        raise NotFound(
            f'componentstatuses "{parts[0]}" not found',
            {"name": parts[0], "kind": "componentstatuses"},
        )
    head = {"kind": "ComponentStatus", "apiVersion": "v1"}
    return json_response({**head, **_status(live, parts[0])}, 200, headers)


def _status(live: Live, name: str) -> Json:
    problem = health.storage_problem(live) if name == "etcd-0" else ""
    condition = {
        "type": "Healthy",
        "status": "False" if problem else "True",
        "message": problem or "ok",
    }
    return {"metadata": {"name": name}, "conditions": [condition]}
