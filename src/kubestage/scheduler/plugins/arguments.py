"""The arguments of built-in plugins: one class for each plugin that has any.

Arguments are decoded ``v1`` JSON, by the types in `config.wire_tables`. `default` fills in what
they leave open, and the result is what the plugin's constructor gets. `problems` are the rules
that defaulted arguments break, in kube-scheduler's words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from kubestage.golang import durations
from kubestage.objects import node_selector, schema, shape
from kubestage.objects.label_requirement import SelectorError
from kubestage.objects.validation import field, names
from kubestage.objects.validation.field import Rendered
from kubestage.scheduler.plugins import resource_arguments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_ACTIONS: Final = ("DoNotSchedule", "ScheduleAnyway")


class Arguments(Protocol):
    """The type of a plugin's arguments; upstream calls it ``<plugin>Args``."""

    @staticmethod
    def default(args: Json, /) -> Json:
        """The arguments with every default filled in; no value of `args` is None."""
        ...

    @staticmethod
    def problems(args: Json, path: str, /) -> Iterator[FieldError | str]:
        """The rules that defaulted arguments break; `path` ends with a dot, or is empty."""
        ...


class DefaultPreemptionArgs:
    """How many candidate nodes preemption considers, at least."""

    @staticmethod
    def default(args: Json) -> Json:
        return {
            "minCandidateNodesPercentage": args.get("minCandidateNodesPercentage", 10),
            "minCandidateNodesAbsolute": args.get("minCandidateNodesAbsolute", 100),
        }

    @staticmethod
    def problems(args: Json, path: str) -> Iterator[FieldError]:
        percentage, absolute = (
            args["minCandidateNodesPercentage"],
            args["minCandidateNodesAbsolute"],
        )
        percentage_path = f"{path}minCandidateNodesPercentage"
        absolute_path = f"{path}minCandidateNodesAbsolute"
        if not 0 <= percentage <= 100:
            yield field.invalid(percentage_path, percentage, "not in valid range [0, 100]")
        if absolute < 0:
            yield field.invalid(absolute_path, absolute, "not in valid range [0, inf)")
        if percentage == 0 and absolute == 0:
            both = "cannot be zero at the same time as"
            yield field.invalid(percentage_path, 0, f"{both} minCandidateNodesAbsolute")
            yield field.invalid(absolute_path, 0, f"{both} minCandidateNodesPercentage")


class DynamicResourcesArgs:
    """How long devices may be searched for, and may take to get ready."""

    @staticmethod
    def default(args: Json) -> Json:
        return {
            "filterTimeout": args.get("filterTimeout", "10s"),
            "bindingTimeout": args.get("bindingTimeout", "10m0s"),
        }

    @staticmethod
    def problems(args: Json, path: str) -> Iterator[FieldError]:
        if durations.parse_duration(args["filterTimeout"]) < 0:
            detail = "must be zero or positive"
            yield field.invalid(f"{path}filterTimeout", args["filterTimeout"], detail)
        if durations.parse_duration(args["bindingTimeout"]) < durations.SECOND:
            detail = "must be at least 1 second"
            yield field.invalid(f"{path}bindingTimeout", args["bindingTimeout"], detail)


class InterPodAffinityArgs:
    """What the required affinity of running pods counts in scores."""

    @staticmethod
    def default(args: Json) -> Json:
        return {
            "hardPodAffinityWeight": args.get("hardPodAffinityWeight", 1),
            "ignorePreferredTermsOfExistingPods": args.get(
                "ignorePreferredTermsOfExistingPods", False
            ),
        }

    @staticmethod
    def problems(args: Json, path: str) -> Iterator[FieldError]:
        weight = args["hardPodAffinityWeight"]
        if not 0 <= weight <= 100:
            yield field.invalid(
                f"{path}hardPodAffinityWeight", weight, "not in valid range [0, 100]"
            )


