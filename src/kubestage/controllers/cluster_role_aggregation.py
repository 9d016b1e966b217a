"""The cluster role aggregation controller: roles that are made up of the rules of others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.controller import Controller
from kubestage.objects import labels

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Handlers
    from kubestage.store.log import Change

CLUSTER_ROLE: Final = ("rbac.authorization.k8s.io/v1", "ClusterRole")


class ClusterRoleAggregationController(Controller):
    """Copies the rules of all roles that an aggregation rule selects. Keys are names of roles."""

    name = "clusterrole-aggregation-controller"

    def handlers(self) -> Handlers:
        """ClusterRoles: any of them may be part of any other."""
        return {("rbac.authorization.k8s.io", "ClusterRole"): self._on_role}

    def _on_role(self, _: Change) -> None:
        for name, role in self.store.read(CLUSTER_ROLE).items():
            if role.get("aggregationRule") is not None:
                self.queue.add(name)

    def sync(self, key: str) -> None:
        """Give one role the rules of those that it is made up of, by name, each rule once."""
        found = self.lister.get(CLUSTER_ROLE, key)
        if found is None or found.get("aggregationRule") is None:
            return
        rules: list[Json] = []
        for selector in found["aggregationRule"].get("clusterRoleSelectors") or ():
            for role in self._selected(selector, key):
                rules += [each for each in role.get("rules") or () if each not in rules]
        if rules != (found.get("rules") or []):
            config = {
                "apiVersion": CLUSTER_ROLE[0],
                "kind": CLUSTER_ROLE[1],
                "metadata": {"name": key},
                "rules": rules,
            }
            self.store.apply(CLUSTER_ROLE, key, config, manager=self.name, force=True)

    def _selected(self, selector: Json, but: str) -> list[Json]:
        matches = labels.from_label_selector(selector).matches
        roles = sorted(self.store.read(CLUSTER_ROLE).items())
        return [
            role
            for name, role in roles
            if name != but and matches(role["metadata"].get("labels") or {})
        ]
