"""The functions that templates call; the recordings hold the rest (test_golden)."""

from __future__ import annotations

import random

import pytest

from kubestage.clusterloader.files import Texts
from kubestage.clusterloader.templating import functions
from kubestage.clusterloader.templating.draws import Draws
from kubestage.clusterloader.templating.templates import Templates
from kubestage.errors import InputError
from tests.clusterloader.templating.cases import Zeros, rendered

UPSTREAM = (
    "AddFloat AddInt Ceil Concat DefaultParam DivideFloat DivideInt IfThenElse IncludeEmbedFile "
    "IncludeFile Loop Lowercase MaxFloat MaxInt MinFloat MinInt Mod MultiplyFloat MultiplyInt "
    "RandData RandDataWithSeed RandInt RandIntRange Seq SliceOfZeros StringSplit SubtractFloat "
    "SubtractInt YamlQuote"
)


def test_every_function_of_clusterloader2_is_there() -> None:
    table = functions.table(Draws(random.Random(1)), Texts({}), {})
    assert set(UPSTREAM.split()) | {"StructuralData"} <= table.keys()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{AddInt 1.6 1.6}}", "3"),
        ("{{AddFloat 0.1 0.2}}", "0.30000000000000004"),
        ('{{SubtractInt "5" 7.9}}', "-2"),
        ("{{DivideInt 7 2}} {{DivideFloat 7 2}}", "3 3.5"),
        ("{{MaxInt 1 2.9}} {{MinFloat 1 2 .5}}", "2 0.5"),
        ('{{MaxFloat "nan" 2}} {{MaxFloat "nan" "inf" 1}}', "NaN +Inf"),
        ('{{MinFloat "inf" 2 "nan"}} {{MinFloat "nan" "-inf"}}', "NaN -Inf"),
        ('{{MaxFloat "-0" 0}} {{MinFloat 0 "-0"}} {{MinFloat "-0" 0}}', "0 -0 -0"),
        ('{{Ceil -0.5}} {{Ceil 0.5}} {{Ceil "-inf"}}', "-0 1 -Inf"),
        ("{{Mod -7 3}} {{Ceil 1.2}} {{Ceil -1.2}}", "-1 2 -1"),
        ("{{MultiplyFloat 1000 1000}}", "1e+06"),
        ("{{MultiplyInt 1e10 1e10}}", "-9223372036854775808"),
        ('{{Lowercase "ABC"}}', "abc"),
        ('{{Lowercase "\u0130\u00c9 O\u03a3"}}', "i\u00e9 o\u03c3"),
        ('{{range StringSplit "a,,b"}}[{{.}}]{{end}}', "[a][][b]"),
        ("{{range Loop 2.9}}{{.}}{{end}}{{range Seq 2}}{{.}}{{end}}", "0100"),
        ('{{IfThenElse (eq 1 1) "a" "b"}}', "a"),
        ("{{DefaultParam .None 5}} {{DefaultParam false 5}}", "5 false"),
        ('{{Concat}}{{Concat "a" "b" "c"}}', "abc"),
        ("{{StructuralData 5}}", "5"),
    ],
)
def test_a_function_computes_as_in_go(text: str, expected: str) -> None:
    assert rendered(f"x: '{text}'") == f"x: '{expected}'"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{{Loop -1}}", "makeslice: len out of range"),
        ("{{RandData -1}}", "makeslice: len out of range"),
        ("{{RandInt -1}}", "invalid argument to Intn"),
        ('{{RandDataWithSeed -1 "s"}}', "makeslice: len out of range"),
        ("{{RandDataWithSeed 1 2}}", "is int, not string"),
        ('{{YamlQuote "x" -1}}', "negative Repeat count"),
        ("{{MinInt}}", "minimum undefined"),
        ("{{MinInt true}}", "cannot cast true to float64"),
        ('{{IfThenElse "x" 1 2}}', "got: string want: bool"),
        ("{{Lowercase 5}}", "expected string; found 5"),
    ],
)
def test_a_wrong_argument_is_an_error_that_names_the_function(text: str, problem: str) -> None:
    with pytest.raises(InputError, match="main: replacing placeholders error: .*" + problem):
        rendered(f"x: {text}")


def test_chance_draws_from_the_stream_that_is_handed_in() -> None:
    text = "{{RandInt 1000000}}-{{RandIntRange 5 7}}-{{RandData 9}}"
    first = rendered(text, random.Random(7))
    assert rendered(text, random.Random(7)) == first
    assert rendered(text, random.Random(8)) != first
    assert rendered(text, Zeros()) == "0-5-000000000"


def test_a_range_holds_both_its_ends_and_an_empty_one_its_first() -> None:
    drawn = {rendered("{{RandIntRange 5 7}}", random.Random(seed)) for seed in range(50)}
    assert drawn == {"5", "6", "7"}
    assert rendered("{{RandIntRange 7 5}}") == "7"
    assert {rendered("{{RandInt 1}}", random.Random(seed)) for seed in range(20)} == {"0", "1"}


def test_files_are_included_from_below_the_folder_only() -> None:
    files = Texts(
        {"c/main": 'x: {{IncludeFile "$DIR/${NAME}.txt"}}', "c/d/f.txt": "in", "o": ""}, "c"
    )
    templates = Templates(files, random.Random(1), {"DIR": "d", "NAME": "f"})
    assert templates.text("main", {}) == "x: in"
    outside = Templates(Texts({"main": '{{IncludeEmbedFile "../o"}}'}), random.Random(1))
    with pytest.raises(InputError, match="leads out of the folder"):
        outside.text("main", {})