class NodeAffinityArgs:
    """Affinity that the profile adds to every pod."""

    @staticmethod
    def default(args: Json) -> Json:
        if "addedAffinity" not in args:
            return {}
        struct = schema.struct("core/v1.NodeAffinity")
        return {"addedAffinity": shape.normalize(args["addedAffinity"], struct)}

    @staticmethod
    def problems(args: Json, path: str) -> Iterator[str]:
        affinity = args.get("addedAffinity", {})
        required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
        preferred = affinity.get("preferredDuringSchedulingIgnoredDuringExecution")
        prefix = f"{path}addedAffinity"
        try:
            if required is not None:
                where = f"{prefix}.requiredDuringSchedulingIgnoredDuringExecution"
                node_selector.parse(required, where)
        except SelectorError as error:
            yield from error.problems
        try:
            if preferred:
                where = f"{prefix}.preferredDuringSchedulingIgnoredDuringExecution"
                node_selector.preferred(preferred, where)
        except SelectorError as error:
            yield from error.problems


class PodTopologySpreadArgs:
    """The constraints of pods that state none."""

    @staticmethod
    def default(args: Json) -> Json:
        struct = schema.struct("core/v1.TopologySpreadConstraint")
        constraints = [
            shape.normalize(each or {}, struct) for each in args.get("defaultConstraints", ())
        ]
        out: Json = {"defaultConstraints": constraints} if constraints else {}
        return {**out, "defaultingType": args.get("defaultingType") or "System"}

    @staticmethod
    def problems(args: Json, path: str) -> Iterator[FieldError]:
        kind, constraints = args["defaultingType"], args.get("defaultConstraints", ())
        if kind not in ("System", "List"):
            yield field.not_supported(f"{path}defaultingType", kind, ("System", "List"))
        elif kind == "System" and constraints:
            yield field.invalid(
                f"{path}defaultingType", kind, "when .defaultConstraints are not empty"
            )
        seen: set[tuple[str, str]] = set()
        for index, constraint in enumerate(constraints):
            where = f"{path}defaultConstraints[{index}]"
            yield from _constraint(constraint, where)
            same = (constraint["topologyKey"], constraint["whenUnsatisfiable"])
            if same in seen:
                yield field.duplicate(where, f"{{{', '.join(same)}}}")
            seen.add(same)


class VolumeBindingArgs:
    """How long volumes may take to be bound."""

    @staticmethod
    def default(args: Json) -> Json:
        out: Json = {"bindTimeoutSeconds": args.get("bindTimeoutSeconds", 600)}
        # Even an empty shape is an error while its feature is off, so it must be seen.
        return (
            {**out, "shape": resource_arguments.shape_points(args["shape"])}
            if "shape" in args
            else out
        )

    @staticmethod
    def problems(args: Json, path: str) -> Iterator[FieldError]:
        timeout = args["bindTimeoutSeconds"]
        if timeout < 0:
            detail = "invalid BindTimeoutSeconds, should not be a negative value"
            yield field.invalid(f"{path}bindTimeoutSeconds", timeout, detail)
        if "shape" in args:
            points = [
                {key.capitalize(): value for key, value in each.items()} for each in args["shape"]
            ]
            gate = "turn on the feature gate StorageCapacityScoring"
            detail = f"unexpected field `shape`, remove it or {gate}"
            shown = Rendered(msgspec.json.encode(points).decode())
            yield field.invalid(f"{path}shape", shown, detail)


def _constraint(constraint: Json, path: str) -> Iterator[FieldError]:
    if constraint["maxSkew"] <= 0:
        yield field.invalid(f"{path}.maxSkew", constraint["maxSkew"], "not in valid range (0, inf)")
    key, action = constraint["topologyKey"], constraint["whenUnsatisfiable"]
    if not key:
        yield field.required(f"{path}.topologyKey", "can not be empty")
    else:
        yield from field.invalids(f"{path}.topologyKey", key, names.is_qualified_name(key))
    if not action:
        yield field.required(f"{path}.whenUnsatisfiable", "can not be empty")
    elif action not in _ACTIONS:
        yield field.not_supported(f"{path}.whenUnsatisfiable", action, _ACTIONS)
    if constraint.get("labelSelector") is not None:
        detail = "constraint must not define a selector, as they deduced for each pod"
        yield field.forbidden(f"{path}.labelSelector", detail)
