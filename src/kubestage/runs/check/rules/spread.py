"""Replicas are spread across zones."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, ClassVar, Final

from kubestage.results.verdict.verdict import Severity  # noqa: TC001 - msgspec reads it
from kubestage.runs.check.rules.rule import NotApplicable, OneSidedRule, RuleSettings, Violation
from kubestage.runs.inputs import node_words
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.runs.check.rules.rule import RuleContext
    from kubestage.runs.check.side import Side

_ZONE: Final = node_words.ZONES[0]


class SpreadSettings(RuleSettings, frozen=True, kw_only=True):
    """In how many zones a workload has to be."""

    severity: Severity = "warning"
    zones: int = 2
    """At least so many, or as many as it has replicas."""
    replicas: int = 2
    """Workloads with fewer replicas are left out."""
    topology: str = _ZONE
    """The label of nodes that says what a zone is."""
    skew: int | None = None
    """The largest difference of replicas between two zones, if that matters."""


class SpreadRule(OneSidedRule[SpreadSettings]):
    """Workloads that are in fewer zones than they could be."""

    name: ClassVar[str] = "spread"
    Settings = SpreadSettings
    is_default = True

    @property
    def about(self) -> str:
        """What it requires."""
        skew = (
            "" if self.settings.skew is None else f", with a skew of at most {self.settings.skew}"
        )
        noun = "zone" if self.settings.topology == _ZONE else self.settings.topology
        return f"workloads are in at least {plural(self.settings.zones, noun)}{skew}"

    def violations(
        self, side: Side, context: RuleContext, only: frozenset[str] | None = None
    ) -> Iterator[Violation]:
        """Workloads that are in too few zones, or unevenly spread over them."""
        zones = self._zones(side)
        available = len(set(zones.values()))
        if available < 2:
            if side is context.head:
                raise NotApplicable(f"nodes are in {plural(available, 'zone')}")
            return
        for name, each in side.workloads.items():
            replicas = len(each.pods)
            if not each.is_replicated or replicas < max(self.settings.replicas, 2):
                continue
            if only is not None and name not in only:
                continue
            counts = collections.Counter(zones[node] for node in each.nodes if node in zones)
            required = min(self.settings.zones, replicas, available)
            shown = ", ".join(f"{zone}: {counts[zone]}" for zone in sorted(set(zones.values())))
            if only is not None or len(counts) < required:
                where = f"all in {next(iter(counts))}" if len(counts) == 1 else f"in {len(counts)}"
                needed = plural(required, "zone")
                text = f"{plural(replicas, 'replica')}, {where}; required are {needed}"
                yield Violation(name, text, required - len(counts), shown, topic="zones")
            skew = max(counts.values(), default=0) - min(
                (counts[zone] for zone in set(zones.values())), default=0
            )
            limit = self.settings.skew
            if limit is not None and (only is not None or skew > limit):
                text = f"the skew between zones is {skew}, and may be {limit}"
                yield Violation(name, text, skew, shown, topic="skew")

    def _zones(self, side: Side) -> dict[str, str]:
        label = self.settings.topology
        if label == _ZONE:
            return side.zones
        found = {
            name: (node["metadata"].get("labels") or {}).get(label)
            for name, node in side.nodes.items()
        }
        return {name: zone for name, zone in found.items() if zone}
