"""Inputs are regular files of a bounded size; streams only where the user hands one over."""

from __future__ import annotations

import gzip
import io
import os
import sys
import threading
import zlib
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.files import reading

if TYPE_CHECKING:
    import pathlib


def test_a_file_is_read(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a").write_bytes(b"text")
    (tmp_path / "link").symlink_to("a")
    assert reading.read(tmp_path / "a") == b"text"
    assert reading.read(str(tmp_path / "link")) == b"text"
    assert reading.read(os.devnull) == b""


def test_what_cannot_be_opened_is_an_error_of_the_system(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError):
        reading.read(tmp_path / "missing")
    with pytest.raises(IsADirectoryError):
        reading.read(tmp_path)
    reading.check_regular(tmp_path / "missing")


@pytest.mark.parametrize("may_stream", [True, False])
def test_devices_and_named_pipes_are_refused(tmp_path: pathlib.Path, may_stream: bool) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "link").symlink_to("/dev/zero")
    for path, problem in ((pipe, "named pipe"), (tmp_path / "link", "device"), ("/dev/zero", "")):
        with pytest.raises(InputError, match=problem or "is a device"):
            reading.read(path, may_stream=may_stream)
        with pytest.raises(InputError, match=problem or "is a device"):
            reading.check_regular(path)


def test_a_pipe_of_the_shell_is_read_where_the_user_names_it() -> None:
    end, other = os.pipe()
    writer = threading.Thread(target=_fill, args=(other,))
    writer.start()
    try:
        with pytest.raises(InputError, match="is a named pipe"):
            reading.read(f"/dev/fd/{end}")
        assert reading.read(f"/dev/fd/{end}", may_stream=True) == b"x" * 200_000
    finally:
        writer.join()
        os.close(end)


def _fill(descriptor: int) -> None:
    with os.fdopen(descriptor, "wb") as out:
        out.write(b"x" * 200_000)


def test_a_file_that_is_too_large_is_refused(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MOST_BYTES", 1000)
    (tmp_path / "a").write_bytes(b"x" * 1001)
    with pytest.raises(InputError, match="is larger than 0 MiB"):
        reading.read(tmp_path / "a")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x" * 1001)))
    with pytest.raises(InputError, match="stdin: is larger"):
        reading.read_stdin()


def test_a_packed_file_is_bounded_by_what_it_unpacks_to() -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    chunk = b"\0" * 2**20
    packed = b"".join(packer.compress(chunk) for _ in range(300)) + packer.flush()
    assert len(packed) < 400_000
    with pytest.raises(InputError, match="is larger than 256 MiB when unpacked"):
        reading.unpacked(packed, "bomb.gz")


def test_a_packed_file_is_unpacked_and_a_damaged_one_refused() -> None:
    packed = gzip.compress(b"text")
    assert reading.unpacked(packed, "a") == b"text"
    assert reading.unpacked(b"text", "a") == b"text"
    for damaged in (packed[:-3], packed[:2] + b"no", packed[:12] + b"\xff" * 10):
        with pytest.raises(InputError, match="cut off or damaged"):
            reading.unpacked(damaged, "a")


def test_no_name_leads_out_of_a_folder(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "up").symlink_to("..")
    (folder / "same").symlink_to("other")
    inside = {name: reading.inside(folder, name) for name in ("a", "b/../c", "same")}
    assert all(inside.values())
    for name in ("../a", "/etc/passwd", "up/a", "b/../../a", "a\0b"):
        assert reading.inside(folder, name) is None
