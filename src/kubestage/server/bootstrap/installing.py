"""Puts on a stage what kube-apiserver makes in a cluster; what is there already stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers import registry
from kubestage.server.bootstrap import api_service, default_storage, local_apis, making
from kubestage.server.bootstrap.keeping import Keeper

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage
    from kubestage.store.bootstrap import Bootstrap


def install(stage: Stage, server: Bootstrap) -> None:
    """Give a stage an API server, with all that it makes, now and when it is deleted."""
    is_new = stage.bootstrap is None
    stage.bootstrap = server
    restore(stage)
    if is_new:
        Keeper(stage)


def restore(stage: Stage) -> None:
    """Put back what was removed, as after a Scenario; nothing on a stage without a server."""
    server, store = stage.bootstrap, stage.store
    if server is None:
        return
    store.bootstrap = server
    making.make(store, server)
    making.update_endpoints(store, server)
    making.make_roles(store)
    local_apis.make(store)
    if stage.controllers is not None:
        stage.controllers.load(registry.SERVED)
        default_storage.make(store)


def is_api_service(obj: Json) -> bool:
    """Whether an object is the Service of the API server."""
    if (obj.get("apiVersion"), obj.get("kind")) != ("v1", "Service"):
        return False
    metadata = obj.get("metadata") or {}
    return metadata.get("name") == api_service.NAME and (
        (metadata.get("namespace") or "default") == "default"
    )
