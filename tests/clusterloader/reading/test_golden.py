"""Configurations that ClusterLoader2 rendered, decoded and flattened."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from kubestage.clusterloader import dumping
from kubestage.clusterloader.files import Texts
from kubestage.clusterloader.reading import configs, variables
from kubestage.clusterloader.reading.modules import Flattening
from kubestage.clusterloader.reading.problems import InvalidConfig, Place, Problems
from kubestage.clusterloader.reading.steps import StepReader
from kubestage.clusterloader.templating import documents
from kubestage.clusterloader.templating.templates import Templates
from kubestage.errors import InputError
from tests.clusterloader.templating.cases import Zeros
from tests.golden import vectors

if TYPE_CHECKING:
    from kubestage.clusterloader.config import Config

ENTRIES = [entry for entry in vectors.load("cl2-templates") if entry["in"]["kind"] == "config"]
TYPES = {str: "string", float: "float64", bool: "bool", type(None): "<nil>"}


def _mapping(given: dict[str, Any]) -> dict[str, Any]:
    params = given["params"]
    overrides = [(path, given["files"][path]) for path in params["overrides"]]
    return variables.mapping(params["nodes"], params["imageRegistry"], params["env"], overrides)


def _read(given: dict[str, Any]) -> tuple[Config, list[str]]:
    """The configuration, and what could not be decoded (what is invalid is not looked at)."""
    templates = Templates(Texts(given["files"], posixpath.dirname(given["main"])), Zeros())
    mapping = _mapping(given)
    main, problems = posixpath.basename(given["main"]), Problems()
    reader = StepReader(problems, is_document=False)
    flattening = Flattening(reader, templates, mapping, problems, frozenset())
    read = configs.read(templates.value(main, mapping), Place(main), problems, flattening)
    assert not problems.warnings
    try:
        problems.refuse_any()
    except InvalidConfig as error:
        found = [str(each) for each in error.problems]
        return read.config, [each for each in found if "expected" in each]
    return read.config, []


def _said(value: Any) -> Any:
    """A value without what says nothing, and its keys in one case."""
    if isinstance(value, dict):
        inner = {key.casefold(): _said(each) for key, each in value.items()}
        empty: tuple[Any, ...] = (None, "", "0s", [], {})
        return {key: each for key, each in inner.items() if each not in empty}
    return [_said(each) for each in value] if isinstance(value, list) else value


def _shown(config: Config) -> dict[str, Any]:
    """What a dump says besides defaults of namespaces."""
    shown: dict[str, Any] = _said(documents.first(dumping.dump(config).replace('{{"{{"}}', "{{")))
    return shown


@pytest.mark.skipif(
    not ENTRIES, reason="recordings that hold ClusterLoader2's files are not beside the repository"
)
def test_there_are_entries() -> None:
    assert len(ENTRIES) > 200


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["in"]["main"])
def test_a_configuration_is_read_as_recorded(entry: dict[str, Any]) -> None:
    given, expected = entry["in"], entry["out"]
    if "error" in expected:
        try:
            _, problems = _read(given)
        except InputError:
            return
        assert problems
        return
    config, problems = _read(given)
    wanted, found = _said(expected["config"]), _shown(config)
    wanted_space, found_space = wanted.pop("namespace", {}), found.pop("namespace")
    automanaged = wanted.pop("automanagednamespaces", 0)
    if wanted_space.get("number", 1) == 1 and automanaged > 1:
        wanted_space["number"] = automanaged
    assert problems == []
    assert found == wanted
    assert found_space.items() >= wanted_space.items()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["in"]["main"])
def test_variables_have_the_recorded_values_and_types(entry: dict[str, Any]) -> None:
    given, expected = entry["in"], entry["out"]["mapping"]
    found = {}
    for name, value in _mapping(given).items():
        kind = TYPES.get(type(value), "json")
        if isinstance(value, int) and not isinstance(value, bool):
            kind = "int" if name == "Nodes" else "int64"
        found[name] = [kind, value]
    assert msgspec.to_builtins(found) == expected
