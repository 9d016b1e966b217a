"""Templates that Go's text/template ran: those that need no function of ClusterLoader2."""

from __future__ import annotations

import re
from typing import Any

import pytest

from kubestage.golang import template as gotemplate
from tests.golden import vectors

OTHER_TOOLS = re.compile(
    r"\b(?:(?:Add|Subtract|Multiply|Divide|Max|Min)(?:Int|Float)|Mod|Ceil|Rand\w+|DefaultParam"
    r"|IfThenElse|Loop|SliceOfZeros|Seq|StringSplit|Concat|Lowercase|YamlQuote|Include\w+"
    r"|StructuralData|CL2_\w+)\b"
)
ENTRIES = [
    entry
    for entry in vectors.load("cl2-templates")
    if entry["in"]["kind"] == "template" and not OTHER_TOOLS.search(entry["in"]["template"])
]


def _floats(value: Any) -> Any:
    """With the numbers that the recording had: all of them fractions."""
    if isinstance(value, dict):
        return {key: _floats(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_floats(each) for each in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _run(text: str, data: Any) -> dict[str, str]:
    try:
        template = gotemplate.parse(text)
    except gotemplate.TemplateError as problem:
        return {"error": f"parse: {problem}"}
    try:
        return {"text": template.execute(data)}
    except gotemplate.TemplateError as problem:
        return {"error": f"execute: {problem}"}


def test_there_are_entries() -> None:
    assert len(ENTRIES) > 50


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["in"]["template"][:40])
def test_a_template_makes_the_recorded_text_or_error(entry: dict[str, Any]) -> None:
    given, expected = entry["in"], entry["out"]
    found = _run(given["template"], {**_floats(given["params"]), **given["ints"]})
    assert found == {key: expected[key] for key in ("text", "error") if key in expected}
