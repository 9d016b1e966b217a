"""``kubestage.toml``: the cluster, what changes, and the rules.

::

    [cluster]
    files = ["cluster/"]

    [change]
    base = "origin/main"
    paths = ["deploy/"]

    [rules]
    pending = true
    spread = { zones = 3, severity = "error" }
"""

from __future__ import annotations

import difflib
import re
import tomllib
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from kubestage.errors import InputError
from kubestage.files import reading
from kubestage.runs.inputs import node_shape

if TYPE_CHECKING:
    import pathlib

T = TypeVar("T")

FILE_NAME: Final = "kubestage.toml"
_UNKNOWN: Final = re.compile(r"Object contains unknown field `(?P<name>[^`]*)`")
_PLACE: Final = re.compile(r" - at `\$\.?(?P<place>[^`]*)`")


class _Section(
    msgspec.Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True
):
    """One table of the file."""


class ClusterSection(_Section, frozen=True, kw_only=True):
    """The cluster on which both sides of a change are tried."""

    files: list[str] = []
    """Manifests, an imported folder, a dump of kubectl, or the directory of a run."""
    nodes: int | None = None
    """Add so many nodes that are all alike, in three zones."""
    node: str = node_shape.DEFAULT
    """The capacity of each of these nodes."""
    prices: str | None = None
    """What nodes cost per hour: a file, or the name of a catalog."""
    scheduler: str | None = None
    """The configuration of the scheduler."""
    plugins: list[str] = []
    """Plugins of the scheduler: ``FILE.py:CLASS`` or ``MODULE:CLASS``."""
    settings: dict[str, str | int | float | bool] = {}
    """Flags of controllers and autoscalers, as in ``--setting``."""
    seed: int = 0


class HelmSection(_Section, frozen=True, kw_only=True):
    """How charts are rendered."""

    values: list[str] = []
    """Files with values, within each side."""
    release: str = "release"
    namespace: str | None = None


class ChangeSection(_Section, frozen=True, kw_only=True):
    """What changes."""

    base: str | None = None
    """A folder, or a commit of the git repository; without one, the cluster as it is."""
    head: str | None = None
    """The same after the change; without one, the files as they are now."""
    paths: list[str] = []
    """Files and folders within each side; all that is there without any."""
    scheduler: str | None = None
    """The configuration of the scheduler within each side, if the change is about that, too."""
    rollout: bool = True
    """Whether the head is applied to the cluster that runs the base, or to the cluster alone."""
    helm: HelmSection = HelmSection()


class Configuration(_Section, frozen=True, kw_only=True):
    """The whole file; rules are read by `rules.table`."""

    cluster: ClusterSection = ClusterSection()
    change: ChangeSection = ChangeSection()
    rules: dict[str, Any] = {}
    strict: bool = False
    """Whether warnings count, and what was as bad before the change."""


def read(place: pathlib.Path) -> Configuration:
    """The configuration of a file; InputError with the likely key if it cannot be used."""
    try:
        text = reading.read(place).decode()
    except FileNotFoundError:
        fix = f"write a {FILE_NAME} (docs/check.md), or name folders: --base DIR --head DIR"
        raise InputError("no such file", file=str(place), fix=fix) from None
    except UnicodeDecodeError:
        raise InputError("is no text in UTF-8", file=str(place)) from None
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        number = int(line[1]) if line else None
        fix = "write it as TOML: https://toml.io"
        raise InputError(f"is no TOML: {error}", file=str(place), line=number, fix=fix) from None
    try:
        return convert(found, Configuration)
    except InputError as error:
        error.file = str(place)
        error.line = line_of(text, error.path)
        raise


def convert(found: Any, kind: type[T], path: str = "") -> T:
    """Plain values as a struct; InputError that names the path, and the likely key."""
    try:
        return msgspec.convert(found, kind, strict=True)
    except msgspec.ValidationError as error:
        text = str(error)
        place = _PLACE.search(text)
        inner = place["place"] if place else ""
        where = ".".join(part for part in (path, inner) if part)
        unknown = _UNKNOWN.search(text)
        if unknown is None:
            problem = _PLACE.sub("", text)
            raise InputError(problem[:1].lower() + problem[1:], path=where or None) from None
        raise unknown_key(unknown["name"], _keys_at(kind, inner), where) from None


def unknown_key(name: str, known: list[str], path: str) -> InputError:
    """A key that does not exist, with the one that was likely intended."""
    near = difflib.get_close_matches(name, known, n=1)
    fix = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
    where = ".".join(part for part in (path, name) if part)
    return InputError(f'unknown key "{name}"', path=where, fix=fix)


def _keys_at(kind: Any, path: str) -> list[str]:
    """The keys of the table at a path."""
    for part in [part for part in path.split(".") if part]:
        fields = {each.encode_name: each.type for each in msgspec.structs.fields(kind)}
        kind = fields[part]
    return [each.encode_name for each in msgspec.structs.fields(kind)]


def line_of(text: str, path: str | None) -> int | None:
    """The line of a key, as far as it can be found by looking for it."""
    parts = re.findall(r"[^.\[\]]+", path or "")
    if not parts:
        return None
    *tables, key = parts
    found = None
    at = 0
    lines = text.splitlines()
    for depth in range(len(tables), 0, -1):
        head = re.compile(rf"^\s*\[\[?\s*{re.escape('.'.join(tables[:depth]))}\s*\]\]?")
        start = next((number for number, line in enumerate(lines) if head.match(line)), None)
        if start is not None:
            at, found = start, start + 1
            key = parts[depth]
            break
    else:
        key = parts[0]
    pattern = re.compile(rf"^\s*\[?\[?[\"']?{re.escape(key)}[\"']?\s*[=\].]")
    for number, line in enumerate(lines[at:], at + 1):
        if pattern.match(line):
            return number
    return found
