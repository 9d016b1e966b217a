"""Thousands of mutated files: exit code 0, 1 or 2, no traceback, safe output, and an end.

``python -m tests.cli.fuzz --seed 7 --cases 20000`` searches on.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.cli.fuzz import corpus, mutations, trying

if TYPE_CHECKING:
    import pathlib

SEED = 20
CASES = 500
# Seconds of a processor, for what takes one at most.
LIMIT_S = 300.0


@pytest.fixture(scope="module")
def entries(tmp_path_factory: pytest.TempPathFactory) -> list[corpus.Entry]:
    return corpus.build(tmp_path_factory.mktemp("corpus"))


@pytest.mark.parametrize("part", range(6))
def test_no_file_breaks_a_command(entries: list[corpus.Entry], part: int) -> None:
    numbers = range(part * CASES, (part + 1) * CASES)
    found = [
        f"case {each.number}: {each.entry.name} with {each.file}: {each.problem}"
        for each in trying.cases(entries, SEED, numbers, LIMIT_S)
    ]
    assert not found, "\n\n".join(found)


def test_the_same_seed_mutates_the_same_way() -> None:
    text = b"kind: Pod\nmetadata: {name: web, labels: {a: b}}\n"
    for change in (mutations.in_bytes, mutations.in_values):
        once, again = ([change(text, random.Random(each)) for each in range(50)] for _ in range(2))
        assert once == again
        assert len(set(once)) > 25


def test_what_breaks_the_rule_is_found() -> None:
    assert trying.judged(3, "") == "exit code 3"
    assert trying.judged(1, "fine\n\tand safe") is None
    assert trying.judged(2, "Traceback (most recent call last):") is not None
    assert trying.judged(2, "Error: unexpected error: KeyError") is not None
    assert trying.judged(0, "\x1b[31m") is not None
    assert trying.judged(0, "\x1b[31m", is_raw=True) is None


def test_every_command_that_reads_files_is_tried(tmp_path: pathlib.Path) -> None:
    tried = {entry.arguments[0] for entry in corpus.build(tmp_path)}
    reading = "analyze backtest clock compare config explain get load run trace validate verify"
    assert tried == set(reading.split())
