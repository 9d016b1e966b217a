from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.validation import downward_api
from tests.objects.validation.pod_specs import container, problems, spec, texts, with_container

AT = "spec.containers[0].env[0].valueFrom"


def _from(source: dict[str, Any]) -> list[str]:
    return problems(with_container(env=[{"name": "A", "valueFrom": source}]))


def test_names_are_printable_ascii_without_equals_sign() -> None:
    assert problems(with_container(env=[{"name": "a b-c.1"}])) == []
    (problem,) = problems(with_container(env=[{"name": "a=b"}]))
    assert problem.startswith('spec.containers[0].env[0].name: Invalid value: "a=b"')


@pytest.mark.parametrize("label", sorted(downward_api.ENV_FIELDS))
def test_fields_of_the_pod_can_be_variables(label: str) -> None:
    assert _from({"fieldRef": {"apiVersion": "v1", "fieldPath": label}}) == []


def test_the_old_name_of_the_node_field_still_works() -> None:
    assert _from({"fieldRef": {"apiVersion": "v1", "fieldPath": "spec.host"}}) == []


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ({"fieldPath": "metadata.name"}, [f"{AT}.fieldRef.apiVersion: Required value"]),
        (
            {"apiVersion": "v1", "fieldPath": "metadata.name['x']"},
            [
                (
                    f"{AT}.fieldRef.fieldPath: Invalid value: \"metadata.name['x']\": error "
                    "converting fieldPath: field label does not support subscript: "
                    "metadata.name['x']"
                )
            ],
        ),
        ({"apiVersion": "v1", "fieldPath": "metadata.annotations['A/B']"}, []),
        (
            {"apiVersion": "v1", "fieldPath": "['x']"},
            [
                (
                    f"{AT}.fieldRef.fieldPath: Invalid value: \"['x']\": error converting "
                    "fieldPath: field label not supported: ['x']"
                )
            ],
        ),
    ],
)
def test_field_selectors(selector: dict[str, Any], expected: list[str]) -> None:
    assert _from({"fieldRef": selector}) == expected


def test_labels_are_case_sensitive_keys_and_annotations_are_not() -> None:
    selector = {"apiVersion": "v1", "fieldPath": "metadata.labels['A.b/c']"}
    (problem,) = _from({"fieldRef": selector})
    assert problem.startswith(f'{AT}.fieldRef: Invalid value: "A.b/c": prefix part')


BYTES = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei"


@pytest.mark.parametrize(
    ("resource", "divisor", "detail"),
    [
        ("limits.cpu", "1m", ""),
        ("requests.cpu", "2", "1m and 1 are supported with the cpu resource"),
        ("limits.memory", "1Ki", ""),
        ("requests.memory", "3Ki", f"{BYTES} are supported with the memory resource"),
        (
            "limits.ephemeral-storage",
            "1m",
            f"{BYTES} are supported with the local ephemeral storage resource",
        ),
        ("requests.hugepages-2Mi", "2", f"{BYTES} are supported with the hugepages resource"),
        ("requests.hugepages-2Mi", "0", ""),
    ],
)
def test_divisors(resource: str, divisor: str, detail: str) -> None:
    expected = [
        (
            f'{AT}.resourceFieldRef.divisor: Invalid value: "{resource}": only divisor\'s values '
            f"{detail}"
        )
    ]
    found = _from({"resourceFieldRef": {"resource": resource, "divisor": divisor}})
    assert found == (expected if detail else [])


def test_an_unknown_resource_is_the_error_and_not_its_divisor() -> None:
    assert _from({"resourceFieldRef": {"resource": "limits.gpu", "divisor": "7"}}) == [
        (
            f'{AT}.resourceFieldRef.resource: Unsupported value: "limits.gpu": supported values: '
            '"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", '
            '"requests.ephemeral-storage", "requests.memory"'
        )
    ]


def test_in_a_volume_the_container_must_be_named() -> None:
    errors = downward_api.validate_resource_selector({}, "ref", in_volume=True)
    assert texts(errors) == ["ref.containerName: Required value"]


def test_a_file_key_is_complete_and_stays_in_its_volume() -> None:
    assert _from({"fileKeyRef": {}}) == [
        f"{AT}.fileKeyRef.key: Required value",
        f"{AT}.fileKeyRef.volumeName: Required value",
        f"{AT}.fileKeyRef.path: Required value",
        f'{AT}.fileKeyRef.volumeName: Not found: ""',
    ]
    key, volume, path, missing = _from(
        {"fileKeyRef": {"key": "a=b", "volumeName": "V", "path": "a/../b"}}
    )
    assert key.startswith(f'{AT}.fileKeyRef.key: Invalid value: "a=b": a valid environment')
    assert volume.startswith(f'{AT}.fileKeyRef.volumeName: Invalid value: "V": a lowercase')
    assert path == f"{AT}.fileKeyRef.path: Invalid value: \"a/../b\": must not contain '..'"
    assert missing == f'{AT}.fileKeyRef.volumeName: Not found: "V"'


def test_files_with_variables_lie_in_an_empty_dir() -> None:
    variable = {
        "name": "A",
        "valueFrom": {"fileKeyRef": {"key": "k", "volumeName": "v", "path": "f"}},
    }
    init = container("i", env=[{"name": "B"}, variable])
    volume = {"name": "v", "configMap": {"name": "m"}}
    assert problems(spec(initContainers=[init], volumes=[{"name": "v", "emptyDir": {}}])) == []
    assert problems(spec(initContainers=[init], volumes=[volume])) == [
        (
            "spec.initContainers[0].env[1].valueFrom.fileKeyRef.volumeName: Invalid value: "
            '"v": referenced volume must be of type emptyDir'
        )
    ]


def test_a_prefix_for_many_variables_may_end_a_name_but_their_source_must_be_named() -> None:
    sources = [
        {"prefix": "a=", "configMapRef": {"name": "a-"}},
        {"secretRef": {}},
    ]
    prefix, secret = problems(with_container(envFrom=sources))
    assert prefix.startswith('spec.containers[0].envFrom[0].prefix: Invalid value: "a="')
    assert secret == "spec.containers[0].envFrom[1].secretRef.name: Required value"
