"""DNS as programs see it: records, and the names that a search list makes of a short one."""

from __future__ import annotations

from typing import Final, NamedTuple

TTL_S: Final = 30
DOMAIN: Final = "cluster.local"


class Record(NamedTuple):
    """One record: ``web.shop.svc.cluster.local A 10.96.0.7``; names have no dot at their end."""

    name: str
    type: str
    value: str


def candidates(name: str, resolver: str) -> list[str]:
    """The names that are tried for one, in the order of a resolv.conf."""
    if name.endswith("."):
        return [name.removesuffix(".")]
    searches: list[str] = []
    dots = 1
    for line in resolver.splitlines():
        words = line.split()
        if words[:1] == ["search"]:
            searches = words[1:]
        if words[:1] == ["options"]:
            stated = [each.partition(":")[2] for each in words if each.startswith("ndots:")]
            dots = int(stated[-1]) if stated and stated[-1].isdigit() else dots
    searched = [f"{name}.{each}" for each in searches]
    return [name, *searched] if name.count(".") >= dots else [*searched, name]
