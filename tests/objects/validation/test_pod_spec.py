from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.validation import pod_options, pod_spec
from tests.objects.validation.pod_specs import container, problems, spec, texts, with_container

SUBDOMAIN = "a lowercase RFC 1123 subdomain must consist of"
LABEL = "a lowercase RFC 1123 label must consist of"


def test_a_minimal_spec_is_valid() -> None:
    assert problems(spec()) == []


def test_a_bare_spec_lacks_what_defaulting_would_have_filled_in() -> None:
    assert problems({}) == [
        "spec.terminationGracePeriodSeconds: Required value",
        "spec.containers: Required value",
        "spec.restartPolicy: Required value",
        "spec.dnsPolicy: Required value",
    ]


@pytest.mark.parametrize(
    ("fields", "start"),
    [
        ({"serviceAccountName": "A"}, 'spec.serviceAccountName: Invalid value: "A": ' + SUBDOMAIN),
        ({"serviceAccount": "A"}, 'spec.serviceAccountName: Invalid value: "A": ' + SUBDOMAIN),
        ({"nodeName": "A"}, 'spec.nodeName: Invalid value: "A": ' + SUBDOMAIN),
        ({"hostname": "a.b"}, 'spec.hostname: Invalid value: "a.b": must not contain dots'),
        ({"subdomain": "A"}, 'spec.subdomain: Invalid value: "A": ' + LABEL),
        ({"priorityClassName": "A"}, 'spec.priorityClassName: Invalid value: "A": ' + SUBDOMAIN),
        ({"runtimeClassName": ""}, 'spec.runtimeClassName: Invalid value: "": ' + SUBDOMAIN),
        (
            {"preemptionPolicy": "Sometimes"},
            (
                'spec.preemptionPolicy: Unsupported value: "Sometimes": supported values: '
                '"PreemptLowerPriority", "Never"'
            ),
        ),
        ({"preemptionPolicy": ""}, "spec.preemptionPolicy: Required value"),
        (
            {"restartPolicy": "<b>"},
            (
                'spec.restartPolicy: Unsupported value: "\\u003cb\\u003e": supported values: '
                '"Always", "OnFailure", "Never"'
            ),
        ),
        (
            {"activeDeadlineSeconds": 2**31},
            (
                "spec.activeDeadlineSeconds: Invalid value: 2147483648: must be between 1 and "
                "2147483647, inclusive"
            ),
        ),
        ({"nodeSelector": {"a": "b c"}}, 'spec.nodeSelector: Invalid value: "b c": a valid label'),
        (
            {"readinessGates": [{"conditionType": "a b"}]},
            'spec.readinessGates[0].conditionType: Invalid value: "a b": name part',
        ),
        (
            {"overhead": {"cpu": "-1"}},
            'spec.overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
        ),
    ],
)
def test_one_broken_field_is_one_error(fields: dict[str, Any], start: str) -> None:
    (problem,) = problems(spec(**fields))
    assert problem.startswith(start)


def test_scheduling_gates_are_qualified_and_unique() -> None:
    gates = [{"name": "a.b/c"}, {"name": "a.b/c"}]
    assert problems(spec(schedulingGates=gates)) == [
        'spec.schedulingGates[1]: Duplicate value: "a.b/c"'
    ]


def test_a_scheduling_group_names_its_pod_group() -> None:
    assert problems(spec(schedulingGroup={"podGroupName": "g"})) == []
    assert problems(spec(schedulingGroup={})) == [
        (
            "spec.schedulingGroup.podGroupName: Invalid value: null: must specify one of: "
            "`podGroupName`"
        )
    ]


def test_on_the_host_network_ports_are_the_hosts() -> None:
    port = {"containerPort": 80, "protocol": "TCP"}
    given = spec(hostNetwork=True, containers=[container(ports=[port])])
    message = (
        "spec.containers[0].ports[0].hostPort: Invalid value: 0: must match `containerPort` when "
        "`hostNetwork` is true"
    )
    assert problems(given) == [message]
    assert problems(given, options=pod_options.NEW_TEMPLATE) == []


def test_users_of_its_own_exclude_the_hosts_other_namespaces() -> None:
    given = spec(
        hostUsers=False,
        hostNetwork=True,
        hostPID=True,
        hostIPC=True,
        containers=[container(volumeDevices=[{"name": "v", "devicePath": "/dev/x"}])],
        volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "p"}}],
    )
    assert problems(given) == [
        "spec.hostNetwork: Forbidden: when `hostUsers` is false",
        "spec.HostPID: Forbidden: when `hostUsers` is false",
        "spec.HostIPC: Forbidden: when `hostUsers` is false",
        "spec.containers[0].volumeDevices: Forbidden: when `hostUsers` is false",
    ]
    loose = pod_options.PodValidationOptions(
        allow_user_namespaces_host_network_support=True,
        allow_user_namespaces_with_volume_devices=True,
    )
    assert len(problems(given, options=loose)) == 2


def test_static_pods_have_no_resource_claims() -> None:
    claims = [{"name": "a", "resourceClaimName": "x"}, {"name": "b", "resourceClaimName": "y"}]
    meta = {"name": "p", "annotations": {"kubernetes.io/config.mirror": "h"}}
    assert problems(spec(resourceClaims=claims), meta) == [
        "[]: Forbidden: static pods do not support resource claims",
        "[]: Forbidden: static pods do not support resource claims",
    ]


def test_a_resource_claim_has_one_source() -> None:
    claims = [
        {"name": "a", "resourceClaimName": "x", "resourceClaimTemplateName": "Y"},
        {"name": "a"},
        {"resourceClaimName": "x"},
    ]
    both, template, duplicate, none, unnamed = problems(spec(resourceClaims=claims))
    assert both == (
        "spec.resourceClaims[0]: Invalid value: "
        '{"Name":"a","ResourceClaimName":"x","ResourceClaimTemplateName":"Y"}: at most one of '
        "`resourceClaimName` or `resourceClaimTemplateName` may be specified"
    )
    assert template.startswith("spec.resourceClaims[0].resourceClaimTemplateName: Invalid value")
    assert duplicate == 'spec.resourceClaims[1].name: Duplicate value: "a"'
    assert none.endswith("must specify one of: `resourceClaimName`, `resourceClaimTemplateName`")
    assert unnamed == "spec.resourceClaims[2].name: Required value"


def test_templates_are_judged_under_their_own_path() -> None:
    template = {
        "metadata": {
            "labels": {"a b": "c"},
            "annotations": {"container.apparmor.security.beta.kubernetes.io/c": "unconfined"},
        },
        "spec": with_container(
            securityContext={"appArmorProfile": {"type": "RuntimeDefault"}}, image=" img "
        )
        | {"ephemeralContainers": [container("e")]},
    }
    labels, apparmor, ephemeral = texts(
        pod_spec.validate_pod_template_spec(template, "spec.template")
    )
    assert labels.startswith('spec.template.labels: Invalid value: "a b": name part')
    assert apparmor == (
        "spec.template.spec.containers[0].securityContext.appArmorProfile.type: Forbidden: "
        "apparmor type in annotation and field must match"
    )
    assert ephemeral == (
        "spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in "
        "pod template"
    )
