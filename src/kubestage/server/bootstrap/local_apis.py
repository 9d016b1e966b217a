"""The APIServices of the groups that the server itself serves, as its aggregator registers them.

Those of built-in groups are made when the server starts, and stay away if they are deleted; those
of definitions come and go with them. One that a user made in the place of another stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.server.discovery import priorities
from kubestage.store import bootstrap
from kubestage.store.definitions import DEFINITION

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.objects.kinds import KindTable
    from kubestage.store.store import Store

API_SERVICE: Final = ("apiregistration.k8s.io/v1", "APIService")
MANAGED: Final = "kube-aggregator.kubernetes.io/automanaged"
"""The label of an APIService that the server registered."""

_ON_START, _ALWAYS = "onstart", "true"
_MANAGER: Final = "kube-apiserver"
# Groups of requests that are only answered.
_REVIEWS: Final = (("authentication.k8s.io", "v1"), ("authorization.k8s.io", "v1"))
# The aggregator itself serves this one.
_OWN: Final = "apiregistration.k8s.io"


def make(store: Store) -> None:
    """Make all that are missing, and remove those whose definition is gone."""
    _make(store, _built_in(store.kinds) | _defined(store))


def make_defined(store: Store) -> None:
    """As `make`, but for groups of Kubernetes itself: what was deleted of those stays away."""
    served = _built_in(store.kinds) | _defined(store)
    _make(store, {each for each in served if each[0] not in priorities.GROUPS})


def _make(store: Store, served: set[tuple[str, str]]) -> None:
    known = store.read(API_SERVICE)
    _add(store, (each for each in sorted(served) if name_of(*each) not in known))
    for name, obj in tuple(known.items()):
        spec = obj["spec"]
        if (spec.get("group") or "", spec["version"]) not in served and follows_definition(obj):
            store.delete(API_SERVICE, name)
    store.settle()


def follow(store: Store, group: str, versions: Iterable[str]) -> None:
    """Register versions of a group that definitions serve now, and remove others."""
    served = _defined(store) | _built_in(store.kinds)
    known = store.read(API_SERVICE)
    for version in versions:
        name = name_of(group, version)
        present = known.get(name)
        if (group, version) in served:
            if present is None:
                _add(store, [(group, version)])
        elif present is not None and follows_definition(present):
            store.delete(API_SERVICE, name)


def name_of(group: str, version: str) -> str:
    """The name of the APIService of a group and version."""
    return f"{version}.{group}"


def is_own(obj: Json) -> bool:
    """Whether the server registered an APIService."""
    return MANAGED in ((obj.get("metadata") or {}).get("labels") or {})


def follows_definition(obj: Json) -> bool:
    """Whether an APIService is kept as long as its group and version is served."""
    return (obj["metadata"].get("labels") or {}).get(MANAGED) == _ALWAYS


def _built_in(kinds: KindTable) -> set[tuple[str, str]]:
    found = {(row.group, row.version) for row in kinds if row.definition is None}
    return {each for each in found if each[0] != _OWN} | set(_REVIEWS)


def _defined(store: Store) -> set[tuple[str, str]]:
    return {
        (each["spec"]["group"], version["name"])
        for each in store.read(DEFINITION).values()
        for version in each["spec"]["versions"]
        if version.get("served")
    }


def _add(store: Store, versions: Iterable[tuple[str, str]]) -> None:
    alike: dict[bool, Json] = {}
    for group, version in versions:
        made = bootstrap.add(store, _manifest(group, version), _MANAGER, alike.get(bool(group)))
        alike[bool(group)] = made


def _manifest(group: str, version: str) -> Json:
    label = _ON_START if group in priorities.GROUPS else _ALWAYS
    spec: Json = {
        "version": version,
        "groupPriorityMinimum": priorities.of_group(group),
        "versionPriority": priorities.of_version(group, version),
    }
    return {
        "apiVersion": API_SERVICE[0],
        "kind": API_SERVICE[1],
        "metadata": {"name": name_of(group, version), "labels": {MANAGED: label}},
        "spec": {"group": group, **spec} if group else spec,
    }
