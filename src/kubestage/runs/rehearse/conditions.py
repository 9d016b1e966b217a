"""The language of ``--fail-if``: comparisons of what a rehearsal found, joined by and/or.

::

    web.ready<2                       the lowest number of ready replicas of a workload
    shop/web.belowDesired>=5m         how long it was below desired; of a namespace
    *.ready<1 or pending>0            of any workload; pods without a node at the end
    recovery>10m and failed>0.5%      requests that failed, as a share of all

Names are checked before anything runs.
"""

from __future__ import annotations

import difflib
import math
import operator
import re
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from kubestage.errors import InputError
from kubestage.objects import gvk
from kubestage.results.packing import contents
from kubestage.runs import living
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.runs.rehearse.effects import WorkloadEffect
    from kubestage.runs.rehearse.result import Rehearsed
    from kubestage.stage import Stage

    R = TypeVar("R", bound=Rehearsed)

_PATH: Final = "--fail-if"
_FIX: Final = "write it as in 'web.ready<2 or pending>0'"
_JOINS: Final = re.compile(r"\s+(and|or)\s+|\s*(&&|\|\|)\s*")
_COMPARISON: Final = re.compile(
    r"^(?P<name>[^<>=!\s]+)\s*(?P<sign><=|>=|==|!=|<|>|=)\s*(?P<value>\S+)$"
)
_SIGNS: Final[dict[str, Callable[[float, float], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "=": operator.eq,
    "!=": operator.ne,
}
OF_WORKLOADS: Final[dict[str, Callable[[WorkloadEffect], float]]] = {
    "ready": lambda each: each.ready_lowest,
    "readyAtEnd": lambda each: each.ready_at_end,
    "belowDesired": lambda each: each.below_desired_seconds,
    "missing": lambda each: each.desired - each.ready_lowest,
}
"""What a condition may say of a workload: ``web.ready``."""
OF_ALL: Final = (
    "pending", "pendingPeak", "recovery", "seconds", "failed", "critical", "warnings",
    "costPerHour",
)  # fmt: skip
"""What a condition may say of every rehearsal."""
_COST: Final = "costPerHour"
_WORKLOADS: Final = (gvk.DEPLOYMENT, gvk.STATEFUL_SET, gvk.DAEMON_SET, gvk.REPLICA_SET)


class Comparison(msgspec.Struct, frozen=True):
    """One comparison: of a workload, if it names one."""

    workload: str
    name: str
    sign: str
    value: float
    is_share: bool = False

    def holds(self, result: Rehearsed) -> bool:
        """Whether it does; of several workloads, for any of them."""
        compare = _SIGNS[self.sign]
        return any(compare(found, self.value) for found in self._found(result))

    def _found(self, result: Rehearsed) -> Iterator[float]:
        if not self.workload:
            yield value_of(result, self.name, is_share=self.is_share)
            return
        read = OF_WORKLOADS[self.name]
        for each in result.effects.workloads:
            if _is_named(each.workload, self.workload):
                share = 100 / each.desired if self.is_share and each.desired else 1
                yield read(each) * share


class Condition(msgspec.Struct, frozen=True):
    """Comparisons of which all of one group have to hold."""

    text: str | None
    groups: tuple[tuple[Comparison, ...], ...] = ()

    def check(self, stage: Stage) -> None:
        """InputError if it names a workload that the cluster does not have."""
        known = [
            f"{kind[1].lower()}/{key}" for kind in _WORKLOADS for key in stage.store.read(kind)
        ]
        compared = {each.name for group in self.groups for each in group}
        if _COST in compared and not contents.prices_of(stage.store):
            fix = "add --prices FILE, or prices to the NodeGroups"
            raise InputError("no node has a price", path=_PATH, fix=fix)
        names = {each.workload for group in self.groups for each in group if each.workload}
        for name in sorted(names):
            if name != "*" and not any(_is_named(each, name) for each in known):
                likely = difflib.get_close_matches(name, {_short(each) for each in known}, 1)
                fix = f"did you mean {likely[0]}?" if likely else "name a workload, or *"
                raise InputError(f'there is no workload "{name}"', path=_PATH, fix=fix)

    def applied(self, result: R) -> R:
        """A result that says whether the condition holds."""
        if self.text is None:
            return result
        failed = any(all(each.holds(result) for each in group) for group in self.groups)
        return msgspec.structs.replace(result, condition=self.text, has_failed=failed)


def parse(text: str | None, kind: type[Rehearsed]) -> Condition:
    """A condition about rehearsals of a kind; none always is false."""
    if text is None:
        return Condition(None)
    groups: list[list[Comparison]] = [[]]
    parts = [each for each in _JOINS.split(text.strip()) if each is not None]
    for place, part in enumerate(parts):
        if place % 2 == 0:
            groups[-1].append(_comparison(part, kind))
        elif part in ("or", "||"):
            groups.append([])
    return Condition(text, tuple(map(tuple, groups)))


def _comparison(text: str, kind: type[Rehearsed]) -> Comparison:
    found = _COMPARISON.match(text.strip())
    if found is None:
        raise InputError(f'"{text}" is no comparison', path=_PATH, fix=_FIX)
    workload, _, name = found["name"].rpartition(".")
    known = tuple(OF_WORKLOADS) if workload else (*OF_ALL, *kind.VALUES)
    if name not in known:
        likely = difflib.get_close_matches(name, known, 1)
        fix = f"did you mean {likely[0]}?" if likely else f"known are {', '.join(known)}"
        if not workload and name in OF_WORKLOADS:
            fix = f"name the workload: web.{name}, or *.{name}"
        raise InputError(f'"{name}" is not known', path=_PATH, fix=fix)
    value, is_share = _number(found["value"])
    return Comparison(workload, name, found["sign"], value, is_share)


def _number(text: str) -> tuple[float, bool]:
    """A number, a share in percent, or seconds of a duration."""
    try:
        return (float(text[:-1]), True) if text.endswith("%") else (float(text), False)
    except ValueError:
        pass
    try:
        return living.parse_duration(text, _PATH) / SECOND_NS, False
    except InputError:
        fix = "write a number, a duration as in 5m, or a share as in 50%"
        raise InputError(f'"{text}" is no number', path=_PATH, fix=fix) from None


def value_of(result: Rehearsed, name: str, *, is_share: bool = False) -> float:
    """What is compared of a result; requests that failed may be meant as a share of all."""
    if name in result.VALUES:
        return result.values()[name]
    effects = result.effects
    if name == "pending":
        return float(effects.pending["pods"])
    if name == "pendingPeak":
        return effects.pending_peak
    if name == "recovery":
        return math.inf if effects.recovery_seconds is None else effects.recovery_seconds
    if name == "failed":
        failed = sum(each.failed for each in effects.traffic)
        total = sum(each.requests for each in effects.traffic)
        return 100 * failed / total if is_share and total else failed
    if name == "seconds":
        return result.seconds
    if name == _COST:
        costs = result.life.summary.get("costs")
        return costs["perHourAtEnd"] if costs else 0.0
    severity = "critical" if name == "critical" else "warning"
    return sum(each.severity == severity for each in result.findings)


def _is_named(workload: str, name: str) -> bool:
    """Whether ``deployment/shop/web`` is ``*``, ``web``, ``shop/web`` or all of that."""
    return name == "*" or workload == name or workload.endswith(f"/{name}")


def _short(workload: str) -> str:
    return workload.rpartition("/")[2]
