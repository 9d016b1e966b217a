"""Reports, before a run starts, a Traffic whose target is never created."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.runs.inputs import manifests
from kubestage.scenario import resource

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.manifest import Document
    from kubestage.runs.inputs.manifests import LoadedManifests

Key = tuple[str, str, str]

_DEFAULT: Final = "default"
_KINDS: Final = ("Deployment", "ReplicaSet", "Service", "StatefulSet")


def check(everything: Sequence[LoadedManifests]) -> None:
    """Refuse Traffic whose target is in none of the manifests, nor created by a Scenario."""
    there = {
        _key(obj) for loaded in everything for each in loaded.documents for obj, _ in _objects(each)
    }
    for loaded in everything:
        for document in loaded.documents:
            for obj, path in _objects(document):
                error = _problem(obj, path, there)
                if error is not None:
                    raise loaded.place(document, error)


def _objects(document: Document) -> Iterator[tuple[Json, str]]:
    """What a document brings, and the path in it: itself, or what a Scenario creates."""
    obj = document.object
    yield obj, ""
    if not resource.is_scenario(obj):
        return
    spec = obj.get("spec")
    for name in ("events", "operations"):
        events = spec.get(name) if isinstance(spec, dict) else None
        for index, event in enumerate(events if isinstance(events, list) else ()):
            operation = event.get("createOperation") if isinstance(event, dict) else None
            created = operation.get("object") if isinstance(operation, dict) else None
            if isinstance(created, dict):
                yield created, f"spec.{name}[{index}].createOperation.object."


def _key(obj: Json) -> Key:
    namespace, name = manifests.named(obj)
    return str(obj.get("kind")), namespace or _DEFAULT, name


def _problem(obj: Json, path: str, there: set[Key]) -> InputError | None:
    spec = obj.get("spec")
    target = spec.get("target") if obj.get("kind") == "Traffic" and isinstance(spec, dict) else None
    if not isinstance(target, dict):
        return None
    kind, name = str(target.get("kind")), str(target.get("name"))
    namespace = _key(obj)[1]
    if kind not in _KINDS or (kind, namespace, name) in there:
        # Validation reports a kind that is not allowed.
        return None
    problem = f'there is no {kind} "{name}" in namespace {namespace}'
    known = [each for of, where, each in there if (of, where) == (kind, namespace)]
    near = difflib.get_close_matches(name, known, n=1)
    elsewhere = sorted(where for of, where, each in there if (of, each) == (kind, name))
    if near:
        fix = f"did you mean {near[0]}?"
    elif elsewhere:
        fix = f"it is in namespace {elsewhere[0]}, and so must be the Traffic"
    else:
        fix = f"add the manifest of the {kind}"
    return InputError(problem, path=f"{path}spec.target.name", fix=fix)
