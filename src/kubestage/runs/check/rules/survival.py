"""Replicas are left when any one node or zone is lost, and come back on the others.

How many are left follows from where pods are. Whether lost ones find another node is tried by the
scheduler's own filters, on a copy without the lost nodes.
"""

from __future__ import annotations

import collections
import math
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

import msgspec

from kubestage.controllers.node_autoscaler import equivalence
from kubestage.objects.views import pod as pod_views
from kubestage.results.life import workloads
from kubestage.results.packing import contents
from kubestage.runs.check.rules import amounts
from kubestage.runs.check.rules.rule import NotApplicable, OneSidedRule, RuleSettings, Violation
from kubestage.scheduler.what_if import WhatIf
from kubestage.wording import few, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.runs.check.rules.rule import RuleContext
    from kubestage.runs.check.side import Side
    from kubestage.scheduler.what_if_snapshot import WhatIfSnapshot


class SurvivalSettings(RuleSettings, frozen=True, kw_only=True):
    """What is lost, and what has to be left."""

    of: list[Literal["node", "zone"]] = msgspec.field(default_factory=lambda: ["node", "zone"])
    ready: float | int | str = 1
    """How many replicas are left at the worst moment: a number, or a share as in ``50%``."""
    replicas: int = 2
    """Workloads with fewer replicas are left out."""
    recovers: bool = True
    """Whether all pods have to find another node."""

    def problem(self) -> tuple[str, str] | None:
        """A key whose value cannot be used."""
        wrong = amounts.problem(self.ready)
        return None if wrong is None else ("ready", wrong)


class _Loss(NamedTuple):
    """A node or a zone that is lost."""

    kind: str
    name: str
    nodes: frozenset[str]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class SurvivalRule(OneSidedRule[SurvivalSettings]):
    """Workloads that have too few replicas left, and pods that find no other node."""

    name: ClassVar[str] = "survival"
    Settings = SurvivalSettings
    is_default = True

    @property
    def about(self) -> str:
        """What it requires."""
        lost = " or ".join(self.settings.of)
        ready = self.settings.ready
        left = (
            f"{amounts.text(ready)} of its replicas"
            if isinstance(ready, str)
            else plural(int(ready), "replica")
        )
        back = ", and lost pods find another node" if self.settings.recovers else ""
        return f"after the loss of any one {lost}, each workload has {left} left{back}"

    def violations(
        self, side: Side, context: RuleContext, only: frozenset[str] | None = None
    ) -> Iterator[Violation]:
        """What would be missing, for each workload the worst loss."""
        losses = list(self._losses(side))
        if not losses:
            if side is context.head:
                raise NotApplicable("there is only one node")
            return
        yield from self._left(side, losses, only)
        if self.settings.recovers:
            yield from self._not_placed(side, losses, only)

    def _losses(self, side: Side) -> Iterator[_Loss]:
        names = list(side.nodes)
        zones: dict[str, list[str]] = {}
        for node, zone in side.zones.items():
            zones.setdefault(zone, []).append(node)
        if "zone" in self.settings.of and len(zones) > 1:
            for zone, nodes in sorted(zones.items()):
                yield _Loss("zone", zone, frozenset(nodes))
        if "node" in self.settings.of and len(names) > 1:
            yield from (_Loss("node", name, frozenset([name])) for name in names)

    def _left(
        self, side: Side, losses: list[_Loss], only: frozenset[str] | None
    ) -> Iterator[Violation]:
        zone_of = side.zones
        by_kind = {
            kind: {each.name: each for each in losses if each.kind == kind}
            for kind in ("node", "zone")
        }
        for name, each in side.workloads.items():
            total = len(each.pods)
            if not each.is_replicated or total < max(self.settings.replicas, 1):
                continue
            if only is not None and name not in only:
                continue
            counts = collections.Counter(("node", node) for node in each.nodes)
            counts += collections.Counter(
                ("zone", zone_of[node]) for node in each.nodes if node in zone_of
            )
            worst = max(
                (
                    (lost, kind, place)
                    for (kind, place), lost in counts.items()
                    if place in by_kind[kind]
                ),
                default=None,
                key=lambda found: (found[0], found[1] == "zone"),
            )
            required = min(math.ceil(amounts.of(self.settings.ready, total)), total)
            if worst is None or (only is None and total - worst[0] >= required):
                continue
            left = total - worst[0]
            lost = f"the loss of {worst[1]} {worst[2]}"
            needed = f"required {'is' if required == 1 else 'are'} {required}"
            text = f"{left} of {plural(total, 'replica')} left after {lost}; {needed}"
            yield Violation(name, text, required - left, f"{left} of {total} left", topic="left")

    def _not_placed(
        self, side: Side, losses: list[_Loss], only: frozenset[str] | None
    ) -> Iterator[Violation]:
        """Each zone, and the worst of all nodes: a hundred findings of one cause say no more."""
        trial = _Trial(side)
        worst: tuple[int, _Loss, list[str]] | None = None
        for loss in losses:
            if only is not None and _subject(loss) not in only:
                continue
            missing = trial.missing(loss)
            number = sum(missing.values())
            if only is None and not number:
                continue
            named = [f"{name} ({count})" for name, count in missing.most_common()]
            if loss.kind == "zone":
                yield _homeless(loss, number, named)
            elif worst is None or number > worst[0]:
                worst = (number, loss, named)
        if worst is not None:
            number, loss, named = worst
            yield _homeless(loss, number, named)


def _subject(loss: _Loss) -> str:
    return f"zone/{loss.name}" if loss.kind == "zone" else "nodes"


def _homeless(loss: _Loss, number: int, named: list[str]) -> Violation:
    verb = "finds" if number == 1 else "find"
    text = f"after the loss of {loss}, {plural(number, 'pod')} {verb} no other node: {few(named)}"
    return Violation(_subject(loss), text, number, f"{number:,} without a node", topic="recovers")


class _Trial:
    """A copy of a cluster from which nodes are taken, and to which they come back."""

    def __init__(self, side: Side) -> None:
        owners = contents.Owners(workloads.Workloads(side.stage.store))
        self._owner_of: dict[str, str] = {}
        placed = []
        for pod in side.pods:
            if not pod["spec"].get("nodeName"):
                continue
            view = pod_views.of(pod)
            placed.append(view)
            if not contents.is_daemon(pod) and pod["metadata"].get("ownerReferences"):
                self._owner_of[view.uid] = owners.name(pod)
        nodes = side.stage.store.read(("v1", "Node")).values()
        self._snapshot: WhatIfSnapshot = WhatIf(side.stage).snapshot(nodes, placed)

    def missing(self, loss: _Loss) -> collections.Counter[str]:
        """How many pods of each workload find no node among the others."""
        snapshot = self._snapshot
        found: collections.Counter[str] = collections.Counter()
        homeless = []
        snapshot.fork()
        for name in sorted(loss.nodes):
            homeless += [pod for pod in snapshot.pods(name) if pod.uid in self._owner_of]
            snapshot.remove_node(name)
        waiting = [msgspec.structs.replace(pod, node_name="") for pod in homeless]
        for run in equivalence.runs_of(waiting):
            placed = len(snapshot.place(run))
            for pod in run[placed:]:
                found[self._owner_of[pod.uid]] += 1
        snapshot.revert()
        return found
