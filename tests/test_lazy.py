"""Late imports: nothing runs before its first use, and nothing else changes."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
from kubestage import lazy

with lazy.imports():
    from kubestage.objects import quantity

def is_loaded():
    return "parse" in object.__getattribute__(sys.modules["kubestage.objects.quantity"], "__dict__")

before = is_loaded()
quantity.parse("1")
from kubestage.objects import quantity as again
print(before, is_loaded(), again is quantity, lazy._Finder in sys.meta_path)
"""


def test_a_module_is_loaded_at_its_first_use() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True
    )
    assert done.stdout.split() == ["False", "True", "True", "False"]


def test_a_misspelt_module_is_an_error_at_once() -> None:
    program = "from kubestage import lazy\nwith lazy.imports():\n    from kubestage import nowhere"
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "cannot import name 'nowhere'" in done.stderr
