"""The volumes of a pod: what the kubelet puts into them, and where they are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.programs import environment, fields, hosts, images, tokens, tree
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.programs.tree import Node
    from kubestage.store.store import Store

SYNC_NS: Final = 60 * SECOND_NS
"""How often a kubelet brings the files of ConfigMaps, Secrets and fields up to date."""

# A kubelet renews a token after four fifths of its time, and after a day at the latest.
_TOKEN_AGE: Final = 0.8
_OLDEST_TOKEN_S: Final = 24 * 3600
_TOKEN_S: Final = 3600
_DATA: Final = "..data"
_MODE: Final = 0o644
_KEYED: Final = (("configMap", "ConfigMap"), ("secret", "Secret"))
_WRITTEN: Final = frozenset({"configMap", "secret", "downwardAPI", "projected"})
# The mode of a token, if it is known who reads it.
_PRIVATE: Final = 0o600
_READ_WRITE: Final = 0o660
_READ_ONLY: Final = 0o440
_SEARCH: Final = 0o110

Entry = tuple[str, bytes, int]
"""A path within a volume, its content and its mode."""


class Disks:
    """What outlives pods: directories of nodes, and volumes that claims are bound to."""

    def __init__(self) -> None:
        self._directories: dict[tuple[str, str], Node] = {}

    def directory(self, owner: str, path: str) -> Node:
        """The directory of a node or volume; it is made at its first use."""
        found = self._directories.get((owner, path))
        if found is None:
            found = self._directories[owner, path] = tree.directory()
        return found

    def file(self, owner: str, path: str) -> Node:
        """A file of a node; it is made at its first use."""
        found = self._directories.get((owner, path))
        if found is None:
            content = hosts.NODE_FILE if path == "/etc/hosts" else ""
            found = self._directories[owner, path] = tree.file(content.encode())
        return found


class Volumes:
    """The volumes of one pod, each as a directory that its containers share."""

    def __init__(self, store: Store, disks: Disks) -> None:
        self._store = store
        self._disks = disks
        self._made: dict[str, Node] = {}
        self._written: dict[str, tuple[int, list[Entry]]] = {}
        # Tokens by volume and path, and when each is renewed.
        self._tokens: dict[tuple[str, str], tuple[int, str]] = {}

    def directory(self, pod: Json, name: str, now_ns: int) -> Node:
        """The root of a volume."""
        volume = _named(pod, name)
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = self._make(pod, volume)
        if _WRITTEN & volume.keys():
            self._write(pod, volume, made, now_ns)
        return made

    def refresh(self, pod: Json, now_ns: int) -> None:
        """Bring what the kubelet writes up to date, if it is time."""
        for name in self._written:
            self._write(pod, _named(pod, name), self._made[name], now_ns)

    def fs_type(self, pod: Json, name: str) -> str:
        """What is mounted."""
        volume = _named(pod, name)
        if (volume.get("emptyDir") or {}).get("medium") == "Memory":
            return "tmpfs"
        if "image" in volume:
            return "overlay"
        return "tmpfs" if {"secret", "projected", "downwardAPI"} & volume.keys() else "ext4"

    def is_read_only(self, pod: Json, name: str) -> bool:
        """Whether containers may not write to a volume, however it is mounted."""
        volume = _named(pod, name)
        return bool((_WRITTEN | {"image"}) & volume.keys()) or bool(
            (volume.get("persistentVolumeClaim") or {}).get("readOnly")
        )

    def _make(self, pod: Json, volume: Json) -> Node:
        group = _group_of(pod)
        if "hostPath" in volume:
            node, stated = f"node/{pod['spec']['nodeName']}", volume["hostPath"]
            if stated.get("type") in ("File", "FileOrCreate"):
                return self._disks.file(node, stated["path"])
            return self._disks.directory(node, stated["path"])
        if "image" in volume:
            return images.root_of(volume["image"].get("reference") or "")
        claim = _claim_of(pod, volume)
        if claim:
            made = self._disks.directory(f"volume/{self._volume_of(pod, claim)}", "/")
            made.mode = 0o777
        else:
            made = tree.directory(0o777)
        if group is not None:
            made.gid = group
            # NOTE: what the kubelet writes belongs to it, and is only read by others.
            mask = _READ_ONLY if _WRITTEN & volume.keys() else _READ_WRITE
            made.mode |= mask | _SEARCH | tree.SET_GROUP_ID
        return made

    def _volume_of(self, pod: Json, claim: str) -> str:
        key = f"{pod['metadata']['namespace']}/{claim}"
        found = self._store.read(("v1", "PersistentVolumeClaim")).get(key) or {}
        return str((found.get("spec") or {}).get("volumeName") or key)

    def _write(self, pod: Json, volume: Json, made: Node, now_ns: int) -> None:
        """Write the files as a kubelet does: into a new directory, to which a link is moved."""
        name = volume["name"]
        before = self._written.get(name)
        if before is not None and now_ns - before[0] < SYNC_NS:
            return
        entries = list(self._entries(pod, volume, now_ns))
        self._written[name] = now_ns, entries
        if before is not None and before[1] == entries:
            return
        stamped = f"..{now_ns}"
        group = _group_of(pod)
        fresh = tree.directory(made.mode, 0, made.gid)
        user = (pod["spec"].get("securityContext") or {}).get("runAsUser")
        for path, data, mode in entries:
            is_token = _is_token(volume, path)
            is_private = is_token and (user is not None or group is not None)
            _place(
                fresh,
                path,
                data,
                _PRIVATE if is_private else mode,
                group,
                now_ns,
                user if is_token else None,
            )
        made.entries = {stamped: fresh, _DATA: tree.link(stamped)}
        for top in fresh.entries:
            made.entries[top] = tree.link(f"{_DATA}/{top}")

    def _entries(self, pod: Json, volume: Json, now_ns: int) -> Iterator[Entry]:
        if "projected" not in volume:
            (part,) = _WRITTEN & volume.keys()
            yield from self._source(pod, volume, _mode(volume[part], _MODE))
            return
        default = _mode(volume["projected"], _MODE)
        found: dict[str, Entry] = {}
        for source in volume["projected"].get("sources") or ():
            found |= {entry[0]: entry for entry in self._source(pod, source, default)}
            token = source.get("serviceAccountToken")
            text = "" if token is None else self._token(pod, volume["name"], token, now_ns)
            if token is not None and text:
                found[token["path"]] = token["path"], text.encode(), default
        yield from found.values()

    def _source(self, pod: Json, source: Json, default: int) -> Iterator[Entry]:
        for part, kind in _KEYED:
            if (stated := source.get(part)) is not None:
                # A volume of its own calls a Secret otherwise than one that is projected.
                called = stated.get("name") or stated.get("secretName") or ""
                held = environment.keyed(self._store, pod, kind, called)
                yield from _chosen(held, stated.get("items"), default)
        for item in (source.get("downwardAPI") or {}).get("items") or ():
            yield item["path"], self._field(pod, item).encode(), _item_mode(item, default)

    def _token(self, pod: Json, volume: str, token: Json, now_ns: int) -> str:
        """The token of a projection: the same one until it is time for another."""
        key = volume, token["path"]
        known = self._tokens.get(key)
        if known is not None and now_ns < known[0]:
            return known[1]
        text = tokens.mounted(self._store, pod, token)
        if text:
            lasts_s = (token.get("expirationSeconds") or _TOKEN_S) * _TOKEN_AGE
            until_ns = now_ns + round(min(lasts_s, _OLDEST_TOKEN_S) * SECOND_NS)
            self._tokens[key] = until_ns, text
        return text

    def _field(self, pod: Json, item: Json) -> str:
        reference = item.get("fieldRef")
        if reference is not None:
            return fields.field(pod, reference["fieldPath"])
        return fields.resource(self._store, pod, {}, item["resourceFieldRef"])


def _chosen(held: dict[str, bytes], items: Any, default: int) -> Iterator[Entry]:
    if not items:
        for key, data in held.items():
            yield key, data, default
        return
    for item in items:
        if item["key"] in held:
            yield item["path"], held[item["key"]], _item_mode(item, default)


def _place(
    root: Node, path: str, data: bytes, mode: int, group: int | None, now_ns: int, owner: int | None
) -> None:
    """Put one file into a new directory of a volume."""
    *parents, name = path.split("/")
    here = root
    for each in parents:
        here = here.entries.setdefault(each, tree.directory(root.mode, 0, root.gid))
    if group is not None:
        mode |= _READ_ONLY
    made = tree.file(data, mode, owner or 0, root.gid)
    made.mtime_ns = now_ns
    here.entries[name] = made


def _is_token(volume: Json, path: str) -> bool:
    sources = (volume.get("projected") or {}).get("sources") or ()
    return any((each.get("serviceAccountToken") or {}).get("path") == path for each in sources)


def _mode(stated: Json, default: int) -> int:
    mode = stated.get("defaultMode")
    return default if mode is None else int(mode)


def _item_mode(item: Json, default: int) -> int:
    mode = item.get("mode")
    return default if mode is None else int(mode)


def _named(pod: Json, name: str) -> Json:
    volumes = pod["spec"].get("volumes") or ()
    found: Json = next((each for each in volumes if each["name"] == name), {"name": name})
    return found


def _claim_of(pod: Json, volume: Json) -> str:
    if "ephemeral" in volume:
        return f"{pod['metadata']['name']}-{volume['name']}"
    return str((volume.get("persistentVolumeClaim") or {}).get("claimName") or "")


def _group_of(pod: Json) -> int | None:
    group = (pod["spec"].get("securityContext") or {}).get("fsGroup")
    return None if group is None else int(group)
