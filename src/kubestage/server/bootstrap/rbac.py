"""The roles and bindings that every cluster has, from a table (`data/rbac.txt`).

A line in brackets names the kind of what follows. A role is a line with its name, and what it is
aggregated ``to=`` or ``from=``; below it is a line for each rule: verbs, API groups (a hyphen is
the core group), resources, and names of objects if it is about some only. A rule about paths has
``url`` for groups. A binding is a line: its name, its role (``=`` is that of the same name) and
its subjects.
"""

from __future__ import annotations

import functools
import importlib.resources
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json

_GROUP: Final = "rbac.authorization.k8s.io"
_ANNOTATIONS: Final = {"rbac.authorization.kubernetes.io/autoupdate": "true"}
_LABELS: Final = {"kubernetes.io/bootstrapping": "rbac-defaults"}
_AGGREGATE: Final = f"{_GROUP}/aggregate-to-"


@functools.cache
def objects() -> tuple[Json, ...]:
    """All of them; they are shared, and must not be changed."""
    data = importlib.resources.files("kubestage.server.data").joinpath("rbac.txt")
    return tuple(_read(data.read_text(encoding="utf-8").splitlines()))


def _read(lines: list[str]) -> Iterator[Json]:
    kind, role = "", None
    for line in lines:
        if line.startswith("  "):
            assert role is not None
            role["rules"].append(_rule(line.split()))
            continue
        if role is not None:
            yield role
            role = None
        if line.startswith("["):
            kind = line.strip("[]")
        elif kind.endswith("Binding"):
            yield _binding(kind, line.split())
        else:
            role = _role(kind, line.split())


def _named(kind: str, name: str) -> Json:
    namespace, _, bare = name.rpartition("/")
    metadata = {"name": bare, "annotations": _ANNOTATIONS, "labels": _LABELS}
    if namespace:
        metadata["namespace"] = namespace
    return {"apiVersion": f"{_GROUP}/v1", "kind": kind, "metadata": metadata}


def _role(kind: str, words: list[str]) -> Json:
    role = _named(kind, words[0])
    sources: list[str] = []
    for word in words[1:]:
        direction, _, name = word.partition("=")
        if direction == "from":
            sources.append(name)
        else:
            metadata = role["metadata"]
            metadata["labels"] = {**metadata["labels"], f"{_AGGREGATE}{name}": "true"}
    if sources:
        selectors = [{"matchLabels": {f"{_AGGREGATE}{name}": "true"}} for name in sources]
        role["aggregationRule"] = {"clusterRoleSelectors": selectors}
    return {**role, "rules": []}


def _rule(words: list[str]) -> Json:
    verbs, groups, resources, *names = ([*each.split(",")] for each in words)
    if groups == ["url"]:
        return {"nonResourceURLs": resources, "verbs": verbs}
    rule: Json = {
        "apiGroups": ["" if each == "-" else each for each in groups],
        "resources": resources,
        "verbs": verbs,
    }
    if names:
        rule["resourceNames"] = names[0]
    return rule


def _binding(kind: str, words: list[str]) -> Json:
    binding = _named(kind, words[0])
    role = binding["metadata"]["name"] if words[1] == "=" else words[1]
    binding["roleRef"] = {"apiGroup": _GROUP, "kind": kind.removesuffix("Binding"), "name": role}
    if words[2:]:
        binding["subjects"] = [_subject(*each.split(":", 1)) for each in words[2:]]
    return binding


def _subject(kind: str, name: str) -> Json:
    if kind != "ServiceAccount":
        return {"apiGroup": _GROUP, "kind": kind, "name": name}
    namespace, _, bare = name.partition("/")
    return {"kind": kind, "name": bare, "namespace": namespace}
