"""Whether requests begin before a run ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.errors import InputError
from kubestage.golang import durations

if TYPE_CHECKING:
    from kubestage.runs.inputs.manifests import LoadedManifests


def check(loaded: LoadedManifests, at_ns: int, end_ns: int) -> None:
    """Refuse Traffic, applied at a moment of the run, that would begin after its end."""
    for document in loaded.documents:
        if at_ns + _start_ns(document.object) >= end_ns:
            end = durations.go_string(end_ns)
            problem = f"requests would begin after the end of the run, at {end}"
            fix = "let the cluster live longer, or begin earlier"
            error = InputError(problem, path="spec.startAfter", fix=fix)
            raise loaded.place(document, error)


def _start_ns(obj: dict[str, Any]) -> int:
    """How long after it is applied a Traffic begins; validation reports an invalid duration."""
    spec = obj.get("spec") if obj.get("kind") == "Traffic" else None
    text = spec.get("startAfter") if isinstance(spec, dict) else None
    try:
        return durations.parse_duration(text) if isinstance(text, str) else 0
    except ValueError:
        return 0
