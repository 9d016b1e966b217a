"""Flags of Go programs: ``--name=value``, ``-name value``, and flags without a value."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from kubestage.errors import Unmodelled
from kubestage.golang import booleans, durations, integers

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

# The flags of klog, which many programs have; they only concern what is printed.
KLOG: Final = frozenset({
    "add_dir_header", "alsologtostderr", "legacy_stderr_threshold_behavior", "log_backtrace_at",
    "log_dir", "log_file", "log_file_max_size", "logtostderr", "one_output", "skip_headers",
    "skip_log_headers", "stderrthreshold", "v", "vmodule",
})  # fmt: skip
_KLOG_SWITCHES: Final = frozenset({
    "add_dir_header", "alsologtostderr", "legacy_stderr_threshold_behavior", "logtostderr",
    "one_output", "skip_headers", "skip_log_headers",
})  # fmt: skip


class Flags:
    """The values of a program's flags; all that is not understood raises Unmodelled."""

    def __init__(
        self, words: Sequence[str], names: Collection[str], switches: Collection[str] = ()
    ) -> None:
        self._values: dict[str, list[str]] = {}
        rest = list(words)
        while rest:
            word = rest.pop(0)
            name, equals, value = word.lstrip("-").partition("=")
            if not word.startswith("-") or not name:
                raise Unmodelled(f'the argument "{word}" is not understood')
            if name not in names and name not in switches and name not in KLOG:
                raise Unmodelled(f"the flag --{name} is not known")
            if not equals:
                if name in switches or name in _KLOG_SWITCHES:
                    value = "true"
                elif not rest:
                    raise Unmodelled(f"the flag --{name} has no value")
                else:
                    value = rest.pop(0)
            self._values.setdefault(name, []).append(value)

    def text(self, name: str, default: str = "") -> str:
        """The last value of a flag."""
        return self._values.get(name, [default])[-1]

    def texts(self, name: str) -> list[str]:
        """All values of a flag that can be repeated, and whose values commas separate."""
        return [part for value in self._values.get(name, ()) for part in value.split(",")]

    def whole(self, name: str, default: int) -> int:
        """A whole number, not below zero."""
        text = self.text(name, str(default))
        try:
            number = integers.parse(text)
        except ValueError:
            number = -1
        if number < 0:
            raise Unmodelled(f'--{name}: "{text}" is no number from 0 on')
        return number

    def number(self, name: str, default: float) -> float:
        """A number that is finite."""
        text = self.text(name, str(default))
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise Unmodelled(f'--{name}: "{text}" is no number')
        return number

    def rate(self, name: str, default: float) -> float:
        """Calls a second, above zero."""
        number = self.number(name, default)
        if number <= 0:
            raise Unmodelled(f"--{name} is above 0, not {number:g}")
        return number

    def is_on(self, name: str) -> bool:
        """Whether a switch is on."""
        text = self.text(name, "false")
        if text not in booleans.TRUE | booleans.FALSE:
            raise Unmodelled(f'--{name}: "{text}" is neither true nor false')
        return text in booleans.TRUE

    def duration_ns(self, name: str, default: str) -> int:
        """A duration as Go writes it, in nanoseconds."""
        text = self.text(name, default)
        try:
            return durations.parse_duration(text)
        except ValueError:
            raise Unmodelled(f'--{name}: "{text}" is no duration') from None

    def required(self, name: str) -> str:
        """A text that must not be empty."""
        text = self.text(name)
        if not text:
            raise Unmodelled(f"--{name} is missing")
        return text
