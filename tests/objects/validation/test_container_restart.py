from __future__ import annotations

from typing import Any

import pytest

from tests.objects.validation.pod_specs import container, problems, spec, with_container

AT = "spec.containers[0]"
RULE = {"action": "Restart", "exitCodes": {"operator": "In", "values": [1]}}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"restartPolicy": "Never", "restartPolicyRules": [RULE]}, []),
        ({"restartPolicy": None, "restartPolicyRules": []}, []),
        (
            {"restartPolicy": "Sometimes"},
            [
                (
                    f'{AT}.restartPolicy: Unsupported value: "Sometimes": supported values: '
                    '"Always", "Never", "OnFailure"'
                )
            ],
        ),
        (
            {"restartPolicyRules": [{"action": "Stop"}]},
            [
                (
                    f"{AT}.restartPolicy: Required value: must specify restartPolicy when restart "
                    "rules are used"
                ),
                (
                    f'{AT}.restartPolicyRules[0].action: Unsupported value: "Stop": supported '
                    'values: "Restart", "RestartAllContainers"'
                ),
                f"{AT}.restartPolicyRules[0].exitCodes: Required value: must be specified",
            ],
        ),
        (
            {"restartPolicy": "Never", "restartPolicyRules": [RULE] * 21},
            [f"{AT}.restartPolicyRules: Too many: 21: must have at most 20 items"],
        ),
        (
            {
                "restartPolicy": "Never",
                "restartPolicyRules": [
                    {"action": "Restart", "exitCodes": {"values": list(range(256))}}
                ],
            },
            [
                (
                    f'{AT}.restartPolicyRules[0].exitCodes.operator: Unsupported value: "": '
                    'supported values: "In", "NotIn"'
                ),
                (
                    f"{AT}.restartPolicyRules[0].exitCodes.values: Too many: 256: must have at "
                    "most 255 items"
                ),
            ],
        ),
    ],
)
def test_restart_rules(fields: dict[str, Any], expected: list[str]) -> None:
    assert problems(with_container(**fields)) == expected


def test_rules_without_a_policy_are_one_error_in_an_init_container() -> None:
    given = spec(initContainers=[container("i", restartPolicyRules=[{"action": "Stop"}])])
    assert problems(given) == [
        (
            "spec.initContainers[0].restartPolicy: Required value: must specify restartPolicy when "
            "restart rules are used"
        )
    ]


def test_sidecars_may_have_rules() -> None:
    sidecar = container("i", restartPolicy="Always", restartPolicyRules=[RULE])
    assert problems(spec(initContainers=[sidecar])) == []


def test_a_pod_that_never_restarts_does_not_restart_on_resize_either() -> None:
    policies = [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]
    given = with_container(resizePolicy=policies) | {"restartPolicy": "Never"}
    assert problems(given) == [
        (
            f"{AT}.resizePolicy: Invalid value: \"RestartContainer\": must be 'NotRequired' when "
            "pod `restartPolicy` is 'Never'"
        )
    ]


def test_resize_policies_name_each_resource_once() -> None:
    policies = [
        {"resourceName": "cpu", "restartPolicy": "NotRequired"},
        {"resourceName": "cpu", "restartPolicy": ""},
        {"resourceName": "gpu", "restartPolicy": "Maybe"},
        {"restartPolicy": "NotRequired"},
    ]
    assert problems(with_container(resizePolicy=policies)) == [
        f'{AT}.resizePolicy[1]: Duplicate value: "cpu"',
        f"{AT}.resizePolicy: Required value",
        f'{AT}.resizePolicy: Unsupported value: "gpu": supported values: "cpu", "memory"',
        (
            f'{AT}.resizePolicy: Unsupported value: "Maybe": supported values: "NotRequired", '
            '"RestartContainer"'
        ),
        f"{AT}.resizePolicy: Required value",
    ]
