"""Plays the stages of objects as a control loop."""

from __future__ import annotations

import dataclasses
import logging
from typing import TYPE_CHECKING, Final

from kubestage.controllers.controller import CHANGES, Controller
from kubestage.controllers.kwok import (
    effects,
    heartbeats,
    lifecycle,
    performing,
    stage_check,
    stage_types,
    template_functions,
)
from kubestage.controllers.kwok.addresses import Addresses
from kubestage.controllers.kwok.cel_programs import EvaluationError
from kubestage.controllers.kwok.lifecycle import Lifecycle
from kubestage.controllers.kwok.rendering import Renderer
from kubestage.errors import ApiError, InputError, LimitExceeded, NotFound
from kubestage.objects import gvk
from kubestage.store.log import ADDED, DELETED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.controllers.kwok.stage_types import Stage
    from kubestage.objects.kinds import Kind
    from kubestage.store.log import Change

_log = logging.getLogger(__name__)

Target = tuple[str, str]

_POD_TARGET: Final = ("", "Pod")
_NODE_TARGET: Final = ("", "Node")
_STAGE_TARGET: Final = (stage_types.GROUP, stage_types.KIND)
# Stages that follow one another without any delay would stop the clock.
_MOST_AT_ONCE: Final = 100
_PAUSE_NS: Final = 1_000_000_000


@dataclasses.dataclass(slots=True)
class _Turn:
    """What an object waits for: a stage and its time, chosen for one version of the object."""

    version: str = ""
    stage: Stage | None = None
    due_ns: int = 0
    last: str = ""
    played_at_ns: int = -1
    played: int = 0


