"""A pod that uses all that a container can know without running anything."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from kubestage import Stage
from kubestage.server.containers import commands
from kubestage.server.live import Live
from kubestage.testing import make_node, make_pod, make_service

if TYPE_CHECKING:
    from kubestage.aliases import Json

POD = ("v1", "Pod")
ENV: list[Json] = [
    {"name": "A", "value": "1"},
    {"name": "B", "value": "$(A)-$(DB_SERVICE_PORT)-$$(A)-$(NOPE)"},
    {"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "password"}}},
    {
        "name": "ABSENT",
        "valueFrom": {"configMapKeyRef": {"name": "no", "key": "no", "optional": True}},
    },
    {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
    {"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
    {"name": "NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
    {"name": "APP", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['app']"}}},
    {
        "name": "MEMORY",
        "valueFrom": {"resourceFieldRef": {"resource": "limits.memory", "divisor": "1Mi"}},
    },
    {
        "name": "CPU",
        "valueFrom": {"resourceFieldRef": {"resource": "requests.cpu", "divisor": "1m"}},
    },
    {"name": "MOST_CPU", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
]
MOUNTS: list[Json] = [
    {"name": "config", "mountPath": "/etc/config"},
    {"name": "all", "mountPath": "/all"},
    {"name": "scratch", "mountPath": "/scratch/"},
    {"name": "config", "mountPath": "/one.conf", "subPath": "app.conf"},
]
VOLUMES: list[Json] = [
    {"name": "config", "configMap": {"name": "settings"}},
    {"name": "scratch", "emptyDir": {}},
    {
        "name": "all",
        "projected": {
            "sources": [
                {"secret": {"name": "keys", "items": [{"key": "password", "path": "deep/word"}]}},
                {
                    "downwardAPI": {
                        "items": [
                            {"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}},
                            {
                                "path": "memory",
                                "resourceFieldRef": {
                                    "containerName": "main",
                                    "resource": "limits.memory",
                                },
                            },
                        ]
                    }
                },
                {"serviceAccountToken": {"path": "token"}},
            ]
        },
    },
]


def pod() -> Json:
    made = make_pod("web", labels={"app": "web", "tier": "front"})
    container = made["spec"]["containers"][0]
    container |= {
        "name": "main",
        "workingDir": "/etc/config",
        "envFrom": [{"prefix": "CFG_", "configMapRef": {"name": "settings"}}],
        "env": ENV,
        "volumeMounts": MOUNTS,
        "resources": {"requests": {"cpu": "250m"}, "limits": {"memory": "128Mi"}},
    }
    made["spec"] |= {"subdomain": "shop", "volumes": VOLUMES}
    return made


def cluster() -> Stage:
    """A cluster in which that pod runs."""
    stage = Stage()
    stage.add_scheduler()
    stage.add_controllers()
    settings = {"colour": "blue", "app.conf": "a=1\nb=2\n"}
    word = base64.b64encode(b"hunter2").decode()
    objects: list[Json] = [
        {"kind": "ConfigMap", "metadata": {"name": "settings"}, "data": settings},
        {"kind": "Secret", "metadata": {"name": "keys"}, "data": {"password": word}},
        {"kind": "ServiceAccount", "metadata": {"name": "default"}},
    ]
    db = make_service("db")
    db["spec"]["ports"] = [{"name": "sql", "port": 5432}]
    stage.apply([{"apiVersion": "v1", **each} for each in objects])
    stage.apply([make_node("n1", cpu="4"), db, pod()])
    stage.run("30s")
    return stage


def ask(stage: Stage, *words: str, live: Live | None = None) -> commands.CommandResult:
    """What a command prints in its container."""
    found = stage.store.get(POD, "web")
    return commands.run(live or Live(stage), found, found["spec"]["containers"][0], words)
