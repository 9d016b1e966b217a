"""What a user would do: the verb and its resource or path, and the refusal of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage import errors
from kubestage.golang import quote

if TYPE_CHECKING:
    from kubestage.aliases import Json

PRIVILEGED: Final = "system:masters"
"""The group that may do everything, whatever the mode."""


class Access(NamedTuple):
    """One thing that a user would do; `path` is only for what is no resource.

    `fields` are the terms of a field selector: field, operator, value.
    """

    verb: str
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""
    fields: tuple[tuple[str, str, str], ...] = ()

    @property
    def is_resource(self) -> bool:
        """Whether it is about a resource."""
        return bool(self.resource)

    @property
    def combined(self) -> str:
        """The resource as rules name it: ``pods/status``."""
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource

    def selects(self, field: str, value: str) -> bool:
        """Whether a list or watch is limited to one value of a field."""
        return any(
            each == (field, operator, value) for each in self.fields for operator in ("=", "==")
        )


class Decision(NamedTuple):
    """Whether something is allowed, and why."""

    allowed: bool
    reason: str = ""


def forbidden(user: Json, access: Access, reason: str = "") -> errors.Forbidden:
    """The refusal, in the API server's words."""
    who, verb = quote.quote(user["username"]), access.verb
    if not access.is_resource:
        text = f"User {who} cannot {verb} path {quote.quote(access.path)}"
        return errors.Forbidden(f"forbidden: {_because(text, reason)}", {})
    text = (
        f"User {who} cannot {verb} resource {quote.quote(access.combined)} "
        f"in API group {quote.quote(access.group)} "
    )
    place = f"in the namespace {quote.quote(access.namespace)}"
    text += place if access.namespace else "at the cluster scope"
    resource = f"{access.resource}.{access.group}" if access.group else access.resource
    subject = f"{resource} {quote.quote(access.name)}" if access.name else resource
    details = {"name": access.name, "group": access.group, "kind": access.resource}
    return errors.Forbidden(
        f"{subject} is forbidden: {_because(text, reason)}",
        {key: value for key, value in details.items() if value},
    )


def _because(text: str, reason: str) -> str:
    return f"{text}: {reason}" if reason else text
