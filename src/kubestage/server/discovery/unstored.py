"""Resources that no store holds: reviews, bindings, and what the metrics API computes.

A row is ``group/version name kind scope short-names verbs``; a dash stands for none.
"""

from __future__ import annotations

from typing import Final, NamedTuple

ROWS: Final = """
v1 bindings Binding namespaced - create
v1 componentstatuses ComponentStatus cluster cs get,list
authentication.k8s.io/v1 selfsubjectreviews SelfSubjectReview cluster - create
authentication.k8s.io/v1 tokenreviews TokenReview cluster - create
authorization.k8s.io/v1 localsubjectaccessreviews LocalSubjectAccessReview namespaced - create
authorization.k8s.io/v1 selfsubjectaccessreviews SelfSubjectAccessReview cluster - create
authorization.k8s.io/v1 selfsubjectrulesreviews SelfSubjectRulesReview cluster - create
authorization.k8s.io/v1 subjectaccessreviews SubjectAccessReview cluster - create
metrics.k8s.io/v1beta1 nodes NodeMetrics cluster - get,list
metrics.k8s.io/v1beta1 pods PodMetrics namespaced - get,list
"""


class Unstored(NamedTuple):
    """One row: a resource that is answered, never kept."""

    group: str
    version: str
    name: str
    kind: str
    namespaced: bool
    short_names: tuple[str, ...]
    verbs: tuple[str, ...]


def _parse(line: str) -> Unstored:
    api_version, name, kind, scope, short_names, verbs = line.split()
    group, _, version = api_version.rpartition("/")
    return Unstored(
        group=group,
        version=version,
        name=name,
        kind=kind,
        namespaced=scope == "namespaced",
        short_names=() if short_names == "-" else tuple(short_names.split(",")),
        verbs=tuple(verbs.split(",")),
    )


ALL: Final[tuple[Unstored, ...]] = tuple(_parse(line) for line in ROWS.split("\n")[1:-1])
