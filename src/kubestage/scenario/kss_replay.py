"""Converts the changes that a recorder observed to the events of a Scenario."""

from __future__ import annotations

import collections
import dataclasses
import operator
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.golang import durations
from kubestage.objects import kinds, timestamps
from kubestage.scenario import kss_changes, kss_events, kss_notes, kss_pod_lives
from kubestage.scenario.kss_changes import NAMESPACE, VOLUME
from kubestage.scenario.kss_events import CLAIM, POD, part, type_of

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.scenario.kss_recording import Record

Key = tuple[str, str, str, str]

_WORKLOADS: Final = frozenset(
    {
        "CronJob", "DaemonSet", "Deployment", "Job", "ReplicaSet", "ReplicationController",
        "StatefulSet",
    }
)  # fmt: skip
_DEFAULT_SCHEDULER: Final = "default-scheduler"
_LAST_STEP: Final = 2**31 - 1
# What is held until a controller lets go of it: a successor has to wait for that.
_HELD: Final = (CLAIM, VOLUME, NAMESPACE)
_ENDING: Final = ("deletionTimestamp", "deletionGracePeriodSeconds")


@dataclasses.dataclass(slots=True)
class _Thing:
    """One object: as it was first and last seen, and the event that creates it.

    Without such an event nothing is done about the object: it is made here anyway, or is over.
    """

    first: Json
    seen_ns: int
    last: Json = dataclasses.field(default_factory=dict)
    created: Json | None = None
    has_ended: bool = False
    is_resized: bool = False
    is_victim: bool = False

    @property
    def step(self) -> int:
        """The step in which it is there first."""
        step: int = part(self.created).get("step", 0)
        return step

    @property
    def is_open(self) -> bool:
        """Whether it is a claim that had no volume yet when it was first seen."""
        bound = kss_changes.BIND_COMPLETED in part(self.first, "metadata", "annotations")
        return not bound and part(self.first, "status").get("phase") != "Bound"


