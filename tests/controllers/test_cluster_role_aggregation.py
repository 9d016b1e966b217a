from __future__ import annotations

from typing import Any

from kubestage.stage import Stage

CLUSTER_ROLE = ("rbac.authorization.k8s.io/v1", "ClusterRole")


def role(name: str, *verbs: str, labels: dict[str, str] | None = None, **more: Any) -> Any:
    rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": [each]} for each in verbs]
    metadata = {"name": name, "labels": labels or {}}
    version, kind = CLUSTER_ROLE
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "rules": rules, **more}


def verbs(stage: Stage, name: str) -> list[str]:
    return [each["verbs"][0] for each in stage.store.get(CLUSTER_ROLE, name).get("rules") or ()]


def test_a_role_has_the_rules_of_those_that_it_selects_by_name_each_once() -> None:
    stage = Stage()
    stage.add_controllers()
    selectors = [{"matchLabels": {"to": "all"}}, {"matchLabels": {"also": "this"}}]
    stage.apply(
        [
            role("all", "lost", aggregationRule={"clusterRoleSelectors": selectors}),
            role("b", "list", "get", labels={"to": "all"}),
            role("a", "get", labels={"to": "all"}),
            role("c", "watch", labels={"also": "this"}),
            role("d", "patch"),
        ]
    )
    stage.run("1s")
    assert verbs(stage, "all") == ["get", "list", "watch"]
    stage.store.delete(CLUSTER_ROLE, "b")
    stage.store.patch(CLUSTER_ROLE, "d", {"metadata": {"labels": {"to": "all"}}})
    stage.run("1s")
    assert verbs(stage, "all") == ["get", "patch", "watch"]


def test_a_role_that_others_are_made_of_may_be_made_of_others() -> None:
    stage = Stage()
    stage.add_controllers()
    stage.apply(
        [
            role("top", aggregationRule={"clusterRoleSelectors": [{"matchLabels": {"to": "top"}}]}),
            role(
                "middle",
                labels={"to": "top"},
                aggregationRule={"clusterRoleSelectors": [{"matchLabels": {"to": "middle"}}]},
            ),
            role("leaf", "get", labels={"to": "middle"}),
        ]
    )
    stage.run("1s")
    assert verbs(stage, "top") == verbs(stage, "middle") == ["get"]
