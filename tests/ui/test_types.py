"""The types that the comments of the page's modules state, checked by the TypeScript compiler."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess

import pytest

from kubestage.ui import asset_table

ASSETS = pathlib.Path(asset_table.__file__).parent / "assets"
OPTIONS = (
    "--noEmit", "--allowJs", "--checkJs", "--strict", "--noUnusedLocals", "--skipLibCheck",
    "--target", "es2022", "--module", "es2022", "--moduleResolution", "node",
    "--lib", "es2022,dom,dom.iterable",
)  # fmt: skip


def test_the_modules_have_the_types_that_they_state() -> None:
    compiler = shutil.which("tsc")
    if compiler is None:
        if os.environ.get("CI"):
            pytest.fail("tsc is not on the PATH, and here the types of the page must be checked")
        pytest.skip("tsc is not on the PATH (Debian: node-typescript)")
    modules = sorted(str(path) for path in (ASSETS / "js").rglob("*.js"))
    command = [compiler, *OPTIONS, *modules]
    ran = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ASSETS)
    # What is imported is compiled, too; the types of the libraries are not ours.
    assert not [line for line in ran.stdout.splitlines() if not line.startswith(("vendor/", " "))]
    assert ran.returncode in (0, 2), ran.stderr
