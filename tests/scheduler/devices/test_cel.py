"""Selectors: what they see of a device, and what they say when something is wrong."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kubestage.scheduler.devices import cel, slices
from kubestage.scheduler.devices.failures import CelError
from tests.scheduler.devices import machines

OWN = f'device.attributes["{machines.DRIVER}"]'
CAPACITY = f'device.capacity["{machines.DRIVER}"]'
GPU = machines.device(
    "gpu-0",
    {
        "model": "a100",
        "index": 3,
        "ecc": True,
        "firmware": {"version": "1.2.3-rc.1+build"},
        "dra.example.org/rack": "r7",
    },
    capacity={"memory": "40Gi"},
)
FACTS = slices.facts_of(GPU, machines.DRIVER)


@pytest.mark.parametrize(
    "expression",
    [
        f'device.driver == "{machines.DRIVER}"',
        f'{OWN}.model == "a100"',
        f'{OWN}.model.startsWith("a") && {OWN}.index > 2 && {OWN}.ecc',
        f"{OWN}.index == 3.0",
        f"{OWN}.index in [1, 2, 3]",
        f'{OWN}.model.matches("^a[0-9]+$")',
        f'{OWN}.model.find("[0-9]+") == "100"',
        f'{OWN}.model.findAll("[0-9]", 2) == ["1", "0"]',
        f"{OWN}.ecc",
        'device.attributes["dra.example.org"].rack == "r7"',
        f'cel.bind(own, {OWN}, own.ecc && own.model == "a100")',
        f"!has({OWN}.speed)",
        f"{OWN}.?speed.orValue(7) == 7",
        '!has(device.attributes["nobody.example.org"].speed)',
        '!("nobody.example.org" in device.attributes)',
        'device.attributes["nobody.example.org"].?speed.orValue(7) == 7',
        "device.attributes.exists(domain, own, own.exists(name, name == 'rack'))",
        "!device.allowMultipleAllocations",
        f'{CAPACITY}.memory == quantity("40960Mi")',
        f'{CAPACITY}.memory.compareTo(quantity("40Gi")) == 0',
        f'{CAPACITY}.memory.isGreaterThan(quantity("39Gi"))',
        f'{CAPACITY}.memory.isLessThan(quantity("41Gi"))',
        f"{CAPACITY}.memory.isInteger() && {CAPACITY}.memory.asInteger() == 42949672960",
        f'{CAPACITY}.memory.sub(quantity("39Gi")).add(1) == quantity("1073741825")',
        'quantity("500m").asApproximateFloat() == 0.5 && !quantity("500m").isInteger()',
        'sign(quantity("-1")) == -1 && isQuantity("1Ki") && !isQuantity("1KK")',
        f'{OWN}.firmware.isLessThan(semver("1.2.3"))',
        f'{OWN}.firmware == semver("1.2.3-rc.1")',
        f'{OWN}.firmware.compareTo(semver("v1.2", true)) == 1',
        f"cel.bind(v, {OWN}.firmware, v.major() == 1 && v.minor() == 2 && v.patch() == 3)",
        'isSemver("1.0.0") && !isSemver("1.0") && isSemver("1.0", true)',
        f"{OWN}.speed == 1 || true",
        "sets.contains([1, 2], [1]) && [3, 1].sort() == [1, 3]",
    ],
)
def test_an_expression_is_true_of_the_device(expression: str) -> None:
    assert cel.compiled(expression).matches(FACTS)


def test_a_device_that_others_may_share_says_so() -> None:
    shared = slices.facts_of({**GPU, "allowMultipleAllocations": True}, machines.DRIVER)
    assert cel.compiled("device.allowMultipleAllocations").matches(shared)


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        (f"{OWN}.speed > 1", "no such key: speed"),
        ('device.attributes["nobody.example.org"].speed > 1', "no such key: speed"),
        (f'{CAPACITY}.cores.isLessThan(quantity("1"))', "no such key: cores"),
        (f"{OWN}.model > 1", "no such overload"),
        (f'{OWN}.firmware.isLessThan(quantity("1"))', "no such overload"),
        (f"{OWN}.index / 0 == 1", "division by zero"),
        ('quantity("500m").asInteger() == 1', "cannot convert value to integer"),
        ('semver("1.0").major() == 1', "No Major.Minor.Patch elements found"),
        (
            f"{OWN}.model",
            (
                "CEL result of type string could not be converted to bool: "
                "unsupported native conversion from string to 'bool'"
            ),
        ),
        (
            f"{OWN}.index",
            (
                "CEL result of type int could not be converted to bool: "
                "unsupported type conversion from 'int' to bool"
            ),
        ),
        (
            f"{OWN}.firmware",
            (
                "CEL result of type kubernetes.Semver could not be converted to bool: "
                "type conversion error from 'Semver' to 'bool'"
            ),
        ),
        (
            f"dyn({CAPACITY}.memory)",
            (
                "CEL result of type kubernetes.Quantity could not be converted to bool: "
                "type conversion error from 'Quantity' to 'bool'"
            ),
        ),
        (
            f'{OWN}.model.find("[") == ""',
            "Illegal regex: error parsing regexp: missing closing ]: `[`",
        ),
        (
            f"dyn({OWN}.?model)",
            (
                "CEL result of type optional_type could not be converted to bool: "
                "unsupported type conversion from 'optional_type' to bool"
            ),
        ),
    ],
)
def test_an_expression_that_fails_on_a_device_says_why(expression: str, problem: str) -> None:
    with pytest.raises(CelError) as failure:
        cel.compiled(expression).matches(FACTS)
    assert (failure.value.stage, str(failure.value)) == ("runtime", problem)


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        (
            "device.speed == 1",
            (
                "compilation failed: ERROR: <input>:1:7: undefined field 'speed'\n"
                " | device.speed == 1\n"
                " | ......^"
            ),
        ),
        (
            "device.driver.name == 1",
            (
                "compilation failed: ERROR: <input>:1:14: type 'string' does not support "
                "field selection\n | device.driver.name == 1\n | .............^"
            ),
        ),
        (
            f'{CAPACITY}.memory.isLessThan("1")',
            (
                "compilation failed: ERROR: <input>:1:53: found no matching overload "
                "for 'isLessThan' applied to 'kubernetes.Quantity.(string)'\n"
                f' | {CAPACITY}.memory.isLessThan("1")\n | {"." * 52}^'
            ),
        ),
        (
            "sign(1) == 1",
            (
                "compilation failed: ERROR: <input>:1:5: found no matching overload for 'sign' "
                "applied to '(int)'\n | sign(1) == 1\n | ....^"
            ),
        ),
        (
            "device.driver + 1 == 1",
            (
                "compilation failed: ERROR: <input>:1:15: found no matching overload for '_+_' "
                "applied to '(string, int)'\n | device.driver + 1 == 1\n | ..............^"
            ),
        ),
        ("device.driver", "must evaluate to bool or the unknown type, not string"),
        (
            f"{CAPACITY}.memory",
            "must evaluate to bool or the unknown type, not kubernetes.Quantity",
        ),
    ],
)
def test_an_expression_that_cannot_be_right_is_not_compiled(expression: str, problem: str) -> None:
    with pytest.raises(CelError) as failure:
        cel.compiled(expression)
    assert (failure.value.stage, str(failure.value)) == ("compile", problem)


@pytest.mark.parametrize(
    ("attribute", "problem"),
    [
        ({"strings": ["a"]}, "attribute x: unsupported attribute value"),
        (
            {"version": "1.0"},
            "attribute x: parse semantic version: No Major.Minor.Patch elements found",
        ),
    ],
)
def test_an_attribute_that_cannot_be_read_fails_every_selector(
    attribute: dict[str, object], problem: str
) -> None:
    facts = slices.facts_of(machines.device("gpu-0", {"x": attribute}), machines.DRIVER)
    with pytest.raises(CelError) as failure:
        cel.compiled("true").matches(facts)
    assert (failure.value.stage, str(failure.value)) == ("runtime", problem)


def test_the_library_is_loaded_only_for_selectors() -> None:
    program = (
        "import sys\n"
        "import kubestage.scheduler.plugins.dynamic_resources\n"
        "assert 'cel_expr_python.cel' not in sys.modules\n"
        "from kubestage.scheduler.devices import cel\n"
        "cel.compiled('true')\n"
        "assert 'cel_expr_python.cel' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_without_the_library_it_is_said_what_to_install() -> None:
    program = (
        "import sys\n"
        "from kubestage.errors import InputError\n"
        "from kubestage.scheduler.devices import cel\n"
        "sys.modules['cel_expr_python'] = None\n"
        "try:\n"
        "    cel.compiled('true')\n"
        "except InputError as problem:\n"
        '    sys.exit(str(problem) != "device selectors need the package cel-expr-python "\n'
        "             \"(pip install 'kubestage[cel]')\")\n"
        "sys.exit('no error')\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
