"""Autoscalers that a person brings for HorizontalPodAutoscalers: from a file or a module."""

from __future__ import annotations

import difflib
import inspect
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.runs.inputs.named_module import ModuleOption

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.runs.inputs.manifests import LoadedManifests

_ALL: Final = "*"
_FORM: Final = "write it as file.py:Class, or as namespace/hpa=file.py:Class"
_EXPECTED: Final = "an autoscaler is a class with __init__(self, hpa) and recommend(self, look)"
_OPTION: Final = ModuleOption("--autoscaler", "kubestage_autoscaler", _EXPECTED)
_refused: Final = _OPTION.refused


class UserAutoscaler(NamedTuple):
    """An autoscaler, the key of the HPA that it decides for (or ``*``), and how it was named."""

    key: str
    autoscaler: type[Any]
    reference: str


def load(specs: Sequence[str], loaded: Iterable[LoadedManifests]) -> list[UserAutoscaler]:
    """The autoscalers of ``--autoscaler``; each must have an HPA to decide for."""
    known = _hpas(loaded) if specs else []
    found: dict[str, UserAutoscaler] = {}
    for spec in specs:
        name, equals, place = spec.rpartition("=")
        key = _key(name) if equals else _ALL
        _check_target(spec, key, known)
        if key in found:
            whose = "all HPAs" if key == _ALL else key
            raise _refused(spec, f"another one decides for {whose} already", "name one for each")
        found[key] = UserAutoscaler(key, _checked(_class_of(spec, place), spec), spec)
    return list(found.values())


def files(autoscalers: Iterable[UserAutoscaler]) -> list[str]:
    """The files of autoscalers, so that errors are reported at their lines."""
    places = (each.reference.rpartition("=")[2].rpartition(":")[0] for each in autoscalers)
    return [place for place in places if place.endswith(".py")]


def _key(name: str) -> str:
    return name if "/" in name else f"default/{name}"


def _hpas(loaded: Iterable[LoadedManifests]) -> list[str]:
    """The keys of all HPAs among the manifests, those that come later included."""
    return [
        f"{metadata.get('namespace') or 'default'}/{metadata.get('name')}"
        for each in loaded
        for document in each.documents
        if document.object.get("kind") == "HorizontalPodAutoscaler"
        for metadata in [document.object.get("metadata") or {}]
    ]


def _check_target(spec: str, key: str, known: Sequence[str]) -> None:
    if not known:
        fix = "add one: it says what is scaled, between which limits"
        raise _refused(spec, "there is no HorizontalPodAutoscaler that it could decide for", fix)
    if key not in (_ALL, *known):
        near = difflib.get_close_matches(key, known, n=1)
        there = f"there are {', '.join(sorted(set(known)))}"
        fix = f"did you mean {near[0]}? {there}" if near else there
        raise _refused(spec, f"there is no HorizontalPodAutoscaler {key}", fix)


def _checked(autoscaler: type[Any], spec: str) -> type[Any]:
    """The class, if it can be an autoscaler at all."""
    if not callable(getattr(autoscaler, "recommend", None)):
        raise _refused(spec, "has no method recommend", _EXPECTED)
    try:
        inspect.signature(autoscaler).bind({})
    except TypeError as error:
        problem = f"cannot be made from its HPA: {error}"
        raise _refused(spec, problem, "define __init__(self, hpa)") from None
    try:
        inspect.signature(autoscaler.recommend).bind(None, None)
    except TypeError as error:
        raise _refused(spec, f"recommend: {error}", "define recommend(self, look)") from None
    return autoscaler


def _class_of(spec: str, place: str) -> type[Any]:
    where, _, name = place.rpartition(":")
    if not where or not name.isidentifier():
        raise _refused(spec, "names no class", _FORM)
    module = _OPTION.module(where, spec)
    found = getattr(module, name, None)
    if not isinstance(found, type):
        near = [
            each
            for each, value in vars(module).items()
            if isinstance(value, type) and hasattr(value, "recommend")
        ]
        fix = f"it has {', '.join(near)}" if near else _EXPECTED
        raise _refused(spec, f"has no class {name}", fix)
    return found
