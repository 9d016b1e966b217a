"""Problems name their places as the file spells them."""

from __future__ import annotations

import pytest

from kubestage.clusterloader.reading import spelling
from tests.clusterloader.configurations import problems

VALUE = {
    "Steps": [{"phases": [{"objects": [{"BaseName": "x"}]}], "Params": {"start": True, "a.b": 1}}]
}


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("steps[0].phases[0].objectBundle[0].basename", "Steps[0].phases[0].objects[0].BaseName"),
        ("steps[0].params.action", "Steps[0].Params.start"),
        ("steps[0].params.a.b", "Steps[0].Params.a.b"),
        ("steps[7].name", "Steps[7].name"),
        ("nothing.there[2]", "nothing.there[2]"),
        ("", ""),
    ],
)
def test_a_path_has_the_keys_of_the_file(path: str, written: str) -> None:
    assert spelling.as_written(path, VALUE) == written


def test_an_error_speaks_as_the_file_does() -> None:
    text = "Steps:\n- Phases: [{replicasPerNamespace: 1, objects: [{basename: x}]}]\n"
    found = problems(text)
    assert found[0].startswith("main.yaml: Steps[0].Phases[0].tuningSet: a tuning set is required")
    assert found[1].startswith("main.yaml: Steps[0].Phases[0].objects[0].objectTemplatePath: ''")
