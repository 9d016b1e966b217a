"""Goals of a search, such as ``pod-startup-p99<=5s``, and whether a run meets one.

A run that failed in any other way than by its own thresholds meets no goal: pods that never ran
are in no percentile.
"""

from __future__ import annotations

import difflib
import math
import re
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.golang import durations
from kubestage.measure.percentiles import nearest_rank
from kubestage.runs.load import pace
from kubestage.runs.load.pace import Pace  # noqa: TC001 - read by msgspec
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.clusterloader.config import Config
    from kubestage.clusterloader.result import LoadResult

_FORM: Final = re.compile(r"\s*(?P<name>[^<>=]+?)\s*(?P<sign><=|>=|<|>)\s*(?P<value>\S+)\s*")
_FIX: Final = "write NAME<=VALUE, as in pod-startup-p99<=5s"
_PERCENTS: Final = (50, 90, 99)
_STARTUP: Final = ("PodStartupLatency", "PodStartupLatencyValidator")
_THROUGHPUT: Final = ("SchedulingThroughput", "SchedulingThroughputPrometheus")
_VERBS: Final = {
    "": (),
    "-mutating": ("create", "update", "patch", "delete", "deletecollection"),
    "-read": ("get",),
    "-list": ("list",),
}
_MS_PER_S: Final = 1000


class Slo(msgspec.Struct, frozen=True):
    """A goal."""

    name: str
    sign: str
    value: float
    """In seconds if `is_time`."""
    is_time: bool

    @property
    def text(self) -> str:
        """As it is written."""
        return f"{self.name}{self.sign}{self.amount(self.value)}"

    @property
    def is_upper(self) -> bool:
        """Whether smaller is better."""
        return self.sign.startswith("<")

    def amount(self, value: float) -> str:
        """A value in words: ``1.25s``, ``85ms``, ``40``."""
        if not self.is_time:
            return f"{value:.4g}"
        digits = 1 - math.floor(math.log10(value)) if value > 0 else 0
        return durations.go_string(round(round(value, digits + 1) * SECOND_NS))

    def holds(self, value: float) -> bool:
        """Whether a value meets the goal."""
        if self.sign == "<":
            return value < self.value
        if self.sign == ">":
            return value > self.value
        return value <= self.value if self.is_upper else value >= self.value


class SloResult(msgspec.Struct, frozen=True):
    """The values of a run, and whether it meets all goals."""

    values: tuple[float | None, ...]
    """One for each goal; None without a sample."""
    is_met: bool
    problem: str = ""
    """What failed, apart from goals."""
    pace: Pace | None = None


