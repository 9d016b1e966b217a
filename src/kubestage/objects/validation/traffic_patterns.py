"""Rules for the patterns of traffic: one each, in terms that can be followed."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.golang import durations
from kubestage.objects import request_traces
from kubestage.objects.validation import field

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError


SINGLE: Final = ("uniform", "step", "ramp", "sinusoidal", "poisson", "constant", "trace")
_PATTERN: Final = re.compile(r"spec\.pattern(\.sum\[\d+\])?")
_UNKNOWN: Final = "unknown field"
_FASTEST: Final = request_traces.MOST_A_SECOND
_LONGEST_RAMP_S: Final = 1_000_000
_MOST_ROWS: Final = 100_000_000
_TOO_FAST: Final = f"more than {_FASTEST:,} requests a second"


def reworded(error: FieldError) -> FieldError:
    """What the schema finds; an unknown pattern is reported as such."""
    path, _, name = error.field.rpartition(".")
    if not (_PATTERN.fullmatch(path) and error.detail.startswith(_UNKNOWN)):
        return error
    choices = SINGLE if path != "spec.pattern" else (*SINGLE, "sum")
    near = difflib.get_close_matches(name.lower(), choices, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}? " if near else ""
    return field.forbidden(error.field, f"unknown pattern; {hint}there are {', '.join(choices)}")


def span(owner: Json, name: str, path: str, *, is_above_zero: bool = False) -> Iterator[FieldError]:
    """A field with a duration, if it is set."""
    if name not in owner:
        return
    text = owner[name]
    try:
        length_ns = durations.parse_duration(text)
    except ValueError as error:
        yield field.invalid(f"{path}.{name}", text, f"{error}: write such as 90s, 1m30s or 250ms")
        return
    if length_ns < 0 or (is_above_zero and not length_ns):
        bound = "above 0s" if is_above_zero else "0s or more"
        yield field.invalid(f"{path}.{name}", text, f"must be {bound}")


def validate(pattern: Json, path: str) -> Iterator[FieldError]:
    """A pattern, which is one of those that there are, or the sum of several."""
    if len(pattern) != 1:
        detail = f"not {' and '.join(pattern)}: write sum to add them up" if pattern else "not none"
        choices = ", ".join((*SINGLE, "sum"))
        yield field.invalid(path, pattern, f"exactly one pattern must be set, {detail} ({choices})")
        return
    if "sum" not in pattern:
        yield from _validate_single(pattern, path)
        return
    if not pattern["sum"]:
        yield field.required(f"{path}.sum", "at least one pattern must be set")
    for index, part in enumerate(pattern["sum"]):
        yield from _validate_single(part, f"{path}.sum[{index}]")


def _validate_single(pattern: Json, path: str) -> Iterator[FieldError]:
    if len(pattern) != 1:
        choices = ", ".join(SINGLE)
        yield field.invalid(path, pattern, f"exactly one pattern must be set ({choices})")
        return
    ((kind, settings),) = pattern.items()
    yield from _RULES[kind](settings, f"{path}.{kind}")


def _uniform(settings: Json, path: str) -> Iterator[FieldError]:
    problems = [
        *span(settings, "start", path),
        *span(settings, "duration", path, is_above_zero=True),
    ]
    yield from problems
    if not problems:
        length_ns = durations.parse_duration(settings["duration"])
        if settings["requests"] * durations.SECOND > _FASTEST * length_ns:
            yield field.invalid(f"{path}.requests", settings["requests"], _TOO_FAST)


def _step(settings: Json, path: str) -> Iterator[FieldError]:
    return span(settings, "after", path)


def _ramp(settings: Json, path: str) -> Iterator[FieldError]:
    delta, most = settings["delta"], settings["max"]
    if int(delta) > most:
        yield field.invalid(f"{path}.delta", delta, f"is above max ({most}): no request would come")
    elif most / delta > _LONGEST_RAMP_S:
        detail = f"is too small: max would not be reached within {_LONGEST_RAMP_S:,} seconds"
        yield field.invalid(f"{path}.delta", delta, detail)


def _sinusoidal(settings: Json, path: str) -> Iterator[FieldError]:
    return span(settings, "period", path, is_above_zero=True)


def _steady(_: Json, __: str) -> Iterator[FieldError]:
    """The schema has all the rules."""
    return iter(())


def _trace(settings: Json, path: str) -> Iterator[FieldError]:
    if "csv" not in settings:
        detail = "only the command line reads files: put the rows of the file into csv"
        if "file" in settings:
            yield field.forbidden(f"{path}.file", detail)
        else:
            yield field.required(f"{path}.csv", "rows under time,rps or arrival; or name a file")
        return
    if "file" in settings:
        yield field.forbidden(f"{path}.file", "csv is set, too: write one of them")
        return
    try:
        trace = request_traces.read(settings["csv"])
    except InputError as error:
        where = f"line {error.line}: " if error.line else ""
        shown = field.Rendered(field.quote(_beginning(settings["csv"])))
        yield field.invalid(f"{path}.csv", shown, f"{where}{error.problem}; {error.fix}")
        return
    yield from _played(trace, settings, path)


def _beginning(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}..."


def _played(trace: request_traces.RequestTrace, settings: Json, path: str) -> Iterator[FieldError]:
    """Whether a trace can be played as it is to be."""
    scale, rows = settings.get("scale", 1), len(trace.times_ns)
    length_s = trace.end_ns / durations.SECOND / settings.get("speed", 1)
    if settings.get("repeat") and (rows < 2 or not trace.end_ns):
        detail = "a trace of one moment has no length after which it could repeat: add rows"
        yield field.invalid(f"{path}.repeat", True, detail)
    elif trace.rates is not None:
        if max(trace.rates) * scale > _FASTEST:
            yield field.invalid(f"{path}.scale", scale, _TOO_FAST)
    elif rows * scale > _MOST_ROWS:
        detail = f"the trace would have more than {_MOST_ROWS:,} requests"
        yield field.invalid(f"{path}.scale", scale, detail)
    elif settings.get("repeat") and rows * scale > _FASTEST * length_s:
        yield field.invalid(f"{path}.speed", settings.get("speed", 1), _TOO_FAST)
    if trace.rates is None and "arrivals" in settings:
        detail = "the rows state when each request arrives; leave it out"
        yield field.forbidden(f"{path}.arrivals", detail)


_RULES: Final[dict[str, Callable[[Json, str], Iterator[FieldError]]]] = {
    "uniform": _uniform,
    "step": _step,
    "ramp": _ramp,
    "sinusoidal": _sinusoidal,
    "poisson": _steady,
    "constant": _steady,
    "trace": _trace,
}
