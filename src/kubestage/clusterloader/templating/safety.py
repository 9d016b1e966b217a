"""ClusterLoader2's guard against strings that change the structure of YAML.

A template is run three times: as requested, with every pasted string replaced by one harmless word,
and with every pasted string's characters doubled. If the three do not have the same structure,
a string has brought structure of its own, and the rendering is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.clusterloader.templating import shapes
from kubestage.golang.template import Function
from kubestage.golang.template.values import ANY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kubestage.clusterloader.templating.draws import Draws
    from kubestage.golang.template import Template

FUNCTION: Final = "ApplyInjectionDetection"
INVALID: Final = "Invalid YAML Template"
INJECTION: Final = "YAML Injection Detected"
_UNLIKE: Final = "a string changes the structure around it: quote it, or use StructuralData"
_QUOTES: Final = frozenset("\\'\"")


def problem(
    text: str, walked: Template, data: Mapping[str, Any], draws: Draws
) -> tuple[str, str] | None:
    """What is wrong with a rendering, and why; `walked` marks its pastes (see `walking`)."""
    try:
        baseline = shapes.read(_run(walked, data, draws, _baseline))
    except shapes.Unreadable as error:
        return INVALID, f"it renders to what is no YAML: {error}"
    try:
        requested = shapes.read(text)
        mutated = shapes.read(_run(walked, data, draws, _doubled))
    except shapes.Unreadable as error:
        return INJECTION, f"{_UNLIKE} ({error})"
    is_sound = _alike(baseline, requested) and _alike(baseline, mutated)
    return None if is_sound else (INJECTION, _UNLIKE)


def _run(
    walked: Template, data: Mapping[str, Any], draws: Draws, change: Callable[[Any], Any]
) -> str:
    draws.again()
    return walked.execute(data, {FUNCTION: Function(change, (ANY,))})


def _baseline(value: Any) -> Any:
    return _changed(value, _word)


def _doubled(value: Any) -> Any:
    return _changed(value, _double)


def _word(_text: str) -> str:
    return "baseline"


def _double(text: str) -> str:
    return "".join(each if each in _QUOTES else each + each for each in text)


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_changed(each, change) for each in value]
    if isinstance(value, dict):
        return {key: _changed(each, change) for key, each in value.items()}
    return value


def _alike(baseline: Any, other: Any) -> bool:
    """Whether a shape is the baseline's; where that has a string, any scalar will do."""
    if isinstance(baseline, dict):
        return (
            isinstance(other, dict)
            and baseline.keys() == other.keys()
            and all(_alike(baseline[key], other[key]) for key in baseline)
        )
    if isinstance(baseline, list):
        return (
            isinstance(other, list)
            and len(baseline) == len(other)
            and all(map(_alike, baseline, other))
        )
    if baseline is shapes.STRING:
        return isinstance(other, shapes.Scalar)
    return isinstance(other, shapes.Scalar) and baseline == other
