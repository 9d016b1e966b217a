"""The annotations by which pods and nodes say how they behave on a stage.

Each can be given for one container, as ``kubestage.dev/run-duration.web``; without a container's
name it holds for every container of the pod that has none of its own, init containers and
sidecars aside. What cannot be read is reported, and the default holds.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final, TypeVar

from kubestage.controllers.kubelet import usage
from kubestage.controllers.kubelet.settings import FOR_EVER
from kubestage.errors import InputError
from kubestage.golang import durations, integers
from kubestage.objects import distributions, quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kubestage.controllers.kubelet.usage import MemoryGrowth
    from kubestage.objects.distributions import Distribution

T = TypeVar("T")

PREFIX: Final = "kubestage.dev/"
HEARTBEAT: Final = f"{PREFIX}heartbeat"
FAILS_AFTER: Final = f"{PREFIX}fails-after"
RECOVERS_AFTER: Final = f"{PREFIX}recovers-after"
IMAGE_BANDWIDTH: Final = f"{PREFIX}image-bandwidth"
PROBES: Final = ("startup", "liveness", "readiness")


class Reader:
    """Reads the annotations of one object and keeps what is wrong with them."""

    def __init__(self, annotations: Mapping[str, str]) -> None:
        self._annotations = annotations
        self.problems: list[str] = []

    def duration(self, name: str, default: Distribution, container: str = "") -> Distribution:
        """A distribution of durations, of the pod or of one of its containers."""
        return self._read(name, distributions.parse, default, container)

    def named_duration(self, name: str, container: str) -> Distribution | None:
        """A distribution of durations that names the container."""
        key = f"{PREFIX}{name}.{container}"
        return self._parse(key, distributions.parse, None) if key in self._annotations else None

    def lifetime(
        self, default: Distribution | None, container: str, *, named_only: bool
    ) -> Distribution | None:
        """How long a container runs; None for one that never ends by itself."""
        return self._read("run-duration", _lifetime, default, container, named_only=named_only)

    def has_end(self, container: str) -> bool:
        """Whether it is stated when or how a container ends."""
        names = ("run-duration", "exit-code")
        keys = {f"{PREFIX}{name}{of}" for name in names for of in ("", f".{container}")}
        return not keys.isdisjoint(self._annotations)

    def exit_code(self, container: str, *, named_only: bool) -> int:
        """With what a container ends."""
        return self._read("exit-code", _exit_code, 0, container, named_only=named_only)

    def cpu_usage(self, default: Distribution, container: str, *, named_only: bool) -> Distribution:
        """How much CPU a container uses."""
        read = distributions.parse_quantity
        return self._read("cpu-usage", read, default, container, named_only=named_only)

    def memory_usage(
        self, default: MemoryGrowth, container: str, *, named_only: bool
    ) -> MemoryGrowth:
        """How much memory a container uses, and how that grows."""
        read = usage.parse_memory
        return self._read("memory-usage", read, default, container, named_only=named_only)

    def image_size(self, container: str) -> int | None:
        """How large a container's image is, in bytes."""
        return self._read("image-size", _size, None, container)

    def image_error(self, container: str) -> str:
        """With which message the pull of a container's image fails; none if it does not."""
        return self._read("image-error", str.strip, "", container)

    def failing_probes(self, container: str) -> frozenset[str]:
        """Which probes of a container fail."""
        return self._read("failing-probes", _probes, frozenset(), container)

    def _read(
        self,
        name: str,
        read: Callable[[str], T],
        default: T,
        container: str,
        *,
        named_only: bool = False,
    ) -> T:
        if not self._annotations:
            return default
        key = f"{PREFIX}{name}.{container}"
        if key not in self._annotations:
            key = f"{PREFIX}{name}"
            if named_only or key not in self._annotations:
                return default
        return self._parse(key, read, default)

    def _parse(self, key: str, read: Callable[[str], T], default: T) -> T:
        try:
            return read(self._annotations[key])
        except InputError as error:
            problem = f"Annotation {key} is ignored: {error}"
        except ValueError as error:
            problem = f"Annotation {key} is ignored: {self._annotations[key]!r}: {error}"
        if problem not in self.problems:
            self.problems.append(problem)
        return default


def problem(key: str, text: str) -> InputError | None:
    """What is wrong with an annotation of ours, as far as it can be seen without its object."""
    name, _, _ = key.removeprefix(PREFIX).partition(".")
    read = _READERS.get(name)
    if read is None:
        near = difflib.get_close_matches(name, _READERS, n=1)
        fix = f"did you mean {PREFIX}{near[0]}?" if near else f"there are {', '.join(_READERS)}"
        return InputError(f"unknown annotation {key}", fix=fix)
    try:
        read(text)
    except InputError as error:
        return error
    except ValueError as error:
        return InputError(f"{text!r}: {error}")
    return None


def _lifetime(text: str) -> Distribution | None:
    return None if text.strip() == FOR_EVER else distributions.parse(text)


def _exit_code(text: str) -> int:
    code = integers.parse(text)
    if not 0 <= code <= 255:
        raise InputError(f"{text!r} is no exit code", fix="write a number from 0 to 255")
    return code


def _size(text: str) -> int:
    size = quantity.parse(text).value
    if size < 0:
        raise InputError(f"{text!r} is below zero")
    return size


def _probes(text: str) -> frozenset[str]:
    named = frozenset(part.strip() for part in text.split(","))
    for name in sorted(named):
        if name not in PROBES:
            raise InputError(f"{text!r} names no probe: {name!r}", fix=f"name {', '.join(PROBES)}")
    return named


def _heartbeat(text: str) -> str:
    if text != "stopped":
        raise InputError(f"{text!r} is no heartbeat", fix='write "stopped", or leave it out')
    return text


def _truth(text: str) -> bool:
    if text not in ("true", "false"):
        raise InputError(f"{text!r} is neither true nor false", fix='write "true" or "false"')
    return text == "true"


_READERS: Final[dict[str, Callable[[str], object]]] = {
    "launch-delay": distributions.parse,
    "run-duration": _lifetime,
    "terminate-delay": distributions.parse,
    "exit-code": _exit_code,
    "cpu-usage": distributions.parse_quantity,
    "memory-usage": usage.parse_memory,
    "image-size": _size,
    "image-error": str.strip,
    "failing-probes": _probes,
    "fails-after": distributions.parse,
    "recovers-after": distributions.parse,
    "heartbeat": _heartbeat,
    "image-bandwidth": _size,
    "provision-delay": distributions.parse,
    "renewed-every": durations.parse_duration,
    # On a NodeOverlay: whether its price is what is paid.
    "billed": _truth,
    # What Karpenter of a stage writes on NodeClaims.
    "node-class-hash": str,
}
