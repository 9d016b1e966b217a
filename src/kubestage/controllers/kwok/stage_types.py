"""The `Stage` resource of ``kwok.x-k8s.io/v1alpha1``."""

from __future__ import annotations

import difflib
import re
from typing import Any, Final, Literal

import msgspec

from kubestage.errors import InputError

API_VERSION: Final = "kwok.x-k8s.io/v1alpha1"
GROUP: Final = "kwok.x-k8s.io"
KIND: Final = "Stage"

PatchName = Literal["json", "merge", "strategic"]
ApplyName = Literal["apply", "merge", "strategic"]

_PLACE: Final = re.compile(r"^(?P<problem>.*) - at `\$\.?(?P<path>.*)`$", re.DOTALL)
_UNKNOWN: Final = re.compile(r"Object contains unknown field `(?P<name>.*)`")


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename="camel"):
    """A part of the resource: an unknown field is a mistake."""


class ResourceRef(_Part, frozen=True):
    """Which kind a stage is for; `api_group` holds group and version."""

    kind: str
    api_group: str = "v1"


class Expression(_Part, frozen=True):
    """A question in jq or CEL."""

    expression: str = ""


class SelectorJq(_Part, frozen=True):
    """What a question in jq may answer."""

    key: str = ""
    operator: str = ""
    values: list[str] | None = None


class MatchExpression(_Part, frozen=True):
    """A requirement, in CEL or jq; the old form has the fields of the jq one."""

    cel: Expression | None = None
    jq: SelectorJq | None = None
    key: str = ""
    operator: str = ""
    values: list[str] | None = None


class Selector(_Part, frozen=True):
    """The objects that a stage is for: all requirements hold."""

    match_labels: dict[str, str] | None = None
    match_annotations: dict[str, str] | None = None
    match_expressions: list[MatchExpression] | None = None


class ExpressionFrom(_Part, frozen=True):
    """Where a value comes from."""

    cel: Expression | None = None
    jq: Expression | None = None
    expression_from: str = ""


class Delay(_Part, frozen=True):
    """How long an object waits before the stage is played."""

    duration_milliseconds: int | None = None
    duration_from: ExpressionFrom | None = None
    jitter_duration_milliseconds: int | None = None
    jitter_duration_from: ExpressionFrom | None = None


class Impersonation(_Part, frozen=True):
    """On whose behalf a change is made."""

    username: str


class FinalizerItem(_Part, frozen=True):
    """One finalizer."""

    value: str = ""


class Finalizers(_Part, frozen=True):
    """Which finalizers to set and to take away."""

    add: list[FinalizerItem] = msgspec.field(default_factory=list)
    remove: list[FinalizerItem] = msgspec.field(default_factory=list)
    empty: bool = False


class StageEvent(_Part, frozen=True):
    """An Event to send."""

    type: str = ""
    reason: str = ""
    message: str = ""


class StagePatch(_Part, frozen=True):
    """A change of the object, from a template."""

    subresource: str = ""
    root: str = ""
    template: str = ""
    type: PatchName | None = None
    impersonation: Impersonation | None = None


class StageApply(_Part, frozen=True):
    """Another object to create or change, from a template."""

    template: str = ""
    subresource: str = ""
    type: ApplyName | None = None
    impersonation: Impersonation | None = None


class Step(_Part, frozen=True):
    """One thing after the other that a stage does."""

    patch: StagePatch | None = None
    event: StageEvent | None = None
    finalizers: Finalizers | None = None
    delete: bool = False
    apply: StageApply | None = None


class Next(_Part, frozen=True):
    """What a stage does, in the old form."""

    event: StageEvent | None = None
    finalizers: Finalizers | None = None
    delete: bool = False
    patches: list[StagePatch] = msgspec.field(default_factory=list)
    status_template: str = ""
    status_subresource: str = "status"
    status_patch_as: Impersonation | None = None


class StageSpec(_Part, frozen=True):
    """What the stage is for, when it comes, and what it does."""

    resource_ref: ResourceRef
    selector: Selector | None = None
    weight: int = 0
    weight_from: ExpressionFrom | None = None
    delay: Delay | None = None
    next: Next | None = None
    immediate_next_stage: bool | None = None
    steps: list[Step] = msgspec.field(default_factory=list)


class Stage(_Part, frozen=True):
    """One stage in the lifecycle of objects of a kind."""

    spec: StageSpec
    api_version: Literal["kwok.x-k8s.io/v1alpha1"]
    kind: Literal["Stage"]
    metadata: dict[str, Any] = msgspec.field(default_factory=dict)
    status: Any = None

    @property
    def name(self) -> str:
        """The name of the object."""
        return str(self.metadata.get("name", ""))

    @property
    def steps(self) -> list[Step]:
        """What to do, in whichever form it is written."""
        spec = self.spec
        if spec.steps or spec.next is None:
            return spec.steps
        return _steps(spec.next)


def _steps(old: Next) -> list[Step]:
    steps: list[Step] = []
    if old.event is not None:
        steps.append(Step(event=old.event))
    if old.finalizers is not None:
        steps.append(Step(finalizers=old.finalizers))
    if old.patches:
        steps.extend(Step(patch=patch) for patch in old.patches)
    elif old.status_template:
        patch = StagePatch(
            subresource=old.status_subresource,
            root="status",
            template=old.status_template,
            impersonation=old.status_patch_as,
        )
        steps.append(Step(patch=patch))
    if old.delete:
        steps.append(Step(delete=True))
    return steps


def is_stage(obj: dict[str, Any]) -> bool:
    """Whether an object claims to be a stage."""
    return obj.get("kind") == KIND and str(obj.get("apiVersion", "")).startswith(f"{GROUP}/")


def read(obj: dict[str, Any], file: str | None = None) -> Stage:
    """The stage that an object describes; `InputError` says what is wrong where."""
    try:
        return msgspec.convert(obj, Stage)
    except msgspec.ValidationError as problem:
        raise _explained(str(problem), file) from None


def _explained(text: str, file: str | None) -> InputError:
    found = _PLACE.match(text)
    problem, path = (found["problem"], found["path"]) if found else (text, "")
    unknown = _UNKNOWN.match(problem)
    if unknown is None:
        return InputError(problem, file=file, path=path or None)
    name = unknown["name"]
    close = difflib.get_close_matches(name, _fields(Stage), 1)
    fix = f'did you mean "{close[0]}"?' if close else None
    full = f"{path}.{name}" if path else name
    return InputError("unknown field", file=file, path=full, fix=fix)


def _fields(struct: type[msgspec.Struct]) -> list[str]:
    """The names of all fields of a struct and of those within it."""
    names: list[str] = []
    for field in msgspec.structs.fields(struct):
        names.append(field.encode_name)
        for inner in _structs(field.type):
            names += _fields(inner)
    return names


def _structs(kind: Any) -> list[type[msgspec.Struct]]:
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return [kind]
    return [found for part in getattr(kind, "__args__", ()) for found in _structs(part)]
