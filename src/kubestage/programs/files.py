"""The files that one user sees from one root: reading, writing, links, permissions."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final

from kubestage.programs import tree

if TYPE_CHECKING:
    from kubestage.programs.tree import Node, User

_MOST_LINKS: Final = 40
_WRITE: Final = 2
_READ: Final = 4
_SEARCH: Final = 1


class Mount:
    """Where a volume is in a container."""

    __slots__ = ("is_read_only", "path", "type")

    def __init__(self, path: str, *, is_read_only: bool, fs_type: str = "ext4") -> None:
        self.path = path
        self.is_read_only = is_read_only
        self.type = fs_type


class Files:
    """The files that one user sees from one root; `version` changes with every write."""

    def __init__(self, root: Node, user: User) -> None:
        self.root = root
        self.user = user
        self.mounts: list[Mount] = [Mount("/", is_read_only=False, fs_type="overlay")]
        self.version = 0
        self.now_ns = 0

    def mount_of(self, path: str) -> Mount:
        """What a path is part of."""
        found = [each for each in self.mounts if _is_below(path, each.path)]
        return max(found, key=lambda each: len(each.path))

    def find(self, path: str, *, follows: bool = True) -> Node:
        """The node of an absolute path."""
        return self._walk(path, follows=follows)[1]

    def read(self, path: str, *, in_part: bool = False) -> bytes:
        """The content of a file; of some, only those can read it who do with a part of it."""
        found = self.find(path)
        if found.kind == tree.DIRECTORY:
            raise tree.FileError(tree.IS_DIRECTORY)
        if not found.allows(self.user, _READ):
            raise tree.FileError(tree.DENIED)
        if found.is_image and not in_part:
            raise tree.of_image(path)
        return found.data

    def names(self, path: str) -> list[str]:
        """What a directory has, in order."""
        found = self.find(path)
        if found.kind != tree.DIRECTORY:
            raise tree.FileError(tree.NO_DIRECTORY)
        if found.is_image:
            raise tree.of_image(path)
        if not found.allows(self.user, _READ):
            raise tree.FileError(tree.DENIED)
        return sorted(found.entries)

    def exists(self, path: str) -> bool:
        """Whether there is anything."""
        try:
            self.find(path)
        except tree.FileError:
            return False
        return True

    def write(self, path: str, data: bytes, *, mode: int = 0o644, appends: bool = False) -> None:
        """Write a file, which is made if need be."""
        real, found = self._locate(path)
        if found is None:
            parent = self._writable_parent(real)
            found = tree.file(b"", mode, self.user.uid, _group(parent, self.user))
            parent.entries[posixpath.basename(real)] = found
        elif found.kind == tree.DIRECTORY:
            raise tree.FileError(tree.IS_DIRECTORY)
        else:
            self._check_mount(real)
            if not found.allows(self.user, _WRITE):
                raise tree.FileError(tree.DENIED)
        found.data = found.data + data if appends else data
        self._touch(found)

    def touch(self, path: str) -> None:
        """Make an empty file, or let one be newer."""
        if self.exists(path):
            self._check_mount(path)
            self._touch(self.find(path))
        else:
            self.write(path, b"")

    def make_directory(self, path: str, mode: int = 0o755) -> None:
        """Make one directory."""
        real, found = self._locate(path)
        if found is not None:
            raise tree.FileError(tree.EXISTS)
        parent = self._writable_parent(real)
        made = tree.directory(mode, self.user.uid, _group(parent, self.user))
        self._touch(made)
        parent.entries[posixpath.basename(real)] = made

    def put(self, path: str, node: Node) -> None:
        """Put a node where there is none, or instead of another one."""
        real, _ = self._locate(path, follows=False)
        self._writable_parent(real).entries[posixpath.basename(real)] = node
        self._touch(node)

    def remove(self, path: str, *, recursive: bool = False, directories: bool = False) -> None:
        """Remove a file or link; directories only on request."""
        real, found = self._walk(path, follows=False)
        if found.kind == tree.DIRECTORY:
            if not (recursive or directories):
                raise tree.FileError(tree.IS_DIRECTORY)
            if found.entries and not recursive:
                raise tree.FileError(tree.NOT_EMPTY)
            if any(each.path == real for each in self.mounts):
                raise tree.FileError("Device or resource busy")
        del self._writable_parent(real).entries[posixpath.basename(real)]
        self.version += 1

    def change_mode(self, path: str, mode: int) -> None:
        """Change permissions, which the owner may."""
        found = self.find(path)
        self._check_mount(path)
        if self.user.uid not in (0, found.uid):
            raise tree.FileError("Operation not permitted")
        found.mode = mode
        self.version += 1

    def resolve(self, path: str) -> str:
        """A path without links."""
        return self._walk(path)[0]

    def _touch(self, node: Node) -> None:
        node.mtime_ns = self.now_ns
        self.version += 1

    def _check_mount(self, path: str) -> None:
        if self.mount_of(path).is_read_only:
            raise tree.FileError(tree.READ_ONLY)

    def _writable_parent(self, path: str) -> Node:
        parent = self.find(posixpath.dirname(path))
        self._check_mount(path)
        if parent.kind != tree.DIRECTORY:
            raise tree.FileError(tree.NO_DIRECTORY)
        if not parent.allows(self.user, _WRITE | _SEARCH):
            raise tree.FileError(tree.DENIED)
        return parent

    def _walk(self, path: str, *, follows: bool = True) -> tuple[str, Node]:
        """Where a path leads to, and what is there."""
        where, found, is_known = self._follow(path, follows=follows)
        if found is None:
            raise tree.FileError(tree.ABSENT) if is_known else tree.of_image(where)
        return where, found

    def _locate(self, path: str, *, follows: bool = True) -> tuple[str, Node | None]:
        """Where a path leads to, and what is there, if anything.

        What an image may have there is replaced by what is written, so it need not be known.
        """
        where, found, _ = self._follow(path, follows=follows, is_last_enough=True)
        return where, found

    def _follow(
        self, path: str, *, follows: bool, is_last_enough: bool = False
    ) -> tuple[str, Node | None, bool]:
        """Follow a path, link by link; also whether it is known that nothing is there."""
        todo = [part for part in reversed(path.split("/")) if part not in ("", ".")]
        trail: list[tuple[str, Node]] = []
        links = 0
        while todo:
            name = todo.pop()
            if name == "..":
                if trail:
                    trail.pop()
                continue
            here = trail[-1][1] if trail else self.root
            if here.kind != tree.DIRECTORY:
                raise tree.FileError(tree.NO_DIRECTORY)
            if not here.allows(self.user, _SEARCH):
                raise tree.FileError(tree.DENIED)
            found = here.entries.get(name)
            where = "/" + "/".join([*(each for each, _ in trail), name])
            if found is None:
                if todo and is_last_enough:
                    raise tree.of_image(where) if here.is_image else tree.FileError(tree.ABSENT)
                return where, None, not here.is_image
            if found.kind == tree.LINK and (follows or todo):
                links += 1
                if links > _MOST_LINKS:
                    raise tree.FileError(tree.TOO_MANY_LINKS)
                if found.target.startswith("/"):
                    trail.clear()
                todo += [
                    each for each in reversed(found.target.split("/")) if each not in ("", ".")
                ]
                continue
            trail.append((name, found))
        if not trail:
            return "/", self.root, True
        return "/" + "/".join(each for each, _ in trail), trail[-1][1], True


def _group(parent: Node, user: User) -> int:
    """Files get the group of a directory that has its bit set, otherwise that of their maker."""
    return parent.gid if parent.mode & tree.SET_GROUP_ID else user.gid


def _is_below(path: str, where: str) -> bool:
    return where == "/" or path == where or path.startswith(f"{where}/")
