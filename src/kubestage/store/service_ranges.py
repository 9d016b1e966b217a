"""The ranges that addresses of Services are from.

A simulation has one. In a cluster with an API server, ServiceCIDRs say which there are.
"""

from __future__ import annotations

import ipaddress
import itertools
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.store.core import Core

    Network = ipaddress.IPv4Network | ipaddress.IPv6Network

DEFAULT: Final = ipaddress.IPv4Network("10.96.0.0/12")
DEFAULT_NAME: Final = "kubernetes"
SERVICE_CIDR: Final = ("networking.k8s.io/v1", "ServiceCIDR")
READY: Final = "Ready"


def networks(service_cidr: Json) -> list[Network]:
    """The ranges of a ServiceCIDR, of either family."""
    return [
        ipaddress.ip_network(each, strict=False) for each in service_cidr["spec"].get("cidrs") or ()
    ]


def is_ready(service_cidr: Json) -> bool:
    """Whether addresses may be taken from a ServiceCIDR."""
    if "deletionTimestamp" in service_cidr["metadata"]:
        return False
    conditions = (service_cidr.get("status") or {}).get("conditions") or ()
    return any(each["type"] == READY and each["status"] == "True" for each in conditions)


def usable(core: Core) -> list[ipaddress.IPv4Network]:
    """The ranges that addresses may be taken from: the default one first, then by name."""
    if core.bootstrap is None:
        return [DEFAULT]
    found = core.read(SERVICE_CIDR)
    names = sorted(found, key=lambda name: (name != DEFAULT_NAME, name))
    ready = (
        network for name in names if is_ready(found[name]) for network in networks(found[name])
    )
    return list(dict.fromkeys(each for each in ready if isinstance(each, ipaddress.IPv4Network)))


def addresses(network: ipaddress.IPv4Network) -> Iterator[ipaddress.IPv4Address]:
    """All addresses of a range that Services may have; the lowest ones come last.

    Those are left to Services that request one of them.
    """
    last = network.num_addresses - 2
    reserved = min(max(16, network.num_addresses // 16), 256) if network.num_addresses > 16 else 0
    for at in itertools.chain(range(reserved + 1, last + 1), range(1, min(reserved, last) + 1)):
        yield network[at]
