"""The files of a commit, written to a temporary folder; the user's work tree is not touched."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

_LINK: Final = "120000"
_FILES: Final = ("100644", "100755")
# What git sets for a hook: its own repository and index, by paths that need not hold here.
_OF_A_HOOK: Final = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")
_NO_REPOSITORY: Final = "not a git repository"
_WHOLE: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization", "Chart.yaml")


class Repository(NamedTuple):
    """A git repository, and a folder in it: ``deploy/``, or empty for the top."""

    top: pathlib.Path
    prefix: str


class _Entry(NamedTuple):
    mode: str
    blob: str
    path: str


def find(folder: pathlib.Path, reference: str, option: str) -> Repository:
    """The repository that a folder is in; InputError if there is none."""
    if shutil.which("git") is None:
        fix = "install git, or name folders instead of commits"
        raise InputError("the program git is not installed", path=option, fix=fix)
    found = _git(folder, "rev-parse", "--show-toplevel", "--show-prefix")
    if found.returncode:
        fix = "name a folder that exists, or run this in a git repository"
        problem = f'"{reference}" is no folder, and this is no git repository'
        if _NO_REPOSITORY not in _message(found):
            problem = f"git refuses this repository: {_message(found)}"
        raise InputError(problem, path=option, fix=fix)
    top, prefix = found.stdout.decode().splitlines()[:2]
    return Repository(pathlib.Path(top), prefix)


def resolve(repository: Repository, reference: str, option: str) -> str:
    """The commit that a name means; InputError if it means none."""
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}")
    found = _git(repository.top, *words)
    if found.returncode:
        fix = "name a folder, a branch or a commit; in CI, fetch it first: git fetch origin main"
        problem = f'"{reference}" is neither a folder nor a commit that git knows'
        raise InputError(problem, path=option, fix=fix)
    return found.stdout.decode().strip()


def write(repository: Repository, commit: str, paths: Sequence[str], target: pathlib.Path) -> None:
    """Write the files of a commit below a folder, in their places of the repository.

    Only `paths` are written, unless they need others: a kustomization may refer to its neighbours.
    """
    entries = _entries(repository, commit, paths)
    if any(pathlib.PurePosixPath(each.path).name in _WHOLE for each in entries):
        entries = _entries(repository, commit, ())
    target.mkdir(parents=True, exist_ok=True)
    blobs = _blobs(repository, [each.blob for each in entries])
    for each, content in zip(entries, blobs, strict=True):
        place = target / each.path
        place.parent.mkdir(parents=True, exist_ok=True)
        if each.mode == _LINK:
            _link(place, content, target)
        else:
            place.write_bytes(content)


def _entries(repository: Repository, commit: str, paths: Sequence[str]) -> list[_Entry]:
    found = _git(repository.top, "ls-tree", "-r", "-z", commit, "--", *paths)
    if found.returncode:
        raise InputError(f"git cannot list {commit}: {_message(found)}")
    entries = []
    for line in found.stdout.split(b"\0"):
        if line:
            head, _, path = line.partition(b"\t")
            mode, _, blob = head.decode().split()
            if mode in (*_FILES, _LINK):
                entries.append(_Entry(mode, blob, os.fsdecode(path)))
    return entries


def _blobs(repository: Repository, names: Sequence[str]) -> list[bytes]:
    """The contents of blobs, by one process."""
    listing = "".join(f"{name}\n" for name in names).encode()
    done = _git(repository.top, "cat-file", "--batch", stdin=listing)
    if done.returncode:
        raise InputError(f"git cannot read the files: {_message(done)}")
    found, at, text = [], 0, done.stdout
    for name in names:
        end = text.index(b"\n", at)
        head = text[at:end].split()
        if len(head) != 3:
            fix = "fetch it: git fetch --refetch, or use a full clone"
            raise InputError(f"git does not have the content {name}", fix=fix)
        size = int(head[2])
        found.append(text[end + 1 : end + 1 + size])
        at = end + 2 + size
    return found


def _link(place: pathlib.Path, content: bytes, root: pathlib.Path) -> None:
    """A symbolic link, if it leads to a file of the commit."""
    aim = os.fsdecode(content)
    target = pathlib.Path(os.path.normpath(place.parent / aim))
    if not os.path.isabs(aim) and target.is_relative_to(root):
        place.symlink_to(aim)


def _git(
    folder: pathlib.Path, *words: str, stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    kept = {name: value for name, value in os.environ.items() if name not in _OF_A_HOOK}
    environment = {**kept, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    return subprocess.run(
        ["git", "-C", str(folder), *words],
        input=stdin,
        capture_output=True,
        check=False,
        env=environment,
    )


def _message(done: subprocess.CompletedProcess[bytes]) -> str:
    return done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
