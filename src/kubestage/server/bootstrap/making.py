"""Makes what is missing of the objects that the API server keeps in a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import timestamps
from kubestage.server.bootstrap import api_service, flow_control, identity, rbac, service_range
from kubestage.store import bootstrap, ip_addresses, namespaces
from kubestage.store.collection import key_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from kubestage.aliases import Json
    from kubestage.store.bootstrap import Bootstrap
    from kubestage.store.store import Store

MANAGER: Final = "kube-apiserver"


def make(store: Store, server: Bootstrap, kinds: Container[str] | None = None) -> None:
    """Make what is missing, roles apart; with `kinds`, only what is of these."""
    for obj in objects(server, store.clock.unix_ns):
        if (kinds is None or obj["kind"] in kinds) and not _has(store, obj):
            _add(store, obj)
    ip_addresses.record_all(store)
    store.settle()


def update_endpoints(store: Store, server: Bootstrap) -> None:
    """Have the endpoints lead to the server; one that was started again may be elsewhere."""
    for new, fields in (
        (api_service.endpoints(server), ("subsets",)),
        (api_service.endpoint_slice(server), ("addressType", "endpoints", "ports")),
    ):
        kind = store.kinds.of(new)
        found = store.read(kind)[api_service.KEY]
        changed = {name: new[name] for name in fields if found.get(name) != new[name]}
        if changed:
            metadata = dict(found["metadata"])
            store.put(kind, api_service.KEY, {**found, **changed, "metadata": metadata})
    store.settle()


def make_roles(store: Store) -> None:
    """Make the roles and bindings that are missing; those that are deleted later stay away."""
    alike: dict[str, Json] = {}
    for obj in rbac.objects():
        if not _has(store, obj):
            fields = " ".join((obj["kind"], *obj, *obj["metadata"]["labels"]))
            alike[fields] = bootstrap.add(store, obj, MANAGER, alike.get(fields))
    store.settle()


def objects(server: Bootstrap, now_unix_ns: int) -> Iterator[Json]:
    """All but roles and their bindings, in the order in which they are made."""
    now = timestamps.format_time(now_unix_ns)
    yield from map(namespaces.manifest, namespaces.SEEDED)
    yield service_range.service_cidr(now)
    yield api_service.service(server)
    yield api_service.endpoints(server)
    yield api_service.endpoint_slice(server)
    yield identity.authentication(server)
    yield identity.token_tracking(now)
    yield identity.lease(now_unix_ns)
    yield from flow_control.objects(now)


def key(obj: Json) -> str:
    """The key of an object in the collection of its kind."""
    metadata = obj["metadata"]
    return key_of(metadata.get("namespace"), metadata["name"])


def _has(store: Store, obj: Json) -> bool:
    return key(obj) in store.read(store.kinds.of(obj))


def _add(store: Store, obj: Json) -> None:
    namespace = obj["metadata"].get("namespace")
    if namespace is not None and namespace not in store.read(namespaces.NAMESPACE):
        return
    bootstrap.add(store, obj, MANAGER)
    if "status" in obj:
        store.record_status(store.kinds.of(obj), key(obj), obj["status"])
