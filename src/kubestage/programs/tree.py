"""Files, directories and links in memory, with owners and permissions."""

from __future__ import annotations

from typing import Final

from kubestage.errors import KubestageError, Unmodelled

DIRECTORY: Final = "d"
FILE: Final = "-"
LINK: Final = "l"

SET_GROUP_ID: Final = 0o2000

ABSENT: Final = "No such file or directory"
DENIED: Final = "Permission denied"
READ_ONLY: Final = "Read-only file system"
NO_DIRECTORY: Final = "Not a directory"
IS_DIRECTORY: Final = "Is a directory"
EXISTS: Final = "File exists"
NOT_EMPTY: Final = "Directory not empty"
TOO_MANY_LINKS: Final = "Too many levels of symbolic links"


class FileError(KubestageError):
    """What the operating system would say of a path."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


def of_image(path: str) -> Unmodelled:
    """A file of the image, about which nothing is known."""
    return Unmodelled(f"the file {path} of the image")


class User:
    """Who reads and writes."""

    __slots__ = ("gid", "groups", "uid")

    def __init__(self, uid: int = 0, gid: int = 0, groups: tuple[int, ...] = ()) -> None:
        self.uid = uid
        self.gid = gid
        self.groups = groups


class Node:
    """A file, directory or link."""

    __slots__ = ("data", "entries", "gid", "is_image", "kind", "mode", "mtime_ns", "target", "uid")

    def __init__(self, kind: str, mode: int, uid: int = 0, gid: int = 0) -> None:
        self.kind = kind
        self.mode = mode
        self.uid = uid
        self.gid = gid
        self.mtime_ns = 0
        self.data = b""
        self.entries: dict[str, Node] = {}
        self.target = ""
        # Whether a directory may have more entries, or a file more lines, than are known.
        self.is_image = False

    @property
    def size(self) -> int:
        """In bytes, as a list shows it."""
        if self.kind == DIRECTORY:
            return 4096
        return len(self.target) if self.kind == LINK else len(self.data)

    def allows(self, user: User, bits: int) -> bool:
        """Whether a user may read (4), write (2) or search (1) it."""
        if user.uid == 0:
            return True
        if user.uid == self.uid:
            return (self.mode >> 6) & bits == bits
        if self.gid == user.gid or self.gid in user.groups:
            return (self.mode >> 3) & bits == bits
        return self.mode & bits == bits


def directory(mode: int = 0o755, uid: int = 0, gid: int = 0, *, is_image: bool = False) -> Node:
    """A new directory."""
    made = Node(DIRECTORY, mode, uid, gid)
    made.is_image = is_image
    return made


def file(data: bytes, mode: int = 0o644, uid: int = 0, gid: int = 0) -> Node:
    """A new file."""
    made = Node(FILE, mode, uid, gid)
    made.data = data
    return made


def link(target: str) -> Node:
    """A new symbolic link."""
    made = Node(LINK, 0o777)
    made.target = target
    return made
