from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.files import claiming
from kubestage.files.writing import WRITING
from kubestage.sources.tree import Tree
from tests.sources import samples

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable

FILES = {"a/one.txt": b"first", "b/two.txt": b"second" * 40_000}


def _zip(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


ARCHIVES: dict[str, Callable[[], bytes]] = {
    "plain.tar": lambda: samples.tar(FILES, "w"),
    "gzip.tgz": lambda: samples.tar(FILES, "w:gz"),
    "bzip.tar.bz2": lambda: samples.tar(FILES, "w:bz2"),
    "xz.tar.xz": lambda: samples.tar(FILES, "w:xz"),
    "zip.zip": lambda: _zip(FILES),
    "twice.gz": lambda: gzip.compress(samples.tar(FILES, "w:gz")),
}


def _content(place: pathlib.Path) -> dict[str, bytes]:
    return {each.path: each.read() for each in Tree(str(place)).entries()}


@pytest.mark.parametrize("name", ARCHIVES)
def test_an_archive_is_its_members(name: str, tmp_path: pathlib.Path) -> None:
    place = tmp_path / name
    place.write_bytes(ARCHIVES[name]())
    assert _content(place) == FILES
    # The kind of an archive is in its content, not in its name.
    other = tmp_path / "source"
    place.rename(other)
    assert _content(other) == FILES


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_compressed_file_is_one_entry(
    pack: Callable[[bytes], bytes], tmp_path: pathlib.Path
) -> None:
    (tmp_path / "audit.log.gz").write_bytes(pack(b"text"))
    assert _content(tmp_path / "audit.log.gz") == {"audit.log": b"text"}


def test_a_folder_is_its_files_and_archives_in_it_are_opened(tmp_path: pathlib.Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "inner.tar.gz").write_bytes(samples.tar(FILES))
    (tmp_path / "plain.txt").write_bytes(b"text")
    assert _content(tmp_path) == {
        "plain.txt": b"text",
        **{f"deep/inner.tar/{name}": data for name, data in FILES.items()},
    }


def test_what_is_being_written_in_a_folder_is_left_out(tmp_path: pathlib.Path) -> None:
    (tmp_path / "whole.txt").write_bytes(b"whole")
    (tmp_path / f"{WRITING}half.txt").write_bytes(b"ha")
    with claiming.Claim(tmp_path) as claim:
        (claim.beside / "later.txt").write_bytes(b"later")
        assert _content(tmp_path) == {"whole.txt": b"whole"}


def test_a_folder_that_is_written_may_be_gone_when_its_turn_comes(tmp_path: pathlib.Path) -> None:
    (tmp_path / "whole.txt").write_bytes(b"whole")
    claim = claiming.Claim(tmp_path)
    entries = Tree(str(tmp_path)).entries()
    assert next(entries).path == "whole.txt"
    claim.release()
    assert list(entries) == []


def test_lines_are_those_of_the_whole_content(tmp_path: pathlib.Path) -> None:
    written = b"".join(b"%d\n" % number for number in range(60_000)) + b"last"
    (tmp_path / "log").write_bytes(written)
    found = [line for entry in Tree(str(tmp_path / "log")).entries() for line in entry.lines()]
    assert b"".join(found) == written
    assert len(found) == 60_001


def test_the_standard_input_can_be_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    data = io.TextIOWrapper(io.BytesIO(samples.tar(FILES)))
    monkeypatch.setattr(sys, "stdin", data)
    tree = Tree("-")
    for _ in range(2):
        assert {each.path: each.read() for each in tree.entries()} == FILES


def test_zstandard_in_a_zip_as_k8shark_writes_it(tmp_path: pathlib.Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    packed = pyarrow.BufferOutputStream()
    with pyarrow.CompressedOutputStream(packed, "zstd") as out:
        out.write(b"text" * 50_000)
    files = {"records/0.json.zst": packed.getvalue().to_pybytes(), "metadata.json": b"{}"}
    (tmp_path / "a.kshrk").write_bytes(_zip(files))
    assert _content(tmp_path / "a.kshrk") == {
        "records/0.json": b"text" * 50_000, "metadata.json": b"{}",
    }  # fmt: skip
    files["records/0.json.zst"] = files["records/0.json.zst"][:-9]
    (tmp_path / "a.kshrk").write_bytes(_zip(files))
    with pytest.raises(InputError, match="cut off or damaged"):
        _content(tmp_path / "a.kshrk")


def test_members_with_odd_names_write_nothing(tmp_path: pathlib.Path) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    odd = {"../../escaped": b"1", "/absolute": b"2", "./dot": b"3"}
    (inside / "odd.tar").write_bytes(samples.tar(odd, "w"))
    assert set(_content(inside / "odd.tar").values()) == {b"1", b"2", b"3"}
    assert [each.name for each in tmp_path.rglob("*")] == ["in", "odd.tar"]


def test_a_link_out_of_the_folder_is_refused(tmp_path: pathlib.Path) -> None:
    (tmp_path / "secret").write_text("x")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link.yaml").symlink_to(tmp_path / "secret")
    with pytest.raises(InputError, match="leads out of the folder"):
        list(Tree(str(folder)).entries())


def test_archives_are_opened_to_a_limited_depth(tmp_path: pathlib.Path) -> None:
    data = b"x"
    for _ in range(9):
        data = samples.tar({"again.tar": data}, "w")
    (tmp_path / "bomb.tar").write_bytes(data)
    with pytest.raises(InputError, match="nested more than"):
        list(Tree(str(tmp_path / "bomb.tar")).entries())


@pytest.mark.parametrize("name", ARCHIVES)
def test_a_cut_archive_is_an_error_that_names_it(name: str, tmp_path: pathlib.Path) -> None:
    place = tmp_path / name
    data = ARCHIVES[name]()
    place.write_bytes(data[: len(data) * 2 // 3])
    with pytest.raises(InputError, match="cut off or damaged") as caught:
        _content(place)
    assert caught.value.file is not None
    assert caught.value.file.startswith(str(place))
    assert caught.value.fix


def test_a_missing_source_and_a_pipe_are_errors(tmp_path: pathlib.Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        list(Tree(str(tmp_path / "none")).entries())
    import os

    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="named pipe"):
        list(Tree(str(tmp_path / "pipe")).entries())
