"""Advice about ports of containers that are defined twice, or that get in each other's way."""

from __future__ import annotations

import itertools
import operator
from collections import defaultdict
from typing import TYPE_CHECKING

from kubestage.objects.warnings import limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.aliases import Json

    Entry = tuple[Json, str]
    Numbered = tuple[int, Json, str]


class _Definitions:
    """The definitions so far of one port and protocol, by what they claim of their host.

    NOTE: they are looked up, for a pod may have tens of thousands: no pair is looked at that has
    nothing to say, and no more pairs than a response has room for.
    """

    def __init__(self) -> None:
        self._all: list[Numbered] = []
        self._without_port: list[Numbered] = []
        self._by_port: defaultdict[tuple[int, bool], list[Numbered]] = defaultdict(list)
        self._by_address: defaultdict[tuple[int, str], list[Numbered]] = defaultdict(list)

    def add(self, entry: Numbered) -> None:
        """One more."""
        _, port, _ = entry
        host_ip, host_port = _claims(port)
        self._all.append(entry)
        if not host_port:
            self._without_port.append(entry)
        self._by_port[host_port, bool(host_ip)].append(entry)
        self._by_address[host_port, host_ip].append(entry)

    def rivals(self, port: Json) -> Iterable[Numbered]:
        """Those that get in the way of another one, in the order in which they were added."""
        host_ip, host_port = _claims(port)
        if not host_port:
            return self._all
        found = (
            *self._without_port,
            *self._by_address.get((host_port, host_ip), ()),
            *self._by_port.get((host_port, not host_ip), ()),
        )
        return sorted(found, key=operator.itemgetter(0))


def warnings(ports: list[Entry]) -> list[str]:
    """The warnings about the ports of all containers: the first ones, if there is too much."""
    return list(itertools.islice(_warnings(ports), limits.MOST_RUNES))


def _warnings(ports: list[Entry]) -> Iterator[str]:
    known: defaultdict[tuple[int, str], _Definitions] = defaultdict(_Definitions)
    for index, (port, path) in enumerate(ports):
        host_ip, host_port = _claims(port)
        if host_ip and not host_port:
            yield f"{path}: hostIP set without hostPort: {_shown(port)}"
        definitions = known[port.get("containerPort") or 0, port.get("protocol") or ""]
        for _, other, where in definitions.rivals(port):
            yield f"{path}: {_problem(host_ip, host_port, other)} port definition with {where}"
        definitions.add((index, port, path))


def _claims(port: Json) -> tuple[str, int]:
    return port.get("hostIP") or "", port.get("hostPort") or 0


def _problem(host_ip: str, host_port: int, other: Json) -> str:
    other_ip, other_port = _claims(other)
    if (host_ip, host_port) == (other_ip, other_port):
        return "duplicate"
    if not host_port or not other_port:
        return "overlapping"
    return "dangerously ambiguous"


def _shown(port: Json) -> str:
    return (
        f"{{Name:{port.get('name') or ''} HostPort:{port.get('hostPort') or 0} "
        f"ContainerPort:{port.get('containerPort') or 0} Protocol:{port.get('protocol') or ''} "
        f"HostIP:{port.get('hostIP') or ''}}}"
    )
