"""Whether requests begin before a run ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.errors import InputError
from kubestage.objects import durations

if TYPE_CHECKING:
    from kubestage.runs.inputs.loading import Loaded


def check(loaded: Loaded, at_ns: int, end_ns: int) -> None:
    """Refuse Traffic, applied at a moment of the run, that would begin after its end."""
    for document in loaded.documents:
        if at_ns + _start_ns(document.object) >= end_ns:
            end = durations.go_string(end_ns)
            problem = f"requests would begin after the end of the run, at {end}"
            fix = "let the cluster live longer, or begin earlier"
            error = InputError(problem, path="spec.startAfter", fix=fix)
            raise loaded.place(document, error)


def _start_ns(obj: dict[str, Any]) -> int:
    """How long after it is applied a Traffic begins; what cannot be read is told by validation."""
    spec = obj.get("spec") if obj.get("kind") == "Traffic" else None
    text = spec.get("startAfter") if isinstance(spec, dict) else None
    try:
        return durations.parse_duration(text) if isinstance(text, str) else 0
    except ValueError:
        return 0
