from __future__ import annotations

import gzip
import pathlib
import re

import pytest

from kubestage.ui import asset_table

ASSETS = pathlib.Path(asset_table.__file__).parent / "assets"
# What is in vendor/ was written elsewhere: tests/ui/test_vendor.py has its hashes,
# and tests/browser/test_charts.py proves that the browser refuses nothing that charts need of it.
SOURCES = [
    path
    for path in asset_table.paths()
    if path.endswith((".js", ".html")) and not path.startswith("vendor/")
]
MOST_BYTES = 700_000
# Ways by which text of a cluster could become markup or code.
UNSAFE = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|srcdoc"
    r"|\beval\b|new Function|javascript:|\son\w+=\"|<style|style=\"|<script>"
)
IMPORT = re.compile(r'^(?:import|export) .*?from "([^"]+)";', re.MULTILINE | re.DOTALL)
FILE_LINES = 300
CODE_LINES = 220


def text(path: str) -> str:
    found = asset_table.find(path)
    assert found is not None
    return found.body.decode()


def test_every_file_is_served_and_nothing_else() -> None:
    files = {path.relative_to(ASSETS).as_posix() for path in ASSETS.rglob("*") if path.is_file()}
    assert set(asset_table.paths()) == files
    for path in ("../__init__.py", "js", "js/", "/etc/passwd", "js/../index.html", "no.js"):
        assert asset_table.find(path) is None


def test_the_empty_path_is_the_page() -> None:
    assert asset_table.find("") == asset_table.find("index.html")


def test_compressed_bytes_are_the_same_file() -> None:
    for path in asset_table.paths():
        found = asset_table.find(path)
        assert found is not None
        assert gzip.decompress(found.compressed) == found.body
        assert found.content_type == asset_table.CONTENT_TYPES[path.rpartition(".")[2]]


@pytest.mark.parametrize("path", SOURCES)
def test_no_file_makes_markup_or_code_of_text(path: str) -> None:
    assert not UNSAFE.findall(text(path))


@pytest.mark.parametrize("path", SOURCES)
def test_nothing_comes_from_elsewhere(path: str) -> None:
    assert not re.findall(r"(?:https?:)?//[\w.]+\.\w+/", text(path))


@pytest.mark.parametrize("path", [path for path in SOURCES if path.endswith(".js")])
def test_a_module_is_small_and_says_what_it_is_for(path: str) -> None:
    lines = text(path).splitlines()
    assert lines[0].startswith("/** @file ")
    assert len(lines) <= FILE_LINES
    assert sum(not line.lstrip().startswith(("/**", "*")) for line in lines) <= CODE_LINES


@pytest.mark.parametrize("path", [path for path in SOURCES if path.endswith(".js")])
def test_imports_lead_to_files(path: str) -> None:
    folder = pathlib.PurePosixPath(path).parent
    for target in IMPORT.findall(text(path)):
        parts: list[str] = list(folder.parts)
        for part in target.split("/"):
            if part == "..":
                parts.pop()
            elif part != ".":
                parts.append(part)
        assert asset_table.find("/".join(parts)) is not None, target


def test_the_whole_page_is_light() -> None:
    files = [asset_table.find(path) for path in asset_table.paths()]
    assert sum(len(file.compressed) for file in files if file is not None) < MOST_BYTES


def test_the_policy_has_no_exceptions() -> None:
    assert "unsafe" not in asset_table.POLICY
    assert "*" not in asset_table.POLICY
