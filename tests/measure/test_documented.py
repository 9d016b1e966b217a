"""The page of all measurements has every method and every parameter."""

from __future__ import annotations

import pathlib
import re

import msgspec
import pytest

from kubestage.measure import registry
from kubestage.measure.params import FreeParams
from kubestage.measure.skipped import Skipped

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "load-measurements.md"
METHODS = sorted(registry.METHODS)


def rows() -> dict[str, str]:
    """The lines of tables by the name in their first column."""
    found = {}
    for line in PAGE.read_text().splitlines():
        match = re.match(r"\| `(\w+)` \|", line)
        if match is not None:
            found[match[1]] = line
    return found


def common() -> set[str]:
    """Parameters that the page explains once for all."""
    text = PAGE.read_text().partition("## Common parameters")[2].partition("## ")[0]
    return set(re.findall(r"`(\w+)`", text))


@pytest.mark.parametrize("method", METHODS)
def test_a_method_is_on_the_page_with_all_its_parameters(method: str) -> None:
    row = rows()[method]
    cells = row.split("|")
    target = re.fullmatch(r"\s*`(\w+)`\s*", cells[2])
    kind = registry.Registry().find(method)
    if target is not None:
        assert kind is registry.Registry().find(target[1])
        return
    if issubclass(kind, Skipped):
        assert cells[2].strip() == kind.needs
    if not issubclass(kind.params_type, FreeParams):
        names = {field.encode_name for field in msgspec.structs.fields(kind.params_type)}
        assert not {name for name in names if f"`{name}`" not in row} - common()


def test_nothing_is_on_the_page_that_does_not_exist() -> None:
    shared = common()
    assert not {name for name in rows() if name not in registry.METHODS} - shared


def test_a_bundle_names_its_parts() -> None:
    from kubestage.measure.bundles.test_metrics import PARTS

    row = rows()["TestMetrics"]
    missing = {part.method for part in PARTS if part.method not in row}
    assert missing == {"CPUProfile", "MemoryProfile", "BlockProfile"}
    assert all(part.component in row for part in PARTS)
