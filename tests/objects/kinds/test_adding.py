"""The kind that the guide adds behaves as every other kind."""

from __future__ import annotations

import pathlib
import re
import sys
import types
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects import defaulting, strategy, warnings
from kubestage.objects.kinds import loader, table
from kubestage.objects.validation import rules

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind

GUIDE = pathlib.Path(__file__).parents[3] / "docs" / "kinds.md"
KEY = ("example.com/v1", "Widget")


@pytest.fixture
def widget(monkeypatch: pytest.MonkeyPatch) -> Kind:
    """The kind of the guide, added as its module would be."""
    found = re.search(r"^```python\n(.*?)^```", GUIDE.read_text(), re.DOTALL | re.MULTILINE)
    assert found is not None
    module = types.ModuleType("kubestage.objects.kinds.widget")
    exec(compile(found[1], "widget.py", "exec"), vars(module))
    row: Kind = module.KIND
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(table.MODULES, KEY, "widget")
    monkeypatch.setitem(table._BY_TYPE, KEY, row)
    monkeypatch.setattr(loader, "_loaded", {})
    return row


def made(**spec: Any) -> dict[str, Any]:
    metadata = {"name": "w", "namespace": "n", "resourceVersion": "1", "uid": "u"}
    return {"apiVersion": KEY[0], "kind": KEY[1], "metadata": metadata, "spec": spec}


def test_the_kind_of_the_guide_is_completed_validated_and_printed(widget: Kind) -> None:
    obj = strategy.prepare_for_create(defaulting.stored(made(color="Red")))
    assert (obj["spec"]["size"], obj["metadata"]["generation"]) == (1, 1)
    assert rules.validate_create(obj) == []
    assert warnings.on_create(made(size=1)) == ["spec.color: no color is set"]
    print_cells = widget.behavior.cells
    assert print_cells is not None
    assert print_cells(obj, 0)[:2] == ["w", 1]


def test_the_rules_of_the_guide_are_applied(widget: Kind) -> None:
    assert widget.singular == "widget"
    broken = {**made(size=0), "metadata": {"name": "W_", "namespace": "n"}}
    assert [each.field for each in rules.validate_create(broken)] == ["metadata.name", "spec.size"]
    changed = rules.validate_update(made(size=1, color="Red"), made(size=1, color="Blue"))
    assert [each.field for each in changed] == ["spec.color"]
