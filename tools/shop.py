"""A shop on forty nodes, and a morning of it: the cluster of the pictures in docs/page.md.

`objects` is what is there at the start, `morning` what clients do then, and `scenario` a smaller
cluster for a Scenario.
"""

from __future__ import annotations

from typing import Any

Object = dict[str, Any]

START = "2026-01-01T08:00:00Z"
# A node has failed by then.
MOMENT = "2026-01-01T08:19:30Z"
# From what clients do last to the end.
REST = "7m"
ZONES = ("west-a", "west-b", "west-c")
# Pool, nodes in each zone, cores, memory.
POOLS = (("general", 8, 8, 32), ("data", 2, 16, 128), ("search", 1, 8, 64))
PRIORITIES = {"critical": 1000, "background": -5}
# Namespace, name, replicas, cores, memory, and the pool if it matters.
DEPLOYMENTS = (
    ("shop", "web", 8, "1", "1Gi", "general"),
    ("shop", "cart", 18, "1500m", "2Gi", "general"),
    ("catalog", "catalog", 15, "1", "2Gi", "general"),
    ("catalog", "recommend", 15, "2", "4Gi", "general"),
    ("checkout", "checkout", 9, "2", "3Gi", "general"),
    ("checkout", "payments", 12, "1500m", "2Gi", "general"),
    ("checkout", "fraud-check", 8, "2", "4Gi", "general"),
    ("search", "query", 6, "2", "10Gi", "search"),
    ("search", "suggest", 3, "1", "6Gi", "search"),
    ("data", "cache", 9, "1", "8Gi", "data"),
)
STATEFUL_SETS = (("data", "orders-db", 3, "4", "32Gi"), ("data", "stream", 6, "2", "16Gi"))


def objects() -> list[Object]:
    """The cluster at the start."""
    names = ("shop", "catalog", "checkout", "search", "data", "reports")
    return [
        *(_object("v1", "Namespace", name) for name in names),
        *priorities(),
        *nodes(),
        *(_daemon_set(name) for name in ("node-agent", "log-agent")),
        *(deployment(*each) for each in DEPLOYMENTS),
        *(_stateful_set(*each) for each in STATEFUL_SETS),
        _reindex(),
        _autoscaler(),
        _traffic(),
        *(_surge(zone) for zone in ZONES),
    ]


def morning() -> list[tuple[str, str, str, Any]]:
    """What clients do: how long they wait before it, method, path and body."""
    apps = "/apis/apps/v1/namespaces"
    return [
        ("6m", "POST", "/api/v1/namespaces/reports/pods", forecast()),
        ("4m", "PATCH", "/api/v1/nodes/general-b-4", {"spec": {"unschedulable": True}}),
        ("3m", "POST", f"{apps}/data/statefulsets", ledger()),
        ("7m", "PATCH", f"{apps}/catalog/deployments/catalog", _image("catalog")),
        ("6m", "PATCH", f"{apps}/checkout/deployments/checkout", {"spec": {"replicas": 12}}),
        ("9m", "PATCH", "/api/v1/nodes/general-b-4", {"spec": {"unschedulable": False}}),
    ]


def forecast() -> Object:
    """A pod that fits on no node as it is."""
    spec = _pod_spec("forecast", "12", "48Gi", "general")
    return _object("v1", "Pod", "sales-forecast", "reports", spec=spec)


def ledger() -> Object:
    """A StatefulSet that is more important than the reindexing beside it."""
    found = _stateful_set("data", "ledger", 4, "4", "24Gi")
    found["spec"]["template"]["spec"]["priorityClassName"] = "critical"
    found["spec"]["podManagementPolicy"] = "Parallel"
    return found


