"""Files: links, permissions, what is read-only, and what only the image knows."""

from __future__ import annotations

import pytest

from kubestage.errors import Unmodelled
from kubestage.programs import tree
from kubestage.programs.files import Files, Mount
from kubestage.programs.tree import FileError, User


def some(uid: int = 0, gid: int = 0) -> Files:
    root = tree.directory()
    root.entries["data"] = tree.directory(0o770, 0, 7)
    root.entries["usr"] = tree.directory(is_image=True)
    root.entries["link"] = tree.link("data/../data")
    files = Files(root, User(uid, gid))
    files.mounts.append(Mount("/data", is_read_only=False, fs_type="tmpfs"))
    return files


def test_a_link_leads_where_it_points() -> None:
    files = some()
    files.write("/link/a", b"1")
    assert files.read("/data/a") == b"1"
    assert files.resolve("/link/a") == "/data/a"
    assert files.mount_of(files.resolve("/link/a")).type == "tmpfs"
    files.root.entries["loop"] = tree.link("/loop")
    with pytest.raises(FileError, match="Too many levels"):
        files.find("/loop")


@pytest.mark.parametrize(
    ("uid", "gid", "problem"),
    [(0, 0, ""), (5, 7, ""), (5, 0, tree.DENIED)],
)
def test_permissions_are_those_of_user_group_and_others(uid: int, gid: int, problem: str) -> None:
    files = some(uid, gid)
    if not problem:
        files.write("/data/a", b"1")
        assert (files.find("/data/a").uid, files.find("/data/a").gid) == (uid, gid)
        return
    with pytest.raises(FileError, match=problem):
        files.write("/data/a", b"1")


def test_files_take_over_the_group_of_a_directory_that_says_so() -> None:
    files = some()
    files.root.entries["data"].mode |= tree.SET_GROUP_ID
    files.write("/data/a", b"1")
    assert files.find("/data/a").gid == 7


def test_a_read_only_mount_is_not_written_to() -> None:
    files = some()
    files.mounts[0].is_read_only = True
    files.write("/data/a", b"1")
    with pytest.raises(FileError, match="Read-only file system"):
        files.write("/b", b"")
    with pytest.raises(FileError, match="Read-only file system"):
        files.remove("/link")


def test_what_the_image_may_have_is_not_made_up() -> None:
    files = some()
    with pytest.raises(Unmodelled, match="the file /usr/bin of the image"):
        files.find("/usr/bin/env")
    with pytest.raises(Unmodelled):
        files.names("/usr")
    files.write("/usr/new", b"1")
    assert files.read("/usr/new") == b"1"
    with pytest.raises(FileError, match="No such file"):
        files.find("/data/none")
