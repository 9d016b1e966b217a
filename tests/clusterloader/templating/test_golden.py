"""Templates and objects that ClusterLoader2 rendered."""

from __future__ import annotations

import posixpath
from typing import Any

import pytest

from kubestage.clusterloader.files import Texts
from kubestage.clusterloader.templating import documents, numbers
from kubestage.clusterloader.templating.templates import Templates
from kubestage.errors import InputError
from tests.clusterloader.templating.cases import Zeros
from tests.golden import vectors

ENTRIES = vectors.load("cl2-templates")
TEMPLATES = [entry for entry in ENTRIES if entry["in"]["kind"] == "template"]
OBJECTS = [entry for entry in ENTRIES if entry["in"]["kind"] == "object"]
# Go names its sized integers, and its files' errors are the system's.
OTHER_WORDS = ("int64", "unable to read file")


def _typed(kind: str, value: Any) -> Any:
    return value if kind in ("int", "int32", "int64") else numbers.as_floats(value)


def test_there_are_entries() -> None:
    assert len(TEMPLATES) >= 200


@pytest.mark.parametrize("entry", TEMPLATES, ids=lambda entry: entry["in"]["template"][:40])
def test_a_template_makes_the_recorded_text_or_error(entry: dict[str, Any]) -> None:
    given, expected = entry["in"], entry["out"]
    env = {key: numbers.unpacked(text) for key, text in given["env"].items()}
    mapping = {**numbers.as_floats(given["params"]), **given["ints"], **env}
    templates = Templates(Texts({**given["files"], "main": given["template"]}), Zeros())
    if "error" in expected["cl2"]:
        with pytest.raises(InputError) as caught:
            templates.text("main", mapping)
        wanted = expected["cl2"]["error"]
        if not any(word in wanted for word in OTHER_WORDS):
            assert caught.value.problem == wanted
    else:
        text = templates.text("main", mapping)
        assert text == expected["text"]
        if "yaml" in expected:
            assert documents.first(text) == expected["yaml"]


@pytest.mark.parametrize("entry", OBJECTS, ids=lambda entry: entry["in"]["main"])
def test_an_object_template_makes_the_recorded_objects(entry: dict[str, Any]) -> None:
    given, expected = entry["in"], entry["out"]
    mapping = {name: _typed(*typed) for name, typed in given["mapping"].items()}
    templates = Templates(Texts(given["files"], posixpath.dirname(given["main"])), Zeros())
    name = posixpath.basename(given["main"])
    if "error" in expected:
        with pytest.raises(InputError):
            templates.objects(name, mapping)
    else:
        wanted = expected["objects"] or []
        assert templates.objects(name, mapping) == wanted
        assert templates.objects(name, mapping) == wanted
