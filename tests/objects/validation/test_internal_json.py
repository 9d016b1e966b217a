from __future__ import annotations

import pytest

from kubestage.objects.validation import internal_json, spec_diff


@pytest.mark.parametrize(
    ("expression", "value", "text"),
    [
        (
            "core/v1.Taint",
            {"key": "a", "effect": "NoSchedule"},
            '{"Key":"a","Value":"","Effect":"NoSchedule","TimeAdded":null}',
        ),
        ("[]core/v1.PodIP", [{"ip": "1.2.3.4"}], '[{"IP":"1.2.3.4"}]'),
        ("map[string]string", None, "null"),
        ("intstr.IntOrString", None, "0"),
        ("*meta/v1.LabelSelector", {"matchLabels": {"b": "1"}}, '{"matchLabels":{"b":"1"}}'),
        (
            "meta/v1.OwnerReference",
            {"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": "u", "controller": False},
            '{"apiVersion":"v1","kind":"Pod","name":"x","uid":"u","controller":false}',
        ),
        (
            "core/v1.ResourceRequirements",
            {"limits": {"cpu": "0.5"}},
            '{"Limits":{"cpu":"500m"},"Requests":null,"Claims":null}',
        ),
        ("apps/v1.RollingUpdateDaemonSet", {}, '{"MaxUnavailable":0,"MaxSurge":0}'),
    ],
)
def test_values_are_shown_with_the_fields_of_the_working_type(
    expression: str, value: object, text: str
) -> None:
    assert internal_json.render(expression, value).text == text


def test_what_could_end_a_script_is_escaped_as_go_does() -> None:
    assert internal_json.text("<a&b>").text == '"\\u003ca\\u0026b\\u003e"'


def test_host_flags_are_shown_inside_the_security_context() -> None:
    tree = internal_json.tree("core/v1.PodSpec", {"hostNetwork": True, "hostUsers": False})
    assert list(tree["SecurityContext"])[:6] == [
        "HostNetwork",
        "HostPID",
        "HostIPC",
        "ShareProcessNamespace",
        "HostUsers",
        "SELinuxOptions",
    ]
    assert tree["SecurityContext"]["HostNetwork"] is True
    assert tree["SecurityContext"]["HostUsers"] is False
    assert "HostNetwork" not in tree


def test_metadata_of_a_template_is_shown_inline_with_json_names() -> None:
    tree = internal_json.tree("core/v1.PodTemplateSpec", {"metadata": {"labels": {"a": "b"}}})
    assert list(tree) == ["labels", "Spec"]


def test_a_difference_is_a_unified_diff_without_file_names() -> None:
    diff = spec_diff.diff("core/v1.Taint", {"key": "a"}, {"key": "b"})
    assert diff == (
        '@@ -1,5 +1,5 @@\n {\n- "Key": "a",\n+ "Key": "b",\n  "Value": "",\n'
        '  "Effect": "",\n  "TimeAdded": null\n'
    )
