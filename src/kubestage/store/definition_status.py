"""The status of a CustomResourceDefinition: which names it got, and whether it is served."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.custom import approval, conversion_check, rows
from kubestage.objects.validation import field

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json


_ENDING: Final = (
    "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"
)


class _Names:
    """The names that a definition requests, tried one after the other."""

    def __init__(self, definition: Json, other_definitions: Iterable[Json]) -> None:
        self.requested: Json = definition["spec"]["names"]
        self.accepted: Json = {**((definition.get("status") or {}).get("acceptedNames") or {})}
        self._before = dict(self.accepted)
        self.reason, self.message = "NoConflicts", "no conflicts found"
        self._resources: set[str] = set()
        self._kinds: set[str] = set()
        for each in other_definitions:
            names = (each.get("status") or {}).get("acceptedNames") or {}
            short = names.get("shortNames") or ()
            self._resources.update(_named(names, "plural", "singular"), short)
            self._kinds.update(_named(names, "kind", "listKind"))

    @property
    def are_accepted(self) -> bool:
        """Whether nothing was refused."""
        return self.reason == "NoConflicts"

    def settle(self) -> None:
        """Accept what is free; of several conflicts the last one is reported."""
        self._settle("plural", "PluralConflict", self._resources)
        self._settle("singular", "SingularConflict", self._resources)
        self._settle_short_names()
        self._settle("kind", "KindConflict", self._kinds)
        self._settle("listKind", "ListKindConflict", self._kinds)
        self._take("categories")

    def _settle(self, name: str, reason: str, used: set[str]) -> None:
        name_requested = self.requested.get(name) or ""
        if name_requested != (self._before.get(name) or "") and name_requested in used:
            self.reason, self.message = reason, _in_use(name_requested)
        else:
            self._take(name)

    def _settle_short_names(self) -> None:
        before = self._before.get("shortNames") or []
        name_requested = self.requested.get("shortNames") or []
        taken = [each for each in name_requested if each not in before and each in self._resources]
        if taken:
            texts = list(dict.fromkeys(map(_in_use, taken)))
            self.reason = "ShortNamesConflict"
            self.message = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
        else:
            self._take("shortNames")

    def _take(self, name: str) -> None:
        if self.requested.get(name):
            self.accepted[name] = self.requested[name]
        elif name not in ("plural", "kind"):
            self.accepted.pop(name, None)


def _named(names: Json, *keys: str) -> list[str]:
    return [names[key] for key in keys if names.get(key)]


def _in_use(name: str) -> str:
    return f"{field.quote(name)} is already in use"


def status_of(definition: Json, other_definitions: Iterable[Json], at: str) -> Json:
    """The status of a definition among all of its group, itself included."""
    names = _Names(definition, other_definitions)
    names.settle()
    status: Json = definition.get("status") or {}
    state = "True" if names.are_accepted else "False"
    conditions = _with(
        status.get("conditions") or [], "NamesAccepted", state, names.reason, names.message, at
    )
    if not rows.is_established(definition):
        conditions = _with(conditions, "Established", *_established(definition, names), at)
    if approval.is_protected(definition["spec"]["group"]):
        verdict = approval.approval_of(definition)
        kind = "KubernetesAPIApprovalPolicyConformant"
        conditions = _with(conditions, kind, *verdict, at)
    return {**status, "acceptedNames": names.accepted, "conditions": conditions}


def _established(definition: Json, names: _Names) -> tuple[str, str, str]:
    if not names.are_accepted:
        return "False", "NotAccepted", "not all names are accepted"
    webhook = (definition["spec"].get("conversion") or {}).get("webhook") or {}
    bundle = (webhook.get("clientConfig") or {}).get("caBundle")
    if bundle and not conversion_check.is_bundle(bundle):
        return "False", "InvalidCABundle", "The conversion webhook CABundle is invalid"
    return "True", "InitialNamesAccepted", "the initial names have been accepted"


def ending(definition: Json, at: str) -> Json:
    """The status of a definition that is being deleted."""
    return _terminating(definition, "InstanceDeletionPending", _ENDING, at)


def waiting(definition: Json, at: str) -> Json:
    """The status of a definition whose objects are being deleted."""
    text = "CustomResource deletion is in progress"
    return _terminating(definition, "InstanceDeletionInProgress", text, at)


def _terminating(definition: Json, reason: str, message: str, at: str) -> Json:
    status: Json = definition.get("status") or {}
    conditions = status.get("conditions") or []
    return {
        **status,
        "conditions": _with(conditions, "Terminating", "True", reason, message, at),
    }


def _with(
    conditions: list[Json], kind: str, state: str, reason: str, message: str, at: str
) -> list[Json]:
    """Conditions with one of them set; its time changes only with its state."""
    changed = {
        "type": kind,
        "status": state,
        "lastTransitionTime": at,
        "reason": reason,
        "message": message,
    }
    for index, each in enumerate(conditions):
        if each["type"] == kind:
            if each["status"] == state and each.get("lastTransitionTime"):
                changed["lastTransitionTime"] = each["lastTransitionTime"]
            return [*conditions[:index], changed, *conditions[index + 1 :]]
    return [*conditions, changed]