def scenario() -> Object:
    """A shop that opens, grows and gets another node."""
    steps: list[list[Object]] = [
        [_object("v1", "Namespace", "shop"), *priorities()],
        [deployment("shop", name, count, cpu, memory, "") for name, count, cpu, memory in (
            ("web", 8, "1", "2Gi"), ("cart", 6, "1500m", "2Gi"), ("catalog", 6, "1", "3Gi"))],
        [deployment("shop", "reports", 10, "2", "3Gi", "", "background")],
        [deployment("shop", "checkout", 5, "3", "4Gi", "", "critical")],
        [_node("general", "c", 9, 8, 32)],
    ]  # fmt: skip
    steps[0] += [_node("general", "abc"[at % 3], 1 + at // 3, 8, 32) for at in range(6)]
    events = [
        {"step": step, "operation": "Create", "createOperation": {"object": each}}
        for step, created in enumerate(steps)
        for each in created
    ]
    done = {"step": len(steps), "operation": "Done", "doneOperation": {"done": True}}
    group = "simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1"
    return _object(group, "Scenario", "opening-day", spec={"events": [*events, done]})


def priorities() -> list[Object]:
    """The priority classes of the shop."""
    group = "scheduling.k8s.io/v1"
    return [
        {**_object(group, "PriorityClass", name), "value": value}
        for name, value in PRIORITIES.items()
    ]


def nodes() -> list[Object]:
    """All nodes of the pools; one of them fails, and stays so."""
    found = [
        _node(pool, zone[-1], number, cores, memory)
        for pool, count, cores, memory in POOLS
        for zone in ZONES
        for number in range(1, count + 1)
    ]
    failing = next(each for each in found if each["metadata"]["name"] == "general-c-3")
    failing["metadata"]["annotations"] = {
        "kubestage.dev/fails-after": "17m", "kubestage.dev/recovers-after": "40m",
    }  # fmt: skip
    return found


def deployment(
    namespace: str, name: str, replicas: int, cpu: str, memory: str, pool: str, priority: str = ""
) -> Object:
    """A Deployment of one container."""
    pod = _pod_spec(name, cpu, memory, pool)
    if priority:
        pod["priorityClassName"] = priority
    spec = {"replicas": replicas, **_template(name, pod)}
    return _object("apps/v1", "Deployment", name, namespace, spec=spec)


def _node(pool: str, zone: str, number: int, cores: int, memory: int) -> Object:
    name = f"{pool}-{zone}-{number}"
    labels = {
        "agentpool": pool, "kubernetes.io/hostname": name,
        "topology.kubernetes.io/zone": f"west-{zone}",
    }  # fmt: skip
    capacity = {"cpu": str(cores), "memory": f"{memory}Gi", "pods": "110"}
    ready = [{"type": "Ready", "status": "True"}]
    status = {"allocatable": capacity, "capacity": capacity, "conditions": ready}
    found = _object("v1", "Node", name, status=status)
    found["metadata"]["labels"] = labels
    return found


def _daemon_set(name: str) -> Object:
    pod = _pod_spec(name, "200m", "256Mi", "")
    pod["priorityClassName"] = "system-node-critical"
    return _object("apps/v1", "DaemonSet", name, "kube-system", spec=_template(name, pod))


def _stateful_set(namespace: str, name: str, replicas: int, cpu: str, memory: str) -> Object:
    pod = _pod_spec(name, cpu, memory, "data")
    spec = {"replicas": replicas, "serviceName": name, **_template(name, pod)}
    return _object("apps/v1", "StatefulSet", name, namespace, spec=spec)


def _reindex() -> Object:
    """A Job that takes what is free in the pool of the databases, until something needs it."""
    pod = {**_pod_spec("reindex", "3", "8Gi", "data"), "restartPolicy": "Never"}
    pod["priorityClassName"] = "background"
    template = _template("reindex", pod)["template"]
    template["metadata"]["annotations"]["kubestage.dev/run-duration"] = "uniform(8m,26m)"
    spec = {"parallelism": 18, "completions": 60, "template": template}
    return _object("batch/v1", "Job", "reindex", "reports", spec=spec)


def _autoscaler() -> Object:
    target = {"type": "Utilization", "averageUtilization": 50}
    spec = {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
        "minReplicas": 8, "maxReplicas": 60,
        "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": target}}],
    }  # fmt: skip
    return _object("autoscaling/v2", "HorizontalPodAutoscaler", "web", "shop", spec=spec)


def _traffic() -> Object:
    rates = "time,rps\n0,40\n8m,90\n16m,200\n26m,270\n38m,160\n"
    spec = {
        "target": {"kind": "Deployment", "name": "web"},
        "pattern": {"trace": {"csv": rates, "arrivals": "Poisson"}},
        "request": {"cpu": "exp(100ms)", "io": "50ms", "timeout": "10s"},
    }
    return _object("kubestage.dev/v1alpha1", "Traffic", "shoppers", "shop", spec=spec)


def _surge(zone: str) -> Object:
    """Nodes of a zone that come when shoppers do."""
    labels = {"agentpool": "general", "topology.kubernetes.io/zone": zone}
    capacity = {"cpu": "8", "memory": "32Gi", "pods": "110"}
    spec = {
        "minSize": 0, "maxSize": 2, "price": 0.38, "provisionDelay": "90s",
        "template": {"metadata": {"labels": labels}, "capacity": capacity},
    }  # fmt: skip
    return _object("kubestage.dev/v1alpha1", "NodeGroup", f"surge-{zone[-1]}", spec=spec)


def _image(name: str) -> Object:
    # A strategic merge patch: the other fields of the container stay.
    container = {"name": name, "image": f"registry.example/{name}:2"}
    return {"spec": {"template": {"spec": {"containers": [container]}}}}


def _template(name: str, pod: Object) -> Object:
    labels = {"app": name}
    notes = {"kubestage.dev/launch-delay": "uniform(3s,20s)", "kubestage.dev/image-size": "2Gi"}
    template = {"metadata": {"labels": labels, "annotations": notes}, "spec": pod}
    return {"selector": {"matchLabels": labels}, "template": template}


def _pod_spec(name: str, cpu: str, memory: str, pool: str) -> Object:
    resources = {"requests": {"cpu": cpu, "memory": memory}, "limits": {"cpu": cpu}}
    image = f"registry.example/{name}:1"
    spec: Object = {"containers": [{"name": name, "image": image, "resources": resources}]}
    if pool:
        spec["nodeSelector"] = {"agentpool": pool}
    return spec


def _object(version: str, kind: str, name: str, namespace: str = "", **rest: Any) -> Object:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **rest}
