from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import defaulting, strategy, warnings

APPARMOR = "container.apparmor.security.beta.kubernetes.io/c"
SECCOMP = "seccomp.security.alpha.kubernetes.io/pod"


def make_pod(annotations: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    meta: dict[str, Any] = {"name": "p", "namespace": "n"}
    if annotations:
        meta["annotations"] = annotations
    spec = {"containers": [{"name": "c", "image": "i"}], **spec}
    return defaulting.default({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})


def found(obj: dict[str, Any]) -> list[str]:
    return warnings.on_create(strategy.prepare_for_create(obj), obj)


def test_a_plain_pod_needs_no_advice() -> None:
    assert found(make_pod()) == []


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (
            {"nodeSelector": {"beta.kubernetes.io/os": "linux"}},
            (
                "spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "
                '"kubernetes.io/os" instead'
            ),
        ),
        (
            {"hostAliases": [{"ip": "1.2.3.4"}, {"ip": "1.2.3.4"}]},
            'spec.hostAliases[1].ip: duplicate ip "1.2.3.4"',
        ),
        (
            {"dnsConfig": {"nameservers": ["2001:DB8::1"]}},
            (
                'spec.dnsConfig.nameservers[0]: IPv6 address "2001:DB8::1" should be in RFC 5952 '
                'canonical format ("2001:db8::1")'
            ),
        ),
        (
            {"overhead": {"memory": "1500m"}},
            'spec.overhead[memory]: fractional byte value "1500m" is invalid, must be an integer',
        ),
        (
            {"volumes": [{"name": "v", "gitRepo": {"repository": "r"}}]},
            "spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+",
        ),
        (
            {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{}]}}},
            (
                "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]"
                ".labelSelector: a null labelSelector results in matching no pod"
            ),
        ),
        (
            {"terminationGracePeriodSeconds": -1},
            (
                "spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and "
                "will be treated as 1"
            ),
        ),
    ],
)
def test_what_surprises_is_told(spec: dict[str, Any], text: str) -> None:
    assert found(make_pod(**spec)) == [text]


def container(**fields: Any) -> dict[str, Any]:
    return {"name": "c", "image": "i", **fields}


@pytest.mark.parametrize(
    ("env", "count"),
    [
        ([("A", "x"), ("A", "y")], 1),
        ([("A", "x"), ("A", "$(A)y")], 0),
        ([("A", "x"), ("A", "$(A)")], 1),
        ([("A", "x"), ("B", "y")], 0),
    ],
)
def test_a_variable_that_hides_another_is_told(env: list[tuple[str, str]], count: int) -> None:
    variables = [{"name": name, "value": value} for name, value in env]
    assert len(found(make_pod(containers=[container(env=variables)]))) == count


@pytest.mark.parametrize(
    ("second", "word"),
    [
        ({"hostPort": 8080}, "duplicate"),
        ({}, "overlapping"),
        ({"hostPort": 8080, "hostIP": "1.2.3.4"}, "dangerously ambiguous"),
        ({"hostPort": 8081}, ""),
    ],
)
def test_ports_that_meet_are_told(second: dict[str, Any], word: str) -> None:
    ports = [{"containerPort": 80, "hostPort": 8080}, {"containerPort": 80, **second}]
    told = found(make_pod(containers=[container(ports=ports)]))
    path = "spec.containers[0].ports"
    assert told == ([f"{path}[1]: {word} port definition with {path}[0]"] if word else [])


def test_files_that_hide_one_another_are_told() -> None:
    items = [{"key": "a", "path": "x"}, {"key": "b", "path": "x/y"}]
    volume = {"name": "v", "configMap": {"name": "m", "items": items}}
    assert found(make_pod(volumes=[volume])) == [
        'volume "v" (ConfigMap "m"): overlapping paths: "x/y" with "x"'
    ]
    sources = [
        {"configMap": {"name": "m", "items": items[:1]}},
        {"secret": {"name": "s", "items": items[:1]}},
    ]
    volume = {"name": "v", "projected": {"sources": sources}}
    assert found(make_pod(volumes=[volume])) == [
        'volume "v" (Projected): overlapping paths: "x" (Secret "s") with "x" (ConfigMap "m")'
    ]


