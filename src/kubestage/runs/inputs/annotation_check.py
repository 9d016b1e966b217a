"""Annotations of ours in manifests: a misspelt one would be without effect, and go unnoticed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.kubelet import annotations as known
from kubestage.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json


def misfits(obj: Json) -> Iterator[InputError]:
    """What is wrong with the annotations of an object and of the pods that it describes."""
    for path, metadata in _metadata(obj):
        found = metadata.get("annotations")
        if not isinstance(found, dict):
            continue
        for key, text in found.items():
            if key.startswith(known.PREFIX) and isinstance(text, str):
                problem = known.problem(key, text)
                if problem is not None:
                    place = f"{path}.annotations[{key}]"
                    yield InputError(problem.problem, path=place, fix=problem.fix)


def _metadata(obj: Json) -> Iterator[tuple[str, Json]]:
    """The object's own metadata, and that of each template below its spec."""
    if isinstance(obj.get("metadata"), dict):
        yield "metadata", obj["metadata"]
    path, spec = "spec", obj.get("spec")
    while isinstance(spec, dict):
        for name in ("template", "jobTemplate"):
            template = spec.get(name)
            if isinstance(template, dict):
                path = f"{path}.{name}"
                if isinstance(template.get("metadata"), dict):
                    yield f"{path}.metadata", template["metadata"]
                path, spec = f"{path}.spec", template.get("spec")
                break
        else:
            return
