"""CEL's ``authorizer``: whether a user may do something, as an expression checks it.

What is checked is collected in a map, one call after the other; ``check`` decides, by the
function of the one that evaluates the expression (`answering`).
"""

from __future__ import annotations

import contextlib
import contextvars
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.cel.functions import BOOL, NO_OVERLOAD, STRING, Function

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Authorize = Callable[[dict[str, Any]], "tuple[bool, str]"]

AUTHORIZER: Final = "kubernetes.authorization.Authorizer"
GROUP: Final = "kubernetes.authorization.GroupCheck"
RESOURCE: Final = "kubernetes.authorization.ResourceCheck"
PATH: Final = "kubernetes.authorization.PathCheck"
DECISION: Final = "kubernetes.authorization.Decision"
TYPES: Final = (AUTHORIZER, GROUP, RESOURCE, PATH, DECISION)


def _everything(_: dict[str, Any]) -> tuple[bool, str]:
    return True, ""


_authorize: contextvars.ContextVar[Authorize] = contextvars.ContextVar(
    "authorize", default=_everything
)


@contextlib.contextmanager
def answering(authorize: Authorize) -> Iterator[None]:
    """Have checks answered by a function, which gets a user and what the user would do."""
    token = _authorize.set(authorize)
    try:
        yield
    finally:
        _authorize.reset(token)


def authorizer(user: dict[str, Any]) -> dict[str, Any]:
    """The variable, for one user."""
    return {AUTHORIZER: {"user": user}}


def resource_check(user: dict[str, Any], attributes: dict[str, str]) -> dict[str, Any]:
    """A check of one resource, for one user."""
    return {RESOURCE: {"user": user, **attributes}}


def _collected(value: Any, *tags: str) -> dict[str, Any]:
    if isinstance(value, dict):
        for tag in tags:
            if tag in value:
                return dict(value[tag])
    raise ValueError(NO_OVERLOAD)


def _step(name: str, before: str, after: str, key: str) -> Function:
    def call(value: Any, text: str) -> dict[str, Any]:
        return {after: {**_collected(value, before), key: text}}

    return Function(name, True, ((name, (before, STRING)),), after, call)


def _service_account(value: Any, namespace: str, name: str) -> dict[str, Any]:
    _collected(value, AUTHORIZER)
    groups = ["system:serviceaccounts", f"system:serviceaccounts:{namespace}"]
    username = f"system:serviceaccount:{namespace}:{name}"
    return authorizer({"username": username, "groups": [*groups, "system:authenticated"]})


def _check(value: Any, verb: str) -> dict[str, Any]:
    allowed, reason = _authorize.get()({**_collected(value, RESOURCE, PATH), "verb": verb})
    return {DECISION: {"allowed": allowed, "reason": reason}}


def _answer(name: str, result: str, absent: Any) -> Function:
    def call(value: Any) -> Any:
        return _collected(value, DECISION).get(name, absent)

    return Function(name, True, ((name, (DECISION,)),), result, call)


FUNCTIONS: Final = (
    _step("path", AUTHORIZER, PATH, "path"),
    _step("group", AUTHORIZER, GROUP, "group"),
    Function(
        "serviceAccount",
        True,
        (("serviceAccount", (AUTHORIZER, STRING, STRING)),),
        AUTHORIZER,
        _service_account,
    ),
    _step("resource", GROUP, RESOURCE, "resource"),
    _step("subresource", RESOURCE, RESOURCE, "subresource"),
    _step("namespace", RESOURCE, RESOURCE, "namespace"),
    _step("name", RESOURCE, RESOURCE, "name"),
    _step("fieldSelector", RESOURCE, RESOURCE, "fieldSelector"),
    _step("labelSelector", RESOURCE, RESOURCE, "labelSelector"),
    Function(
        "check", True, (("resource", (RESOURCE, STRING)), ("path", (PATH, STRING))), DECISION,
        _check,
    ),
    _answer("allowed", BOOL, False),
    _answer("reason", STRING, ""),
    _answer("errored", BOOL, False),
    _answer("error", STRING, ""),
)  # fmt: skip
"""The functions by name."""
