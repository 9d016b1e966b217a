"""The guide's programs print what the guide says."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

from kubestage.results import analysis

GUIDE = pathlib.Path(__file__).parents[3] / "docs" / "analysis.md"


def test_the_programs_of_the_guide_print_what_it_shows(tmp_path: pathlib.Path) -> None:
    text = GUIDE.read_text()
    program = tmp_path / "guide.py"
    program.write_text("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)))
    done = subprocess.run(
        [sys.executable, "-W", "error", program],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.stderr == ""
    assert done.stdout == "".join(re.findall(r"```text\n(.*?)```", text, re.DOTALL))
    assert (tmp_path / "allocation.svg").exists()


def test_the_guide_lists_the_tables_as_they_are_declared() -> None:
    rows = [f"| `{each.name}` | {each.row} |" for each in analysis.TABLES.values()]
    rows[0] = rows[0].replace("`summary`", "`summary` (default)")
    assert "\n".join(rows) in GUIDE.read_text()
