"""Which objects a served cluster makes of its own accord, so that they are not taken elsewhere."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from kubestage.controllers import root_ca_publisher, service_accounts
from kubestage.server.bootstrap import (
    api_service,
    default_storage,
    flow_control,
    identity,
    local_apis,
    rbac,
)
from kubestage.store import ip_addresses, service_ranges

if TYPE_CHECKING:
    from kubestage.aliases import Json

_CONFIG_MAPS: Final = (identity.AUTHENTICATION, identity.TOKEN_TRACKING)
_ACCOUNT_FIELDS: Final = ("automountServiceAccountToken", "imagePullSecrets", "secrets")


def is_own(obj: Json) -> bool:
    """Whether every served cluster has this object, wherever it came from.

    An account `default` with secrets was changed by users, and is theirs.
    """
    metadata, kind = obj.get("metadata") or {}, obj.get("kind")
    name, namespace = metadata.get("name"), metadata.get("namespace") or ""
    if kind == service_accounts.ACCOUNT[1]:
        return name == service_accounts.NAME and not any(obj.get(each) for each in _ACCOUNT_FIELDS)
    if kind == "ConfigMap":
        is_ours = name in _CONFIG_MAPS and namespace == "kube-system"
        return name == root_ca_publisher.NAME or is_ours
    if kind in ("Service", "Endpoints", "EndpointSlice"):
        return f"{namespace or 'default'}/{name}" == api_service.KEY
    if kind == service_ranges.SERVICE_CIDR[1]:
        return name == service_ranges.DEFAULT_NAME
    if kind == ip_addresses.IP_ADDRESS[1]:
        labels = metadata.get("labels") or {}
        return labels.get(ip_addresses.MANAGED_BY) == ip_addresses.ALLOCATOR
    if kind == local_apis.API_SERVICE[1]:
        return local_apis.is_own(obj)
    return default_storage.is_own(obj) or (kind, namespace, name) in _listed()


@functools.cache
def _listed() -> frozenset[tuple[str, str, str]]:
    """Kinds, namespaces and names of what is in tables."""
    return frozenset(
        (each["kind"], each["metadata"].get("namespace") or "", each["metadata"]["name"])
        for each in (*rbac.objects(), *flow_control.objects(""))
    )
