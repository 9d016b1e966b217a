"""Every kind of the index has its module, and every part of a behavior is used."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from kubestage.objects import kinds
from kubestage.objects.kinds import loader, table
from kubestage.objects.kinds.behavior import CREATE, CUSTOM_RESOURCE, Behavior

ROOT = Path(__file__).parents[3]
INDEX = ROOT / "src/kubestage/objects/kinds/index.txt"


def test_the_index_is_what_the_modules_declare() -> None:
    source = "import runpy, sys; print(runpy.run_path(sys.argv[1])['index'](), end='')"
    tool = ROOT / "tools" / "kind_index.py"
    written = subprocess.run(
        [sys.executable, "-c", source, tool], capture_output=True, text=True, check=True
    )
    assert written.stdout == INDEX.read_text()


@pytest.mark.parametrize("row", kinds.BUILT_IN, ids=lambda row: f"{row.api_version}.{row.kind}")
def test_a_row_of_the_index_equals_the_kind_that_its_module_declares(row: kinds.Kind) -> None:
    name = table.MODULES[row.api_version, row.kind]
    module = importlib.import_module(f"kubestage.objects.kinds.{name}")
    (declared,) = (each for each in loader.declared(module) if each == row)
    assert declared.old_versions == row.old_versions
    assert declared.declared is row.behavior


@pytest.mark.parametrize("row", kinds.BUILT_IN, ids=lambda row: f"{row.api_version}.{row.kind}")
def test_a_behavior_speaks_of_subresources_that_the_kind_has(row: kinds.Kind) -> None:
    known = {"", *row.subresources}
    behavior = row.behavior
    for rules in (
        behavior.prepare_update,
        behavior.validate_update,
        behavior.warn_update,
        behavior.reset_fields,
    ):
        assert rules.keys() <= known
    assert set(behavior.validates_metadata) <= {CREATE, *behavior.validate_update}
    assert (behavior.to_stored is None) is (row.stored_as is None)


@pytest.mark.parametrize("name", Behavior.__struct_fields__)
def test_every_part_of_a_behavior_is_used_by_some_kind(name: str) -> None:
    plain = msgspec.structs.asdict(Behavior())
    assert any(getattr(row.behavior, name) != plain[name] for row in kinds.BUILT_IN)


def test_what_is_not_built_in_behaves_as_custom_resources_do() -> None:
    assert loader.behavior("example.com/v1", "Widget") is CUSTOM_RESOURCE


def test_rows_can_be_pickled_with_their_stores() -> None:
    row = kinds.built_in("apps/v1", "Deployment")
    assert row is not None
    assert row.behavior.validate is not None
    copied = pickle.loads(pickle.dumps(row))
    assert copied == row
    assert copied.behavior is row.behavior


def test_a_kind_is_loaded_when_an_object_of_it_is_treated() -> None:
    source = (
        "import sys; from kubestage.objects import defaulting, strategy, kinds;"
        "loaded = lambda: {n.rpartition('.')[2] for n in sys.modules if '.objects.kinds.' in n};"
        "before = loaded(); defaulting.default({'apiVersion': 'v1', 'kind': 'Lease'});"
        "defaulting.default({'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {}});"
        "print(*sorted(loaded() - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=True
    )
    assert [name for name in done.stdout.split() if name in table.MODULES.values()] == [
        "config_map"
    ]
