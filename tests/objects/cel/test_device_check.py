from __future__ import annotations

import subprocess
import sys

import pytest

from kubestage.objects import device_selectors
from kubestage.objects.cel import device_check

WHOLE = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, "


@pytest.mark.parametrize(
    "expression",
    [
        "true",
        'device.driver == "d.x"',
        'device.attributes["d.x"].model == "a"',
        'device.attributes["d.x"].isFast',
        'device.capacity["d.x"].memory.isGreaterThan(quantity("1Gi"))',
        'cel.bind(dra, device.attributes["d.x"], dra.a && dra.b)',
        "device.allowMultipleAllocations",
    ],
)
def test_what_selects_devices(expression: str) -> None:
    assert device_check.problem(expression) is None


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (
            "1 +",
            (
                "compilation failed: ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' "
                f"expecting {WHOLE}STRING, BYTES, IDENTIFIER}}\n | 1 +\n | ...^"
            ),
        ),
        (
            "foo",
            (
                "compilation failed: ERROR: <input>:1:1: undeclared reference to 'foo' (in "
                "container '')\n | foo\n | ^"
            ),
        ),
        (
            "device.nope",
            (
                "compilation failed: ERROR: <input>:1:7: undefined field 'nope'\n | device.nope\n"
                " | ......^"
            ),
        ),
        ("device.driver", "must evaluate to bool or the unknown type, not string"),
    ],
)
def test_what_does_not(expression: str, text: str) -> None:
    assert device_check.problem(expression) == text


def test_without_the_library_nobody_can_tell() -> None:
    program = (
        "import sys\n"
        "from kubestage.objects import device_selectors\n"
        "sys.modules['cel_expr_python'] = None\n"
        "sys.exit(device_selectors.problem('1 +') is not None)\n"
    )
    assert device_selectors.problem("1 +") is not None
    subprocess.run([sys.executable, "-c", program], check=True)
