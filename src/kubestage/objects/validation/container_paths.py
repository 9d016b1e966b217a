"""The containers of a pod, of all kinds, with the paths that errors name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


def with_paths(spec: dict[str, Any], path: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Init, regular and ephemeral containers, in upstream's order."""
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        for index, container in enumerate(spec.get(kind) or ()):
            yield container, f"{path}.{kind}[{index}]"


def every(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The same containers where nobody asks for paths."""
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        yield from spec.get(kind) or ()
