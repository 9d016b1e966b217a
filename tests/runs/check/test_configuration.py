"""``kubestage.toml``: what it sets, and what is refused with the likely key."""

from __future__ import annotations

import pathlib

import pytest

from kubestage.errors import InputError
from kubestage.runs.check import CheckOptions, check
from kubestage.runs.check.rules import table
from tests.runs.check.clusters import nodes, web, write


@pytest.fixture(autouse=True)
def _folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("sub/cluster", *nodes())
    write("sub/before", web(1))
    write("sub/after", web(2))


SOUND = """
[cluster]
files = ["cluster"]

[change]
base = "before"
head = "after"
"""


def test_paths_are_relative_to_the_file() -> None:
    pathlib.Path("sub/rules.py").write_text(
        "def rule(side):\n    return [f'{len(side.pods)} pods']\n"
    )
    text = SOUND + '[[rules.function]]\nfunction = "rules.py:rule"\nname = "count"\n'
    pathlib.Path("sub/kubestage.toml").write_text(text)
    for named in ("sub/kubestage.toml", "sub", pathlib.Path("sub")):
        result = check(named)
        assert [each.text for each in result.findings if each.rule == "count"] == ["2 pods"]


def test_options_have_precedence_and_are_relative_to_the_current_folder() -> None:
    pathlib.Path("sub/kubestage.toml").write_text(SOUND)
    write("mine", web(6))
    result = check("sub", CheckOptions(head="mine", rules=("survival=off",)))
    assert result.verdict.sides[0] == "before"
    assert result.findings[0].file == "mine/all.yaml"
    result = check("sub", CheckOptions(rules=("pending=off", "survival.recovers=false")))
    assert "pending" not in [each.name for each in result.verdict.rules]


@pytest.mark.parametrize(
    ("text", "line", "path", "problem", "fix"),
    [
        ("[clutser]\n", 1, "clutser", 'unknown key "clutser"', "did you mean cluster?"),
        ("[cluster]\nfile = []\n", 2, "cluster.file", 'unknown key "file"', "did you mean files?"),
        ("[change.helm]\nvalue = []\n", 2, "change.helm.value", 'unknown key "value"', "values?"),
        ("[rules]\npendin = true\n", 2, "rules.pendin", 'unknown key "pendin"', "mean pending?"),
        ("[rules]\nspread = {zone = 2}\n", 2, "rules.spread.zone", 'unknown key "zone"', "zones?"),
        ("[rules.spread]\nzones = 'a'\n", 2, "rules.spread.zones", "expected `int`", ""),
        ("[rules]\npending = 3\n", 2, "rules.pending", "3 is neither true, false nor", "table"),
        ("[rules]\nbudgets = {longest = '5 min'}\n", 2, "rules.budgets.longest", "invalid", ""),
        ("[rules]\ncost = {increase = 'x'}\n", 2, "rules.cost.increase", "neither a number", ""),
        ("[cluster]\nfiles = 'a'\n", 2, "cluster.files", "expected `array`", ""),
        ("strict = 1\n", 1, "strict", "expected `bool`", ""),
        ("a = [\n", None, None, "is no TOML", "toml.io"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(
    text: str, line: int | None, path: str | None, problem: str, fix: str
) -> None:
    pathlib.Path("sub/kubestage.toml").write_text(text)
    with pytest.raises(InputError) as caught:
        check("sub")
    error = caught.value
    assert error.file == "sub/kubestage.toml"
    assert error.path == path
    assert problem in error.problem
    assert fix in (error.fix or "")
    assert line is None or error.line == line


def test_a_file_that_is_not_there_and_nothing_at_all_are_refused() -> None:
    with pytest.raises(InputError, match="no such file"):
        check("nowhere.toml")
    with pytest.raises(InputError, match="no change is named"):
        check()


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["cost"], {"cost": True}),
        (["pending=off"], {"pending": False}),
        (["cost.increase=5%"], {"cost": {"increase": "5%"}}),
        (["cost.most=5", "cost.severity=warning"], {"cost": {"most": 5, "severity": "warning"}}),
        (["a.py:b"], {"function": ["a.py:b"]}),
        (['survival.of=["zone"]'], {"survival": {"of": ["zone"]}}),
    ],
)
def test_options_change_rules(words: list[str], found: dict[str, object]) -> None:
    assert table.changed({}, words) == found


def test_options_add_to_what_the_file_sets() -> None:
    known = {"cost": {"most": 3}, "function": ["a.py:a"]}
    changed = table.changed(known, ["cost", "cost.increase=1", "b.py:b"])
    assert changed == {"cost": {"most": 3, "increase": 1}, "function": ["a.py:a", "b.py:b"]}


@pytest.mark.parametrize(
    ("word", "fix"), [("spred", "did you mean spread?"), ("cost=3", "cost=on")]
)
def test_an_option_that_is_no_rule_is_refused(word: str, fix: str) -> None:
    with pytest.raises(InputError) as caught:
        table.changed({}, [word])
    assert caught.value.path == "--rule"
    assert fix in (caught.value.fix or "")
