"""What a check finds, and the words that all checks share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from kubestage.aliases import Json

    Check = Callable[[Json, Json], "SecurityFinding | None"]


class SecurityFinding(NamedTuple):
    """Why a pod is not allowed: the reason in a word or two, and what exactly is wrong."""

    reason: str
    detail: str

    def __str__(self) -> str:
        return f"{self.reason} ({self.detail})" if self.detail else self.reason


def containers(spec: Json) -> Iterator[tuple[str, Json]]:
    """The name of each container with the container, those of every sort."""
    for part in ("initContainers", "containers", "ephemeralContainers"):
        for container in spec.get(part) or ():
            yield container.get("name") or "", container


def contexts(spec: Json) -> Iterator[tuple[str, Json]]:
    """The name of each container with its security context."""
    for name, container in containers(spec):
        yield name, container.get("securityContext") or {}


def pod_context(spec: Json) -> Json:
    """The security context of the pod itself."""
    found: Json = spec.get("securityContext") or {}
    return found


def quoted(items: Collection[str]) -> str:
    """Names in quotes; what is in them is not escaped."""
    return ", ".join(f'"{item}"' for item in items)


def several(count: Collection[Any], singular: str, plural: str = "") -> str:
    """A word in the number that fits."""
    return singular if len(count) == 1 else plural or f"{singular}s"


def named(names: Collection[str]) -> str:
    """``container "a"`` or ``containers "a", "b"``."""
    return f"{several(names, 'container')} {quoted(names)}"


def setters(names: Collection[str], *, pod: bool) -> str:
    """Who sets something: the pod, some of its containers, or both; empty if none does."""
    found = ["pod"] if pod else []
    if names:
        found.append(named(names))
    return " and ".join(found)


def is_windows(spec: Json) -> bool:
    """Whether the pod is for Windows."""
    return bool((spec.get("os") or {}).get("name") == "windows")


def has_user_namespace(spec: Json) -> bool:
    """Whether root in the pod is an unprivileged user on the host."""
    return spec.get("hostUsers") is False
