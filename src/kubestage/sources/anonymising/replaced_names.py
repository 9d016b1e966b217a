"""Names in place of others: keyed hashes that keep the order, and the parts that have a meaning."""

from __future__ import annotations

import collections
import hashlib
import hmac
import ipaddress
import re
from typing import Final

_ORDINAL: Final = re.compile(r"(.+)-(\d+)")
_DIGITS: Final = 4
_HEX: Final = 8
# Names that every cluster has.
_PUBLIC: Final = {
    "namespace": frozenset({"default", "kube-system", "kube-public", "kube-node-lease"}),
    "serviceaccount": frozenset({"default"}),
    "service": frozenset({"kubernetes"}),
    "priorityclass": frozenset({"system-cluster-critical", "system-node-critical"}),
}
_NETWORKS: Final[dict[str, ipaddress.IPv4Network | ipaddress.IPv6Network]] = {
    "address4": ipaddress.ip_network("10.0.0.0/8"),
    "address6": ipaddress.ip_network("fd00::/8"),
}
_SHORT: Final = {
    "namespace": "ns", "replicaset": "rs", "persistentvolumeclaim": "claim",
    "persistentvolume": "pv", "controllerrevision": "rev", "statefulset": "set",
    "serviceaccount": "sa", "horizontalpodautoscaler": "hpa", "poddisruptionbudget": "pdb",
    "verticalpodautoscaler": "vpa", "resourceclaimtemplate": "claimtemplate",
}  # fmt: skip


class ReplacedNames:
    """Names by category, collected first and replaced then.

    A replaced name is the category, the place of the original among all of its category, and a
    hash: whatever goes by the order of names goes the same way.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._collected: dict[str, set[str]] = collections.defaultdict(set)
        self._templates: set[tuple[str, str]] = set()
        self._replaced: dict[str, dict[str, str]] | None = None

    def name(self, category: str, text: str) -> str:
        """The name in place of a name; the name itself while they are collected."""
        if not text or self.is_public(category, text):
            return text
        if self._replaced is None:
            self._collected[category].add(text)
            return text
        derived = self._derived(category, text)
        return derived or self._replaced.get(category, {}).get(text) or self.hashed(text)

    @staticmethod
    def is_public(category: str, text: str) -> bool:
        """Whether every cluster has this name."""
        return text in _PUBLIC.get(category, ())

    @staticmethod
    def prefix(category: str) -> str:
        """How the names of a category begin."""
        return _SHORT.get(category, category)

    @staticmethod
    def network(category: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
        """The private network that addresses of a category are replaced by."""
        return _NETWORKS[category]

    def is_known(self, category: str, text: str) -> bool:
        """Whether there is such a name."""
        return text in self._collected.get(category, ())

    def claim_template(self, template: str, workload: str) -> None:
        """Claims of a StatefulSet are named after the template, the set and the ordinal."""
        self._templates.add((template, workload))

    def replace(self) -> None:
        """All names are collected: from now on they are replaced."""
        self._replaced = {
            category: self._ordered(category, names) for category, names in self._collected.items()
        }

    def hashed(self, text: str, size: int = 12) -> str:
        """A hash of any text."""
        return f"x-{self._digest('text', text)[:size]}" if text else text

    def uid(self, text: str) -> str:
        """A uid in place of another."""
        found = self._digest("uid", text)
        return f"{found[:8]}-{found[8:12]}-5{found[13:16]}-8{found[17:20]}-{found[20:32]}"

    def port(self, text: str) -> str:
        """The name of a port, which may have 15 characters."""
        return f"p{self._digest('port', text)[:10]}"

    def address(self, text: str) -> str:
        """An address of a private network in place of any other."""
        try:
            version = ipaddress.ip_address(text).version
        except ValueError:
            return self.hashed(text)
        return self.name(f"address{version}", text)

    def _ordered(self, category: str, names: set[str]) -> dict[str, str]:
        # In keys such as namespace/name a shorter namespace comes after one with a dash.
        ordered = sorted(names, key=(lambda name: f"{name}/") if category == "namespace" else str)
        if category in _NETWORKS:
            return {name: str(_NETWORKS[category][at]) for at, name in enumerate(ordered, 1)}
        width = max(_DIGITS, len(str(len(names))))
        prefix = self.prefix(category)
        return {
            name: f"{prefix}-{number:0{width}d}-{self._digest(category, name)[:_HEX]}"
            for number, name in enumerate(ordered)
        }

    def _derived(self, category: str, text: str) -> str:
        """The name of a pod or claim of a StatefulSet, which controllers make from its name."""
        found = _ORDINAL.fullmatch(text)
        if found is None or category not in ("pod", "persistentvolumeclaim"):
            return ""
        stem, ordinal = found.groups()
        if category == "pod":
            known = self.is_known("statefulset", stem)
            return f"{self.name('statefulset', stem)}-{ordinal}" if known else ""
        for template, workload in self._templates:
            if stem == f"{template}-{workload}":
                names = self.name("volume", template), self.name("statefulset", workload)
                return f"{'-'.join(names)}-{ordinal}"
        return ""

    def _digest(self, category: str, text: str) -> str:
        message = f"{category}\0{text}".encode(errors="surrogatepass")
        return hmac.new(self._key, message, hashlib.sha256).hexdigest()
