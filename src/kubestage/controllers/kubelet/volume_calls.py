"""The calls that a kubelet makes before a pod can be launched: for the objects that it mounts."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from kubestage.controllers.kubelet import references

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.controllers.kubelet.references import Target


def watched_objects(pod: Json) -> tuple[Target, ...]:
    """The ConfigMaps and Secrets in a pod's volumes and environment, each once."""
    spec = pod["spec"]
    names = (*_in_volumes(spec), *_in_environment(spec))
    return _targets(pod["metadata"]["namespace"], names) if names else ()


@functools.lru_cache(maxsize=4096)
def _targets(namespace: str, names: tuple[tuple[str, str], ...]) -> tuple[Target, ...]:
    """The same value for all pods of a template: large clusters have many."""
    return tuple(sorted({(kind, f"{namespace}/{name}") for kind, name in names}))


def tokens(pod: Json) -> int:
    """How many tokens of a service account a pod mounts."""
    return sum("serviceAccountToken" in source for source in _sources(pod["spec"]))


def _in_volumes(spec: Json) -> Iterator[tuple[str, str]]:
    for source in _sources(spec):
        if "configMap" in source:
            yield references.CONFIG_MAP, source["configMap"].get("name") or ""
        elif "secret" in source:
            secret = source["secret"]
            yield references.SECRET, secret.get("secretName") or secret.get("name") or ""


def _in_environment(spec: Json) -> Iterator[tuple[str, str]]:
    for container in (*(spec.get("initContainers") or ()), *spec["containers"]):
        for each in references.of_environment(container):
            yield each.kind, each.name


def _sources(spec: Json) -> Iterator[Json]:
    for volume in spec.get("volumes") or ():
        projected = volume.get("projected")
        if projected is None:
            yield volume
        else:
            yield from projected.get("sources") or ()
