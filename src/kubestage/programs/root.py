"""The root directory of a container: its volumes, the kubelet's files, and what the image hides."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final

from kubestage.programs import environment, hosts, images, kernel, tree
from kubestage.programs.files import Files, Mount
from kubestage.programs.tree import User

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.programs.tree import Node
    from kubestage.programs.volumes import Volumes

TERMINATION_LOG: Final = "/dev/termination-log"


def files_of(
    pod: Json,
    container: Json,
    volumes: Volumes,
    variables: dict[str, str],
    now_ns: int,
    cpus: int,
) -> Files:
    """The files of a container that starts now, on a node with so many CPUs."""
    root = images.root_of(str(container.get("image") or ""))
    files = Files(root, User())
    files.now_ns = now_ns
    _kubelets_files(files, pod, container)
    resources, whole = container.get("resources") or {}, pod["spec"].get("resources") or {}
    kernel.show(files, container, resources, whole, cpus)
    home = container.get("workingDir")
    if home:
        _directories(root, home)
    for mount in sorted(
        container.get("volumeMounts") or (), key=lambda each: len(each["mountPath"])
    ):
        _mount(files, pod, mount, volumes, variables)
    security = container.get("securityContext") or {}
    files.mounts[0].is_read_only = bool(security.get("readOnlyRootFilesystem"))
    files.user = user_of(pod, container)
    return files


def user_of(pod: Json, container: Json) -> User:
    """Who a container runs as; images whose user is not stated run as root."""
    of_pod, own = pod["spec"].get("securityContext") or {}, container.get("securityContext") or {}
    stated = {**of_pod, **own}
    uid, gid = stated.get("runAsUser") or 0, stated.get("runAsGroup") or 0
    groups = [int(each) for each in of_pod.get("supplementalGroups") or ()]
    if of_pod.get("fsGroup") is not None:
        groups.append(int(of_pod["fsGroup"]))
    return User(int(uid), int(gid), tuple(groups))


def _kubelets_files(files: Files, pod: Json, container: Json) -> None:
    etc = files.root.entries["etc"]
    etc.entries["hostname"] = tree.file(f"{hosts.name_of(pod)}\n".encode())
    etc.entries["hosts"] = tree.file(hosts.file_of(pod).encode())
    if not pod["spec"].get("hostNetwork"):
        etc.entries["resolv.conf"] = tree.file(hosts.resolver_of(pod).encode())
    path = container.get("terminationMessagePath") or TERMINATION_LOG
    parent = _directories(files.root, posixpath.dirname(path))
    parent.entries[posixpath.basename(path)] = tree.file(b"", 0o666)
    files.mounts.append(Mount(path, is_read_only=False))
    files.mounts.append(Mount("/dev", is_read_only=False, fs_type="tmpfs"))
    files.mounts += [Mount(f"/etc/{name}", is_read_only=False) for name in ("hosts", "resolv.conf")]


def _mount(
    files: Files, pod: Json, mount: Json, volumes: Volumes, variables: dict[str, str]
) -> None:
    name, at = mount["name"], posixpath.normpath(mount["mountPath"])
    held = volumes.directory(pod, name, files.now_ns)
    part = mount.get("subPath") or environment.expanded(mount.get("subPathExpr") or "", variables)
    if part:
        held = _part_of(held, part)
    parent = _directories(files.root, posixpath.dirname(at))
    parent.entries[posixpath.basename(at)] = held
    is_read_only = bool(mount.get("readOnly")) or volumes.is_read_only(pod, name)
    fs_type = volumes.fs_type(pod, name)
    files.mounts.append(Mount(at, is_read_only=is_read_only, fs_type=fs_type))


def _part_of(held: Node, part: str) -> Node:
    """A file or directory within a volume, which the kubelet makes if it is not there."""
    volume = Files(held, User())
    path = f"/{part.strip('/')}"
    if volume.exists(path):
        return volume.find(path)
    here = held
    for each in path.strip("/").split("/"):
        here = here.entries.setdefault(each, tree.directory(0o750 | held.mode, 0, held.gid))
    return here


def _directories(root: Node, path: str) -> Node:
    here = root
    for each in path.split("/"):
        if each:
            here = here.entries.setdefault(each, tree.directory())
    return here
