"""The files of others are those that the manifest names, with their licences."""

from __future__ import annotations

import hashlib
import json
import pathlib
from typing import Any

from kubestage.ui import asset_table

VENDOR = pathlib.Path(asset_table.__file__).parent / "assets/vendor"
ROOT = pathlib.Path(__file__).parent.parent.parent


def manifest() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((VENDOR / "manifest.json").read_text())
    return found


def test_each_file_has_the_hash_of_the_manifest() -> None:
    for row in manifest():
        content = (VENDOR / row["file"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == row["sha256"], row["file"]


def test_nothing_else_is_there() -> None:
    named = {row["file"] for row in manifest()} | {"manifest.json", "LICENSES.txt"}
    assert {path.name for path in VENDOR.iterdir()} == named


def test_the_tool_fetches_these_versions() -> None:
    tool = (ROOT / "tools/vendor_page.py").read_text()
    for row in manifest():
        assert f'"{row["file"]}": ("{row["package"]}", "{row["version"]}"' in tool


def test_each_package_has_its_licence() -> None:
    licences = (VENDOR / "LICENSES.txt").read_text()
    for row in manifest():
        assert f"{row['package']} {row['version']}\n" in licences
    assert "d3-scale" in licences
    assert licences.count("Redistribution and use in source and binary forms") >= 2


def test_nothing_needs_a_package_that_a_browser_cannot_find() -> None:
    text = (VENDOR / "vega-interpreter.js").read_text()
    assert "globalThis.vega" in text
    assert "\nimport " not in f"\n{text}"
