"""FlowSchemas, compiled once for each version: whom and what they match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kubestage.aliases import Json
    from kubestage.server.flow_control.request_info import RequestInfo

_ALL: Final = "*"
_ACCOUNT: Final = "system:serviceaccount:"


class FlowRule(NamedTuple):
    """One rule of a schema: the users, and what they request. None is everything."""

    matches_user: Callable[[Json], bool]
    resources: Sequence[ResourceRule]
    paths: Sequence[PathRule]

    def matches(self, info: RequestInfo) -> bool:
        """Whether a request of such a user is meant."""
        if info.is_resource:
            return any(each.matches(info) for each in self.resources)
        return any(each.matches(info) for each in self.paths)


class ResourceRule(NamedTuple):
    """Requests about resources."""

    verbs: frozenset[str] | None
    groups: frozenset[str] | None
    resources: frozenset[str] | None
    namespaces: frozenset[str] | None
    is_cluster_wide: bool

    def matches(self, info: RequestInfo) -> bool:
        """Whether a request is among them."""
        if not (
            _is_in(info.verb, self.verbs)
            and _is_in(info.resource, self.resources)
            and _is_in(info.group, self.groups)
        ):
            return False
        return _is_in(info.namespace, self.namespaces) if info.namespace else self.is_cluster_wide


class PathRule(NamedTuple):
    """Requests for paths that are no resources."""

    verbs: frozenset[str] | None
    paths: frozenset[str]
    prefixes: tuple[str, ...]

    def matches(self, info: RequestInfo) -> bool:
        """Whether a request is among them."""
        if not _is_in(info.verb, self.verbs):
            return False
        return _ALL in self.paths or info.path in self.paths or info.path.startswith(self.prefixes)


def compiled(schema: Json) -> list[FlowRule]:
    """The rules of a schema."""
    return [
        FlowRule(
            _subjects(each.get("subjects") or ()),
            [_resource_rule(rule) for rule in each.get("resourceRules") or ()],
            [_path_rule(rule) for rule in each.get("nonResourceRules") or ()],
        )
        for each in schema["spec"].get("rules") or ()
    ]


def _subjects(subjects: Iterable[Json]) -> Callable[[Json], bool]:
    users: set[str] = set()
    groups: set[str] = set()
    account_prefixes: list[str] = []
    for subject in subjects:
        named = {kind: (subject.get(kind) or {}) for kind in ("user", "group", "serviceAccount")}
        if subject["kind"] == "User":
            users.add(named["user"].get("name") or "")
        elif subject["kind"] == "Group":
            groups.add(named["group"].get("name") or "")
        else:
            account = named["serviceAccount"]
            prefix = f"{_ACCOUNT}{account.get('namespace')}:"
            if account.get("name") == _ALL:
                account_prefixes.append(prefix)
            else:
                users.add(f"{prefix}{account.get('name')}")
    if _ALL in users or _ALL in groups:
        return lambda _user: True
    prefixes = tuple(account_prefixes)

    def matches(user: Json) -> bool:
        name = user["username"]
        return name in users or name.startswith(prefixes) or not groups.isdisjoint(user["groups"])

    return matches


def _resource_rule(rule: Json) -> ResourceRule:
    return ResourceRule(
        _choice(rule.get("verbs")),
        _choice(rule.get("apiGroups")),
        _choice(rule.get("resources")),
        _choice(rule.get("namespaces")),
        bool(rule.get("clusterScope")),
    )


def _path_rule(rule: Json) -> PathRule:
    paths = rule.get("nonResourceURLs") or []
    prefixes = [each.removesuffix(_ALL) for each in paths]
    below = tuple(each if each.endswith("/") else f"{each}/" for each in prefixes)
    return PathRule(_choice(rule.get("verbs")), frozenset(paths), below)


def _choice(values: list[str] | None) -> frozenset[str] | None:
    return None if values == [_ALL] else frozenset(values or ())


def _is_in(value: str, choice: frozenset[str] | None) -> bool:
    return choice is None or value in choice
