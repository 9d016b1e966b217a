"""`kubestage.runs.get`: objects of files, found as kubectl finds those of a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage import InputError, validate
from kubestage.runs import GetOptions, get
from kubestage.testing import make_node, make_pod
from tests.cli import clusters

if TYPE_CHECKING:
    import pathlib


@pytest.fixture(autouse=True)
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    clusters.write("all.json", make_node("a"), make_pod("x"), make_pod("y", namespace="shop"))


def _names(*words: str, options: GetOptions) -> list[str]:
    return [obj["metadata"]["name"] for obj in get(words, options).objects]


def test_objects_are_found_by_kind_name_and_namespace() -> None:
    assert _names("pods", options=GetOptions(files=("all.json",))) == ["x"]
    everywhere = GetOptions(files=("all.json",), all_namespaces=True)
    assert _names("po,nodes", options=everywhere) == ["x", "y", "a"]
    result = get(["pod/x"], GetOptions(files=("all.json",)))
    assert result.is_single


def test_an_unknown_name_is_an_input_error() -> None:
    with pytest.raises(InputError, match='pods "z" not found'):
        get(["pods", "z"], GetOptions(files=("all.json",)))


def test_files_are_validated() -> None:
    result = validate("all.json")
    assert (result.is_valid, result.files, result.objects) == (True, 1, 3)
    clusters.write("bad.json", {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}})
    found = validate(["all.json", "bad.json"])
    assert not found.is_valid
    assert found.headline() == "3 valid, 1 invalid"
    assert set(found.table().column("file")) == {"bad.json"}
