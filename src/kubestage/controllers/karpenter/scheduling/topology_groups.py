"""One topology rule of many pods: how many pods it counts in each domain, and which domain next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.requirements import requirement
from kubestage.controllers.karpenter.requirements.requirement import Requirement
from kubestage.controllers.karpenter.scheduling import options

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.requirements.requirements import Requirements
    from kubestage.controllers.karpenter.scheduling.node_filter import NodeFilter
    from kubestage.controllers.karpenter.scheduling.options import Chooser
    from kubestage.objects.labels import Selector
    from kubestage.objects.taints import Taint

SPREAD: Final = "topology spread"
AFFINITY: Final = "pod affinity"
ANTI_AFFINITY: Final = "pod anti-affinity"

UNLIMITED: Final = (1 << 31) - 1


class Rule:
    """What makes pods share a group: the kind of rule, its label, and which pods it counts.

    `raw_selector` is the selector as stated: without one no pod is selected, but in the cluster all
    are counted.
    """

    __slots__ = (
        "key", "kind", "max_skew", "min_domains", "namespaces", "node_filter", "raw_selector",
        "selector",
    )  # fmt: skip

    def __init__(
        self,
        kind: str,
        key: str,
        namespaces: frozenset[str],
        selector: Selector,
        raw_selector: Json | None,
        node_filter: NodeFilter,
        max_skew: int = UNLIMITED,
        min_domains: int | None = None,
    ) -> None:
        self.kind = kind
        self.key = key
        self.namespaces = namespaces
        self.selector = selector
        self.raw_selector = raw_selector
        self.node_filter = node_filter
        self.max_skew = max_skew
        self.min_domains = min_domains

    def selects(self, namespace: str, pod_labels: Mapping[str, str]) -> bool:
        """Whether a pod is counted."""
        return namespace in self.namespaces and self.selector.matches(pod_labels)


class TopologyGroup:
    """A rule with its counts; a domain without any pod that counts is empty."""

    def __init__(self, rule: Rule, usable: Iterable[str], choose: Chooser = options.first) -> None:
        self.rule = rule
        self.kind = rule.kind
        self.key = rule.key
        self.domains: dict[str, int] = dict.fromkeys(usable, 0)
        self.empty = set(self.domains)
        self._choose = choose
        self._label = labels.NORMALIZED.get(rule.key, rule.key)
        self._names: list[str] | None = None

    def counts(self, selects: bool, taints: tuple[Taint, ...], node: Requirements) -> bool:
        """Whether a pod that is selected counts on a node."""
        return selects and self.rule.node_filter.matches(taints, node)

    def record(self, *domains: str) -> None:
        """A pod that counts is in these domains."""
        for domain in domains:
            if domain not in self.domains:
                self._names = None
            self.domains[domain] = self.domains.get(domain, 0) + 1
            self.empty.discard(domain)

    def start(
        self, counts: Mapping[str, int], gone: Iterable[str], left: Mapping[str, int]
    ) -> None:
        """Take over the counts of a whole cluster, but without some domains, and what is left.

        Domains with pods that are left are there whether they are gone or not.
        """
        usable = self.domains
        self.domains = {**usable, **counts}
        for domain in gone:
            if domain not in usable:
                self.domains.pop(domain, None)
        for domain, pods in left.items():
            if pods > 0 or domain in self.domains:
                self.domains[domain] = max(pods, 0)
        self.empty = {domain for domain, pods in self.domains.items() if not pods}
        self._names = None

    def register(self, *domains: str) -> None:
        """These domains exist."""
        for domain in domains:
            if domain not in self.domains:
                self._names = None
                self.domains[domain] = 0
                self.empty.add(domain)

    def next_domains(
        self, selects: bool, pod_domains: Requirement, node_domains: Requirement
    ) -> Requirement:
        """The domains in which a pod may be; `selects` says whether it would be counted there."""
        if self.kind == SPREAD:
            return self._spread(selects, pod_domains, node_domains)
        if self.kind == AFFINITY:
            return self._affinity(selects, pod_domains, node_domains)
        return self._anti_affinity(pod_domains, node_domains)

    def _sorted_domains(self) -> list[str]:
        if self._names is None:
            self._names = sorted(self.domains)
        return self._names

    def _only_host(self, node_domains: Requirement) -> str | None:
        """The one host in question; one that is to be made is not registered yet."""
        if self.key == labels.HOSTNAME and len(node_domains.values) == 1:
            (host,) = node_domains.values
            return host
        return None

    def _candidates(self, node_domains: Requirement) -> list[str]:
        if node_domains.operator == requirement.IN:
            known = self.domains
            return [domain for domain in node_domains.sorted_values if domain in known]
        return [domain for domain in self._sorted_domains() if node_domains.has(domain)]

    def _in(self, *domains: str) -> Requirement:
        return Requirement(self._label, values=frozenset(domains))

    def _spread(
        self, selects: bool, pod_domains: Requirement, node_domains: Requirement
    ) -> Requirement:
        one_more = 1 if selects else 0
        host = self._only_host(node_domains)
        if host is not None:
            # A host can always be added, so that the least count of all hosts is taken for 0.
            within = self.domains.get(host, 0) + one_more <= self.rule.max_skew
            return self._in(host) if within else self._in()
        most = self._least_count(pod_domains) + self.rule.max_skew - one_more
        best: list[str] = []
        lowest = UNLIMITED
        for domain in self._candidates(node_domains):
            count = self.domains[domain]
            if count > most or count > lowest:
                continue
            if count < lowest:
                best, lowest = [], count
            best.append(domain)
        return self._in(self._choose(best)) if best else self._in()

    def _least_count(self, pod_domains: Requirement) -> int:
        if self.key == labels.HOSTNAME:
            return 0
        counts = [count for domain, count in self.domains.items() if pod_domains.has(domain)]
        if self.rule.min_domains is not None and len(counts) < self.rule.min_domains:
            return 0
        return min(counts, default=UNLIMITED)

    def _affinity(
        self, selects: bool, pod_domains: Requirement, node_domains: Requirement
    ) -> Requirement:
        host = self._only_host(node_domains)
        if host is not None:
            if not pod_domains.has(host):
                return self._in()
            if self.domains.get(host, 0) > 0 or (selects and self._is_first(pod_domains)):
                return self._in(host)
            return self._in()
        found = [
            domain
            for domain in self._candidates(node_domains)
            if self.domains[domain] > 0 and pod_domains.has(domain)
        ]
        if found or not (selects and self._is_first(pod_domains)):
            return self._in(*found)
        return self._in(*self._to_begin(pod_domains, node_domains))

    def _is_first(self, pod_domains: Requirement) -> bool:
        """Whether no pod is counted anywhere that this one could be."""
        if len(self.domains) == len(self.empty):
            return True
        return not any(
            count > 0 and pod_domains.has(domain) for domain, count in self.domains.items()
        )

    def _to_begin(self, pod_domains: Requirement, node_domains: Requirement) -> list[str]:
        """Where the first pod goes: a domain that the node may have, and any that the pod may."""
        found = []
        for allowed in (pod_domains.intersection(node_domains), pod_domains):
            usable = [domain for domain in self._sorted_domains() if allowed.has(domain)]
            if usable:
                found.append(self._choose(usable))
        return found

    def _anti_affinity(self, pod_domains: Requirement, node_domains: Requirement) -> Requirement:
        host = self._only_host(node_domains)
        if host is not None:
            return self._in() if self.domains.get(host, 0) else self._in(host)
        return self._in(
            *(
                domain
                for domain in self.empty
                if node_domains.has(domain) and pod_domains.has(domain)
            )
        )
