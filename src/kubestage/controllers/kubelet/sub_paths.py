"""Paths in volumes that mounts give by an expression: what comes of them, or what is wrong."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.programs import environment

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.store import Store

_LISTS: Final = ("initContainers", "containers", "ephemeralContainers")
_VARIABLE: Final = re.compile(r"\$(?:\$|\(([^()]*)\))")


def of_container(container: Json) -> tuple[str, ...]:
    """The expressions in the mounts of a container."""
    mounts = container.get("volumeMounts") or ()
    return tuple(each["subPathExpr"] for each in mounts if each.get("subPathExpr"))


def stated(pod: Json, name: str) -> Json:
    """A container as the spec of a pod has it."""
    spec: Json = pod["spec"]
    listed = (each for part in _LISTS for each in spec.get(part) or ())
    return next(each for each in listed if each["name"] == name)


def problem(store: Store, pod: Json, container: Json) -> str:
    """What is wrong with the first of a container's paths that is not good; else nothing."""
    variables = environment.environment_variables(store, pod, container)
    for expression in of_container(container):
        named = {found for found in _VARIABLE.findall(expression) if found}
        missing = sorted(name for name in named if not variables.get(name))
        if missing:
            return f"missing value for {', '.join(missing)}"
        path = environment.expanded(expression, variables)
        if path.startswith("/"):
            return f"error SubPath `{path}` must not be an absolute path"
        if ".." in path.split("/"):
            return f"unable to provision SubPath `{path}`: must not contain '..'"
    return ""
