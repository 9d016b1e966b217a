"""Where a search begins: the input as a case, and what is the same in all runs of the search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.errors import InputError
from kubestage.objects import locator, manifest
from kubestage.runs import living, living_run
from kubestage.runs.inputs import (
    actions,
    manifests,
    plain_nodes,
    price_files,
    scenario_inputs,
    stage_inputs,
    traffic_targets,
    what_if,
)
from kubestage.scenario import resource
from kubestage.scenario.resource import CREATE
from kubestage.sweep.worst import case as cases
from kubestage.sweep.worst.case import APPLY, Case, CaseEvent
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.observer import Observer
    from kubestage.sweep.worst.options import WorstOptions

NAME: Final = "worst"


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """The case that mutations begin with, and how cases become runs."""

    case: Case
    begin: str | None = None
    """The moment of the calendar at which time begins, if objects were recorded."""
    is_alive: bool = True
    """Whether controllers and kubelets are at work."""
    step_duration: str | None = None
    living_ns: int | None = None
    """How long a living run lives; None of a Scenario."""

    def scenario(self, case: Case) -> Json:
        """The case as a Scenario that ends with its last step."""
        events = [
            {"step": each.at, "operation": each.operation, _field(each.operation): each.body}
            for each in case.events
        ]
        last = max((each.at for each in case.events), default=0)
        done = {"step": last, "operation": resource.DONE, "doneOperation": {"done": True}}
        spec: Json = {"events": [*events, done]}
        if self.step_duration is not None:
            spec["stepDuration"] = self.step_duration
        return {
            "apiVersion": resource.API_VERSION,
            "kind": resource.KIND,
            "metadata": {"name": NAME},
            "spec": spec,
        }

    def manifests(self, case: Case) -> dict[int, list[Json]]:
        """The objects of a living run by the second at which they are applied."""
        found: dict[int, list[Json]] = {0: []}
        for event in case.events:
            assert event.object is not None
            found.setdefault(event.at, []).append(event.object)
        return found


def read(files: Sequence[str], options: WorstOptions, observer: Observer) -> Start:
    """The start of a search: a Scenario, manifests, or manifests of a living run."""
    loaded = stage_inputs.load_cluster(files, options.config, observer)
    is_living = options.run_for is not None
    what_if.apply(loaded, options, options.config, observer, is_living=is_living)
    plain_nodes.add(loaded, options.nodes, options.node)
    for note in (*price_files.add(loaded, options.prices), *loaded.notes):
        observer.note(note)
    traffic_targets.check([loaded])
    if options.run_for is not None:
        return _living(loaded, options, observer)
    if options.at:
        fix = "add --for 10m, or leave it out"
        raise InputError("has an effect only with --for", path="--at", fix=fix)
    inputs = scenario_inputs.read(loaded, options.controllers)
    if len(inputs.scenarios) > 1:
        names = ", ".join(str(each["metadata"]["name"]) for each in inputs.scenarios)
        fix = "search with one at a time"
        raise InputError(f"there are several Scenarios: {names}", fix=fix)
    (scenario,) = inputs.scenarios
    return Start(
        case=cases.arranged(_events(scenario)),
        begin=inputs.start,
        is_alive=inputs.is_alive,
        step_duration=scenario["spec"].get("stepDuration"),
    )


def loaded_objects(objects: Iterable[Json], source: str) -> LoadedManifests:
    """Objects as if they were read from a file."""
    loaded = manifests.LoadedManifests()
    loaded.documents = [
        manifest.Document(obj, 1, source, number) for number, obj in enumerate(objects)
    ]
    loaded.locators[source] = locator.Locator("")
    return loaded


def _events(scenario: Json) -> list[CaseEvent]:
    """The events of a Scenario up to its end."""
    found: list[CaseEvent] = []
    for event in resource.read(scenario).events:
        if event.operation == resource.DONE:
            if event.ends:
                last = event.step
                return [each for each in found if each.at <= last]
            continue
        found.append(CaseEvent(event.step, event.operation, event.body))
    return found


def _living(loaded: LoadedManifests, options: WorstOptions, observer: Observer) -> Start:
    assert options.run_for is not None
    if options.controllers is False:
        fix = "leave out --for: then only the scheduler runs"
        raise InputError("--for needs controllers", path="--no-controllers", fix=fix)
    living_run.refuse_scenarios(loaded)
    duration_ns = living.parse_duration(options.run_for)
    events = [CaseEvent(0, CREATE, {"object": each.object}) for each in loaded.documents]
    for text in options.at:
        later = living.parse_later(text, options.config, observer)
        if later.at_ns >= duration_ns or later.at_ns % SECOND_NS:
            fix = "whole seconds before the end of --for"
            raise InputError(f"{text} is at no such time", path="--at", fix=fix)
        known = {each.target for each in events}
        for document in later.loaded.documents:
            if actions.is_one(document.object):
                fix = "leave it out: a search fails nodes and adds objects by itself"
                raise later.loaded.place(document, InputError("is no object to mutate", fix=fix))
            event = CaseEvent(later.at_ns // SECOND_NS, CREATE, {"object": document.object})
            is_there = event.target in known
            events.append(msgspec.structs.replace(event, operation=APPLY) if is_there else event)
    begin = loaded.start or stage_inputs.newest(loaded)
    return Start(case=cases.arranged(events), begin=begin, living_ns=duration_ns)


def _field(operation: str) -> str:
    return resource.OPERATIONS[operation]
