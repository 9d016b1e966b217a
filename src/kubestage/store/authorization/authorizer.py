"""The decision of a cluster about what a user would do, by its modes in their order."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.store.authorization.access import PRIVILEGED, Decision
from kubestage.store.authorization.node_access import NodeAccess
from kubestage.store.authorization.roles import Roles, UserRules

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.aliases import Json
    from kubestage.store.authorization.access import Access
    from kubestage.store.store import Store

    Mode = Callable[[Json, Access], Decision]

MODES: Final = ("AlwaysAllow", "AlwaysDeny", "Node", "RBAC")
"""The modes that there are."""
DEFAULT: Final = ("Node", "RBAC")
"""The modes of a cluster by default, as kubeadm and kind have them."""
_ELSEWHERE: Final = {
    "ABAC": "it reads a file of kube-apiserver's own; bind roles instead",
    "Webhook": "no other program is asked here; bind roles instead",
}
_EVERYTHING: Final = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}
_ALL_PATHS: Final = {"verbs": ["*"], "nonResourceURLs": ["*"]}
_NODES_RULES: Final = "node authorizer does not support user rule resolution"


def modes_of(texts: Sequence[str], path: str) -> tuple[str, ...]:
    """The modes that an option names; an unknown one is refused with the nearest."""
    for text in texts:
        if text in MODES:
            continue
        near = difflib.get_close_matches(text, MODES, n=1)
        known = f"did you mean {near[0]}?" if near else f"there are {', '.join(MODES)}"
        raise InputError(f'no mode "{text}"', path=path, fix=_ELSEWHERE.get(text, known))
    for text in texts:
        if list(texts).count(text) > 1:
            raise InputError(f'"{text}" is there twice', path=path, fix="name each mode once")
    return tuple(texts)


class Authorizer:
    """Decides: what one mode allows is allowed, whatever the others say."""

    def __init__(self, store: Store, modes: Sequence[str] = DEFAULT) -> None:
        self.modes = tuple(modes)
        self.roles = Roles(store)
        self._nodes = NodeAccess(store)
        known: dict[str, Mode] = {
            "AlwaysAllow": lambda _user, _access: Decision(True),
            "AlwaysDeny": lambda _user, _access: Decision(False, "Everything is forbidden."),
            "Node": self._nodes.decide,
            "RBAC": self.roles.decide,
        }
        self._decide = [known[each] for each in self.modes]

    def decide(self, user: Json, access: Access) -> Decision:
        """Whether a user may do something, and why."""
        if PRIVILEGED in user.get("groups", ()):
            return Decision(True)
        reasons = []
        for decide in self._decide:
            decision = decide(user, access)
            if decision.allowed:
                return decision
            if decision.reason:
                reasons.append(decision.reason)
        return Decision(False, "\n".join(reasons))

    def allows(self, user: Json, access: Access) -> bool:
        """Whether a user may do something."""
        return self.decide(user, access).allowed

    def held(self, user: Json, namespace: str) -> UserRules:
        """The rules by which roles may be made: those of RBAC."""
        return self.roles.rules_for(user, namespace)

    def shown(self, user: Json, namespace: str) -> Json:
        """The status of a SelfSubjectRulesReview."""
        resources: list[Json] = []
        paths: list[Json] = []
        problems: list[str] = []
        if "AlwaysAllow" in self.modes:
            resources.append(_EVERYTHING)
            paths.append(_ALL_PATHS)
        if "Node" in self.modes and self._nodes.node_of(user) is not None:
            problems.append(_NODES_RULES)
        if "RBAC" in self.modes:
            found = self.roles.rules_for(user, namespace)
            resources += [_resource_rule(each) for each in found.plain if each.get("resources")]
            paths += [_path_rule(each) for each in found.plain if each.get("nonResourceURLs")]
            problems += [found.problem] if found.problems else []
        status: Json = {"resourceRules": resources, "nonResourceRules": paths}
        incomplete = _NODES_RULES in problems
        if problems:
            text = ", ".join(problems)
            status["evaluationError"] = f"[{text}]" if len(problems) > 1 else text
        return {**status, "incomplete": incomplete}


def _resource_rule(rule: Json) -> Json:
    keys = ("verbs", "apiGroups", "resources", "resourceNames")
    return {key: rule[key] for key in keys if rule.get(key)}


def _path_rule(rule: Json) -> Json:
    return {"verbs": rule["verbs"], "nonResourceURLs": rule["nonResourceURLs"]}