class Replay:
    """Takes records one after the other; `events` and `notes` are what came of them."""

    def __init__(self, *, has_pods: bool) -> None:
        self.step = 0
        self._left_out = _WORKLOADS if has_pods else frozenset()
        self._known = kinds.KindTable()
        self._things: dict[Key, _Thing] = {}
        self._start_ns: int | None = None
        # Kinds of which all that was there from the start was recorded.
        self._listed: set[tuple[str, str]] = set()
        self._gone: dict[Key, int] = {}
        self._entered: dict[str, tuple[int, int]] = {}
        self._events: list[tuple[int, int, Json]] = []
        self._counts: collections.Counter[str] = collections.Counter()

    def take(self, record: Record) -> None:
        """Note what a record means for the Scenario."""
        self._pass_time(record)
        obj = record.resource
        kind = type_of(obj)
        row = self._known.get(*kind)
        if row is None or obj["kind"] in self._left_out:
            self._counts[f"{kss_notes.WORKLOAD if row else kss_notes.UNKNOWN}{obj['kind']}"] += 1
            return
        metadata = obj["metadata"]
        namespace = str(metadata.get("namespace") or "default") if row.namespaced else ""
        key = (*kind, namespace, metadata["name"])
        thing = self._things.get(key)
        if record.event != "Add":
            self._listed.add(kind)
        if record.event == "Delete":
            self._delete(key, thing, record)
        elif thing is None:
            self._counts[kss_notes.NOT_ADDED] += record.event == "Update"
            self._create(key, record)
        elif _is_another(obj, thing.first):
            self._counts[kss_notes.REPLACED] += 1
            self._delete(key, thing, record, "-before")
            self._create(key, record)
        else:
            self._counts[kss_notes.ADDED_AGAIN] += record.event == "Add"
            self._update(thing, record)

    def events(self) -> list[Json]:
        """All events so far, in the order in which they come."""
        return [event for _, _, event in sorted(self._events, key=operator.itemgetter(0, 1))]

    def notes(self) -> list[str]:
        """What is not played as it was recorded."""
        return kss_notes.notes(self._counts)

    def _pass_time(self, record: Record) -> None:
        """Steps are whole seconds since the beginning, and never go back."""
        if self._start_ns is None:
            self._start_ns = record.time_ns
        step = (record.time_ns - self._start_ns) // durations.SECOND
        if step > _LAST_STEP:
            fix = "see the times of the first lines"
            problem = "is more than 68 years after the first record"
            raise InputError(problem, line=record.line, path="time", fix=fix)
        self._counts[kss_notes.BACK_IN_TIME] += step < self.step
        self.step = max(self.step, step)

    def _create(self, key: Key, record: Record) -> None:
        obj = record.resource
        thing = self._things[key] = _Thing(obj, record.time_ns)
        thing.has_ended = kss_events.has_ended(obj)
        if self._is_created_here(thing):
            return
        kind = type_of(obj)
        step = self.step
        if key not in self._gone:
            step = 0 if self._was_there(obj) else step
        elif kind in _HELD:
            step = max(step, self._gone[key] + 1)
        thing.last = kss_changes.substance(obj, obj)
        self._note_scheduler(obj)
        thing.created = kss_events.create(f"line-{record.line}", step, self._newcomer(thing))
        place = step, 2 * record.line
        if kind == NAMESPACE:
            # Objects in the namespace may have been recorded before it.
            earlier = self._entered.get(obj["metadata"]["name"], place)
            place = min(place, (earlier[0], earlier[1] - 1))
            thing.created["step"] = place[0]
        elif key[2]:
            self._entered[key[2]] = min(place, self._entered.get(key[2], place))
        self._events.append((*place, thing.created))

    def _note_scheduler(self, obj: Json) -> None:
        """Count a pod for a scheduler of another name: no scheduler may ever place it."""
        spec = part(obj, "spec")
        name = spec.get("schedulerName") or _DEFAULT_SCHEDULER
        if type_of(obj) == POD and name != _DEFAULT_SCHEDULER and not spec.get("nodeName"):
            self._counts[f"{kss_notes.SCHEDULER}{name}"] += 1

    def _is_created_here(self, thing: _Thing) -> bool:
        """Whether the controllers of the run will create an object by themselves."""
        obj = thing.first
        if type_of(obj) == CLAIM:
            return kss_events.is_ephemeral(obj) and thing.is_open
        if type_of(obj) != VOLUME or not self._is_of_open_claim(obj):
            return False
        is_provisioned = kss_changes.PROVISIONED_BY in part(obj, "metadata", "annotations")
        self._counts[kss_notes.PROVISIONED] += is_provisioned
        return is_provisioned

    def _is_of_open_claim(self, volume: Json) -> bool:
        expected = part(volume, "spec", "claimRef")
        namespace, name = str(expected.get("namespace")), str(expected.get("name"))
        claim = self._things.get((*CLAIM, namespace, name))
        return (
            claim is not None
            and claim.is_open
            and not _is_another({"metadata": expected}, claim.first)
        )

    def _was_there(self, obj: Json) -> bool:
        """Whether an object is part of the list with which a recorder begins."""
        created = obj["metadata"].get("creationTimestamp")
        if type_of(obj) in self._listed or not isinstance(created, str):
            return False
        try:
            assert self._start_ns is not None
            return timestamps.parse_time(created) <= self._start_ns
        except ValueError:
            return False

    def _newcomer(self, thing: _Thing) -> Json:
        """An object as it is created: nothing decided about it, nothing at its end."""
        new = kss_events.cleaned(thing.first)
        metadata, kind = new["metadata"], type_of(new)
        for field in _ENDING:
            metadata.pop(field, None)
        if kind == NAMESPACE:
            new.pop("status", None)
        elif kind == CLAIM and thing.is_open:
            _drop_annotation(metadata, kss_changes.SELECTED_NODE)
        elif kind == VOLUME and self._is_of_open_claim(new):
            own = part(metadata, "annotations")
            if kss_changes.BOUND_BY_CONTROLLER in own:
                _drop_annotation(metadata, kss_changes.BOUND_BY_CONTROLLER)
                spec = {key: value for key, value in new["spec"].items() if key != "claimRef"}
                return {**new, "spec": spec, "status": {"phase": "Available"}}
        return new

    def _update(self, thing: _Thing, record: Record) -> None:
        obj = record.resource
        if thing.created is None:
            return
        if type_of(obj) == POD:
            self._take_pod(thing, record)
        after = kss_changes.substance(obj, thing.first)
        change = kss_changes.difference(thing.last, after, obj)
        thing.last = after
        if change and thing.created is not None:
            self._add(record, thing, kss_events.patch(f"line-{record.line}", 0, obj, change))

    def _take_pod(self, thing: _Thing, record: Record) -> None:
        """Notice what is not in a pod's spec or metadata, or cannot be played."""
        pod = record.resource
        thing.is_victim = thing.is_victim or kss_pod_lives.is_victim(pod)
        if not thing.is_resized and kss_changes.resized(pod, thing.first):
            thing.is_resized = True
            self._counts[kss_notes.RESIZED] += 1
        if kss_events.has_ended(pod) and not thing.has_ended:
            thing.has_ended = True
            self._end(thing, record)

    def _end(self, thing: _Thing, record: Record) -> None:
        """A pod has ended: here it ends when it has run as long."""
        pod = record.resource
        policy = part(pod, "spec").get("restartPolicy")
        is_failed = part(pod, "status").get("phase") == "Failed"
        if policy == "Never" or (policy == "OnFailure" and not is_failed):
            life = kss_pod_lives.recorded_annotations(
                pod, thing.first, thing.seen_ns, record.time_ns
            )
            own = part(thing.first, "metadata", "annotations")
            metadata = part(thing.created, "createOperation", "object", "metadata")
            metadata["annotations"] = life | own
        else:
            self._counts[kss_notes.FAILED] += 1
            self._add(record, thing, kss_events.delete(f"line-{record.line}", 0, pod))
            thing.created = None

    def _delete(self, key: Key, thing: _Thing | None, record: Record, suffix: str = "") -> None:
        if thing is None:
            self._counts[kss_notes.NOT_THERE] += (*NAMESPACE, "", key[2]) not in self._gone
            return
        del self._things[key]
        if thing.created is None:
            return
        self._counts[kss_notes.VICTIM] += thing.is_victim
        gone = kss_events.delete(f"line-{record.line}{suffix}", 0, record.resource)
        self._add(record, thing, gone)
        self._gone[key] = gone["step"]
        if type_of(record.resource) == NAMESPACE:
            self._entered.pop(key[3], None)
            for inside in [each for each in self._things if each[2] == key[3]]:
                del self._things[inside]

    def _add(self, record: Record, thing: _Thing, event: Json) -> None:
        """Put down what happens to a thing, but not before it is there."""
        event["step"] = max(self.step, thing.step)
        self._events.append((event["step"], 2 * record.line, event))


def _is_another(obj: Json, than: Json) -> bool:
    """Whether two objects of one name are not the same."""
    one, other = obj["metadata"].get("uid"), than["metadata"].get("uid")
    return bool(one and other and one != other)


def _drop_annotation(metadata: Json, name: str) -> None:
    own = part(metadata, "annotations")
    if name in own:
        metadata["annotations"] = {key: value for key, value in own.items() if key != name}
