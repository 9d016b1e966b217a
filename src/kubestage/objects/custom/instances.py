"""What a definition sets for its objects, compiled for one version of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage import lazy
from kubestage.errors import BadRequest
from kubestage.objects.cel import budget
from kubestage.objects.custom import (
    correlation,
    defaulting,
    findings,
    list_types,
    nodes,
    object_meta,
    pruning,
    rule_tree,
    scale,
)
from kubestage.objects.custom.value_check import Check
from kubestage.objects.shape_values import copy_json
from kubestage.objects.validation import field, metadata, names

# NOTE: few definitions have rules, and most of these need a library.
with lazy.imports():
    from kubestage.objects.custom import cel_rules, coded_rules

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.custom.correlation import Correlated
    from kubestage.objects.custom.rule_tree import RuleTree
    from kubestage.objects.kinds import Kind
    from kubestage.objects.validation.field import FieldError


_REMEMBERED: Final = 512
_BLOCKING: Final = frozenset(
    {
        field.ErrorType.NOT_SUPPORTED,
        field.ErrorType.REQUIRED,
        field.ErrorType.TOO_LONG,
        field.ErrorType.TOO_MANY,
        field.ErrorType.TYPE_INVALID,
    }
)
_UNCHECKED: Final = (
    "some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)


class Instances:
    """How objects of one version of a definition are read and validated."""

    def __init__(self, kind: Kind) -> None:
        version = kind.definition
        assert version is not None
        schema = (version.get("schema") or {}).get("openAPIV3Schema") or {}
        self.kind = kind
        self.node = nodes.root(schema)
        defaulting.prune_defaults(self.node)
        self._check = Check(schema)
        self._status = Check((schema.get("properties") or {}).get("status") or {})
        subresources = version.get("subresources") or {}
        self._scale: Json | None = subresources.get("scale")
        self._rules: RuleTree | None = None
        self._has_rules = rule_tree.exist(self.node)
        self.has_status = subresources.get("status") is not None

    def read(self, obj: Json) -> tuple[Json, list[str]]:
        """A fresh object without unknown fields and with defaults; the paths of what went.

        BadRequest if its metadata cannot be read.
        """
        shaped, unknown = self.pruned(obj)
        defaulting.default(shaped, self.node)
        return shaped, unknown

    def pruned(self, obj: Json) -> tuple[Json, list[str]]:
        """As `read`, without defaults."""
        shaped: Json = copy_json(obj)
        unknown: list[str] = []
        if "metadata" in shaped:
            shaped["metadata"], unknown = self.read_metadata(shaped["metadata"])
        unknown += pruning.prune(shaped, self.node)
        pruning.drop_nulls(shaped, self.node)
        pruning.settle_numbers(shaped)
        found, problem = object_meta.coerce(shaped, self.node)
        if problem is not None:
            raise self._unreadable(str(problem))
        return shaped, unknown + found

    def read_metadata(self, body_metadata: Any) -> tuple[Json, list[str]]:
        """Metadata as a server holds it, and the paths of what it does not know."""
        try:
            found, unknown = object_meta.read(body_metadata)
        except object_meta.MetadataError as error:
            raise self._unreadable(str(error)) from None
        return found, [f"metadata.{each}" for each in unknown]

    def _unreadable(self, why: str) -> BadRequest:
        kind = self.kind
        return BadRequest(
            f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: {why}'
        )

    def validate_create(self, obj: Json) -> list[FieldError]:
        """What is wrong with a new object, in the order in which the API server reports it."""
        errors = metadata.validate_object_meta(
            obj["metadata"],
            self.kind.namespaced,
            names.name_is_dns_subdomain,
            kube_finalizers=False,
        )
        errors += self._check_values(obj, None)
        errors += self._check_scale(obj, spec=True)
        errors += object_meta.validate(obj, self.node, "", is_root=True)
        errors += list_types.validate(obj, self.node)
        return errors + self._check_rules(obj, None, None, errors)

    def validate_update(self, new: Json, old: Json) -> list[FieldError]:
        """What is wrong with an object that replaces another; what did not change may stay."""
        pair = correlation.Correlated(new, old, self.node)
        errors = metadata.validate_object_meta_update(
            new["metadata"], old["metadata"], kube_finalizers=False
        )
        errors += self._check_values(new, pair)
        errors += self._check_scale(new, spec=True)
        errors += object_meta.validate(new, self.node, "", is_root=True)
        if not list_types.validate(old, self.node):
            errors += list_types.validate(new, self.node)
        return errors + self._check_rules(new, old, pair, errors)

    def validate_status_update(self, new: Json, old: Json) -> list[FieldError]:
        """As `validate_update`, for a status alone."""
        pair = correlation.Correlated(new, old, self.node)
        errors = metadata.validate_object_meta_update(
            new["metadata"], old["metadata"], kube_finalizers=False
        )
        if "status" in new:
            found = self._status.validate(new["status"], "", pair.key("status")).found
            errors += findings.field_errors(found.values(), "status")
        errors += self._check_scale(new, spec=False)
        if not list_types.validate(old, self.node):
            errors += list_types.validate(new, self.node)
        return errors + self._check_rules(new, old, pair, errors)

    def _check_values(self, obj: Json, pair: Correlated | None) -> list[FieldError]:
        found = self._check.validate(obj, "", pair).found
        return findings.field_errors(found.values(), "") if found else []

    def _check_scale(self, obj: Json, *, spec: bool) -> list[FieldError]:
        if self._scale is None:
            return []
        return scale.validate(obj, self._scale, spec=spec)

    def _check_rules(
        self, new: Json, old: Json | None, pair: Correlated | None, errors: list[FieldError]
    ) -> list[FieldError]:
        if not self._has_rules:
            return []
        if any(error.type in _BLOCKING for error in errors):
            return [field.invalid("<nil>", None, _UNCHECKED)]
        if self._rules is None:
            is_known = coded_rules.know_all(self.node)
            self._rules = (coded_rules if is_known else cel_rules).RuleTree(self.node, is_root=True)
        rules = self._rules
        return budget.within(
            budget.LIMIT, lambda left: rules.validate(new, old, "<nil>", pair, None, left)
        )


# By the identity of the version that a definition holds, which is kept so that it stays its own.
_compiled: dict[int, tuple[Json, Instances]] = {}


def instances_of(kind: Kind) -> Instances:
    """The definition of a kind, compiled once for as long as the definition stands."""
    version = kind.definition
    assert version is not None
    found = _compiled.get(id(version))
    if found is not None and found[1].kind == kind:
        return found[1]
    if len(_compiled) >= _REMEMBERED:
        del _compiled[next(iter(_compiled))]
    compiled = Instances(kind)
    _compiled[id(version)] = (version, compiled)
    return compiled
