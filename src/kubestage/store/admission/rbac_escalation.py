"""RBAC's guard against escalation: users grant only what they may do themselves.

In the API server this is part of storing roles and bindings, so it cannot be switched off. It holds
for clients; what components of the cluster write is theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import NotFound
from kubestage.golang import quote
from kubestage.objects.validation import status
from kubestage.store.admission import caller as callers
from kubestage.store.authorization import rules
from kubestage.store.authorization.access import PRIVILEGED, Access
from kubestage.store.authorization.roles import GROUP

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.store.admission.admission_request import AdmissionRequest
    from kubestage.store.authorization.authorizer import Authorizer
    from kubestage.store.core import Core

_ROLES: Final = ("roles", "clusterroles")
_BINDINGS: Final = ("rolebindings", "clusterrolebindings")
# What the garbage collector may change of them.
_COLLECTED: Final = ("ownerReferences", "finalizers", "managedFields", "resourceVersion")


def check(_core: Core, request: AdmissionRequest) -> None:
    """Refuse a role, or a binding to one, with more rules than the client has."""
    kind = request.kind
    if kind.group != GROUP or kind.plural not in (*_ROLES, *_BINDINGS):
        return
    caller = callers.current()
    if caller is None or caller.authorizer is None or PRIVILEGED in caller.user.get("groups", ()):
        return
    if request.old is not None and _fixed(request.old) == _fixed(request.obj):
        return
    namespace = request.obj["metadata"].get("namespace") or ""
    granted = (
        _of_role(caller.authorizer, caller.user, request, namespace)
        if kind.plural in _ROLES
        else _of_binding(caller.authorizer, caller.user, request, namespace)
    )
    missing = rules.missing(caller.authorizer.held(caller.user, namespace).plain, granted)
    if missing:
        name = request.obj["metadata"].get("name") or ""
        raise status.forbidden(kind, name, _text(caller.user, missing))


def _fixed(obj: Json) -> Json:
    metadata = {key: part for key, part in obj["metadata"].items() if key not in _COLLECTED}
    return {**obj, "metadata": metadata}


def _of_role(
    authorizer: Authorizer, user: Json, request: AdmissionRequest, namespace: str
) -> Iterable[Json]:
    name = "" if request.old is None else request.obj["metadata"].get("name") or ""
    access = Access("escalate", GROUP, request.kind.plural, "", namespace, name)
    return () if authorizer.allows(user, access) else request.obj.get("rules") or ()


def _of_binding(
    authorizer: Authorizer, user: Json, request: AdmissionRequest, namespace: str
) -> Iterable[Json]:
    role = request.obj["roleRef"]
    plural = f"{role['kind'].lower()}s"
    if authorizer.allows(user, Access("bind", GROUP, plural, "", namespace, role["name"])):
        return ()
    found = authorizer.roles.referenced(role, namespace)
    if found is None:
        details = {"name": role["name"], "group": GROUP, "kind": plural}
        text = f"{plural}.{GROUP} {quote.quote(role['name'])} not found"
        raise NotFound(text, details)
    return found


def _text(user: Json, missing: Iterable[str]) -> str:
    groups = " ".join(quote.quote(each) for each in user.get("groups", ()))
    listed = "\n".join(missing)
    return (
        f"user {quote.quote(user['username'])} (groups=[{groups}]) is attempting to grant RBAC "
        f"permissions not currently held:\n{listed}"
    )
