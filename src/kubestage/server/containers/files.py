"""The files that a container has without its image: those of its volumes, and the kubelet's."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.errors import ApiError
from kubestage.server import tokens
from kubestage.server.containers import environment, fields, hosts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kubestage.aliases import Json
    from kubestage.server.live import Live

Contents = dict[str, bytes]
"""Files by their paths within a volume."""

_KUBELETS: Final = ("/etc/hosts", "/etc/hostname")


class ContainerFiles(NamedTuple):
    """What is there: contents by path, and the directories that volumes are mounted at."""

    contents: Mapping[str, bytes]
    mounts: tuple[str, ...]

    def listed(self, path: str) -> list[str] | None:
        """The names in a directory; None if it is none that is known."""
        if self.mount_of(path) is None:
            return None
        below = "/" if path == "/" else f"{path}/"
        found = {each[len(below) :].partition("/")[0] for each in self.paths if _is_in(each, below)}
        return sorted(found) if found or path in self.mounts else None

    def mount_of(self, path: str) -> str | None:
        """The mounted directory that a path is in."""
        found = [each for each in self.mounts if path == each or path.startswith(f"{each}/")]
        return max(found, key=len, default=None)

    @property
    def paths(self) -> Iterator[str]:
        """All files."""
        return iter(self.contents)


def container_files(live: Live, pod: Json, container: Json) -> ContainerFiles:
    """The files of a container."""
    contents: Contents = {
        "/etc/hostname": f"{hosts.name_of(pod)}\n".encode(),
        "/etc/hosts": hosts.file_of(pod).encode(),
    }
    volumes = {each["name"]: each for each in pod["spec"].get("volumes") or ()}
    variables = environment.environment_variables(live.store, pod, container)
    mounts = []
    for mount in container.get("volumeMounts") or ():
        at = posixpath.normpath(mount["mountPath"])
        held = _contents(live, pod, container, volumes.get(mount["name"]) or {})
        part = mount.get("subPath") or environment.expanded(
            mount.get("subPathExpr") or "", variables
        )
        part = part.strip("/")
        if part in held:
            contents[at] = held[part]
            continue
        mounts.append(at)
        below = f"{part}/" if part else ""
        for path, data in held.items():
            if path.startswith(below):
                contents[f"{at.rstrip('/')}/{path[len(below) :]}"] = data
    return ContainerFiles(dict(sorted(contents.items())), tuple(sorted(mounts)))


def _contents(live: Live, pod: Json, container: Json, volume: Json) -> Contents:
    """The files of a volume. One that containers write to is empty."""
    if "projected" not in volume:
        return _source(live, pod, container, volume)
    found: Contents = {}
    for source in volume["projected"].get("sources") or ():
        found |= _source(live, pod, container, source)
    return found


def _source(live: Live, pod: Json, container: Json, source: Json) -> Contents:
    for part, kind, name in (("configMap", "ConfigMap", "name"), ("secret", "Secret", "name")):
        source_part = source.get(part)
        if source_part is not None:
            # A volume of its own calls a Secret otherwise than one that is projected.
            called = source_part.get(name) or source_part.get("secretName") or ""
            held = environment.keyed(live.store, pod, kind, called)
            items = source_part.get("items")
            if not items:
                return held
            return {each["path"]: held[each["key"]] for each in items if each["key"] in held}
    if "downwardAPI" in source:
        items = source["downwardAPI"].get("items") or ()
        return {each["path"]: _item(live, pod, container, each).encode() for each in items}
    token = source.get("serviceAccountToken")
    if token is not None:
        try:
            return {token["path"]: tokens.mounted(live, pod, token).encode()}
        except ApiError:
            # Its account is not there: the kubelet would wait for it.
            return {}
    return {}


def _item(live: Live, pod: Json, container: Json, item: Json) -> str:
    reference = item.get("fieldRef")
    if reference is not None:
        return fields.field(pod, reference["fieldPath"])
    return fields.resource(live.store, pod, container, item["resourceFieldRef"])


def _is_in(path: str, below: str) -> bool:
    return path.startswith(below) and path not in _KUBELETS
