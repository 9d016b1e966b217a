"""Images of which something is known: what they run, and files that they have.

Everything else of an image is unknown: a program that needs it is not modelled.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.programs import tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.programs.tree import Node


class Image(NamedTuple):
    """What a container runs that states no command: an entrypoint, and words that pods replace.

    `files` have a path each; `is_plain` is an image whose root has nothing else.
    """

    entrypoint: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    files: Mapping[str, str] = {}
    is_plain: bool = False


def _alpine(version: str) -> str:
    return (
        f'NAME="Alpine Linux"\nID=alpine\nVERSION_ID={version}.0\n'
        f'PRETTY_NAME="Alpine Linux v{version}"\nHOME_URL="https://alpinelinux.org/"\n'
        'BUG_REPORT_URL="https://gitlab.alpinelinux.org/alpine/aports/-/issues"\n'
    )


_RELEASE: Final = "etc/os-release"
# The content of certificates and pictures is a placeholder.
_AGNHOST: Final = {
    _RELEASE: _alpine("3.21"),
    "localhost.crt": "localhost.crt of the image\n",
    "localhost.key": "localhost.key of the image\n",
}


def _pictured(name: str) -> Image:
    """An image of the update demo: agnhost with a picture to serve."""
    files = {
        **_AGNHOST,
        "data.json": f'{{\n  "image": "{name}.jpg"\n}}\n',
        f"{name}.jpg": f"{name}.jpg of the image\n",
    }
    return Image(("/agnhost",), ("test-webserver",), files, is_plain=True)


_KNOWN: Final[Mapping[str, Image]] = {
    "agnhost": Image(("/agnhost",), ("pause",), _AGNHOST, is_plain=True),
    "alpine": Image(is_plain=True),
    "busybox": Image((), ("sh",), is_plain=True),
    "debian": Image(is_plain=True),
    "kitten": _pictured("kitten"),
    "nautilus": _pictured("nautilus"),
    "nonewprivs": Image((), ("nnp",), {_RELEASE: _alpine("3.22")}, is_plain=True),
    "pause": Image(("/pause",), is_plain=True),
    "ubuntu": Image(is_plain=True),
}
# What every image has in its root, and of which no more is known.
_DIRECTORIES: Final = (
    "bin", "boot", "etc", "home", "lib", "lib64", "media", "mnt", "opt", "proc", "root", "run",
    "sbin", "srv", "sys", "usr", "var",
)  # fmt: skip


def name_of(reference: str) -> str:
    """The last part of an image's name, without its tag."""
    return posixpath.basename(reference.partition("@")[0]).partition(":")[0]


def of_container(container: Json) -> Image:
    """What is known of a container's image."""
    return _KNOWN.get(name_of(str(container.get("image") or "")), Image())


def root_of(reference: str) -> Node:
    """The root directory of an image."""
    known = _KNOWN.get(name_of(reference), Image())
    root = tree.directory(is_image=not known.is_plain)
    for name in _DIRECTORIES:
        root.entries[name] = tree.directory(is_image=True)
    for path, content in known.files.items():
        *parents, name = path.split("/")
        here = root
        for each in parents:
            here = here.entries[each]
        here.entries[name] = tree.file(content.encode())
    root.entries["tmp"] = tree.directory(0o1777)
    device = root.entries["dev"] = tree.directory(is_image=True)
    device.entries["null"] = tree.file(b"", 0o666)
    return root
