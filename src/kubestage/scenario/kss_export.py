"""What kube-scheduler-simulator exports: the objects of its cluster, and its scheduler's settings.

The file is the ``export.yml`` of its web page, or the JSON of its ``/api/v1/export``: one list a
kind, whose items have neither kind nor apiVersion. As a Scenario it is one step in which all of it
is there; what is pending is scheduled then.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError
from kubestage.scenario import kss_events
from kubestage.scenario.kss_events import part

if TYPE_CHECKING:
    from kubestage.aliases import Json

# In the order in which kube-scheduler-simulator applies them.
_LISTS: Final = {
    "namespaces": ("v1", "Namespace"),
    "priorityClasses": ("scheduling.k8s.io/v1", "PriorityClass"),
    "storageClasses": ("storage.k8s.io/v1", "StorageClass"),
    "pvcs": kss_events.CLAIM,
    "nodes": ("v1", "Node"),
    "pods": kss_events.POD,
    "pvs": ("v1", "PersistentVolume"),
}
_CONFIG: Final = "schedulerConfig"
_CONFIG_GROUP: Final = "kubescheduler.config.k8s.io/"
KEYS: Final = frozenset({*_LISTS, _CONFIG})
"""The keys of which an export consists; all may be missing, or null."""


def is_export(obj: Any) -> bool:
    """Whether a document is an export: no object of a cluster, and some of its keys are there."""
    if not isinstance(obj, dict) or "kind" in obj or "apiVersion" in obj:
        return False
    return any(_fits(key, obj[key]) for key in KEYS if key in obj)


def _fits(key: str, value: Any) -> bool:
    return value is None or isinstance(value, dict if key == _CONFIG else list)


def scenario(obj: Json, name: str = "export") -> Json:
    """One step with all that was exported, and Done."""
    for key in obj:
        if key not in KEYS:
            fix = f"an export has {', '.join(sorted(KEYS))}"
            raise InputError(f'"{key}" is not part of an export', path=key, fix=fix)
    lists = {key: _items(obj, key) for key in _LISTS}
    lists["pvcs"], lists["pvs"] = _joined(lists["pvcs"], lists["pvs"])
    events = [
        kss_events.create(_id(each), 0, kss_events.cleaned(each))
        for items in lists.values()
        for each in items
    ]
    return kss_events.scenario(name, events, 0)


def configuration(obj: Json) -> Json | None:
    """The scheduler configuration of an export, whole; None if it has none."""
    stated = obj.get(_CONFIG)
    if not stated:
        return None
    if not isinstance(stated, dict):
        raise InputError("not a scheduler configuration", path=_CONFIG, fix="write an object")
    head = {"apiVersion": _version_of(stated), "kind": "KubeSchedulerConfiguration"}
    return head | {key: value for key, value in stated.items() if value not in (None, "")}


def _version_of(stated: Json) -> str:
    """The version of a configuration, as its plugin arguments state it."""
    profiles = stated.get("profiles")
    for profile in profiles if isinstance(profiles, list) else ():
        settings = part(profile).get("pluginConfig")
        for each in settings if isinstance(settings, list) else ():
            version = part(each, "args").get("apiVersion")
            if isinstance(version, str) and version.startswith(_CONFIG_GROUP):
                return version
    return f"{_CONFIG_GROUP}v1"


def _items(obj: Json, key: str) -> list[Json]:
    """The objects of one list, each with its kind."""
    items = obj.get(key)
    if items is None:
        return []
    if not isinstance(items, list):
        raise InputError("not a list", path=key, fix="write a list of objects, or leave it out")
    found = [_item(each, f"{key}[{at}]", *_LISTS[key]) for at, each in enumerate(items)]
    first: dict[str, int] = {}
    for at, each in enumerate(found):
        before = first.setdefault(_key(each["metadata"]), at)
        if before != at:
            name, path = each["metadata"]["name"], f"{key}[{at}].metadata.name"
            fix = "each object is listed once: remove one of the two"
            raise InputError(f"{name!r} is {key}[{before}] too", path=path, fix=fix)
    return found


def _item(item: Any, path: str, api_version: str, kind: str) -> Json:
    if not isinstance(item, dict):
        raise InputError(f"not a {kind}", path=path, fix=f"write one {kind} each")
    for field, expected in (("apiVersion", api_version), ("kind", kind)):
        stated = item.get(field)
        if stated and stated != expected:
            fix = f"this list has nothing but objects of {api_version}, kind {kind}"
            raise InputError(f"{field} is {stated!r}", path=f"{path}.{field}", fix=fix)
    metadata = item.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if not isinstance(name, str) or not name:
        fix = "every exported object has a name"
        raise InputError("the name is missing", path=f"{path}.metadata.name", fix=fix)
    return {**item, "apiVersion": api_version, "kind": kind}


def _id(obj: Json) -> str:
    metadata = obj["metadata"]
    parts = (obj["kind"].lower(), metadata.get("namespace"), metadata["name"])
    return "/".join(part for part in parts if part)


def _joined(claims: list[Json], volumes: list[Json]) -> tuple[list[Json], list[Json]]:
    """Claims and volumes that are bound to each other know one another by uid.

    kube-scheduler-simulator gives a bound volume the uid of the claim that has the right name, so
    files without uids, or files merged from several, work there.
    """
    places = {_key(each["metadata"]): at for at, each in enumerate(claims)}
    claims, volumes = list(claims), list(volumes)
    for position, volume in enumerate(volumes):
        reference = part(volume, "spec", "claimRef")
        at = places.get(_key(reference))
        if at is not None and part(volume, "status").get("phase") == "Bound":
            metadata = claims[at]["metadata"]
            uid = metadata.get("uid") or reference.get("uid") or _generated(_key(metadata))
            claims[at] = {**claims[at], "metadata": {**metadata, "uid": uid}}
            spec = {**volume["spec"], "claimRef": {**reference, "uid": uid}}
            volumes[position] = {**volume, "spec": spec}
    return claims, volumes


def _key(named: Json) -> str:
    return f"{named.get('namespace') or 'default'}/{named.get('name')}"


def _generated(key: str) -> str:
    """A uid for a claim that has none: always the same one."""
    digest = hashlib.sha256(key.encode()).hexdigest()
    return "-".join((digest[:8], digest[8:12], f"5{digest[13:16]}", digest[16:20], digest[20:32]))
