"""RBAC: the rules that hold for a user, by the roles and bindings of a store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.golang import quote
from kubestage.store.authorization import rules
from kubestage.store.authorization.access import Decision

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.store.authorization.access import Access
    from kubestage.store.store import Store

GROUP: Final = "rbac.authorization.k8s.io"
VERSION: Final = f"{GROUP}/v1"
KINDS: Final = frozenset(
    (GROUP, kind) for kind in ("Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")
)
"""What the answers depend on."""
_MOST_USERS: Final = 1024


class GrantedRule(NamedTuple):
    """A rule that holds for a user, and the binding that grants it."""

    rule: Json
    source: str


class UserRules(NamedTuple):
    """All rules of a user in one namespace, or in the whole cluster; and roles that are missing."""

    granted: list[GrantedRule]
    problems: list[str]

    @property
    def plain(self) -> list[Json]:
        """The rules alone."""
        return [each.rule for each in self.granted]

    @property
    def problem(self) -> str:
        """The problems in one text."""
        text = ", ".join(dict.fromkeys(self.problems))
        return f"[{text}]" if len(set(self.problems)) > 1 else text


class Roles:
    """The rules of users, worked out when they are first needed after a change."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[tuple[str, ...], UserRules] = {}

    def forget(self) -> None:
        """A role or a binding is another one."""
        self._known.clear()

    def decide(self, user: Json, access: Access) -> Decision:
        """Whether a rule of the user allows something."""
        found = self.rules_for(user, access.namespace)
        for each in found.granted:
            if rules.allows(each.rule, access):
                return Decision(True, f"RBAC: allowed by {each.source}")
        return Decision(False, f"RBAC: {found.problem}" if found.problems else "")

    def rules_for(self, user: Json, namespace: str) -> UserRules:
        """The rules that hold for a user in a namespace; in none, those of the whole cluster."""
        key = (namespace, user["username"], *user.get("groups", ()))
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _MOST_USERS:
                self._known.clear()
            found = self._known[key] = self._collected(user, namespace)
        return found

    def referenced(self, role: Json, namespace: str) -> list[Json] | None:
        """The rules of the role that a binding refers to; None if it is missing."""
        if role["kind"] == "ClusterRole":
            found = self._store.read((VERSION, "ClusterRole")).get(role["name"])
        else:
            found = self._store.read((VERSION, "Role")).get(f"{namespace}/{role['name']}")
        return None if found is None else found.get("rules") or []

    def _collected(self, user: Json, namespace: str) -> UserRules:
        granted: list[GrantedRule] = []
        problems: list[str] = []
        for binding, subject in self._bindings(user, namespace):
            role = binding["roleRef"]
            found = self.referenced(role, binding["metadata"].get("namespace") or "")
            if found is None:
                resource = f"{role['kind'].lower()}.{GROUP}"
                problems.append(f"{resource} {quote.quote(role['name'])} not found")
                continue
            source = _source(binding, subject)
            granted.extend(GrantedRule(each, source) for each in found)
        return UserRules(granted, problems)

    def _bindings(self, user: Json, namespace: str) -> Iterator[tuple[Json, Json]]:
        """The bindings that are about a user, and the first subject that is."""
        for binding in self._store.read((VERSION, "ClusterRoleBinding")).values():
            yield from _with_subject(binding, user, "")
        if not namespace:
            return
        for binding in self._store.read((VERSION, "RoleBinding")).values():
            if binding["metadata"]["namespace"] == namespace:
                yield from _with_subject(binding, user, namespace)


def _with_subject(binding: Json, user: Json, namespace: str) -> Iterator[tuple[Json, Json]]:
    for subject in binding.get("subjects") or ():
        if _is_about(subject, user, namespace):
            yield binding, subject
            return


def _is_about(subject: Json, user: Json, namespace: str) -> bool:
    name: str = subject["name"]
    if subject["kind"] == "User":
        return bool(user["username"] == name)
    if subject["kind"] == "Group":
        return name in user.get("groups", ())
    place = subject.get("namespace") or namespace
    return bool(place) and bool(user["username"] == f"system:serviceaccount:{place}:{name}")


def _source(binding: Json, subject: Json) -> str:
    """A binding, as reasons name it."""
    metadata, role = binding["metadata"], binding["roleRef"]
    namespace = metadata.get("namespace")
    kind = "RoleBinding" if namespace else "ClusterRoleBinding"
    name = f"{metadata['name']}/{namespace}" if namespace else metadata["name"]
    subject_name = subject["name"]
    if subject["kind"] == "ServiceAccount":
        subject_name = f"{subject_name}/{subject.get('namespace') or namespace or ''}"
    return (
        f"{kind} {quote.quote(name)} of {role['kind']} {quote.quote(role['name'])} "
        f"to {subject['kind']} {quote.quote(subject_name)}"
    )
