"""The guide's programs print what the guide says."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

GUIDE = pathlib.Path(__file__).parents[2] / "docs" / "simulation.md"


def test_the_programs_of_the_guide_print_what_it_shows(tmp_path: pathlib.Path) -> None:
    text = GUIDE.read_text()
    program = tmp_path / "guide.py"
    program.write_text("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)))
    done = subprocess.run(
        [sys.executable, "-W", "error", program], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout == "".join(re.findall(r"```text\n(.*?)```", text, re.DOTALL))
    assert done.stdout.count("\n") == 12
