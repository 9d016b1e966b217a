"""A rehearsed drain is what the real kubectl does: the same pods go, and others stay as there.

Each case has its own server. The drain is rehearsed on a copy of its cluster, then kubectl drains.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from kubestage.objects import yaml_text
from kubestage.runs import rehearse
from kubestage.runs.rehearse import DrainOptions
from kubestage.testing import (
    make_daemon_set,
    make_deployment,
    make_node,
    make_pod,
    make_pod_disruption_budget,
)
from tests.server.kubectl.conftest import Kubectl
from tests.server.served import Served, require_kubectl

if TYPE_CHECKING:
    from kubestage.aliases import Json

_ALL_FLAGS = {"force": True, "ignore_daemonsets": True, "delete_emptydir_data": True}
_GONE = re.compile(r"^pod/(\S+) (?:evicted|deleted)$", re.MULTILINE)
_FAILED = re.compile(
    r'^error: unable to drain node "(\S+)" due to error: (.*), continuing', re.MULTILINE
)
# kubectl says it twice of pods without a controller.
_TWICE = "cannot delete cannot delete"


class _Case(NamedTuple):
    objects: list[Json]
    nodes: tuple[str, ...] = ("n1",)
    options: dict[str, Any] | None = None
    finished: str = ""


def _nodes(count: int = 3) -> list[Json]:
    return [make_node(f"n{each}", cpu="4", labels={"pool": "x"}) for each in range(1, count + 1)]


def _web(replicas: int = 2) -> Json:
    """A Deployment of which a node holds one pod."""
    return make_deployment("web", replicas=replicas, cpu="2500m")


def _unready() -> Json:
    """The same; its pods run, but nobody says that they are ready."""
    web = _web()
    web["spec"]["template"]["spec"]["readinessGates"] = [{"conditionType": "example.com/ready"}]
    return web


def _lone(name: str, **options: Any) -> Json:
    pod: Json = make_pod(name, cpu="100m", **options)
    pod["spec"]["nodeSelector"] = {"kubernetes.io/hostname": "n1"}
    return pod


def _cache() -> Json:
    pod = _lone("cache")
    pod["spec"]["volumes"] = [{"name": "data", "emptyDir": {}}]
    return pod


def _budget(name: str = "web", policy: str | None = None, **options: Any) -> Json:
    budget: Json = make_pod_disruption_budget("web", **options)
    budget["metadata"]["name"] = name
    if policy:
        budget["spec"]["unhealthyPodEvictionPolicy"] = policy
    return budget


def _mirror() -> Json:
    """What the API shows of a pod that the node has of its own."""
    mirror = {"kubernetes.io/config.mirror": "x"}
    pod: Json = make_pod("mirror", cpu="100m", annotations=mirror, node_name="n1")
    return pod


_AGENT = make_daemon_set("agent", cpu="10m")

CASES = {
    "a deployment": _Case([*_nodes(), _web()]),
    "daemons, ignored": _Case([*_nodes(), _AGENT, _web()], options={"ignore_daemonsets": True}),
    "all reasons": _Case([*_nodes(), _cache(), _lone("lone"), _AGENT]),
    "all flags": _Case([*_nodes(), _cache(), _lone("lone"), _AGENT, _web()], options=_ALL_FLAGS),
    "mirrors stay": _Case([*_nodes(), _mirror(), _lone("lone")], options=_ALL_FLAGS),
    "finished pods need no flag": _Case([*_nodes(), _cache()], finished="cache"),
    "no disruption": _Case(
        [*_nodes(), _web(), _budget(min_available=2)], options={"timeout": "3s"}
    ),
    "a share": _Case([*_nodes(), _web(), _budget(max_unavailable="50%")]),
    "unhealthy pods are held back": _Case(
        [*_nodes(), _unready(), _budget(min_available=1)], options={"timeout": "3s"}
    ),
    "unhealthy pods may go": _Case(
        [*_nodes(), _unready(), _budget(min_available=1, policy="AlwaysAllow")]
    ),
    "two budgets": _Case([*_nodes(), _web(), _budget(max_unavailable=1),
                          _budget("other", max_unavailable=1)]),
    "no eviction": _Case(
        [*_nodes(), _web(), _budget(min_available=2)], options={"disable_eviction": True}
    ),
    "some pods": _Case(
        [*_nodes(), _lone("a", labels={"app": "a"}), _lone("b")],
        options={"force": True, "pod_selector": "app=a"},
    ),
    "no grace": _Case([*_nodes(), _lone("lone")], options={"force": True, "grace": 0}),
    "one of two nodes": _Case([*_nodes(), _web(), _lone("lone")], ("n1", "n2")),
    "nodes by label": _Case([*_nodes(2), _web(1)], ("pool=x",)),
}  # fmt: skip


def _flags(options: dict[str, Any]) -> list[str]:
    found = []
    for name, value in options.items():
        flag = "grace-period" if name == "grace" else name.replace("_", "-")
        found.append(f"--{flag}" if value is True else f"--{flag}={value}")
    return found


def _pods(kubectl: Kubectl) -> dict[str, str]:
    return {
        each["metadata"]["uid"]: f"{each['metadata']['namespace']}/{each['metadata']['name']}"
        for each in kubectl.json("get", "pods", "-A")["items"]
        if "deletionTimestamp" not in each["metadata"]
    }


@pytest.mark.parametrize("name", CASES)
def test_a_rehearsed_drain_is_what_kubectl_does(name: str) -> None:
    require_kubectl()
    case = CASES[name]
    with Served(objects="---\n".join(map(yaml_text.dump, case.objects))) as served:
        kubectl = Kubectl(served, "default")
        _wait(kubectl, case)
        options = DrainOptions(kubeconfig=str(served.kubeconfig), **(case.options or {}))
        rehearsed = rehearse.drain(None, case.nodes, options)
        before = _pods(kubectl)
        labels = [f"--selector={each}" if "=" in each else each for each in case.nodes]
        real = kubectl.run("drain", *labels, *_flags(case.options or {}))
        after = _pods(kubectl)
    gone = sorted(key for uid, key in before.items() if uid not in after)
    assert sorted(pod for node in rehearsed.nodes for pod in node.pods) == gone
    assert sorted(key.partition("/")[2] for key in gone) == sorted(_GONE.findall(real.stdout))
    refused = {each.node: each.problems for each in rehearsed.nodes if not each.is_drained}
    assert bool(refused) == (real.returncode != 0), real.stderr
    found = {
        node: _apart(text.replace(_TWICE, "cannot delete"))
        for node, text in _FAILED.findall(real.stderr)
    }
    assert {node: sorted(problems) for node, problems in refused.items()} == found


def _apart(text: str) -> list[str]:
    """The errors that Go shows as ``[a, b]``; kubectl collects them in an order that varies."""
    inner = text.removeprefix("[").removesuffix("]")
    return sorted(re.split(", (?=cannot delete )", inner))


def _wait(kubectl: Kubectl, case: _Case) -> None:
    """Let pods and budgets be as the case has them."""
    for each in case.objects:
        kind, name = each["kind"], each["metadata"]["name"]
        if kind == "Deployment":
            counted = f"--for=jsonpath={{.status.replicas}}={each['spec']['replicas']}"
            kubectl("wait", f"deploy/{name}", counted, "--timeout=15m")
            running = "--for=jsonpath={.status.phase}=Running"
            kubectl("wait", "pod", f"--selector=app={name}", running, "--timeout=15m")
            if "readinessGates" not in each["spec"]["template"]["spec"]:
                kubectl("rollout", "status", f"deploy/{name}", "--timeout=15m")
        elif kind == "DaemonSet":
            kubectl("rollout", "status", f"ds/{name}", "--timeout=15m")
        elif kind == "Pod":
            kubectl("wait", f"pod/{name}", "--for=condition=Ready", "--timeout=15m")
    if case.finished:
        patch = '{"status": {"phase": "Succeeded"}}'
        kubectl("patch", "pod", case.finished, "--subresource=status", "--type=merge", "-p", patch)