def read(text: str) -> Slo:
    """A goal from its text; what it names is checked against a configuration, see `check`."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise InputError(f'"{text}" is no goal', path="--slo", fix=_FIX)
    amount = found["value"]
    try:
        value, is_time = float(amount), False
    except ValueError:
        try:
            value, is_time = durations.parse_duration(amount) / SECOND_NS, True
        except ValueError:
            problem = f'"{amount}" is neither a number nor a duration'
            raise InputError(problem, path="--slo", fix=_FIX) from None
    slo = Slo(found["name"], found["sign"], value, is_time)
    if slo.name in _times() and not is_time:
        fix = f"write {slo.name}{slo.sign}{amount}s or {amount}ms"
        raise InputError(f'"{amount}" has no unit', path="--slo", fix=fix)
    if slo.name not in _times() and slo.name != "scheduling-throughput":
        _check_form(slo)
    return slo


def check(slos: Sequence[Slo], config: Config) -> None:
    """Refuse a goal that nothing in the configuration measures."""
    methods = {each.method for step in config.steps for each in step.measurements}
    for slo in slos:
        needed = _needed(slo.name)
        if needed and not methods & set(needed):
            raise InputError(
                f"{slo.name}: the configuration does not mention {' or '.join(needed)}",
                path="--slo",
                fix=f"add the measurement, or choose of {', '.join(_offered(methods))}",
            )


def evaluate(slos: Sequence[Slo], result: LoadResult) -> SloResult:
    """The values of the goals in a run, and whether all hold."""
    values = tuple(_value(slo, result) for slo in slos)
    problem = next(iter(_other_errors(result)), "")
    is_met = not problem and all(
        value is not None and slo.holds(value) for slo, value in zip(slos, values, strict=True)
    )
    return SloResult(values, is_met, problem, pace.of_run(result))


def _times() -> list[str]:
    names = [f"pod-startup-p{percent}" for percent in _PERCENTS]
    return names + [f"api-call-p{percent}{of}" for of in _VERBS for percent in _PERCENTS]


def _check_form(slo: Slo) -> None:
    method, dot, name = slo.name.partition(".")
    if dot and method and name:
        return
    known = [*_times(), "scheduling-throughput"]
    close = difflib.get_close_matches(slo.name, known, 1)
    names = f"there are {', '.join(known)}, and METHOD.VERDICT of any measurement"
    fix = f"did you mean {close[0]}? {names}" if close else names
    raise InputError(f'nothing is called "{slo.name}"', path="--slo", fix=fix)


def _needed(name: str) -> tuple[str, ...]:
    if name.startswith("api-call-"):
        return ()
    if name.startswith("pod-startup-"):
        return _STARTUP
    return _THROUGHPUT if name == "scheduling-throughput" else (name.partition(".")[0],)


def _offered(methods: set[str]) -> list[str]:
    found = [each for each in _times() if not _needed(each) or methods & set(_needed(each))]
    if methods & set(_THROUGHPUT):
        found.append("scheduling-throughput")
    return found


def _value(slo: Slo, result: LoadResult) -> float | None:
    if slo.name.startswith("api-call-"):
        return _call_seconds(slo.name, result)
    methods, name = _needed(slo.name), slo.name.partition(".")[2]
    if slo.name.startswith("pod-startup-"):
        name = f"pod_startup p{slo.name.rpartition('-p')[2]}"
    elif slo.name == "scheduling-throughput":
        name = "scheduling throughput max"
    rows = [each for measured, each in result.verdicts() if measured.method in methods]
    named = [each for each in rows if each.name == name]
    if not named:
        if rows and "." in slo.name:
            names = ", ".join(dict.fromkeys(each.name for each in rows))
            fix = f"its verdicts are {names}"
            raise InputError(f'{methods[0]} has no verdict "{name}"', path="--slo", fix=fix)
        return None
    found = [_in_unit(slo, each.value, each.unit) for each in named if each.value is not None]
    if not found:
        return None
    return max(found) if slo.is_upper else min(found)


def _in_unit(slo: Slo, value: float, unit: str) -> float:
    """A value in the unit of the goal."""
    if slo.is_time != (unit in ("s", "ms")):
        fix = "write a duration such as 5s" if unit in ("s", "ms") else "write a plain number"
        raise InputError(f"{slo.name} is measured in {unit or 'numbers'}", path="--slo", fix=fix)
    return value / _MS_PER_S if unit == "ms" else value


def _call_seconds(name: str, result: LoadResult) -> float | None:
    """A percentile of how long the calls of the load took, from when a client sent them."""
    percent, dash, of = name.removeprefix("api-call-p").partition("-")
    verbs = _VERBS[f"{dash}{of}"]
    calls = result.calls
    rows = zip(calls.verbs, calls.sent_ns, calls.ended_ns, strict=True)
    took = sorted(ended - sent for verb, sent, ended in rows if not verbs or verb in verbs)
    return nearest_rank(took, int(percent)) / SECOND_NS if took else None


def _other_errors(result: LoadResult) -> list[str]:
    """Errors that are no missed thresholds."""
    missed = {
        f"measurement call {each.method} - {each.identifier} error: {error}"
        for each in result.measured
        if any(not verdict.passed for verdict in each.outcome.verdicts)
        for error in each.outcome.errors
    }
    return [error for error in result.errors if error not in missed]
