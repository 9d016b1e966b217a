"""The containers of a pod, of all kinds, with the paths that errors name."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json


def with_paths(spec: Json, path: str) -> Iterator[tuple[Json, str]]:
    """Init, regular and ephemeral containers, in upstream's order."""
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        for index, container in enumerate(spec.get(kind) or ()):
            yield container, f"{path}.{kind}[{index}]"


def every(spec: Json) -> Iterator[Json]:
    """The same containers without their paths."""
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        yield from spec.get(kind) or ()
