"""What becomes of an object by KWOK's own test program: all possible stages and their effects."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Any

from kubestage.controllers.kwok import effects, lifecycle, rendering, stage_types
from kubestage.golang.template import Function
from kubestage.golang.template.values import ANY
from kubestage.golang.template.verbs import sprintf
from kubestage.objects import timestamps
from kubestage.objects.yaml_documents import Reader

if TYPE_CHECKING:
    from kubestage.aliases import Json

# Samples of our own, and KWOK's where they lie beside the repository.
ROOTS = (
    pathlib.Path(__file__).parent / "own",
    pathlib.Path(__file__).parents[4] / "shared" / "data" / "kwok" / "kustomize" / "stage",
)
NOW_NS = timestamps.parse_time("2006-01-02T15:04:05Z")
_SINGLE = ("NodeIP", "NodeName", "NodePort", "PodIP", "NodeIPWith", "PodIPWith")
_TIMELESS = ("Now", "now", "Version")
_SEVERAL = ("NodeIPsWith", "PodIPsWith")


def files(pattern: str) -> list[pathlib.Path]:
    """The files of all samples that match."""
    return [path for root in ROOTS for path in sorted(root.glob(pattern))]


def read_all(path: pathlib.Path) -> list[Any]:
    """All documents of a file."""
    return [value for value, _, _ in Reader(path.read_bytes()).documents()]


def _called(name: str, arguments: tuple[Any, ...]) -> str:
    given = ", ".join(sprintf("%#v", each) for each in arguments)
    return f"{name}({given})" if arguments else name


def _marker(name: str) -> Function:
    return Function(lambda *given: f"<{_called(name, given)}>", (), ANY)


def _markers(name: str) -> Function:
    return Function(
        lambda *given: [f"<{number} of {_called(name, given)}>" for number in (0, 1)], (), ANY
    )


FUNCTIONS = {name: _marker(name) for name in (*_SINGLE, *_TIMELESS)} | {
    name: _markers(name) for name in _SEVERAL
}


def _shown(effect: effects.Effect) -> Json:
    match effect:
        case effects.SendEvent():
            return {
                "kind": "event",
                "type": effect.type,
                "reason": effect.reason,
                "message": effect.message,
            }
        case effects.Delete():
            return {"kind": "delete"}
    shown: Json = {
        "kind": "patch" if isinstance(effect, effects.Patch) else "apply",
        "type": effect.type.value if effect.type else "application/apply-patch+yaml",
        "data": effect.data,
    }
    if effect.subresource:
        shown["subresource"] = effect.subresource
    return shown


def report(stages: list[stage_types.Stage], obj: Json) -> Json:
    """All stages that the object may go to, with delay, weight and effects."""
    reference = stage_types.ResourceRef(api_group=obj["apiVersion"], kind=obj["kind"])
    cycle = lifecycle.Lifecycle(stage for stage in stages if stage.spec.resource_ref == reference)
    renderer = rendering.Renderer(FUNCTIONS)
    found: list[Json] = []
    for stage in cycle.possible(obj):
        entry: Json = {"stage": stage.name}
        delays = cycle.delays_ns(stage, obj, NOW_NS)
        if delays is not None:
            entry["delay"] = [delays[0]] if delays[0] == delays[1] else list(delays)
        entry["weight"] = cycle.weight(stage, obj)
        entry["next"] = [
            _shown(each) for each in effects.stage_effects(stage, obj, renderer, is_typed=False)
        ]
        if stage.spec.immediate_next_stage:
            entry["next"].append({"kind": "immediate"})
        found.append(entry)
    metadata = obj["metadata"]
    result = {"apiGroup": obj["apiVersion"], "kind": obj["kind"], "name": metadata["name"]}
    if "namespace" in metadata:
        result["namespace"] = metadata["namespace"]
    return {**result, "stages": found}
