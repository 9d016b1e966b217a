"""What scans decide about nodes, with the reasons, for those who listen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.node_autoscaler import scan_result
from kubestage.controllers.node_autoscaler.planner import RECENT
from kubestage.controllers.node_decisions import (
    DELETE,
    Departure,
    Exclusion,
    Finding,
    Option,
    Purchase,
    Verdict,
)
from kubestage.wording import few, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.controllers.node_autoscaler.autoscaler import Autoscaler
    from kubestage.controllers.node_autoscaler.expanders import Choice
    from kubestage.controllers.node_autoscaler.provider import Provider
    from kubestage.controllers.node_autoscaler.scan_result import ScanResult, StartedRemoval
    from kubestage.controllers.node_decisions import NodeDecisions

BY: Final = "cluster-autoscaler"
METHOD: Final = "scale-down"
UNNEEDED: Final = "unneeded"
_LEAVING: Final = "ScaleDown"
_SHOWN: Final = 4
_PODS: Final = "for pods that fit on no node"
_LEAST: Final = "its group had fewer nodes than its least size"
_HINTS: Final = {
    "NotUnderutilized": "it is used more than scale-down-utilization-threshold allows",
    "NoPlaceToMovePods": "its pods fit on no other node",
    "BlockedByPod": "a pod keeps it",
    "ScaleDownDisabledAnnotation": "it is annotated not to be scaled down",
    "NodeGroupMinSizeReached": "its group would be smaller than its least size",
    "NotUnneededLongEnough": "it has not been unneeded for long enough",
}


class ScanDecisions:
    """Turns what scans find into decisions; a node has a new verdict if its reason is another."""

    def __init__(self, log: NodeDecisions, provider: Provider) -> None:
        self._log = log
        self._provider = provider
        self._verdicts: dict[str, Verdict] = {}
        log.add_source(self.present)

    def present(self) -> Iterable[Verdict]:
        """What holds of every node now."""
        return self._verdicts.values()

    def machines(self) -> dict[str, set[str]]:
        """The machines that are to come, by their groups; nothing while no one listens."""
        if not self._log.is_observed:
            return {}
        return {
            each.name: set(self._provider.machines(each.name).coming)
            for each in self._provider.groups()
        }

    def report(
        self, autoscaler: Autoscaler, result: ScanResult, before: Mapping[str, set[str]]
    ) -> None:
        """Pass on what a scan has decided; `before` are the machines before it."""
        if not self._log.is_observed or autoscaler.world is None:
            return
        now_ns = autoscaler.world.now_ns
        self._report_purchases(now_ns, result, before)
        for each in result.scale_down.started:
            self._log.report(_departure(now_ns, each))
        self._report_verdicts(now_ns, autoscaler, result)

    def _report_purchases(
        self, now_ns: int, result: ScanResult, before: Mapping[str, set[str]]
    ) -> None:
        choices = list(result.choices)
        for status in result.scale_ups:
            if not status.was_successful:
                continue
            choice = choices.pop(0) if choices and status.triggered else None
            for growth in status.growths:
                coming = self._provider.machines(growth.group).coming
                new = [each for each in coming if each not in before.get(growth.group, ())]
                for name in new:
                    pods = tuple(pod.key for pod in status.triggered)
                    self._log.report(self._purchase(now_ns, name, growth.group, pods, choice))

    def _purchase(
        self, now_ns: int, name: str, group: str, pods: tuple[str, ...], choice: Choice | None
    ) -> Purchase:
        options: tuple[Option, ...] = ()
        excluded: tuple[Exclusion, ...] = ()
        if choice is not None:
            options = tuple(_options(choice))
            compared = {each.instance_type for each in options}
            others = [each.name for each in self._provider.groups() if each.name not in compared]
            if others:
                reason = "the group would help none of these pods, or cannot grow now"
                excluded = (Exclusion(reason, len(others), tuple(others[:_SHOWN])),)
        return Purchase(
            at_ns=now_ns,
            by=BY,
            name=name,
            pool=group,
            why=_PODS if pods else _LEAST,
            pods=pods,
            excluded=excluded,
            options=options,
        )

    def _report_verdicts(self, now_ns: int, autoscaler: Autoscaler, result: ScanResult) -> None:
        world = autoscaler.world
        assert world is not None
        found = _findings(now_ns, result, autoscaler.planner.unneeded)
        verdicts = self._verdicts
        for name in [each for each in verdicts if each not in world.nodes]:
            del verdicts[name]
        for name, group in world.group_names.items():
            finding = found.get(name)
            if finding is None:
                continue
            known = verdicts.get(name)
            if known is not None and finding.outcome == RECENT:
                # It is not examined: the reason that was found holds for some minutes.
                continue
            verdict = Verdict(
                at_ns=now_ns,
                by=BY,
                node=name,
                name="",
                pool=group,
                candidate=name in autoscaler.planner.unneeded,
                findings=(finding,),
            )
            verdicts[name] = verdict
            if known is None or known.findings[0].outcome != finding.outcome:
                self._log.report(verdict)


def _findings(now_ns: int, result: ScanResult, unneeded: Iterable[str]) -> dict[str, Finding]:
    """Why each node stays, or goes; what is known of its use is in the text."""
    down = result.scale_down
    found: dict[str, Finding] = {}
    for name in unneeded:
        waiting = "scale-down waits after a change of the cluster"
        is_waiting = down.result == scan_result.SCALE_DOWN_IN_COOLDOWN
        text = waiting if is_waiting else "it waits until it has been unneeded for long enough"
        found[name] = Finding(now_ns, METHOD, UNNEEDED, text)
    for each in down.unremovable:
        text = _HINTS.get(each.reason, "")
        if each.blocking_pod:
            text = f"pod {each.blocking_pod} keeps it: {each.blocking_reason}"
        used = down.utilization.get(each.node)
        if used is not None:
            text = f"{text} ({used.share:.0%} of its {used.resource})".strip()
        found[each.node] = Finding(now_ns, METHOD, each.reason, text)
    for started in down.started:
        found[started.node] = Finding(now_ns, METHOD, DELETE, _reason(started))
    return found


def _departure(now_ns: int, started: StartedRemoval) -> Departure:
    return Departure(
        at_ns=now_ns,
        by=BY,
        node=started.node,
        name="",
        pool=started.group,
        reason=f"{_LEAVING}: {_reason(started)}",
    )


def _reason(started: StartedRemoval) -> str:
    used = started.utilization
    share = f"{used.share:.0%} of its {used.resource} is used"
    if not started.evicted:
        return f"unneeded for long enough: it is empty, {share}"
    pods = [pod.key for pod in started.evicted]
    return (
        f"unneeded for long enough: {share}, {plural(len(pods), 'pod')} fit elsewhere "
        f"({few(pods, _SHOWN)})"
    )


def _options(choice: Choice) -> Iterable[Option]:
    """The groups that were compared, the chosen one first."""
    tied = {each.group.name for each in choice.tied}
    ordered = sorted(choice.options, key=lambda each: each is not choice.best)
    for each in ordered:
        score = f"{plural(each.node_count, 'node')} for {plural(len(each.pods), 'pod')}"
        if each is choice.best:
            score += ", chosen" + (" by chance" if len(tied) > 1 else "")
        elif each.group.name in tied:
            score += ", as good"
        yield Option(each.group.name, price=each.group.price, score=score)
