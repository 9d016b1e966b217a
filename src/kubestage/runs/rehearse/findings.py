"""What an operator has to know, by severity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import msgspec

from kubestage.results.life import wording
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kubestage.runs.rehearse.effects import Effects, WorkloadEffect

Severity = Literal["critical", "warning", "info"]
SEVERITIES: Final[tuple[Severity, ...]] = ("critical", "warning", "info")
_NAMED: Final = 3


class Finding(msgspec.Struct, frozen=True):
    """One thing that happened, or did not."""

    severity: Severity
    subject: str
    text: str


def by_severity(found: Iterable[Finding]) -> list[Finding]:
    """The worst first."""
    return sorted(found, key=lambda each: SEVERITIES.index(each.severity))


def of_effects(effects: Effects) -> Iterator[Finding]:
    """What happened to workloads, pods and requests."""
    for each in effects.workloads:
        yield from _of_workload(each)
    for reason in effects.pending["reasons"][:_NAMED]:
        named = listed(reason["named"][:1], reason["pods"])
        yield Finding("warning", named, f"stayed pending: {first_sentence(reason['reason'])}")
    for loss in effects.traffic:
        if loss.failed:
            share = wording.share(loss.failed, loss.requests)
            text = f"{plural(loss.failed, 'request')} failed ({share} of {loss.requests:,})"
            yield Finding("warning", f"traffic/{loss.traffic}", text)


def _of_workload(effect: WorkloadEffect) -> Iterator[Finding]:
    if not effect.lost_seconds:
        return
    below = wording.span(effect.below_desired_seconds)
    at = wording.span(effect.ready_lowest_at_seconds or 0.0)
    desired, lowest = plural(effect.desired, "replica"), f"{effect.ready_lowest}"
    if effect.desired_at_lowest != effect.desired:
        desired, lowest = "desired replicas", f"{lowest} of {effect.desired_at_lowest}"
    text = f"was below its {desired} for {below} (lowest {lowest}, at {at})"
    is_daemon = effect.workload.startswith("daemonset/")
    severity: Severity = "info" if is_daemon else "warning"
    if effect.ready_lowest == 0 and not is_daemon:
        severity = "critical"
        text = f"had no ready replica at {at}; it was below its {desired} for {below}"
    if effect.ready_at_end < effect.desired:
        text += f"; it has {effect.ready_at_end} at the end"
        severity = severity if is_daemon else "critical"
    yield Finding(severity, effect.workload, text)


def first_sentence(reason: str) -> str:
    """Why no node fits; what preemption could do about it is in the data of the answer."""
    return reason.partition(". ")[0].removesuffix(".")


def listed(names: Sequence[str], number: int | None = None) -> str:
    """``web-1, web-2, web-3 and 4 more``."""
    shown = names[:_NAMED]
    more = (len(names) if number is None else number) - len(shown)
    text = ", ".join(shown)
    return f"{text} and {more:,} more" if more else text