def test_annotations_that_fields_replaced_are_told() -> None:
    assert found(make_pod({APPARMOR: "runtime/default", SECCOMP: "runtime/default"})) == [
        (
            f"metadata.annotations[{APPARMOR}]: deprecated since v1.30; use the "
            '"appArmorProfile" field instead'
        ),
        (
            f"metadata.annotations[{SECCOMP}]: non-functional in v1.27+; use the "
            '"seccompProfile" field instead'
        ),
    ]


def test_a_template_is_told_under_its_own_path() -> None:
    spec = {"template": {"spec": {"nodeSelector": {"beta.kubernetes.io/arch": "x"}}}}
    meta = {"name": "a.b", "namespace": "n"}
    obj = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": spec}
    told = found(defaulting.default(obj))
    assert told[0].startswith("metadata.name: this is used in Pod names and hostnames")
    assert told[1].startswith("spec.template.spec.nodeSelector[beta.kubernetes.io/arch]: ")
    assert warnings.on_update(obj, obj) == []
    newer = {**obj, "metadata": {**meta, "generation": 2}}
    assert warnings.on_update(newer, obj) == told[1:]


def test_a_reported_address_in_an_odd_form_is_told() -> None:
    pod = make_pod()
    report = {**pod, "status": {"podIPs": [{"ip": "FD00::1"}]}}
    (told,) = warnings.on_update(report, pod, "status")
    assert told.startswith('status.podIPs[0].ip: IPv6 address "FD00::1" should be in RFC 5952')


def _workload(kind: str, api_version: str, generation: int, **spec: Any) -> dict[str, Any]:
    template = {"spec": {"containers": [{"name": "c", "image": "i", **spec}]}}
    metadata = {"name": "w", "generation": generation}
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": metadata,
        "spec": {"template": template},
    }


TWICE: dict[str, Any] = {"env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]}


def test_a_daemon_set_is_warned_of_when_its_template_changes() -> None:
    old = _workload("DaemonSet", "apps/v1", 1, **TWICE)
    newer = _workload("DaemonSet", "apps/v1", 2, **TWICE)
    assert warnings.on_update(newer, old) == []
    changed = _workload("DaemonSet", "apps/v1", 2, **TWICE, command=["x"])
    assert len(warnings.on_update(changed, old)) == 1


def test_a_replication_controller_is_warned_of_what_it_was() -> None:
    old = _workload("ReplicationController", "v1", 1, **TWICE)
    assert len(warnings.on_update(_workload("ReplicationController", "v1", 2), old)) == 1
    assert warnings.on_update(_workload("ReplicationController", "v1", 1), old) == []
    fresh = _workload("ReplicationController", "v1", 1)
    assert warnings.on_update(_workload("ReplicationController", "v1", 2, **TWICE), fresh) == []


@pytest.mark.parametrize(
    ("hard", "told"),
    [
        ({"requests.cpu": "2", "limits.cpu": "1"}, ["requests.cpu (2)", "limits.cpu (1)"]),
        ({"memory": "2Gi", "limits.memory": "1Gi"}, ["memory (2Gi)", "limits.memory (1Gi)"]),
        ({"requests.cpu": "1", "cpu": "3", "limits.cpu": "2"}, []),
        ({"requests.storage": "5Gi"}, []),
    ],
)
def test_a_quota_of_more_requests_than_limits(hard: dict[str, str], told: list[str]) -> None:
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "n"},
        "spec": {"hard": hard},
    }
    text = " should be less than ".join(told)
    assert warnings.on_create(quota) == ([f"ResourceQuota {text}"] if told else [])
    assert warnings.on_update(quota, quota) == []
