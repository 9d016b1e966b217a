"""The way of a configuration from files to a load."""

from __future__ import annotations

import pytest

from kubestage.errors import InputError
from tests.clusterloader.configurations import TUNING, loaded, phase, steps


def test_a_load_has_its_configuration_variables_and_templates() -> None:
    found = loaded(
        steps(phase("{{.Nodes}}")),  # type: ignore[arg-type]
        nodes=7,
        env={"CL2_X": "1"},
        overrides=(("o.yaml", "Other: 2"),),
    )
    assert found.config.steps[0].phases[0].replicas_per_namespace == 7
    assert found.mapping == {
        "Nodes": 7,
        "ImageRegistry": "registry.k8s.io",
        "CL2_X": 1,
        "Other": 2.0,
    }
    (pod,) = found.templates.objects("pod.yaml", {**found.mapping, "Name": "x-0"})
    assert pod["metadata"] == {"name": "x-0"}
    assert found.warnings == ()


def test_plain_json_is_loaded() -> None:
    text = (
        '{"tuningSets": [{"name": "Fast", "qpsLoad": {"qps": 1}}], "steps": [{"phases": '
        '[{"replicasPerNamespace": 1, "tuningSet": "Fast", "objectBundle": '
        '[{"basename": "x", "objectTemplatePath": "pod.yaml"}]}]}]}'
    )
    assert loaded(text).config.tuning_sets[0].name == "Fast"


def test_only_the_first_document_counts() -> None:
    assert loaded(steps(phase(1)) + "---\nsteps: 5\n").config.steps


def test_types_of_variables_matter_as_in_go() -> None:
    text = TUNING + "{{if lt .CL2_F 100}}name: small{{end}}\n" + steps(phase(1)).replace(TUNING, "")
    assert loaded(text, env={"CL2_F": "5"}).config.name == "small"
    with pytest.raises(InputError, match="incompatible types for comparison"):
        loaded(text, overrides=(("o", "CL2_F: 5"),))


def test_numbers_in_the_form_of_go_are_numbers() -> None:
    text = steps(phase("{{MultiplyFloat 1000 1000}}"))  # type: ignore[arg-type]
    found = loaded(text.replace("qps: 10", "qps: {{DivideFloat 1 20000}}")).config
    assert found.steps[0].phases[0].replicas_per_namespace == 1_000_000
    assert found.tuning_sets[0].load.qps == 5e-05  # type: ignore[union-attr]


@pytest.mark.parametrize("text", ["x: {{.A", "a: b: c", "- [", "x: {{Nope}}"])
def test_a_broken_configuration_names_its_file(text: str) -> None:
    with pytest.raises(InputError) as caught:
        loaded(text)
    assert caught.value.file == "main.yaml"


def test_a_configuration_that_is_no_map_is_refused() -> None:
    with pytest.raises(InputError, match=r"main\.yaml: expected a map, found a list"):
        loaded("- 1")
