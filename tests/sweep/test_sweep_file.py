from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.sweep import sweep_file
from kubestage.sweep.sweep_file import SweepDefinition

if TYPE_CHECKING:
    import pathlib

WHOLE = """
apiVersion: kubestage.dev/v1alpha1
kind: Sweep
command: run shop/ --for 30m
vary:
  z: 1..3
  a: [1, two, null]
seeds: 1..5
design: lhs
samples: 10
samplingSeed: 3
"""


def _read(tmp_path: pathlib.Path, text: str) -> SweepDefinition:
    file = tmp_path / "sweep.yaml"
    file.write_text(text)
    return sweep_file.read(str(file))


def test_a_file_is_read_and_written_as_it_is(tmp_path: pathlib.Path) -> None:
    found = _read(tmp_path, WHOLE)
    assert found.words() == ["run", "shop/", "--for", "30m"]
    # The order of parameters is that of the file.
    assert list(found.vary.items()) == [("z", "1..3"), ("a", [1, "two", None])]
    assert _read(tmp_path, found.text()) == found


@pytest.mark.parametrize(
    ("seeds", "expected"),
    [
        (None, (4,)),
        ("1..3", (1, 2, 3)),
        (3, (4, 5, 6)),
        ("3", (4, 5, 6)),
        ([9, 7], (9, 7)),
        ("2,5", (2, 5)),
    ],
)
def test_seeds(seeds: str | int | list[int] | None, expected: tuple[int, ...]) -> None:
    definition = SweepDefinition(command="run x", seeds=seeds)
    assert definition.seed_numbers(4) == expected


@pytest.mark.parametrize(
    ("text", "problem", "fix"),
    [
        (WHOLE.replace("seeds:", "seed:"), 'unknown field "seed"', "did you mean seeds"),
        (WHOLE.replace("lhs", "lsh"), 'unknown design "lsh"', "did you mean lhs"),
        (WHOLE.replace("samples: 10", "samples: many"), "expected", None),
        (WHOLE.replace("command: run shop/ --for 30m", ""), "command", None),
        (WHOLE.replace("kind: Sweep", "kind: Pod"), "is a Pod", "kubestage sweep run"),
        (WHOLE.replace("/v1alpha1", "/v7"), "kubestage.dev/v7", None),
        ("[1]", "is no Sweep", None),
        (f"{WHOLE}---\n{WHOLE}", "is no Sweep", None),
        ("a: [", "expected", None),
    ],
)
def test_bad_files_are_refused(
    tmp_path: pathlib.Path, text: str, problem: str, fix: str | None
) -> None:
    with pytest.raises(InputError, match=problem) as raised:
        _read(tmp_path, text)
    assert raised.value.file is None or raised.value.file.endswith("sweep.yaml")
    assert fix is None or fix in (raised.value.fix or "")


def test_a_command_with_an_open_quote_is_refused() -> None:
    with pytest.raises(InputError, match="closing quotation"):
        SweepDefinition(command="run 'x").words()
