"""The tests that the pages on testing show are run as they are."""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from kubestage.testing.clusters.options import NAMES
from tests.testing.plugin_loading import loading

ROOT = pathlib.Path(__file__).parents[2]
BLOCK = re.compile(r'^```python title="(.*?)"\n(.*?)^```', re.DOTALL | re.MULTILINE)
OPERATOR = ROOT / "examples" / "48-test-operator"


@pytest.mark.parametrize(("page", "tests"), [("testing-operators", 5), ("testing-plugins", 5)])
def test_the_tests_of_a_page_pass(page: str, tests: int, tmp_path: pathlib.Path) -> None:
    for name, text in BLOCK.findall((ROOT / "docs" / f"{page}.md").read_text()):
        (tmp_path / name).write_text(text)
    for name in ("crd.yaml", "webapp_operator.py"):
        shutil.copy(OPERATOR / name, tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\nkubestage_patience = 60\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *loading()]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert f"{tests} passed" in done.stdout


def test_every_argument_is_described() -> None:
    page = (ROOT / "docs" / "testing-operators.md").read_text()
    assert [name for name in NAMES if f"| `{name}` |" not in page] == []