class Player(Controller):
    """KWOK: whenever an object changes, a stage is drawn for it, and played after its delay.

    Stages are given at first, or are objects of the store. As in KWOK, any change of an object
    starts the wait again, a pod is left alone until it has a node that is there, and a failure of
    a template or a refusal by the store ends the turn (`problems` has the last one of each stage).

    It differs where KWOK would never stop or where the result would be random:

    * A stage that comes right after itself and would change nothing but points in time, as the
      heartbeats of nodes do, is not played, and the object then waits for another change. So a
      node's heartbeat is written once after each true change, and idle time costs nothing.
    * When an object has changed so that no stage is for it, the one it waited for is dropped.
    * A stage with a template or an expression that exceeds its limits is set aside: it is not
      played until it is changed.
    * More than a hundred stages in one instant of an object are followed by a pause of a second.
    * Stages are ordered by name, addresses by age, and draws come from the stream ``kwok``.
    """

    name = "kwok_controller"

    def __init__(self, cluster: Cluster, stages: Iterable[Stage] = ()) -> None:
        super().__init__(cluster)
        self._rng = cluster.streams.stream("kwok")
        self.addresses = Addresses(self._node)
        self.problems: dict[str, str] = {}
        self._stages: dict[str, Stage] = {stage.name: stage for stage in stages}
        self._cycles: dict[Target, Lifecycle] = {}
        self._turns: dict[str, _Turn] = {}
        self._kinds: dict[Target, Kind] = {}
        for target in {_target(stage) for stage in self._stages.values()}:
            self._arrange(target)

    def plays(self, group: str, kind: str) -> bool:
        """Whether there are stages for a kind."""
        return (group, kind) in self._cycles

    def handlers(self) -> Handlers:
        """Stages, and every change, for stages may come that are for any kind."""
        return {_STAGE_TARGET: self._on_stage, CHANGES: self._on_change}

    def start(self) -> None:
        """Process what exists."""
        for target in sorted(self._cycles):
            self._queue_all(target)

    def _on_stage(self, change: Change) -> None:
        old = self._stages.pop(change.new["metadata"]["name"], None)
        targets = set() if old is None else {_target(old)}
        if change.type != DELETED:
            try:
                stage = stage_check.load(change.new)
            except InputError as problem:
                name = change.new["metadata"]["name"]
                self.problems[name] = str(problem)
                _log.warning("Stage %s: %s; it is not played until it is changed", name, problem)
                self.events.event(change.new, "Warning", "InvalidStage", str(problem))
            else:
                self._stages[stage.name] = stage
                targets.add(_target(stage))
        for target in sorted(targets):
            self._arrange(target)
            self._queue_all(target)

    def _arrange(self, target: Target) -> None:
        stages = [stage for stage in self._stages.values() if _target(stage) == target]
        if not stages:
            self._cycles.pop(target, None)
            return
        reference = stages[0].spec.resource_ref
        typed = lifecycle.is_typed(reference.api_group, reference.kind)
        self._cycles[target] = Lifecycle(stages, typed)

    def _queue_all(self, target: Target) -> None:
        for collection in self.store.collections():
            if (collection.kind.group, collection.kind.kind) == target:
                self._kinds[target] = collection.kind
                for key in collection.keys(None):
                    full = _key(target, key)
                    self._turns.pop(full, None)
                    self.queue.add(full)

    def _on_change(self, change: Change) -> None:
        kind = change.kind
        target = (kind.group, kind.kind)
        if target == _NODE_TARGET and change.type == ADDED and _POD_TARGET in self._cycles:
            self._queue_pods_of(change.key)
        if target not in self._cycles:
            return
        self._kinds[target] = kind
        if change.type != DELETED:
            self.queue.add(_key(target, change.key))
            return
        self._turns.pop(_key(target, change.key), None)
        if target == _POD_TARGET:
            self.addresses.release(change.new)

    def _queue_pods_of(self, node: str) -> None:
        found = self.store.list(gvk.POD, field_selector=f"spec.nodeName={node}")
        for pod in found.items:
            metadata = pod["metadata"]
            self.queue.add(_key(_POD_TARGET, f"{metadata['namespace']}/{metadata['name']}"))

    def sync(self, key: str) -> None:
        """Draw the next stage of an object that has changed, or play the one that is due."""
        group, kind_name, object_key = key.split("|", 2)
        target = (group, kind_name)
        cycle = self._cycles.get(target)
        found = self._find(target, object_key) if cycle is not None else None
        if cycle is None or found is None:
            self._turns.pop(key, None)
            return
        kind, obj = found
        if target == _POD_TARGET:
            self.addresses.note(obj)
        turn = self._turns.get(key)
        version = obj["metadata"]["resourceVersion"]
        if turn is None or turn.version != version:
            turn = self._draw(key, cycle, obj, version, turn or _Turn())
        if turn is None or turn.stage is None:
            return
        wait_ns = turn.due_ns - self.clock.now_ns
        if wait_ns > 0:
            self.queue.add_after(key, wait_ns)
        else:
            self._play(key, turn, turn.stage, kind, obj)

    def _find(self, target: Target, key: str) -> tuple[Kind, Json] | None:
        kind = self._kinds.get(target)
        obj = None if kind is None else self.store.collection(kind).objects.get(key)
        if kind is None or obj is None or not self._is_ours(target, obj):
            return None
        return kind, obj

    def _is_ours(self, target: Target, obj: Json) -> bool:
        return target != _POD_TARGET or self._node(obj["spec"].get("nodeName") or "") is not None

    def _node(self, name: str) -> Json | None:
        try:
            return self.lister.get(gvk.NODE, name)
        except NotFound:
            return None

    def _draw(
        self, key: str, cycle: Lifecycle, obj: Json, version: str, turn: _Turn
    ) -> _Turn | None:
        try:
            stage = cycle.match(obj, self._rng)
        except lifecycle.StageLimitError as problem:
            self._set_aside(problem.stage, key, obj, problem.problem)
            return None
        except EvaluationError as problem:
            self._report(obj, key, str(problem))
            stage = None
        if stage is None:
            self._turns.pop(key, None)
            return None
        try:
            delay_ns = cycle.delay_ns(stage, obj, self.clock.unix_ns, self._rng)
        except lifecycle.StageLimitError as problem:
            self._set_aside(problem.stage, key, obj, problem.problem)
            return None
        except EvaluationError as problem:
            self._report(obj, stage.name, str(problem))
            delay_ns = 0
        now_ns = self.clock.now_ns
        if turn.played_at_ns == now_ns and turn.played >= _MOST_AT_ONCE:
            delay_ns = max(delay_ns, _PAUSE_NS)
        turn.version, turn.stage, turn.due_ns = version, stage, now_ns + delay_ns
        self._turns[key] = turn
        return turn

    def _play(self, key: str, turn: _Turn, stage: Stage, kind: Kind, obj: Json) -> None:
        turn.stage = None
        now_ns = self.clock.now_ns
        turn.played = turn.played + 1 if turn.played_at_ns == now_ns else 1
        turn.played_at_ns = now_ns
        typed = lifecycle.is_typed(kind.api_version, kind.kind)
        planned: Iterable[effects.Effect] = effects.stage_effects(
            stage, obj, self._renderer(), typed
        )
        repeats, turn.last = turn.last == stage.name, stage.name
        try:
            if repeats:
                planned = list(planned)
                if heartbeats.only_times_change(kind, obj, planned):
                    return
            for effect in planned:
                performing.perform(self.store, self.events, kind, obj, effect)
        except LimitExceeded as problem:
            self._set_aside(stage, key, obj, str(problem))
        except (ApiError, InputError) as problem:
            self._report(obj, stage.name, str(problem))

    def _report(self, obj: Json, what: str, problem: str) -> None:
        """Keep what went wrong with a stage, and let the object's Events say so."""
        self.problems[what] = problem
        self.events.event(obj, "Warning", "StageFailed", f"{what}: {problem}")

    def _set_aside(self, stage: Stage, key: str, obj: Json, problem: str) -> None:
        """Play a stage no more until it is changed: it takes more than a stage may."""
        text = f"{problem}; it is not played until it is changed"
        self.problems[stage.name] = problem
        _log.warning("Stage %s: %s", stage.name, text)
        about = self._stage_object(stage.name) or obj
        self.events.event(about, "Warning", "StageSetAside", f"{stage.name}: {text}")
        self._stages.pop(stage.name, None)
        self._arrange(_target(stage))
        for each in [key, *(each for each, turn in self._turns.items() if turn.stage is stage)]:
            self._turns.pop(each, None)
            self.queue.add(each)

    def _stage_object(self, name: str) -> Json | None:
        try:
            return self.lister.get((stage_types.API_VERSION, stage_types.KIND), name)
        except NotFound:
            return None

    def _renderer(self) -> Renderer:
        context = template_functions.TemplateContext(
            now_unix_ns=self.clock.unix_ns,
            addresses=self.addresses,
            start_unix_ns=self.cluster.start_unix_ns,
        )
        return Renderer(template_functions.functions(context))


def _target(stage: Stage) -> Target:
    reference = stage.spec.resource_ref
    return reference.api_group.rpartition("/")[0], reference.kind


def _key(target: Target, key: str) -> str:
    return f"{target[0]}|{target[1]}|{key}"
